"""Hand-made specs, seeded networks and applicants that the tests of the proving rooms share."""

from __future__ import annotations

import random
import shutil
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec

from equiproof.certify.network import Layer, QuantisedNetwork
from equiproof.certify.traversal.evidence import Evidence
from equiproof.certify.traversal.search import Counterexample, Search, search
from equiproof.circuits.encodings.missing import Missing
from equiproof.circuits.proof_systems import DEFAULT_PROOF_SYSTEM, ProofSystem
from equiproof.circuits.schemes import Scheme
from equiproof.circuits.shape import Shape, shape_of
from equiproof.circuits.spec import Feature, Spec, checked
from equiproof.prover import KeyStore, Opening, StoredKey
from equiproof.prover.owner import MARK_FILE, mark, ready_secret
from equiproof.verifier import TrustStore, UnsafeNoPolicy, parse_commitment
from equiproof.verifier.documents import CommitmentDocument
from equiproof.verifier.trust import TrustedKey
from tests.kept import kept_keys, locked

ROOT = Path(__file__).resolve().parents[1]

INCOME = Feature("income", "numeric", "scaled", False, mean="30000", scale="12000", unit="EUR")
HOUSING = Feature("housing", "categorical", "one-hot", False, domain=("own", "rent"))
SAVINGS = Feature("savings", "categorical", "rank", False, mean="1", scale="0.5", domain=("none", "low", "high"))
SEX = Feature("sex", "categorical", "rank", True, mean="0.5", scale="0.5", domain=("f", "m"))
AGE = Feature("age", "numeric", "scaled", True, mean="40", scale="10", unit="years", domain=("25", "40", "60"))
GENDER = Feature("gender", "categorical", "one-hot", True, domain=("f", "m"))


def spec_of(*features: Feature, bits: tuple[int, int] = (10, 18), **fields: object) -> Spec:
    """Return a checked spec of these features; `bits` are those of the fraction and of the whole input."""
    known = {
        "format": "equiproof-spec",
        "version": 2,
        "name": "loans",
        "input_fraction_bits": bits[0],
        "input_bits": bits[1],
        "use_ranges": False,
        "features": features,
        "labels": ("declined", "granted"),
        "logits": 1,
    }
    return checked(Spec(**(known | fields)))


def changed(value, **fields):
    """Return a struct with some fields replaced."""
    return msgspec.structs.replace(value, **fields)


LOANS = spec_of(INCOME, HOUSING, SEX)
"""Two plain features in three columns, one sensitive feature of two values, one logit."""

LACKING = spec_of(changed(INCOME, missing=Missing()), changed(HOUSING, missing=Missing(de="nicht angegeben")), SEX)
"""The same, whose plain features may both be missing."""

RATES = spec_of(
    INCOME, SAVINGS, GENDER, AGE, bits=(8, 16), name="rates", labels=("refused", "standard", "reduced"), logits=3
)
"""Two sensitive features with six joint values, three logits."""

KEPT = spec_of(changed(INCOME, range=("0", "60000")), SAVINGS, HOUSING, SEX, name="kept", use_ranges=True)
"""Four plain columns, and neighbors that are kept to the ranges of their features."""


LOGARITHMS = spec_of(
    Feature("wealth", "numeric", "log", False, mean="14", scale="2", unit="EUR", whole=True, offset="1"),
    Feature("debt", "numeric", "log", False, mean="10", scale="2.5", unit="EUR", range=("0", "1000000"), offset="1"),
    HOUSING,
    SEX,
    bits=(10, 13),
    name="logarithms",
    use_ranges=True,
)
"""Two numbers by their logarithms, one without a range, and neighbors that are kept to what they can be."""


def network(spec: Spec, hidden: tuple[int, ...], seed: int, sensitivity: float = 0.1) -> QuantisedNetwork:
    """Return a seeded network whose weights carry ten fractional bits; sensitive columns weigh little."""
    rng = random.Random(seed)
    sizes = (spec.plain_columns + spec.sensitive_columns, *hidden, spec.logits)
    layers, bits = [], spec.input_fraction_bits
    for depth, (inputs, outputs) in enumerate(pairwise(sizes)):
        bits += 10
        damping = [1.0] * inputs
        if depth == 0:
            damping[spec.plain_columns :] = [sensitivity] * spec.sensitive_columns
        weights = tuple(tuple(round(rng.gauss(0, 1024) * damp) for damp in damping) for _ in range(outputs))
        layers.append(Layer(weights, tuple(round(rng.gauss(0, 0.5) * (1 << bits)) for _ in range(outputs))))
    return QuantisedNetwork(tuple(layers), spec.input_fraction_bits, (10,) * len(layers))


def applicant(spec: Spec, rng: random.Random) -> dict[str, str | int]:
    """Return a random raw row of the spec's plain features."""
    row: dict[str, str | int] = {}
    for feature in spec.plain_features:
        if feature.kind == "numeric":
            mean, scale = float(feature.mean), float(feature.scale)
            drawn = rng.gauss(mean, scale)
            # Mean and scale of a number by its logarithm are those of the logarithm.
            value = round(2**drawn - float(feature.offset) if isinstance(feature.offset, str) else drawn)
            if feature.range is not None:
                value = min(max(value, int(feature.range[0])), int(feature.range[1]))
            row[feature.name] = value
        else:
            row[feature.name] = rng.choice(feature.domain)
    return row


def marked(folder: Path, document: Any) -> None:
    """Mark a key as the owner's own, whatever its files are."""
    (folder / MARK_FILE).write_bytes(mark(document.fingerprint, ready_secret(None)))


@dataclass(frozen=True)
class Setting:
    """A committed model with a key, a folder of trusted keys, and the owner's secrets."""

    opening: Opening
    key: StoredKey

    @property
    def spec(self) -> Spec:
        return self.opening.spec

    @property
    def shape(self) -> Shape:
        return self.key.document.shape

    @property
    def commitment(self) -> CommitmentDocument:
        return parse_commitment(self.opening.public(), "commitment.json")

    def search(self, row) -> Search | Counterexample:
        """Search around a raw row as the prover does."""
        return search(
            self.opening.network,
            self.spec.encode(row),
            self.spec.domain_table,
            max_radius_squared=self.spec.max_radius_squared,
            max_regions=2 * self.shape.capacity,
        )

    def applicants(self, seed: int) -> Iterator[tuple[dict, Search | Counterexample]]:
        """Yield random applicants with what a search says about them, without end."""
        rng = random.Random(seed)
        while True:
            row = applicant(self.spec, rng)
            yield row, self.search(row)

    def fair(self, seed: int) -> tuple[dict, Evidence]:
        """Return the first random applicant with a radius above 0."""
        for row, found in self.applicants(seed):
            if isinstance(found, Search) and found.radius_for(self.shape.capacity) > 0:
                return row, found.evidence_within(self.shape.capacity)
        raise AssertionError("applicants never end")

    def unfair(self, seed: int) -> tuple[dict, Counterexample]:
        """Return the first random applicant whom the model treats unfairly."""
        for row, found in self.applicants(seed):
            if isinstance(found, Counterexample) and found.kind == "flip":
                return row, found
        raise AssertionError("applicants never end")


def key_for(
    folder: Path,
    spec: Spec,
    hidden: tuple[int, ...],
    capacity: int,
    scheme: Scheme = "traversal",
    proof_system: ProofSystem = DEFAULT_PROOF_SYSTEM,
) -> StoredKey:
    """Return the key of a scheme's shape; see :func:`key_of`."""
    return key_of(folder, shape_of(scheme, spec, hidden, capacity), proof_system)


def key_of(folder: Path, shape: Shape, proof_system: ProofSystem = DEFAULT_PROOF_SYSTEM) -> StoredKey:
    """Return the key of a shape, in a store of its own that workers share; the first to ask makes it."""
    store = folder / f"{shape.name}-{proof_system}"
    store.mkdir(parents=True, exist_ok=True)
    with locked(store / ".lock"):
        found = KeyStore(store).all()
        return found[0] if found else KeyStore(store).setup(shape, proof_system=proof_system)


def copied_key(keys: Path, shape: Shape) -> StoredKey:
    """Return a copy of the kept key of a shape in a folder of keys, as a set-up leaves it there."""
    kept = key_of(kept_keys(), shape)
    return replace(kept, folder=shutil.copytree(kept.folder, keys / kept.folder.name))


def no_policy() -> UnsafeNoPolicy:
    """Return the policy that requires nothing, without its warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return UnsafeNoPolicy()


def trusting(*keys: StoredKey) -> TrustStore:
    """Return a store that trusts these keys."""
    return TrustStore([TrustedKey.read(key.folder) for key in keys])
