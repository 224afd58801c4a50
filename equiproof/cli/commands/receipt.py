"""`equiproof receipt`: what applicants are given when decisions are made."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equiproof.cli.commands.common import ContextFile, Json, OpeningFile, load, tell, warn_of_sensitive
from equiproof.cli.commands.prove_many import common_context, listed
from equiproof.cli.commands.proving import NamesColumn, NoncesColumn
from equiproof.cli.console import bar

if TYPE_CHECKING:
    from equiproof.certify.guardrail import GuardrailFile
    from equiproof.prover.many.applicants import Applicant
    from equiproof.prover.many.decided import Behind
    from equiproof.prover.opening import Opening

_DISAGREEMENT = "the sensitive values lead to different decisions"

app = typer.Typer(no_args_is_help=True)

Rows = Annotated[
    Path,
    typer.Argument(
        help="One applicant: a JSON object of raw features, or a CSV of one row. With --out-dir any number: CSV, JSON, "
        "JSON Lines, .xlsx or .parquet."
    ),
]
Out = Annotated[Path | None, typer.Option("--out", help="One applicant: the folder to make, for this one decision.")]
OutDir = Annotated[
    Path | None, typer.Option("--out-dir", help="Many applicants: the folder to make, with a folder for each of them.")
]
Guardrail = Annotated[
    Path | None,
    typer.Option("--guardrail", help="Rules for whom a person decides, from `mitigate`; the receipts commit to them."),
]
Jobs = Annotated[
    int, typer.Option("--jobs", min=-1, help="How many processes decide at a time; -1: one per processor.")
]


@app.callback()
def _group() -> None:
    """Give every applicant a receipt when the decision is made."""


@app.command()
def new(
    row: Rows,
    opening: OpeningFile,
    out: Out = None,
    out_dir: OutDir = None,
    context: ContextFile = None,
    names: NamesColumn = None,
    nonces: NoncesColumn = None,
    guardrail: Guardrail = None,
    jobs: Jobs = -1,
    as_json: Json = False,
) -> None:
    """Decide about one applicant or about many, and make the receipts.

    Writes receipt, query file and context, which are the applicant's own, and the entry for the log. A nonce is drawn
    where there is none. `equiproof prove` with that query file and context makes the certificate about this very
    receipt; of many applicants it takes the folder. Where the sensitive values lead to different decisions, or a value
    lies between a threshold of an ensemble and its rounding, the receipt says that a person decides; also where a rule
    of --guardrail stops the applicant. Then the context has the guardrail's SHA-256.
    """
    from equiproof.prover.many.applicants import read_applicants
    from equiproof.prover.many.decided import Behind
    from equiproof.prover.opening import load_opening

    if not jobs:
        raise typer.BadParameter("--jobs: want at least 1, or -1 for one per processor, not 0")
    folder = _folder(out, out_dir, {"--id": names, "--nonce": nonces})
    owned = load_opening(opening)
    behind = Behind(owned, None if guardrail is None else _guardrail(guardrail, owned))
    if out is not None:
        document, text = _one(row, behind, folder, context)
    else:
        common = {} if context is None else common_context(context)
        applicants = read_applicants(row, owned.spec, common, names, nonces)
        warn_of_sensitive(row, owned.spec, {name for one in applicants for name in one.sensitive})
        document, text = _many(applicants, behind, folder, jobs, quiet=as_json)
    tell(as_json=as_json, document=document, text=text)


def _folder(out: Path | None, out_dir: Path | None, for_many: Mapping[str, str | None]) -> Path:
    """Return the folder to make; raises typer's own error for options that do not go together.

    Raises FileExistsRefusedError where there is something: its receipts may have been handed out.
    """
    from equiproof.circuits.files import FileExistsRefusedError

    folder = out_dir if out is None else out
    if folder is None or None not in (out, out_dir):
        raise typer.BadParameter("one applicant takes --out, many --out-dir: give one of them")
    for option, value in for_many.items():
        if out is not None and value is not None:
            raise typer.BadParameter(f"{option} is for many: --out-dir")
    if folder.exists():
        raise FileExistsRefusedError(folder, "name another folder: receipts are made once")
    return folder


def _guardrail(path: Path, owned: Opening) -> GuardrailFile:
    """Read a guardrail; raises GuardrailError, DocumentError or OSError for one that is not this model's."""
    from equiproof.certify.guardrail import GuardrailError, read_referring, refuse_misfit
    from equiproof.circuits.canonical import read_limited
    from equiproof.circuits.field import to_hex

    guardrail = read_referring(read_limited(path), str(path))
    if guardrail.commitment != to_hex(owned.commitment):
        raise GuardrailError(f"{path}: field commitment: of another model than the opening; mitigate by this --opening")
    refuse_misfit(guardrail, str(path), owned.spec)
    return guardrail


def _one(row: Path, behind: Behind, folder: Path, context: Path | None) -> tuple[dict[str, Any], str]:
    """Decide about one applicant; return what is said of it, as a document and as text."""
    from secrets import token_hex

    from equiproof.certify.data.rows import read_applicant
    from equiproof.circuits.files import write_folder
    from equiproof.prover.many.applicants import NONCE_BYTES
    from equiproof.prover.receipts import SECRET_FILES, decide
    from equiproof.verifier.documents import check_context, parse_texts

    texts = {} if context is None else load(parse_texts, context)
    made_for = check_context({"nonce": token_hex(NONCE_BYTES)} | texts, str(context or "context"))
    owned = behind.opening
    applicant = read_applicant(row, owned.spec)
    warn_of_sensitive(row, owned.spec, applicant)
    decided = decide(owned, applicant, made_for, guardrail=behind.guardrail)
    write_folder(folder, decided.files(), secret=SECRET_FILES)
    label = None if decided.receipt.label is None else owned.spec.labels[decided.receipt.label]
    document = {"folder": str(folder), "receipt": decided.receipt.digest, "label": label, "time": decided.receipt.time}
    decision = label or f"a person decides: {decided.referred or _DISAGREEMENT}"
    text = f"RECEIPT {decided.receipt.digest}\n  decision: {decision}\n  for the applicant, and for the log: "
    return document, text + str(folder)


def _many(
    applicants: list[Applicant], behind: Behind, folder: Path, jobs: int, *, quiet: bool
) -> tuple[dict[str, Any], str]:
    """Decide about all, write the folder when the last one is decided, and return what is said of it."""
    from equiproof.prover.many.decided import ENTRIES_FILE, decide_all

    with bar("deciding", quiet=quiet) as tick:
        labels = decide_all(behind, applicants, folder, tick, jobs)
    owned = behind.opening
    persons = [row for row, label in labels.items() if label is None]
    counts = {name: list(labels.values()).count(index) for index, name in enumerate(owned.spec.labels)}
    document = {"rows": len(labels), "labels": counts, "person": len(persons), "person_rows": persons}
    lines = [
        f"RECEIPTS {len(labels):,}: " + ", ".join(f"{count:,} {name}" for name, count in counts.items()),
        *([f"  {len(persons):,} left to a person: rows {listed(persons)}"] if persons else []),
        f"  for the applicants: {folder / 'applicants'}",
        f"  for the log: {folder / ENTRIES_FILE}",
    ]
    return document | {"folder": str(folder)}, "\n".join(lines)
