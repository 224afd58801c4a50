"""Which form of keys pays: the constraints of both are those that are pinned, and a fifth decides."""

import csv
import random
from dataclasses import replace

import msgspec
import pytest

from equiproof.certify.models.fidelity import Agreement, Fidelity
from equiproof.certify.traversal.search import Counterexample
from equiproof.certify.trees.ensemble_search import search_under
from equiproof.certify.trees.problem import problem_of
from equiproof.certify.trees.rows import passed_nodes
from equiproof.circuits import standard, standard_scores
from equiproof.circuits.link_shape import link_shape
from equiproof.circuits.shape import (
    additive_shape,
    ensemble_shape,
    gain_shape,
    kept_shape,
    network_box_shape,
    shape_of,
    visiting_shape,
)
from equiproof.circuits.spec import SpecError
from equiproof.cli.commands.inspect import _kept, _visiting
from equiproof.ffi import backend
from equiproof.prover.catalogue import keyed, standard_name
from equiproof.prover.forms import Forms, forms_document
from equiproof.prover.score_inspection import inspect_score
from tests.additive_small import additive
from tests.ensemble_small import ensemble
from tests.support import GENDER, INCOME, LOANS, ROOT, applicant, changed, spec_of

WIDE = spec_of(*(changed(INCOME, name=f"number {place}") for place in range(18)), GENDER)
"""18 plain columns and two sensitive ones, as the pinned shapes have them."""

NOTHING = Agreement("random points", 0, 0, 0, 0.0, None, 0, (0, 0), 0, 0, None)
MEASURED = Fidelity({}, 0.0, None, NOTHING, 0.0, (10,), 10)


def pinned(scheme, model, capacity):
    """Return the constraints of both forms of a shape of 18 + 2 columns as the circuits' own tests pin them."""
    with (ROOT / "go-gnark" / "relation" / "testdata" / "kept.csv").open(newline="") as file:
        (row,) = (
            row
            for row in csv.DictReader(file)
            if (row["scheme"], row["inputs"], row["model"], row["capacity"]) == (scheme, "18+2", model, str(capacity))
        )
    return Forms(int(row["opened"]), int(row["kept"]))


@pytest.mark.parametrize(
    ("scheme", "shape", "model", "worthwhile"),
    [
        ("branch", shape_of("branch", WIDE, (4, 2), 8), "4x2", False),
        ("branch", shape_of("branch", WIDE, (16, 8), 32), "16x8", True),
        ("gain", gain_shape(WIDE, (16, 8), 32), "16x8", False),
        ("traversal", shape_of("traversal", WIDE, (4, 2), 32), "4x2", False),
    ],
)
def test_the_constraints_are_counted(scheme, shape, model, worthwhile):
    """Either form of a shape gives the same counts; one model may have keys of both forms, of different relations."""
    forms = Forms.of(shape)
    assert forms == pinned(scheme, model, shape.capacity) == Forms.of(kept_shape(shape))
    assert forms.worthwhile is worthwhile
    assert forms.share == round(forms.kept / forms.self_contained, 3)


def test_a_fifth_decides():
    """A fifth is enough, one constraint less is not; what is said is rounded down, so that it is no fifth then."""
    exact, short = Forms(1_000_000, 800_000), Forms(1_000_000, 800_001)
    assert (exact.worthwhile, short.worthwhile) == (True, False)
    assert exact.taken_away() == "20.0 % of 1,000,000 constraints"
    assert short.taken_away() == "19.9 % of 1,000,000 constraints"


def test_boxes_have_one_form():
    """There is nothing to count."""
    with pytest.raises(SpecError, match="have no kept form"):
        Forms.of(network_box_shape(LOANS, (2,), 4))


@pytest.mark.parametrize(
    "shape",
    [
        shape_of("branch", LOANS, (2,), 4),
        additive_shape(LOANS, (5, 1), 2, 1),
        ensemble_shape(LOANS, (16, 1), (4, 30), 1, 1, 1),
    ],
)
def test_costs_are_those_of_both_forms(shape):
    """What `inspect` shows of a shape: constraints of the kept form and the link, and whether it is worth that."""
    document, forms = forms_document(shape), Forms.of(shape)
    assert document is not None
    assert document["cost"]["constraints"] == forms.kept
    assert (document["self_contained"], document["share"]) == (forms.self_contained, forms.share)
    assert document["worthwhile"] is forms.worthwhile
    assert 0 < document["link"]["constraints"] != forms.kept


@pytest.mark.parametrize(
    ("model", "room", "shape"),
    [
        (additive(), (17, None, 32), lambda spec: additive_shape(spec, (17, 1), 17, 32)),
        (ensemble(), (17, 45, 32), lambda spec: ensemble_shape(spec, (17, 1), (15, 45), 17, 45, 32)),
    ],
)
def test_scores_are_inspected_in_both_forms(model, room, shape):
    """At the room of keys that are made without a wish, or the largest below it; the text names the room."""
    document = inspect_score(model, LOANS, [], max_seconds=1, measured=MEASURED)
    kept, forms = document["kept"], Forms.of(shape(LOANS))
    assert (kept["slots"], kept["rows"], kept["cost"]["capacity"]) == room
    assert (kept["self_contained"], kept["cost"]["constraints"]) == (forms.self_contained, forms.kept)
    at = f"V = {room[0]}, " + (f"A = {room[1]}, " if room[1] else "") + "K = 32"
    *_, taken_away, made = _kept(kept)
    assert taken_away == f"it takes away {forms.taken_away()} at {at}"
    assert made.startswith("`setup` makes kept" if forms.worthwhile else "`setup` makes self-contained")


def test_room_for_passed_nodes_is_that_of_a_sample():
    """D is what the balls pass that the usual key proves; the text is there where visiting takes away another fifth."""
    model, rng = ensemble(), random.Random(3)
    queries = [LOANS.encode(applicant(LOANS, rng)) for _ in range(12)]
    document = inspect_score(model, LOANS, queries, max_seconds=9, measured=MEASURED)
    counts = []
    for query in queries:
        found = search_under(model, LOANS, query, max_leaves=32)
        if not isinstance(found, Counterexample):
            problem = problem_of(model, query, LOANS.domain_table, max_radius_squared=found.radius_squared)
            ends = [gap for gap in problem.gaps if gap is not None and gap < found.radius_squared]
            balls = [problem.slots(end) for end in (*ends, found.radius_squared)]
            counts.append(max(len(passed_nodes(model, problem.query, slots)) for slots in balls))
    visiting = document["visiting"]
    assert len(set(counts)) > 1
    assert visiting["passed"] == {"median": sorted(counts)[len(counts) // 2], "largest": max(counts)}
    shape = visiting_shape(ensemble_shape(LOANS, (17, 1), (15, 45), 17, 45, 32), max(counts))
    assert visiting["cost"]["constraints"] == backend.describe(shape.document).constraints
    assert visiting["link"]["constraints"] == backend.describe(link_shape(shape).document).constraints
    # Of so small a model visiting takes little away.
    assert _visiting(document) == []
    document["visiting"]["cost"]["constraints"] = int(0.8 * document["kept"]["cost"]["constraints"])
    text = " ".join(_visiting(document))
    assert f"`setup --kept --passed {max(counts)}` makes such keys" in text
    assert text.endswith("gets a smaller radius; one whose own cell does gets no certificate")
    assert inspect_score(additive(), LOANS, [], max_seconds=1, measured=MEASURED)["visiting"] is None


def test_a_shape_without_a_circuit_has_no_costs():
    """Two slices do not fit into one leaf."""
    assert forms_document(replace_capacity(shape_of("branch", LOANS, (2,), 4), 1)) is None


def replace_capacity(shape, capacity):
    """Return a shape with another capacity, checked by nobody."""
    return msgspec.structs.replace(shape, capacity=capacity)


@pytest.mark.parametrize("name", [one.name for one in standard.CATALOGUE])
def test_standard_networks_are_known_by_their_shapes(name):
    """Whether the spec is padded or the model's own, in either scheme; the same sizes without padding are none."""
    (one,) = (one for one in standard.CATALOGUE if one.name == name)
    padded = one.spec(LOANS)
    for spec in (LOANS, padded):
        for scheme in ("branch", "traversal"):
            assert standard_name(one.shape(scheme, spec, 8), spec) == name
    assert standard_name(gain_shape(padded, one.hidden, 8), padded) == name
    assert standard_name(shape_of("branch", LOANS, one.hidden, 8), LOANS) is None


@pytest.mark.parametrize("one", standard_scores.CATALOGUE, ids=lambda one: one.name)
def test_standard_scores_are_known_by_their_shapes(one):
    """With any room; models of one more threshold are none of them."""
    padded = one.spec(LOANS)
    assert standard_name(keyed(one, "trees", LOANS, 8), LOANS) == one.name
    assert standard_name(one.shape(padded, 4, slots=2, rows=None if one.nodes is None else 3), padded) == one.name
    other = replace(one, predicates=(one.predicates[0] + 1, one.predicates[1]))
    assert standard_name(keyed(other, "trees", LOANS, 8), LOANS) is None


def test_a_spec_that_fits_no_standard_shape_has_none():
    """Its grid is another one."""
    spec = spec_of(INCOME, GENDER, bits=(8, 16))
    assert standard_name(shape_of("branch", spec, (16, 8), 8), spec) is None
