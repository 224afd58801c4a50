"""Lines of refusals: short, whole at both ends, and every sentence of the tables among them."""

import json

import pytest

from equiproof.circuits import tables
from equiproof.circuits.names import listed, quoted
from equiproof.circuits.text import LONGEST_LINE, LONGEST_VALUE, brief, shortened
from tests.said import PLACE
from tests.support import ROOT

LINES = json.loads((ROOT / "tests" / "vectors" / "names.json").read_text(encoding="ascii"))["lines"]

LONGEST = 400
"""The most characters of a message, with the name of the program before it."""

PATH = "/srv/lending/models/2026-11/retail-credit/second-review/applicants-of-november.json"
NAMES = listed([f"Region Nummer {number} des Landes" for number in range(90)])
NUMBER = shortened("7" * 200)
FILLS = {
    **dict.fromkeys(("where", "file", "path", "folder", "source"), PATH),
    **dict.fromkeys(("known", "features", "values", "sensitive", "names", "ranges", "fields"), NAMES),
    **dict.fromkeys(("value", "low", "high", "number", "first", "second", "required", "stated", "actual"), NUMBER),
    **dict.fromkeys(
        ("feature", "label", "owner", "log", "name", "missing"), quoted("monthly income of the whole household")
    ),
}
"""Long values that places have; the other places are whole numbers and words."""


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
    """Filled with long values, no sentence needs a cut: what is said stands in it whole."""
    too_long = {}
    with tables.speaking(language):
        for sentence, text in tables.messages(language).items():
            said = tables.say(sentence, **{place: FILLS.get(place, "123456789012") for place in PLACE.findall(text)})
            if len(said) > LONGEST:
                too_long[sentence] = len(said)
    assert too_long == {}
