"""`equiproof gain`: how much more a model leans to a label because of a sensitive value, proven and verified."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equiproof.circuits.tables import say
from equiproof.cli import steps
from equiproof.cli.answers import LanguageText, in_its_language, technical, words_of
from equiproof.cli.commands.common import (
    CommitmentFile,
    ContextFile,
    Force,
    Json,
    KeysFolder,
    MaxSeconds,
    OpeningFile,
    OwnerSecret,
    load,
    naming_file,
    tell,
    warn_of_sensitive,
)
from equiproof.cli.commands.demanding import NOTHING, Demanded, demanding
from equiproof.cli.commands.demands import CheckerText, OwnLink, chosen_program, mendable, own_link, sensitive_values
from equiproof.cli.commands.proving import Capacity, Disclose
from equiproof.cli.console import spinner

if TYPE_CHECKING:
    from equiproof.prover.gain import GainProven, Sought
    from equiproof.verifier.verify_gain import VerifiedGain

app = typer.Typer(no_args_is_help=True, help="Prove how much a sensitive value gains a person at least.")

Row = Annotated[Path, typer.Argument(help="One applicant: a JSON object of raw features, or a CSV of one row.")]
Out = Annotated[Path, typer.Option("--out", help="Where to write the gain certificate.")]
QueryOut = Annotated[
    Path | None, typer.Option("--query-out", help="Where to write the applicant's own query file (secret).")
]
Label = Annotated[str, typer.Option("--label", help="The label whose log odds are compared.")]
First = Annotated[
    list[str],
    typer.Option(
        "--first",
        metavar="NAME=VALUE",
        help="The sensitive value that gains, such as sex=male. Repeat the option for each sensitive feature.",
    ),
]
Second = Annotated[
    list[str], typer.Option("--second", metavar="NAME=VALUE", help="The value that it is compared with, likewise.")
]
Radius = Annotated[
    str | None,
    typer.Option("--radius", help="Prove as much gain as can be shown up to this radius, in the spec's units."),
]
LeastGain = Annotated[
    str | None,
    typer.Option("--least-gain", help="Prove this gain, in log odds, as far as can be shown; below 0: a loss at most."),
]
GainFile = Annotated[Path, typer.Argument(help="The gain certificate.")]


@app.command()
def prove(
    row: Row,
    opening: OpeningFile,
    keys: KeysFolder,
    label: Label,
    first: First,
    second: Second,
    out: Out,
    radius: Radius = None,
    least_gain: LeastGain = None,
    query_out: QueryOut = None,
    context: ContextFile = None,
    capacity: Capacity = None,
    disclose: Disclose = False,
    max_seconds: MaxSeconds = None,
    owner_secret: OwnerSecret = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Prove how much a sensitive value gains at least.

    The gain is in a label's log odds, from one value in place of another. The certificate holds for the applicant and
    everybody within its radius, and is not about a decision. Exits 4 where the gain is smaller at the applicant's own
    data already, or no evidence fits the key; then no file is written.
    """
    from equiproof.certify.data.rows import read_applicant
    from equiproof.certify.documents import in_spec_units
    from equiproof.circuits.canonical import canonical_bytes
    from equiproof.circuits.files import refuse_taken, write_files
    from equiproof.prover import KeyStore
    from equiproof.prover.gain import GainProver
    from equiproof.prover.opening import load_opening
    from equiproof.verifier import parse_context

    sought = _sought(label, first, second, radius, least_gain)
    if query_out is None and not disclose:
        raise typer.BadParameter(
            "--query-out is missing: its file shows whom the certificate is about; or have it shown by --disclose"
        )
    refuse_taken(filter(None, (out, query_out)), force=force)
    made_for = None if context is None else load(parse_context, context)
    owned = load_opening(opening)
    key = KeyStore(keys, owner_secret).find_gain(owned, capacity)
    applicant = read_applicant(row, owned.spec, owned.encode)
    warn_of_sensitive(row, owned.spec, applicant)
    with in_spec_units(owned.spec), spinner("proving", quiet=as_json), GainProver(owned, key, opening.parent) as prover:
        link = prover.link
        proven = prover.prove(applicant, sought, made_for, disclose=disclose, max_seconds=max_seconds)
    _note(proven)
    query = {} if query_out is None else {query_out: canonical_bytes(proven.query)}
    write_files(query | {out: proven.certificate.to_bytes()}, secret=tuple(query), force=force)
    document = proven.document() | {"certificate": str(out), "query": None if query_out is None else str(query_out)}
    document |= {} if link is None else {"link": str(link.path)}
    tell(as_json=as_json, document=document, text=_proven(proven, document))


@app.command()
@demanding("gain verify", first=("query", "context", "min_gain", "min_radius", "label"), without=("policy",))
@in_its_language
def verify(
    file: GainFile,
    commitment: CommitmentFile,
    keys: KeysFolder,
    demanded: Demanded = NOTHING,
    link: OwnLink = None,
    checker: CheckerText = "auto",
    language: LanguageText = "en",
    as_json: Json = False,
) -> None:
    """Verify a gain certificate; say what was checked and what not.

    Commitment and keys are those that you trust. Exits 0 if the certificate is verified, 1 if it is refused, and 2 for
    a malformed file or wrong usage.
    """
    from equiproof.verifier import GainVerifier, TrustStore, parse_gain
    from equiproof.verifier.documents import load_commitment

    program = chosen_program(checker)
    words_of(language)
    demanded.compared()  # options that belong together are compared before any file is opened
    certificate = load(parse_gain, file)
    trusted = load_commitment(commitment)
    found = own_link(link, certificate, file.parent, commitment.parent)
    verifier = GainVerifier(trusted, TrustStore.open(keys), program, found)
    policy = demanded.policy(demanded.query(trusted))
    with naming_file(file), mendable(checker):
        verified = verifier.verify(certificate, policy)
    tell(as_json=as_json, document=verified.document(), text=_verified(verified))


def _note(proven: GainProven) -> None:
    """Write down how long each step took."""
    for name, seconds in proven.seconds.items():
        steps.note(name, seconds)


def _sought(label: str, first: list[str], second: list[str], radius: str | None, least_gain: str | None) -> Sought:
    """Return what is to be proven; raises typer's own error unless exactly one number is given."""
    from equiproof.prover.gain import Sought

    if (radius is None) == (least_gain is None):
        raise typer.BadParameter("want --radius, for a gain up to it, or --least-gain, for a radius, and not both")
    return Sought(label, sensitive_values("first", first), sensitive_values("second", second), radius, least_gain)


def _proven(proven: GainProven, document: dict[str, Any]) -> str:
    """Write what was proven, and what only the owner sees."""
    seconds = ", ".join(f"{name} {value:.2f} s" for name, value in proven.seconds.items())
    full = document["leaves"] == document["capacity"]
    return "\n".join(
        [
            f"PROVEN {document['statement']}",
            f"  at the applicant's own data the gain is {document['gain_here']}, and the certificate shows the bound",
            f"  {document['leaves']} leaves of at most {document['capacity']}; {seconds}",
            *(["  a key with more leaves might prove more"] if full else []),
            f"  certificate {document['certificate']}",
            *([f"  query for the applicant {document['query']}"] if document["query"] else []),
            *([f"  link {document['link']}: publish it with the commitment"] if "link" in document else []),
        ]
    )


def _verified(verified: VerifiedGain) -> str:
    """Write what was verified, with every check in words."""
    document = verified.document()
    first = say("technical.verified", sentence=document["statement"])
    return "\n".join([first, *technical(verified, document, document["features"])])
