"""A guardrail's file stops exactly who fulfils a rule, and is refused in one line if it does not fit its spec."""

import hashlib

import msgspec
import pytest

from equiproof.certify.guardrail import FORMAT, VERSION, Condition, GuardrailError, GuardrailFile, parse_guardrail
from equiproof.circuits import field
from equiproof.circuits.canonical import DocumentError
from tests.audits.hyfair.small import SPEC

RULES = (
    (Condition("income", least="-10", most="20.5"), Condition("purpose", values=("car", "other"))),
    (Condition("income", least="55"),),
    (Condition("grade", values=("low",)), Condition("income", most="-25")),
)
MADE = GuardrailFile(FORMAT, VERSION, "ab", field.to_hex(SPEC.digest), "refer", RULES, "5a" * 32)


@pytest.mark.parametrize(
    ("income", "purpose", "grade", "stopped"),
    [
        ("-10", "car", "high", 1), ("20.5", "other", "high", 1), (20, "car", "low", 1), ("20.51", "car", "high", None),
        ("-10.01", "car", "high", None), ("0", "house", "high", None), (55, "house", "high", 2),
        ("54.9", "house", "low", None),
        ("2.05e1", "car", "low", 1), ("055.0", "house", "high", 2), (20.5, "car", "low", 1),
        ("-25", "house", "low", 3), ("-25", "house", "high", None), ("-24", "house", "low", None),
    ],
)  # fmt: skip
def test_who_fulfils_all_conditions_of_a_rule_is_stopped(income, purpose, grade, stopped):
    """Both ends of a number count, as exact decimals; the first rule that holds is named."""
    assert MADE.stops({"income": income, "purpose": purpose, "grade": grade, "age": 20}) == stopped


def test_a_file_is_read_as_it_was_written():
    """In canonical form; any other spelling is refused."""
    data = MADE.to_bytes()
    assert parse_guardrail(data, "g.json", SPEC) == MADE
    with pytest.raises(DocumentError, match=r"g.json: use the file as you received it"):
        parse_guardrail(data + b"\n", "g.json", SPEC)


@pytest.mark.parametrize(
    ("rule", "fault"),
    [
        ((), "rule 1 has no condition, and would stop everyone"),
        ((Condition("group", values=("a",)),), "'group' is not one of the spec's non-sensitive features"),
        ((Condition("height", least="1"),), "'height' is not one of the spec's non-sensitive features"),
        ((Condition("purpose", least="1"),), "'purpose' is a category: want values"),
        ((Condition("purpose", values=("car",), most="1"),), "'purpose' is a category: want values"),
        ((Condition("purpose", values=("boat",)),), "'purpose' has no value 'boat'"),
        ((Condition("income"),), "'income' is a number: want least, most, or both"),
        ((Condition("income", values=("1",)),), "'income' is a number: want least, most, or both"),
        ((Condition("income", least="much"),), "'income' has an end that is no decimal"),
        ((Condition("income", least="2", most="1"),), "'income' has ends in the wrong order"),
    ],
)
def test_a_rule_that_does_not_fit_is_refused(rule, fault):
    """One line names file, rule and feature."""
    data = msgspec.structs.replace(MADE, rules=(rule,)).to_bytes()
    with pytest.raises(GuardrailError, match=r"^g\.json: rule 1") as refused:
        parse_guardrail(data, "g.json", SPEC)
    assert fault in str(refused.value)


def test_another_kind_or_version_is_refused():
    """The mark and the version are those of a guardrail."""
    for change in ({"format": "equiproof-policy"}, {"version": 2}):
        data = msgspec.structs.replace(MADE, **change).to_bytes()
        with pytest.raises(DocumentError, match=r"g.json: want equiproof-guardrail version 1"):
            parse_guardrail(data, "g.json", SPEC)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (
            {"spec_digest": "ab"},
            "field spec_digest: make the guardrail again for this model: it was made for another spec",
        ),
        ({"salt": "5A" * 32}, "field salt: want 64 lower-case hexadecimal digits"),
        ({"salt": ""}, "field salt"),
    ],
)
def test_a_file_for_another_spec_or_without_a_salt_is_refused(change, fault):
    """Its rules could mean something else, or be guessed from the digest."""
    with pytest.raises(GuardrailError, match=rf"^g\.json: {fault}"):
        parse_guardrail(msgspec.structs.replace(MADE, **change).to_bytes(), "g.json", SPEC)


def test_the_digest_is_that_of_the_file_and_hides_its_rules():
    """`sha256sum` gives it; the same rules with another salt have another one."""
    assert MADE.digest == hashlib.sha256(MADE.to_bytes()).hexdigest()
    assert msgspec.structs.replace(MADE, salt="5b" * 32).digest != MADE.digest


@pytest.mark.parametrize(
    ("row", "fault"),
    [({"purpose": "car"}, "feature 'income' is missing"), ({"income": "much"}, "feature 'income' is no number")],
)
def test_a_row_that_no_rule_can_judge_is_refused(row, fault):
    """A missing feature lets no one pass."""
    with pytest.raises(GuardrailError, match=fault):
        MADE.stops(row)
