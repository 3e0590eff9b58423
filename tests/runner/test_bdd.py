"""Everything of pytest-bdd and pytest that is not published and that Goalkeeper leans on.

A failure here after an upgrade names what moved; `runner/bdd.py` and `runner/mirror.py` are where to follow.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from pkgutil import resolve_name
from types import ModuleType
from typing import Any

import pytest
import pytest_bdd.plugin
from pytest_bdd import cucumber_json, reporting

from goalkeeper.runner import bdd

WriteGoal = Callable[..., Path]

SIGNATURES = {
    "pytest_bdd:given": "name converters= target_fixture= stacklevel=",
    "pytest_bdd:when": "name converters= target_fixture= stacklevel=",
    "pytest_bdd:then": "name converters= target_fixture= stacklevel=",
    "pytest_bdd:step": "name type_= converters= target_fixture= stacklevel=",
    "pytest_bdd.steps:StepFunctionContext": "type step_func parser converters= target_fixture=",
    "pytest_bdd.parsers:StepParser.is_matching": "self name",
    "pytest_bdd.parsers:StepParser.parse_arguments": "self name",
    "pytest_bdd.compat:inject_fixture": "request arg value",
    "pytest_bdd.reporting:ReportContext": "scenario name",
    "pytest_bdd.reporting:StepReport": "step",
    "pytest_bdd.reporting:ScenarioReport": "scenario",
    "pytest_bdd.reporting:ScenarioReport.add_step_report": "self step_report",
    "pytest_bdd.reporting:ScenarioReport.fail": "self",
    "pytest_bdd.reporting:ScenarioReport.serialize": "self",
    "pytest_bdd.cucumber_json:LogBDDCucumberJSON": "logfile",
    "pytest_bdd.cucumber_json:LogBDDCucumberJSON._get_result": "self step report error_message=",
    "pytest_bdd.parser:Feature": (
        "scenarios filename rel_filename language keyword name tags background line_number description"
    ),
    "pytest_bdd.parser:Rule": "keyword name description tags background=",
    "pytest_bdd.parser:Background": "line_number",
    "pytest_bdd.parser:Background.add_step": "self step",
    "pytest_bdd.parser:ScenarioTemplate": (
        "feature keyword name line_number templated description tags= examples= rule="
    ),
    "pytest_bdd.parser:ScenarioTemplate.add_step": "self step",
    "pytest_bdd.parser:Scenario": "feature keyword name line_number steps description tags= rule=",
    "pytest_bdd.parser:Step": "name type indent line_number keyword datatable= docstring=",
    "pytest_bdd.parser:Examples": "line_number= name= example_params= examples= tags=",
    "pytest_bdd.parser:Examples.set_param_names": "self keys",
    "pytest_bdd.parser:Examples.add_example": "self values",
    "pytest_bdd.gherkin_parser:Location": "column line",
    "pytest_bdd.gherkin_parser:Cell": "location value",
    "pytest_bdd.gherkin_parser:Row": "id location cells",
    "pytest_bdd.gherkin_parser:DataTable": "location rows",
    "pytest_bdd.hooks:pytest_bdd_before_scenario": "request feature scenario",
    "pytest_bdd.hooks:pytest_bdd_after_scenario": "request feature scenario",
    "pytest_bdd.hooks:pytest_bdd_before_step": "request feature scenario step step_func",
    "pytest_bdd.hooks:pytest_bdd_before_step_call": "request feature scenario step step_func step_func_args",
    "pytest_bdd.hooks:pytest_bdd_after_step": "request feature scenario step step_func step_func_args",
    "pytest_bdd.hooks:pytest_bdd_step_error": (
        "request feature scenario step step_func step_func_args exception"
    ),
    "pytest_bdd.hooks:pytest_bdd_apply_tag": "tag function",
}


@pytest.mark.parametrize("name", SIGNATURES)
def test_signature(name: str) -> None:
    try:
        found = resolve_name(name)
    except (ImportError, AttributeError):
        pytest.fail(f"{name} is gone")
    parameters = inspect.signature(found).parameters.values()
    actual = " ".join(p.name + ("" if p.default is p.empty else "=") for p in parameters)
    assert actual == SIGNATURES[name], f"{name} takes other arguments than before"


def test_step_report_data() -> None:
    """Plugins read these keys; `mirror.py` and `outcome.py` write them."""
    keys = {
        "FeatureDict": "keyword name filename rel_filename language line_number description tags",
        "RuleDict": "keyword name description tags",
        "StepReportDict": "name type keyword line_number failed duration",
        "ScenarioReportDict": "steps keyword name line_number tags feature description rule failed",
    }
    for name, expected in keys.items():
        found = set(getattr(reporting, name).__annotations__)
        assert found == set(expected.split()), f"pytest_bdd.reporting.{name} has other keys than before"


def test_our_report_answers_for_all_that_pytest_bdds_does() -> None:
    public = {name for name in vars(reporting.ScenarioReport) if not name.startswith("_")}
    assert public == {"current_step_report", "add_step_report", "serialize", "fail"}
    assert public <= set(vars(bdd.Report)), "bdd.Report must override it: its own state is not pytest-bdd's"


def test_pytest_bdd_keeps_its_report_by_these_hooks_alone() -> None:
    """`Hooks` leaves pytest-bdd's own listeners out, because `Report` does what these are for."""
    own = {name for name in vars(pytest_bdd.plugin) if name.startswith("pytest_bdd_")}
    assert own - {"pytest_bdd_apply_tag"} == {
        "pytest_bdd_before_scenario",
        "pytest_bdd_before_step",
        "pytest_bdd_after_step",
        "pytest_bdd_step_error",
    }


DECORATED = """
import pytest_bdd
from goalkeeper import given, never, step, then, when, Watch
from pytest_bdd import parsers

@pytest_bdd.given("a string")
@pytest_bdd.given("another string")
def one(): ...

@pytest_bdd.when(parsers.parse("a parse {x}"), target_fixture="y", converters={"x": int})
def two(x): ...

@pytest_bdd.then(parsers.re("a regex"))
def three(): ...

@pytest_bdd.step("any kind")
def four(): ...

@given("our given")
@when("our when", target_fixture="z")
@then("our then")
@step("our step")
def five(): ...

@never("our never")
def six() -> Watch: ...
"""


def module_of(code: str) -> ModuleType:
    module = ModuleType("decorated")
    exec(code, vars(module))
    return module


def test_contexts_are_found_where_the_decorators_leave_them() -> None:
    module = module_of(DECORATED)
    found = {(context.type, context.parser.name) for context in bdd.contexts_in(module)}
    assert found == {
        ("given", "a string"),
        ("given", "another string"),
        ("when", "a parse {x}"),
        ("then", "a regex"),
        (None, "any kind"),
        ("given", "our given"),
        ("when", "our when"),
        ("then", "our then"),
        (None, "our step"),
        ("then", "our never"),
    }, "bdd.contexts_in no longer sees what pytest-bdd's decorators leave behind"
    [parse] = [context for context in bdd.contexts_in(module) if context.parser.name == "a parse {x}"]
    assert parse.step_func is vars(module)["two"]
    assert (parse.target_fixture, parse.converters) == ("y", {"x": int})


def test_contexts_follow_an_import_and_a_plugin_object() -> None:
    class Plugin:
        @staticmethod
        @pytest_bdd.given("of a class")
        def step() -> None: ...

    plugin: Any = Plugin()
    assert [context.parser.name for context in bdd.contexts_in(plugin)] == ["of a class"]
    importing = ModuleType("importing")
    vars(importing).update(vars(module_of(DECORATED)))
    assert len([*bdd.contexts_in(importing)]) == 10
    assert [*bdd.contexts_in(ModuleType("empty"))] == []


def test_makereport_asks_our_registry_entry(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        """
        from goalkeeper.runner import bdd

        def pytest_runtest_call(item):
            bdd.start_report(item, "shown", lambda: {"told": item.name, "steps": []})

        def pytest_runtest_logreport(report):
            print("TRACE", report.when, bdd.report_of(report))
        """
    )
    pytester.makepyfile("def test_it(): pass")
    result = pytester.runpytest("-s")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*TRACE setup None", "*TRACE call {'told': 'test_it', 'steps': [[][]]}*"])


def test_a_restored_report_is_found_by_pytest_bdds_reporters() -> None:
    report = pytest.TestReport("a::b", ("a", 0, "b"), {}, "passed", None, "call")
    assert bdd.report_of(report) is None
    bdd.restore_report(report, {"steps": []}, "b")
    assert bdd.report_of(report) == {"steps": []}
    assert reporting.test_report_context_registry[report].name == "b"


def test_cucumber_writer_is_replaced_where_one_is_asked_for(pytester: pytest.Pytester) -> None:
    config = pytester.parseconfigure("--cucumberjson=report.json")
    theirs = getattr(config, "_bddcucumberjson", None)
    assert type(theirs) is cucumber_json.LogBDDCucumberJSON, (
        "config._bddcucumberjson no longer holds pytest-bdd's writer"
    )
    assert theirs.logfile == str(pytester.path / "report.json")
    bdd.replace_cucumber_json(config)
    ours = getattr(config, "_bddcucumberjson", None)
    assert isinstance(ours, bdd.CucumberJson)
    assert ours.logfile == theirs.logfile
    assert config.pluginmanager.is_registered(ours)
    assert not config.pluginmanager.is_registered(theirs)
    cucumber_json.unconfigure(config)
    assert not config.pluginmanager.is_registered(ours), "pytest-bdd no longer cleans its writer up"


def test_no_cucumber_writer_where_none_is_asked_for(pytester: pytest.Pytester) -> None:
    config = pytester.parseconfigure()
    bdd.replace_cucumber_json(config)
    assert not hasattr(config, "_bddcucumberjson")


def test_a_pytest_bdd_step_keeps_pytest_bdds_result() -> None:
    """A suite may bind other features with pytest-bdd itself; their steps have no status of their own."""
    report = pytest.TestReport("a::b", ("a", 0, "b"), {}, "passed", None, "call")
    step = {"name": "x", "failed": False, "duration": 0.5}
    result = bdd.CucumberJson("unused.json")._get_result(step, report)
    assert result == {"status": "passed", "duration": 500_000_000}


def test_inject_fixture(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest
        from goalkeeper.runner.bdd import inject_fixture

        @pytest.fixture
        def known(): return "old"

        def test_it(request):
            inject_fixture(request, "fresh", 1)
            assert request.getfixturevalue("fresh") == 1
            inject_fixture(request, "fresh", 2)
            assert request.getfixturevalue("fresh") == 2
            inject_fixture(request, "known", "new")
            assert request.getfixturevalue("known") == "new"

        def test_gone(request, known):
            assert known == "old"
            with pytest.raises(pytest.FixtureLookupError):
                request.getfixturevalue("fresh")
        """
    )
    pytester.runpytest("-p", "no:randomly").assert_outcomes(passed=2)


SHARING = """
    import pytest
    from pytest_bdd import given, then, when

    def pytest_bdd_apply_tag(tag, function):
        if tag == "noted":
            pytest.mark.usefixtures("noted")(function)
            return True

    @pytest.fixture
    def noted(): print("TRACE noted")

    @given("a number", target_fixture="number")
    def number(): return 1

    @when("it acts", target_fixture="acted")
    def act(): return True

    @then("there is a number")
    def there(acted, number): assert number == 1
"""


def test_scenarios_of_a_file_share_what_pytest_knows_of_fixtures_but_no_values(
    pytester: pytest.Pytester, goal: WriteGoal
) -> None:
    pytester.makeconftest(SHARING)
    goal(
        """
        Scenario: has one
          Given a number
          When it acts
          Then there is a number
        @noted
        Scenario: is noted
          When it acts
        Scenario: has none
          When it acts
          Then there is a number
        """
    )
    items, _ = pytester.inline_genitems("scenarios")
    known = [bdd.fixtures_of(item) for item in items if isinstance(item, pytest.Function)]
    assert known[0] is known[2], "pytest.Function no longer takes the fixtureinfo that it is given"
    assert ["noted" in info.names_closure for info in known] == [False, True, False]
    result = pytester.runpytest("scenarios", "-s")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*FAILED scenarios/a.feature::has none - *"])
    assert result.stdout.str().count("TRACE noted") == 1


@pytest.fixture
def marks(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The names that `pytest.mark` takes for known, empty for one test."""
    known = vars(pytest.mark).get("_markers")
    assert isinstance(known, set), "pytest.mark no longer keeps the names it knows in _markers"
    fresh: set[str] = set()
    monkeypatch.setattr(pytest.mark, "_markers", fresh)
    return fresh


def test_pytest_trusts_the_set_of_marks(pytester: pytest.Pytester, marks: set[str]) -> None:
    pytester.parseconfigure("--strict-markers")
    with pytest.raises(pytest.fail.Exception, match=r"'G9\.9' not found"):
        getattr(pytest.mark, "G9.9")
    marks.add("G9.9")
    assert getattr(pytest.mark, "G9.9").name == "G9.9"


@pytest.mark.usefixtures("marks")
def test_a_registered_mark_passes_strict_markers_in_each_config(pytester: pytest.Pytester) -> None:
    first, second = (pytester.parseconfigure("--strict-markers") for _ in range(2))
    bdd.register_mark(first, "G9.9", "goal")
    bdd.register_mark(first, "G9.9", "goal")
    assert getattr(pytest.mark, "G9.9").name == "G9.9"
    assert first.getini("markers").count("G9.9: goal") == 1
    assert "G9.9: goal" not in second.getini("markers")
    bdd.register_mark(second, "G9.9", "goal")
    assert "G9.9: goal" in second.getini("markers")


class StepErrors:
    def pytest_bdd_step_error(self, exception: Exception) -> None: ...


def test_hooks_are_called_only_where_another_listens(pytester: pytest.Pytester) -> None:
    config = pytester.parseconfigure()
    hooks = bdd.Hooks(config)
    assert not hooks.any
    assert {hooks.before_scenario, hooks.before_step, hooks.after_step, hooks.step_error} == {None}
    config.pluginmanager.register(StepErrors())
    listened = bdd.Hooks(config)
    assert listened.any
    assert listened.step_error is config.hook.pytest_bdd_step_error
    assert {listened.before_scenario, listened.before_step, listened.before_step_call} == {None}
    assert {listened.after_step, listened.after_scenario} == {None}
