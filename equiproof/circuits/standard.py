"""Standard shapes: sizes that models are padded to, so that one key serves the models of many owners.

Padding adds non-sensitive columns that are 0 for everybody, which the spec states, and hidden neurons whose weights and
biases are 0. What a shape says besides sizes is the same for all padded models, or cannot be padded: see
:func:`agreed`. (docs/adr/0018-standard-shapes.md)
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from equiproof.circuits.schemes import Scheme
from equiproof.circuits.shape import Shape, shape_of
from equiproof.circuits.spec import WEIGHT_BITS, Spec, SpecError, checked

INPUT_FRACTION_BITS = 10
"""f_x of every padded spec; columns on another grid would be another model."""

INPUT_BITS = 24
"""The width of columns of every padded spec: values up to 8191 scales from the mean."""


@dataclass(frozen=True)
class StandardShape:
    """The sizes that a model is padded to: its non-sensitive columns, and the neurons of each hidden layer."""

    columns: int
    hidden: tuple[int, ...]

    @property
    def name(self) -> str:
        """The name on the command line, such as "16x16-8"."""
        return f"{self.columns}x{'-'.join(map(str, self.hidden))}"

    def misfit(self, spec: Spec, hidden: tuple[int, ...]) -> str:
        """Return why a model with these hidden sizes cannot be padded to this shape, in one line; "" if it can."""
        if wrong := unalike(spec, self.columns):
            return wrong
        if len(hidden) != len(self.hidden):
            return f"the model has {len(hidden)} hidden layer(s), the shape {len(self.hidden)}: depth is not padded"
        if any(own > there for own, there in zip(hidden, self.hidden, strict=True)):
            return f"hidden layers {_listed(hidden)} do not fit into {_listed(self.hidden)}"
        return ""

    def spec(self, spec: Spec) -> Spec:
        """Return the spec of a model that is padded to this shape.

        Raises SpecError for a spec that is padded already, and for one whose grid, widths or columns do not fit.
        """
        if wrong := self.misfit(spec, self.hidden):
            raise SpecError(f"standard shape {self.name}: {wrong}")
        return padded_spec(spec, self.columns)

    def shape(self, scheme: Scheme, spec: Spec, capacity: int) -> Shape:
        """Return the shape of keys for models that are padded to this one; `spec` is that of any of them, or its own.

        Raises SpecError as :meth:`spec` and :func:`equiproof.circuits.shape.shape_of` do.
        """
        return shape_of(scheme, self.spec(unpadded(spec)), self.hidden, capacity)


CATALOGUE = (
    StandardShape(16, (16, 8)),
    StandardShape(32, (16, 8)),
    StandardShape(64, (16, 8)),
    StandardShape(32, (64, 32)),
    StandardShape(64, (64, 32)),
    StandardShape(64, (100, 50)),
)
"""Every standard shape, the cheapest first."""


def smallest(spec: Spec, hidden: tuple[int, ...]) -> StandardShape | str:
    """Return the cheapest standard shape that a model fits, or why there is none, in one line."""
    return next((one for one in CATALOGUE if not one.misfit(spec, hidden)), CATALOGUE[-1].misfit(spec, hidden))


def committed_specs(spec: Spec) -> tuple[Spec, ...]:
    """Return a model's own spec, and those under which it can be committed after padding.

    Standard shapes of scores have the same columns (:mod:`equiproof.circuits.standard_scores`), hence the same specs.
    """
    return (spec, *(one.spec(spec) for one in CATALOGUE if not one.misfit(spec, one.hidden)))


def unpadded(spec: Spec) -> Spec:
    """Return a spec without its padding; the widths stay those that were committed."""
    return msgspec.structs.replace(spec, pad_to=msgspec.UNSET)


def agreed(shape: Shape) -> dict[str, int | str]:
    """Return what padding leaves as it is, by name: models that agree in all of it share the keys of a shape."""
    a = shape.architecture
    return {
        "scheme": shape.scheme,
        "sensitive_columns": a.sensitive,
        "slices": shape.slices,
        "logits": a.logits,
        "capacity": shape.capacity,
    }


def padded_spec(spec: Spec, columns: int) -> Spec:
    """Return a spec that is padded to so many non-sensitive columns; one that :func:`unalike` refuses does not fit."""
    pad_to = columns if columns > spec.own_columns else msgspec.UNSET
    return checked(msgspec.structs.replace(spec, input_bits=INPUT_BITS, weight_bits=WEIGHT_BITS, pad_to=pad_to))


def unalike(spec: Spec, columns: int) -> str:
    """Return what of a spec differs from every spec padded to so many columns and cannot be padded, or ""."""
    if spec.padding:
        return "the spec is padded already"
    if spec.input_fraction_bits != INPUT_FRACTION_BITS:
        return f"the spec has input_fraction_bits {spec.input_fraction_bits}, standard shapes {INPUT_FRACTION_BITS}"
    if spec.input_bits > INPUT_BITS:
        return f"the spec has input_bits {spec.input_bits}, standard shapes at most {INPUT_BITS}"
    if any(own > most for own, most in zip(spec.weight_bits, WEIGHT_BITS, strict=True)):
        return f"the spec has weight_bits {_listed(spec.weight_bits)}, standard shapes at most {_listed(WEIGHT_BITS)}"
    if spec.own_columns > columns:
        return f"the features have {spec.own_columns} columns besides the sensitive ones, the shape {columns}"
    return ""


def _listed(sizes: tuple[int, ...]) -> str:
    """Write sizes in one piece."""
    return ",".join(map(str, sizes))
