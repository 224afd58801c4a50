"""Lines of refusals: short, whole at both ends, and every sentence of the tables among them."""

import json

import pytest

from equiproof.circuits import tables
from equiproof.circuits.names import listed, quoted
from equiproof.circuits.text import LONGEST_LINE, LONGEST_LIST, LONGEST_VALUE, brief, ends, several, shortened
from tests.said import PLACE
from tests.support import ROOT

LINES = json.loads((ROOT / "tests" / "vectors" / "names.json").read_text(encoding="ascii"))["lines"]

NAME = ("Nettoeinkommen des ganzen Haushalts " * 6)[:199] + "m"
"""The longest name of a spec, of blanks and letters."""

SIGNER = "s" * 64
"""The longest name of a log, a witness or a signer."""

SHORT = quoted(shortened(NAME))
PATH = "/srv/" + "lending-" * 24 + "/c"
TILE = "tile/entries/" + "x999/" * 5 + "999.p/255"
NUMBER = shortened("7" * 200)
WORDS = "123456789012"
"""A place that is filled with a whole number or with words of the tables."""

FILLS = {
    **dict.fromkeys(("where", "file", "path", "folder", "source"), PATH),
    **dict.fromkeys(("value", "low", "high", "number", "first", "second", "required", "stated", "actual"), NUMBER),
    **dict.fromkeys(("feature", "label", "owner", "name"), quoted(NAME)),
    **dict.fromkeys(("missing", "other", "date"), SHORT),
    **dict.fromkeys(("log", "signer", "witness", "origin", "signers", "witnesses"), SIGNER),
}
"""The longest that places have; lists are filled in each language, the other places are whole numbers and words."""

LISTS = ("known", "features", "values", "sensitive", "names", "ranges", "fields", "changes")

OWN = {
    "gain.feature_not_sensitive": {"feature": SHORT},
    "gain.value_unknown": {"feature": SHORT},
    "key.name_differs": {"name": "verifying-key.json"},
    "lot.answer_missing": {"file": "answers/" + "7" * 40},
    **{key: {"name": SIGNER} for key in ("lot.nonce_differs", "lot.other_seals", "lot.not_an_auditor")},
    **{key: {"file": "query.json"} for key in ("listed.digest_differs", "listed.file_missing", "listed.file_too_long")},
    "listed.unknown_file": {"file": SHORT},
    "listed.text_differs": {"file": "README-LIESMICH.txt"},
    "name.looks_like": {"name": SHORT, "group": f"Merkmal {SHORT}: domain", "where": f"Merkmal {SHORT}: domain"},
    **{key: {"path": TILE} for key in ("source.compressed", "source.server_answers", "source.too_long")},
    "source.tile_cut_off": {"path": TILE},
}
"""Places of single sentences whose longest text is another."""

WHOLE = ("box.read", "gain.read", "pair.none", "pair.way", "reading.", "unproven.")
"""Sentences that state what a certificate shows: a list there is the certificate's, and they are shown whole."""


@pytest.mark.parametrize("case", LINES, ids=lambda case: case["what"])
def test_a_line_is_cut_in_its_middle(case):
    """What is too long loses whole words of its middle, and keeps both ends."""
    assert brief(case["text"]) == case["line"]


def test_a_remedy_stays_at_either_end():
    """A thousand names in a sentence take neither its beginning nor its end."""
    many = ", ".join(f"column_{number}" for number in range(1000))
    line = brief(f"name fewer columns: {many}: not in applicants.csv; try --all")
    assert line.startswith("name fewer columns: column_0, column_1, ")
    assert line.endswith("column_999: not in applicants.csv; try --all")
    assert len(line) <= LONGEST_LINE
    words = {
        *many.replace(",", "").split(),
        *["name", "fewer", "columns:", "...", "not", "in", "applicants.csv;", "try", "--all", "column_999:"],
    }
    assert {word.rstrip(",") for word in line.split()} <= words


def test_values_are_short():
    """A value keeps its beginning and its end."""
    assert shortened("7" * LONGEST_VALUE) == "7" * LONGEST_VALUE
    assert shortened("1" + "7" * 200 + "9") == "1" + "7" * 23 + "..." + "7" * 12 + "9"


@pytest.mark.parametrize("language", tables.LANGUAGES)
def test_every_sentence_is_short(language):
    """Filled with the longest names, values and lists, no refusal needs a cut: what is said stands in it whole."""
    too_long = {}
    with tables.speaking(language):
        fills = FILLS | dict.fromkeys(LISTS, listed([f"{number} {NAME}"[:200] for number in range(99)]))
        for sentence, text in tables.messages(language).items():
            own = fills | OWN.get(sentence, {})
            said = tables.say(sentence, **{place: own.get(place, WORDS) for place in PLACE.findall(text)})
            if len(said) > LONGEST_LINE and not sentence.startswith(WHOLE):
                too_long[sentence] = len(said)
    assert too_long == {}


def test_names_of_other_lengths_are_those_of_sentences():
    """A name that has another length in one sentence has it there still."""
    for sentence, own in OWN.items():
        assert set(own) <= set(PLACE.findall(tables.messages()[sentence])), sentence
    assert all(any(sentence.startswith(whole) for sentence in tables.messages()) for whole in WHOLE)


def test_lists_are_cut_in_the_middle():
    """Of many parts the first and the last are shown, and how many are not; a list that fits is whole."""
    rows = [str(row) for row in range(100)]
    assert several(rows[:4], 4) == "0, 1, 2, 3"
    assert several(rows, 4) == "0, 1, 2, ... 96 more ..., 99"
    assert ends(rows, 2) == ["0", "... 98 more ...", "99"]
    assert several(["a" * 300]) == "a" * 300
    assert several(["a" * 140, "b" * 140]) == f"... 1 more ..., {'b' * 140}"
    long = several([f"{row} {'x' * 40}" for row in range(100)], 20)
    assert len(long) <= LONGEST_LIST + len(", ... 99 more ...")
    assert long.startswith("0 x")
    assert long.endswith(f"... 97 more ..., 99 {'x' * 40}")
    with tables.speaking("de"):
        assert several(rows, 2) == "0, ... 98 weitere ..., 99"
