"""`equiproof prove`: one applicant's certificate, verified before it is written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from circuits.schemes import Scheme, scheme_of
from equiproof import failures
from equiproof.commands.common import (
    ContextFile,
    Force,
    Json,
    KeysFolder,
    MaxSeconds,
    OpeningFile,
    capacities,
    counterexample_json,
    distance_text,
    explain,
    load,
    load_opening,
    radius_text,
    ranges_of,
    tell,
    told_in_units,
)
from equiproof.console import spinner
from equiproof.rows import read_applicant

if TYPE_CHECKING:
    from certify.branch import BranchSearch
    from certify.search import Search
    from circuits.spec import Spec
    from prover import Proven, Prover


def prove(
    row: Annotated[Path, typer.Argument(help="One applicant: a JSON object of raw features, or a CSV of one row.")],
    opening: OpeningFile,
    keys: KeysFolder,
    out: Annotated[Path, typer.Option("--out", help="Where the certificate goes.")],
    query_out: Annotated[Path, typer.Option("--query-out", help="Where the applicant's query file goes (secret).")],
    context: ContextFile = None,
    scheme: Annotated[
        Scheme | None, typer.Option(help="The key's scheme, traversal or branch; by default that of the largest key.")
    ] = None,
    capacity: Annotated[int | None, typer.Option(help="The key's capacity; the largest key by default.")] = None,
    disclose: Annotated[bool, typer.Option(help="Write the applicant's data into the certificate.")] = False,
    max_seconds: MaxSeconds = 60.0,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Prove a decision fair. Exits 3 for unfair, 4 for budget or capacity; then nothing is written."""
    from certify.search import Counterexample
    from circuits.canonical import canonical_bytes
    from prover import KeyStore, Prover
    from prover.files import refuse_taken, write_files
    from verifier import parse_context

    if out.resolve() == query_out.resolve():
        raise typer.BadParameter("--out and --query-out name one file")
    refuse_taken((out, query_out), force=force)
    made_for = None if context is None else load(parse_context, context)
    owned = load_opening(opening)
    applicant = read_applicant(row, owned.spec)
    key = KeyStore(keys).find(owned.spec, owned.network.hidden, capacity, scheme)
    with told_in_units(owned.spec), spinner("proving", quiet=as_json), Prover(owned, key) as prover:
        proven = prover.prove(applicant, made_for, disclose=disclose, max_seconds=max_seconds)
    if isinstance(proven, Counterexample):
        tell(as_json=as_json, document=counterexample_json(owned, proven), text=explain(owned, proven))
        raise typer.Exit(failures.UNFAIR)
    files = {query_out: canonical_bytes(proven.query), out: proven.certificate.to_bytes()}
    write_files(files, secret=(query_out,), force=force)
    document = _document(prover, proven) | {"certificate": str(out), "query": str(query_out)}
    tell(as_json=as_json, document=document, text=_text(prover, proven, out, query_out))


def _document(prover: Prover, proven: Proven) -> dict[str, Any]:
    """Return a proof's figures as data."""
    from certify.search import Search

    spec, shape, found = prover.opening.spec, prover.key.document.shape, proven.search
    return {
        "verdict": "fair",
        "statement": proven.certificate.reading.sentence(),
        "label": proven.certificate.reading.label,
        "radius": radius_text(spec, proven.evidence.radius_squared),
        "radius_squared": proven.evidence.radius_squared,
        "ranges": ranges_of(proven.certificate.reading),
        "scheme": scheme_of(shape.scheme),
        "capacity": shape.capacity,
        **(_walked_json(spec, proven, found) if isinstance(found, Search) else _branched_json(spec, proven, found)),
        "constraints": prover.key.document.constraints,
        "proof_bytes": len(proven.certificate.proof_bytes),
        "certificate_bytes": len(proven.certificate.to_bytes()),
        "seconds": {name: round(value, 4) for name, value in proven.seconds.items()},
    }


def _walked_json(spec: Spec, proven: Proven, found: Search) -> dict[str, Any]:
    """Return the size of a set of regions, and the radii that other capacities would give."""
    return {"regions": proven.evidence.size, "capacities": capacities(spec, found)}


def _branched_json(spec: Spec, proven: Proven, found: BranchSearch) -> dict[str, Any]:
    """Return the size of a tree, and the distance of a wrong decision, rounded up, where one is known."""
    flip = None if found.upper is None else distance_text(spec, found.upper, up=True)
    return {"leaves": proven.evidence.size, "flip": flip, "complete": found.complete, "ended": found.ended}


def _text(prover: Prover, proven: Proven, out: Path, query_out: Path) -> str:
    """Say what was proven and what the next key would give."""
    from certify.search import Search

    spec, shape, found = prover.opening.spec, prover.key.document.shape, proven.search
    seconds = ", ".join(f"{name} {value:.2f} s" for name, value in proven.seconds.items())
    kind, more = (
        ("regions", _walked(spec, shape.capacity, proven, found))
        if isinstance(found, Search)
        else ("leaves", _branched(spec, found))
    )
    lines = [
        f"PROVEN {proven.certificate.reading.sentence()}",
        f"  {proven.evidence.size} {kind} of at most {shape.capacity}; {seconds}",
        *more,
        f"  certificate {out}",
        f"  query for the applicant {query_out}",
    ]
    return "\n".join(lines)


def _walked(spec: Spec, capacity: int, proven: Proven, found: Search) -> list[str]:
    """Say what more regions would give."""
    if found.radius_squared > proven.evidence.radius_squared:
        more = radius_text(spec, found.radius_for(2 * capacity))
        return [f"  the radius is the largest that fits this key; capacity {2 * capacity} would give {more}"]
    if proven.evidence.size == capacity and not found.capped:
        return ["  every region of this key is used: a larger one might prove more, `equiproof certify` tells"]
    return []


def _branched(spec: Spec, found: BranchSearch) -> list[str]:
    """Say what more leaves or more time would give, and how far the decision can hold at most."""
    flips = ""
    if found.upper is not None:
        flips = f"; a wrong decision lies at distance {distance_text(spec, found.upper, up=True)}"
    if found.complete:
        return [f"  no larger radius holds{flips}"] if flips else []
    more = {
        "leaves": "a key of more leaves might prove more",
        "seconds": "--max-seconds ended the search: more of them might prove more",
        "digits": "the circuit's integers have no digits for a larger radius",
    }
    return [f"  {more[found.ended or 'leaves']}{flips}"]
