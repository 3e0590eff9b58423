"""Addresses: how they are written, and where requests may not go."""

from __future__ import annotations

import pytest

from goalkeeper.runner.failure import StepFailed
from goalkeeper.steps.http.address import Address, check_permitted, parse, split_request


@pytest.mark.parametrize(
    ("text", "base", "address", "shown"),
    [
        ("http://127.0.0.1:81", "", Address("http", "127.0.0.1", 81, "/"), "http://127.0.0.1:81/"),
        ("http://localhost/a?b=c#d", "", Address("http", "localhost", 80, "/a?b=c"), None),
        ("https://[::1]/x", "", Address("https", "::1", 443, "/x"), "https://[::1]:443/x"),
        ("unix:run/a.sock:/x/y?z", "", Address("unix", "run/a.sock", 0, "/x/y?z"), "unix:run/a.sock:/x/y?z"),
        ("unix:run/a.sock", "", Address("unix", "run/a.sock"), "unix:run/a.sock"),
        ("tcp:127.0.0.1:9", "", Address("tcp", "127.0.0.1", 9), "tcp:127.0.0.1:9"),
        ("/x", "http://127.0.0.1:81", Address("http", "127.0.0.1", 81, "/x"), None),
        ("/x", "http://127.0.0.1:81/api/", Address("http", "127.0.0.1", 81, "/api/x"), None),
        ("/x", "unix:a.sock", Address("unix", "a.sock", 0, "/x"), "unix:a.sock:/x"),
        ("/a b/ü?q=%20", "unix:a", Address("unix", "a", 0, "/a%20b/%C3%BC?q=%20"), None),
        (
            "http://127.0.0.1:81/?a=1&access_token=x&b=2",
            "",
            Address("http", "127.0.0.1", 81, "/?a=1&access_token=x&b=2"),
            "http://127.0.0.1:81/?a=1&access_token=(hidden)&b=2",
        ),
    ],
)
def test_an_address(text: str, base: str, address: Address, shown: str | None) -> None:
    assert parse(text, base) == address
    assert shown is None or str(address) == shown


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("/x", '"/x" names no server: put `Given the server is at "…"` before it'),
        ("localhost:80", '"localhost:80" is no address; known are\n  http://127.0.0.1:8080/path'),
        ("unix:", '"unix:" is no address; known are'),
        ("ftp://127.0.0.1/", '"ftp://127.0.0.1/" is no address; known are'),
        ("http://127.0.0.1:${port}/", '"http://127.0.0.1:${port}/" is no address: Port could not be cast'),
        ("http://127.0.0.1:99999/", "is no address: Port out of range"),
        ("http:///x", "is no address: it has no host"),
        ("tcp:127.0.0.1", "is no address: it has no port"),
        ("http://me:pw@127.0.0.1/", "an address holds no password: write it as a request header instead"),
    ],
)
def test_what_is_no_address(text: str, message: str) -> None:
    with pytest.raises(StepFailed) as caught:
        parse(text)
    assert message in str(caught.value)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "localhost", "[::1]"])
def test_this_machine_may_be_asked(host: str) -> None:
    check_permitted(parse(f"http://{host}:1/"), ())
    check_permitted(parse("unix:a.sock"), ())


@pytest.mark.parametrize(
    "host", ["example.org", "10.0.0.1", "0.0.0.0", "169.254.169.254", "2130706433", "127.1", "[::]"]
)
def test_no_other_machine_is_asked_unless_the_goal_says_so(host: str) -> None:
    address = parse(f"http://{host}:1/")
    with pytest.raises(StepFailed) as caught:
        check_permitted(address, {"https://example.org:443", "http://10.0.0.1:2"})
    assert str(caught.value) == (
        f"http://{host}:1 is not on this machine, so no request goes there\n"
        f'a goal that means it says: Given requests may go to "http://{host}:1"'
    )
    check_permitted(address, {address.origin})


def test_a_request_is_a_method_and_an_address() -> None:
    assert split_request(" get  /x y ") == ("GET", "/x y")
    for line in ("/x", "GET", "G3T /x", ""):
        with pytest.raises(StepFailed, match="is no request: write method and address"):
            split_request(line)
