"""`equiproof certify`: radii and the size of their evidence in plaintext, without any proof."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equiproof.circuits.exit_codes import UNFAIR
from equiproof.circuits.schemes import DEFAULT_SCHEME, MAX_LEAVES, MAX_REGIONS, Scheme
from equiproof.cli.commands.boundary import inside_out, span
from equiproof.cli.commands.certify_additive import (
    RoomCapacity,
    RoomRows,
    RoomSlots,
    additive_limits,
    certify_additive,
    own_scheme,
)
from equiproof.cli.commands.common import (
    Force,
    Json,
    MaxSeconds,
    OpeningFile,
    SchemeName,
    counterexample_text,
    in_words,
    moves,
    tell,
)
from equiproof.cli.console import spinner

if TYPE_CHECKING:
    from equiproof.certify.many.point import Limits
    from equiproof.circuits.spec import Spec
    from equiproof.prover.opening import Opening


Rows = Annotated[
    Path,
    typer.Argument(
        help="Applicants as raw features: a JSON object, or any number as CSV, JSON, JSON Lines, .xlsx or .parquet."
    ),
]
MaxRegions = Annotated[
    int | None, typer.Option(help=f"The budget of scheme traversal, in regions. Default: {MAX_REGIONS}.", min=2)
]
MaxLeaves = Annotated[
    int | None,
    typer.Option(
        help=f"The budget of schemes branch and trees, in leaves. Default: {MAX_LEAVES}, or more if the sensitive "
        "values need it.",
        min=3,
    ),
]
Exact = Annotated[
    bool,
    typer.Option("--exact", help="Also find how far the decision really holds; schemes branch and trees always do."),
]
Explained = Annotated[
    bool,
    typer.Option(
        "--explain",
        help="Show the radius that each capacity gives, and what its key and proof cost, all within --max-seconds.",
    ),
]
Jobs = Annotated[int, typer.Option(help="How many applicants to search in parallel; -1: one per processor.", min=-1)]
Resume = Annotated[
    Path | None, typer.Option(help="A file that saves finished applicants, so that a later run can continue.")
]
Out = Annotated[Path | None, typer.Option(help="Where to write the results of all applicants (JSON).")]


def certify(
    rows: Rows,
    opening: OpeningFile,
    scheme: SchemeName = DEFAULT_SCHEME,
    max_regions: MaxRegions = None,
    max_leaves: MaxLeaves = None,
    max_seconds: MaxSeconds = None,
    exact: Exact = False,
    explained: Explained = False,
    capacity: RoomCapacity = None,
    slots: RoomSlots = None,
    live: RoomRows = None,
    jobs: Jobs = 1,
    resume: Resume = None,
    out: Out = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Find in plaintext the radii that certificates would state.

    One applicant gets a report. Several applicants, --resume or --out give a summary. Exits 3 if any applicant is
    treated unfairly, otherwise 4 if any is undecided. A tie exits 3 in the report, and counts as undecided elsewhere.
    """
    largest = _own_budget(scheme, max_regions, max_leaves)
    if explained and (exact or jobs != 1 or (resume, out, capacity) != (None, None, None)):
        raise typer.BadParameter("--explain cannot be combined with --exact, --capacity, --jobs, --resume or --out")
    from equiproof.certify.data.rows import read_queries
    from equiproof.circuits.files import refuse_taken
    from equiproof.circuits.spec import refuse_ranges
    from equiproof.prover.opening import load_opening

    _refuse_no_jobs(jobs)
    refuse_taken(() if out is None else (out,), force=force)
    owned = load_opening(opening)
    if (scheme := own_scheme(owned, opening, scheme, (slots, live, capacity))) == "trees":
        limits = additive_limits(max_leaves, max_seconds, (slots, live, capacity))
    else:
        refuse_ranges(scheme, owned.spec)
        limits = _limits(owned, scheme, (max_regions, max_leaves), max_seconds, exact=exact)
    queries = read_queries(rows, owned.spec, owned.encode)
    if explained:
        from equiproof.cli.commands.explain import explain_capacities

        raise typer.Exit(explain_capacities(owned, queries, limits, largest, as_json=as_json))
    if len(queries) > 1 or resume is not None or out is not None:
        from equiproof.cli.commands.portfolio import certify_many

        code = certify_many(owned, queries, limits, jobs=jobs, resume=resume, out=out, force=force, as_json=as_json)
        raise typer.Exit(code)
    _report(owned, queries[0], limits, as_json=as_json)


def _refuse_no_jobs(jobs: int) -> None:
    """Raise typer's own error for a number of processes that does nothing."""
    if not jobs:
        raise typer.BadParameter("--jobs: want at least 1, or -1 for one per processor, not 0")


def _limits(
    owned: Opening, scheme: Scheme, budgets: tuple[int | None, int | None], max_seconds: float | None, *, exact: bool
) -> Limits:
    """Return the limits of a search with `budgets` in regions and leaves; a budget has room for all slices."""
    from equiproof.certify.many.point import Limits
    from equiproof.circuits.shape import least_capacity

    return Limits(
        scheme=scheme,
        max_regions=budgets[0] or MAX_REGIONS,
        max_leaves=budgets[1] or max(MAX_LEAVES, least_capacity("branch", len(owned.spec.domain_table))),
        max_seconds=max_seconds,
        exact=exact,
    )


def _own_budget(scheme: Scheme, max_regions: int | None, max_leaves: int | None) -> int | None:
    """Return the budget in what the scheme counts; raises typer's own error for the budget of the other scheme."""
    largest, other = (max_regions, max_leaves) if scheme == "traversal" else (max_leaves, max_regions)
    if other is None:
        return largest
    wrong, own = ("--max-leaves", "--max-regions") if scheme == "traversal" else ("--max-regions", "--max-leaves")
    meant = "branch" if scheme == "traversal" else "traversal"
    raise typer.BadParameter(f"{wrong} does not apply to scheme {scheme}: use {own}, or --scheme {meant}")


def _report(owned: Opening, query: tuple[int, ...], limits: Limits, *, as_json: bool) -> None:
    """Report on one applicant by the requested scheme."""
    if limits.scheme == "trees":
        certify_additive(owned, query, limits, as_json=as_json)
    elif limits.scheme == "branch":
        from equiproof.cli.commands.branching import certify_branch

        certify_branch(owned, query, limits, as_json=as_json)
    else:
        _traverse(owned, query, limits, as_json=as_json)


def _traverse(owned: Opening, query: tuple[int, ...], limits: Limits, *, as_json: bool) -> None:
    """Report on one applicant by scheme traversal."""
    from equiproof.certify import documents
    from equiproof.certify.single import traverse
    from equiproof.certify.traversal.exact import ExactSearch
    from equiproof.certify.traversal.search import Counterexample

    spec = owned.spec

    def exact_progress(search: ExactSearch) -> None:
        interval = documents.exact_search(spec, search)
        tick(f"searching: {search.regions} regions, boundary at {span(interval['lower'], interval['upper'])}")

    with documents.in_spec_units(spec), spinner("searching", quiet=as_json) as tick:
        outcome = traverse(
            owned.network,
            spec,
            query,
            limits,
            progress=lambda regions, radius: tick(
                f"searching: {regions} regions, radius {documents.radius_text(spec, radius)}"
            ),
            exact_progress=exact_progress,
        )
    if isinstance(outcome, Counterexample):
        document = documents.counterexample(spec, owned.network, outcome)
        tell(as_json=as_json, document=document, text=counterexample_text(document))
        raise typer.Exit(UNFAIR)
    document = documents.traversal_search(spec, outcome.search, outcome.flip, outcome.exact)
    tell(as_json=as_json, document=document, text="\n".join(_text(spec, query, document)))


def _text(spec: Spec, query: tuple[int, ...], document: dict[str, Any]) -> list[str]:
    """Write what was found, line by line."""
    from equiproof.certify.documents import distance_text

    flip = document["flip"]
    exact = document.get("exact")
    radius_squared = document["radius_squared"]
    lines = [
        f"FAIR up to radius {document['radius']}, in the spec's units: {document['label']}",
        *moves(spec, radius_squared, query),
        f"  {document['regions']} regions over {document['slices']} values of the sensitive features",
        "  a key of capacity K proves:",
    ]
    lines += [f"    K = {entry['capacity']:<6} radius {entry['radius']}" for entry in document["capacities"]]
    if flip is not None:
        lines.append(f"  the decision does flip at distance {flip['distance']} ({in_words(flip['sensitive'])})")
    if exact is not None:
        reached = distance_text(spec, radius_squared, up=False)
        nearest = None if flip is None else flip["distance"]
        lines += inside_out(reached, document["radius"], exact, nearest)
        if not exact["complete"]:
            lines.append(f"  the budget ended after {exact['regions']} regions")
    return lines
