"""Results for people: a table, a summary in words, and a picture."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol

from equiproof.certify.digits import part, percent
from equiproof.certify.many.point import Assignment, Limits, PointResult, Verdict
from equiproof.certify.trees.scored import Room
from equiproof.circuits.spec import Spec
from equiproof.circuits.units import cut, in_units, radius_of_any

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COUNTS = ("regions", "leaves", "slots", "rows", "programs")
_INTEGERS = ("radius_squared", *_COUNTS, "needed_capacity", "radius_squared_at_capacity")
_LENGTHS = ("radius", "radius_grid", "radius_at_capacity", "flip_distance", "exact_lower", "exact_upper")
_MEANINGS = {
    "fair": "no value of {} changes the decision",
    "unfair": "{} alone change{} the decision",
    "undecided": "a tie, or a budget that ended first",
}
_UNDECIDED_WORDS = {"branch": "a tie, or too few digits", "trees": "a tie, or no room for the query alone"}
"""What undecided means with schemes whose budgets end at a smaller radius."""

_KEY_ROOMS = ("slots", "rows")
"""What a key of scheme trees holds besides leaves."""

_REASONS = {
    "tie": "without a decision for some value (a tie)",
    "regions": "ended by the budget of regions",
    "leaves": "ended by the budget of leaves",
    "slots": "ended by the number of slots",
    "rows": "ended by the number of rows",
    "seconds": "ended by the budget of time",
    "work": "ended by the budget of work",
    "digits": "with too few digits to prove more",
}
_SCHEME_COLUMNS = {
    "traversal": ("regions", "flip_distance", "flip_sensitive"),
    "branch": ("leaves", "programs"),
    "trees": ("leaves", "slots", "rows", "flip_distance", "flip_sensitive"),
}
"""Columns that not every scheme fills."""


class Run(Protocol):
    """The results of a run, as far as a summary reads them."""

    @property
    def spec(self) -> Spec:
        """The meaning of the columns."""

    @property
    def limits(self) -> Limits:
        """The budgets of a search."""

    @property
    def points(self) -> tuple[PointResult, ...]:
        """The result of each applicant."""

    def having(self, verdict: Verdict) -> tuple[PointResult, ...]:
        """Return the points of one verdict."""


def frame(results: Run) -> pd.DataFrame:
    """Return one line per row; columns that were not requested are left out."""
    import pandas as pd

    empty = _line(PointResult(row=1, verdict="undecided", seconds=0.0))
    table = pd.DataFrame([_line(point) for point in results.points], columns=list(empty))
    scheme = results.limits.scheme
    special = dict.fromkeys(name for names in _SCHEME_COLUMNS.values() for name in names)
    absent = [name for name in special if name not in _SCHEME_COLUMNS[scheme]]
    if not results.limits.exact and scheme == "traversal":
        absent += ["exact_lower", "exact_upper"]
    if scheme == "trees" and all(point.rows is None for point in results.points):
        absent.append("rows")  # an additive model
    if results.limits.capacity is None:
        absent += ["radius_at_capacity", "radius_squared_at_capacity"]
    kinds = dict.fromkeys(_INTEGERS, "Int64") | dict.fromkeys(_LENGTHS, "float64")
    return table.astype(kinds).drop(columns=absent)


def in_words(results: Run) -> str:
    """Return a few lines: the count of each verdict, the radii of the fair, and the keys that certify them."""
    names = [feature.name for feature in results.spec.sensitive_features]
    ending = "s" if len(names) == 1 else ""
    lines = [f"{len(results.points)} applicants, {results.spec.name}"]
    for verdict in ("fair", "unfair", "undecided"):
        count = len(results.having(verdict))
        meaning = _MEANINGS[verdict].format(" and ".join(names), ending)
        if verdict == "undecided":
            meaning = _UNDECIDED_WORDS.get(results.limits.scheme, meaning)
        lines.append(f"  {verdict:<11}{_share(count, len(results.points)):<18}{meaning}")
        if verdict == "undecided":
            lines += _reasons(results.having(verdict))
    return "\n".join(lines + _radii(results) + _gaps(results) + _capacities(results))


def plot(results: Run, axes: Axes | None = None) -> Figure:
    """Draw a histogram of the fair radii, with a bar each for the unfair and undecided left of 0."""
    from matplotlib.figure import Figure

    if axes is None:
        axes = Figure(figsize=(8, 4), layout="constrained").subplots()
    radii = [float(point.radius) for point in results.having("fair") if point.radius is not None]
    end = max([*radii, 1 / results.spec.scale_unit])
    width = end / 24
    axes.hist(radii, bins=24, range=(0, end), color="#4477aa", label=f"fair ({len(radii)})")
    ticks = [(value, f"{value:g}") for value in axes.get_xticks() if 0 <= value <= end]
    for place, (verdict, color) in enumerate((("unfair", "#cc3311"), ("undecided", "#bbbbbb"))):
        count = len(results.having(verdict))  # type: ignore[arg-type]
        middle = (-2.8 - 4.4 * place) * width
        axes.bar(middle, count, 2 * width, color=color, label=f"{verdict} ({count})")
        ticks.append((middle, verdict))
    axes.axvline(-0.8 * width, color="black", linewidth=0.8)
    axes.set_xticks([place for place, _ in ticks], [name for _, name in ticks])
    axes.set(
        xlabel="certified radius of the fair, in the spec's units",
        ylabel="applicants",
        title=results.spec.name,
        xlim=(-9.6 * width, end + width),
    )
    axes.legend(frameon=False)
    figure = axes.get_figure(root=True)
    if figure is None:
        raise ValueError("axes belong to no figure")
    return figure


def assigned(values: Assignment) -> str:
    """Write sensitive values as "sex = female, race = white"."""
    return ", ".join(f"{name} = {value}" for name, value in values)


def _line(point: PointResult) -> dict[str, Any]:
    """Return a point as a flat line."""
    names = ("row", "verdict", "reason", "label", "radius", "radius_grid", "radius_squared", "capped")
    line = {name: getattr(point, name) for name in (*names, *_COUNTS)}
    line["needed_capacity"] = point.needed_capacity
    line |= {name: getattr(point, name) for name in ("radius_at_capacity", "radius_squared_at_capacity")}
    flip = point.flip
    exact = point.exact
    line |= {
        "flip_distance": None if flip is None else flip.distance,
        "flip_sensitive": None if flip is None else assigned(flip.sensitive),
        "exact_lower": None if exact is None else exact.lower,
        "exact_upper": None if exact is None else exact.upper,
        "seconds": point.seconds,
    }
    return {name: float(value) if name in _LENGTHS and value is not None else value for name, value in line.items()}


def _share(count: int, total: int) -> str:
    """Write a count with its share, as "12 (40.0 %)"."""
    return f"{count} ({part(count, total)})" if total else "0"


def _reasons(points: Sequence[PointResult]) -> list[str]:
    """Return a line for each reason with its number of points."""
    reasons = [point.reason for point in points]
    return [f"    {reasons.count(key)} {why}" for key, why in _REASONS.items() if key in reasons]


def _gaps(results: Run) -> list[str]:
    """Return how many radii of scheme branch or trees are the largest possible, and how near the others come to it."""
    fair = results.having("fair")
    if results.limits.scheme == "traversal" or not fair:
        return []
    short = [point for point in fair if point.reason is not None]
    lines = [f"  {len(fair) - len(short)} of {len(fair)} are the largest there are"]
    if short:
        shares = sorted(_share_of_upper(point) for point in short)
        middle = shares[(len(shares) - 1) // 2]
        least = percent(shares[0], "down")
        half = percent(middle, "down")
        lines += [f"  the others reach {least} of it at least, {half} in the middle"]
    return lines + _reasons(short)


def _share_of_upper(point: PointResult) -> float:
    """Return the certified radius as a share of the smallest radius known to be too large, over grid points."""
    if point.exact is None or point.exact.upper is None or not point.exact.upper:
        return 0.0
    return float(point.exact.lower / point.exact.upper)


def _radii(results: Run) -> list[str]:
    """Return the quartiles of the certified radii, and the median in the features' own units."""
    squared = sorted(point.radius_squared for point in results.having("fair") if point.radius_squared is not None)
    if not squared:
        return []
    quarters = [radius_of_any(results.spec, squared[(len(squared) - 1) * part // 4]) for part in (1, 2, 3)]
    low, median, high = (f"{cut(radius):.6f}" for radius in quarters)
    lines = [
        f"certified radius of the fair, in the spec's units: {median} in the middle, {low} and {high} at the quartiles",
        f"  the middle one in each feature's own unit, the others being equal: {_moves(results, quarters[1])}",
    ]
    capped = [point.ends_at_a_value(results.spec) for point in results.having("fair") if point.capped]
    if largest := capped.count(False):
        lines.append(f"  {largest} reach the largest radius that is ever stated")
    if ending := capped.count(True):
        lines.append(f"  {ending} end where another value of a category begins: no radius of this model goes further")
    return lines


def _moves(results: Run, radius: Fraction) -> str:
    """Write a radius in the own unit of each number among the features."""
    numbers = [feature for feature in results.spec.plain_features if feature.kind == "numeric"]
    return ", ".join(f"{feature.name} {in_units(feature, radius)}" for feature in numbers) or "no feature is a number"


def _capacities(results: Run) -> list[str]:
    """Return the share of the fair that each capacity certifies at the full radius."""
    needed = [point.needed_capacity for point in results.having("fair") if point.needed_capacity is not None]
    if not needed:
        return []
    capacity = min(needed)
    shares = []
    while capacity <= max(needed):
        shares.append(f"K = {capacity}: {part(sum(need <= capacity for need in needed), len(needed))}")
        capacity *= 2
    radius = "the full radius" if results.limits.scheme == "traversal" else "the certified radius"
    return [f"{radius} fits a key of capacity {', '.join(shares)} of the fair", *_rooms(results)]


def _rooms(results: Run) -> list[str]:
    """Return the slots and rows that the radii of scheme trees need, and what a key of the requested room certifies."""
    fair = results.having("fair")
    limits = results.limits
    needs = {
        name: sorted(count for point in fair if (count := getattr(point, name)) is not None) for name in _KEY_ROOMS
    }
    parts = [
        f"{counts[(len(counts) - 1) // 2]} {name} in the middle, {counts[-1]} at most"
        for name, counts in needs.items()
        if counts
    ]
    lines = [f"and needs {'; '.join(parts)}"] if parts else []
    radii = sorted(at for point in fair if (at := point.radius_squared_at_capacity) is not None)
    if not parts or not radii or limits.capacity is None:
        return lines
    room = Room(limits.slots, limits.rows, limits.capacity).words
    full = sum(point.radius_squared_at_capacity == point.radius_squared for point in fair)
    middle = f"{cut(radius_of_any(results.spec, radii[(len(radii) - 1) // 2])):.6f}"
    return [*lines, f"a key of {room} certifies {middle} in the middle, the whole radius for {full} of {len(fair)}"]
