"""Proofs about applicants who do not state everything, end to end, one by one and many at once."""

import random
from dataclasses import replace

import pytest

from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.traversal.search import Counterexample
from equiproof.circuits.shape import branch_shape, ensemble_shape, fits, fits_gain, gain_shape
from equiproof.circuits.spec import SpecError
from equiproof.prover import KeyStore
from equiproof.prover.many.task import Setting, Task, forget, prove_row
from equiproof.prover.opening import Opening
from equiproof.prover.prove import Prover
from equiproof.verifier import ForQuery, TrustStore, Verifier
from equiproof.verifier.documents import parse_commitment
from equiproof.verifier.errors import PolicyError
from equiproof.verifier.trust import TrustedKey
from tests.certify.trees.ensembles import drawn
from tests.kept import kept_keys
from tests.support import LACKING, LOANS, applicant, changed, key_of


def lacking(seed):
    """An ensemble whose nodes send what is missing to either side, with thresholds among the applicants' values."""
    rng = random.Random(seed)
    found = drawn(rng, plain=LACKING.plain_columns, sensitive=LACKING.sensitive_columns, predicates=9, trees=3, depth=2)
    own = found.additive
    thresholds = tuple(
        (t << LACKING.input_fraction_bits) // 4 if column < own.plain else t << LACKING.input_fraction_bits
        for column, t in zip(own.columns, own.thresholds, strict=True)
    )
    additive = replace(
        own, thresholds=thresholds, input_fraction_bits=LACKING.input_fraction_bits, absent=LACKING.absent
    )
    highs = tuple(rng.randint(0, 1) for _ in found.nodes.predicates)
    return EnsembleModel(additive, replace(found.nodes, highs=highs))


@pytest.fixture(scope="module")
def prover():
    """A key with room for some leaves, and its prover."""
    model = lacking(3)
    opening = Opening.of(model, LACKING, 7)
    sizes = (model.predicates, model.nodes.sizes, model.predicates[0], model.nodes.sizes[1])
    stored = key_of(kept_keys(), ensemble_shape(LACKING, *sizes, 4))
    with Prover(opening, KeyStore(stored.folder.parent).find_for(opening)) as made:
        yield made


def people():
    """Yield applicants of whom some do not state their income, or how they live."""
    rng = random.Random(5)
    for seed in range(40):
        row = applicant(LOANS, random.Random(seed))
        yield row | {name: None for name in ("income", "housing") if rng.random() < 0.5}


def test_who_does_not_state_everything_is_proven_and_verified(prover):
    """The query leaves out what is missing; one that states it, or that leaves out more, is another one."""
    commitment = parse_commitment(prover.opening.public(), "commitment")
    trusted = TrustStore([TrustedKey(prover.key.document, prover.key.verifying)])
    proven = 0
    for row in people():
        found = prover.prove(row)
        if isinstance(found, Counterexample) or None not in row.values():
            continue
        proven += 1
        certificate, query = found.certificate.to_bytes(), found.query
        for program in ("native", "python") if proven == 1 else ("native",):
            Verifier(commitment, trusted, program).verify(certificate, ForQuery(query))
        assert {name for name, value in query.row(LACKING).items() if value is None} == {
            name for name in row if row[name] is None
        }
        stated = {"income": "30000", "housing": "own"} | query.features
        fewer = {name: value for name, value in query.features.items() if name != "income"}
        for other in (stated, fewer):
            if other != query.features:
                with pytest.raises(PolicyError):
                    Verifier(commitment, trusted).verify(certificate, ForQuery(changed(query, features=other)))
        if proven == 4:
            break
    assert proven == 4


def test_a_worker_proves_what_is_missing(prover, tmp_path):
    """A row goes to a worker, and what comes back is looked at as any other."""
    opening = tmp_path / "opening.json"
    opening.write_bytes(prover.opening.secret())
    rows = [row for row in people() if row["income"] is None][:3]
    setting = Setting.of(opening, prover.key)
    made = [prove_row(setting, Task(number, row, {"nonce": "n" * 32})) for number, row in enumerate(rows, start=1)]
    assert {one.verdict for one in made} <= {"fair", "unfair"}
    forget()


def test_networks_have_no_statement_about_missing_values_without_marks():
    """No shape of one is made under such a spec, and none that was made fits it."""
    for made in (branch_shape, gain_shape):
        with pytest.raises(
            SpecError, match="feature 'income': write \"mark\": true into missing, since networks need a"
        ):
            made(LACKING, (4,), 4)
    assert fits(branch_shape(LOANS, (4,), 4), LOANS, (4,))
    assert not fits(branch_shape(LOANS, (4,), 4), LACKING, (4,))
    assert fits_gain(gain_shape(LOANS, (4,), 4), LOANS, (4,))
    assert not fits_gain(gain_shape(LOANS, (4,), 4), LACKING, (4,))
