"""Words for people in TypeScript: every answer of tests/vectors/words.json, and numbers as Python writes them."""

import json
import os
import random
import re
from fractions import Fraction

import pytest

from equiproof.circuits.tables import LANGUAGES
from equiproof.verifier.reasons import REASONS
from equiproof.verifier.refusal import refusal
from equiproof.verifier.words import Words, table
from tests.support import ROOT

VECTORS = json.loads((ROOT / "tests" / "vectors" / "words.json").read_text(encoding="ascii"))
READERS = [case for case in VECTORS["verified"] if case["voice"] == "reader"]
"""Letters are written by Python alone."""

SOURCES = [path for folder in ("verifier", "element", "page") for path in (ROOT / "web" / folder).glob("src/**/*.ts")]


def named(case):
    """Return what a test of a case is called."""
    return f"{case.get('what', case.get('reason'))}-{case['language']}"


@pytest.mark.parametrize("case", READERS, ids=named)
def test_answers_about_certificates(package, case):
    """An answer is the one that Python gives."""
    spec = json.dumps(VECTORS["specs"][case["spec"]])
    assert package.call("answer_of", spec, case, case["language"]) == case["answer"]


def test_a_context_is_shown_in_the_order_of_its_names(package):
    """The order in which a file has them says nothing: the answer is that of the vectors."""
    found = [case for case in READERS if len(case["context"] or ()) > 2]
    for case in found:
        other = case | {"context": dict(reversed(case["context"].items()))}
        spec = json.dumps(VECTORS["specs"][case["spec"]])
        assert package.call("answer_of", spec, other, case["language"]) == case["answer"], named(case)
    assert found


def test_answers_about_refusals(package):
    """Each reason has the line of its class, and what an unknown policy refuses is not enough."""
    for case in VECTORS["refused"]:
        found = package.call("refusal_of", case["reason"], case["technical"], case["language"], "policy")
        assert found == case["answer"], named(case)
    assert {case["reason"] for case in VECTORS["refused"]} > {name for name, row in REASONS.items() if row.shown}


def test_reasons_are_shown_as_in_python(package):
    """Each reason of the table, and one that it lacks, has Python's answer, whatever class its error is of."""
    for reason in (*REASONS, "reason-of-tomorrow", "constructor"):
        for kind in ("format", "key", "proof", "policy"):
            assert package.call("refusal_of", reason, "it is so", "en", kind) == refusal(reason, "it is so", "en", kind)
        assert package.call("refusal_of", reason, "it is so", "en") == refusal(reason, "it is so")


@pytest.mark.parametrize(
    ("reason", "outcome"),
    [("unknown-values", "not-valid"), ("gain-too-large", "not-valid"), ("gain-too-small", "not-enough")],
)
def test_what_the_table_leaves_to_classes(package, reason, outcome):
    """A reason of a proof is not valid, and one of a policy not enough, whether or not its error's class is given."""
    for kind in ((), ("proof",), ("policy",)):
        assert package.call("refusal_of", reason, "it is so", "en", *kind)["outcome"] == outcome


def test_numbers(package):
    """Numbers of any size and sign are written as Python writes them."""
    times = int(os.environ.get("EQUIPROOF_FUZZ", "0")) or 1
    rng = random.Random(None if times > 1 else "numbers")
    for _ in range(60 * times):
        number = f"{rng.choice(('', '-'))}{rng.randrange(10 ** rng.randrange(1, 18))}"
        number += f".{rng.randrange(10**9):09d}"[: rng.randrange(10)].rstrip(".") if rng.random() < 0.7 else ""
        for language in LANGUAGES:
            wanted = Words(language).number(Fraction(number))
            assert package.call("number_text", number, language) == wanted, number


TEXTS = (
    "own", "own home", "own-home", "own_home", "_own", "-own", "-1", "-1.5", "1.", ".5", "1.5.2", "--1", "a1", "1a", "",
    "EUR", "EUR/month", "EUR/", "/month", "EUR/month/day", "%", "$", "\u00a3", "\u20ac/a", "\u00b0C", "m2", "\u00e4",
    " ", "own\n", "EUR\n", "\u05d2\u05d9\u05dc",
)  # fmt: skip


def test_the_owners_words(package):
    """Words, units and texts in quotation marks, and lists of them, stand in a sentence as Python has them."""
    for language in LANGUAGES:
        words = Words(language)
        for text in TEXTS:
            wanted = [words.word(text), words.unit(text), words.quoted(text)]
            assert package.call("owners_words", language, text) == wanted, ascii(text)
        for texts in (TEXTS[:1], TEXTS[:2], TEXTS[:3], TEXTS):
            for how in ("and", "or"):
                assert package.call("joined_words", language, texts, how) == words.joined(texts, how)


def test_every_sentence_that_a_page_says_is_in_the_table():
    """What sources say by name is in the table, and each sentence that begins with `page.` is said."""
    # Technical sentences have a table of their own (test_sayings.py).
    text = re.sub(r'(?<![.\w])sentence\(\s*"[^"]+"', "", "".join(path.read_text() for path in SOURCES))
    groups = {name.partition(".")[0] for name in table()["en"]}
    said = {name for name in re.findall(r"[\"`]([a-z]+\.[a-z_-]+)[\"`]", text) if name.partition(".")[0] in groups}
    assert said - set(table()["en"]) == set()
    begun = tuple(re.findall(r"`(page\.[a-z_]*)\$\{", text))
    own = {name for name in table()["en"] if name.startswith("page.")}
    assert {name for name in own - said if not name.startswith(begun)} == set()
    assert all(begin.endswith("_") for begin in begun)
