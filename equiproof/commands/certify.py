"""`equiproof certify`: radii and the size of their evidence in plaintext, without any proof."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from circuits.schemes import DEFAULT_SCHEME, MAX_LEAVES, MAX_REGIONS
from equiproof import failures
from equiproof.commands.boundary import exact_json, exact_text, find_exact
from equiproof.commands.common import (
    Force,
    Json,
    MaxSeconds,
    OpeningFile,
    SchemeName,
    capacities,
    counterexample_json,
    distance_text,
    explain,
    in_words,
    load_opening,
    moves,
    radius_text,
    sensitive_values,
    tell,
    told_in_units,
)
from equiproof.console import spinner
from equiproof.rows import read_queries

if TYPE_CHECKING:
    from certify.flip import Flip
    from certify.results import Limits
    from certify.search import Search
    from circuits.spec import Spec
    from prover.opening import Opening


Rows = Annotated[
    Path, typer.Argument(help="Applicants as raw features: a JSON object, a JSON list of objects, or a CSV.")
]
MaxRegions = Annotated[
    int | None, typer.Option(help=f"The budget of scheme traversal in regions; {MAX_REGIONS} by default.", min=2)
]
MaxLeaves = Annotated[
    int | None,
    typer.Option(
        help=f"The budget of scheme branch in leaves; {MAX_LEAVES} by default, more where sensitive values need it.",
        min=3,
    ),
]
Exact = Annotated[
    bool, typer.Option("--exact", help="Also find how far the decision really holds; scheme branch always does.")
]
Explained = Annotated[
    bool, typer.Option("--explain", help="Show what each capacity gives, and what its key and proof cost.")
]
Jobs = Annotated[int, typer.Option(help="Applicants at a time; -1 takes one per processor.", min=-1)]
Resume = Annotated[
    Path | None, typer.Option(help="A file that keeps each finished applicant, to go on from another time.")
]
Out = Annotated[Path | None, typer.Option(help="The file of results of all applicants (JSON).")]


def certify(
    rows: Rows,
    opening: OpeningFile,
    scheme: SchemeName = DEFAULT_SCHEME,
    max_regions: MaxRegions = None,
    max_leaves: MaxLeaves = None,
    max_seconds: MaxSeconds = 60.0,
    exact: Exact = False,
    explained: Explained = False,
    jobs: Jobs = 1,
    resume: Resume = None,
    out: Out = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Find certified radii in plaintext. Exits 3 if any is unfair, else 4 where one is undecided.

    One applicant gets a report; many, or --resume or --out, a summary.
    """
    largest, other = (max_leaves, max_regions) if scheme == "branch" else (max_regions, max_leaves)
    if other is not None:
        wrong, own = ("--max-regions", "--max-leaves") if scheme == "branch" else ("--max-leaves", "--max-regions")
        meant = "traversal" if scheme == "branch" else "branch"
        raise typer.BadParameter(f"{wrong} is no budget of scheme {scheme}: want {own}, or --scheme {meant}")
    if explained and (exact or resume is not None or out is not None or jobs != 1):
        raise typer.BadParameter("--explain goes without --exact, --jobs, --resume and --out")
    from certify.results import Limits
    from circuits.shape import least_capacity
    from circuits.spec import refuse_ranges

    owned = load_opening(opening)
    refuse_ranges(scheme, owned.spec)
    limits = Limits(
        scheme=scheme,
        max_regions=max_regions or MAX_REGIONS,
        max_leaves=max_leaves or max(MAX_LEAVES, least_capacity("branch", len(owned.spec.domain_table))),
        max_seconds=max_seconds,
        exact=exact,
    )
    queries = read_queries(rows, owned.spec)
    if explained:
        from equiproof.commands.explain import explain_capacities

        raise typer.Exit(explain_capacities(owned, queries, limits, largest, as_json=as_json))
    if len(queries) > 1 or resume is not None or out is not None:
        from equiproof.commands.portfolio import certify_many

        code = certify_many(owned, queries, limits, jobs=jobs, resume=resume, out=out, force=force, as_json=as_json)
        raise typer.Exit(code)
    _report(owned, queries[0], limits, as_json=as_json)


def _report(owned: Opening, integers: tuple[int, ...], limits: Limits, *, as_json: bool) -> None:
    """Report on one applicant by the scheme that was asked for."""
    if limits.scheme == "branch":
        from equiproof.commands.branching import certify_branch

        certify_branch(owned, integers, limits, as_json=as_json)
    else:
        _walk(owned, integers, limits, as_json=as_json)


def _walk(owned: Opening, integers: tuple[int, ...], limits: Limits, *, as_json: bool) -> None:
    """Report on one applicant by scheme traversal."""
    from certify.errors import SearchBudgetError
    from certify.evidence import check
    from certify.flip import nearest_flip
    from certify.search import Counterexample, search

    with told_in_units(owned.spec), spinner("searching", quiet=as_json) as tick:
        found = search(
            owned.network,
            integers,
            owned.spec.domain_table,
            max_radius_squared=owned.spec.max_radius_squared,
            max_regions=limits.max_regions,
            max_seconds=limits.max_seconds,
            progress=lambda regions, radius: tick(
                f"searching: {regions} regions, radius {radius_of(owned.spec, radius)}"
            ),
        )
        if not isinstance(found, Counterexample) and not found.complete:
            raise SearchBudgetError(found.radius_squared, len(found.regions), f"{limits.max_regions} regions")
    if isinstance(found, Counterexample):
        tell(as_json=as_json, document=counterexample_json(owned, found), text=explain(owned, found))
        raise typer.Exit(failures.UNFAIR)
    check(found.evidence(found.radius_squared), owned.network, integers, owned.spec.domain_table)
    flip = nearest_flip(owned.network, integers, owned.spec.domain_table, found)
    document, text = _document(owned.spec, found, flip), _text(owned.spec, found, flip)
    if limits.exact:
        true = find_exact(owned, integers, limits, quiet=as_json)
        document["exact"] = exact_json(owned.spec, true)
        nearest = None if document["flip"] is None else document["flip"]["distance"]
        text += "\n" + exact_text(owned.spec, found.radius_squared, true, nearest)
    tell(as_json=as_json, document=document, text=text)


def radius_of(spec: Spec, radius_squared: int) -> str:
    """Write a squared radius that may be the mark below every radius."""
    return radius_text(spec, max(0, radius_squared))


def _document(spec: Spec, found: Search, flip: Flip | None) -> dict[str, Any]:
    """Return a search as data."""
    return {
        "verdict": "fair",
        "scheme": "traversal",
        "label": spec.labels[found.label],
        "radius": radius_text(spec, found.radius_squared),
        "radius_squared": found.radius_squared,
        "regions": found.needed,
        "slices": found.slice_count,
        "capacities": capacities(spec, found),
        "flip": None if flip is None else _flip(spec, flip),
    }


def _flip(spec: Spec, flip: Flip) -> dict[str, Any]:
    """Return a flip as data; its distance is an upper bound, so it is rounded up."""
    distance = distance_text(spec, flip.distance_squared, up=True)
    return {"distance": distance, "sensitive": sensitive_values(spec, flip.slice)}


def _text(spec: Spec, found: Search, flip: Flip | None) -> str:
    """Say what was found."""
    lines = [
        f"FAIR up to radius {radius_text(spec, found.radius_squared)}, in the spec's units: {spec.labels[found.label]}",
        *moves(spec, found.radius_squared),
        f"  {found.needed} regions over {found.slice_count} values of the sensitive features",
        "  a key of capacity K proves:",
    ]
    lines += [f"    K = {entry['capacity']:<6} radius {entry['radius']}" for entry in capacities(spec, found)]
    if flip is not None:
        told = _flip(spec, flip)
        lines.append(f"  the decision does flip at distance {told['distance']} ({in_words(told['sensitive'])})")
    return "\n".join(lines)
