"""`equiproof repair`: a model whose decisions no longer depend on sensitive values, committed and certified anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from circuits.schemes import DEFAULT_SCHEME, Scheme
from equiproof.commands.common import (
    ContextFile,
    Force,
    Json,
    MaxSeconds,
    OpeningFile,
    SchemeName,
    load,
    load_opening,
    radius_text,
    tell,
)
from equiproof.console import bar, spinner
from equiproof.failures import UNFAIR, ExhaustedError
from equiproof.rows import read_queries, read_rows

if TYPE_CHECKING:
    from audits.prof.repair import Repaired
    from certify.results import PointResult, Results
    from prover import Proven, StoredKey
    from prover.opening import Opening

Context = Mapping[str, str]

MAX_POINTS = 100

Rows = Annotated[
    Path, typer.Argument(help="Applicants to repair for, as raw features: a JSON object, a JSON list, or a CSV.")
]
Out = Annotated[Path, typer.Option("--out", help="Where the new commitment.json and opening.json (secret) go.")]
Keep = Annotated[
    Path | None,
    typer.Option("--keep", help="Rows whose decisions are to stay as they are; the applicants' own by default."),
]
Relaxed = Annotated[
    str, typer.Option("--relaxed", help="Other features that may differ as well, such as age=2,income=500.")
]
SetsName = Annotated[
    Literal["points", "symbolic", "concrete"],
    typer.Option("--sets", help="What is known of the features: points (exact), symbolic, or concrete."),
]
Steps = Annotated[int, typer.Option(help="Steps of gradient descent on the hidden layers; 0 leaves them.", min=0)]
Seed = Annotated[int, typer.Option(help="The seed of the solver, and of the applicants taken where there are many.")]
Prove = Annotated[bool, typer.Option("--prove", help="Prove the first applicant who is fair afterwards; wants --keys.")]
Keys = Annotated[Path | None, typer.Option("--keys", help="The folder of keys, of the same shape as before.")]


def repair(
    rows: Rows,
    opening: OpeningFile,
    out: Out,
    keep: Keep = None,
    relaxed: Relaxed = "",
    sets: SetsName = "symbolic",
    steps: Steps = 200,
    seed: Seed = 0,
    scheme: SchemeName = DEFAULT_SCHEME,
    max_seconds: MaxSeconds = 60.0,
    prove: Prove = False,
    keys: Keys = None,
    context: ContextFile = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Repair a model so that applicants are decided alike whatever their sensitive values, and commit to it.

    At most 100 applicants are repaired for; all are certified before and after. Exits 4 where there is no repair, 3
    where of more applicants one is still treated unfairly.
    """
    _check_words(keys, context, prove=prove)
    from circuits.spec import refuse_ranges
    from prover import commit
    from prover.files import refuse_taken

    files = [out / name for name in ("opening.json", "commitment.json")]
    proofs = [out / name for name in ("certificate.json", "query.json")] if prove else []
    refuse_taken((*files, *proofs), force=force)
    owned = load_opening(opening)
    refuse_ranges(scheme, owned.spec)
    ready = None if keys is None else _ready(owned, keys, scheme, context)
    queries = read_queries(rows, owned.spec)
    points, kept = _drawn(queries, seed), queries if keep is None else read_queries(keep, owned.spec)
    with spinner("repairing", quiet=as_json):
        asked = {"sets": sets, "steps": steps, "seed": seed, "seconds": max_seconds}
        made = _repaired(owned, points, kept, relaxed, asked)
    new = commit(made.network, owned.spec)
    before, after = (_certified(one, queries, scheme, max_seconds, quiet=as_json) for one in (owned, new))
    document = _document(owned, new, made, points, (before, after)) | {"relaxed": relaxed} | _places(files)
    text = _text(owned, new, made, points, (before, after), out)
    proof = None if ready is None else _proven(new, ready, read_rows(rows), after, max_seconds, quiet=as_json)
    _write(new, files, None if proof is None else (proof[1], proofs), force=force)
    if proof is not None:
        document["proven"] = _told(new, *proof, proofs)
        text = f"{text}\n{_proof_text(document['proven'])}"
    tell(as_json=as_json, document=document, text=text)
    if after.having("unfair"):
        raise typer.Exit(UNFAIR)


def _repaired(
    owned: Opening,
    points: Sequence[tuple[int, ...]],
    kept: Sequence[tuple[int, ...]],
    relaxed: str,
    asked: dict[str, Any],
) -> Repaired:
    """Repair the network; raises ExhaustedError with every attempt where that is not possible."""
    from audits.prof.plugin import read_relaxed
    from audits.prof.repair import Settings, Unrepaired, repair
    from audits.prof.similar import Similarity

    similarity = Similarity.of(owned.spec, read_relaxed(relaxed))
    made = repair(owned.network, similarity, points, _kept(owned, kept), Settings(**asked))
    if isinstance(made, Unrepaired):
        raise ExhaustedError("; ".join((made.reason, *made.tried)))
    return made


def _drawn(queries: Sequence[tuple[int, ...]], seed: int) -> list[tuple[int, ...]]:
    """Return the repair points: every applicant, or as many of them as are repaired for at a time."""
    import random

    distinct = list(dict.fromkeys(queries))
    if len(distinct) <= MAX_POINTS:
        return distinct
    return random.Random(seed).sample(distinct, MAX_POINTS)  # noqa: S311 - a sample, no secret


def _kept(owned: Opening, queries: Sequence[tuple[int, ...]]) -> tuple[Any, Any]:
    """Return rows under every value of the sensitive features, labelled by the model's most frequent decision."""
    import numpy as np

    from certify.decisions import decisions_under

    table = np.array(owned.spec.domain_table, dtype=np.int64)
    under = decisions_under(owned.network, np.array(queries, dtype=np.int64), table)
    counts = np.array([(under == label).sum(axis=0) for label in range(len(owned.spec.labels))])
    inputs = np.concatenate(
        [np.repeat(np.array(queries), len(table), axis=0), np.tile(table, (len(queries), 1))], axis=1
    )
    return inputs, np.repeat(counts.argmax(axis=0), len(table))


def _certified(
    owned: Opening, queries: Sequence[tuple[int, ...]], scheme: Scheme, seconds: float, *, quiet: bool
) -> Results:
    """Certify every applicant in plaintext."""
    from certify.portfolio import certify_all
    from certify.results import Limits

    limits = Limits(scheme=scheme, max_seconds=seconds)
    with bar("certifying", quiet=quiet) as tick:
        return certify_all(owned.network, owned.spec, queries, limits, progress=tick)


def _document(
    owned: Opening,
    new: Opening,
    made: Repaired,
    points: Sequence[tuple[int, ...]],
    both: Sequence[Results],
) -> dict[str, Any]:
    """Return the repair as data."""
    from circuits import field

    return {
        "model_commitment_before": field.to_hex(owned.commitment),
        "model_commitment": field.to_hex(new.commitment),
        "repair": {
            "points": len(points),
            "sets": made.sets,
            "change": made.change.objective,
            "least_change": made.change.bound,
            "margin": made.margin,
            "steps": 0 if made.calibrated is None else made.calibrated.steps,
            "constant": made.constant,
            "seconds": {name: round(value, 3) for name, value in made.seconds.items()},
        },
        "before": [_point(point) for point in both[0]],
        "after": [_point(point) for point in both[1]],
    }


def _point(point: PointResult) -> dict[str, Any]:
    """Return what is known of one applicant as data."""
    return {
        "row": point.row,
        "verdict": point.verdict,
        "label": point.label,
        "radius": None if point.radius is None else f"{point.radius:.6f}",
        "radius_squared": point.radius_squared,
    }


def _text(
    owned: Opening,
    new: Opening,
    made: Repaired,
    points: Sequence[tuple[int, ...]],
    both: Sequence[Results],
    out: Path,
) -> str:
    """Say what was repaired, and what it did to the radii."""
    from circuits import field

    before, after = ([_in_words(owned, point) for point in results] for results in both)
    width = max(map(len, before))
    lines = [
        f"REPAIRED for {len(points)} applicants: each is decided alike whatever the sensitive values are",
        f"  the last layer changed by {made.change.objective:.6g} in all; hidden layers "
        + ("stayed" if made.calibrated is None else f"moved in {made.calibrated.steps} steps"),
        *(["  every applicant repaired for now has the same label: of little use"] if made.constant else []),
        "  row: before -> after, radii in the spec's units",
        *(
            f"    {number}: {one:<{width}} -> {other}"
            for number, (one, other) in enumerate(zip(before, after, strict=True), 1)
        ),
        f"  {_counted(both[0])} before, {_counted(both[1])} after",
        f"COMMITTED {field.to_hex(new.commitment)}",
        f"  {out / 'commitment.json'}: publish it, the same for every customer",
        f"  {out / 'opening.json'}: keep it secret",
    ]
    return "\n".join(lines)


def _in_words(owned: Opening, point: PointResult) -> str:
    """Write a verdict with its radius and label."""
    if point.verdict != "fair":
        return point.verdict if point.reason is None else f"{point.verdict} ({point.reason})"
    return f"fair to {radius_text(owned.spec, point.radius_squared or 0)}, {point.label}"


def _counted(results: Results) -> str:
    """Count verdicts in words."""
    return ", ".join(f"{len(results.having(verdict))} {verdict}" for verdict in ("fair", "unfair", "undecided"))


def _check_words(keys: Path | None, context: Path | None, *, prove: bool) -> None:
    """Refuse words that mean nothing together."""
    if prove != (keys is not None):
        raise typer.BadParameter("--prove and --keys go together")
    if context is not None and not prove:
        raise typer.BadParameter("--context is for a proof: add --prove and --keys")


def _ready(owned: Opening, keys: Path, scheme: Scheme, context: Path | None) -> tuple[StoredKey, Context | None]:
    """Read what a proof needs, before the repair, which takes its time."""
    from prover import KeyStore
    from verifier import parse_context

    made_for = None if context is None else load(parse_context, context)
    return KeyStore(keys).find(owned.spec, owned.network.hidden, None, scheme), made_for


def _places(files: Sequence[Path]) -> dict[str, str]:
    """Return where opening and commitment are."""
    return {"opening": str(files[0]), "commitment": str(files[1])}


def _write(new: Opening, files: Sequence[Path], proof: tuple[Proven, Sequence[Path]] | None, *, force: bool) -> None:
    """Write opening and commitment, certificate and query: all of them or none."""
    from circuits.canonical import canonical_bytes
    from prover.files import write_files

    contents, secret = {files[0]: new.secret(), files[1]: new.public()}, [files[0]]
    if proof is not None:
        proven, (certificate, query) = proof
        contents |= {certificate: proven.certificate.to_bytes(), query: canonical_bytes(proven.query)}
        secret.append(query)
    write_files(contents, secret=secret, force=force)


def _proven(
    new: Opening,
    ready: tuple[StoredKey, Context | None],
    rows: Sequence[Mapping[str, Any]],
    after: Results,
    seconds: float,
    *,
    quiet: bool,
) -> tuple[int, Proven]:
    """Prove the first applicant who is fair under the repaired model; return the row and the proof."""
    from certify.search import Counterexample
    from prover import Prover

    fair = after.having("fair")
    if not fair:
        raise ExhaustedError("no applicant is fair under the repaired model: nothing can be proven")
    row, (key, context) = fair[0].row, ready
    with spinner("proving", quiet=quiet), Prover(new, key) as prover:
        proven = prover.prove(rows[row - 1], context, max_seconds=seconds)
    if isinstance(proven, Counterexample):
        raise ExhaustedError(f"row {row} is decided neither way")
    return row, proven


def _told(new: Opening, row: int, proven: Proven, files: Sequence[Path]) -> dict[str, Any]:
    """Return the proof as data."""
    return {
        "row": row,
        "statement": proven.certificate.reading.sentence(),
        "radius": radius_text(new.spec, proven.evidence.radius_squared),
        "certificate": str(files[0]),
        "query": str(files[1]),
    }


def _proof_text(proven: dict[str, Any]) -> str:
    """Say what was proven."""
    return "\n".join(
        [f"PROVEN row {proven['row']}: {proven['statement']}", f"  certificate {proven['certificate']}",
         f"  query for the applicant {proven['query']}"]
    )  # fmt: skip
