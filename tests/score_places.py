"""The leaves of small models of scheme `trees` for applicants whom they treat fairly."""

from __future__ import annotations

import random

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.traversal.search import Counterexample
from equiproof.circuits.shape import additive_shape, ensemble_shape
from equiproof.circuits.spec import Spec
from equiproof.prover.evidence import find_evidence
from equiproof.prover.opening import Opening
from equiproof.prover.witness.subcircuit import ScorePlaces
from tests.support import applicant

SLOTS, ROWS, CAPACITY = 5, 45, 8


def score_places(model: AdditiveModel | EnsembleModel, spec: Spec) -> ScorePlaces:
    """Return the first applicant's evidence of more than one leaf."""
    opening, rng = Opening.of(model, spec, blinding=5), random.Random(1)
    if isinstance(model, EnsembleModel):
        shape = ensemble_shape(spec, model.predicates, model.nodes.sizes, SLOTS, ROWS, CAPACITY)
    else:
        shape = additive_shape(spec, model.predicates, SLOTS, CAPACITY)
    for _ in range(100):
        integers = spec.encode(applicant(spec, rng))
        found = find_evidence(opening, shape, integers, None, None)
        if not isinstance(found, Counterexample) and len(found.evidence.leaves) > 1:
            return ScorePlaces.of(opening, shape, integers, found.evidence)
    raise AssertionError("one leaf is always enough")
