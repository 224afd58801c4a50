"""Tiny seeded cases as filled witnesses, lies about them, and the verdicts of circuit and reference."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property

from equiproof.certify.traversal.evidence import Evidence
from equiproof.certify.traversal.search import Counterexample, search
from equiproof.circuits import reference
from equiproof.circuits.commitment import tag
from equiproof.circuits.field import ORDER, to_bytes
from equiproof.circuits.layout import encode, layout
from equiproof.circuits.link_shape import LinkShape
from equiproof.circuits.poseidon2 import hash_elements
from equiproof.circuits.proof_systems import DEFAULT_PROOF_SYSTEM, ProofSystem
from equiproof.circuits.schemes import scheme_of
from equiproof.circuits.shape import FORMAT, VERSION, Architecture, Shape
from equiproof.circuits.statement import Statement
from equiproof.circuits.subcircuit import SubCircuit
from equiproof.ffi import backend
from equiproof.ffi.errors import UnsatisfiedError
from equiproof.prover.witness.relation import Secrets, fill
from equiproof.prover.witness.subcircuit import TraversalPlaces
from tests.certify.tiny import Case, tiny
from tests.soundness.cheating_owner import FIRST, SPEC_DIGEST, implied, opened_digest
from tests.soundness.kept_case import linked_digest

INPUT_BITS, RADIUS_BITS = 8, 12
HIDDEN = ((1,), (2,), (3,), (1, 1), (2, 1), (1, 2), (2, 2), (1, 1, 1))


@dataclass(frozen=True)
class Filled:
    """A case with the evidence of its search, and the wires of its relation."""

    case: Case
    shape: Shape
    secrets: Secrets
    evidence: Evidence
    statement: Statement
    wires: dict[str, list[int]]

    def alone(self, circuit: SubCircuit, row: int, blinding: int = 99) -> dict[str, list[int]]:
        """Return the wires of a sub-circuit at one row."""
        return self.searched.values(circuit, row, blinding)

    @cached_property
    def searched(self) -> TraversalPlaces:
        """The same as the prover holds it."""
        return TraversalPlaces(self.shape, self.statement, self.secrets, self.evidence)


def shape_of(case: Case, capacity: int, weight_bits: int = 16) -> Shape:
    """Return the shape of a case: 8-bit inputs, biases as wide as a layer's largest sum of products."""
    network, sensitive = case.network, len(case.table[0])
    largest, bias_bits = 1 << (INPUT_BITS - 1), []
    for layer in network.layers:
        products = len(layer.weights[0]) * largest << (weight_bits - 1)
        bias_bits.append(products.bit_length() + 1)
        largest = 2 * products
    architecture = Architecture(
        plain=case.columns,
        sensitive=sensitive,
        hidden=network.hidden,
        logits=network.logit_count,
        weight_bits=(weight_bits,) * len(network.layers),
        bias_bits=tuple(bias_bits),
    )
    return Shape(
        format=FORMAT,
        version=VERSION,
        scheme="traversal",
        architecture=architecture,
        slices=len(case.table),
        input_bits=INPUT_BITS,
        input_fraction_bits=1,
        radius_bits=RADIUS_BITS,
        capacity=capacity,
    )


@cache
def filled(seed: int) -> Filled:
    """Return the first case from a seed on whose label is strict on every slice, with the largest radius that fits."""
    while True:
        case = tiny(seed, shapes=HIDDEN)
        found = search(case.network, case.query, case.table, max_radius_squared=(1 << RADIUS_BITS) - 1, max_regions=64)
        if not isinstance(found, Counterexample):
            return _filled(case, found.evidence_within(_capacity(case, seed)), _capacity(case, seed))
        seed += 1_000_003


def _capacity(case: Case, seed: int) -> int:
    """Return room for the centres, or for two or four times as many rows."""
    return 1 << (len(case.table) - 1).bit_length() + seed % 3


def _filled(case: Case, evidence: Evidence, capacity: int) -> Filled:
    shape = shape_of(case, capacity)
    secrets = Secrets(case.network, 5, case.query, 6, case.table, case.box)
    blank = Statement(0, SPEC_DIGEST, 0, 0, evidence.label, evidence.radius_squared, 22)
    wires = fill(shape, blank, secrets, evidence)
    return Filled(case, shape, secrets, evidence, implied(shape, wires), wires)


def with_radius(of: Filled, radius: int) -> Filled:
    """Return the same regions with another radius stated."""
    evidence = Evidence(of.evidence.label, radius, of.evidence.regions)
    return _filled(of.case, evidence, of.shape.capacity)


_checkers: dict[tuple[bytes, ProofSystem], backend.Checker] = {}


def checker(document: bytes, proof_system: ProofSystem = DEFAULT_PROOF_SYSTEM) -> backend.Checker:
    """Return the compiled circuit of a document; kept, since many witnesses are held to the same few."""
    if (document, proof_system) not in _checkers:
        _checkers[document, proof_system] = backend.Checker(document, proof_system)
    return _checkers[document, proof_system]


def free_checkers() -> None:
    """Free the compiled circuits."""
    while _checkers:
        _checkers.popitem()[1].close()


def instance_digest(circuit: SubCircuit, wires: dict[str, list[int]]) -> int:
    """Return the digest of a sub-circuit's instance as the circuit computes it, whatever the values."""
    pairs = [pair for segment in circuit.instance for pair in zip(wires[segment.name], segment.intervals, strict=True)]
    packed, used = [], 248
    for value, interval in pairs:
        if interval is None:
            continue
        if used + interval.bits > 248:
            packed.append(0)
            used = 0
        packed[-1] = (packed[-1] + ((value - interval.low) << used)) % ORDER
        used += interval.bits
    elements = [value % ORDER for value, interval in pairs if interval is None]
    head = [tag("equiproof.circuit"), 2, tag(circuit.gadget), circuit.shape.digest, len(packed)]
    return hash_elements([*head, *elements, *packed])


def circuit_accepts(
    circuit: Shape | LinkShape | SubCircuit,
    digest: int,
    wires: dict[str, list[int]],
    proof_system: ProofSystem = DEFAULT_PROOF_SYSTEM,
) -> bool:
    """Tell whether the compiled circuit, in the form of a proof system, is satisfied; of a kept model, at FIRST."""
    alone = isinstance(circuit, SubCircuit)
    names = [segment.name for segment in circuit.segments] if alone else [name for name, _ in layout(circuit)]
    witness = encode(circuit, digest, [wires[name] for name in names])
    native = checker(circuit.document, proof_system)
    try:
        if keeps(circuit):
            native.check_kept(witness, to_bytes(FIRST))
        else:
            native.check(witness)
    except UnsatisfiedError:
        return False
    return True


def keeps(circuit: Shape | LinkShape | SubCircuit) -> bool:
    """Tell whether a circuit is that of a kept model's certificates."""
    return isinstance(circuit, Shape) and circuit.kept


def broken_rule(circuit: Shape | LinkShape | SubCircuit, digest: int, wires: dict[str, list[int]]) -> str | None:
    """Return the rule by which the reference refuses wires, None where it accepts them."""
    judge = reference.check if isinstance(circuit, SubCircuit) else _relation(circuit)
    try:
        judge(circuit, digest, wires, *([FIRST] if keeps(circuit) else []))
    except reference.RuleError as error:
        return error.rule
    return None


def _relation(shape: Shape | LinkShape) -> Callable[..., None]:
    """Return the reference of a shape's relation."""
    if isinstance(shape, LinkShape):
        return reference.link
    if shape.boxes:
        return reference.box
    return reference.gain if shape.gains else getattr(reference, scheme_of(shape.scheme))


def verdict(circuit: Shape | LinkShape | SubCircuit, digest: int, wires: dict[str, list[int]]) -> str | None:
    """Return the reference's verdict, which must be the circuit's."""
    rule = broken_rule(circuit, digest, wires)
    assert circuit_accepts(circuit, digest, wires) == (rule is None), (circuit, digest, wires, rule)
    return rule


def digest_of(circuit: Shape | LinkShape | SubCircuit, wires: dict[str, list[int]]) -> int:
    """Return the public input that goes with wires, whatever they hold."""
    if isinstance(circuit, LinkShape):
        return linked_digest(circuit, wires)
    if isinstance(circuit, Shape):
        return opened_digest(circuit, wires)
    return instance_digest(circuit, wires)


def altered(wires: dict[str, list[int]], name: str, number: int, value: int) -> dict[str, list[int]]:
    """Return wires with one of them set."""
    values = list(wires[name])
    values[number] = value
    return {**wires, name: values}
