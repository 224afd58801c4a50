"""What names may be, how they are shown, and the table that decides it. tests/vectors/names.json is for any program."""

import gzip
import json
import os
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equiproof.circuits import names, tables
from equiproof.circuits.spec import SpecError, checked
from scripts import unicode_names
from tests.support import INCOME, LOANS, ROOT, SEX, changed

VECTORS = json.loads((ROOT / "tests" / "vectors" / "names.json").read_text(encoding="ascii"))
TABLE = json.loads(unicode_names.TARGET.read_text(encoding="ascii"))
UNICODE = "EQUIPROOF_UNICODE"


def cases(kind: str) -> list[object]:
    """Return the cases of a kind, named by what they are."""
    return [pytest.param(case, id=case.get("what") or ascii(case["text"])) for case in VECTORS[kind]]


def verdict(case: dict, *complaints: names.Complaint | None) -> None:
    """Compare complaints with what a case demands."""
    first = next(filter(None, complaints), None)
    assert (first and first.rule) == case.get("rule")
    assert case["verdict"] == ("reject" if first else "accept")


@pytest.mark.parametrize("case", cases("names"))
def test_names(case):
    """A name is accepted, or refused under the first rule that it breaks."""
    verdict(case, names.complaint(case["text"]))


@pytest.mark.parametrize("case", cases("units"))
def test_units(case):
    """A unit is a name that cannot be read as part of the number before it."""
    verdict(case, names.complaint(case["text"]), names.unit_complaint(case["text"]))


@pytest.mark.parametrize("case", cases("specs"))
def test_names_of_one_spec(case):
    """Names that are right by themselves can be wrong together."""
    groups = {"features": case["features"], "labels": case["labels"], "units": case["units"], "name": [case["name"]]}
    groups |= {f"values {number}": values for number, values in enumerate(case["values"])}
    assert not any(map(names.complaint, (text for texts in groups.values() for text in texts)))
    verdict(case, names.joint_complaint(groups))


@pytest.mark.parametrize("case", cases("shown"))
def test_names_as_they_are_shown(case):
    """Names and units of several words are quoted, and those written from the right are isolated."""
    assert names.quoted(case["text"]) == case["as_name"]
    assert names.after_number(case["text"]) == case["after_number"]


@pytest.mark.parametrize("case", cases("listed"))
def test_names_as_they_are_listed(case):
    """A list that is too long loses names in its middle and counts them; a long name loses its middle."""
    assert names.listed(case["names"]) == case["text"]


def test_lists_are_counted_in_german():
    """What is left out is counted in the language that is spoken."""
    with tables.speaking("de"):
        assert '"region 10", ... 78 weitere ..., "region 89"' in names.listed([f"region {at}" for at in range(90)])


def test_every_rule_has_a_vector():
    """No rule is left out, and characters that cannot be seen stand as escapes: the file is ASCII."""
    rules = {case.get("rule") for kind in ("names", "units", "specs") for case in VECTORS[kind]}
    assert rules == {None, *names.Rule.__args__}


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            {"features": (changed(INCOME, name="a\u0261e"), SEX)},
            r"feature name 'a\\u0261e' holds U\+0261 \(LATIN",
        ),
        (
            {"features": (changed(INCOME, unit="OOO"), SEX)},
            "unit 'OOO' begins with three characters that look",
        ),
        ({"labels": ("1", "l")}, r"label names: rename one: 'l' looks like '1' of label names \(U\+006C for U\+0031\)"),
        ({"name": "m\u00b2"}, r"name 'm\\xb2' holds U\+00B2 \(SUPERSCRIPT TWO\), which names may not hold; write '2'$"),
    ],
)
def test_a_refusal_says_which_character_and_how_to_mend_it(fields, message):
    """The message of a spec names the place, the character and its code point."""
    with pytest.raises(SpecError, match=message):
        checked(changed(LOANS, **fields))


def listed(ranges: str) -> Iterator[str]:
    """Yield the characters of ranges."""
    for first, _, last in (text.partition("-") for text in ranges.split()):
        yield from map(chr, range(int(first, 16), int(last or first, 16) + 1))


LETTERS = {sign: script for script, ranges in TABLE["letters"].items() for sign in listed(ranges)}
MARKS = {sign for ranges in (*TABLE["marks"].values(), TABLE["marks_of_any_script"]) for sign in listed(ranges)}
SIGNS = set(listed(TABLE["signs"]))


def test_characters_are_looked_up_and_not_spelled_out():
    """Each is what the table says of it, at both ends of every range; only those that were asked for take memory."""
    known = names._characters.__wrapped__()
    assert known.has("a")
    assert (len(known.script), len(known.kinds)) == (1, 0)
    marks = {sign: script for script, ranges in TABLE["marks"].items() for sign in listed(ranges)}
    marks |= dict.fromkeys(listed(TABLE["marks_of_any_script"]), "")
    scripts = LETTERS | marks
    for code in range(0x32000):
        sign = chr(code)
        assert known.script.of(sign) == scripts.get(sign), code
        assert known.has(sign) == (sign in scripts or sign in SIGNS), code
    text = "".join(scripts) + "".join(SIGNS)
    assert text.translate(known.kinds) == "l" * len(LETTERS) + "m" * len(marks) + "".join(SIGNS)


@given(st.text(max_size=8) | st.text(alphabet=sorted(SIGNS.union(LETTERS, MARKS)), max_size=8))
def test_every_text_is_judged(text):
    """Whatever a text is, it is refused under a rule, or it can be printed and quoted."""
    found = names.complaint(text)
    if found is not None:
        assert found.rule in names.Rule.__args__
        assert names.escaped(text).isprintable()
    else:
        assert text.isprintable()
        assert names.quoted(text).count('"') in (0, 2)


def test_the_table_is_small_and_comes_with_its_licence():
    """A page can carry it: at most 8 KB in compressed form."""
    assert len(gzip.compress(unicode_names.TARGET.read_bytes(), mtime=0)) <= 8 * 1024
    assert unicode_names.TARGET.with_suffix(".LICENSE").read_text().startswith("UNICODE LICENSE V3\n")
    assert unicode_names.VERSION in TABLE["what"]


def test_the_table_agrees_with_the_tables_of_python():
    """Every character is what it is listed as, can be seen, and is its own normal form: in any version of Unicode."""
    assert len(LETTERS.keys() | MARKS | SIGNS) == len(LETTERS) + len(MARKS) + len(SIGNS)
    for sign, script in LETTERS.items():
        assert unicodedata.category(sign) in ("Lu", "Ll", "Lo", "Lm")
        assert (unicodedata.bidirectional(sign) in ("R", "AL")) == (script in TABLE["right_to_left"])
    assert {unicodedata.category(sign) for sign in MARKS} == {"Mn", "Mc"}
    assert not {unicodedata.category(sign) for sign in SIGNS} & {"Pi", "Pf", "Cf", "Cc", "Mn", "No", "Nl"}
    every = LETTERS.keys() | MARKS | SIGNS
    assert {sign for sign in every if unicodedata.category(sign) == "Nd"} == set("0123456789")
    assert {sign for sign in every if unicodedata.category(sign) == "Zs"} == {" "}
    assert {sign for sign in every if unicodedata.normalize("NFC", sign) != sign} == set()
    assert {sign for sign in every if unicodedata.normalize("NFKC", sign) != sign} == {"\u0e33", "\u0eb3"}


def test_what_characters_look_like_is_final():
    """Nothing that a character looks like looks like something else, so that one step finds it."""
    sources = {sign for signs in TABLE["look_alikes"].values() for sign in signs}
    assert not sources.intersection("".join(TABLE["look_alikes"]))
    assert all(unicodedata.normalize("NFD", look) == look for look in TABLE["look_alikes"])


def test_the_table_is_what_the_script_writes():
    """The file holds what Unicode's tables give, where they are at hand."""
    if not (folder := os.environ.get(UNICODE)):
        pytest.skip(f"{UNICODE} names no folder with the files of scripts/unicode_names.py")
    assert unicode_names.written(Path(folder)) == unicode_names.TARGET.read_text(encoding="ascii")
