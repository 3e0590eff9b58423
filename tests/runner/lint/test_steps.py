"""Which steps a goal file may use, found without importing any: libraries, plugins, conftest.py files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from goalkeeper.runner.binding import BoundStep
from goalkeeper.runner.goal import Kind, Step
from goalkeeper.runner.library import Definition, definitions_in, libraries
from goalkeeper.runner.lint.definitions import ReadStep, read_module
from goalkeeper.runner.lint.steps import StepReader, find_module
from goalkeeper.runner.problem import Problem

LIBRARIES = {library.name: library for library in libraries()}
# Libraries that set a scene and judge nothing that could go wrong meanwhile.
WITHOUT_NEGATIVE = {"clock", "remember"}
HEAD = "from goalkeeper import given, when, then\n"


def write(root: Path, name: str, text: str = "", *wordings: str) -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    steps = "".join(f"\n@when({wording!r})\ndef step_{n}(): ...\n" for n, wording in enumerate(wordings))
    path.write_text(f"{HEAD}{text}{steps}", encoding="utf-8")
    return path


def bind(reader: StepReader, directory: Path, text: str, kind: Kind = "when") -> str:
    """Where the definition lies that a step means, or the rule it breaks."""
    found = reader.binder(directory).bind(Step(kind, text))
    if isinstance(found, Problem):
        return found.rule
    assert isinstance(found, BoundStep)
    return found.definition.origin(directory)


def as_imported(definition: Definition) -> tuple[Any, ...]:
    negative = definition.negative
    return (
        definition.kind,
        definition.wording,
        definition.prefix,
        definition.strict,
        definition.required,
        {*definition.parameters},
        None if negative is None else (negative.name, negative.is_complete),
        definition.location,
        definition.library,
    )


def as_read(step: ReadStep) -> tuple[Any, ...]:
    negative = step.negative
    return (
        step.kind,
        step.wording,
        step.prefix,
        step.strict,
        step.required,
        {*step.parameters},
        None if negative is None else (negative.name, negative.is_complete),
        (str(step.path), step.line),
        step.library,
    )


def test_there_are_libraries_to_compare() -> None:
    assert {"cli", "files"} <= LIBRARIES.keys()


@pytest.mark.parametrize("name", sorted(LIBRARIES))
def test_a_library_read_as_text_is_the_library_that_is_imported(name: str) -> None:
    library = LIBRARIES[name]
    steps = []
    for part in library.parts():
        path = find_module(part.__name__)
        assert path is not None
        module = read_module(path, part.__name__, name)
        assert module.unread == []
        steps += module.steps
    imported = [step for part in library.parts() for step in definitions_in(part, name)]
    assert sorted(map(as_read, steps), key=str) == sorted(map(as_imported, imported), key=str)
    assert any(step.negative for step in steps) == (name not in WITHOUT_NEGATIVE)


def test_the_installed_libraries_are_there_without_a_conftest(tmp_path: Path) -> None:
    reader = StepReader(tmp_path)
    assert bind(reader, tmp_path, 'I run "x"') == "steps/cli"
    assert bind(reader, tmp_path, "the exit code is 0", "then") == "steps/cli"
    assert bind(reader, tmp_path, "the exit code is 0", "given") == "wrong-kind"
    assert bind(reader, tmp_path, "it flies") == "unknown-step"
    assert reader.unread(tmp_path) == []


def test_the_nearest_conftest_decides(tmp_path: Path) -> None:
    write(tmp_path, "conftest.py", "", "it acts", "it rests")
    write(tmp_path, "a/conftest.py", "", "it acts", 'I run "x"')
    reader = StepReader(tmp_path)
    deep = tmp_path / "a" / "b"
    assert bind(reader, deep, "it acts") == f"{tmp_path}/a/conftest.py:3"
    assert bind(reader, deep, 'I run "x"') == f"{tmp_path}/a/conftest.py:6"
    assert bind(reader, deep, "it rests") == f"{tmp_path}/conftest.py:6"
    assert bind(reader, tmp_path / "c", "it acts") == f"{tmp_path}/conftest.py:3"
    assert bind(reader, tmp_path / "c", 'I run "x"') == "steps/cli"


def test_two_in_one_conftest_are_ambiguous(tmp_path: Path) -> None:
    write(tmp_path, "conftest.py", "", "it acts", "it acts")
    assert bind(StepReader(tmp_path), tmp_path, "it acts") == "ambiguous-step"


def test_what_lies_above_the_project_does_not_count(tmp_path: Path) -> None:
    write(tmp_path, "conftest.py", "", "it acts")
    root = tmp_path / "project"
    assert bind(StepReader(root), root / "scenarios", "it acts") == "unknown-step"


def test_a_file_outside_of_the_project_has_the_conftests_above_it(tmp_path: Path) -> None:
    write(tmp_path, "other/conftest.py", "", "it acts")
    reader = StepReader(tmp_path / "project")
    assert bind(reader, tmp_path / "other" / "scenarios", "it acts") == f"{tmp_path}/other/conftest.py:3"


def test_what_is_unread_is_told_where_it_matters(tmp_path: Path) -> None:
    write(tmp_path, "a/conftest.py", "given(f'{1}')\n")
    (tmp_path / "b").mkdir()
    (tmp_path / "b/conftest.py").write_text("def (")
    reader = StepReader(tmp_path)
    assert reader.unread(tmp_path) == []
    assert reader.unread(tmp_path / "a") == ["a/conftest.py:2"]
    assert reader.unread(tmp_path / "a" / "deep") == ["a/conftest.py:2"]
    assert reader.unread(tmp_path / "b") == ["b/conftest.py:1"]


@pytest.mark.parametrize("conftest", ["conftest.py", "scenarios/conftest.py"])
@pytest.mark.parametrize("plugin", ["shop_steps.py", "src/shop_steps/__init__.py"])
def test_a_plugin_of_the_project_that_a_conftest_names(tmp_path: Path, conftest: str, plugin: str) -> None:
    write(tmp_path, conftest, 'pytest_plugins = ["shop_steps"]\n')
    path = write(tmp_path, plugin, 'pytest_plugins = "shop_more.deep"\n', "it acts")
    more = write(tmp_path, "shop_more/deep.py", "", "it rests")
    reader = StepReader(tmp_path)
    assert bind(reader, tmp_path / "scenarios", "it acts") == f"{path}:4"
    assert bind(reader, tmp_path / "scenarios", "it rests") == f"{more}:3"
    assert reader.unread(tmp_path / "scenarios") == []


def test_a_plugin_that_nobody_finds_is_left_to_pytest(tmp_path: Path) -> None:
    write(tmp_path, "conftest.py", 'pytest_plugins = ["no_such_module.at_all"]\n')
    assert StepReader(tmp_path).unread(tmp_path) == ["no_such_module.at_all:1"]


@pytest.mark.parametrize("name", ["pytester", "xdist"])
def test_a_plugin_without_steps_leaves_nothing_unread(tmp_path: Path, name: str) -> None:
    write(tmp_path, "conftest.py", f'pytest_plugins = ["{name}"]\n')
    assert StepReader(tmp_path).unread(tmp_path) == []


def test_plugins_that_name_each_other(tmp_path: Path) -> None:
    write(tmp_path, "conftest.py", 'pytest_plugins = ["shop_a"]\n')
    write(tmp_path, "shop_a.py", 'pytest_plugins = ["shop_b"]\n', "it acts")
    write(tmp_path, "shop_b.py", 'pytest_plugins = ["shop_a"]\n', "it rests")
    reader = StepReader(tmp_path)
    assert bind(reader, tmp_path, "it acts") == "shop_a.py:4"
    assert bind(reader, tmp_path, "it rests") == "shop_b.py:4"


@pytest.mark.parametrize("name", ["", ".", "sys", "no.such.module", "a b", "__main__", "json.nothing"])
def test_names_of_modules_that_have_no_file(name: str, tmp_path: Path) -> None:
    found = find_module(name, tmp_path)
    assert found is None or not found.is_file()


def test_a_module_of_the_project_goes_before_an_installed_one(tmp_path: Path) -> None:
    path = write(tmp_path, "json/decoder.py")
    assert find_module("json.decoder", tmp_path) == path
    installed = find_module("json.decoder")
    assert installed is not None
    assert installed != path
