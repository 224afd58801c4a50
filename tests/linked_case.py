"""A committed network under kept keys, with the links that its owner publishes, as tests of links share them."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

from equiproof.certify.traversal.search import Counterexample
from equiproof.circuits.shape import Shape, kept_shape
from equiproof.prover import KeyStore, Opening, Prover, StoredKey
from equiproof.prover.prove import Proven
from equiproof.verifier import TrustStore
from equiproof.verifier.documents import CommitmentDocument, parse_commitment
from equiproof.verifier.link import LinkDocument
from tests.kept import kept_keys, locked
from tests.support import applicant


def store_of(*shapes: Shape) -> Path:
    """Return the folder of the kept keys of these shapes with those of their links; the first to ask makes it."""
    store = kept_keys() / f"kept-{'-'.join(f'{shape.digest:062x}'[:8] for shape in shapes)}"
    store.mkdir(parents=True, exist_ok=True)
    with locked(store / ".lock"):
        for shape in shapes:
            if not KeyStore(store).place(kept_shape(shape), "groth16-bn254", force=True).exists():
                KeyStore(store).setup(kept_shape(shape))
    return store


@dataclass(frozen=True)
class KeptSetting:
    """A committed model with its keys in one store, and the folder where the owner publishes."""

    opening: Opening
    store: Path
    published: Path

    @property
    def keys(self) -> list[StoredKey]:
        """The keys for certificates, the largest capacity first."""
        return sorted(KeyStore(self.store).all(), key=lambda key: -key.document.shape.capacity)

    @property
    def commitment(self) -> CommitmentDocument:
        """The commitment as a relying party has it."""
        return parse_commitment(self.opening.public(), "commitment.json")

    @property
    def trusted(self) -> TrustStore:
        """A store that trusts all keys, for certificates and for links."""
        return TrustStore.open(self.store)

    def prove(
        self, count: int = 1, place: int = 0, opening: Opening | None = None
    ) -> tuple[LinkDocument, list[Proven]]:
        """Return the link of a key and so many certificates of random applicants under it."""
        made: list[Proven] = []
        owned = opening or self.opening
        rng = random.Random(7)
        with Prover(owned, self.keys[place], self.published) as prover:
            assert prover.link is not None
            while len(made) < count:
                proven = prover.prove(applicant(owned.spec, rng))
                if not isinstance(proven, Counterexample):
                    made.append(proven)
            return prover.link.document, made
