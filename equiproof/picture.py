"""One picture of a certificate: the applicant, the polytopes around it, and the radius for each sensitive value."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from certify.evidence import Evidence
from certify.polytope import SlicedNetwork, slices
from certify.search import Search, search
from equiproof.commands.common import in_words, sensitive_values

if TYPE_CHECKING:
    from prover.opening import Opening

MAX_PANELS = 6
STEPS = 400

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Plane:
    """A plane through the query: two orthonormal directions over the n_x columns, in grid units."""

    centre: Floats
    across: Floats
    along: Floats

    def points(self, half_width: float) -> Floats:
        """Return a square grid of points, shape (STEPS, STEPS, n_x); rows run along, columns across."""
        axis = np.linspace(-half_width, half_width, STEPS)
        return self.centre + axis[:, None, None] * self.along + axis[None, :, None] * self.across


def draw(opening: Opening, query: tuple[int, ...], evidence: Evidence, path: Path) -> None:
    """Draw the certified ball on every slice (the first six) into a PNG file.

    The plane runs through the applicant, towards the nearest decision hyperplane and one other hyperplane. Polytopes of
    the evidence are in color, others gray; the black line is where the decision flips.
    """
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    spec, table = opening.spec, opening.spec.domain_table
    shown = min(len(table), MAX_PANELS)
    plane = _plane(opening, query, evidence)
    radii = [_slice_radius(opening, query, row) for row in table[:shown]]
    half_width = 1.35 * max(*radii, math.isqrt(evidence.radius_squared), spec.scale_unit // 20)
    figure, axes = plt.subplots(1, shown, figsize=(5.2 * shown, 6.3), squeeze=False, layout="constrained")
    for number in range(shown):
        _panel(axes[0][number], opening, plane, evidence, number, radii[number], half_width)
    label = spec.labels[evidence.label]
    figure.suptitle(
        f"{label}: certified up to {math.sqrt(evidence.radius_squared) / spec.scale_unit:.3f} for every value of "
        f"{' and '.join(feature.name for feature in spec.sensitive_features)}"
    )
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def _panel(
    axes: Any, opening: Opening, plane: Plane, evidence: Evidence, number: int, radius: float, half_width: float
) -> None:
    """Draw one slice."""
    from matplotlib import colormaps
    from matplotlib.patches import Circle

    spec = opening.spec
    patterns, margin = _evaluate(opening, plane.points(half_width), spec.domain_table[number])
    visited = {region.pattern for region in evidence.regions if region.slice == number}
    unit, extent = spec.scale_unit, np.array([-1, 1, -1, 1]) * half_width / spec.scale_unit
    colors = np.ones((*patterns.shape, 4))
    for index, pattern in enumerate(sorted(visited) + sorted(set(np.unique(patterns).tolist()) - visited)):
        shade = 0.96 - 0.04 * (index % 3)
        colors[patterns == pattern] = colormaps["tab20"](index % 20) if pattern in visited else (shade,) * 3 + (1.0,)
    axes.imshow(colors, origin="lower", extent=extent, interpolation="nearest")
    axis = np.linspace(-half_width, half_width, STEPS) / unit
    axes.contour(axis, axis, margin, levels=[0.0], colors="black", linewidths=2.5)
    own = Circle((0, 0), radius / unit, fill=False, color="black", linestyle=":", linewidth=1.5, label="its own radius")
    axes.add_patch(own)
    certified = math.isqrt(evidence.radius_squared) / unit
    axes.add_patch(Circle((0, 0), certified, fill=False, color="white", linewidth=3))
    axes.add_patch(Circle((0, 0), certified, fill=False, color="black", linewidth=1.2, label="certified radius"))
    axes.plot([], [], color="black", linewidth=2.5, label="the decision flips")
    axes.plot(0, 0, marker="*", markersize=14, color="white", markeredgecolor="black", label="applicant")
    names = in_words(sensitive_values(spec, number))
    axes.set_title(f"{names}: radius {radius / unit:.3f}, {len(visited)} polytopes")
    axes.set_xlabel("towards the nearest decision hyperplane (spec's units)")
    axes.set_ylabel("across it")


def _evaluate(opening: Opening, points: Floats, row: tuple[int, ...]) -> tuple[npt.NDArray[np.int64], Floats]:
    """Return activation patterns and a margin that is 0 where the decision flips; in floats, for a picture only."""
    values = np.concatenate(
        [points, np.broadcast_to(np.array(row, dtype=float), (*points.shape[:2], len(row)))], axis=2
    )
    patterns, shift = np.zeros(points.shape[:2], dtype=np.int64), 0
    *hidden, last = opening.network.layers
    for layer in hidden:
        values = values @ np.array(layer.weights, dtype=float).T + np.array(layer.biases, dtype=float)
        patterns |= ((values >= 0) << np.arange(shift, shift + layer.outputs)).sum(axis=2)
        shift += layer.outputs
        values = np.maximum(values, 0.0)
    logits = values @ np.array(last.weights, dtype=float).T + np.array(last.biases, dtype=float)
    if last.outputs == 1:
        return patterns, logits[..., 0] / np.abs(logits).max()
    best = np.sort(logits, axis=2)
    return patterns, (best[..., -1] - best[..., -2]) / np.abs(logits).max()


def _slice_radius(opening: Opening, query: tuple[int, ...], row: tuple[int, ...]) -> float:
    """Return the radius of one slice alone, in grid units."""
    found = search(opening.network, query, [row], max_radius_squared=opening.spec.max_radius_squared, max_regions=1024)
    return math.sqrt(found.radius_squared) if isinstance(found, Search) else 0.0


def _plane(opening: Opening, query: tuple[int, ...], evidence: Evidence) -> Plane:
    """Lay the plane through the nearest decision hyperplane's normal and a second hyperplane's."""
    sliced = slices(opening.network, opening.spec.domain_table)
    margins = [
        (form, sliced[region.slice])
        for region in evidence.regions
        for form in sliced[region.slice].margin_forms(region.pattern, evidence.label)
        if form.norm_squared
    ]
    nearest = min(margins, key=lambda pair: pair[0].value(query) ** 2 / pair[0].norm_squared, default=None)
    normals = [] if nearest is None else [-_sign(nearest[0].value(query)) * np.array(nearest[0].coefficients, float)]
    normals += _facet_normals(sliced[0], query, evidence)
    normals += list(np.eye(len(query)))
    basis: list[Floats] = []
    for normal in normals:
        rest = normal - sum((normal @ known) * known for known in basis)
        if np.linalg.norm(rest) > 1e-6 * max(1.0, float(np.linalg.norm(normal))):
            basis.append(rest / np.linalg.norm(rest))
        if len(basis) == min(2, len(query)):
            break
    along = basis[1] if len(basis) > 1 else np.zeros(len(query))
    return Plane(np.array(query, dtype=float), basis[0], along)


def _facet_normals(here: SlicedNetwork, query: tuple[int, ...], evidence: Evidence) -> list[Floats]:
    """Return the normals of the centre's hyperplanes on the first slice, nearest first."""
    forms = [form for form in here.hidden_forms(evidence.regions[0].pattern) if form.norm_squared]
    forms.sort(key=lambda form: form.value(query) ** 2 / form.norm_squared)
    return [np.array(form.coefficients, dtype=float) for form in forms]


def _sign(value: int) -> int:
    """Return 1 or -1."""
    return 1 if value >= 0 else -1
