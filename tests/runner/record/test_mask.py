"""Which variables look like secrets, and what becomes of their values."""

from __future__ import annotations

from pathlib import Path

import pytest

from goalkeeper.runner.record.mask import Mask, looks_secret


@pytest.mark.parametrize(
    "name",
    [
        "GITHUB_TOKEN", "TOKEN", "npm_token", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "DB_PASSWORD",
        "PGPASSWORD", "MYSQL_PWD", "REDIS_PASSWD", "GPG_PASSPHRASE", "API_KEY", "APIKEY", "OPENAI_API_KEY",
        "PRIVATE_KEY", "SIGNING_KEY", "SESSION_COOKIE", "BASIC_AUTH", "GITHUB_PAT", "CLIENT_SECRET",
        "GOOGLE_CREDENTIALS",
    ],
)  # fmt: skip
def test_a_name_that_looks_like_a_secret(name: str) -> None:
    assert looks_secret(name)


@pytest.mark.parametrize(
    "name",
    [
        "PATH", "HOME", "KEYBOARD", "MONKEY", "AUTHOR", "GIT_AUTHOR_NAME", "PATTERN", "COMPAT",
        "SSH_AUTH_SOCK", "TOKEN_FILE", "SECRET_PATH", "AWS_ACCESS_KEY_ID", "PASSWORD_URL", "TOKEN_HOST",
        "AUTH_PORT",
    ],
)  # fmt: skip
def test_a_name_that_does_not(name: str) -> None:
    assert not looks_secret(name)


def test_the_value_wherever_it_stands() -> None:
    mask = Mask({"API_TOKEN": "s3cr3t", "PLAIN": "visible"})
    assert mask("s3cr3t as3cr3tb visible") == "*** a***b visible"
    assert not mask.is_idle


def test_without_secrets_nothing_is_done() -> None:
    mask = Mask({"PLAIN": "visible", "TOKEN_FILE": "/run/token"})
    assert mask.is_idle
    assert mask("visible /run/token") == "visible /run/token"
    assert mask.within({"a": [Path("x"), 1, None]}) == {"a": ["x", 1, None]}


@pytest.mark.parametrize("value", ["", "abc", "true", "False", "NONE", "null"])
def test_a_value_that_would_blacken_everything_is_no_secret(value: str) -> None:
    assert Mask({"API_TOKEN": value}).is_idle


def test_the_longest_of_two_values_that_begin_alike() -> None:
    assert Mask({"A_TOKEN": "abcd", "B_TOKEN": "abcdefgh"})("abcdefgh abcd") == "*** ***"


def test_the_lines_of_a_secret_with_several() -> None:
    key = "-----BEGIN KEY-----\nMIIEowIBAAK\nab\n-----END KEY-----"
    mask = Mask({"PRIVATE_KEY": key})
    assert mask(key) == "***"
    assert mask("MIIEowIBAAK ab") == "*** ab"


def test_as_json_writes_it() -> None:
    mask = Mask({"API_TOKEN": 'quote"back\\slash'})
    assert mask('quote"back\\slash') == "***"
    assert mask(r'{"t": "quote\"back\\slash"}') == '{"t": "***"}'


def test_what_looks_like_a_pattern_is_none() -> None:
    assert Mask({"API_TOKEN": "a.c*(["})("abcc a.c*([") == "abcc ***"


def test_a_value_that_is_learned_later() -> None:
    mask = Mask({})
    mask.learn("PLAIN", "visible")
    assert mask.is_idle
    mask.learn("API_TOKEN", "s3cr3t")
    assert mask("s3cr3t visible") == "*** visible"


def test_within_a_json_value_only_texts_are_masked() -> None:
    mask = Mask({"PIN_TOKEN": "1234", "KIND_TOKEN": "kind"})
    value = {"kind": "kind", "n": 1234, "x": 0.1234, "b": True, "none": None, "list": ["a1234", ("1234",)]}
    assert mask.within(value) == {
        "kind": "***", "n": 1234, "x": 0.1234, "b": True, "none": None, "list": ["a***", ["***"]],
    }  # fmt: skip
    assert mask.within({"p": Path("/a/1234")}) == {"p": "/a/***"}


def test_what_stands_under_a_harmless_name_is_left() -> None:
    mask = Mask({"API_TOKEN": "abcd"})
    value = {"hash": "00abcd00", "inner": [{"hash": "abcd", "text": "abcd"}]}
    assert mask.within(value, {"hash"}) == {"hash": "00abcd00", "inner": [{"hash": "abcd", "text": "***"}]}


@pytest.mark.parametrize("name", ["DB_PWD", "PWD_FOR_DB", "DB_PWD_2", "API_TOKEN", "GH_PAT", "PASSWORD"])
def test_the_value_of_a_secret_is_masked(name: str) -> None:
    assert Mask({name: "s3cret"})("it is s3cret") == "it is ***"


@pytest.mark.parametrize("name", ["PWD", "OLDPWD", "PATH", "PATTERN"])
def test_a_place_is_no_secret(name: str) -> None:
    """The working directory is part of nearly everything that is put on record."""
    assert Mask({name: "/project"})("/project/tool") == "/project/tool"
