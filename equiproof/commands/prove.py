"""`equiproof prove`: one applicant's certificate, verified before it is written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

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
    explain,
    load,
    load_opening,
    radius_text,
    tell,
    told_in_units,
)
from equiproof.console import spinner
from equiproof.rows import read_applicant

if TYPE_CHECKING:
    from prover import Proven, Prover


def prove(
    row: Annotated[Path, typer.Argument(help="One applicant: a JSON object of raw features, or a CSV of one row.")],
    opening: OpeningFile,
    keys: KeysFolder,
    out: Annotated[Path, typer.Option("--out", help="Where the certificate goes.")],
    query_out: Annotated[Path, typer.Option("--query-out", help="Where the applicant's query file goes (secret).")],
    context: ContextFile = None,
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
    key = KeyStore(keys).find(owned.spec, owned.network.hidden, capacity)
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
    spec, shape = prover.opening.spec, prover.key.document.shape
    return {
        "verdict": "fair",
        "statement": proven.certificate.reading.sentence(),
        "label": proven.certificate.reading.label,
        "radius": radius_text(spec, proven.evidence.radius_squared),
        "radius_squared": proven.evidence.radius_squared,
        "regions": len(proven.evidence.regions),
        "capacity": shape.capacity,
        "capacities": capacities(spec, proven.search),
        "constraints": prover.key.document.constraints,
        "proof_bytes": len(proven.certificate.proof_bytes),
        "certificate_bytes": len(proven.certificate.to_bytes()),
        "seconds": {name: round(value, 4) for name, value in proven.seconds.items()},
    }


def _text(prover: Prover, proven: Proven, out: Path, query_out: Path) -> str:
    """Say what was proven and what the next key would give."""
    spec, shape = prover.opening.spec, prover.key.document.shape
    seconds = ", ".join(f"{name} {value:.2f} s" for name, value in proven.seconds.items())
    lines = [
        f"PROVEN {proven.certificate.reading.sentence()}",
        f"  {len(proven.evidence.regions)} regions of at most {shape.capacity}; {seconds}",
    ]
    if proven.search.radius_squared > proven.evidence.radius_squared:
        more = radius_text(spec, proven.search.radius_for(2 * shape.capacity))
        lines.append(f"  the radius is the largest that fits this key; capacity {2 * shape.capacity} would give {more}")
    elif len(proven.evidence.regions) == shape.capacity and not proven.search.capped:
        lines.append("  every region of this key is used: a larger one might prove more, `equiproof certify` tells")
    lines += [f"  certificate {out}", f"  query for the applicant {query_out}"]
    return "\n".join(lines)
