"""The map of a certificate: for each sensitive value a plane through the applicant, with the certified circle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from equiproof.certify.branch import BranchEvidence, BranchSearch
from equiproof.certify.polytope import slices
from equiproof.circuits.assignments import sensitive_values
from equiproof.circuits.units import radius_of_any
from equiproof.cli.commands.common import in_words

if TYPE_CHECKING:
    from equiproof.prover.opening import Opening

MAX_PANELS = 6
STEPS = 400
OTHER = "#e8b4a8"
"""The color of points with another decision."""
PIECES = ("#7fb8a4", "#4f8fa3", "#b9d48b", "#c3ddd0", "#8fc7d6", "#b7d9a8", "#6fb1bd", "#9ccb8c")
"""The colors of the leaves inside the circle."""

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


def draw_map(cells: list[Any], opening: Opening, query: tuple[int, ...], search: BranchSearch) -> None:
    """Draw one slice into each of the axes.

    The plane runs through the applicant, towards the nearest known point with another decision and along one neuron's
    hyperplane. The circle is the radius that the certificate states.
    """
    plane = _plane(opening, query, search)
    radius = float(radius_of_any(opening.spec, search.evidence.radius_squared)) * opening.spec.scale_unit
    half_width = 1.35 * max(radius, opening.spec.scale_unit / 20)
    for number, axes in enumerate(cells):
        _panel(axes, opening, plane, search.evidence, number, radius, half_width)


def legend(figure: Any) -> None:
    """Explain the colors of the map below it."""
    from matplotlib.legend_handler import HandlerTuple
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    star = Line2D([], [], marker="*", markersize=13, color="white", markeredgecolor="black", linestyle="none")
    circle = Line2D([], [], marker="o", markersize=11, color="none", markeredgecolor="black", markeredgewidth=1.6)
    entries = {
        "the applicant today": star,
        "certified: the same decision everywhere inside": circle,
        "the pieces that the proof is made of": tuple(Patch(color=color) for color in PIECES[:3]),
        "the same decision, but not certified": (Patch(color="#eeeeee"), Patch(color="#e2e2e2")),
        "the other decision": Patch(color=OTHER),
    }
    figure.legend(
        [*entries.values()],
        [*entries],
        loc="outside lower center",
        ncols=1,
        frameon=False,
        fontsize=9,
        handler_map={tuple: HandlerTuple(ndivide=None, pad=0)},
    )


def _panel(
    axes: Any, opening: Opening, plane: Plane, evidence: BranchEvidence, number: int, radius: float, half_width: float
) -> None:
    """Draw one slice."""
    from matplotlib.patches import Circle

    spec = opening.spec
    unit = opening.spec.scale_unit
    patterns, margin = _evaluate(opening, plane.points(half_width), spec.domain_table[number], evidence.label)
    steps = np.linspace(-half_width, half_width, STEPS)
    inside = steps[:, None] ** 2 + steps[None, :] ** 2 < radius**2
    leaves = np.where(inside, _leaves(patterns, evidence, number), -1)
    extent = np.array([-1, 1, -1, 1]) * half_width / unit
    axes.imshow(_colors(patterns, leaves, margin), origin="lower", extent=extent, interpolation="nearest")
    axes.contour(steps / unit, steps / unit, margin, levels=[0.0], colors="#9c3b26", linewidths=2)
    axes.add_patch(Circle((0, 0), radius / unit, fill=False, color="black", linewidth=1.6))
    axes.plot(0, 0, marker="*", markersize=13, color="white", markeredgecolor="black")
    axes.set_title(in_words(sensitive_values(spec, number)).replace("_", " "), fontsize=11)
    axes.set_xlabel("towards the other decision, in units of each feature's spread", fontsize=8)
    axes.tick_params(labelsize=8)


def _evaluate(
    opening: Opening, points: Floats, row: tuple[int, ...], label: int
) -> tuple[npt.NDArray[np.int64], Floats]:
    """Return activation patterns, and a margin above 0 where the decision is `label`; in floats, for a picture only."""
    values = np.concatenate(
        [points, np.broadcast_to(np.array(row, dtype=float), (*points.shape[:2], len(row)))], axis=2
    )
    patterns = np.zeros(points.shape[:2], dtype=np.int64)
    shift = 0
    *hidden, last = opening.network.layers
    for layer in hidden:
        values = values @ np.array(layer.weights, dtype=float).T + np.array(layer.biases, dtype=float)
        patterns |= ((values >= 0) << np.arange(shift, shift + layer.outputs)).sum(axis=2)
        shift += layer.outputs
        values = np.maximum(values, 0.0)
    logits = values @ np.array(last.weights, dtype=float).T + np.array(last.biases, dtype=float)
    if last.outputs == 1:
        margin = logits[..., 0] if label else -logits[..., 0]
    else:
        margin = logits[..., label] - np.delete(logits, label, axis=2).max(axis=2)
    return patterns, margin / np.abs(logits).max()


def _leaves(patterns: npt.NDArray[np.int64], evidence: BranchEvidence, number: int) -> npt.NDArray[np.int64]:
    """Return, for activation patterns on a slice, which leaf of the slice each belongs to: 0 is the largest drawn."""
    areas = []
    for leaf in (leaf for leaf in evidence.leaves if leaf.slice == number):
        on, off = (sum(bit << place for place, bit in enumerate(bits)) for bits in (leaf.on, leaf.off))
        areas.append((patterns & on == on) & (patterns & off == 0))
    leaf_numbers = np.full(patterns.shape, -1, dtype=np.int64)
    for index, area in enumerate(sorted(areas, key=np.count_nonzero, reverse=True)):
        leaf_numbers[area] = index
    return leaf_numbers


def _colors(patterns: npt.NDArray[np.int64], leaves: npt.NDArray[np.int64], margin: Floats) -> Floats:
    """Return a color per point, shape (..., 3): its leaf's, or outside (-1) gray, or that of another decision.

    The network's polytopes differ in shade.
    """
    from matplotlib.colors import to_rgb

    kinds = np.unique(patterns, return_inverse=True)[1].reshape(patterns.shape)
    shades = 1 - 0.035 * (kinds % 3)[..., None].astype(np.float64)
    palette = np.array([to_rgb(color) for color in PIECES])
    outside = np.where((margin > 0)[..., None], np.array(to_rgb("#eeeeee")), np.array(to_rgb(OTHER)))
    colors: Floats = np.where((leaves >= 0)[..., None], palette[leaves % len(PIECES)], outside)
    return colors * shades


def _plane(opening: Opening, query: tuple[int, ...], search: BranchSearch) -> Plane:
    """Lay the plane through the nearest known point of the boundary and along a neuron's normal."""
    centre = np.array(query, dtype=float)
    normals = (
        []
        if search.boundary_point is None
        else [np.array([float(value) for value in search.boundary_point.point]) - centre]
    )
    normals += _normals(
        opening, query, 0 if search.boundary_point is None else search.boundary_point.slice, search.evidence
    )
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
    pattern = _evaluate(opening, np.array(query, dtype=float)[None, None, :], row, evidence.label)[0].item()
    split = {line.neuron for line in evidence.splits if line.slice == number}
    forms = [(neuron, form) for neuron, form in enumerate(here.hidden_forms(pattern)) if form.norm_squared]
    forms.sort(key=lambda pair: (pair[0] not in split, pair[1].value(query) ** 2 / pair[1].norm_squared))
    return [np.array(form.coefficients, dtype=float) for _, form in forms]
