"""Commit to a model, set up a key, and prove one decision fair: the lender's side, in Python.

    python examples/certificate.py [folder]

Writes what an applicant needs to verify to `folder/public` (examples/applicant.py verifies it), and the opening of the
commitment, which is the model itself, to `folder/secret`. An existing opening is never overwritten.
"""

from __future__ import annotations

import sys
from pathlib import Path

from equiproof import AllOf, ForContext, KeyStore, MinRadius, Prover, TrustStore, Verifier, commit, load_commitment
from equiproof.certify.data import load
from equiproof.certify.models.fidelity import measure_on
from equiproof.certify.models.quantise import quantise
from equiproof.certify.models.training import train
from equiproof.certify.traversal.search import Counterexample
from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.files import write_files
from equiproof.circuits.shape import branch_shape

HIDDEN = (4, 2)
CAPACITY = 16
CONTEXT = {"date": "2026-01-31", "nonce": "b2c1a7f0e4d94c66", "policy": "loan"}


def main(folder: Path) -> None:
    """Make a certificate, and verify it as a relying party would."""
    public, secret = folder / "public", folder / "secret"
    if (secret / "opening.json").exists():
        raise SystemExit(f"{secret / 'opening.json'} exists and may be the only copy of a model: name another folder")
    data = load("lending")
    network, _ = train(data, HIDDEN)
    quantised = quantise(network, data.spec)
    print(measure_on(network, quantised, data).summary(), end="\n\n")

    opening = commit(quantised, data.spec)
    shape = branch_shape(data.spec, HIDDEN, CAPACITY)
    store = KeyStore(public / "keys")
    key = next((key for key in store.all() if key.document.shape == shape), None) or store.setup(shape)

    # Try applicants that the model was not trained on; an unfair decision gets no certificate.
    with Prover(opening, key) as prover:
        for index in data.test:
            proven = prover.prove(data.rows[index], CONTEXT)
            if not isinstance(proven, Counterexample) and proven.evidence.radius_squared > 0:
                break
            print(f"row {index + 1} of the data gets no certificate")
        else:
            raise SystemExit("no decision of this model can be certified")

    files = {
        secret / "opening.json": opening.secret(),
        public / "commitment.json": opening.public(),
        public / "certificate.json": proven.certificate.to_bytes(),
        public / "query.json": canonical_bytes(proven.query),
    }
    write_files(files, secret=(secret / "opening.json",), force=True)

    verifier = Verifier(load_commitment(public / "commitment.json"), TrustStore.open(public / "keys"))
    verified = verifier.verify(proven.certificate.to_bytes(), AllOf(MinRadius("0.01"), ForContext(CONTEXT)))
    size = len(proven.certificate.to_bytes())
    print(f"proven in {sum(proven.seconds.values()):.1f} s, {size} bytes: {verified.reading.sentence()}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "certificate"))
