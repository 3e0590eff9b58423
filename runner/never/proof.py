"""Proofs: after a passed scenario, each negative step is shown to be able to fail.

One violation at a time is let loose on the sandbox. Its witness says whether it took effect, every check is
asked about what its watch has seen since, and then all is put back: files, watches, journals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from inspect import isgenerator
from time import perf_counter
from typing import Any, Literal

from ..sandbox import Sandbox
from ..watcher.processes import Still
from . import STRENGTHS, Breach, Negative, Strength, Violation, Watch, Witness
from .keep import Keep
from .marks import Mark

Outcome = Literal["proven", "vacuous", "no-effect", "wrong-reason", "collateral", "no-violation"]
Act = Callable[[Violation], Any]
_FOLDERS = ("work", "home", "tmp", "run", "remotes")
_STORE = "kept"


@dataclass(frozen=True)
class Armed:
    """A negative step of a scenario with its watch. `id` is what `implies` calls it: `git.branch_moves`."""

    index: int
    id: str
    text: str
    negative: Negative
    watch: Watch[Any]
    act: Act


@dataclass(frozen=True)
class Proof:
    """What became of one violation, or of the lack of one."""

    index: int
    strength: Strength
    outcome: Outcome
    violation: str = ""
    detail: str = ""
    seconds: float = 0.0

    @property
    def is_good(self) -> bool:
        return self.outcome == "proven"

    def __str__(self) -> str:
        """For people: `VACUOUS: the violation "gross" …`."""
        return f"{self.outcome.replace('-', ' ').upper()}: {self.detail}"


@dataclass(frozen=True)
class Reaction:
    """What one check says after a violation; `error` where it could not say anything."""

    armed: Armed
    breaches: Sequence[Breach] = ()
    error: str = ""

    @property
    def fired(self) -> bool:
        return bool(self.breaches or self.error)

    def shows(self, trace: str) -> bool:
        return any(trace in breach.message or trace in breach.evidence for breach in self.breaches)


def proofs(armed: Sequence[Armed], sandbox: Sandbox | None, tier: int) -> Iterator[Proof]:
    """Try every violation of every step, in the order of the file; the scenario must have passed."""
    missing = [proof for one in armed for proof in _missing(one, tier)]
    tried = [(one, violation) for one in armed for violation in one.negative.violations]
    if tried:
        with ExitStack() as world:
            stage = Stage(armed, sandbox, world)
            for one, violation in tried:
                yield stage.prove(one, violation)
    yield from missing


def _missing(armed: Armed, tier: int) -> Iterator[Proof]:
    """A step needs a violation; for a goal of tier 0 a gross one and a minimal one."""
    known = {violation.strength for violation in armed.negative.violations}
    name = armed.negative.name
    if not known:
        detail = f"nothing shows that this check can fail: write a violation under @{name}.violation"
        yield Proof(armed.index, "gross", "no-violation", detail=detail)
    for strength in STRENGTHS if tier == 0 and known else ():
        if strength not in known:
            detail = f'a goal of tier 0 needs a {strength} violation too: @{name}.violation("{strength}")'
            yield Proof(armed.index, strength, "no-violation", detail=detail)


class Stage:
    """The sandbox while violations are tried in it: its processes held still, its files kept."""

    def __init__(self, armed: Sequence[Armed], sandbox: Sandbox | None, world: ExitStack) -> None:
        self._armed = armed
        self._keep: Keep | None = None
        self._broken = ""
        if sandbox is not None:
            if sandbox.is_inhabited:
                world.callback(Still(str(sandbox.root)).release)
            self._keep = Keep((str(sandbox.root / name) for name in _FOLDERS), str(sandbox.root / _STORE))
            world.callback(self._keep.remove)
        self._each(lambda watch: watch.look())

    def prove(self, armed: Armed, violation: Violation) -> Proof:
        """Let one violation loose, see who notices, and put everything back."""
        started = perf_counter()
        if self._broken:
            outcome: Outcome = "no-effect"
            detail = f"not tried, for the sandbox could not be put back before: {self._broken}"
        else:
            outcome, detail = self._try(armed, violation)
        seconds = perf_counter() - started
        return Proof(armed.index, violation.strength, outcome, violation.name, detail, seconds)

    def _try(self, armed: Armed, violation: Violation) -> tuple[Outcome, str]:
        marks = [one.watch.mark() for one in self._armed]
        try:
            with ExitStack() as undo:
                undo.callback(self._put_back, marks)
                try:
                    witness = _witness(armed.act(violation), undo)
                except Exception as error:
                    return "no-effect", f"{violation.name} came to grief: {type(error).__name__}: {error}"
                return judge(self._trial(armed, violation, witness))
        except Exception as error:
            self._broken = f"{type(error).__name__}: {error}"
            return "no-effect", f"{violation.name} could not be undone: {self._broken}"

    def _trial(self, armed: Armed, violation: Violation, witness: Witness) -> Trial:
        """Ask every check; those that may well fire for this violation are not told of."""
        said = [_reaction(one) for one in self._armed]
        own = next(one for one in said if one.armed is armed)
        others = [
            one
            for one in said
            if one.fired and one is not own and not _is_implied(one.armed, armed, violation)
        ]
        return Trial(violation, witness, own, others)

    def _put_back(self, marks: list[Mark]) -> None:
        """Files first; then the watches see that, and forget all they saw since the violation began."""
        failed = self._keep.restore() if self._keep is not None else []
        self._each(lambda watch: watch.skip())
        for put_back in marks:
            put_back()
        failed += [f'"{one.armed.text}" still fires: {_told(one)}' for one in _still_firing(self._armed)]
        self._broken = "; ".join(failed)

    def _each(self, act: Callable[[Watch[Any]], None]) -> None:
        for one in self._armed:
            # What a watch has against a violation, or its undoing, is told when its check is asked.
            try:
                act(one.watch)
            except Exception:  # noqa: S112
                continue


@dataclass(frozen=True)
class Trial:
    """A violation that was let loose, and all that was said of it."""

    violation: Violation
    witness: Witness
    own: Reaction
    others: Sequence[Reaction] = ()

    def __str__(self) -> str:
        return f"the {self.violation.strength} violation {self.violation.name}"


Finding = tuple[Outcome, str]


def changed_nothing(trial: Trial) -> Finding | None:
    if trial.witness.effect:
        return None
    return "no-effect", f"{trial} changed nothing: {trial.witness.saw}"


def could_not_judge(trial: Trial) -> Finding | None:
    return ("wrong-reason", f"after {trial} the check failed: {trial.own.error}") if trial.own.error else None


def went_unnoticed(trial: Trial) -> Finding | None:
    if trial.own.fired:
        return None
    return "vacuous", f"the check did not notice {trial} ({trial.witness.saw})"


def fired_for_something_else(trial: Trial) -> Finding | None:
    trace = trial.witness.trace
    if not trace or trial.own.shows(trace):
        return None
    return "wrong-reason", f'{trial} left "{trace}", but the check says: {_told(trial.own)}'


def broke_others(trial: Trial) -> Finding | None:
    if not trial.others:
        return None
    listed = "; ".join(f'"{one.armed.text}": {_told(one)}' for one in trial.others)
    return "collateral", f"{trial} also broke {listed}"


# Each finds one way in which a proof is none; the first that does decides.
DETECTORS = (changed_nothing, could_not_judge, went_unnoticed, fired_for_something_else, broke_others)


def judge(trial: Trial) -> Finding:
    """The outcome of a violation from what its witness and all checks say. Pure."""
    findings = (detector(trial) for detector in DETECTORS)
    found = next((finding for finding in findings if finding is not None), None)
    return found or ("proven", _told(trial.own) if trial.own.fired else "")


def _is_implied(other: Armed, armed: Armed, violation: Violation) -> bool:
    library = armed.id.rpartition(".")[0]
    named = {name if "." in name else f"{library}.{name}" for name in violation.implies}
    return other.id in named or f"{other.id.rpartition('.')[0]}.*" in named


def _reaction(armed: Armed) -> Reaction:
    try:
        armed.watch.look()
        return Reaction(armed, armed.negative.judge(armed.watch.journal()))
    except Exception as error:
        return Reaction(armed, error=f"{type(error).__name__}: {error}")


def _still_firing(armed: Sequence[Armed]) -> list[Reaction]:
    """The checks that are red although everything was put back."""
    return [reaction for reaction in map(_reaction, armed) if reaction.fired]


def _told(reaction: Reaction) -> str:
    return reaction.error or reaction.breaches[0].message


def _witness(made: Any, undo: ExitStack) -> Witness:
    """What a violation returns, or yields before it undoes itself."""
    if isgenerator(made):
        undo.callback(next, made, None)
        made = next(made)
    if not isinstance(made, Witness):
        raise TypeError(f"a violation must return a Witness, not {type(made).__name__}")
    return made
