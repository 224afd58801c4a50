"""`equiproof verify`: check a certificate, alone or with what came with it, against a policy and what you trust."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equiproof.circuits.tables import written
from equiproof.cli.answers import (
    LanguageText,
    answer_lines,
    everything_else,
    in_its_language,
    recourse_lines,
    refused_in_words,
    shown,
    words_of,
)
from equiproof.cli.commands.common import Json, load, naming_file, tell
from equiproof.cli.commands.demanding import NOTHING, Demanded, demanding
from equiproof.cli.commands.demands import CheckerText, OwnLink, chosen_program, mendable, own_link
from equiproof.cli.commands.stamp import OwnAuthority, OwnStamp, of_stamp, stamp_of, with_stamp

if TYPE_CHECKING:
    from equiproof.verifier import TrustStore
    from equiproof.verifier.documents import CommitmentDocument, QueryDocument
    from equiproof.verifier.facts import Policy
    from equiproof.verifier.presented import Presented
    from equiproof.verifier.stamps import Stamp
    from equiproof.verifier.verify import Verified
    from equiproof.verifier.words import Words

PresentedFile = Annotated[
    Path, typer.Argument(help="A bundle (NAME.equiproof), a certificate, or a folder with a certificate.")
]
OwnCommitment = Annotated[
    Path | None,
    typer.Option(
        "--commitment",
        help=written("option.commitment"),
    ),
]
OwnKeys = Annotated[
    Path | None,
    typer.Option(
        "--keys",
        help=written("option.keys"),
    ),
]
ReceiptFile = Annotated[
    Path | None,
    typer.Option(
        "--receipt", help="Your own receipt; its log proof has the same name with .tlog-proof. Default: the one beside."
    ),
]
LogProofFile = Annotated[
    Path | None,
    typer.Option("--log-proof", help="A proof that the commitment is in a public log. Default: the one beside."),
]
VerboseFlag = Annotated[bool, typer.Option("--verbose", help=written("option.details"))]


@demanding(
    "verify", first=("model_commitment", "key_fingerprint", "link_key_fingerprint", "query", "context", "receipt")
)
@in_its_language
def verify(
    file: PresentedFile,
    commitment: OwnCommitment = None,
    keys: OwnKeys = None,
    demanded: Demanded = NOTHING,
    receipt: ReceiptFile = None,
    log_proof: LogProofFile = None,
    link: OwnLink = None,
    stamp: OwnStamp = None,
    authority: OwnAuthority = None,
    checker: CheckerText = "auto",
    language: LanguageText = "en",
    verbose: VerboseFlag = False,
    as_json: Json = False,
) -> None:
    """Verify a certificate; say what was checked and what not.

    What you do not give is taken from the bundle, or found beside the certificate, and then stands first among what was
    not checked. Exits 0 if the certificate is verified, 1 if it is refused, and 2 for a malformed file or wrong usage.
    """
    program = chosen_program(checker)
    words = words_of(language)
    files = {"commitment": commitment, "key": keys, "receipt": receipt, "log_proof": log_proof}
    with refused_in_words(file, words):
        presented = _presented(file, link, files | {name: demanded.path(name) for name in ("query", "context")})
        presented = _with_log(presented, receipt, log_proof)
        if presented.link is None and commitment is not None:
            presented = _linked(presented, file, commitment.parent, of_key=keys is None)
    demanded.terms()  # options that are nothing without another are found before any file of the reader is opened
    trusted_keys, own_commitment = trusted_parts(keys, commitment)
    own = demanded.query(own_commitment or presented.commitment)
    required = demanded.policy(own, presented.log_proof or b"")
    with refused_in_words(file, words), naming_file(file), mendable(checker):
        verified = presented.verify(required, own_commitment, trusted_keys, program)
    stamped = stamp_of(file, stamp, authority)
    _tell(verified, required, presented, own, words, stamped, verbose=verbose, as_json=as_json)


def _tell(
    verified: Verified,
    required: Policy,
    presented: Presented,
    own: QueryDocument | None,
    words: Words,
    stamped: Stamp | None,
    *,
    verbose: bool,
    as_json: bool,
) -> None:
    """Print what was verified."""
    from equiproof.verifier.answer import answer
    from equiproof.verifier.findings import findings

    own_answer = with_stamp(answer(findings(verified, required, presented), words.language), stamped)
    document = verified.document(own or presented.query or presented.certificate.query)
    document |= {"answer": own_answer} | of_stamp(stamped)
    more = everything_else(verified, document, words) if verbose else [shown(words.say("label.more"))]
    lines = [*answer_lines(own_answer, words), *recourse_lines(verified, words), "", *more]
    tell(as_json=as_json, document=document, text="\n".join(lines))


def _presented(file: Path, link: Path | None, options: Mapping[str, Path | None]) -> Presented:
    """Read the certificate and what came with it, but for the parts that options name.

    Who names commitment and keys has all that a certificate file needs but a log proof and a link, so nothing else is
    looked for.
    """
    from equiproof.verifier.link import load_link
    from equiproof.verifier.presented import present

    own_fields = {name for name, path in options.items() if path is not None}
    own = None if link is None else load_link(link)
    return present(file, own_fields, alone={"commitment", "key"} <= own_fields, link=own)


def _linked(presented: Presented, file: Path, folder: Path, *, of_key: bool) -> Presented:
    """Add the link in the folder of the commitment that a kept key needs; `of_key`: with its key beside the file."""
    from equiproof.verifier.presented import link_key_beside

    link = own_link(None, presented.certificate, folder)
    key = None if link is None or not of_key else link_key_beside(file, link)
    return replace(presented, link=link, link_key=key)


def _with_log(presented: Presented, receipt: Path | None, log_proof: Path | None) -> Presented:
    """Add the receipt and the log proof of options."""
    from equiproof.circuits.canonical import read_limited
    from equiproof.verifier.presented import log_proof_of
    from equiproof.verifier.receipt import parse_receipt

    if log_proof is not None:
        presented = replace(presented, log_proof=read_limited(log_proof))
    if receipt is None:
        return presented
    return replace(
        presented, receipt=load(parse_receipt, receipt), receipt_proof=log_proof_of(receipt), own_receipt=True
    )


def trusted_parts(keys: Path | None, commitment: Path | None) -> tuple[TrustStore | None, CommitmentDocument | None]:
    """Read the keys and the commitment that the reader trusts."""
    from equiproof.verifier import TrustStore
    from equiproof.verifier.documents import load_commitment

    trusted_keys = None if keys is None else TrustStore.open(keys)
    return trusted_keys, None if commitment is None else load_commitment(commitment)
