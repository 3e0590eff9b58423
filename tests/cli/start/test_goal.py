"""The text of a first goal: what it quotes, what it forbids, and that fmt has nothing to add."""

from __future__ import annotations

from pathlib import Path

import pytest

from goalkeeper.cli.start.goal import first_goal, telling
from goalkeeper.cli.start.program import HELP, VERSION, Program
from goalkeeper.cli.start.trial import Trial, TrialError
from goalkeeper.runner.files import GoalFileText, parse
from goalkeeper.runner.writing import formatted

FEATURE, YAML = Path("/r/scenarios/p/g1_1.feature"), Path("/r/scenarios/p/g1_1.goal.yaml")


def trial(
    stdout: str = "", stderr: str = "", code: int = 0, arguments: tuple[str, ...] = HELP, **fields: str
) -> Trial:
    return Trial(Program("tool", **fields), arguments, code, stdout, stderr)  # type: ignore[arg-type]


def steps(tried: Trial) -> list[str]:
    goal = parse(GoalFileText(FEATURE, first_goal(tried, "G1.1", FEATURE))).unwrap()
    return [f"{step.keyword} {step.text}" for step in goal.scenarios[0].steps]


@pytest.mark.parametrize(
    ("printed", "told"),
    [
        ("usage: tool [-h] NAME\n\nDoes things.\n", "usage: tool"),
        ("A tool.\n\nUsage: tool <NAME>\n", "Usage: tool"),
        ("tool 1.2.3\n", "tool"),
        ("  \n  Does things  \n", "Does things"),
        ('Says "hi" to all\n', 'Says "hi" to all'),
        ("/home/ada/tool\nfine and dandy\n", "fine and dandy"),
        ("\x1b[1mtool\x1b[0m\nplain text\n", "plain text"),
        ("took 3 ms of something\n", "something"),
        ("ends with a backslash\\\nfine\n", "fine"),
        ("---\n***\nthe text\n", "the text"),
        ("x" * 200, "x" * 200),
        ("1.2.3\n", ""),
        ("", ""),
    ],
)
def test_what_is_worth_quoting(printed: str, told: str) -> None:
    assert telling(printed) == told
    assert told in printed


def test_the_goal_says_what_happened() -> None:
    assert steps(trial('Says "hi" to all\n', language="python")) == [
        'When I run "tool --help"',
        "Then the exit code is 0",
        'And the output contains "Says \\"hi\\" to all"',
        'But the command never prints "Traceback"',
        'And file "core" never exists',
    ]


@pytest.mark.parametrize(
    ("tried", "step"),
    [
        (trial(stderr="usage: tool x\n", code=2), 'And the error output contains "usage: tool"'),
        (trial("1.2.3\n"), 'And the output matches "\\d+\\.\\d+"'),
        (trial(), "And the output is empty"),
        (trial(stderr="1.2"), 'And the error output matches "\\d+\\.\\d+"'),
    ],
)
def test_what_else_it_may_have_printed(tried: Trial, step: str) -> None:
    assert steps(tried)[2] == step
    assert steps(tried)[1] == f"Then the exit code is {tried.exit_code}"


@pytest.mark.parametrize("language", ["python", "node", "rust", "go", "shell", ""])
def test_what_was_printed_is_not_forbidden(language: str) -> None:
    [forbidden] = [step for step in steps(trial(language=language)) if "never prints" in step]
    word = forbidden.split('"')[1]
    assert [step for step in steps(trial(word, language=language)) if "never" in step] == [
        'But file "core" never exists'
    ]


def test_what_was_left_behind_is_not_forbidden() -> None:
    tried = Trial(Program("tool", language="python"), HELP, 0, "Traceback", "", frozenset({"core"}))
    assert steps(tried)[-1] == 'But the command never prints "Segmentation fault"'


@pytest.mark.parametrize(
    ("tried", "title"),
    [
        (trial("usage: tool"), "tool explains itself"),
        (trial("whatever"), "tool runs"),
        (trial("1.2", arguments=VERSION), "tool knows its version"),
        (trial("ready", arguments=("start",)), "tool runs"),
    ],
)
def test_the_title_claims_no_more_than_what_was_seen(tried: Trial, title: str) -> None:
    assert f"Feature: {title}\n" in first_goal(tried, "G1.1", FEATURE)


@pytest.mark.parametrize("path", [FEATURE, YAML])
@pytest.mark.parametrize("text", ["a: b # c\n", 'say "x": y', "- dash\n", "@tag\n", "'single'\n", "it's\n"])
def test_both_spellings_are_in_the_canonical_layout(path: Path, text: str) -> None:
    written = first_goal(trial(text), "G1.7", path, ci="goals")
    parsed = parse(GoalFileText(path, written))
    goal = parsed.unwrap()
    assert formatted(parsed) == written
    assert (goal.id, goal.tier, goal.scope, goal.ci) == ("G1.7", 1, ("cli",), ("goals",))
    assert goal.statement and goal.hook and goal.artifacts and goal.never_list()
    assert text.strip() in goal.scenarios[0].steps[2].text.replace('\\"', '"')


def test_an_editor_finds_the_schema() -> None:
    first = first_goal(trial("x"), "G1.1", YAML).splitlines()[0]
    assert first == "# yaml-language-server: $schema=../goal.schema.json"


@pytest.mark.parametrize("argument", ["a\nb", "a\\"])
def test_a_command_that_no_step_can_say(argument: str) -> None:
    with pytest.raises(TrialError, match="a step can't say this"):
        steps(trial("x", arguments=(f'{argument}"',)))
