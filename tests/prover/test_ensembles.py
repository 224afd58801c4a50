"""Proofs about ensembles, end to end: searched, filled, proven and verified, with the real circuit."""

import random
from dataclasses import replace

import msgspec
import pytest

from equiproof.certify.traversal.search import Counterexample
from equiproof.certify.trees.ensemble_search import search_under
from equiproof.certify.trees.rows import live_rows
from equiproof.circuits.shape import ensemble_shape
from equiproof.prover import KeyStore
from equiproof.prover.many.task import Setting, Task, forget, prove_row
from equiproof.prover.opening import Opening
from equiproof.prover.prove import Prover
from equiproof.verifier import ForQuery, TrustStore, Verifier
from equiproof.verifier.documents import parse_commitment
from equiproof.verifier.trust import TrustedKey
from tests.certify.trees.ensembles import drawn
from tests.kept import kept_keys
from tests.support import LOANS, applicant, key_of

SPEC = msgspec.structs.replace(LOANS, logits=1)


def scaled(seed, depth=2):
    """An ensemble whose thresholds lie among the applicants' values."""
    rng = random.Random(seed)
    found = drawn(rng, plain=SPEC.plain_columns, sensitive=SPEC.sensitive_columns, predicates=9, trees=3, depth=depth)
    own = found.additive
    thresholds = tuple(
        (t << SPEC.input_fraction_bits) // 4 if column < own.plain else t << SPEC.input_fraction_bits
        for column, t in zip(own.columns, own.thresholds, strict=True)
    )
    return replace(found, additive=replace(own, thresholds=thresholds, input_fraction_bits=SPEC.input_fraction_bits))


@pytest.fixture(scope="module")
def prover():
    """A key with room for some leaves, and its prover."""
    model = scaled(3)
    opening = Opening.of(model, SPEC, 7)
    sizes = (model.predicates, model.nodes.sizes, model.predicates[0], model.nodes.sizes[1])
    stored = key_of(kept_keys(), ensemble_shape(SPEC, *sizes, 4))
    with Prover(opening, KeyStore(stored.folder.parent).find_for(opening)) as made:
        yield made


def test_ensembles_are_proven_and_verified(prover):
    """Whatever is fair at the query gets a certificate that both programs verify."""
    commitment = parse_commitment(prover.opening.public(), "commitment")
    trusted = TrustStore([TrustedKey(prover.key.document, prover.key.verifying)])
    proven = 0
    for seed in range(40):
        found = prover.prove(applicant(LOANS, random.Random(seed)))
        if isinstance(found, Counterexample):
            continue
        proven += 1
        for program in ("native", "python") if proven == 1 else ("native",):
            Verifier(commitment, trusted, program).verify(found.certificate.to_bytes(), ForQuery(found.query))
        if proven == 3:
            break
    assert proven == 3


def test_one_applicant_without_room_stops_no_batch(tmp_path):
    """Under a key with rows for some applicants, the others are undecided with what they need, and all is told."""
    model, seen = scaled(8), {}
    for seed in range(60):
        query = SPEC.encode(row := applicant(LOANS, random.Random(seed)))
        if not isinstance(search_under(model, SPEC, query, max_leaves=64), Counterexample):
            seen.setdefault(len(live_rows(model, query, ())), row)
    (few, fitting), (many, larger) = sorted(seen.items())
    stored = key_of(kept_keys(), ensemble_shape(SPEC, model.predicates, model.nodes.sizes, 2, few, 4))
    opening = tmp_path / "opening.json"
    opening.write_bytes(Opening.of(model, SPEC, 7).secret())
    setting = Setting.of(opening, stored)
    made = [
        prove_row(setting, Task(number, row, {"nonce": "n" * 32}))
        for number, row in enumerate((larger, fitting), start=1)
    ]
    assert (made[0].verdict, made[0].reason, made[0].size) == ("undecided", "rows", many)
    assert made[1].verdict == "fair"
    forget()
