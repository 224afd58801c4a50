"""`equiproof prove`: one applicant's certificate, verified before it is written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equiproof.circuits.exit_codes import UNFAIR
from equiproof.circuits.schemes import Scheme
from equiproof.cli.commands.common import (
    ContextFile,
    Force,
    Json,
    KeysFolder,
    MaxSeconds,
    OpeningFile,
    OwnerSecret,
    counterexample_text,
    load,
    tell,
)
from equiproof.cli.console import spinner

if TYPE_CHECKING:
    from equiproof.certify.branch import BranchSearch
    from equiproof.certify.traversal.search import Search
    from equiproof.prover import Proven


def prove(
    row: Annotated[Path, typer.Argument(help="One applicant: a JSON object of raw features, or a CSV of one row.")],
    opening: OpeningFile,
    keys: KeysFolder,
    out: Annotated[Path, typer.Option("--out", help="Where to write the certificate.")],
    query_out: Annotated[
        Path, typer.Option("--query-out", help="Where to write the applicant's own query file (secret).")
    ],
    context: ContextFile = None,
    scheme: Annotated[
        Scheme | None, typer.Option(help="The key's scheme: branch or traversal. Default: the largest key's.")
    ] = None,
    capacity: Annotated[int | None, typer.Option(help="The key's capacity. Default: the largest key's.")] = None,
    owner_secret: OwnerSecret = None,
    disclose: Annotated[bool, typer.Option(help="Write the applicant's data into the certificate.")] = False,
    max_seconds: MaxSeconds = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Prove one decision fair, and write its certificate.

    Exits 3 if the decision is unfair or a sensitive value leads to a tie, and 4 if a budget or the key's capacity is
    too small. In these cases no file is written.
    """
    from equiproof.certify.data.rows import read_applicant
    from equiproof.certify.documents import counterexample, in_spec_units
    from equiproof.certify.traversal.search import Counterexample
    from equiproof.circuits.canonical import canonical_bytes
    from equiproof.circuits.files import refuse_taken, write_files
    from equiproof.prover import KeyStore, Prover
    from equiproof.prover.opening import load_opening
    from equiproof.verifier import parse_context

    if out.resolve() == query_out.resolve():
        raise typer.BadParameter("--out and --query-out name the same file")
    refuse_taken((out, query_out), force=force)
    made_for = None if context is None else load(parse_context, context)
    owned = load_opening(opening)
    applicant = read_applicant(row, owned.spec)
    key = KeyStore(keys, owner_secret).find(owned.spec, owned.network.hidden, capacity, scheme)
    with in_spec_units(owned.spec), spinner("proving", quiet=as_json), Prover(owned, key) as prover:
        proven = prover.prove(applicant, made_for, disclose=disclose, max_seconds=max_seconds)
    if isinstance(proven, Counterexample):
        document = counterexample(owned.spec, owned.network, proven)
        tell(as_json=as_json, document=document, text=counterexample_text(document))
        raise typer.Exit(UNFAIR)
    files = {query_out: canonical_bytes(proven.query), out: proven.certificate.to_bytes()}
    write_files(files, secret=(query_out,), force=force)
    document = proven.document() | {"certificate": str(out), "query": str(query_out)}
    tell(as_json=as_json, document=document, text=_text(proven, document))


def _text(proven: Proven, document: dict[str, Any]) -> str:
    """Write what was proven, and what more room or time would give."""
    from equiproof.certify.traversal.search import Search

    found = proven.search
    seconds = ", ".join(f"{name} {value:.2f} s" for name, value in proven.seconds.items())
    kind, more = (
        ("regions", _more_regions(proven, found))
        if isinstance(found, Search)
        else ("leaves", _more_leaves(document, found))
    )
    lines = [
        f"PROVEN {document['statement']}",
        f"  {proven.evidence.size} {kind} of at most {document['capacity']}; {seconds}",
        *more,
        f"  certificate {document['certificate']}",
        f"  query for the applicant {document['query']}",
    ]
    return "\n".join(lines)


def _more_regions(proven: Proven, found: Search) -> list[str]:
    """Say what more regions would give."""
    from equiproof.certify.documents import radius_text

    capacity = proven.key.shape.capacity
    if found.radius_squared > proven.evidence.radius_squared:
        more = radius_text(proven.spec, found.radius_for(2 * capacity))
        return [f"  the radius is the largest that fits this key; capacity {2 * capacity} would give {more}"]
    if proven.evidence.size == capacity and not found.capped:
        return ["  this key has no region left: a larger one might prove more, see `equiproof certify --explain`"]
    return []


def _more_leaves(document: dict[str, Any], found: BranchSearch) -> list[str]:
    """Say what more leaves or more time would give, and how far the decision can hold at most."""
    flips = "" if document["flip"] is None else f"; a wrong decision lies at distance {document['flip']}"
    if found.complete:
        return [f"  no larger radius holds{flips}"] if flips else []
    more = {
        "leaves": "a key with more leaves might prove more",
        "seconds": "--max-seconds ended the search: more time might prove more",
        "work": "the budget of work ended the search: more time (--max-seconds) might prove more",
        "digits": "the circuit's integers have too few digits for a larger radius",
    }
    return [f"  {more[found.ended or 'leaves']}{flips}"]
