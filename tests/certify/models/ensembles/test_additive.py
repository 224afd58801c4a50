"""Rounding of thresholds and values: casts, grids, folding, merging, and the largest scale that fits."""

import dataclasses
from fractions import Fraction

import numpy as np
import pytest

from equiproof.certify.additive import EnsembleError
from equiproof.certify.models.ensembles import fidelity
from equiproof.certify.models.ensembles.additive import additive
from equiproof.certify.models.ensembles.ensemble import Ensemble, Split, Tree, steps
from equiproof.certify.models.ensembles.fidelity import measure_score
from equiproof.certify.models.ensembles.quantise import quantise_score
from equiproof.certify.models.ensembles.rays import Ray, before_cast, before_grid
from equiproof.certify.models.ensembles.score import Score
from equiproof.certify.models.importing import ModelImportError
from equiproof.circuits.canonical import DocumentError
from equiproof.circuits.spec import Feature
from tests.certify.models.ensembles.samples import GIVEN, SPEC, in_logits, inputs, totals
from tests.certify.models.importing.samples import COLUMNS
from tests.support import changed


def ensemble(*trees, base=0, single=False):
    """Return an ensemble of COLUMNS."""
    return Ensemble("test", len(COLUMNS), trees, base=Fraction(base), single=single, columns=COLUMNS)


def score_of(*trees, spec=SPEC, **options):
    """Return the score of an ensemble of raw numbers."""
    return additive(ensemble(*trees, **options), spec, units="raw", columns=COLUMNS, rows=GIVEN)


def stump(column, threshold, low, high, *, strict=False):
    """Return a tree of one split."""
    return steps(column, [Fraction(threshold)], [Fraction(low), Fraction(high)], strict=strict)


def test_a_cast_ray_holds_exactly_the_numbers_that_the_cast_takes_onto_the_ray():
    """Doubles next to the end of the preimage, for both comparisons, on numbers of every size."""
    rng = np.random.default_rng(0)
    for _ in range(300):
        threshold = np.float32(rng.normal() * 10.0 ** rng.integers(-30, 30))
        for closed in (False, True):
            ray = before_cast(before_cast(Ray(Fraction(float(threshold)), closed), "single"), "double")
            for start in (float(ray.end), float(threshold)):
                for number in (start, np.nextafter(start, np.inf), np.nextafter(start, -np.inf)):
                    seen = np.float32(number)
                    passes = seen >= threshold if closed else seen > threshold
                    assert (Fraction(float(number)) in ray) == passes


def test_rounding_to_steps_moves_a_ray_by_half_a_step_at_most():
    """The preimage of a ray under rounding half up, at a step and between two."""
    assert before_grid(Ray(Fraction(3), closed=True), 2) == Ray(Fraction(11, 4), closed=True)
    assert before_grid(Ray(Fraction(3), closed=False), 2) == Ray(Fraction(13, 4), closed=True)
    assert before_grid(Ray(Fraction(31, 10), closed=False), 2) == Ray(Fraction(13, 4), closed=True)


def test_equal_predicates_are_merged_and_jumps_of_zero_dropped():
    """Two trees with one threshold are one predicate; a tree without a jump is none."""
    found = quantise_score(
        score_of(stump(0, 2500, -1, 1), stump(0, 2500, 0, 3), stump(3, 10, 2, 2), base=Fraction(1, 2)), SPEC
    )
    assert found.predicates == (1, 0)
    assert found.jumps[0] == 5 << found.value_fraction_bits
    assert found.bias == 3 << (found.value_fraction_bits - 1)
    assert 1 << 14 <= found.jumps[0] < 1 << 15


def test_sensitive_thresholds_between_the_same_values_are_merged():
    """Between 0 and 1 there is one predicate, outside there is none."""
    trees = [stump(4, Fraction(end, 10), 0, 1) for end in (-3, 2, 5, 7, 13)]
    found = quantise_score(score_of(stump(0, 2500, -1, 1), *trees), SPEC)
    assert found.predicates == (1, 1)
    one = 1 << found.value_fraction_bits
    assert (found.jumps[1], found.bias) == (3 * one, 0)
    assert found.thresholds[1] == min(row[0] for row in SPEC.domain_table)


def test_thresholds_beyond_the_width_are_folded():
    """A split that no integer of `input_bits` passes adds nothing; one that every integer passes is a constant."""
    found = quantise_score(score_of(stump(0, 2500, -1, 1), stump(3, 10**12, 0, 5), stump(3, -(10**12), 0, 7)), SPEC)
    assert found.predicates == (1, 0)
    assert found.bias == 6 << found.value_fraction_bits


def test_a_large_constant_coarsens_the_scale_until_the_bias_fits():
    """The bias has 24 bits, jumps 16; where neither fits at scale 1 the model is refused."""
    found = quantise_score(score_of(stump(0, 2500, -1, 1), base=3000), SPEC)
    assert abs(found.bias) < 1 << 23
    assert found.value_fraction_bits == 11
    with pytest.raises(EnsembleError, match="divide all scores of the model by the same number"):
        quantise_score(score_of(stump(0, 2500, -(10**5), 1)), SPEC)


def test_trees_whose_nodes_do_not_form_a_tree_are_refused():
    """A node with two parents, a child above its parent, a column that is missing."""
    half = Fraction(1, 2)
    leaves = (Fraction(0), Fraction(1))
    for splits in (
        (Split(0, half, False, ~0, ~0),),
        (Split(0, half, False, 0, ~0),),
        (Split(9, half, False, ~0, ~1),),
    ):
        with pytest.raises(ModelImportError, match="tree 1"):
            ensemble(Tree(splits, leaves))


def test_a_score_that_is_written_is_read_again_and_other_files_are_refused():
    """Every fraction survives; other fields, versions and unordered steps do not pass."""
    score = score_of(stump(0, 2500, -1, Fraction(1, 3)), stump(3, 10, 0, 1, strict=True))
    data = score.to_bytes()
    assert Score.parse(data, "ensemble.json") == score
    for old, new in ((b'"version":1', b'"version":2'), (b'"1/3', b'"x'), (b'"4/3"', b'"4/0"'), (b"[{", b"[{}, {")):
        with pytest.raises(DocumentError, match=r"^ensemble\.json"):
            Score.parse(data.replace(old, new) if old in data else b"{}", "ensemble.json")
    turned = score.to_bytes().replace(b'"column":0', b'"column":9')
    with pytest.raises(DocumentError, match="no column"):
        Score.parse(turned, "ensemble.json")


def test_fidelity_counts_what_rounding_changes_and_bounds_the_score():
    """Labels, flips and the largest gap on rows; no row is further off than the bound."""
    rng = np.random.default_rng(1)
    cuts = {0: 9000, 3: 30, 4: 1}
    trees = [
        stump(int(column), float(rng.uniform(0, cuts[int(column)])), *map(float, rng.normal(size=2)))
        for column in rng.choice(list(cuts), 40)
    ]
    score = score_of(*trees, stump(4, 0.5, -1.5, 1.5))
    middle = Fraction(float(np.median(totals(score))))
    score = dataclasses.replace(score, base=score.base - middle)
    model = quantise_score(score, SPEC)
    report = measure_score(score, model, SPEC, GIVEN, "rows", np.zeros(len(GIVEN), dtype=np.int64))
    gaps = np.abs(totals(score) - in_logits(model, SPEC))
    assert report.rows.largest_gap == pytest.approx(gaps.max(), rel=1e-9)
    assert gaps.max() <= report.logit_bound
    assert report.rows.differing == ((totals(score) > 0) != (in_logits(model, SPEC) > 0)).sum()
    other = [dict(row, sex="f" if row["sex"] == "m" else "m") for row in GIVEN]
    flips = ((totals(score) > 0) != (totals(score, other) > 0)).sum()
    assert report.rows.flips[0] == flips > 0
    assert report.weight_loss["sex"] < 0.001


def test_sensitive_values_that_no_predicate_tells_apart_are_scored_once(monkeypatch):
    """Of 40 ages with three thresholds four are scored, and the flips are those of all of them."""
    ages = tuple(str(age) for age in range(18, 58))
    sex = next(feature for feature in SPEC.features if feature.sensitive)
    aged = Feature("age", "numeric", "scaled", True, mean="0", scale="16", domain=ages)
    spec = changed(SPEC, features=tuple(aged if feature is sex else feature for feature in SPEC.features))
    columns = (*COLUMNS[:4], "age")
    trees = [stump(0, 2500, -3, 3), *(stump(4, age, -1, 1) for age in (25, 40, 50))]
    own = Ensemble("test", len(columns), tuple(trees), base=Fraction(1, 2), single=False, columns=columns)
    rows = [{name: row[name] for name in row if name != "sex"} | {"age": "30"} for row in GIVEN]
    score = additive(own, spec, units="raw", columns=columns, rows=rows)
    model = quantise_score(score, spec)
    asked = []
    committed = fidelity.committed_scores
    monkeypatch.setattr(fidelity, "committed_scores", lambda *given: asked.append(given) or committed(*given))
    report = measure_score(score, model, spec, rows, points=50)
    assert len(asked) == 2 * (1 + 4)
    labels = [[model.score(row) > 0 for row in inputs(spec, [one | {"age": age} for one in rows])] for age in ages]
    assert report.rows.flips == (sum(len(set(one)) > 1 for one in zip(*labels, strict=True)),) * 2
    assert 0 < report.rows.flips[1] < len(rows)


def test_a_sensitive_jump_that_rounds_to_zero_is_reported_as_lost():
    """Beside a large jump a small sensitive one disappears: all of it is lost."""
    score = score_of(stump(0, 2500, -30000, 30000), stump(4, 0.5, 0, 0.1))
    with pytest.raises(EnsembleError):
        quantise_score(score, SPEC)
    score = score_of(stump(0, 2500, 0, 30000), stump(4, 0.5, 0, 0.1), base=-15000)
    report = measure_score(score, quantise_score(score, SPEC), SPEC, points=300)
    assert report.weight_loss["sex"] == 1.0
    assert "sex: 100 % of what its thresholds change is lost in rounding" in report.summary()
    assert "jumps and leaves in steps of 2^-" in report.summary()
