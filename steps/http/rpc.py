"""JSON-RPC 2.0: what a call says, and what its answer means."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...runner.failure import StepFailed
from ...runner.values import Rows, pairs, shown, value
from .exchange import Answer, body_note


@dataclass(frozen=True)
class Reply:
    """A result, or an error with its code and message."""

    result: Any = None
    error: Mapping[str, Any] | None = None

    @property
    def code(self) -> int | None:
        return None if self.error is None else self.error.get("code")

    @property
    def ending(self) -> str:
        if self.error is None:
            return f"the result {_cut(shown(self.result))}"
        return f"error {self.code}: {self.error.get('message')}"


def call_text(number: int, method: str, parameters: Any) -> str:
    """A call on one line; without parameters there is no `params`."""
    call = {"jsonrpc": "2.0", "id": number, "method": method}
    return json.dumps(call if parameters is None else {**call, "params": parameters}, ensure_ascii=False)


def parameters_of(docstring: str | None, rows: Rows | None) -> Any:
    """What is written below a call: JSON in a doc string, or a table of names and values."""
    if docstring is None:
        if rows is None:
            raise StepFailed("this step needs the parameters below it: a table, or JSON in a doc string")
        return {name: value(text) for name, text in pairs(rows)}
    try:
        found = json.loads(docstring)
    except (ValueError, RecursionError) as error:
        raise StepFailed(f"these parameters are not JSON: {error}") from error
    if not isinstance(found, dict | list):
        raise StepFailed(f"parameters are a JSON object or list, not {shown(found)}")
    return found


def calls_of(rows: Rows) -> list[tuple[str, Any]]:
    """A table of calls: a column `method`, and one for each parameter; an empty cell leaves it out."""
    if not rows or "method" not in rows[0]:
        raise StepFailed('the first row of this table names its columns, one of them "method"')
    found = []
    for row in rows[1:]:
        cells = dict(zip(rows[0], row, strict=True))
        method = cells.pop("method")
        found.append((method, {name: value(text) for name, text in cells.items() if text}))
    return found


def reply_of(answer: Answer, number: int | None) -> Reply:
    """The answer to the call of that number; a line that was sent as it stands has none."""
    document = answer.document()
    wrong = _misshapen(document, number)
    if wrong:
        raise StepFailed(f"this is no answer of JSON-RPC 2.0: {wrong}", notes=body_note(answer))
    return Reply(document.get("result"), document.get("error"))


def code_of(answer: Answer) -> int | None:
    """The error code of a JSON-RPC answer, 0 for a result; None where it is no such answer."""
    try:
        return reply_of(answer, None).code or 0
    except StepFailed:
        return None


def _misshapen(document: Any, number: int | None) -> str:
    if not isinstance(document, dict):
        return "it is no object"
    if document.get("jsonrpc") != "2.0":
        return f'"jsonrpc" is {shown(document.get("jsonrpc"))}'
    error = document.get("error")
    if ("result" in document) == (error is not None):
        return "it must have either a result or an error"
    if error is not None and not (isinstance(error, dict) and isinstance(error.get("code"), int)):
        return "its error has no code"
    identity = document.get("id")
    if number is not None and identity != number and not (error is not None and identity is None):
        return f"its id is {shown(identity)}, but {number} was asked"
    return ""


def _cut(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:200]}…"
