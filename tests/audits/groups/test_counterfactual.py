"""The counterfactual share is an enumeration: nobody is left out, and every unfair row has its two decisions."""

import itertools

import pytest

from equiproof.audits.context import AuditContext
from equiproof.audits.groups import counterfactual_share
from equiproof.audits.groups.counterfactual import Counterfactuals
from equiproof.certify.network import Layer, QuantisedNetwork
from tests.audits.made import ROWS, context
from tests.certify.hand_made import by_income, by_sex, never
from tests.support import RATES, network

RATES_ROWS = [
    {"income": income, "savings": savings, "gender": gender, "age": age}
    for income, savings, gender, age in itertools.product(
        (15000, 28000, 33000, 52000), ("none", "low", "high"), ("f", "m"), ("25", "40", "60")
    )
]


def test_a_model_that_decides_by_sex_changes_everybody():
    """Every person is decided otherwise under the other sex."""
    found = counterfactual_share(by_sex(), context().spec, ROWS)
    assert [(one.group, one.value, one.n) for one in found] == [
        ((), 1.0, 4), ((("sex", "f"),), 1.0, 2), ((("sex", "m"),), 1.0, 2),
    ]  # fmt: skip


def test_a_model_that_decides_by_income_changes_nobody():
    """Where the sensitive feature has no weight, the share is 0 and its upper end Wilson's."""
    overall, *_ = counterfactual_share(by_income(), context().spec, ROWS)
    assert (overall.value, overall.lower, overall.n) == (0.0, 0.0, 4)
    assert 0 < overall.upper < 0.5


def test_ties_are_counted_either_way():
    """A model that never decides changes nobody for certain, and everybody perhaps."""
    counted = Counterfactuals(context(never()))
    assert set(counted.verdicts) == {"undecided"}
    overall, *_ = counted.shares()
    assert (overall.value, overall.lower, overall.upper) == (0.0, 0.0, 1.0)


@pytest.mark.parametrize("features", [(), ("gender",), ("age",)])
@pytest.mark.parametrize("seed", range(4))
def test_every_row_is_judged_by_all_its_counterparts(seed, features):
    """Brute force over raw values agrees, row by row; of one feature, the others keep the person's own values."""
    model = network(RATES, (5, 3), seed, sensitivity=1.0)
    where = AuditContext(network=model, spec=RATES, commitment="", rows=RATES_ROWS, sensitive_features=features)
    counted = Counterfactuals(where)
    domains = {feature.name: feature.domain for feature in RATES.sensitive_features}
    for row, verdict in zip(RATES_ROWS, counted.verdicts, strict=True):
        changing = {name: domains[name] if name in where.sensitive_features else (row[name],) for name in domains}
        labels = {
            model.decide(RATES.encode(row) + RATES.encode_sensitive(dict(zip(changing, values, strict=True))))
            for values in itertools.product(*changing.values())
        }
        assert verdict == ("unfair" if len(labels - {None}) > 1 else "undecided" if None in labels else "fair")
    assert {"fair", "unfair"} <= set(counted.verdicts) or features


def test_the_counterexample_is_the_persons_own_decision_and_another():
    """The first case is the row as it is, the second a counterpart that is decided otherwise; both replay."""
    where = context(by_sex())
    counted = Counterfactuals(where)
    for row, person in enumerate(ROWS):
        counterexample = counted.counterexample(row)
        own, other = counterexample.cases
        assert own.sensitive == (("sex", person["sex"]),)
        assert own.inputs == other.inputs == tuple(map(str, where.queries[row]))
        assert None not in {own.label, other.label} and own.label != other.label  # noqa: PT018
        counterexample.replay(where.network, where.spec)


def test_the_counterexample_of_a_tie_is_two_other_slices():
    """Who stands on the boundary themselves is unfair where two counterparts are decided differently."""
    # The three ages are at -384, 0 and 512 grid units; the model decides by their sign.
    layers = (Layer(((0, 0, 0, 0, 1), (0, 0, 0, 0, -1)), (0, 0)), Layer(((1, -1), (-1, 1), (-9, -9)), (0, 0, -9)))
    where = AuditContext(
        network=QuantisedNetwork(layers, 8, (0, 0)), spec=RATES, commitment="",
        rows=[RATES_ROWS[1]], sensitive_features=("age",),
    )  # fmt: skip
    counted = Counterfactuals(where)
    assert (counted.own.tolist(), counted.verdicts) == ([-1], ("unfair",))
    cases = counted.counterexample(0).cases
    assert [dict(one.sensitive)["age"] for one in cases] == ["25", "60"]
    assert [one.label for one in cases] == ["standard", "refused"]


def test_progress_ends_with_everything_done():
    """Every counterpart is counted once."""
    progress = []
    where = context(by_sex(), progress=lambda done, total: progress.append((done, total)))
    assert len(Counterfactuals(where).verdicts) == 4
    assert progress[-1] == (8, 8)
