"""The applicant's side: is this certificate about me, and what does it promise?

    python examples/applicant.py [folder]

Takes the folder `folder/public` of examples/certificate.py and imports the verifier alone: no torch, no numpy, nothing
of the lender's.
"""

from __future__ import annotations

import sys
from pathlib import Path

from verifier import (
    AllOf,
    ForQuery,
    MinRadius,
    TrustStore,
    VerificationError,
    Verifier,
    parse_commitment,
    parse_query,
)


def main(folder: Path) -> None:
    """Verify a certificate, and see a wrong demand refused."""
    if not (folder / "certificate.json").is_file():
        raise SystemExit(f"{folder / 'certificate.json'} is not there: run examples/certificate.py first")
    commitment = parse_commitment((folder / "commitment.json").read_bytes(), "commitment.json")
    query = parse_query((folder / "query.json").read_bytes(), "query.json")
    certificate = (folder / "certificate.json").read_bytes()

    # Where the keys come from is a matter of trust: whoever ran the set-up could forge proofs.
    verifier = Verifier(commitment, TrustStore.open(folder / "keys"))
    verified = verifier.verify(certificate, AllOf(MinRadius("0.01"), ForQuery(query)))
    print(verified.reading.sentence())
    for name, moved in verified.reading.features.items():
        print(f"  {name}: {moved}")

    try:
        verifier.verify(certificate, AllOf(MinRadius("9.99"), ForQuery(query)))
    except VerificationError as refused:
        print(f"A demand for more is refused: {refused}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "certificate") / "public")
