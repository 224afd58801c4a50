"""`equiproof repair`: a model whose decisions no longer depend on sensitive values, with a new commitment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from equiproof.circuits.exit_codes import UNFAIR
from equiproof.circuits.schemes import DEFAULT_SCHEME, Scheme
from equiproof.cli.commands.common import (
    ContextFile,
    Force,
    Json,
    NetworkSchemeName,
    OpeningFile,
    OwnerSecret,
    load,
    refuse_missing,
    tell,
)
from equiproof.cli.console import bar, spinner

if TYPE_CHECKING:
    from equiproof.audits.prof.box import RepairedBox
    from equiproof.audits.prof.clock import Clock
    from equiproof.audits.prof.repair import Repaired
    from equiproof.certify.many.point import PointResult
    from equiproof.certify.many.results import Results
    from equiproof.prover import KeyStore, Proven, StoredKey
    from equiproof.prover.opening import Opening
    from equiproof.verifier.link import LinkDocument

Context = Mapping[str, str]

_REPAIR_SHARE, _BEFORE_SHARE, _AFTER_SHARE = 0.5, 0.3, 0.5
"""The parts of the time left of repair and of certification before and after it; the search of a proof has the rest."""

_SURE = 40
"""So many applicants have the same part of the time; what they leave, and no more, is for others."""

Rows = Annotated[Path, typer.Argument(help="The applicants as raw features: a JSON object, a JSON list, or CSV.")]
Out = Annotated[Path, typer.Option("--out", help="The folder for the new commitment.json and opening.json (secret).")]
Keep = Annotated[
    Path | None,
    typer.Option("--keep", help="Rows whose decisions should stay the same. Default: the applicants."),
]
Relaxed = Annotated[
    str,
    typer.Option("--relaxed", help="Other features that may differ too, and by how much, such as age=2,income=500."),
]
BoxText = Annotated[
    str,
    typer.Option("--box", help="Also repair for all applicants in these ranges, with proof, such as age=30..40."),
]
LeastKept = Annotated[
    float,
    typer.Option(
        "--least-kept", help="The least share of rows to keep whose decision stays, 0 to 1.", min=0.0, max=1.0
    ),
]
SetsName = Annotated[
    Literal["points", "symbolic", "concrete"],
    typer.Option("--sets", help="How the last layer's inputs are bounded: points (exact), symbolic or concrete."),
]
Steps = Annotated[
    int, typer.Option(help="Steps of gradient descent on the hidden layers; 0 leaves them unchanged.", min=0)
]
Seed = Annotated[
    int, typer.Option(help="The seed of the solver, and of the sample if there are more than 100 applicants.")
]
MaxSeconds = Annotated[
    float,
    typer.Option(
        "--max-seconds",
        help="The time limit of all steps together, in seconds; a proof that has begun is finished.",
        min=0.0,
    ),
]
Prove = Annotated[
    bool,
    typer.Option(
        "--prove", help="Also prove the first applicant who is treated fairly after the repair; needs --keys."
    ),
]
Keys = Annotated[
    Path | None, typer.Option("--keys", help="The folder of keys; a key for the old model also fits the new one.")
]


def repair(
    rows: Rows,
    opening: OpeningFile,
    out: Out,
    keep: Keep = None,
    relaxed: Relaxed = "",
    box: BoxText = "",
    least_kept: LeastKept = 0.0,
    sets: SetsName = "symbolic",
    steps: Steps = 200,
    seed: Seed = 0,
    scheme: NetworkSchemeName = DEFAULT_SCHEME,
    max_seconds: MaxSeconds = 300.0,
    prove: Prove = False,
    keys: Keys = None,
    context: ContextFile = None,
    owner_secret: OwnerSecret = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Repair a model for given applicants, and commit to it.

    Afterwards sensitive values no longer change their decisions. Of more than 100 applicants, a sample of 100 is
    repaired; all are certified before and after. Exits 4 without a repair, 3 if anyone is still treated unfairly.
    """
    _check_options(keys, context, (rows, keep), prove=prove, apart=bool(relaxed) and bool(box))
    from equiproof.audits.prof.applicants import repair_document, repair_points
    from equiproof.audits.prof.clock import Clock
    from equiproof.certify.data.rows import read_queries, read_rows
    from equiproof.prover import KeyStore, commit

    clock = Clock.of(max_seconds)
    owned = _opened(opening, scheme)
    ready = None if keys is None else _ready(owned, KeyStore(keys, owner_secret), scheme, context)
    files, proofs = _free_places(out, None if ready is None else ready[0], force=force)
    queries = read_queries(rows, owned.spec)
    points = repair_points(queries, seed)
    kept_points = queries if keep is None else read_queries(keep, owned.spec)
    settings = {"sets": sets, "steps": steps, "seed": seed, "seconds": max_seconds, "least_kept": least_kept}
    in_time = clock.share(_REPAIR_SHARE)
    made, proven_box = _run(owned, points, kept_points, (relaxed, box), settings, in_time, quiet=as_json)
    new = commit(made.network, owned.spec)
    before, after = (
        _certified(one, queries, scheme, clock.share(share), quiet=as_json)
        for one, share in ((owned, _BEFORE_SHARE), (new, _AFTER_SHARE))
    )
    document = _commitments(owned, new) | repair_document(made, len(points), before, after) | proven_box
    document |= {"relaxed": relaxed} | _places(files)
    text = _text(owned, new, made, points, (before, after), out, proven_box)
    proof = ready and _proven(new, ready, read_rows(rows, spec=owned.spec), after, clock.rest, quiet=as_json)
    _write(new, files, None if proof is None else (proof, proofs), force=force)
    if proof is not None:
        document["proven"] = _proof_document(new, proof, proofs)
        text = f"{text}\n{_proof_text(document['proven'])}"
    tell(as_json=as_json, document=document, text=text)
    if after.having("unfair"):
        raise typer.Exit(UNFAIR)


def _opened(opening: Path, scheme: Scheme) -> Opening:
    """Read the opening of a network that the scheme certifies; raises typer's own error for an additive model."""
    from equiproof.circuits.spec import refuse_ranges
    from equiproof.prover.opening import load_opening

    owned = load_opening(opening)
    if owned.own_scheme is not None:
        raise typer.BadParameter(
            "train the model without sensitive features, or give their values the same points, and commit anew: "
            f"{opening} holds {owned.kind}, and a repair changes layers of a network"
        )
    refuse_ranges(scheme, owned.spec)
    return owned


def _run(
    owned: Opening,
    points: Sequence[tuple[int, ...]],
    kept_points: Sequence[tuple[int, ...]],
    relation: tuple[str, str],
    options: dict[str, Any],
    clock: Clock,
    *,
    quiet: bool,
) -> tuple[Repaired, dict[str, Any]]:
    """Repair the network in time for points, relaxed or not, or with a box; return what was proven for it as data.

    Raises ExhaustedError with every attempt if there is no repair.
    """
    from equiproof.audits.prof.applicants import box_document, repair_box_for, repair_for
    from equiproof.audits.prof.repair import Repaired, Settings, Unrepaired
    from equiproof.certify.errors import ExhaustedError

    relaxed, box = relation
    least = Fraction(str(options.pop("least_kept")))
    settings = Settings(**options)
    made: Repaired | RepairedBox | Unrepaired
    with spinner("repairing", quiet=quiet):
        if box:
            made = repair_box_for(owned.network, owned.spec, points, kept_points, box, settings, least, clock)
        else:
            made = repair_for(owned.network, owned.spec, points, kept_points, relaxed, settings, least, clock)
    if isinstance(made, Unrepaired):
        raise ExhaustedError("; ".join((made.reason, *made.tried)))
    return (made, {}) if isinstance(made, Repaired) else (made.repaired, {"box": box_document(box, made)})


def _certified(
    owned: Opening, queries: Sequence[tuple[int, ...]], scheme: Scheme, clock: Clock, *, quiet: bool
) -> Results:
    """Certify every applicant in plaintext, one after the other, each within its part of the time left."""
    import msgspec

    from equiproof.certify.many.point import Limits
    from equiproof.certify.many.portfolio import certify_all
    from equiproof.certify.many.results import FORMAT, Results

    whole = Limits(scheme=scheme, max_seconds=clock.rest)
    ahead = list(dict.fromkeys(queries))
    found: dict[tuple[int, ...], PointResult] = {}
    with bar("certifying", quiet=quiet) as tick:
        for done, query in enumerate(ahead, 1):
            part = 1 / min(len(ahead) - done + 1, _SURE)
            limits = msgspec.structs.replace(whole, max_seconds=clock.share(part).rest)
            (found[query],) = certify_all(owned.network, owned.spec, [query], limits)
            tick(done, len(ahead))
    points = (msgspec.structs.replace(found[query], row=row) for row, query in enumerate(queries, 1))
    return Results(*FORMAT, owned.spec, whole, tuple(points))


def _commitments(owned: Opening, new: Opening) -> dict[str, Any]:
    """Return the commitments of the old and the new model as data."""
    from equiproof.circuits import field

    return {
        "model_commitment_before": field.to_hex(owned.commitment),
        "model_commitment": field.to_hex(new.commitment),
    }


def _text(
    owned: Opening,
    new: Opening,
    made: Repaired,
    points: Sequence[tuple[int, ...]],
    both: Sequence[Results],
    out: Path,
    proven_box: dict[str, Any],
) -> str:
    """Return the outcome in words: the change, what is proven for a box, and radii before and after."""
    from equiproof.circuits import field

    before, after = ([_in_words(owned, point) for point in results] for results in both)
    width = max(map(len, before))
    lines = [
        f"REPAIRED for {len(points)} applicants: sensitive values no longer change their decisions",
        f"  last layer: changed by {made.change.objective:.6g} in total; hidden layers: "
        + ("unchanged" if made.calibrated is None else f"trained for {made.calibrated.steps} steps"),
        *(
            f"  proven for all {int(over['applicants']):,} applicants with {over['box']}, after {over['rounds']} rounds"
            for over in proven_box.values()
        ),
        *(["  warning: all repaired applicants now have the same label"] if made.constant else []),
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
    """Return a verdict with its radius and label in words."""
    from equiproof.certify.documents import radius_text

    if point.verdict != "fair":
        return point.verdict if point.reason is None else f"{point.verdict} ({point.reason})"
    return f"fair to {radius_text(owned.spec, point.radius_squared or 0)}, {point.label}"


def _counted(results: Results) -> str:
    """Return the number of each verdict in words."""
    return ", ".join(f"{len(results.having(verdict))} {verdict}" for verdict in ("fair", "unfair", "undecided"))


def _check_options(
    keys: Path | None, context: Path | None, read: tuple[Path | None, ...], *, prove: bool, apart: bool
) -> None:
    """Raise typer.BadParameter for options that do not go together, FileNotFoundError for a file that is missing."""
    if apart:
        raise typer.BadParameter("--relaxed and --box do not go together: name the feature's range in the box")
    if prove != (keys is not None):
        raise typer.BadParameter("--prove and --keys go together")
    if context is not None and not prove:
        raise typer.BadParameter("--context is for a proof: add --prove and --keys")
    refuse_missing(*read)


def _ready(owned: Opening, keys: KeyStore, scheme: Scheme, context: Path | None) -> tuple[StoredKey, Context | None]:
    """Read what a proof needs; called before the repair, which takes long."""
    from equiproof.verifier import parse_context

    made_for = None if context is None else load(parse_context, context)
    return keys.find(owned.spec, owned.network.hidden, None, scheme), made_for


def _free_places(out: Path, key: StoredKey | None, *, force: bool) -> tuple[list[Path], list[Path]]:
    """Return the paths of opening and commitment, and of a proof, if there is a key; raises if one exists.

    Those of a proof are certificate and query, and under a kept key the link.
    """
    from equiproof.circuits.files import refuse_taken
    from equiproof.verifier.link import LINK_FILE

    files = [out / "opening.json", out / "commitment.json"]
    proofs = [] if key is None else [out / "certificate.json", out / "query.json"]
    proofs += [out / LINK_FILE] if key is not None and key.document.shape.kept else []
    refuse_taken((*files, *proofs), force=force)
    return files, proofs


def _places(files: Sequence[Path]) -> dict[str, str]:
    """Return the paths of opening and commitment."""
    return {"opening": str(files[0]), "commitment": str(files[1])}


@dataclass(frozen=True)
class _Proof:
    """The proof about a row, and the link of the new model, which a kept key needs."""

    row: int
    proven: Proven
    link: LinkDocument | None


def _write(new: Opening, files: Sequence[Path], proof: tuple[_Proof, Sequence[Path]] | None, *, force: bool) -> None:
    """Write opening, commitment, certificate, query and link: all of them or none."""
    from equiproof.circuits.canonical import canonical_bytes
    from equiproof.circuits.files import write_files

    contents = {files[0]: new.secret(), files[1]: new.public()}
    secret = [files[0]]
    if proof is not None:
        made, (certificate, query, *linked) = proof
        contents |= {certificate: made.proven.certificate.to_bytes(), query: canonical_bytes(made.proven.query)}
        if made.link is not None:
            contents |= dict.fromkeys(linked, made.link.to_bytes())
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
) -> _Proof:
    """Prove the first applicant who is fair under the repaired model.

    The link of a kept key is made in a folder that goes away: it is published with the new commitment or not at all.
    """
    from tempfile import TemporaryDirectory

    from equiproof.certify.errors import ExhaustedError
    from equiproof.certify.traversal.search import Counterexample
    from equiproof.prover import Prover

    fair = after.having("fair")
    if not fair:
        raise ExhaustedError("no applicant is fair under the repaired model, so nothing can be proven")
    row = fair[0].row
    key, context = ready
    with spinner("proving", quiet=quiet), TemporaryDirectory() as folder, Prover(new, key, Path(folder)) as prover:
        proven = prover.prove(rows[row - 1], context, max_seconds=seconds)
        link = None if prover.link is None else prover.link.document
    if isinstance(proven, Counterexample):
        raise ExhaustedError(f"row {row}: tie, no decision to prove")
    return _Proof(row, proven, link)


def _proof_document(new: Opening, made: _Proof, files: Sequence[Path]) -> dict[str, Any]:
    """Return the proof as data."""
    from equiproof.certify.documents import radius_text

    return {
        "row": made.row,
        "statement": made.proven.certificate.reading.sentence(),
        "radius": radius_text(new.spec, made.proven.evidence.radius_squared),
        "certificate": str(files[0]),
        "query": str(files[1]),
        **({} if made.link is None else {"link": str(files[2])}),
    }


def _proof_text(proven: dict[str, Any]) -> str:
    """Return the proof in words."""
    return "\n".join(
        [
            f"PROVEN row {proven['row']}: {proven['statement']}",
            f"  certificate {proven['certificate']}",
            f"  query for the applicant {proven['query']}",
            *([f"  link {proven['link']}: publish it with the commitment"] if "link" in proven else []),
        ]
    )
