"""Certificates that visit nodes: the prover's wires, the circuit and the reference agree on them and on all around."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.ensemble import EnsembleModel, NodeTable
from equiproof.certify.trees.rows import passed_nodes
from equiproof.circuits.kept import link_statement
from equiproof.circuits.layout import WitnessError, encode, layout, word_segments
from equiproof.circuits.link_shape import link_shape
from equiproof.circuits.node_words import NodeWords
from equiproof.circuits.reference.ensembles import ensembles
from equiproof.circuits.reference.field import RuleError
from equiproof.circuits.reference.link import link as link_reference
from equiproof.circuits.shape import SpecError, additive_shape, ensemble_shape, visiting_shape
from equiproof.circuits.statement import Statement
from equiproof.ffi import backend
from equiproof.ffi.errors import UnsatisfiedError
from equiproof.prover.witness import link as link_witness
from equiproof.prover.witness.link import Linked
from equiproof.prover.witness.model import word_wires
from equiproof.prover.witness.relation import Secrets, fill
from tests.circuits.tiny_cases import FIRST, to_bytes
from tests.soundness import additive_lies, trees_set_lies, trees_told
from tests.soundness.additive_told import Told
from tests.soundness.cheating_owner import CONTEXT_DIGEST, SPEC_DIGEST, implied, shown_of
from tests.soundness.kept_case import KEY, LINK_BLINDING, opened_commitment

VISITED = ("row_", "stay_", "cross_", "passed_", "root_", "node_word")


def cases():
    """Return by name shape, model, query, spec and evidence; one ensemble has sets and missing values."""
    narrow, found = trees_told.NARROW, trees_told.searched(100_000).evidence
    sets, owner = trees_set_lies, trees_set_lies.OWNER
    lacking = sets.searched(owner, 9, 1 << 20, lacking=True).evidence
    return {
        "ensemble": (trees_told.shape(), narrow, trees_told.QUERY, trees_told.SPEC, found),
        "query alone": (trees_told.shape(), narrow, trees_told.QUERY, trees_told.SPEC, trees_told.searched(0).evidence),
        "sets": (sets.shape(lacking=True), sets.model(9, lacking=True), owner, sets.LACKING, lacking),
    }


@pytest.fixture(params=["ensemble", "query alone", "sets"])
def case(request):
    """Shape that visits with one place too many, secrets, statement without what is shown, and evidence."""
    shape, model, query, spec, evidence = cases()[request.param]
    secrets = Secrets(model, 7, query, 9, spec.domain_table, spec.box)
    blank = Statement(0, SPEC_DIGEST, 0, 0, evidence.label, evidence.radius_squared, CONTEXT_DIGEST)
    told = Told("", shape, fill(shape, blank, secrets, evidence))
    stated = replace(blank, model_commitment=opened_commitment(shape, told.wires))
    passed = len(passed_nodes(model, model.additive.seen(query), evidence.slots))
    visiting = visiting_shape(shape, passed + 1)
    return visiting, replace(secrets, link_blinding=LINK_BLINDING), stated, evidence


def told(case):
    """Return the wires of a case and its whole statement."""
    shape, secrets, stated, evidence = case
    wires = {name: list(run) for name, run in fill(shape, stated, secrets, evidence).items()}
    return wires, implied(shape, wires)


def refused(checker, shape, stated, wires):
    """Return whether circuit and reference refuse wires; fail unless they agree."""
    digest = stated.digest(shape)
    try:
        checker.check_kept(encode(shape, digest, [wires[name] for name, _ in layout(shape)]), to_bytes(FIRST))
        circuit = False
    except UnsatisfiedError:
        circuit = True
    try:
        ensembles(shape, digest, wires, FIRST)
        reference = False
    except RuleError:
        reference = True
    assert circuit == reference
    return circuit


def test_circuit_and_reference_agree(case):
    """Both accept the prover's wires; of other numbers in wires about nodes both refuse the same ones, and most."""
    shape = case[0]
    wires, stated = told(case)
    drawn = random.Random(1)
    names = [name for name, _ in layout(shape) if name.startswith(VISITED)]
    hidden = set(range(1, shape.architecture.node_counts[1] + 1)) - {*wires["row_id"], *wires["passed_id"]}
    with backend.Checker(shape.document) as checker:
        assert not refused(checker, shape, stated, wires)
        for name in names:
            for _ in range(2):
                place = drawn.randrange(len(wires[name]))
                changed = {**wires, name: [*wires[name]]}
                changed[name][place] += drawn.choice((-1, 1))
                found = refused(checker, shape, implied(shape, changed), changed)
                # A word that no ball reaches may be any: the link holds it.
                assert found or (name == "node_word" and place + 1 in hidden), (name, place)


def test_the_link_has_the_same_words(case):
    """What a link shows is what certificates show; circuit and reference accept it, and refuse other references."""
    shape, secrets, stated, _ = case
    wires, whole = told(case)
    links = link_shape(shape)
    link = Linked(secrets.model, 7, stated.model_commitment, SPEC_DIGEST, KEY, LINK_BLINDING, FIRST)
    assert link.shown(links) == link.shown(shape) == whole.shown
    assert list(word_wires(secrets.model, shape)) == [segment.name for segment in word_segments(shape)]
    assert links.visits
    filled = {name: list(run) for name, run in link_witness.fill(links, link).items()}
    backend.check(links.document, link_witness.generate(links, link))
    link_reference(links, link.digest(links), filled)
    for name in ("low_reference", "high_reference"):
        changed = {**filled, name: [filled[name][0] + 1, *filled[name][1:]]}
        with pytest.raises(RuleError, match="R-L-DERIVED"):
            link_reference(links, link.digest(links), changed)
        with pytest.raises(UnsatisfiedError):
            backend.check(links.document, encode(links, link.digest(links), [changed[one] for one, _ in layout(links)]))
    assert wires["node_word"] == word_wires(secrets.model, links)["node_word"]


def test_links_hold_the_number_of_one_predicate():
    """Circuit and reference refuse the number 1 of one predicate: certificates look up those of visited nodes only."""
    additive = AdditiveModel((0,), (20,), (0,), 0, 3, 1, trees_told.SPEC.input_fraction_bits)
    model = EnsembleModel(additive, NodeTable(1, (0, 0), ((0, 1), (0, 0)), (5, 3, 4)))
    links = link_shape(visiting_shape(ensemble_shape(trees_told.SPEC, (1, 0), (1, 2), 1, 1, 2), 1))
    link = Linked(model, 7, 0, SPEC_DIGEST, KEY, LINK_BLINDING, FIRST)
    wires = {name: list(run) for name, run in link_witness.fill(links, link).items()}
    for number in (0, 1):
        wires["node_predicate"] = [0, number]
        digest = visited_digest(links, wires)
        data = encode(links, digest, [wires[name] for name, _ in layout(links)])
        if number == 0:
            backend.check(links.document, data)
            link_reference(links, digest, wires)
        else:
            with pytest.raises(UnsatisfiedError):
                backend.check(links.document, data)
            with pytest.raises(RuleError, match="R-T-NODE"):
                link_reference(links, digest, wires)


def visited_digest(links, wires):
    """Return the public input of a link whose words the wires make."""
    packing, pairs = NodeWords.of(links), zip(wires["columns"], wires["thresholds"], strict=True)
    nodes = packing.of_nodes(wires["node_predicate"], (), wires["low_reference"], wires["high_reference"])
    words = [*(number for pair in pairs for number in pair), *wires["jumps"], *wires["bias"], *nodes]
    commitment = opened_commitment(links, wires)
    seen = shown_of(words, LINK_BLINDING, commitment, FIRST)
    return link_statement(links, commitment, SPEC_DIGEST, KEY, FIRST, seen)


def test_a_ball_that_passes_too_many_nodes_has_no_witness(case):
    """Evidence whose ball passes more nodes than there are places is refused, with both."""
    shape, secrets, stated, evidence = case
    least = shape.passed_count - 1
    fill(visiting_shape(shape, least) if least else shape, stated, secrets, evidence)
    if least > 1:
        with pytest.raises(WitnessError, match=f"passed_id: {least} nodes on the way do not fit"):
            fill(visiting_shape(shape, least - 1), stated, secrets, evidence)


def test_only_ensembles_visit():
    """Shapes of other models, and rooms that no node fills, are refused."""
    shape = cases()["ensemble"][0]
    for passed in (0, shape.architecture.node_counts[1] + 1):
        with pytest.raises(SpecError, match="choose room for 1 to"):
            visiting_shape(shape, passed)
    with pytest.raises(SpecError, match="have no nodes"):
        visiting_shape(additive_shape(additive_lies.CASE.spec, (1, 0), 1, 1), 1)
