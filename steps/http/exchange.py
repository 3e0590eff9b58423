"""A request and what came of it, as values."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.message import Message
from typing import Any

from ...runner.evidence import Outcome, shorten
from ...runner.failure import StepFailed

Headers = tuple[tuple[str, str], ...]
HIDDEN = "(hidden)"
_SECRET = re.compile(r"(?i)authorization|cookie|token|secret|passw|api-?key|credential|signature")


@dataclass(frozen=True)
class Answer:
    """What a server sent back. Over lines there is no status and there are no headers."""

    body: bytes
    status: int | None = None
    reason: str = ""
    headers: Headers = ()

    def header(self, name: str) -> list[str]:
        """All values under that name; a server may send several."""
        return [value for known, value in self.headers if known.lower() == name.lower()]

    @property
    def text(self) -> str:
        """The body as the charset in its Content-Type says, else UTF-8; what does not fit is replaced."""
        message = Message()
        message["Content-Type"] = next(iter(self.header("Content-Type")), "text/plain")
        try:
            return self.body.decode(message.get_content_charset("utf-8"), errors="replace")
        except LookupError:
            return self.body.decode("utf-8", errors="replace")

    def document(self) -> Any:
        """The body as JSON."""
        if not self.body:
            raise StepFailed("the body is empty, so it is not JSON")
        try:
            return json.loads(self.text)
        except (ValueError, RecursionError) as error:
            raise StepFailed(f"the body is not JSON: {error}", notes=body_note(self)) from error

    @property
    def ending(self) -> str:
        return "answered" if self.status is None else f"{self.status} {self.reason}".rstrip()


@dataclass(frozen=True)
class Exchange:
    """One request. Without an answer, `problem` says why, and `partial` is what came before that.

    The outcome is unknown where the request was sent, wholly or in part, and no answer came. `awaited` marks
    the tries of a step that waits for a server: nobody home is no fault there. `call` is the id of a JSON-RPC
    call.
    """

    title: str
    sent: str
    answer: Answer | None
    seconds: float
    outcome: Outcome = "ok"
    problem: str = ""
    partial: bytes = b""
    awaited: bool = False
    call: int | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def ending(self) -> str:
        return self.problem if self.answer is None else self.answer.ending

    def shown(self) -> str:
        """Both directions, as a failure shows them; secrets in headers are hidden."""
        if self.answer is None:
            came = self.partial.decode("utf-8", errors="replace")
            received = f"{self.problem}\n{came}".rstrip()
        else:
            received = f"{head(self.answer.headers)}\n{content(self.answer.body, self.answer.text)}".strip(
                "\n"
            )
        sent = f"sent:\n{shorten(self.sent, 15)}\n" if self.sent else ""
        return f"{sent}received:\n{shorten(received, 30)}"


@dataclass
class NoAnswer(Exception):  # noqa: N818 (it says what happened)
    """Why there is no answer. `sent` where the request may have reached the server."""

    problem: str
    sent: bool = True
    partial: bytes = b""

    def __str__(self) -> str:
        return self.problem


def head(headers: Headers) -> str:
    """Headers as lines, without what must not be in a report."""
    return "\n".join(f"{name}: {visible(name, value)}" for name, value in headers)


def visible(name: str, value: str) -> str:
    return HIDDEN if is_secret(name) else value


def is_secret(name: str) -> bool:
    """Whether what a header of this name holds is nobody's business."""
    return _SECRET.search(name) is not None


def content(body: bytes, text: str) -> str:
    """A body for people to read: bytes that are no text are only counted."""
    return f"({len(body)} bytes that are no text)" if "\0" in text or "\ufffd" in text else text


def body_note(answer: Answer) -> list[str]:
    """What the body is instead, as a note under a failure."""
    if not answer.body:
        return ["  the body is empty"]
    text = content(answer.body, answer.text)
    return ["  the body is", *(f"  | {line}" for line in shorten(text, 10).splitlines())]
