"""Where a request goes, and whether it may go there."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from urllib.parse import quote, urlsplit

from ...runner.failure import StepFailed

FORMS = [
    "  http://127.0.0.1:8080/path    a port of this machine",
    "  unix:run/app.sock:/path       HTTP over a socket in the sandbox",
    "  unix:run/app.sock             lines over a socket in the sandbox",
    "  tcp:127.0.0.1:8080            lines over a port of this machine",
    "  /path                         on the server that an earlier step named",
]
_PORTS = {"http": 80, "https": 443}
_REQUEST = re.compile(r"(?P<method>[A-Za-z]+)\s+(?P<address>\S.*)")
_SECRET_QUERY = re.compile(r"(?i)([?&][^=&]*(?:token|secret|passw|api_?key|signature)[^=&]*=)[^&]*")


@dataclass(frozen=True)
class Address:
    """`host` is the path of a socket where the scheme is unix; without a target, lines are spoken."""

    scheme: str
    host: str
    port: int = 0
    target: str = ""

    @property
    def is_http(self) -> bool:
        return bool(self.target)

    @property
    def origin(self) -> str:
        """Who is asked: `http://127.0.0.1:8080`, `unix:run/app.sock`."""
        if self.scheme == "unix":
            return f"unix:{self.host}"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}:{'' if self.scheme == 'tcp' else '//'}{host}:{self.port}"

    def __str__(self) -> str:
        """As evidence shows it: what looks like a secret in the query is hidden."""
        between = ":" if self.scheme == "unix" and self.target else ""
        return self.origin + between + _SECRET_QUERY.sub(r"\1(hidden)", self.target)


def split_request(line: str) -> tuple[str, str]:
    """`GET http://…` as method and address."""
    match = _REQUEST.fullmatch(line.strip())
    if match is None:
        example = f"GET {line.strip() or '/path'}"
        raise StepFailed(f'"{line}" is no request: write method and address, as in "{example}"')
    return match["method"].upper(), match["address"]


def parse(text: str, base: str = "") -> Address:
    """The address that a goal writes; one that begins with a slash lies on the server at `base`."""
    text = text.strip()
    if text.startswith("/"):
        if not base:
            raise StepFailed(
                f'"{text}" names no server: put `Given the server is at "…"` before it, or the whole address'
            )
        above = parse(base)
        return replace(above, target=above.target.rstrip("/") + _encoded(text))
    scheme, colon, rest = text.partition(":")
    if colon and scheme == "unix" and rest:
        path, slash, target = rest.partition(":/")
        return Address("unix", path, target=_encoded(f"/{target}") if slash else "")
    if colon and scheme in ("http", "https", "tcp"):
        return _network(text, scheme, rest)
    raise StepFailed(f'"{text}" is no address; known are', notes=FORMS)


def _network(text: str, scheme: str, rest: str) -> Address:
    try:
        parts = urlsplit(f"//{rest}" if scheme == "tcp" else text)
        host, port = parts.hostname or "", parts.port or _PORTS.get(scheme, 0)
    except ValueError as error:
        raise StepFailed(f'"{text}" is no address: {error}') from error
    if not host or not port:
        raise StepFailed(f'"{text}" is no address: it has no {"port" if host else "host"}', notes=FORMS)
    if parts.username is not None or parts.password is not None:
        raise StepFailed("an address holds no password: write it as a request header instead")
    if scheme == "tcp":
        return Address("tcp", host, port)
    query = f"?{parts.query}" if parts.query else ""
    return Address(scheme, host, port, _encoded(f"{parts.path or '/'}{query}"))


def _encoded(target: str) -> str:
    """Spaces and letters beyond ASCII as a URL has them; what is encoded already stays as it is."""
    return quote(target, safe="/?&=%:;,+@!$'()*~[]-._")


def check_permitted(address: Address, origins: Collection[str]) -> None:
    """Refuse to leave this machine, unless a goal says so in as many words."""
    if address.scheme == "unix" or address.origin in origins or _is_loopback(address.host):
        return
    raise StepFailed(
        f"{address.origin} is not on this machine, so no request goes there",
        notes=[f'a goal that means it says: Given requests may go to "{address.origin}"'],
    )


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
