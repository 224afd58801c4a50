"""`equiproof bundle`: a certificate with everything that it is verified with, as one file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equiproof.cli.commands.common import ContextFile, Force, Json, load, naming_file, tell

if TYPE_CHECKING:
    from equiproof.verifier.documents import QueryDocument
    from equiproof.verifier.enclosed import Enclosed
    from equiproof.verifier.presented import Presented

_DEFAULT_TEXT = " Default: the one beside the certificate."
OwnReceipt = Annotated[
    Path | None, typer.Option("--receipt", help="The applicant's receipt, for their own bundle." + _DEFAULT_TEXT)
]
OwnQuery = Annotated[
    Path | None,
    typer.Option(
        "--for-applicant",
        metavar="QUERYFILE",
        help="The applicant's query file: makes the applicant's own bundle (secret), with data and blinding.",
    ),
]
OwnRecourse = Annotated[
    Path | None,
    typer.Option(
        "--recourse",
        metavar="FOLDER",
        help="What `equiproof recourse --prove` wrote for this refusal, for the applicant's own bundle.",
    ),
]
BoxKeys = Annotated[
    Path | None, typer.Option("--box-keys", help="The folder of the key of boxes that --recourse was proven with.")
]
OwnWishes = Annotated[
    Path | None, typer.Option("--wishes", help="The applicant's wishes, where --recourse was looked for within them.")
]


def bundle(
    certificate: Annotated[Path, typer.Argument(help="A certificate, a folder with one, or another bundle.")],
    out: Annotated[Path, typer.Option("--out", help="Where to write the bundle: NAME.equiproof.")],
    commitment: Annotated[
        Path | None, typer.Option("--commitment", help="The public commitment file." + _DEFAULT_TEXT)
    ] = None,
    key: Annotated[
        Path | None,
        typer.Option("--key", help="The folder of the certificate's key, or of several keys." + _DEFAULT_TEXT),
    ] = None,
    context: ContextFile = None,
    log_proof: Annotated[
        Path | None,
        typer.Option("--log-proof", help="A proof that the certificate is in a public log." + _DEFAULT_TEXT),
    ] = None,
    receipt: OwnReceipt = None,
    for_applicant: OwnQuery = None,
    recourse: OwnRecourse = None,
    box_keys: BoxKeys = None,
    wishes: OwnWishes = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Put a certificate and what it is verified with into one file.

    Finds the other files beside the certificate. Nothing is written unless the certificate verifies, and with it the
    box certificates of --recourse. Without --for-applicant, the bundle holds nothing of the applicant's: no query, no
    receipt, no context but that of --context, and no data that the certificate discloses.
    """
    from equiproof.circuits.files import refuse_taken, write_file
    from equiproof.verifier import policy_of
    from equiproof.verifier.bundle import SUFFIX

    if out.suffix != SUFFIX:
        raise typer.BadParameter(f"--out: {str(out)[:80]!r} does not end with {SUFFIX}")
    if receipt is not None and for_applicant is None:
        raise typer.BadParameter("--receipt: only in the applicant's own bundle (--for-applicant)")
    if recourse is not None and None in (for_applicant, box_keys):
        raise typer.BadParameter("--recourse goes with --for-applicant and --box-keys, the folder of its key")
    if recourse is None and (box_keys is not None or wishes is not None):
        raise typer.BadParameter("--box-keys and --wishes go with --recourse, the folder of the certificates")
    refuse_taken((out,), force=force)
    options = {"commitment": commitment, "key": key, "query": for_applicant, "context": context}
    options |= {"log_proof": log_proof, "receipt": receipt}
    paths = {name: path for name, path in options.items() if path is not None}
    presented = gathered(certificate, paths, public=for_applicant is None)
    if recourse is not None and box_keys is not None and presented.query is not None:
        presented = replace(presented, recourse=_enclosed(recourse, presented.query, box_keys, wishes))
    with naming_file(certificate):
        verified = presented.verify(policy_of())
        bundled = presented.bundle()
    write_file(out, bundled.to_bytes(), secret=presented.query is not None, force=force)
    files = [name for name, _ in bundled.files()]
    document = {"bundle": str(out), "certificate": verified.identity, "files": files, "secret": "query.json" in files}
    secret = "\n  the applicant's own: it holds their data and the blinding" if document["secret"] else ""
    text = f"BUNDLED certificate {verified.identity}\n  bundle {out}\n  with {', '.join(files)}{secret}"
    tell(as_json=as_json, document=document, text=text)


def _enclosed(folder: Path, query: QueryDocument, keys: Path, wishes: Path | None) -> Enclosed:
    """Read what `equiproof recourse` wrote into a folder, with the key of its certificates."""
    from equiproof.verifier import TrustStore, parse_box, parse_opened_box, parse_wishes
    from equiproof.verifier.bundle import ANSWERS
    from equiproof.verifier.enclosed import Enclosed

    boxes = []
    for name in ANSWERS:
        if (folder / name).is_dir():
            certificate = load(parse_box, folder / name / "certificate.json")
            boxes.append((name, certificate, load(parse_opened_box, folder / name / "opened.json")))
    if not boxes:
        raise typer.BadParameter(
            f"--recourse: no box certificate in {str(folder)[:80]!r}: want none/ or way-1/ there; for a part/ give "
            "certificate and box to `equiproof box verify --within`"
        )
    key = TrustStore.open(keys).find(boxes[0][1].key.fingerprint)
    return Enclosed(query, key, tuple(boxes), None if wishes is None else load(parse_wishes, wishes))


def gathered(path: Path, paths: dict[str, Path], *, public: bool = False) -> Presented:
    """Return a certificate with the files of options and, for the rest, those beside it.

    `paths` are paths by field of :class:`.presented.Presented`. With `public`, nothing of the applicant's is taken from
    beside the certificate.
    """
    from equiproof.circuits.canonical import read_limited
    from equiproof.verifier import TrustStore, parse_context
    from equiproof.verifier.documents import load_commitment, load_query
    from equiproof.verifier.presented import log_proof_of, present
    from equiproof.verifier.receipt import parse_receipt

    presented = present(path, {*paths, "query", "context", "receipt"} if public else paths)
    if public:
        presented = presented.public()
    if "commitment" in paths:
        presented = replace(presented, commitment=load_commitment(paths["commitment"]))
    if "key" in paths:
        store = TrustStore.open(paths["key"])
        presented = replace(presented, key=store.find(presented.certificate.key.fingerprint))
    if "query" in paths:
        presented = replace(presented, query=load_query(paths["query"]))
    if "context" in paths:
        presented = replace(presented, context=load(parse_context, paths["context"]))
    if "log_proof" in paths:
        presented = replace(presented, log_proof=read_limited(paths["log_proof"]))
    if "receipt" in paths:
        proof = log_proof_of(paths["receipt"])
        presented = replace(presented, receipt=load(parse_receipt, paths["receipt"]), receipt_proof=proof)
    return _with_link(presented, path, paths)


def _with_link(presented: Presented, path: Path, paths: dict[str, Path]) -> Presented:
    """Add what a kept key needs: the link beside certificate or commitment, with its key beside the certificate's."""
    from equiproof.verifier import TrustStore
    from equiproof.verifier.presented import link_beside, link_key_beside

    link = presented.link
    if link is None and "commitment" in paths:
        link = link_beside(paths["commitment"].parent, presented.certificate)
    if link is None or presented.link_key is not None:
        return presented
    named = link.link_key.fingerprint
    key = TrustStore.open(paths["key"]).find_link_key(named) if "key" in paths else link_key_beside(path, link)
    return replace(presented, link=link, link_key=key)
