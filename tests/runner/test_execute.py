"""What happens while a scenario runs: users' steps, hooks, soft Thens, async steps."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

WriteGoal = Callable[..., Path]

TRACED = """
    import pytest
    from pytest_bdd import given, parsers, step, then, when

    def trace(*words): print("TRACE", *words)

    def pytest_bdd_before_scenario(feature, scenario):
        trace("before_scenario", type(feature).__module__, type(scenario).__module__, scenario.name)

    def pytest_bdd_after_scenario(feature, scenario): trace("after_scenario")
    def pytest_bdd_before_step(step): trace("before_step", step.keyword, step.name, step.line_number)
    def pytest_bdd_before_step_call(step, step_func_args): trace("before_step_call", sorted(step_func_args))
    def pytest_bdd_after_step(step, step_func_args): trace("after_step", step.name)
    def pytest_bdd_step_error(step, exception): trace("step_error", step.name, type(exception).__name__)

    @given(parsers.parse("a number {n:d}"), target_fixture="number")
    def number(n): return n

    @when(parsers.re(r"I add (?P<n>\\d+)"), converters={"n": int}, target_fixture="total")
    def add(number, n): return number + n

    @then(parsers.cfparse("the total is {n:d}"))
    def total_is(total, n): assert total == n
"""


HOOKS_OF_THE_NEVER = [
    "before_step But nothing ever goes wrong 7",
    "before_step_call []",
    "after_step nothing ever goes wrong",
]


def trace(result: pytest.RunResult) -> list[str]:
    return [line.partition("TRACE ")[2] for line in result.outlines if "TRACE " in line]


def test_users_pytest_bdd_steps_work_and_hooks_fire_in_order(
    pytester: pytest.Pytester, goal: WriteGoal
) -> None:
    pytester.makeconftest(TRACED)
    goal("Scenario: Sum\n  Given a number 1\n  When I add 2\n  Then the total is 4\n")
    result = pytester.runpytest("scenarios", "-s")
    result.assert_outcomes(failed=1)
    assert trace(result) == [
        "before_scenario pytest_bdd.parser pytest_bdd.parser Sum",
        "before_step Given a number 1 4",
        "before_step_call ['n']",
        "after_step a number 1",
        "before_step When I add 2 5",
        "before_step_call ['n', 'number']",
        "after_step I add 2",
        "before_step Then the total is 4 6",
        "before_step_call ['n', 'total']",
        "step_error the total is 4 AssertionError",
        *HOOKS_OF_THE_NEVER,
        "after_scenario",
    ]


def test_the_same_hooks_fire_under_pytest_bdd_itself(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    """The order above is pytest-bdd's own, not ours, but for a negative step, which it does not come to."""
    pytester.makeconftest(TRACED)
    pytester.makeini("[pytest]\ngoal_files = *.goal.yaml\n")
    goal("Scenario: Sum\n  Given a number 1\n  When I add 2\n  Then the total is 4\n")
    pytester.makepyfile(test_glue="from pytest_bdd import scenarios\nscenarios('scenarios')\n")
    theirs = trace(pytester.runpytest("-s"))
    pytester.makeini("[pytest]\ngoal_files = *.feature\n")
    ours = trace(pytester.runpytest("scenarios", "-s"))
    assert [line for line in ours if line not in HOOKS_OF_THE_NEVER] == theirs
    assert len(theirs) == 11


def test_tables_docstrings_fixtures_and_yield(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    pytester.makeconftest(
        """
        import pytest
        from pytest_bdd import given, then, when

        @pytest.fixture(scope="module")
        def shared():
            return []

        @given("things", target_fixture="things")
        def things(datatable, docstring, shared):
            shared.append(datatable)
            yield {"table": datatable, "text": docstring}
            print("TRACE finished")

        @when("nothing")
        def nothing(): pass

        @then("they are there")
        def there(things, shared):
            assert things == {"table": [["a", "b"]], "text": "text\\nof lines"}
            assert shared == [[["a", "b"]]]
            print("TRACE there")
        """
    )
    goal(
        """
        Scenario: x
          Given things
            | a | b |
            \"\"\"
            text
            of lines
            \"\"\"
          When nothing
          Then they are there
        """,
        tier=2,
    )
    result = pytester.runpytest("scenarios", "-s")
    result.assert_outcomes(passed=1)
    assert trace(result) == ["there", "finished"]


def test_async_steps_are_awaited_on_one_loop(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    pytester.makeconftest(
        """
        import asyncio
        from pytest_bdd import given, then, when

        @given("a loop", target_fixture="loop")
        async def loop():
            yield asyncio.get_running_loop()
            print("TRACE closed", asyncio.get_running_loop().is_closed())

        @when("a task runs in the background", target_fixture="task")
        async def task(loop):
            assert asyncio.get_running_loop() is loop
            return asyncio.create_task(asyncio.sleep(0, "done"))

        @then("it ends")
        async def ends(task):
            assert await task == "done"

        @then("it ends otherwise")
        async def otherwise(task):
            assert await task == "other"
        """
    )
    goal(
        """
        Scenario: good
          Given a loop
          When a task runs in the background
          Then it ends
        Scenario: bad
          Given a loop
          When a task runs in the background
          Then it ends otherwise
        """
    )
    result = pytester.runpytest("scenarios", "-s", "-W", "error")
    result.assert_outcomes(passed=1, failed=1)
    assert trace(result) == ["closed False", "closed False"]


def test_soft_thens_report_all_failures_and_stop_the_next_when(
    pytester: pytest.Pytester, goal: WriteGoal
) -> None:
    goal(
        """
        Scenario: Everything is wrong
          When I run "sh -c 'echo oops; exit 3'"
          Then the exit code is 0
          And the output contains "fine"
          And the output contains "oops"
          But the command never prints "oops"
          When I run "touch marker"
          Then file "marker" exists
        """
    )
    result = pytester.runpytest("scenarios", "--cucumberjson=report.json")
    result.assert_outcomes(failed=1)
    text = result.stdout.str()
    assert text.count("\n>   ") == 3
    assert text.count("(not run)") == 2
    [feature] = json.loads((pytester.path / "report.json").read_text())
    statuses = [step["result"]["status"] for step in feature["elements"][0]["steps"]]
    assert statuses == ["passed", "failed", "failed", "passed", "failed", "skipped", "skipped"]


def test_a_failed_when_skips_the_thens(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    goal(
        """
        Scenario: x
          When I run "no-such-program-anywhere"
          Then the exit code is 0
          But the command never prints "x"
        """
    )
    result = pytester.runpytest("scenarios")
    result.stdout.fnmatch_lines(
        [
            'E     there is no program "no-such-program-anywhere": is it installed, and on the PATH?',
            "    Then the exit code is 0    (not run)",
            '    But the command never prints "x"    (not run)',
        ]
    )


def test_skip_and_xfail_inside_a_step(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    pytester.makeconftest(
        """
        import pytest
        from pytest_bdd import given, then

        @given("no engine")
        @then("there is no engine")
        def no_engine(): pytest.skip("install an engine")

        @given("a known defect")
        @then("there is a known defect")
        def known(): pytest.xfail("being mended")
        """
    )
    goal(
        """
        Scenario: skipped
          Given no engine
          When I run "touch marker"
          Then the exit code is 0
        Scenario: xfailed
          Given a known defect
          When I run "touch marker"
          Then the exit code is 0
        Scenario: skipped late
          When I run "touch marker"
          Then there is no engine
        Scenario: xfailed late
          When I run "touch marker"
          Then there is a known defect
        """
    )
    result = pytester.runpytest("scenarios", "-v")
    result.assert_outcomes(skipped=2, xfailed=2)
    assert result.stdout.str().count("When I run") == 2, "a Then that is asked beforehand ended its scenario"


NEGATIVE = """
    from goalkeeper import Breach, Journal, Watch, given, never, then, when

    class Spy(Watch):
        def look(self):
            if self.subject == "goes blind":
                raise OSError("the lens is gone")
            self.count("look")
            print("TRACE look")
        def close(self):
            print("TRACE close")

    @given("a start")
    def start(): print("TRACE given")

    @when("it acts")
    def act(): print("TRACE when")

    @then("it is done")
    def done(): print("TRACE then")

    @never('"{word}" never happens')
    def happens(word: str) -> Watch[str]:
        print("TRACE arm")
        if word == "refuses":
            raise RuntimeError("no watch to be had")
        return Watch("blind") if word == "blind" else Spy(word)

    @happens.check
    def does_not(journal: Journal[str]):
        print("TRACE check")
        if journal.subject == "gives up":
            raise ValueError("no judgement")
        return [Breach("it did")] if journal.subject == "it" else []
"""


def test_a_negative_step_is_armed_before_the_first_when(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    """Wherever it stands among the Thens, and it is judged when all else is done."""
    pytester.makeconftest(NEGATIVE)
    goal(
        """
        Background:
          Given a start

        Scenario: x
          Given a start
          When it acts
          Then "harm" never happens
          And it is done
          When it acts
          Then it is done
        """,
        tier=2,
    )
    result = pytester.runpytest("scenarios", "-s")
    result.assert_outcomes(passed=1)
    assert trace(result) == [
        "given", "given", "arm", "when", "look", "then", "look", "when", "look", "then", "look",
        "look", "check", "close",
    ]  # fmt: skip


LATE = """
    import threading
    from goalkeeper import Breach, Watch, never, then, when

    SEEN = []

    class Seen(Watch):
        def look(self):
            self.count("look")
            self.entries = [*SEEN]

    @when("a thread acts a little later")
    def act():
        SEEN.append("begun")
        threading.Timer(0.05, SEEN.append, ["late"]).start()

    @then("it has begun")
    def begun(): assert SEEN

    @never("it is never late")
    def late(): return Seen("thread")

    @late.check
    def not_late(journal): return [Breach("it was late")] if "late" in journal.entries else []
"""


def test_a_window_is_waited_for_without_a_sandbox_too(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    pytester.makeconftest(LATE)
    steps = "When a thread acts a little later\n  Then it has begun\n  But it is never late\n"
    goal(f"@window:2s\nScenario: x\n  {steps}")
    result = pytester.runpytest("scenarios")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([">   But it is never late", "E     it was late"])


def test_invariants_are_asked_once(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    """It would not matter that they held before."""
    pytester.makeconftest(
        """
        from goalkeeper import then, when

        ASKED = []

        @when("it acts")
        def act(): pass

        @then("nobody has asked before")
        def nobody():
            ASKED.append(True)
            assert len(ASKED) == 1
        """
    )
    goal("@invariant\nScenario: x\n  When it acts\n  Then nobody has asked before\n", tier=1)
    pytester.runpytest("scenarios").assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("it", "E     it did"),
        ("blind", "E     this check looked at nothing, so it could not have failed"),
        ("refuses", "*RuntimeError: no watch to be had"),
        ("goes blind", "*OSError: the lens is gone"),
        ("gives up", "*ValueError: no judgement"),
    ],
)
def test_a_negative_step_fails(pytester: pytest.Pytester, goal: WriteGoal, word: str, message: str) -> None:
    pytester.makeconftest(NEGATIVE)
    goal(f'Scenario: x\n  When it acts\n  Then it is done\n  But "{word}" never happens\n')
    result = pytester.runpytest("scenarios")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f'>   But "{word}" never happens', message])
    assert "runner/execute" not in result.stdout.str()
    if word == "refuses":
        result.stdout.fnmatch_lines_random(
            ["*this negative step could not be armed", "*When it acts    (not run)"]
        )
    if word == "goes blind":
        result.stdout.fnmatch_lines(["*this negative step could not go on watching"])


def test_a_negative_step_without_a_check_is_refused(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    pytester.makeconftest(
        """
        from goalkeeper import Watch, never

        @never("it never happens")
        def happens(): return Watch("it")
        """
    )
    goal('Scenario: x\n  When I run "true"\n  Then it never happens\n')
    result = pytester.runpytest("scenarios")
    result.stdout.fnmatch_lines(
        ["scenarios/a.feature:5:10: no-check", "the negative step happens has no check*"]
    )


def test_plain_pytest_bdd_refuses_a_negative_step(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    """It would arm it and never judge: a pass that means nothing."""
    pytester.makeconftest(NEGATIVE)
    pytester.makeini("[pytest]\ngoal_files = *.goal.yaml\n")
    goal('Scenario: x\n  When it acts\n  Then "it" never happens\n')
    pytester.makepyfile(test_glue="from pytest_bdd import scenarios\nscenarios('scenarios')\n")
    result = pytester.runpytest()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*happens is a negative step, which only Goalkeeper can arm*"])


def test_a_tag_may_ask_for_fixtures_of_one_scenario_only(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    pytester.makeconftest("""
        import pytest
        from pytest_bdd import when

        @pytest.fixture
        def warm(): print("TRACE warmed up")

        @when("it runs")
        def runs(request): print("TRACE", request.node.name)

        def pytest_bdd_apply_tag(tag, function):
            if tag == "warm":
                pytest.mark.usefixtures("warm")(function)
                return True
    """)
    scenario = "Scenario: {0}\n  When it runs\n"
    goal(f"{scenario.format('a')}@warm\n{scenario.format('b')}{scenario.format('c')}")
    result = pytester.runpytest("scenarios", "-s")
    result.assert_outcomes(passed=3)
    assert trace(result) == ["a", "warmed up", "b", "c"]


REMEMBERING = """
    from goalkeeper import given, then, when
    from pytest_bdd import parsers
    from pytest_bdd import then as plain_then

    @given('the value "{name}" is')
    def value(names, name, docstring): names.remember(name, docstring)

    @when("it gets {n:int}, {t:duration} and {w}")
    def gets(n, t, w): print("TRACE", repr(n), repr(t), repr(w))

    @then('it has "{text}"')
    def has(text, datatable=(), docstring=""): print("TRACE", text, datatable, docstring)

    @plain_then(parsers.parse("plainly {text}"))
    def plainly(text): print("TRACE plainly", text)
"""


def test_remembered_values_are_put_in_and_converted(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    pytester.makeconftest(REMEMBERING)
    goal("""
        Scenario: x
          Given I remember "7" as "n"
          And I remember "2 min" as "t"
          And the value "q" is
            \"\"\"
            say \\"hi\\" for ${n}
            \"\"\"
          When it gets ${n}, ${t} and a${n}b
          Then it has "${q}, $${q}"
            | ${n} | n |
          And it has "text"
            \"\"\"
            ${t}
            \"\"\"
          And plainly ${n}
    """, tier=2)  # fmt: skip
    result = pytester.runpytest("scenarios", "-s")
    result.assert_outcomes(passed=1)
    assert trace(result) == [
        "7 120.0 'a7b'",
        r"say \"hi\" for 7, ${q} [['7', 'n']] ",
        "text () 2 min",
        "plainly 7",
    ]


def test_a_remembered_value_that_does_not_fit(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    pytester.makeconftest(REMEMBERING)
    goal("""
        Scenario: x
          Given I remember "soon" as "t"
          When it gets 1, ${t} and w
        Scenario: y
          When it gets 1, 5 s and ${nothing}
    """)
    result = pytester.runpytest("scenarios")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(
        [
            ">   When it gets 1, ${t} and w",
            'E     ${t}: "soon" can\'t stand here',
            ">   When it gets 1, 5 s and ${nothing}",
            'E     nothing is remembered as "nothing".',
        ]
    )


def test_each_scenario_remembers_for_itself(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    pytester.makeconftest(REMEMBERING)
    goal("""
        Scenario: x
          Given I remember "1" as "a"
          When it gets 1, 5 s and ${a}
        Scenario: y
          When it gets 1, 5 s and ${a}
    """)
    result = pytester.runpytest("scenarios")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(['E     nothing is remembered as "a".'])
