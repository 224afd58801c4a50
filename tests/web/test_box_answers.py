"""What page and element say of boxes: each detail in words and drawn, and the lines around it."""

from fractions import Fraction

import pytest

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.encodings.days import dates, inward
from equiproof.circuits.encodings.missing import Missing
from equiproof.circuits.numbers import read_number
from equiproof.circuits.spec import SpecError
from equiproof.circuits.tables import LANGUAGES
from equiproof.verifier import CertificateFormatError
from equiproof.verifier.bars import not_stated
from equiproof.verifier.opened_box import is_listed
from equiproof.verifier.words import Words, isolated, shown_name, table
from tests.browser import boxes
from tests.support import changed
from tests.vectors.generate.words import AGE, EDUCATION, LATE, MARCH, MET, SEX
from tests.web.box_files import drawn_ends, drawn_spec, opened_box
from tests.web.test_agreement import TIMES, generator, written

SMOKER = changed(SEX, name="smoker", domain=("no", "yes"))


def answer(package, spec, ends, language="en", context=None):
    """Return the answer about a box; without ends about one that nobody opened."""
    opened = None if ends is None else canonical_bytes(opened_box(ends)).decode()
    return package.call("box_answer", written(spec), opened, context, language)


def say(name, language="en", **texts):
    """Return a sentence of the table with its places filled in."""
    return table()[language][name].format(**texts)


def wanted(feature, ends, words):
    """Return the words for a feature's ends, and of which kind its bar is."""
    if not ends:
        return not_stated(feature, words), "none"
    if feature.kind == "categorical":
        places = [feature.domain.index(value) for value in ends]
        inside = ends if is_listed(feature) else feature.domain[places[0] : places[-1] + 1]
        return words.joined([words.word(value) for value in inside], "or"), "none" if len(inside) == 1 else "category"
    numbers, unit = [read_number(value) for value in ends], words.unit(feature.unit)
    possible = () if feature.range is None else inward(tuple(map(Fraction, feature.range)))
    days = dates(feature, [*numbers, *possible])
    low, high = map(words.number, numbers) if days is None else map(words.day, days[:2])
    unit = unit if days is None else ""
    if numbers[0] == numbers[1]:
        return low + unit, "none"
    return words.say("span.range", low=low, high=high, unit=unit), "number"


def test_details_of_drawn_boxes(package):
    """Of every kind of feature the words are made as those of other bars, and what has one value is not drawn."""
    rng, seen = generator("answers about boxes"), set()
    for _ in range(40 * (TIMES or 1)):
        spec = drawn_spec(rng)
        ends, words = drawn_ends(spec, rng), Words(rng.choice(LANGUAGES))
        try:
            opened_box(ends).integers(spec)
        except (CertificateFormatError, SpecError):
            continue
        found = answer(package, spec, ends, words.language)
        for feature, bar in zip(spec.plain_features, found["bars"], strict=True):
            span, kind = wanted(feature, ends[feature.name], words)
            shown = isolated(shown_name(spec, feature))
            assert (bar["name"], bar["own"], bar["span"], bar["kind"]) == (shown, None, span, kind), (feature, ends)
            if kind == "category":
                drawn = [value["text"] for value in bar["values"] if value["in"]]
                assert len(drawn) == span.count("\u2068")
                assert [value["text"] for value in bar["values"]] == [isolated(value) for value in feature.domain]
            elif kind == "number":
                assert 0 <= bar["low"] <= bar["high"] <= 10_000
                assert bar["you"] is None
            seen.add((feature.encoding, kind, feature.range is not None))
    assert TIMES or len(seen) >= 8, seen


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_lines_around_a_box(package, language):
    """Whether it was opened decides what is said of it; what is about one applicant or a radius is never said."""
    spec = boxes.SPEC
    shown, hidden = answer(package, spec, boxes.ENDS, language), answer(package, spec, None, language)
    features = "\u2068sex\u2069 (\u2068female\u2069, \u2068male\u2069)"
    first = say("page.box_one", language, label="\u2068granted\u2069", features=features)
    outside = say("page.box_outside", language)
    assert shown["sentences"] == [first, say("page.box_shown", language), outside]
    assert hidden["sentences"] == [first, say("page.box_hidden", language), outside]
    assert (shown["bars_heading"], shown["bars_note"]) == (
        say("page.box_heading", language), say("page.box_note", language),
    )  # fmt: skip
    assert (hidden["bars_heading"], hidden["bars_note"], hidden["bars"]) == (None, None, [])
    ours = [say(name, language) for name in ("open.single-party", "open.context")]
    label = say("page.box_label", language, label="\u2068granted\u2069")
    assert [one["text"] for one in shown["not_checked"]] == [*ours, label]
    assert [one["text"] for one in hidden["not_checked"]] == [*ours, say("page.box_open", language), label]
    missing = say("never.missing", language)
    assert (missing in shown["never_shown"], missing in hidden["never_shown"]) == (True, False)
    assert shown["heading"] == say("outcome.key_open", language)
    assert shown["below"] == [say("below.about", language, parts=say("below.about_model", language))]


def test_several_sensitive_features_and_a_context(package):
    """Their values are listed for each of them, and what the decision is called is said."""
    spec = changed(boxes.SPEC, features=(*boxes.SPEC.features, SMOKER))
    found = answer(package, spec, boxes.ENDS, context={"nonce": "0123456789abcdef", "date": "2026-01-31"})
    both = "\u2068sex\u2069 (\u2068female\u2069, \u2068male\u2069) and "
    both += "\u2068smoker\u2069 (\u2068no\u2069, \u2068yes\u2069)"
    assert found["sentences"][0] == say("page.box_several", label="\u2068granted\u2069", features=both)
    assert any("\u20682026-01-31\u2069" in line for line in found["checked"])


def test_a_box_of_one_person(package):
    """Nothing differs: nothing is drawn, and no line says that all may differ at once."""
    words = {"en": "never owed anything", "de": "nie etwas geschuldet"}
    spec = changed(boxes.SPEC, features=(AGE, EDUCATION, changed(MET, missing=Missing(**words)), LATE, SEX), name="one")
    ends = {"age": (40, "40.0"), "education": ("none", "none"), "first_met": (), "late": (MARCH["late"],) * 2}
    for language in LANGUAGES:
        found = answer(package, spec, ends, language)
        spans = [bar["span"] for bar in found["bars"]]
        assert spans[:3] == ["40\u00a0\u2068years\u2069", "\u2068none\u2069", isolated(words[language])]
        assert spans[3] == Words(language).day(dates(LATE, [Fraction(0)])[0])
        assert {bar["kind"] for bar in found["bars"]} == {"none"}
        assert (found["bars_heading"], found["bars_note"]) == (say("page.box_heading", language), None)


def test_the_line_of_a_number_is_what_the_owner_lists(package):
    """Ends of a bar are hundredths of a percent of it, rounded inward; strokes are at ends inside it alone."""
    spec = changed(boxes.SPEC, features=(AGE, SEX), name="line")
    for ends, place, caps in (
        ((18, 75), (0, 10_000), [False, False]),
        ((18, 37), (0, 3333), [False, True]),
        ((37, 75), (3334, 10_000), [True, False]),
    ):
        (bar,) = answer(package, spec, {"age": ends})["bars"]
        assert ((bar["low"], bar["high"]), bar["caps"]) == (place, caps)
        assert bar["limits"] == ["18", "75"]
