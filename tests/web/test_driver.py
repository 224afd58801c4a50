"""The driver of the package: what it does not answer, and sentences that it could not say in German, fail a test."""

import pytest

from tests import node

DRIVERS = {
    "endless": "for (;;);",
    "ended": "process.exit();",
    "answering": "console.log(JSON.stringify({ value: 1 }));",
}


@pytest.mark.parametrize("name", DRIVERS)
def test_an_endless_command_fails(tmp_path, monkeypatch, name):
    """A script that runs for ever is ended as one that gives no answer."""
    script = tmp_path / "driver.mjs"
    script.write_text(f"for await (const _ of process.stdin) {{ {DRIVERS[name]} }}")
    monkeypatch.setattr(node, "PATIENCE", 2.0)
    driver = node.Driver(script)
    try:
        if name == "answering":
            assert driver.ask("say") == {"value": 1}
        else:
            with pytest.raises(AssertionError, match="the driver ended"):
                driver.ask("say")
    finally:
        driver.close()


def test_an_unknown_sentence_fails(package):
    """Each id that is said must have its German, whichever language is spoken."""
    assert package.call("say", "format.want_digest", ["a"]) == "a"
    assert package.ask("call", name="say", words=["format.want_nothing", ["a"]])["message"] == (
        "no sentence in German: format.want_nothing"
    )


def test_values_go_to_their_places(package):
    """In another language the values are found by their numbers, of more than ten too."""
    places = [5, 11, 0]
    german = " ".join(f"{{{place}}}" for place in places)
    values = [str(number) for number in range(100, 112)]
    assert package.call("say_in", {"an.id": german}, "an.id", values) == "105 111 100"
    assert package.call("say", "format.want_digest", ["a"]) == "a"
