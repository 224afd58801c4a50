"""Pictures of several results beside each other, such as a model and the one trained to be fairer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from equiproof.certify.digits import part

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from equiproof.certify.many.results import Results

_COLORS = ("#9a5b00", "#0f4c86", "#14603f", "#6b2d7b")
_DASHES = ("-", "--", "-.", ":")


def against(models: Mapping[str, Results], axes: Axes | None = None) -> Figure:
    """Draw for several models by name which share of their applicants is certified at least so far.

    Each curve begins at the share of the fair and falls with the radius; the gap above it are the unfair and undecided.
    Radii of models whose specs have other scales are not comparable. Without `axes` the figure is not registered with
    pyplot. Raises ValueError for no model and for one without applicants.
    """
    from matplotlib.figure import Figure

    if not models or not all(map(len, models.values())):
        raise ValueError("give results of at least one applicant for each model")
    if axes is None:
        axes = Figure(figsize=(8, 4), layout="constrained").subplots()
    for number, (name, results) in enumerate(models.items()):
        fair = results.having("fair")
        lengths = sorted(float(point.radius) for point in fair if point.radius is not None)
        total = len(results)
        shares = [100 * (len(lengths) - place) / total for place in range(len(lengths) + 1)]
        axes.step(
            [0.0, *lengths, lengths[-1] if lengths else 0.0],
            [100 * len(lengths) / total, *shares],
            where="pre",
            color=_COLORS[number % len(_COLORS)],
            linestyle=_DASHES[number % len(_DASHES)],
            label=f"{name}: {part(len(fair), total)} fair",
        )
    axes.set(
        xlabel="radius, in the spec's units",
        ylabel="% of applicants certified at least so far",
        ylim=(0, 102),
        title="How far decisions hold",
    )
    axes.set_xlim(left=0)
    axes.legend(frameon=False)
    figure = axes.get_figure(root=True)
    if figure is None:
        raise ValueError("axes belong to no figure")
    return figure
