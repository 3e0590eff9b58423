"""What this machine can do. Each probe looks at one thing and says what is missing without it.

A new probe is a function that returns a Finding, added to PROBES. A probe never raises and never waits long.
"""

from __future__ import annotations

import os
import platform
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from importlib import metadata
from typing import Any

PACKAGE = "goalkeeper"
_LIMIT = 5.0
_ENGINE_LIMIT = 3.0
_ANY_API = "1.44"


@dataclass(frozen=True)
class Finding:
    """What a probe found. `detail` says what is there or why it is not, `skips` what can't be done then."""

    name: str
    ok: bool
    detail: str
    remedy: str = ""
    skips: str = ""
    required: bool = False

    def data(self) -> dict[str, Any]:
        return asdict(self)


Probe = Callable[[], Finding]


def examine(probes: Iterable[Probe] | None = None) -> list[Finding]:
    return [probe() for probe in (PROBES if probes is None else probes)]


def is_fit(findings: Iterable[Finding]) -> bool:
    """Whether all that is required is there."""
    return all(finding.ok for finding in findings if finding.required)


def python() -> Finding:
    from packaging.specifiers import SpecifierSet

    wanted = SpecifierSet(metadata.metadata(PACKAGE)["Requires-Python"])
    found = platform.python_version()
    fits = wanted.contains(found, prereleases=True)
    remedy = f"make a virtual environment with Python {wanted}: python3 -m venv .venv"
    return Finding("Python", fits, found if fits else f"{found}, not {wanted}", remedy, "everything", True)


def pytest() -> Finding:
    return _distribution("pytest", "running goals")


def pytest_bdd() -> Finding:
    return _distribution("pytest-bdd", "running goals")


def gherkin() -> Finding:
    return _distribution("gherkin-official", "reading .feature files")


def xdist() -> Finding:
    found = _version("pytest-xdist")
    detail = found or "not installed"
    return Finding(
        "pytest-xdist", bool(found), detail, "pip install pytest-xdist", "pytest -n auto, on all cores"
    )


def git() -> Finding:
    skips = "everything that looks at a repository"
    return _program("git", "install git (Debian, Ubuntu: apt-get install git)", skips, required=True)


def make() -> Finding:
    remedy = "install make (Debian, Ubuntu: apt-get install make)"
    return _program("make", remedy, "goals that build with make")


def docker_cli() -> Finding:
    remedy = "install the docker command: https://docs.docker.com/engine/install/"
    found = _program("docker", remedy, "goals that call the docker command")
    return Finding("Docker CLI", found.ok, found.detail, found.remedy, found.skips)


def docker_engine() -> Finding:
    """Asks the engine itself: a command that is installed says nothing about it."""
    remedy = "start it (systemctl start docker), and let your user reach it (group docker, or DOCKER_HOST)"
    skips = "goals that need containers"
    try:
        version = _engine_version()
    except Exception as error:  # the SDK lets errors of requests and urllib3 through, beside its own
        return Finding("Docker engine", False, f"{_host()} does not answer: {_reason(error)}", remedy, skips)
    return Finding("Docker engine", True, version)


def root() -> Finding:
    is_root = os.geteuid() == 0
    detail = "yes" if is_root else f"no, user id {os.geteuid()}"
    return Finding("root", is_root, detail, "sudo, or a container", "goals that need root")


def user_namespaces() -> Finding:
    """Tries it: which of the kernel's settings forbids it depends on the distribution."""
    skips = "goals that need a network or mounts of their own, without root"
    name, remedy = "user namespaces", "sysctl kernel.unprivileged_userns_clone=1, user.max_user_namespaces>0"
    if shutil.which("unshare") is None:
        return Finding(name, False, "can't be tried: unshare is missing", "install util-linux", skips)
    code, output = _run(["unshare", "--user", "--map-root-user", "true"])
    return Finding(name, code == 0, "allowed" if code == 0 else output or "not allowed", remedy, skips)


def colour() -> Finding:
    from rich.console import Console

    screen = Console()
    system = None if screen.no_color else screen.color_system
    reason = "NO_COLOR is set" if screen.no_color else "the output is no terminal, or one without colour"
    remedy = "call it at a terminal, with NO_COLOR unset"
    return Finding("colour", system is not None, system or reason, remedy, "colour, nothing else")


PROBES: tuple[Probe, ...] = (
    python,
    pytest,
    pytest_bdd,
    gherkin,
    git,
    xdist,
    make,
    docker_cli,
    docker_engine,
    root,
    user_namespaces,
    colour,
)


def _distribution(name: str, skips: str) -> Finding:
    """An installed package, in the range that our own metadata asks for."""
    from packaging.requirements import Requirement

    ours = (Requirement(text) for text in metadata.requires(PACKAGE) or ())
    wanted = next((r.specifier for r in ours if r.name == name), None)
    found = _version(name)
    fits = found is not None and (wanted is None or wanted.contains(found, prereleases=True))
    detail = "not installed" if found is None else found if fits else f"{found}, not {wanted}"
    return Finding(name, fits, detail, f"pip install '{name}{wanted or ''}'", skips, required=True)


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _program(name: str, remedy: str, skips: str, required: bool = False) -> Finding:
    if shutil.which(name) is None:
        return Finding(name, False, "not on the PATH", remedy, skips, required)
    code, output = _run([name, "--version"])
    detail = output if code == 0 else f"{name} --version fails: {output or f'exit code {code}'}"
    return Finding(name, code == 0, detail, remedy, skips, required)


def _run(command: list[str]) -> tuple[int, str]:
    """The exit code and the first line printed; a program that hangs or does not start has failed."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", check=False, timeout=_LIMIT
        )
    except subprocess.TimeoutExpired:
        return 1, f"no answer within {_LIMIT:g} s"
    except OSError as error:
        return 1, str(error.strerror)
    return done.returncode, next(iter((done.stdout or done.stderr).splitlines()), "").strip()


def _engine_version() -> str:
    import docker

    _knock(_host())
    client = docker.from_env(timeout=_ENGINE_LIMIT, version=_ANY_API)  # a version, or it would connect here
    try:
        return str(client.api.version(api_version=False)["Version"])
    finally:
        client.close()


def _knock(host: str) -> None:
    """Connect to a local engine and let go of it: the SDK leaves the socket open where that fails."""
    if host.startswith("unix://"):
        with socket.socket(socket.AF_UNIX) as door:
            door.settimeout(_ENGINE_LIMIT)
            door.connect(host.removeprefix("unix://"))


def _host() -> str:
    return os.environ.get("DOCKER_HOST") or "unix:///var/run/docker.sock"


def _reason(error: BaseException) -> str:
    """What went wrong at the bottom: the SDK tells the same story three times, one in the other."""
    while (deeper := error.__cause__ or error.__context__) is not None:
        error = deeper
    return str(error) or type(error).__name__
