"""Of the cookies that come along the application sees the console's own, by its exact form, before anybody is known."""

import http.cookies

import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")

from equiproof.cli.main import run
from equiproof.service import interpreter
from equiproof.service.interpreter import holes
from equiproof.service.web.cookies import KEY_STEP, PLAIN, SECURE, SIGN_ON, own_alone

TOKEN = "0123456789abcdef" * 4
OWN = f"__Host-equiproof-console={TOKEN}".encode()

UNDER_WAY = f"__Host-equiproof-sign-on={TOKEN}".encode()
WAITS = f"__Host-equiproof-key-step={TOKEN}".encode()


@pytest.mark.parametrize(
    ("sent", "left"),
    [
        ([OWN], OWN),
        ([b"a=b; " + OWN + b"; c=d"], OWN),
        ([b"a=b;" + OWN], OWN),
        ([b"a=b", OWN], OWN),
        ([f"equiproof-console={TOKEN}".encode()], f"equiproof-console={TOKEN}".encode()),
        ([OWN + b"; " + OWN], OWN),
        ([OWN + b"; __Host-equiproof-console=" + b"f" * 64], None),
        ([OWN + b"; " + UNDER_WAY], OWN + b"; " + UNDER_WAY),
        ([UNDER_WAY, OWN + b"; __Host-equiproof-console=" + b"f" * 64], UNDER_WAY),
        ([WAITS, OWN], OWN + b"; " + WAITS),
        ([UNDER_WAY + b"0"], None),
        ([OWN + b"0"], None),
        ([OWN[:-1]], None),
        ([OWN.upper()], None),
        ([b"a=" + OWN], None),
        ([b"x" + OWN], None),
        ([OWN.replace(b"=", b" = ")], None),
        ([b'a="; ' + OWN + b'"'], None),
        ([b""], None),
        ([], None),
    ],
)
def test_our_own_cookie_is_left(sent, left):
    """One of each form, however often it comes; no other, and none of two values."""
    others = [(b"host", b"a"), (b"accept", b"*/*")]
    found = own_alone([*others, *((b"cookie", one) for one in sent)])
    assert found == [*others, *([(b"cookie", left)] if left else [])]


def test_the_names_are_those_that_the_console_sets(service):
    """So that the form, which is written down apart from them, is theirs."""
    from equiproof.service.console.guard import Cookie

    assert Cookie.of(service.shared).name in (PLAIN, SECURE)
    assert Cookie.of_sign_on(service.shared).name == SIGN_ON
    assert Cookie.of_key_step(service.shared).name == KEY_STEP


@pytest.mark.parametrize("path", ["/v1/models", "/console/sign-in", "/healthz", "/a/"])
def test_nobody_reads_the_cookies_of_a_stranger(service, monkeypatch, path):
    """The library's parser is given what we let through, which here is nothing."""
    given = []
    monkeypatch.setattr(http.cookies, "_unquote", lambda text: given.append(text) or text)
    service.client.get(path, headers={**service.headers, "Cookie": 'a="b"; c=d; e="f"'})
    assert given == []


@pytest.mark.parametrize(
    ("version", "said"),
    [
        ((3, 11, 9), "take Python 3.11.10 or newer: 3.11.9 has known holes"),
        ((3, 12, 5), "take Python 3.12.6 or newer: 3.12.5 has known holes"),
        ((3, 11, 10), None),
        ((3, 12, 6), None),
        ((3, 13, 0), None),
    ],
)
def test_an_interpreter_with_holes_is_named(version, said):
    """With the patch that mends them; none of a newer one."""
    found = holes(version)
    assert found is None if said is None else found.startswith(said)
    assert interpreter.holes() == holes()


def test_check_says_so(tmp_path, capsys):
    """In a line that is no fault of the service."""
    assert run(["service", "init", str(tmp_path / "one"), "--lender", "B"]) == 0
    run(["service", "check", "--settings", str(tmp_path / "one" / "service.toml")])
    assert f"python: {holes() or 'no known holes'}" in " ".join(capsys.readouterr().out.split())
