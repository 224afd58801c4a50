"""One picture of a certificate: the applicant, the leaves that prove it, and the radius for each sensitive value."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from certify.branch import BranchEvidence, BranchSearch, branch_search, parameters_of
from certify.polytope import slices
from equiproof.commands.common import in_words, sensitive_values

if TYPE_CHECKING:
    from prover.opening import Opening

MAX_PANELS = 6
MAX_LEAVES = 64
STEPS = 400

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Plane:
    """A plane through the query: two orthonormal directions over the n_x columns, in grid units.

    `centre`, `across` and `along` have shape (n_x,).
    """

    centre: Floats
    across: Floats
    along: Floats

    def points(self, half_width: float) -> Floats:
        """Return a square grid of points, shape (STEPS, STEPS, n_x); rows run along, columns across."""
        axis = np.linspace(-half_width, half_width, STEPS)
        return self.centre + axis[:, None, None] * self.along + axis[None, :, None] * self.across


def draw(opening: Opening, query: tuple[int, ...], found: BranchSearch, path: Path) -> None:
    """Draw the certified ball of a search on every slice (the first six) into a PNG file.

    The plane runs through the applicant, towards the nearest known boundary of the decision and one neuron's
    hyperplane. Inside the ball, each leaf of the tree has its color; outside, the network's polytopes are gray. The
    black line is where the decision flips.
    """
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    spec, table = opening.spec, opening.spec.domain_table
    shown = min(len(table), MAX_PANELS)
    evidence, plane = found.evidence, _plane(opening, query, found)
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
    axes: Any, opening: Opening, plane: Plane, evidence: BranchEvidence, number: int, radius: float, half_width: float
) -> None:
    """Draw one slice."""
    from matplotlib.patches import Circle

    spec = opening.spec
    patterns, margin = _evaluate(opening, plane.points(half_width), spec.domain_table[number])
    unit, extent = spec.scale_unit, np.array([-1, 1, -1, 1]) * half_width / spec.scale_unit
    leaves = _leaves(patterns, evidence, number)
    steps = np.linspace(-half_width, half_width, STEPS)
    inside = steps[:, None] ** 2 + steps[None, :] ** 2 < evidence.radius_squared
    axes.imshow(_colors(patterns, np.where(inside, leaves, -1)), origin="lower", extent=extent, interpolation="nearest")
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
    count = sum(leaf.slice == number for leaf in evidence.leaves)
    axes.set_title(f"{names}: radius {radius / unit:.3f}, {count} {'leaf' if count == 1 else 'leaves'}")
    axes.set_xlabel("towards the nearest boundary of the decision (spec's units)")
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


def _leaves(patterns: npt.NDArray[np.int64], evidence: BranchEvidence, number: int) -> npt.NDArray[np.int64]:
    """Return, for activation patterns on a slice, which leaf of the slice each belongs to, from 0."""
    found = np.full(patterns.shape, -1, dtype=np.int64)
    for index, leaf in enumerate(leaf for leaf in evidence.leaves if leaf.slice == number):
        on, off = (sum(bit << place for place, bit in enumerate(bits)) for bits in (leaf.on, leaf.off))
        found[(patterns & on == on) & (patterns & off == 0)] = index
    return found


def _colors(patterns: npt.NDArray[np.int64], leaves: npt.NDArray[np.int64]) -> Floats:
    """Return a color per point, shape (..., 4): that of its leaf, or of none (-1) gray; polytopes differ in shade."""
    from matplotlib import colormaps

    shades = 0.96 - 0.04 * (np.unique(patterns, return_inverse=True)[1].reshape(patterns.shape) % 3)
    gray = np.stack([shades, shades, shades, np.ones_like(shades)], axis=-1)
    palette = np.array([colormaps["tab20"](index) for index in range(20)])
    return np.where((leaves >= 0)[..., None], palette[leaves % 20] * gray, gray)


def _slice_radius(opening: Opening, query: tuple[int, ...], row: tuple[int, ...]) -> float:
    """Return the radius of one slice alone, in grid units."""
    spec = opening.spec
    found = branch_search(
        opening.network,
        query,
        [row],
        max_radius_squared=spec.max_radius_squared,
        max_leaves=MAX_LEAVES,
        parameters=parameters_of(spec, opening.network.hidden),
        box=spec.box,
    )
    return math.sqrt(found.radius_squared) if isinstance(found, BranchSearch) else 0.0


def _plane(opening: Opening, query: tuple[int, ...], found: BranchSearch) -> Plane:
    """Lay the plane through the nearest known point of the boundary and along a neuron's normal."""
    centre = np.array(query, dtype=float)
    normals = [] if found.witness is None else [np.array([float(value) for value in found.witness.point]) - centre]
    normals += _normals(opening, query, 0 if found.witness is None else found.witness.slice, found.evidence)
    normals += list(np.eye(len(query)))
    basis: list[Floats] = []
    for normal in normals:
        rest = normal - sum((normal @ known) * known for known in basis)
        if np.linalg.norm(rest) > 1e-6 * max(1.0, float(np.linalg.norm(normal))):
            basis.append(rest / np.linalg.norm(rest))
        if len(basis) == min(2, len(query)):
            break
    along = basis[1] if len(basis) > 1 else np.zeros(len(query))
    return Plane(centre, basis[0], along)


def _normals(opening: Opening, query: tuple[int, ...], number: int, evidence: BranchEvidence) -> list[Floats]:
    """Return the normals of the neurons' hyperplanes on a slice: those that are split first, then the nearest."""
    row = opening.spec.domain_table[number]
    (here,) = slices(opening.network, [row])
    pattern = _evaluate(opening, np.array(query, dtype=float)[None, None, :], row)[0].item()
    split = {line.neuron for line in evidence.splits if line.slice == number}
    forms = [(neuron, form) for neuron, form in enumerate(here.hidden_forms(pattern)) if form.norm_squared]
    forms.sort(key=lambda pair: (pair[0] not in split, pair[1].value(query) ** 2 / pair[1].norm_squared))
    return [np.array(form.coefficients, dtype=float) for _, form in forms]
