"""Standard shapes of scores end to end: one key for two lenders, whose padding stays hidden."""

import random

import pytest

from equiproof.certify.additive import EnsembleError
from equiproof.certify.traversal.search import Counterexample
from equiproof.circuits.standard_scores import StandardScore
from equiproof.prover import KeyStore, Opening, Prover, parse_opening
from equiproof.prover.evidence import find_evidence
from equiproof.prover.padding import pad_score
from equiproof.verifier import AllOf, ForContext, ForQuery, ProofError, Verifier
from tests.certify.test_score_padding import ensemble
from tests.circuits.test_standard import OTHER
from tests.conftest import CONTEXT
from tests.kept import kept_keys
from tests.prover.additive_case import drawn
from tests.support import LOANS, Setting, applicant, key_of, trusting

SHAPE, TREES, CAPACITY = StandardScore(5, (12, 3), 7), StandardScore(5, (20, 6), 14, (5, 30), 24), 8


def key_for(standard):
    """Return the one key of a standard shape."""
    return key_of(kept_keys(), standard.shape(LOANS, CAPACITY))


def lender(model, spec, standard, key, blinding):
    """Return a padded model under the key of its standard shape."""
    opening = Opening.of(*pad_score(model, spec, standard), blinding)
    assert parse_opening(opening.secret(), "opening.json") == opening
    return Setting(opening, key)


def proven(setting, own):
    """Return a proof about the first applicant with a radius, which is that of the model without its padding."""
    rng = random.Random(0)
    for _ in range(60):
        row = applicant(setting.spec, rng)
        alone = find_evidence(own, setting.shape, own.spec.encode(row), None, None)
        if isinstance(alone, Counterexample) or not 0 < alone.evidence.radius_squared < LOANS.max_radius_squared:
            continue
        with Prover(setting.opening, setting.key) as prover:
            made = prover.prove(row, CONTEXT)
        assert (made.evidence.radius_squared, made.evidence.slots and len(made.evidence.slots)) == (
            alone.evidence.radius_squared,
            alone.evidence.slots and len(alone.evidence.slots),
        )
        return made
    raise AssertionError("no such applicant")


def verified(setting, made):
    """Return what an applicant verifies."""
    verifier = Verifier(setting.commitment, trusting(setting.key))
    return verifier.verify(made.certificate, AllOf(ForQuery(made.query), ForContext(CONTEXT)))


def shared_by_two(standard, key, models):
    """Prove for two lenders of other specs and models under one key; neither certificate is about the other model."""
    own = [Opening.of(model, spec, 5) for model, spec in models]
    settings = [lender(model, spec, standard, key, 5) for model, spec in models]
    made = [proven(*pair) for pair in zip(settings, own, strict=True)]
    assert settings[0].spec != settings[1].spec
    assert {setting.opening.sizes for setting in settings} == {(*standard.predicates, *(standard.nodes or ()))}
    for setting, one in zip(settings, made, strict=True):
        assert verified(setting, one).key.fingerprint == key.document.fingerprint
        assert KeyStore(key.folder.parent).find_for(setting.opening).folder == key.folder
    for setting, one in zip(settings, reversed(made), strict=True):
        with pytest.raises(ProofError, match="another model"):
            verified(setting, one)


def test_one_key_serves_the_scorecards_of_two_lenders():
    """Seven thresholds of three columns and five of two: certificates hold for their own lender alone."""
    models = ((drawn(LOANS, 3, 7, 1), LOANS), (drawn(OTHER, 5, 5, 0), OTHER))
    shared_by_two(SHAPE, key_for(SHAPE), models)


@pytest.mark.slow
def test_one_key_serves_the_trees_of_two_lenders():
    """Five trees and two: the further ones, and further splits, change no proof."""
    models = ((ensemble(3), LOANS), (ensemble(8, trees=2, depth=2), LOANS))
    key = key_for(TREES)
    settings = [lender(model, spec, TREES, key, 7 + n) for n, (model, spec) in enumerate(models)]
    for setting, (model, spec) in zip(settings, models, strict=True):
        assert verified(setting, proven(setting, Opening.of(model, spec, 5))).key.shape.has_nodes


def test_a_model_without_room_is_refused():
    """One line names the shape, and what there is too much of."""
    with pytest.raises(EnsembleError, match="standard shape 5p12: the model has 13 thresholds"):
        pad_score(drawn(LOANS, 3, 13, 1), LOANS, SHAPE)
    with pytest.raises(EnsembleError, match="standard shape 5p20t5x30: the shape is of ensembles"):
        pad_score(drawn(LOANS, 3, 7, 1), LOANS, TREES)
    with pytest.raises(EnsembleError, match="standard shape 5p12: the shape is of additive models"):
        pad_score(ensemble(3), LOANS, SHAPE)
    with pytest.raises(EnsembleError, match="7 trees"):
        pad_score(ensemble(3, trees=7), LOANS, TREES)
