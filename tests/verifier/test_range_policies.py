"""Two policies judge ranges: one refuses them, the other wants them at least as wide as the relying party's own."""

import re
from copy import deepcopy
from dataclasses import replace

import pytest

from equiproof.circuits.spec import SpecError
from equiproof.verifier import MinRadius, NoRanges, PolicyError, RangesWithin
from equiproof.verifier.facts import ABOUT_RANGES, Facts
from equiproof.verifier.reading import Reading
from equiproof.verifier.verify import left_open
from tests.support import HOUSING, INCOME, LOANS, LOGARITHMS, SAVINGS, SEX, changed, spec_of


@pytest.fixture
def facts(loans, proven):
    """What a policy judges about the honest certificate."""
    return Facts(proven.certificate.to_statement(), LOANS, loans.key.document)


def ranged(facts, *features, use_ranges=True):
    """Return facts under a spec with these features and LOANS' sensitive one."""
    return replace(facts, spec=spec_of(*features, SEX, use_ranges=use_ranges))


def income(low, high):
    """Return the number `income` with a range."""
    return changed(INCOME, range=(low, high))


@pytest.mark.parametrize("policy", [NoRanges(), RangesWithin({"income": ("-9000000", "9000000")})])
def test_a_certificate_about_all_neighbors_leaves_nobody_out(facts, policy):
    """Where the spec does not restrict neighbors, refusing ranges and naming them are met, whatever ranges it has."""
    for spec in (INCOME, income("0", "60000")):
        assert "not restricted to ranges" in policy.check(ranged(facts, spec, use_ranges=False))[0]


def test_no_ranges_refuses_ranges(facts):
    """A spec that restricts neighbors is refused, with ranges of its own or with those of the width."""
    for feature in (INCOME, income("0", "60000"), income("-1000000", "1000000")):
        with pytest.raises(PolicyError, match="covers only neighbors inside ranges, the policy accepts no ranges"):
            NoRanges().check(ranged(facts, feature))


@pytest.mark.parametrize(
    ("certified", "mine", "met"),
    [
        (("0", "60000"), ("0", "60000"), True),
        (("0", "60000"), ("0.0", "60000.00"), True),
        (("0", "60000"), ("10000", "20000"), True),
        (("0", "60000"), ("30000", "30000"), True),
        (("0", "60000"), ("10000", "60000.000000000000000000000001"), False),
        (("0", "60000"), ("-0.000000000000000000000001", "20000"), False),
        (("0", "60000"), ("-1", "70000"), False),
        (("0", "60000"), ("60001", "70000"), False),
        (("10000", "20000"), ("0", "60000"), False),
        (("0.1", "0.3"), ("0.1", "0.3"), True),
        (("0.1", "0.3"), ("0.1", "0.3000000000000000166"), False),
    ],
)
def test_certified_ranges_must_be_at_least_as_wide(facts, certified, mine, met):
    """Who is in mind must be in the certified range: a wider or equal one is accepted, a narrower one is refused."""
    policy, under = RangesWithin({"income": mine}), ranged(facts, income(*certified))
    if met:
        assert policy.check(under) == (f"its ranges include yours: income {mine[0]} to {mine[1]}",)
        return
    said = rf"neighbors with income from .+ EUR, the policy requires {re.escape(' to '.join(mine))}$"
    with pytest.raises(PolicyError, match=said):
        policy.check(under)


@pytest.mark.parametrize(
    ("mine", "met"),
    [
        (("62.9567", "4191459"), True),
        (("1000", "2000"), True),
        (("62.9566", "1000"), False),
        (("1000", "4191460"), False),
    ],
)
def test_logarithms_have_ends_too(facts, mine, met):
    """Without a range, a number by its logarithm is kept to what the width holds of logarithms."""
    under = replace(facts, spec=LOGARITHMS)
    policy = RangesWithin({"wealth": mine, "debt": ("0", "1000000")})
    if met:
        assert policy.check(under)[0].startswith(f"its ranges include yours: wealth {mine[0]} to {mine[1]}, debt 0 to")
        return
    with pytest.raises(PolicyError, match=r"neighbors with wealth from 62\.9567 to 4,191,459 EUR, the policy requires"):
        policy.check(under)


def test_every_number_under_ranges_must_be_named(facts):
    """A range that was not named could leave people out; categories are never restricted and need no name."""
    debt = changed(INCOME, name="debt", range=("0", "100"))
    under = ranged(facts, income("0", "60000"), debt, HOUSING, SAVINGS)
    mine = {"income": ("1", "2"), "debt": ("0", "100")}
    assert RangesWithin(mine).check(under) == ("its ranges include yours: income 1 to 2, debt 0 to 100",)
    for name in mine:
        rest = {other: ends for other, ends in mine.items() if other != name}
        with pytest.raises(PolicyError, match=rf"neighbors with {name} from 0 to .* the policy names no range for it$"):
            RangesWithin(rest).check(under)
    for stranger in ("housing", "savings", "sex", "incme"):
        for use_ranges in (True, False):
            spec = changed(under.spec, use_ranges=use_ranges)
            with pytest.raises(PolicyError, match=f"names a range for '{stranger}': the spec has no such number"):
                RangesWithin(mine | {stranger: ("0", "1")}).check(replace(under, spec=spec))


def test_a_number_without_a_range_ends_where_its_width_does(facts):
    """Under ranges, a number without one is restricted to what is shown of its width, and so is the policy."""
    under = ranged(facts, INCOME)
    shown = Reading.of(under.spec, 0, 0).ranges["income"]
    low, _, high = shown.removesuffix(" EUR").replace(",", "").partition(" to ")
    assert RangesWithin({"income": (low, high)}).check(under)
    for ends in ((f"{int(low) - 1}", high), (low, f"{int(high) + 1}")):
        with pytest.raises(PolicyError, match=re.escape(shown)):
            RangesWithin({"income": ends}).check(under)


@pytest.mark.parametrize(
    "ends",
    ["09", ("0",), ("0", "1", "2"), (0, 9), (0.0, 9.0), ("0", None), ("", "1"), ("0", "1e3"), ("0", "inf"), ("2", "1")],
)
def test_ranges_are_exact_decimal_text(ends):
    """A range is two decimals as text, the lower one first; a float, which is rounded, is refused with the rest."""
    with pytest.raises(SpecError, match=r"^range of 'income': "):
        RangesWithin({"income": ends})


def test_ranges_stay_what_they_were():
    """No range at all is refused; the policy keeps a copy that cannot be changed."""
    with pytest.raises(ValueError, match=r"use NoRanges\(\)"):
        RangesWithin({})
    given = {"income": ("0", "1")}
    policy = RangesWithin(given)
    given["income"] = ("0", "2")
    assert dict(policy.ranges) == {"income": ("0", "1")}
    with pytest.raises(TypeError):
        policy.ranges["income"] = ("0", "2")
    assert deepcopy(policy) == policy != RangesWithin(given)


def test_ranges_are_a_check_of_certificates_with_ranges(facts):
    """Both policies cover the check that a certificate with ranges needs, which one without does not list."""
    assert NoRanges().covers == RangesWithin({"income": ("0", "1")}).covers == {ABOUT_RANGES}
    assert ABOUT_RANGES in left_open(ranged(facts, INCOME), MinRadius("1"))
    assert ABOUT_RANGES not in left_open(ranged(facts, INCOME), RangesWithin({"income": ("0", "1")}))
    assert ABOUT_RANGES not in left_open(ranged(facts, INCOME, use_ranges=False), MinRadius("1"))


def test_a_long_name_is_cut(facts):
    """A message shows forty signs of a name that no feature has."""
    for count in (40, 41):
        with pytest.raises(PolicyError) as caught:
            RangesWithin({"x" * count: ("0", "1")}).check(ranged(facts, income("0", "60000")))
        assert str(caught.value).count("x" * 40) == 1
        assert "x" * 41 not in str(caught.value)
