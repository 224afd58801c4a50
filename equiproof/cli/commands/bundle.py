"""`equiproof bundle`: a certificate with everything that it is verified with, as one file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equiproof.cli.commands.common import ContextFile, Force, Json, load, naming_file, tell

if TYPE_CHECKING:
    from equiproof.verifier.presented import Presented

_BELONGS = " Default: the one beside the certificate."
OwnReceipt = Annotated[
    Path | None, typer.Option("--receipt", help="The applicant's receipt, for their own bundle." + _BELONGS)
]
OwnQuery = Annotated[
    Path | None,
    typer.Option(
        "--for-applicant",
        metavar="QUERYFILE",
        help="The applicant's query file: makes the applicant's own bundle (secret), with data and blinding.",
    ),
]


def bundle(
    certificate: Annotated[Path, typer.Argument(help="A certificate, a folder with one, or another bundle.")],
    out: Annotated[Path, typer.Option("--out", help="Where to write the bundle: NAME.equiproof.")],
    commitment: Annotated[
        Path | None, typer.Option("--commitment", help="The public commitment file." + _BELONGS)
    ] = None,
    key: Annotated[
        Path | None, typer.Option("--key", help="The folder of the certificate's key, or of several keys." + _BELONGS)
    ] = None,
    context: ContextFile = None,
    log_proof: Annotated[
        Path | None, typer.Option("--log-proof", help="A proof that the certificate is in a public log." + _BELONGS)
    ] = None,
    receipt: OwnReceipt = None,
    for_applicant: OwnQuery = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Put a certificate and what it is verified with into one file.

    Finds the other files beside the certificate. Nothing is written unless the certificate verifies. Without
    --for-applicant, the bundle holds nothing of the applicant's: no query, no receipt, no context but that of
    --context, and no data that the certificate discloses.
    """
    from equiproof.circuits.files import refuse_taken, write_file
    from equiproof.verifier import policy_of
    from equiproof.verifier.bundle import SUFFIX

    if out.suffix != SUFFIX:
        raise typer.BadParameter(f"--out: {str(out)[:80]!r} does not end with {SUFFIX}")
    if receipt is not None and for_applicant is None:
        raise typer.BadParameter("--receipt: only in the applicant's own bundle (--for-applicant)")
    refuse_taken((out,), force=force)
    options = {"commitment": commitment, "key": key, "query": for_applicant, "context": context}
    options |= {"log_proof": log_proof, "receipt": receipt}
    given = {name: path for name, path in options.items() if path is not None}
    presented = gathered(certificate, given, public=for_applicant is None)
    with naming_file(certificate):
        verified = presented.verify(policy_of())
        bundled = presented.bundle()
    write_file(out, bundled.to_bytes(), secret=presented.query is not None, force=force)
    files = [name for name, _ in bundled.files()]
    document = {"bundle": str(out), "certificate": verified.identity, "files": files, "secret": "query.json" in files}
    secret = "\n  the applicant's own: it holds their data and the blinding" if document["secret"] else ""
    text = f"BUNDLED certificate {verified.identity}\n  bundle {out}\n  with {', '.join(files)}{secret}"
    tell(as_json=as_json, document=document, text=text)


def gathered(path: Path, given: dict[str, Path], *, public: bool = False) -> Presented:
    """Return a certificate with the files of options and, for the rest, those beside it.

    `given` are paths by field of :class:`.presented.Presented`. With `public`, nothing of the applicant's is taken from
    beside the certificate.
    """
    from equiproof.circuits.canonical import read_limited
    from equiproof.verifier import TrustStore, parse_context
    from equiproof.verifier.documents import load_commitment, load_query
    from equiproof.verifier.presented import log_proof_of, present
    from equiproof.verifier.receipt import parse_receipt

    found = present(path, {*given, "query", "context", "receipt"} if public else given)
    if public:
        found = found.public()
    if "commitment" in given:
        found = replace(found, commitment=load_commitment(given["commitment"]))
    if "key" in given:
        found = replace(found, key=TrustStore.open(given["key"]).find(found.certificate.key.fingerprint))
    if "query" in given:
        found = replace(found, query=load_query(given["query"]))
    if "context" in given:
        found = replace(found, context=load(parse_context, given["context"]))
    if "log_proof" in given:
        found = replace(found, log_proof=read_limited(given["log_proof"]))
    if "receipt" in given:
        proof = log_proof_of(given["receipt"])
        found = replace(found, receipt=load(parse_receipt, given["receipt"]), receipt_proof=proof)
    return found
