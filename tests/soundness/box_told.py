"""Wires about additive models on boxes, the statements that they open, and the register of those that lie."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.people import Box
from equiproof.circuits.field import ORDER
from equiproof.circuits.shape import Shape, box_shape
from equiproof.circuits.spec import Spec
from equiproof.circuits.statement import BoxStatement, start
from equiproof.circuits.widths import Interval, signed
from equiproof.prover.witness.box import Secrets, fill
from tests.soundness.additive_told import nodes_of, numbers_of, packed
from tests.soundness.cheating_owner import CONTEXT_DIGEST, SPEC_DIGEST, Wires, continued, hashed


@dataclass(frozen=True)
class Told:
    """Wires under a shape; `rule` is the one they break, none for an honest witness."""

    rule: str
    shape: Shape
    wires: Wires
    digest: int | None = None

    @property
    def public(self) -> int:
        """The digest of the statement that these wires open, unless another one is stated."""
        if self.digest is not None:
            return self.digest
        return continued(start(self.shape), *stated(self.shape, self.wires).elements())


def filled(spec: Spec, model: AdditiveModel, box: Box, label: int) -> Told:
    """Return the wires of a model and a box under a spec."""
    return filled_under(box_shape(spec, model.predicates), model, box, label, spec.domain_table)


def filled_under(shape: Shape, model: AdditiveModel, box: Box, label: int, table: Sequence[Sequence[int]]) -> Told:
    """Return the wires of a model and a box under a shape."""
    blank = BoxStatement(0, SPEC_DIGEST, 0, 0, label, CONTEXT_DIGEST)
    return Told("", shape, deepcopy(fill(shape, blank, Secrets(model, 7, box, 9, table))))


def stated(shape: Shape, wires: Wires) -> BoxStatement:
    """Return the statement that these wires open."""
    a, entry, label = shape.architecture, signed(shape.input_bits), wires["label"]
    model = packed(_committed(shape, wires))
    box, table = (
        packed([(value, entry) for value in values])
        for values in ([*wires["box_low"], *wires["box_high"]], wires["table"])
    )
    sizes = [a.plain, a.sensitive, shape.slices, shape.input_fraction_bits, shape.input_bits]
    head = [len(model), a.digest, wires["spec_digest"][0], wires["model_blinding"][0]]
    opened = [a.plain, shape.input_bits, len(box), wires["box_blinding"][0]]
    return BoxStatement(
        model_commitment=hashed("equiproof.trees" if shape.additive else "equiproof.model", *head, *model),
        spec_digest=wires["spec_digest"][0],
        domain_digest=hashed("equiproof.domain", *sizes, len(table), *table),
        box_commitment=hashed("equiproof.box", *opened, *box),
        label=(label[0] if len(label) == 1 else sum(number * bit for number, bit in enumerate(label))) % ORDER,
        context_digest=wires["context_digest"][0],
    )


def _committed(shape: Shape, wires: Wires) -> list[tuple[int, Interval]]:
    """Return the numbers of a model with their intervals, in the order of its commitment."""
    if shape.additive:
        return numbers_of(shape, wires) + (nodes_of(shape, wires) if shape.has_nodes else [])
    numbers = []
    for layer, widths in enumerate(zip(shape.architecture.weight_bits, shape.architecture.bias_bits, strict=True), 1):
        for kind, bits in zip(("weights", "biases"), widths, strict=True):
            numbers += [(value, signed(bits)) for value in wires[f"{kind}.{layer}"]]
    return numbers


Lie = Callable[[Wires], None]
"""What changes honest wires."""

Honest = Callable[[], Told]
"""What makes an honest witness."""

LIES: dict[str, tuple[str, Honest, Lie]] = {}
"""By name: the rule that is broken, the honest witness, and the change."""


def lie(rule: str, of: Honest) -> Callable[[Lie], Lie]:
    """Register a change of honest wires as a lie that breaks a rule."""

    def register(change: Lie) -> Lie:
        LIES[change.__name__.replace("_", "-")] = (rule, of, change)
        return change

    return register


def told(name: str) -> Told:
    """Return the witness of a lie."""
    rule, of, change = LIES[name]
    found = replace(of(), rule=rule)
    change(found.wires)
    return found
