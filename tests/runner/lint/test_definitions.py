"""Step definitions read from the text of Python files: what is understood, and what is left to pytest."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from goalkeeper.runner.lint.definitions import ReadModule, ReadStep, read_module


def read(folder: Path, text: str, name: str = "conftest.py") -> ReadModule:
    path = folder / name
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    return read_module(path)


def only(folder: Path, text: str) -> ReadStep:
    module = read(folder, text)
    assert module.unread == []
    (step,) = module.steps
    return step


@pytest.mark.parametrize(
    ("imports", "decorator"),
    [
        ("from pytest_bdd import when", 'when("it acts")'),
        ("from pytest_bdd import when as w", 'w("it acts")'),
        ("import pytest_bdd", 'pytest_bdd.when("it acts")'),
        ("import pytest_bdd as x", 'x.when("it acts")'),
        ("import pytest_bdd.steps", 'pytest_bdd.steps.when("it acts")'),
        ("from pytest_bdd import *", 'when("it acts")'),
        ("from pytest_bdd import when", 'when(name="it acts")'),
        ("from pytest_bdd import step", 'step("it acts", "when")'),
        ("from pytest_bdd import step", 'step("it acts", type_="when", target_fixture="x")'),
        ("from pytest_bdd import when, parsers", 'when(parsers.string("it acts"))'),
        ("from pytest_bdd import when, parsers as p", 'when(p.parse("it acts"), converters={"a": int})'),
        ("from pytest_bdd import when\nfrom pytest_bdd.parsers import re", 'when(re("it acts"))'),
        ("import pytest_bdd as x", 'x.when(x.parsers.cfparse("it acts"))'),
        ("from pytest_bdd import *", 'when(parsers.parse("it acts"))'),
        ("from goalkeeper import when", 'when("it acts")'),
        ("from goalkeeper import when", 'when(wording="it acts", target_fixture="x")'),
        ("import goalkeeper", 'goalkeeper.when("it acts")'),
        ("from goalkeeper import step", 'step("it acts", kind="when")'),
        ("from goalkeeper.runner.define import when", 'when("it acts")'),
        ("from pytest_bdd import when\nTEXT = 'it acts'", "when(TEXT)"),
        ("from pytest_bdd import when\nTEXT: str = 'it ' 'acts'", "when(TEXT)"),
        ("try:\n    from pytest_bdd import when\nexcept ImportError:\n    raise", 'when("it acts")'),
    ],
)
def test_every_form_of_decorator_and_parser(tmp_path: Path, imports: str, decorator: str) -> None:
    step = only(tmp_path, f"{imports}\n\n@{decorator}\ndef act(): ...\n")
    assert (step.kind, step.wording, step.negative) == ("when", "it acts", None)
    assert step.match("it acts") == {}
    assert step.match("it acts up") is None
    assert "it acts".startswith(step.prefix)


@pytest.mark.parametrize(
    ("word", "kind"), [("given", "given"), ("when", "when"), ("then", "then"), ("step", None)]
)
def test_kinds(tmp_path: Path, word: str, kind: str | None) -> None:
    step = only(tmp_path, f"from goalkeeper import {word}\n\n@{word}('x')\nasync def act(): ...\n")
    assert (step.kind, step.strict) == (kind, True)


@pytest.mark.parametrize(
    ("parser", "text", "arguments"),
    [
        ('parsers.parse("it has {n:d} legs")', "it has 4 legs", {"n": 4}),
        ('parsers.cfparse("it has {n:d} legs")', "it has 4 legs", {"n": 4}),
        ('parsers.re(r"it has (?P<n>\\d+) legs?")', "it has 4 legs", {"n": "4"}),
        ('"it has {n:d} legs"', "it has {n:d} legs", {}),
    ],
)
def test_the_arguments_that_a_parser_finds(
    tmp_path: Path, parser: str, text: str, arguments: dict[str, object]
) -> None:
    step = only(tmp_path, f"from pytest_bdd import given, parsers\n\n@given({parser})\ndef legs(): ...\n")
    assert step.match(text) == arguments
    assert step.match("it has no legs") is None
    assert text.startswith(step.prefix)
    assert not step.strict


@pytest.mark.parametrize("kind", ["parse", "cfparse"])
def test_a_number_that_python_does_not_convert_matches_nothing(tmp_path: Path, kind: str) -> None:
    text = f"from pytest_bdd import given, parsers\n\n@given(parsers.{kind}('a {{n:d}}'))\ndef a(): ...\n"
    assert only(tmp_path, text).match("a " + "1" * 5000) is None


def test_our_wordings(tmp_path: Path) -> None:
    step = only(tmp_path, "from goalkeeper import when\n\n@when('I run \"{c}\" {n:int} times')\ndef r(): ...")
    assert step.match('I run "a \\" b" 2 times') == {"c": 'a " b', "n": 2}
    assert step.prefix == 'i run "'
    assert step.skeleton == 'I run ""  times'


def test_the_signature(tmp_path: Path) -> None:
    function = "@when('x')\n@when('y')\ndef act(a, docstring, b=1, *, c, d=2): ...\n"
    text = f"from goalkeeper import when\n\n\n{function}"
    module = read(tmp_path, text)
    assert [step.wording for step in module.steps] == ["x", "y"]
    for step in module.steps:
        assert step.required == ("a", "docstring")
        assert step.parameters == {"a", "docstring", "b", "c", "d"}
        assert step.place(tmp_path) == "conftest.py:4"
        assert step.origin(tmp_path) == "conftest.py:4"
        assert step.place(tmp_path / "elsewhere") == f"{tmp_path}/conftest.py:4"


@pytest.mark.parametrize(
    ("check", "complete"),
    [
        ("@arms.check\ndef judge(j): ...", True),
        ("arms.check(print)", True),
        ("", False),
        ("check = 1", False),
    ],
)
def test_a_negative_step_and_its_check(tmp_path: Path, check: str, complete: bool) -> None:
    text = f"from goalkeeper import never\n\n@never('it never acts')\ndef arms(): ...\n\n{check}\n"
    step = only(tmp_path, text)
    assert step.negative is not None
    assert (step.kind, step.negative.name, step.negative.is_complete) == ("then", "arms", complete)


@pytest.mark.parametrize(
    "text",
    [
        'N = 1\n@given(f"it {N}")\ndef a(): ...',
        '@given("a" + "b")\ndef a(): ...',
        "@given(WORDING)\ndef a(): ...",
        "@given(*WORDINGS)\ndef a(): ...",
        "@given()\ndef a(): ...",
        'A = "x"\nA = "y"\n@given(A)\ndef a(): ...',
        'A = "x"\nA += "y"\n@given(A)\ndef a(): ...',
        '@given(parsers.parse("{a:Word}", extra_types={}))\ndef a(): ...',
        '@given(parsers.parse("{a} {a:zz}"))\ndef a(): ...',
        '@given(parsers.re("("))\ndef a(): ...',
        '@given(parsers.mine("x"))\ndef a(): ...',
        '@given(mine("x"))\ndef a(): ...',
        'given("x")(print)',
        'g = given\n@g("x")\ndef a(): ...',
        'def mine(text):\n    return given(text)\n@mine("x")\ndef a(): ...',
        'class Steps:\n    @given("x")\n    def a(self): ...',
        'def register():\n    @given("x")\n    def a(): ...\nregister()',
        'for n in "ab":\n    register(given, n)',
        'from mylib import my_given\n@my_given("it is so")\ndef a(): ...',
        'import mylib\n@mylib.steps.given(parsers.parse("it is so"))\ndef a(): ...',
        '@ours("{a} and {a}")\ndef a(): ...',
    ],
)
def test_what_only_running_it_could_tell_is_not_read(tmp_path: Path, text: str) -> None:
    head = "from pytest_bdd import given, parsers\nfrom goalkeeper import given as ours\n"
    module = read(tmp_path, head + text)
    assert module.steps == []
    assert module.unread
    assert all(3 <= line <= text.count("\n") + 3 for line in module.unread)


@pytest.mark.parametrize(
    "text",
    [
        "import pytest\n@pytest.fixture(name='given')\ndef x(): ...",
        "from unittest.mock import patch\n@patch('a.b')\ndef x(): ...",
        "from hypothesis import given, strategies as st\n@given(st.text())\ndef test_x(text): ...",
        "def given(text): return print\n@given('x')\ndef a(): ...",
        "from behave import given",
        "from pytest_bdd import scenario, parsers\n@scenario('a.feature', 'b')\ndef test(): ...",
        "from goalkeeper import Watch, Breach",
        "then = 1\nprint(then)",
        "from functools import wraps\n@wraps(print)\ndef x(): ...\n@x.violation('gross')\ndef y(): ...",
    ],
)
def test_what_has_nothing_to_do_with_steps(tmp_path: Path, text: str) -> None:
    assert read(tmp_path, text) == ReadModule()


@pytest.mark.parametrize(
    "data", [b"def (", b"\xff\xfe", b"x = '\0'", b"(" * 5000, b"x = " + b"-" * 200_000 + b"1"]
)
def test_a_file_that_is_no_python_is_not_read(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "conftest.py"
    path.write_bytes(data)
    assert read_module(path) == ReadModule(unread=[1])


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    assert read_module(tmp_path / "conftest.py") == ReadModule(unread=[1])


def test_a_text_that_python_warns_of_is_read_in_silence(tmp_path: Path) -> None:
    step = only(
        tmp_path, 'from pytest_bdd import given, parsers\n@given(parsers.re("a (?P<n>\\d+)"))\ndef a(): ...'
    )
    assert step.match("a 12") == {"n": "12"}


@pytest.mark.parametrize(
    ("statement", "plugins", "unread"),
    [
        ('pytest_plugins = "a.b"', ["a.b"], False),
        ('pytest_plugins = ["a", "b"]', ["a", "b"], False),
        ('pytest_plugins: tuple[str, ...] = ("a",)', ["a"], False),
        ('pytest_plugins = []\npytest_plugins += ["c"]', ["c"], False),
        ("pytest_plugins = [name for name in names]", [], True),
        ("pytest_plugins = None", [], True),
        ("pytest_plugins = 5", [], True),
    ],
)
def test_named_plugins(tmp_path: Path, statement: str, plugins: list[str], unread: bool) -> None:
    module = read(tmp_path, statement)
    assert (module.plugins, bool(module.unread)) == (plugins, unread)


def test_nothing_is_imported_or_run(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    text = f"""
        import pathlib
        import a_module_that_is_not_installed
        pathlib.Path({str(trace)!r}).write_text("ran")
        from goalkeeper import given
        raise SystemExit("run")
        @given("x")
        def a(): ...
        """
    assert [step.wording for step in read(tmp_path, text).steps] == ["x"]
    assert not trace.exists()
