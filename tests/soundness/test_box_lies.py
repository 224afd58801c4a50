"""The witnesses about additive models on boxes that the Go tests read are those made here; some state what is false."""

import random
import re
from dataclasses import replace
from itertools import product

import pytest

from equiproof.certify.branch.box_search import decide_on_box
from equiproof.certify.branch.evidence import BranchEvidence
from equiproof.certify.network import decide
from equiproof.certify.people import Box, BoxError
from equiproof.certify.trees.box import decided, worst
from equiproof.certify.trees.box_leaves import box_leaves
from equiproof.certify.trees.ensemble_evidence import EnsembleEvidence
from equiproof.circuits.branch_layout import shape_parameters
from equiproof.circuits.categories import Choice
from equiproof.circuits.rules import BOX_RULES
from equiproof.circuits.statement import Statement
from tests.circuits.tiny_cases import broken_rule, free_checkers, verdict
from tests.soundness import box_branch_lies, box_told
from tests.soundness.box_branch_case import is_false
from tests.soundness.box_lies import OPEN, SPEC, by_columns, opened
from tests.soundness.box_told import LIES, filled_under
from tests.soundness.box_told import stated as opened_by
from tests.soundness.tiny_boxes import (
    drawn_leaves,
    persons,
    tiny,
    tiny_ensemble,
    tiny_ensemble_of_categories,
    tiny_network,
    told_leaves,
    told_signs,
)
from tests.support import ROOT, changed
from tests.vectors.generate import box

MORE = (pytest.mark.slow, pytest.mark.sampled(1))
LINKED = 3
"""How many of 25 models the circuit judges, too; the reference judges all."""

PAGE = ROOT / "docs" / "relation-box.md"


@pytest.fixture(scope="module", autouse=True)
def _freed():
    """Free the compiled circuits behind these tests."""
    yield
    free_checkers()


def test_the_files_are_made_of_these_lies():
    """`python -m tests.vectors.generate.box` writes what stands there, and each lie is in one file."""
    found = {path.name: path.read_bytes() for path in box.FOLDER.iterdir()}
    assert found == box.files(), "python -m tests.vectors.generate.box"
    assert sum(data.count(b'"rule"') for data in found.values()) == sum(len(lies) for lies, _ in box.REGISTERS)


def test_every_rule_of_the_page_is_broken():
    """Every rule that the page has a table line for is broken by a lie."""
    named = set(re.findall(r"^\| (R-X-[A-Z]+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    assert named == set(BOX_RULES)
    broken = {rule for lies in (LIES, box_branch_lies.LIES) for rule, *_ in lies.values()}
    assert named - broken == {"R-X-BOX"}


@pytest.mark.parametrize("truth", [by_columns, *(one for truths in box.TRUTHS.values() for one in truths)])
def test_honest_witnesses_satisfy_circuit_and_reference(truth):
    """What breaks no rule has a proof."""
    of = truth()
    assert verdict(of.shape, of.public, of.wires) is None


@pytest.mark.parametrize(("name", "telling"), [(name, telling) for lies, telling in box.REGISTERS for name in lies])
def test_lies_break_their_rule(name, telling):
    """The circuit refuses a lie, and the reference over the field by the rule that the lie is listed under."""
    of = telling(name)
    assert verdict(of.shape, of.public, of.wires) == of.rule


def test_lies_about_networks_state_what_is_false():
    """Of the others, nobody in the box is decided otherwise than they say, and in honest boxes nobody is."""
    for name in box_branch_lies.LIES:
        assert is_false(box_branch_lies.told_by(name)) == (name not in box_branch_lies.HARMLESS), name
    for truths in box_branch_lies.TRUTHS.values():
        assert not any(is_false(truth()) for truth in truths)


def test_statements_of_other_wires_are_refused():
    """R-STATEMENT: another digest, another opening of the box, a query in place of a box, another relation's digest."""
    of = opened()
    stated = opened_by(of.shape, of.wires)
    others = [
        of.public + 1,
        replace(stated, box_commitment=stated.box_commitment + 1).digest(of.shape),
        replace(stated, label=0).digest(of.shape),
        replace(stated, context_digest=3).digest(of.shape),
        replace(stated, spec_digest=3).digest(of.shape),
        stated.digest(changed(of.shape, scheme="additive")),
        # The parts of a statement about a ball of radius 0 around nobody.
        Statement(
            stated.model_commitment, stated.spec_digest, stated.domain_digest, stated.box_commitment, 1, 0,
            stated.context_digest,
        ).digest(of.shape),
    ]  # fmt: skip
    for digest in others:
        assert verdict(of.shape, digest, of.wires) == "R-STATEMENT"
    for name in ("box_low", "box_high", "box_blinding"):
        wires = {**of.wires, name: [of.wires[name][0] + 1, *of.wires[name][1:]]}
        assert verdict(of.shape, of.public, wires) == "R-STATEMENT"


@pytest.mark.parametrize(
    "seeds",
    [range(3), *(pytest.param(range(start, start + 250), marks=MORE) for start in range(100, 1100, 250))],
)
def test_tiny_models_are_decided_on_a_box_as_everybody_in_it(seeds):
    """The worst person is the worst of all persons; a label is proven where all of them have it, and nowhere else."""
    for seed in seeds:
        case = tiny(seed)
        everybody = persons(case)
        for label in (0, 1):
            margins = [(2 * label - 1) * case.model.score((*x, *row)) for x, row in product(everybody, case.table)]
            found = worst(case.model, case.box, case.table, label)
            assert found.margin == min(margins)
            assert found.point in everybody
            of = filled_under(case.shape, case.model, case.box, label, case.table)
            # A circuit is compiled for each shape, which takes most of the time.
            judge = verdict if seed % 25 < LINKED else broken_rule
            proven = judge(of.shape, of.public, of.wires)
            assert proven == (None if min(margins) >= 1 else "R-X-CLOSE")
        labels = {case.model.decide((*x, *row)) for x, row in product(everybody, case.table)}
        assert decided(case.model, case.box, case.table) == (labels.pop() if len(labels) == 1 else None)


@pytest.mark.parametrize("seed", range(8))
def test_no_choice_of_free_wires_proves_a_tie(seed):
    """Whatever a liar says of what the rules leave open, a box with somebody at a score of 0 has no proof."""
    rng = random.Random(seed)
    of = box_told.told("a-tie-in-the-box")
    for _ in range(6):
        wires = dict(of.wires)
        wires["worst"] = [wires["worst"][0] - rng.randint(0, 2)]
        wires["least"] = [wires["least"][0] - rng.randint(0, 2)]
        wires["free"] = [rng.randint(0, 1)]
        assert verdict(of.shape, of.public, wires) is not None


def test_boxes_that_are_none_are_refused_by_name():
    """An empty column, a category that is half open or open beside a value, and ends of other lengths."""
    choice = Choice(0, 2, -5, 5)
    assert Box(OPEN.low, OPEN.high, OPEN.choices).open(OPEN.choices[0]) == [2, 3]
    for low, high, says in (
        ((0, 0), (0,), "2 least and 1 largest values"),
        ((0, 1), (0, 0), "column 1: nobody is in the box"),
        ((-5, -5), (0, 5), "column 0: a category"),
        ((5, -5), (5, 5), "column 0: a category"),
    ):
        with pytest.raises(BoxError, match=says):
            Box(low, high, (choice,))
    assert SPEC.plain_columns == len(OPEN.low)


@pytest.mark.parametrize(
    "seeds",
    [range(6), *(pytest.param(range(start, start + 250), marks=MORE) for start in range(100, 1100, 250))],
)
@pytest.mark.parametrize("drawn", [tiny_ensemble, tiny_ensemble_of_categories])
def test_tiny_ensembles_are_decided_on_a_box_as_everybody_in_it(seeds, drawn):
    """Leaves are found where all persons have a label, and are proven; elsewhere somebody is shown who has not."""
    for seed in seeds:
        case = drawn(seed)
        everybody = persons(case)
        for label in (0, 1):
            true = all(case.model.decide((*x, *row)) == label for x, row in product(everybody, case.table))
            found = box_leaves(case.model, case.box, case.table, label, (64, 99, 999))
            assert isinstance(found, EnsembleEvidence) == true
            if isinstance(found, EnsembleEvidence):
                of = told_leaves(case, found)
                judge = verdict if seed % 25 == 0 else broken_rule
                assert judge(of.shape, of.public, of.wires) is None
            else:
                assert found.point in everybody
                assert case.model.decide((*found.point, *found.row)) != label


@pytest.mark.parametrize(
    "seeds",
    [range(12), *(pytest.param(range(start, start + 250), marks=MORE) for start in range(100, 1100, 250))],
)
def test_no_leaves_about_open_categories_prove_what_is_false(seeds):
    """Whatever the leaves are, only what is true of all persons has a proof, which more than a quarter have."""
    proven = true_ones = 0
    for seed in seeds:
        rng = random.Random(seed)
        case = tiny_ensemble_of_categories(seed)
        everybody = persons(case)
        for label in (0, 1):
            true = all(case.model.decide((*x, *row)) == label for x, row in product(everybody, case.table))
            for _ in range(3):
                of = told_leaves(case, drawn_leaves(rng, case, label))
                accepted = broken_rule(of.shape, of.public, of.wires) is None
                assert true or not accepted
                proven, true_ones = proven + accepted, true_ones + true
    assert proven * 4 > true_ones > len(seeds)


BETWEEN = {(185, 0), (518, 1)}
"""Seed and label of true statements without a proof: a mixture of two values of a category is decided otherwise."""


@pytest.mark.parametrize(
    "seeds",
    [range(6), *(pytest.param(range(start, start + 250), marks=MORE) for start in range(100, 1100, 250))],
)
def test_tiny_networks_are_decided_on_a_box_as_everybody_in_it(seeds):
    """Leaves are proven where all persons have a label, but for two; elsewhere somebody is shown who has not."""
    lost = set()
    for seed in seeds:
        case = tiny_network(seed)
        everybody = persons(case)
        parameters = shape_parameters(case.shape(64))
        for label in range(max(2, case.model.logit_count)):
            true = {decide(case.model.logits((*x, *row))) for x, row in product(everybody, case.table)} == {label}
            found = decide_on_box(parameters, case.model, case.box, case.table, label, 64)
            if isinstance(found, BranchEvidence):
                assert true
                of = told_signs(case, found)
                judge = verdict if seed % 25 == 0 else broken_rule
                assert judge(of.shape, of.public, of.wires) is None
            elif found.point is None:
                assert true
                lost.add((seed, label))
            else:
                assert found.point in everybody
                assert found.row in case.table
                assert decide(case.model.logits((*found.point, *found.row))) != label
    assert lost <= BETWEEN
