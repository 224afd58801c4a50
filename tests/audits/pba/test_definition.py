"""What is asked: the objective is the log odds ratio, settings are opposite, neighborhoods hold what they should."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest

from equiproof.audits.errors import AuditError
from equiproof.audits.pba.definition import (
    ask,
    ask_robust,
    checked_units,
    default_units,
    margin,
    margin_row,
    neighborhood,
    rivals,
)
from equiproof.certify.data.lending import make_lending
from equiproof.circuits.spec import Spec
from tests.certify.tiny import larger

SPEC: Spec = make_lending(60).spec


@pytest.mark.parametrize("logits", [1, 2, 3])
def test_objective_is_the_log_of_the_ratio_of_softmax_odds(logits):
    """Lemma 1, for one logit f as the logits (0, f): the difference of margins is the log odds ratio."""
    for seed in range(10):
        case = larger(seed, 4, (6, 3), logits=logits)
        unit = 1 << case.network.logit_fraction_bits
        labels = random.Random(seed).sample(range(max(2, logits)), 2)
        odds = []
        for row in case.table:
            found = [int(one) / unit for one in case.network.logits((*case.query, *row))]
            found = [0.0, *found] if logits == 1 else found
            total = sum(map(math.exp, found))
            shares = [math.exp(one) / total for one in found]
            odds.append(shares[labels[0]] / shares[labels[1]])
        question = ask(case.query, *case.table, "observed", tuple(labels), (case.query, case.query))
        assert math.isclose(question.at(case.network, case.query) / unit, math.log(odds[0] / odds[1]), abs_tol=1e-9)


def test_settings_are_opposite_and_labels_antisymmetric():
    """Flipping the setting, or exchanging the two labels, changes the sign of the objective and nothing else."""
    case = larger(1, 4, (6, 3), logits=3)
    box = (case.query, case.query)
    differences = [
        ask(case.query, *case.table, setting, labels, box).at(case.network, case.query)
        for setting, labels in (("observed", (0, 2)), ("flipped", (0, 2)), ("observed", (2, 0)))
    ]
    assert differences[0] == -differences[1] == -differences[2] != 0


def test_robust_question_is_the_margin():
    """A single copy asks for the margin of the decision itself."""
    case = larger(2, 4, (5,), logits=3)
    row = case.table[0]
    question = ask_robust(case.query, row, (1, 2), (case.query, case.query))
    logits = case.network.logits((*case.query, *row))
    assert question.at(case.network, case.query) == logits[1] - logits[2]
    weights, constant = margin_row(case.network, 1, 2)
    hidden = [max(z, 0) for z in case.network.pre_activations((*case.query, *row))[-2]]
    assert sum(w * h for w, h in zip(weights, hidden, strict=True)) + constant == margin(
        case.network, (*case.query, *row), 1, 2
    )


def test_every_other_label_is_a_rival():
    """A single logit has two labels, three logits have three."""
    assert rivals(larger(0, 3, (2,)).network, 1) == (0,)
    assert rivals(larger(0, 3, (2,), logits=3).network, 1) == (0, 2)


def test_units_are_round_numbers_of_a_scale():
    """The largest power of ten not above a tenth of the scale, at least 1, of every numeric feature."""
    units = default_units(SPEC)
    assert set(units) == {
        feature.name for feature in SPEC.plain_features if feature.kind == "numeric" and not feature.sensitive
    }
    scales = {feature.name: Fraction(feature.scale) for feature in SPEC.plain_features}
    for name, unit in units.items():
        assert unit == 1 or unit <= scales[name] / 10 < 10 * unit
    assert units["age"] == 1
    assert units["income"] == 100
    assert checked_units(SPEC, {"income": Fraction(0)})["income"] == 0


@pytest.mark.parametrize("given", [{"sex": Fraction(1)}, {"purpose": Fraction(1)}, {"age": Fraction(-1)}])
def test_units_that_mean_nothing_are_refused(given):
    """A unit of a category, of a sensitive feature, or below 0 is an error that names the feature."""
    with pytest.raises(AuditError, match=next(iter(given))):
        checked_units(SPEC, given)


def test_neighborhood_holds_the_grid_point_of_every_near_row():
    """Rows within delta units are encoded inside the box, categories stay, and boxes grow with delta."""
    rng = random.Random(3)
    data = make_lending(60)
    units = default_units(data.spec)
    for row in data.rows[:20]:
        query = data.spec.encode(row)
        before = (query, query)
        assert neighborhood(data.spec, query, 0, units) == before
        for delta in (1, 2, 3):
            low, high = neighborhood(data.spec, query, delta, units)
            assert all(a >= b for a, b in zip(before[0], low, strict=True))
            assert all(a <= b for a, b in zip(before[1], high, strict=True))
            before = (low, high)
            near = dict(row)
            for name, unit in units.items():
                feature = next(one for one in data.spec.features if one.name == name)
                least, most = map(Fraction, feature.range)
                step = Fraction(rng.randint(-100, 100), 100) * delta * unit
                near[name] = float(min(most, max(least, row[name] + step)))
            encoded = data.spec.encode(near)
            assert all(a <= value <= b for a, value, b in zip(low, encoded, high, strict=True))
            fixed = [feature.name not in units for feature in data.spec.plain_features for _ in range(feature.width)]
            ends = zip(low, query, high, fixed, strict=True)
            assert all(a == value == b for a, value, b, held in ends if held)


def test_negative_delta_is_refused():
    """There is no neighborhood of a negative radius."""
    with pytest.raises(AuditError, match="delta"):
        neighborhood(SPEC, SPEC.encode(make_lending(60).rows[0]), -1, default_units(SPEC))
