"""Whether a decision holds within a distance is proven or refuted in exact numbers, or left open with a reason."""

from fractions import Fraction

import pytest

from equiproof.audits.context import AuditContext
from equiproof.audits.errors import AuditError
from equiproof.audits.groups import robustness
from equiproof.audits.groups.robustness import Robustness, robust, shares
from equiproof.certify.traversal.exact import exact_search
from tests.audits.groups.test_counterfactual import RATES_ROWS
from tests.audits.made import ROWS, context
from tests.certify.hand_made import by_income, by_sex, never
from tests.support import KEPT, RATES, network


def test_distances_of_a_model_by_hand():
    """The model grants above the mean of 30000 with scale 12000: 29000 is a twelfth of a unit away, 20000 is 5/6."""
    assert [robust(context(), row, 0.5, None).verdict for row in range(4)] == ["fair", "fair", "unfair", "unfair"]
    assert [robust(context(), row, 1.0, None).verdict for row in range(4)] == ["unfair", "fair", "unfair", "unfair"]


def test_bounds_enclose_the_distance_by_hand():
    """The income of 29000 is -85 grid units of 1/1024: exactly 85/1024 from the boundary."""
    found = robust(context(), 2, 0.5, None)
    assert found.lower <= Fraction(85, 1024) <= found.upper
    assert found.upper - found.lower < 0.002


def test_a_robust_person_is_certain_up_to_the_distance():
    """The lower bound of a decision that holds is the distance that was asked for, rounded down."""
    found = robust(context(), 0, 0.5, None)
    assert found.verdict == "fair"
    assert 0.499999 <= found.lower <= 0.5
    assert found.counterexample is None


def test_the_counterexample_is_closer_and_decided_otherwise():
    """Both cases replay, have the person's own sensitive values, and are closer than the distance."""
    where = context()
    counterexample = robust(where, 2, 0.5, None).counterexample
    counterexample.replay(where.network, where.spec)
    own, other = counterexample.cases
    assert own.sensitive == other.sensitive == (("sex", "f"),)
    assert (own.label, other.label) == ("declined", "granted")
    away = sum((Fraction(a) - Fraction(b)) ** 2 for a, b in zip(own.inputs, other.inputs, strict=True))
    assert away < (Fraction(1, 2) * 1024) ** 2


def test_only_the_own_sensitive_values_count():
    """A model that decides by sex alone is robust for everybody: nobody's sex changes here."""
    found = robustness(by_sex(), context().spec, ROWS, distance=2.0)
    assert [(one.measure, one.value, one.n) for one in found] == [("robust within 2", 1.0, n) for n in (4, 2, 2)]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(3))
def test_verdicts_agree_with_the_walk_over_regions(seed):
    """On random networks the exact distance, found by another algorithm, is on the same side of the one asked for."""
    model = network(RATES, (4, 3), seed)
    where = AuditContext(network=model, spec=RATES, commitment="", rows=RATES_ROWS[seed::6])
    verdicts = set()
    for row, query in enumerate(where.queries):
        exact = exact_search(
            model, query, (RATES.domain_table[where.slices[row]],),
            max_radius_squared=RATES.max_radius_squared, max_regions=10_000,
        )  # fmt: skip
        assert exact.complete
        for distance in (0.05, 0.4):
            found = robust(where, row, distance, None)
            wanted = (Fraction(str(distance)) * RATES.scale_unit) ** 2
            assert found.verdict == ("fair" if exact.capped or exact.upper >= wanted else "unfair")
            true = None if exact.upper is None else float(exact.upper) ** 0.5 / RATES.scale_unit
            assert true is None or found.lower <= true + 1e-9
            assert true is None or found.upper is None or true <= found.upper + 1e-9
            verdicts.add(found.verdict)
    assert verdicts == {"fair", "unfair"}


def test_a_tie_is_undecided():
    """Who has no decision has none that could hold."""
    found = robust(context(never()), 0, 0.5, None)
    assert (found.verdict, found.reason) == ("undecided", "a tie")


def test_a_budget_that_ends_first_is_a_reason():
    """Without time, a deep network near its boundary stays undecided, and the budget is named."""
    model = network(RATES, (12, 12, 12), 5, sensitivity=1.0)
    where = AuditContext(network=model, spec=RATES, commitment="", rows=RATES_ROWS)
    found = [robust(where, row, 3.0, 0.0) for row in range(0, 72, 6)]
    open_ones = [one for one in found if one.verdict == "undecided"]
    assert open_ones
    assert {one.reason for one in open_ones} == {"no time"}
    share = shares(where, found, 3.0)[0]
    assert share.method == "Wilson, undecided either way"
    assert share.value == sum(one.verdict == "fair" for one in found) / 12


def test_neighbors_outside_the_ranges_do_not_count():
    """Where the spec keeps neighbors to ranges, a boundary beyond them is no other decision."""
    row = {"income": 59000, "savings": "low", "housing": "own", "sex": "f"}
    layers = by_income().layers
    # Grant up to 61000, which nobody has: the logit is 61000 - income, in grid units.
    model = type(by_income())(
        (
            type(layers[0])(((-1, 0, 0, 0, 0),), (1 << 15,)),
            type(layers[0])(((1,),), (KEPT.encode(row | {"income": 60000})[0] + 86 - (1 << 15),)),
        ),
        10,
        (0, 0),
    )
    kept = robust(AuditContext(network=model, spec=KEPT, commitment="", rows=[row]), 0, 0.3, None)
    free = type(KEPT)(**{name: getattr(KEPT, name) for name in KEPT.__struct_fields__} | {"use_ranges": False})
    anywhere = robust(AuditContext(network=model, spec=free, commitment="", rows=[row]), 0, 0.3, None)
    assert (kept.verdict, anywhere.verdict) == ("fair", "unfair")


@pytest.mark.parametrize("distance", [0.0, -1.0, 17.0, float("nan"), float("inf")])
def test_a_distance_that_none_can_have_is_refused(distance):
    """Zero, less, and more than any certificate states."""
    with pytest.raises(AuditError, match=r"^distance: .* is not between 0 and 16, in the spec's units$"):
        robustness(by_income(), context().spec, ROWS, distance=distance)


def test_a_distance_below_every_step_is_kept_by_all():
    """Nobody else is that close, and nobody of these stands on the boundary."""
    assert robustness(by_income(), context().spec, ROWS, distance=1e-300)[0].value == 1.0


def test_shares_are_by_group_and_undecided_count_either_way():
    """One decided and one open person of a group: the share is between a half and all."""
    where = context()
    found = [Robustness(0, "fair"), Robustness(2, "undecided", reason="x"), Robustness(3, "unfair")]
    overall, women, men = shares(where, found, 0.5)
    assert (overall.value, overall.n) == (1 / 3, 3)
    assert (women.group, women.value, women.upper) == ((("sex", "f"),), 0.5, 1.0)
    assert (men.value, men.lower) == (0.0, 0.0)
