"""`equiproof box`: everybody in a box gets one label, proven and verified."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equiproof.circuits.tables import say
from equiproof.cli import steps
from equiproof.cli.answers import LanguageText, checks, in_its_language, words_of
from equiproof.cli.commands.common import (
    CommitmentFile,
    ContextFile,
    Force,
    Json,
    KeysFolder,
    OpeningFile,
    OwnerSecret,
    below_each_other,
    load,
    naming_file,
    tell,
)
from equiproof.cli.commands.demanding import NOTHING, Demanded, demanding
from equiproof.cli.commands.demands import CheckerText, chosen_program, mendable
from equiproof.cli.commands.verify import LogProofFile
from equiproof.cli.commands.verify_many import Jobs, LogProofForAll, ResultsFile, Run
from equiproof.cli.console import spinner

if TYPE_CHECKING:
    from equiproof.prover.box import BoxProven
    from equiproof.verifier import Refusal
    from equiproof.verifier.logged import BoxDated, LogTerms
    from equiproof.verifier.verify_box import VerifiedBox

app = typer.Typer(no_args_is_help=True, help="Prove that everybody in a box gets one label.")

EndsFile = Annotated[
    Path,
    typer.Argument(
        help="The box: a JSON object with, for each feature, its least and its largest value, or the values that are "
        "possible where it has a column for each."
    ),
]
Label = Annotated[str, typer.Option("--label", help="The label that everybody in the box gets.")]
Out = Annotated[Path, typer.Option("--out", help="Where to write the box certificate.")]
BoxOut = Annotated[
    Path | None, typer.Option("--box-out", help="Where to write the opened box, which is its holder's (secret).")
]
Disclosed = Annotated[bool, typer.Option("--disclose", help="Put the opened box into the certificate: it is public.")]
BoxFile = Annotated[Path, typer.Argument(help="The box certificate.")]
Opened = Annotated[Path | None, typer.Option("--box", help="The opened box: require that the certificate is about it.")]
RefusalFile = Annotated[
    Path | None,
    typer.Option(
        "--refusal",
        help="The certificate of a refusal: require that the box is one that the spec's rules of change say for whom "
        "it is about. Goes with --box and --query.",
    ),
]
QueryFile = Annotated[Path | None, typer.Option("--query", help="The query file of the refusal.")]
WishesFile = Annotated[
    Path | None, typer.Option("--wishes", help="What its applicant does not want to change, beside the rules.")
]
Within = Annotated[
    int | None,
    typer.Option(
        "--within",
        min=1,
        max=99,
        metavar="PERCENT",
        help="Compare the box with a part of what the refusal's applicant may change: numbers go so far to their ends.",
    ),
]
Required = Annotated[str | None, typer.Option("--label", help="Require that the certificate says this label.")]
ManyBoxes = Annotated[
    Path,
    typer.Argument(
        help="A folder of box certificates (*.json) and folders with a certificate.json, or a file of one box "
        "certificate a line (JSONL)."
    ),
]
DatedBy = Annotated[
    Path | None,
    typer.Option(
        "--dated-by", help="A log proof of the certificate's own file: require that the log of --log-key dates it."
    ),
]


@app.command()
def prove(
    box: EndsFile,
    opening: OpeningFile,
    keys: KeysFolder,
    label: Label,
    out: Out,
    box_out: BoxOut = None,
    context: ContextFile = None,
    disclose: Disclosed = False,
    owner_secret: OwnerSecret = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Prove that everybody in a box gets one label.

    The certificate holds for every listed value of the sensitive features. It does not say which box it is about: the
    file of --box-out shows that. Exits 4 where somebody in the box is decided otherwise; then no file is written.
    """
    from equiproof.circuits.canonical import canonical_bytes
    from equiproof.circuits.files import refuse_taken, write_files
    from equiproof.prover import KeyStore
    from equiproof.prover.box import BoxProver
    from equiproof.prover.opening import load_opening
    from equiproof.verifier import parse_context
    from equiproof.verifier.opened_box import parse_ends

    if box_out is None and not disclose:
        raise typer.BadParameter(
            "--box-out is missing: its file shows which box the certificate is about; or have it shown by --disclose"
        )
    refuse_taken(filter(None, (out, box_out)), force=force)
    made_for = None if context is None else load(parse_context, context)
    ends = load(parse_ends, box)
    owned = load_opening(opening)
    key = KeyStore(keys, owner_secret).find_box(owned)
    with naming_file(box), spinner("proving", quiet=as_json), BoxProver(owned, key) as prover:
        proven = prover.prove(ends, label, made_for, disclose=disclose)
    for name, seconds in proven.seconds.items():
        steps.note(name, seconds)
    opened = {} if box_out is None else {box_out: canonical_bytes(proven.opened)}
    write_files(opened | {out: proven.certificate.to_bytes()}, secret=tuple(opened), force=force)
    document = proven.document() | {"certificate": str(out), "box": None if box_out is None else str(box_out)}
    tell(as_json=as_json, document=document, text=_proven(proven, document))


@app.command()
@demanding("box verify", first=("context",), without=("policy",))
@in_its_language
def verify(
    file: BoxFile,
    commitment: CommitmentFile,
    keys: KeysFolder,
    box: Opened = None,
    label: Required = None,
    refusal: RefusalFile = None,
    query: QueryFile = None,
    wishes: WishesFile = None,
    within: Within = None,
    demanded: Demanded = NOTHING,
    log_proof: LogProofFile = None,
    dated_by: DatedBy = None,
    checker: CheckerText = "auto",
    language: LanguageText = "en",
    as_json: Json = False,
) -> None:
    """Verify a box certificate; say what was checked and what not.

    Commitment and keys are those that you trust. With a refusal it is also checked that the box has all that the rules
    of the spec allow whom it is about to change, or is one of these changes, and said which. Exits 0 if the certificate
    is verified, 1 if it is refused, and 2 for a malformed file or wrong usage.
    """
    from equiproof.circuits.canonical import read_limited
    from equiproof.verifier import BoxVerifier, TrustStore, parse_box, parse_opened_box
    from equiproof.verifier.documents import load_commitment
    from equiproof.verifier.presented import log_proof_of

    program = chosen_program(checker)
    words_of(language)
    other = _refusal(box, refusal, query, wishes, within)
    certificate = load(parse_box, file)
    opened = None if box is None else load(parse_opened_box, box)
    verifier = BoxVerifier(load_commitment(commitment), TrustStore.open(keys), program)
    proof = log_proof_of(file) if log_proof is None else read_limited(log_proof)
    policy = demanded.policy(log_proof=proof or b"")
    dated = None if dated_by is None else _dated(demanded.terms(), read_limited(dated_by))
    with naming_file(file), mendable(checker):
        verified = verifier.verify(certificate, policy, opened=opened, label=label, dated=dated, refusal=other)
    tell(as_json=as_json, document=verified.document(), text=_verified(verified))


@app.command("verify-many")
@demanding("box verify-many", without=("policy",))
@in_its_language
def verify_many(
    certificates: ManyBoxes,
    commitment: CommitmentFile,
    keys: KeysFolder,
    demanded: Demanded = NOTHING,
    log_proof: LogProofForAll = None,
    checker: CheckerText = "auto",
    jobs: Jobs = 1,
    out: ResultsFile = None,
    force: Force = False,
    language: LanguageText = "en",
    as_json: Json = False,
) -> None:
    """Verify a folder or a file of box certificates.

    The opened box in the folder of a box certificate must open it. A file that is broken is one of the results, not
    the end; certificates about decisions are left out. Exits 0 if every box certificate is verified, 1 if any is
    refused, otherwise 2 if any is malformed.
    """
    words_of(language)
    run = Run(certificates, commitment, keys, demanded, log_proof, checker, jobs, out, boxes=True)
    run.judge(force=force, as_json=as_json)


def _dated(terms: LogTerms | None, proof: bytes) -> BoxDated:
    """Return what a log must hold of the file; raises typer's own error without a log and its witnesses."""
    from equiproof.verifier.logged import BoxDated

    if terms is None:
        raise typer.BadParameter(say("option.log_key_missing", option="--dated-by"))
    try:
        return BoxDated(terms.pins(), proof, int(time.time()))
    except ValueError as error:
        raise typer.BadParameter(f"--dated-by: {error}") from None


def _refusal(
    box: Path | None, refusal: Path | None, query: Path | None, wishes: Path | None, within: int | None
) -> Refusal | None:
    """Read what a box is compared with; None where nothing is given, BadParameter where something lacks."""
    from equiproof.verifier import Refusal, parse_certificate, parse_query, parse_wishes

    if refusal is None and query is None and wishes is None and within is None:
        return None
    if box is None or refusal is None or query is None:
        raise typer.BadParameter(say("box.options_go_together"))
    wished = None if wishes is None else load(parse_wishes, wishes)
    return Refusal(load(parse_certificate, refusal), load(parse_query, query), wished, within)


def _proven(proven: BoxProven, document: dict[str, Any]) -> str:
    """Write what was proven."""
    seconds = ", ".join(f"{name} {value:.2f} s" for name, value in proven.seconds.items())
    return "\n".join(
        [
            f"PROVEN {document['statement']}",
            f"  {document['constraints']:,} constraints; {seconds}",
            f"  certificate {document['certificate']}",
            *([f"  opened box {document['box']}"] if document["box"] else []),
        ]
    )


def _verified(verified: VerifiedBox) -> str:
    """Write what was verified, with every check in words."""
    document = verified.document()
    first = say("technical.verified", sentence=document["answer"] or document["statement"])
    ends = [f"  {line}" for line in below_each_other(verified.ends or {})]
    return "\n".join([first, *ends, *checks(verified, document)])
