"""Words for people: the answers of tests/vectors/words.json, which every program gives, and the table behind them."""

import json
import re
from dataclasses import replace
from fractions import Fraction
from typing import get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equiproof.circuits import tables
from equiproof.circuits.exit_codes import MISUSED, REFUSED
from equiproof.circuits.spec import Spec, checked
from equiproof.circuits.tables import LANGUAGES
from equiproof.verifier import combined, gain_policy, logged, policy, reasons, transcripts
from equiproof.verifier.answer import Findings, KeyMaking, LogStanding, Pinned, _facts, answer
from equiproof.verifier.errors import (
    CertificateFormatError,
    ExportError,
    PackageError,
    PolicyError,
    ProofError,
    UntrustedKeyError,
)
from equiproof.verifier.reasons import CLASSES, OUTCOMES, REASONS, shown_as
from equiproof.verifier.refusal import refusal
from equiproof.verifier.words import Language, Words, decimal_text, for_terminal, table
from tests.support import INCOME, ROOT, SEX, changed, spec_of

VECTORS = json.loads((ROOT / "tests" / "vectors" / "words.json").read_text(encoding="ascii"))
SPECS = {name: checked(msgspec.convert(spec, Spec)) for name, spec in VECTORS["specs"].items()}
FRONT_ENDS = ("label.", "letter.", "page.", "recourse.")
"""Sentences that are no part of an answer begin with these."""


def named(case):
    """Return what a test of a case is called."""
    return f"{case.get('what', case.get('reason'))}-{case['language']}"


def findings(case):
    """Return what a case says that a verification found."""
    names = [
        "label",
        "radius_squared",
        "query",
        "query_found",
        "context",
        "context_found",
        "minimum",
        "ranges",
        "others",
        "log",
        "receipt",
        "receipt_logged",
    ]
    others = {name: case[name] for name in names}
    if case["logged"] is not None:
        others["logged"] = LogStanding(**case["logged"])
    return Findings(SPECS[case["spec"]], key=KeyMaking(**case["key"]), pins=Pinned(**case["pins"]), **others)


@pytest.mark.parametrize("case", VECTORS["verified"], ids=named)
def test_answers_about_certificates(case):
    """An answer is a function of the case, and this one."""
    assert answer(findings(case), case["language"], case["voice"]) == case["answer"]


@pytest.mark.parametrize("case", VECTORS["refused"], ids=named)
def test_answers_about_refusals(case):
    """A refusal says what it means for the reader, and shows nothing of what the file claims."""
    assert refusal(case["reason"], case["technical"], case["language"], "policy") == case["answer"]


def test_every_sentence_is_used():
    """Both languages have the same sentences with the same places, and each sentence of an answer is in a vector."""
    english, german = (table()[language] for language in LANGUAGES)
    assert list(english) == list(german)
    for language in LANGUAGES:
        texts = [text for part in ("verified", "refused") for case in VECTORS[part] for text in _texts(case["answer"])
                 if case["language"] == language]  # fmt: skip
        whole = "\n".join(texts)
        for name, sentence in table()[language].items():
            if not name.startswith(FRONT_ENDS):
                pattern = ".*?".join(map(re.escape, re.split(r"\{[a-z_]+\}", sentence)))
                assert re.search(pattern, whole), (language, name)


def _texts(part):
    """Return every text inside a document."""
    if isinstance(part, str):
        return [part]
    if isinstance(part, dict | list):
        return [text for inner in (part.values() if isinstance(part, dict) else part) for text in _texts(inner)]
    return []


def test_the_table_has_the_reason_of_every_policy():
    """Each reason of a policy is a row of its class, and the table has no other of that class."""
    modules = (policy, transcripts, combined, logged, gain_policy)
    kinds = [kind for module in modules for kind in vars(module).values()]
    own = {kind.reason for kind in kinds if isinstance(getattr(kind, "reason", None), str)}
    assert own | set(logged.Logged.reasons) == {name for name, row in REASONS.items() if row.kind == "policy"}


@pytest.mark.parametrize("kind", CLASSES)
def test_only_an_unknown_policy_is_not_enough(kind):
    """A reason that the table lacks is shown by the class of its error; no other class says that it may be true."""
    found = refusal("reason-of-tomorrow", "technical", "en", kind)["outcome"]
    assert found == ("not-enough" if kind == "policy" else "not-valid")
    assert refusal("reason-of-tomorrow", "technical")["outcome"] == "not-valid"


@pytest.mark.parametrize("reason", ["unknown-values", "gain-too-large"])
def test_a_false_statement_about_a_gain_is_not_valid(reason):
    """Reasons that only gain certificates have are of a proof, so they are never "not enough"."""
    assert REASONS[reason].kind == "proof"
    assert refusal(reason, "technical")["outcome"] == "not-valid"


def test_each_class_is_that_of_its_error():
    """An error carries its class and the exit code of the class."""
    for kind in (CertificateFormatError, PolicyError, UntrustedKeyError, ProofError, ExportError, PackageError):
        assert kind.exit_code == CLASSES[kind.kind].exit_code
    assert {CLASSES[name].exit_code for name in CLASSES if name != "format"} == {REFUSED}
    assert CLASSES["format"].exit_code == MISUSED


def test_each_sentence_of_a_refusal_stands_in_the_table_of_words():
    """The sentences that reasons name are those of words.json, without one that names no reason."""
    said = {name.removeprefix("refused.") for name in table()["en"] if name.startswith("refused.")}
    assert set(OUTCOMES) == said | {"file"}
    assert {shown_as(name, None) for name in REASONS} == set(OUTCOMES)


def test_the_page_lists_the_classes():
    """docs/answers.md names the reasons of files that are no certificate, and those that no policy brings."""
    page = (ROOT / "docs" / "answers.md").read_text(encoding="utf-8")
    (row,) = re.findall(r"^\| `not-a-certificate` \|[^|]*\|([^|]*)\|$", page, re.MULTILINE)
    assert set(re.findall("`([a-z-]+)`", row)) == {reason for reason, row in REASONS.items() if row.shown == "file"}
    (row,) = re.findall(r"^\| `not-enough` \|[^|]*\|([^|]*)\|$", page, re.MULTILINE)
    listed, excepted = (set(re.findall("`([a-z-]+)`", part)) for part in row.split(" but "))
    lacks = {reason for reason, row in REASONS.items() if row.shown and OUTCOMES[row.shown] == "not-enough"}
    own = {reason for reason, row in REASONS.items() if row.kind == "policy" and row.shown}
    assert (listed, own - excepted) == (lacks - own, lacks & own)


@pytest.mark.parametrize("case", VECTORS["verified"], ids=named)
def test_the_owners_words_are_isolated(case):
    """No word of a spec stands in a text but between the characters that isolate it, and these come in pairs."""
    spec = SPECS[case["spec"]]
    for text in _texts(case["answer"]):
        assert re.fullmatch("([^\u2068\u2069]|\u2068[^\u2068\u2069]+\u2069)*", text)
        outside = re.sub("\u2068[^\u2069]+\u2069", "", text)
        assert not any(label in outside for label in (*spec.labels, *spec.sensitive_features[0].domain))


@given(st.integers(-(10**15), 10**15), st.integers(0, 12))
def test_numbers_are_written_in_full(integer, digits):
    """A number reads back as itself, in either language, and is grouped in threes."""
    number = Fraction(integer, 10**digits)
    for language, point, group in (("en", ".", ","), ("de", ",", ".")):
        text = Words(language).number(number)
        assert Fraction(text.replace(group, "").replace(point, ".").replace("\u2212", "-")) == number
        assert re.fullmatch(
            rf"\u2212?[0-9]{{1,3}}({re.escape(group)}[0-9]{{3}})*({re.escape(point)}[0-9]*[1-9])?", text
        )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda table: table["classes"].pop("package"), "[a-z-]+: no class package"),
        (lambda table: table["classes"].pop("policy"), "[a-z-]+: no class policy"),
        (lambda table: table["reasons"]["other-key"].update(shown="said"), "other-key: no sentence said"),
        (lambda table: table["classes"]["key"].update(shown="said"), "class key: no sentence said"),
    ],
)
def test_reasons_name_classes_and_sentences_of_their_table(tmp_path, monkeypatch, change, message):
    """A row that names what the table lacks is refused when it is read, and the row is said."""
    table = json.loads(tables.path_of("reasons").read_text())
    change(table)
    (tmp_path / "reasons.json").write_text(json.dumps(table))
    monkeypatch.setattr(tables, "path_of", lambda name: tmp_path / f"{name}.json")
    with pytest.raises(tables.TableError, match=f"^reasons\\.json: .*{message}"):
        reasons._read()


def test_what_is_not_found_is_not_there():
    """Of findings, only what is said of every certificate must be given; all else is what was not found."""
    spec = SPECS[VECTORS["verified"][0]["spec"]]
    least = Findings(spec, 0, 100, KeyMaking("single-party"), Pinned(None, key=False))
    nothing = dict.fromkeys(("query", "context", "minimum", "logged", "receipt"))
    nothing |= dict.fromkeys(("query_found", "context_found", "ranges", "others", "log", "receipt_logged"), False)
    assert least == replace(least, **nothing)
    assert {name: getattr(least, name) for name in nothing} == nothing


def test_one_sensitive_feature_is_not_several():
    """From the second on they are several."""
    for count in (1, 2, 3):
        sensitive = [changed(SEX, name=f"sensitive {at}") for at in range(count)]
        findings = Findings(spec_of(INCOME, *sensitive), 0, 100, KeyMaking("single-party"), Pinned(None, key=False))
        assert _facts(findings)["sensitive"] == ("one" if count == 1 else "several")


def test_numbers_without_a_decimal_form_are_refused():
    """No text stands for a third."""
    with pytest.raises(ValueError, match="no decimal number"):
        decimal_text(Fraction(1, 3))


def test_unknown_languages_are_refused():
    """A language without a table is an error that lists those with one."""
    with pytest.raises(ValueError, match="'fr' is not one of en, de"):
        Words("fr")


def test_terminals_get_no_isolates():
    """What isolates a text stays only around letters that are written from the right."""
    assert for_terminal(Words("en").word("own home")) == "“own home”"
    assert for_terminal(Words("en").word("\u05d2\u05d9\u05dc")) == "“\u2068\u05d2\u05d9\u05dc\u2069”"


def test_the_languages_are_those_of_the_tables():
    """Whoever annotates one, such as a route of the service, takes each of them and no other."""
    assert get_args(Language) == LANGUAGES
    for language in get_args(Language):
        assert Words(language).say("span.none")
