"""Commit to a model, set up a key, and prove one decision fair: the lender's side, in Python.

    python examples/certificate.py [folder]

The folder `folder/public` gets what an applicant needs to verify (examples/applicant.py does), `folder/secret` the
opening of the commitment: the model itself. An opening that is there already is never overwritten.
"""

from __future__ import annotations

import sys
from pathlib import Path

from certify.data.dataset import load
from certify.quantise import measure, quantise
from certify.search import Counterexample
from certify.training import train
from circuits.canonical import canonical_bytes
from circuits.shape import branch_shape
from prover import KeyStore, Prover, commit
from prover.files import write_files
from verifier import AllOf, ForContext, MinRadius, TrustStore, Verifier, parse_commitment

HIDDEN = (4, 2)
CAPACITY = 16
CONTEXT = {"date": "2026-01-31", "nonce": "b2c1a7f0e4d94c66", "policy": "loan"}


def main(folder: Path) -> None:
    """Make a certificate, and verify it as a stranger would."""
    public, secret = folder / "public", folder / "secret"
    if (secret / "opening.json").exists():
        raise SystemExit(f"{secret / 'opening.json'} exists and may be the only copy of a model: name another folder")
    data = load("lending")
    network, _ = train(data, HIDDEN)
    quantised = quantise(network, data.spec)
    print(measure(network, quantised, data).summary(), end="\n\n")

    opening = commit(quantised, data.spec)
    shape = branch_shape(data.spec, HIDDEN, CAPACITY)
    store = KeyStore(public / "keys")
    key = next((key for key in store.all() if key.document.shape == shape), None) or store.setup(shape)

    # The first applicants that the model was not trained on: whoever is treated unfairly gets no certificate.
    with Prover(opening, key) as prover:
        for index in data.test:
            proven = prover.prove(data.rows[index], CONTEXT)
            if not isinstance(proven, Counterexample) and proven.evidence.radius_squared > 0:
                break
            print(f"row {index + 1} of the data gets no certificate")
        else:
            raise SystemExit("this model certifies nobody")

    files = {
        secret / "opening.json": opening.secret(),
        public / "commitment.json": opening.public(),
        public / "certificate.json": proven.certificate.to_bytes(),
        public / "query.json": canonical_bytes(proven.query),
    }
    write_files(files, secret=(secret / "opening.json",), force=True)

    verifier = Verifier(parse_commitment(opening.public(), "commitment.json"), TrustStore.open(public / "keys"))
    verified = verifier.verify(proven.certificate.to_bytes(), AllOf(MinRadius("0.01"), ForContext(CONTEXT)))
    size = len(proven.certificate.to_bytes())
    print(f"proven in {sum(proven.seconds.values()):.1f} s, {size} bytes: {verified.reading.sentence()}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "certificate"))
