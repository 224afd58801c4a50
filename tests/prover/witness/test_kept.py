"""Witnesses of kept models, and of their links, as the prover fills them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from equiproof.circuits.layout import WitnessError, word_segments
from equiproof.circuits.link_shape import link_shape
from equiproof.circuits.shape import kept_shape
from equiproof.circuits.statement import Statement
from equiproof.ffi import backend
from equiproof.ffi.errors import UnsatisfiedError
from equiproof.prover.witness import link as link_witness
from equiproof.prover.witness.link import Linked
from equiproof.prover.witness.model import word_wires
from equiproof.prover.witness.relation import Secrets, fill, generate
from tests.circuits.branch_cases import branched, kept
from tests.circuits.tiny_cases import FIRST, filled, to_bytes
from tests.soundness import additive_lies, trees_set_lies, trees_told
from tests.soundness.additive_told import Told
from tests.soundness.cheating_owner import CONTEXT_DIGEST, SPEC_DIGEST, implied, shown_by
from tests.soundness.kept_case import KEY, LINK_BLINDING, kept_wires, link_wires, linked_digest, opened_commitment

CASES = [(filled, 7), (branched, 2), (branched, 7), (kept, 4)]


def linked_of(of) -> Linked:
    """Return what the link of a case is about."""
    secrets, commitment = of.secrets, of.statement.model_commitment
    return Linked(
        secrets.model, secrets.model_blinding, commitment, of.statement.spec_digest, KEY, LINK_BLINDING, FIRST
    )


@pytest.mark.parametrize(("case", "seed"), CASES)
def test_a_certificate_shows_the_words(case, seed):
    """The wires are those of the relation, with words, commitment and blinding in the place of what opens the model."""
    of = case(seed)
    shape, secrets = kept_shape(of.shape), replace(of.secrets, link_blinding=LINK_BLINDING)
    wires = fill(shape, of.statement, secrets, of.evidence)
    assert dict(wires) == kept_wires(of.shape, of.wires)
    stated = implied(shape, wires)
    assert stated == replace(of.statement, shown=linked_of(of).shown(link_shape(of.shape)))
    with backend.Checker(shape.document) as checker:
        witness = generate(shape, stated, secrets, of.evidence)
        checker.check_kept(witness, to_bytes(FIRST))
        with pytest.raises(UnsatisfiedError):
            checker.check_kept(witness, to_bytes(FIRST + 1))


@pytest.mark.parametrize(("case", "seed"), CASES)
def test_a_link_is_of_the_same_words(case, seed):
    """Its wires are those that open the commitment, and what it shows is what certificates show."""
    of = case(seed)
    shape, link = link_shape(of.shape), linked_of(of)
    assert dict(link_witness.fill(shape, link)) == link_wires(of.shape, of.wires)
    assert link.digest(shape) == linked_digest(shape, link_wires(of.shape, of.wires))
    backend.check(shape.document, link_witness.generate(shape, link))


def scores():
    """Yield shape, model, query, spec and evidence: of an additive model, an ensemble, and one with missing values."""
    case = additive_lies.CASE
    evidence = case.evidence(additive_lies.EXACT)
    yield case.shape(additive_lies.SLOTS, additive_lies.CAPACITY), case.model, case.query, case.spec, evidence
    narrow, found = trees_told.NARROW, trees_told.searched(100_000).evidence
    yield trees_told.shape(), narrow, trees_told.QUERY, trees_told.SPEC, found
    sets, owner = trees_set_lies, trees_set_lies.OWNER
    found = sets.searched(owner, 9, 1 << 20, lacking=True).evidence
    yield sets.shape(lacking=True), sets.model(9, lacking=True), owner, sets.LACKING, found


def test_scores_are_kept_and_linked_alike():
    """An additive model and an ensemble have words in the commitment's order, and links of their own wires."""
    for shape, model, query, spec, evidence in scores():
        secrets = Secrets(model, 7, query, 9, spec.domain_table, spec.box)
        blank = Statement(0, SPEC_DIGEST, 0, 0, evidence.label, evidence.radius_squared, CONTEXT_DIGEST)
        told = Told("", shape, fill(shape, blank, secrets, evidence))
        stated = replace(blank, model_commitment=opened_commitment(shape, told.wires))
        kept = fill(kept_shape(shape), stated, replace(secrets, link_blinding=LINK_BLINDING), evidence)
        assert dict(kept) == kept_wires(shape, told.wires)
        link = Linked(model, 7, stated.model_commitment, SPEC_DIGEST, KEY, LINK_BLINDING, FIRST)
        assert dict(link_witness.fill(link_shape(shape), link)) == link_wires(shape, told.wires)
        assert link.shown(link_shape(shape)) == shown_by(kept_shape(shape), kept)
        assert list(word_wires(model, kept_shape(shape))) == [segment.name for segment in word_segments(shape)]
        backend.check(link_shape(shape).document, link_witness.generate(link_shape(shape), link))


def test_a_link_of_another_commitment_has_no_witness():
    """What the numbers open is the stated commitment, or the circuit refuses."""
    of = branched(2)
    shape, link = link_shape(of.shape), linked_of(of)
    with backend.Checker(shape.document) as checker:
        for other in (
            replace(link, model_commitment=link.model_commitment + 1),
            replace(link, model_blinding=link.model_blinding + 1),
            replace(link, spec_digest=link.spec_digest + 1),
        ):
            with pytest.raises(UnsatisfiedError):
                checker.check(link_witness.generate(shape, other))


def test_a_kept_model_needs_its_blinding():
    """Without what hides what is shown there is no witness; nor is there a link of another architecture."""
    of = branched(2)
    with pytest.raises(WitnessError, match="link_blinding"):
        fill(kept_shape(of.shape), of.statement, of.secrets, of.evidence)
    with pytest.raises(WitnessError, match="values for"):
        link_witness.fill(link_shape(branched(7).shape), linked_of(of))


def test_secrets_are_not_shown():
    """Neither blinding nor network is in what a traceback would print."""
    of = branched(2)
    text = repr(linked_of(of)) + repr(replace(of.secrets, link_blinding=314159))
    assert "314159" not in text
    assert "weights" not in text
    assert f"link_blinding={LINK_BLINDING}" not in text
