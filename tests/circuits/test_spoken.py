"""Translations of a spec: what people are told in a language; that none misleads, and absent ones change nothing."""

import msgspec
import pytest

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.spec import SpecError, SpokenFeature, SpokenSpec, checked, parse_spec
from equiproof.verifier.words import shown_name
from tests.support import SEX, changed
from tests.vectors.generate.words import AGE, DEBT, LENDING, SPOKEN


def test_a_language_without_a_translation_has_the_specs_own_words():
    """Names, units and labels, each by itself."""
    debt = next(feature for feature in SPOKEN.features if feature.name == "debt")
    assert (debt.name_in("en"), debt.unit_in("en"), debt.name_in("de"), debt.unit_in("de")) == (
        *("debts", "euro", "Schulden", "Euro"),
    )
    education = SPOKEN.features[1]
    assert (education.name_in("de"), education.unit_in("de"), education.name_in("en")) == (
        "Ausbildung",
        "",
        "education",
    )
    assert SPOKEN.labels_in("de") == ("abgelehnt", "bewilligt")
    assert SPOKEN.labels_in("en") == SPOKEN.labels


def test_a_spec_is_read_as_it_is_written_and_is_another_one_with_translations():
    """They are part of the document, so the commitment binds them; without them no byte differs."""
    data = canonical_bytes(SPOKEN)
    assert parse_spec(data, "spec") == checked(SPOKEN)
    assert SPOKEN.digest != LENDING.digest
    assert SPOKEN.domain_table == LENDING.domain_table
    assert not {b'"en"', b'"de"'} & set(canonical_bytes(LENDING).split(b":"))
    assert b'"de"' not in canonical_bytes(LENDING)


def test_blanks_of_one_language_are_no_matter_in_another():
    """Underscores are shown as blanks unless a name in the same language has a blank."""
    blank = changed(AGE, de=SpokenFeature("Alter in Jahren"))
    other = changed(DEBT, name="net_debt")
    spec = checked(changed(LENDING, features=(blank, other, SEX)))
    assert (shown_name(spec, other), shown_name(spec, other, "de")) == ("net debt", "net_debt")
    assert shown_name(spec, blank, "de") == "Alter in Jahren"


@pytest.mark.parametrize(
    ("translation", "said"),
    [
        ({"de": SpokenSpec(("granted", "refused"))}, "names are not distinct"),
        (
            {"de": SpokenSpec(("bewilligt", "abgelehnt")), "en": SpokenSpec(("abgelehnt", "ok"))},
            "names are not distinct",
        ),
        ({"de": SpokenSpec(("nein",))}, "de.labels: name all 2 labels"),
        ({"de": SpokenSpec(("abge\u200blehnt", "bewilligt"))}, "holds U\\+200B"),
        ({"de": SpokenSpec(("grant\u0435d", "bewilligt"))}, "look|letters"),
    ],
)
def test_no_label_is_called_what_another_is(translation, said):
    """Neither in one language nor across them, nor by letters that look alike."""
    with pytest.raises(SpecError, match=said):
        checked(changed(LENDING, **translation))


def test_a_unit_is_translated_where_there_is_one():
    """A unit of a number without one, or none for a number with one, would say another quantity."""
    for feature, unit in ((changed(AGE, unit=""), "Jahre"), (AGE, "")):
        spoken = changed(feature, de=SpokenFeature(unit=unit))
        with pytest.raises(SpecError, match=r"de\.unit: leave it out, or give the feature a unit"):
            checked(changed(LENDING, features=(spoken, SEX)))
    assert isinstance(SpokenFeature().unit, msgspec.UnsetType)
