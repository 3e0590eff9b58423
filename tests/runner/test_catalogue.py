"""The catalogue of steps, on a library made for it and on our own."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

import pytest

from goalkeeper.runner import catalogue
from goalkeeper.runner.catalogue import Entry
from goalkeeper.runner.library import Library

LIBRARY = '''
    """Kitchen work.

    For cooks.
    """

    from pytest_bdd import given as plain_given

    from goalkeeper import Watch, given, never, step, then, when

    @when('I cook "{dish}"')
    @given('"{dish}" is cooked')
    def cook(dish, datatable):
        """Cook a dish.

        The table lists what goes into it.
        """

    @then("it tastes good")
    @then("it is as told")
    @when("it tastes good")
    def good(docstring): pass

    @step("time passes")
    def pause(): "Wait for a while, without doing anything else."

    @plain_given("a plain kitchen")
    def kitchen(): "Written with pytest-bdd's own decorator."

    @never('"{dish}" never burns')
    def burns(dish):
        """Watches the oven."""
        return Watch(dish)

    @burns.check
    def not_burnt(journal): return []
'''


@pytest.fixture
def kitchen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    """A library of another package, as the only one that is installed."""
    (tmp_path / "kitchen_steps.py").write_text(textwrap.dedent(LIBRARY))
    monkeypatch.syspath_prepend(tmp_path)
    # Undoing these two removes what the test imports, so that each test imports its own file.
    monkeypatch.setitem(sys.modules, "kitchen_steps", sys)
    monkeypatch.delitem(sys.modules, "kitchen_steps")
    library = Library("kitchen", "kitchen_steps")
    monkeypatch.setattr(catalogue, "libraries", lambda: [library])
    return library


def test_entries_stand_in_the_order_in_which_they_were_written(kitchen: Library) -> None:
    entries = catalogue.entries_of(kitchen)
    assert catalogue.catalogue() == entries
    assert [(entry.kinds, entry.wording) for entry in entries] == [
        (("when",), 'I cook "{dish}"'),
        (("given",), '"{dish}" is cooked'),
        (("when", "then"), "it tastes good"),
        (("then",), "it is as told"),
        (("step",), "time passes"),
        (("given",), "a plain kitchen"),
        (("never",), '"{dish}" never burns'),
    ]


def test_what_an_entry_tells(kitchen: Library) -> None:
    cook = catalogue.entries_of(kitchen)[0]
    assert cook == Entry(
        library="kitchen",
        wording='I cook "{dish}"',
        kinds=("when",),
        takes=("table",),
        documentation="Cook a dish.\n\nThe table lists what goes into it.",
    )
    assert cook.summary == "Cook a dish."
    assert cook.data()["takes"] == ("table",)


def test_a_step_without_documentation(kitchen: Library) -> None:
    good = catalogue.entries_of(kitchen)[2]
    assert (good.documentation, good.summary, good.takes) == ("", "", ("docstring",))


def test_a_negative_step_tells_of_its_arming(kitchen: Library) -> None:
    assert catalogue.entries_of(kitchen)[-1].documentation == "Watches the oven."


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ([], 7),
        (["kitchen"], 7),
        (["kitchen", "kitchen"], 7),
        (["kitchen", "never"], 1),
        (["KITCHEN"], 7),
        (["never"], 1),
        (["table", "lists"], 2),
        (["good", "when"], 1),
        (["I cook", "dish"], 1),
        (["goes", "nowhere"], 0),
        (["other"], 0),
    ],
)
def test_searching(kitchen: Library, words: list[str], found: int) -> None:
    assert len(catalogue.search(catalogue.entries_of(kitchen), words)) == found


def test_a_first_word_that_names_a_library_means_only_that() -> None:
    files = Entry("files", "a wording", ("given",), (), "")
    cli = Entry("cli", "reads files", ("given",), (), "")
    assert catalogue.search([cli, files], ["files"]) == [files]
    assert catalogue.search([cli, files], ["reads", "files"]) == [cli]
    assert catalogue.search([cli], ["files"]) == [cli]


def test_markdown(kitchen: Library) -> None:
    text = catalogue.markdown(catalogue.entries_of(kitchen))
    assert text.startswith(
        "# steps/kitchen\n\nKitchen work.\n\nFor cooks.\n\n"
        '**When** `I cook "{dish}"` + table\n\nCook a dish.\n\nThe table lists what goes into it.\n\n'
    )
    assert "**When, Then** `it tastes good` + docstring\n\n" in text
    told = '**Never** `"{dish}" never burns`\n\nWatches the oven.\n\n*no violation: its goals are unproven*\n'
    assert text.endswith(told)


def test_every_step_of_ours_is_documented_and_distinct() -> None:
    entries = catalogue.catalogue()
    assert [entry.wording for entry in entries if not entry.documentation] == []
    meant = [(kind, entry.wording) for entry in entries for kind in entry.kinds]
    assert len({*meant}) == len(meant)
