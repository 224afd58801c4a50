"""Evidence about random ensembles holds in the real circuit up to its radius, whatever the sensitive columns are."""

import random
from dataclasses import replace

import pytest

from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.traversal.search import Counterexample
from equiproof.certify.trees.ensemble_search import ensemble_search
from equiproof.circuits.layout import encode, layout
from equiproof.circuits.shape import ensemble_shape
from equiproof.circuits.statement import Statement
from equiproof.ffi import backend
from equiproof.ffi.errors import UnsatisfiedError
from equiproof.prover.witness.relation import Secrets, fill
from tests.certify.trees.ensembles import drawn
from tests.soundness.additive_told import Told
from tests.soundness.cheating_owner import CONTEXT_DIGEST, SPEC_DIGEST
from tests.support import AGE, GENDER, HOUSING, INCOME, changed, spec_of

MANY = spec_of(INCOME, HOUSING, GENDER, AGE)
"""Three sensitive columns, six slices."""

YEARS = spec_of(INCOME, HOUSING, changed(AGE, domain=tuple(str(age) for age in range(18, 71))))
"""One sensitive column of 53 values, so as many slices."""


def case_of(spec, seed):
    """Return a random model, a query that all slices decide alike and the search about it; None where there is none."""
    rng = random.Random(seed)
    found = drawn(rng, plain=spec.plain_columns, sensitive=spec.sensitive_columns, predicates=12, trees=4, depth=3)
    own, values = found.additive, [sorted({row[i] for row in spec.domain_table}) for i in range(spec.sensitive_columns)]
    thresholds = tuple(
        t * 64 if column < own.plain else values[column - own.plain][(t + 4) % len(values[column - own.plain])]
        for column, t in zip(own.columns, own.thresholds, strict=True)
    )
    kept = sorted(dict.fromkeys(zip(own.columns, thresholds, strict=True)))
    if len(kept) != len(thresholds) or list(zip(own.columns, thresholds, strict=True)) != kept:
        return None
    own = replace(own, thresholds=thresholds, input_fraction_bits=spec.input_fraction_bits)
    model = EnsembleModel(own, found.nodes)
    query = tuple(rng.randint(-300, 300) for _ in range(spec.plain_columns))
    search = ensemble_search(model, query, spec.domain_table, max_radius_squared=1 << 20, max_leaves=64)
    if isinstance(search, Counterexample) or not search.complete or search.upper is None or search.leaves < 2:
        return None
    return model, query, search


def told(spec, model, query, evidence):
    """Return the wires of evidence under a shape that it fits."""
    capacity = 1 << (evidence.size - 1).bit_length()
    rows = model.nodes.sizes[1]
    shape = ensemble_shape(spec, model.predicates, model.nodes.sizes, max(1, len(evidence.slots)), rows, capacity)
    blank = Statement(0, SPEC_DIGEST, 0, 0, evidence.label, evidence.radius_squared, CONTEXT_DIGEST)
    return Told("", shape, fill(shape, blank, Secrets(model, 7, query, 9, spec.domain_table, spec.box), evidence))


def accepted(of):
    """Whether the compiled circuit accepts a witness."""
    try:
        backend.check(of.shape.document, encode(of.shape, of.public, [of.wires[name] for name, _ in layout(of.shape)]))
    except UnsatisfiedError:
        return False
    return True


@pytest.mark.sampled(1)
@pytest.mark.parametrize("first", [0, 400, 800])
def test_evidence_is_accepted_up_to_its_radius(first):
    """And not with a larger radius, another label, a leaf less, or a slice less."""
    hold(MANY, 2, first)
    hold(YEARS, 1, first)


def hold(spec, wanted, first):
    """Hold the circuit to evidence about so many models of a spec, and more until one has several sensitive columns."""
    tried, several = 0, 0
    for seed in range(first, first + 400):
        if (case := case_of(spec, seed)) is None:
            continue
        model, query, search = case
        evidence = search.evidence
        if not accepted(told(spec, model, query, evidence)):
            raise AssertionError(f"seed {seed}: evidence of the exact radius is refused")
        first = evidence.leaves[0]
        for lie in (
            replace(evidence, radius_squared=evidence.radius_squared + 1),
            replace(evidence, label=1 - evidence.label),
            replace(evidence, leaves=evidence.leaves[1:]),
            replace(evidence, leaves=(replace(first, slices=first.slices[1:]), *evidence.leaves[1:])),
        ):
            assert not accepted(told(spec, model, query, lie)), seed
        tried += 1
        several += model.predicates[1] > 1
        if tried >= wanted and several:
            break
    assert tried >= wanted
    assert several > 0
