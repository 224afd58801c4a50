"""Rules of change: which a spec can have, and what they allow somebody, against a slow definition of its own."""

import itertools
import json
import random
from fractions import Fraction

import pytest

from equiproof.circuits.allowed import WiderWishError, Wish, WishError, allowed
from equiproof.circuits.canonical import DocumentError, canonical_bytes
from equiproof.circuits.changes import Changes, Together
from equiproof.circuits.encodings.missing import Missing
from equiproof.circuits.spec import SpecError, checked, parse_spec
from equiproof.verifier.opened_box import OPENED_BOX, OpenedBox
from tests.change_cases import (
    HALF_YEARS,
    ORDER,
    PAIRS,
    RANGED,
    RULES,
    SCHOOL,
    TABLES,
    WHOLE_YEARS,
    YEARS,
    beside,
    drawn_rules,
    drawn_wish,
    may_become,
    moving,
    ruled,
)
from tests.support import HOUSING, INCOME, LOANS, SAVINGS, changed


def test_without_rules_a_spec_is_what_it_was():
    """Neither field is in the canonical form of a spec that has none, so that digests stay."""
    assert b"changes" not in canonical_bytes(LOANS)
    assert b"together" not in canonical_bytes(LOANS)
    assert f"{LOANS.digest:x}" == "eb9aaef5a67df3f50ec5caf75af6e6fe12e6908a5825ba89e5541cd8c69a6d"
    assert not LOANS.has_changes


def test_rules_are_written_and_read_again():
    """Each field is in the canonical form under its name, and makes another spec."""
    rules = {"step": "50", "from": "100", "to": "6000", "by": "1500", "cost": "0.5"}
    written = json.loads(canonical_bytes(LOANS))
    written["features"][0] |= {"changes": {"direction": "any", **rules}}
    spec = parse_spec(json.dumps(written).encode(), "spec.json")
    assert spec.features[0].changes.start == "100"
    assert json.loads(canonical_bytes(spec)) == written
    assert spec.has_changes
    assert spec.digest != LOANS.digest
    with pytest.raises(DocumentError, match="start"):
        parse_spec(json.dumps(written).replace('"from"', '"start"').encode(), "spec.json")


@pytest.mark.parametrize(("feature", "message"), RULES)
def test_rules_that_contradict_are_refused(feature, message):
    """Ends outside of what a feature can be, steps that miss, orders and values of another domain."""
    if message is None:
        assert ruled(feature).features[0].changes == feature.changes
        return
    with pytest.raises(SpecError) as refused:
        ruled(*beside(feature))
    assert message in str(refused.value)
    assert len(str(refused.value)) <= 400


@pytest.mark.parametrize(("tables", "message"), TABLES)
def test_tables_that_do_not_fit_are_refused(tables, message):
    """Of features that may not change, with rows of other lengths, and with values that no feature has."""
    if message is None:
        assert ruled(SCHOOL, YEARS, INCOME, together=tables).together == tables
        return
    with pytest.raises(SpecError) as refused:
        ruled(SCHOOL, YEARS, INCOME, together=tables)
    assert message in str(refused.value)


def test_numbers_of_a_table_are_steps():
    """A row between two steps would allow what the rule of its feature does not."""
    years = moving(YEARS, step="5")
    with pytest.raises(SpecError, match="a multiple of the step 5 for together"):
        ruled(SCHOOL, years, together=(PAIRS,))


def test_whole_numbers_of_a_table_are_whole():
    """Nobody has the years of such a row."""
    assert ruled(SCHOOL, WHOLE_YEARS, together=(PAIRS,)).together == (PAIRS,)
    with pytest.raises(SpecError, match="a whole number for together"):
        ruled(SCHOOL, WHOLE_YEARS, together=HALF_YEARS)


def test_whole_numbers_without_a_step_are_shown_whole():
    """A stated step is theirs; of other numbers without one any value is shown."""
    for feature, step in (
        (WHOLE_YEARS, 1), (moving(WHOLE_YEARS, step="5"), 5),
        (YEARS, None), (moving(YEARS, step="0.5"), Fraction(1, 2)),
    ):  # fmt: skip
        assert allowed(ruled(feature), {"years": 12}, {}).features["years"].step == step


@pytest.mark.parametrize(
    ("wishes", "kind", "message"),
    [
        ({"age": Wish(fixed=True)}, WishError, "leave out 'age'"),
        ({"sex": Wish(fixed=True)}, WishError, "leave out 'sex'"),
        ({"income": Wish(fixed=False)}, WishError, "write fixed as true"),
        ({"income": Wish(fixed=True, to="5")}, WishError, "nothing beside it"),
        ({"income": Wish(to="x")}, SpecError, "is not a decimal number"),
        ({"income": Wish(by="0")}, WishError, "leave out by, or correct it"),
        ({"income": Wish(values=("a",))}, WishError, "leave out values, or correct it"),
        ({"savings": Wish(to="1")}, WishError, "leave out to, or correct it"),
        ({"savings": Wish(values=("much",))}, WishError, "leave out values, or correct it"),
        ({"savings": Wish(values=("low", "low"))}, WishError, "leave out values, or correct it"),
        ({"income": Wish(to="50001")}, WiderWishError, "narrow to"),
        ({"income": Wish(by="9001")}, WiderWishError, "narrow by"),
        ({"income": Wish(start="1")}, WiderWishError, "leave out from"),
        ({"debt": Wish(start="-1")}, WiderWishError, "narrow from"),
        ({"savings": Wish(values=("none", "high"))}, WiderWishError, "narrow values"),
        ({"housing": Wish(values=("rent",))}, WiderWishError, "narrow values"),
        ({"fixed": Wish(to="1")}, WiderWishError, "leave out to"),
        ({"income": Wish(to="50000", by="9000"), "debt": Wish(start="0", to="10")}, None, ""),
        ({"savings": Wish(values=("high",)), "housing": Wish(values=("own",)), "fixed": Wish(fixed=True)}, None, ""),
    ],
)
def test_wishes_only_narrow(wishes, kind, message):
    """One that goes beyond the rules is refused, and so is one that no feature has."""
    spec = ruled(
        moving(RANGED, to="50000", by="9000"), moving(SAVINGS, order=ORDER), HOUSING,
        changed(INCOME, name="debt", changes=Changes("any", start="0", to="1000")), changed(INCOME, name="fixed"),
    )  # fmt: skip
    row = {"income": 30000, "savings": "low", "housing": "own", "debt": 5, "fixed": 7}
    if kind is None:
        allowed(spec, row, wishes)
        return
    with pytest.raises(kind, match=message) as refused:
        allowed(spec, row, wishes)
    assert isinstance(refused.value, WiderWishError) == (kind is WiderWishError)


@pytest.mark.parametrize(
    ("rules", "wish", "today", "ends"),
    [
        ({}, Wish(), 30000, (30000, 60000)),
        ({"to": "40000"}, Wish(), 30000, (30000, 40000)),
        ({"to": "40000", "by": "1500"}, Wish(), 30000, (30000, 31500)),
        ({"to": "40000", "by": "1500"}, Wish(), 39000, (39000, 40000)),
        ({"to": "40000", "by": "1500"}, Wish(), 50000, (50000, 50000)),
        ({"by": "1500"}, Wish(), "59999.25", ("59999.25", 60000)),
        ({"by": "1500"}, Wish(), 1e-9, ("0.000000001", "1500.000000001")),
        ({"to": "40000"}, Wish(by="5"), 30000, (30000, 30005)),
        ({"to": "40000"}, Wish(to="20000"), 30000, (30000, 30000)),
        ({"to": "40000", "by": "7"}, Wish(to="39000"), 30000, (30000, 30007)),
        ({"to": "40000"}, Wish(fixed=True), 30000, (30000, 30000)),
        ({"direction": "down"}, Wish(), 30000, (0, 30000)),
        ({"direction": "down", "to": "500", "by": "40"}, Wish(by="30"), 30000, (29970, 30000)),
        ({"direction": "down", "to": "500"}, Wish(to="600"), 30000, (600, 30000)),
        ({"direction": "any", "start": "500"}, Wish(), 30000, (500, 60000)),
        ({"direction": "any", "by": "10"}, Wish(start="29995"), 30000, (29995, 30010)),
        ({"direction": "any"}, Wish(by="3", to="30001"), 30000, (29997, 30001)),
    ],
)
def test_ends_of_a_number(rules, wish, today, ends):
    """The nearest of all ends holds, and today's value is always inside."""
    spec = ruled(moving(RANGED, **rules))
    assert allowed(spec, {"income": today}, {"income": wish}).box(spec) == {"income": ends}


def test_large_numbers_are_texts():
    """No integer of an opened box is beyond what JSON keeps."""
    spec = ruled(changed(INCOME, mean="100000000000000000", scale="10000000000000000"))
    row = {"income": "90000000000000001"}
    assert allowed(spec, row, {}).box(spec) == {"income": ("90000000000000001",) * 2}


@pytest.mark.parametrize("mark", [True, None])
def test_what_is_not_stated_stays_so(mark):
    """Of a missing value no change is allowed, nor one that goes with it by a table."""
    missing = Missing(mark=True) if mark else Missing()
    spec = ruled(changed(SCHOOL, missing=missing), changed(YEARS, missing=missing), together=(PAIRS,))
    one = allowed(spec, {"school": None, "years": 12}, {"school": Wish(fixed=True)})
    assert one.box(spec) == {"school": (), "years": (12, 12)}
    both = allowed(spec, {"school": None, "years": None}, {})
    assert both.box(spec) == {"school": (), "years": ()}


@pytest.mark.parametrize("seed", range(60))
def test_the_box_has_what_is_allowed_and_no_more(seed):
    """Of small specs, every value that a slow definition allows is in the box of its feature, and no other one is."""
    rng = random.Random(seed)
    years = changed(YEARS, range=("0", "20"), mean="10", scale="5", changes=YEARS.changes)
    plain = (years, SCHOOL, changed(SAVINGS, domain=("c", "a", "b")), changed(years, name="debt"))
    features = [drawn_rules(rng, changed(feature, changes=INCOME.changes)) for feature in plain]
    kept = all(isinstance(feature.changes, Changes) for feature in features[:2])
    pairs = tuple({(rng.choice(SCHOOL.domain), str(rng.randint(0, 20))) for _ in range(4)})
    spec = ruled(*features, **({"together": (Together(("school", "years"), pairs),)} if kept else {}))
    row = {"years": rng.randint(0, 20), "school": rng.choice(SCHOOL.domain), "savings": rng.choice("abc"), "debt": 7}
    wishes = {feature.name: drawn_wish(rng, feature, spec, row) for feature in features}
    numbers, left = [Fraction(number, 2) for number in range(-2, 44)], {}
    for feature in features:
        every = feature.domain or numbers
        left[feature.name] = [v for v in every if may_become(feature, row[feature.name], v, wishes[feature.name])]
    if kept:
        rows = [row for row in pairs if row[0] in left["school"] and Fraction(row[1]) in left["years"]]
        left["school"] = [one for one in SCHOOL.domain if one == row["school"] or one in {first for first, _ in rows}]
        ends = [Fraction(second) for _, second in rows] + [Fraction(row["years"])]
        left["years"] = [number for number in numbers if min(ends) <= number <= max(ends)]
    box = allowed(spec, row, wishes).box(spec)
    for name in ("years", "debt"):
        assert box[name] == (min(left[name]), max(left[name])), name
    assert box["school"] == tuple(left["school"])
    assert box["savings"] == (left["savings"][0], left["savings"][-1])
    integers = OpenedBox(*OPENED_BOX, box, "0" * 64).integers(spec)
    people = itertools.product(left["years"], left["school"], left["savings"], left["debt"])
    for person in itertools.islice(people, 500):
        values = zip((feature.name for feature in features), person, strict=True)
        query = spec.encode({name: value if isinstance(value, str) else float(value) for name, value in values})
        assert all(low <= at <= high for low, at, high in zip(integers.low, query, integers.high, strict=True))


def test_checked_again_a_spec_with_rules_is_itself():
    """What is read is what was checked."""
    spec = ruled(SCHOOL, YEARS, together=(PAIRS,))
    assert checked(spec) is spec
