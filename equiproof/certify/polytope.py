"""The polytopes of a quantised network on one slice, as exact linear forms.

Notation: a slice fixes the sensitive columns to one row s of the domain table. On it, under an activation pattern v,
every hidden neuron and every logit is a linear form c.x + d over the n_x non-sensitive columns; the sensitive part is
folded into d. This is ReducePolyDim (FairProof, algorithm 3), made per pattern on demand instead of for the whole
polyhedral complex. Columns stand non-sensitive first, sensitive last; bit i of v is hidden neuron i counted layer by
layer, 1 for active. The coefficients c do not depend on s, so the slices of one table share them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import mul

from equiproof.certify.network import QuantisedNetwork

Row = tuple[int, ...]


@dataclass(frozen=True)
class LinearForm:
    """c.x + d in exact integers, over the n_x non-sensitive columns; made of weights, so its repr shows no number."""

    coefficients: Row = field(repr=False)
    constant: int = field(repr=False)

    def value(self, x: Sequence[int]) -> int:
        """Return c.x + d at a point of n_x integers; raises ValueError for another length."""
        return sum(c * v for c, v in zip(self.coefficients, x, strict=True)) + self.constant

    @cached_property
    def norm_squared(self) -> int:
        """|c|^2; 0 for a form that is constant on the slice, whose zero set is no hyperplane."""
        return sum(c * c for c in self.coefficients)


@dataclass(frozen=True)
class SlicedNetwork:
    """A network on the slice of one row s of n_s sensitive integers; :func:`slices` makes them for a whole table."""

    network: QuantisedNetwork
    sensitive: Row
    _coefficients: _Coefficients = field(repr=False, compare=False)

    @property
    def columns(self) -> int:
        """n_x, the number of non-sensitive columns."""
        return self.network.inputs - len(self.sensitive)

    @cached_property
    def first_biases(self) -> Row:
        """b_1 + W_1 s, over the sensitive columns of W_1: the constants of the first layer's forms."""
        layer = self.network.layers[0]
        return tuple(
            bias + sum(map(mul, row[self.columns :], self.sensitive))
            for row, bias in zip(layer.weights, layer.biases, strict=True)
        )

    def hidden_forms(self, pattern: int) -> tuple[LinearForm, ...]:
        """Return the forms of all N hidden neurons under a pattern, layer by layer."""
        constants = self._affine(pattern, self.first_biases)
        forms: list[LinearForm] = []
        for depth, layer_constants in enumerate(constants[:-1]):
            rows = self._coefficients.hidden(depth, pattern).rows
            forms += [LinearForm(row, constant) for row, constant in zip(rows, layer_constants, strict=True)]
        return tuple(forms)

    def logit_forms(self, pattern: int) -> tuple[LinearForm, ...]:
        """Return the forms of all logits under a pattern."""
        constants = self._affine(pattern, self.first_biases)[-1]
        rows = self._coefficients.top(pattern, self.network.layers[-1].weights)
        return tuple(LinearForm(row, constant) for row, constant in zip(rows, constants, strict=True))

    def margin_forms(self, pattern: int, label: int) -> tuple[LinearForm, ...]:
        """Return the forms that must stay positive for `label` to be decided under a pattern.

        One logit: (2y - 1) logit. Several: logit_y - logit_c for every class c != y, in the order of c. Raises
        ValueError for a label that the network does not have.
        """
        forms = self.logit_forms(pattern)
        rows = [(*form.coefficients, form.constant) for form in forms]
        margins = (combine(signs, rows) for signs in margin_signs(len(forms), label))
        return tuple(LinearForm(margin[:-1], margin[-1]) for margin in margins)

    def values(self, pattern: int, x: Sequence[int]) -> list[list[int]]:
        """Return the values at x of every layer's forms under a pattern; the last entry holds the logits.

        The same numbers as `value(x)` of the forms, without making their coefficients.
        """
        rows = self._coefficients.hidden(0, pattern).rows
        first = [sum(map(mul, row, x)) + bias for row, bias in zip(rows, self.first_biases, strict=True)]
        return self._affine(pattern, first)

    def hidden_rows(self, pattern: int) -> list[tuple[Row, int]]:
        """Return the coefficients c of the forms of all N hidden neurons under a pattern, each with |c|^2."""
        layers = (self._coefficients.hidden(depth, pattern) for depth in range(len(self.network.hidden)))
        return [entry for layer in layers for entry in zip(layer.rows, layer.norms, strict=True)]

    def margin_rows(self, pattern: int, weights: Sequence[Row]) -> list[tuple[Row, int]]:
        """Return c and |c|^2 of forms w . h under a pattern, h the last hidden layer, for rows w of `weights`."""
        return [(row, _norm_squared(row)) for row in self._coefficients.top(pattern, weights)]

    def _affine(self, pattern: int, first: Sequence[int]) -> list[list[int]]:
        """Carry first-layer numbers, constants or values at a point, through the layers under a pattern."""
        result = [list(first)]
        offset = 0
        for layer in self.network.layers[1:]:
            held = [z if pattern >> (offset + index) & 1 else 0 for index, z in enumerate(result[-1])]
            offset += len(held)
            rows = zip(layer.weights, layer.biases, strict=True)
            result.append([sum(map(mul, row, held)) + bias for row, bias in rows])
        return result


def slices(network: QuantisedNetwork, table: Sequence[Sequence[int]]) -> tuple[SlicedNetwork, ...]:
    """Return the network on each of the S slices of a domain table of shape (S, n_s), in the table's order.

    Raises ValueError for rows of different lengths, and where no non-sensitive column is left.
    """
    widths = {len(row) for row in table}
    if len(widths) != 1 or (columns := network.inputs - min(widths)) < 1:
        raise ValueError(f"rows of {sorted(widths)} sensitive columns do not fit a network of {network.inputs} inputs")
    shared = _Coefficients(network, columns)
    return tuple(SlicedNetwork(network, tuple(row), shared) for row in table)


def margin_signs(logits: int, label: int) -> list[Row]:
    """Return the margins of a label as rows over the logits: (2y - 1), or +1 at y and -1 at each c != y.

    Raises ValueError for a label that a network with so many logits does not have.
    """
    if not 0 <= label < max(logits, 2):
        raise ValueError(f"label {label} does not exist with {logits} logit(s)")
    if logits == 1:
        return [(2 * label - 1,)]
    return [
        tuple(int(column == label) - int(column == other) for column in range(logits))
        for other in range(logits)
        if other != label
    ]


def combine(weights: Sequence[int], rows: Sequence[Sequence[int]]) -> Row:
    """Return the sum of the rows, each times its weight."""
    return tuple(sum(map(mul, weights, column)) for column in zip(*rows, strict=True))


@dataclass(frozen=True, repr=False)
class _LayerRows:
    """The coefficient rows of one hidden layer's forms, and their |c|^2."""

    rows: tuple[Row, ...]
    norms: Row


class _Coefficients:
    """The coefficients of every form, made once per pattern of the layers below and shared by all slices."""

    def __init__(self, network: QuantisedNetwork, columns: int) -> None:
        """Keep the first layer's rows over the n_x columns."""
        self._network = network
        sizes = network.hidden
        self._below = [sum(sizes[:depth]) for depth in range(len(sizes) + 1)]
        first = tuple(tuple(row[:columns]) for row in network.layers[0].weights)
        self._cache: list[dict[int, _LayerRows]] = [{} for _ in sizes]
        self._cache[0][0] = _LayerRows(first, tuple(map(_norm_squared, first)))

    def hidden(self, depth: int, pattern: int) -> _LayerRows:
        """Return the rows of hidden layer `depth` (0 the first), which depend on the bits of the layers below only."""
        below = pattern & ((1 << self._below[depth]) - 1)
        layer_rows = self._cache[depth].get(below)
        if layer_rows is None:
            rows = self._combine(depth, pattern, self._network.layers[depth].weights)
            layer_rows = self._cache[depth][below] = _LayerRows(rows, tuple(map(_norm_squared, rows)))
        return layer_rows

    def top(self, pattern: int, weights: Sequence[Row]) -> tuple[Row, ...]:
        """Return the rows of forms w . h over the last hidden layer."""
        return self._combine(len(self._cache), pattern, weights)

    def _combine(self, depth: int, pattern: int, weights: Sequence[Row]) -> tuple[Row, ...]:
        """Return weights @ diag(bits of layer depth - 1) @ (rows of that layer)."""
        lower = self.hidden(depth - 1, pattern).rows
        offset = self._below[depth - 1]
        bits = [pattern >> (offset + index) & 1 for index in range(len(lower))]
        active = [index for index, bit in enumerate(bits) if bit]
        if not active:
            return tuple((0,) * len(lower[0]) for _ in weights)
        columns = list(zip(*(lower[index] for index in active), strict=True))
        active_weights = [[row[index] for index in active] for row in weights]
        return tuple(tuple([sum(map(mul, row, column)) for column in columns]) for row in active_weights)


def _norm_squared(row: Row) -> int:
    """Return |c|^2."""
    return sum(map(mul, row, row))
