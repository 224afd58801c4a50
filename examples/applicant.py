"""The applicant's side: is this certificate about me, and what does it promise?

    python examples/applicant.py [folder]

Reads the folder `folder/public` that examples/certificate.py wrote. It uses only the verifier's side of the package: no
torch, no numpy, nothing of the lender's.
"""

from __future__ import annotations

import sys
from pathlib import Path

from equiproof import AllOf, ForQuery, MinRadius, TrustStore, Verifier, load_commitment, load_query
from equiproof.verifier import VerificationError


def main(folder: Path) -> None:
    """Verify a certificate, then show how a policy that asks for more is refused."""
    if not (folder / "certificate.json").is_file():
        raise SystemExit(f"{folder / 'certificate.json'} is missing: run examples/certificate.py first")
    commitment = load_commitment(folder / "commitment.json")
    query = load_query(folder / "query.json")
    certificate = (folder / "certificate.json").read_bytes()

    # Take keys only from a source that you trust: whoever ran the set-up could forge proofs.
    verifier = Verifier(commitment, TrustStore.open(folder / "keys"))
    verified = verifier.verify(certificate, AllOf(MinRadius("0.01"), ForQuery(query)))
    print(verified.reading.sentence())
    for name, moved in verified.reading.features.items():
        print(f"  {name}: {moved}")

    try:
        verifier.verify(certificate, AllOf(MinRadius("9.99"), ForQuery(query)))
    except VerificationError as refused:
        print(f"A policy that asks for more is refused: {refused}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "certificate") / "public")
