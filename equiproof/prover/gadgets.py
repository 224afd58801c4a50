"""The list of sub-circuits and what a proof of one says, as JSON documents. No package of the search is needed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import msgspec

from equiproof.circuits.layer_widths import bias_widths
from equiproof.circuits.rules import EVERY_RULE
from equiproof.circuits.schemes import DEFAULT_SCHEME, Scheme
from equiproof.circuits.shape import FORMAT, VERSION, Architecture, Shape
from equiproof.circuits.spec import JUMP_BITS, SCORE_BIAS_BITS
from equiproof.circuits.subcircuit import GADGETS, gadget_scheme, subcircuit
from equiproof.ffi import backend

if TYPE_CHECKING:
    from equiproof.prover.subcircuits import SubProofDocument

EXAMPLE = "18 plain and 2 sensitive columns, hidden layers 4,2, one logit, 2 slices, capacity 32"
"""The shape of networks at which the list counts constraints, in words."""

SCORE_EXAMPLE = "40 and 2 predicates, 20 trees of 120 nodes in all, 40 slots, 80 rows, capacity 8"
"""The shape of ensembles at which the list counts constraints of scheme `trees`, in words; columns are the same."""


def listing() -> dict[str, Any]:
    """Return every sub-circuit with the rules that it alone proves, and its constraints at the example shape."""
    circuits = []
    for name in GADGETS:
        scheme = gadget_scheme(name)
        own = own_rules(name)
        circuit = subcircuit(name, _example(scheme or DEFAULT_SCHEME))
        circuits.append(
            {
                "name": name,
                "schemes": [scheme] if scheme else list(get_args(Scheme)),
                "rules": list(own),
                "says": list(own.values()),
                "constraints": backend.describe(circuit.document).constraints,
            }
        )
    return {"example": EXAMPLE, "score_example": SCORE_EXAMPLE, "circuits": circuits}


def own_rules(name: str) -> dict[str, str]:
    """Return the rules that a gadget proves, with their sentences; not those that every gadget proves."""
    return {rule: at.says(name) for rule, at in EVERY_RULE.items() if name in at.circuits and at.circuits != GADGETS}


def describe_proof(proof: SubProofDocument) -> dict[str, Any]:
    """Return what a proof says: the gadget, its own rules with their sentences, and the digest."""
    name = proof.circuit.gadget
    return {"circuit": name, "rules": own_rules(name), "digest": proof.digest}


def _example(scheme: Scheme) -> Shape:
    """Return the shape of a scheme at which the list counts."""
    bits = 18
    hidden = (4, 2)
    logits = 1
    weights = (16, 16, 16)
    network = Architecture(
        plain=18,
        sensitive=2,
        hidden=hidden,
        logits=logits,
        weight_bits=weights,
        bias_bits=bias_widths(20, bits, (*hidden, logits), weights),
    )
    ensemble = Architecture(18, 2, (), 1, (JUMP_BITS,), (SCORE_BIAS_BITS,), predicates=(40, 2), nodes=(20, 120))
    shape = Shape(
        format=FORMAT,
        version=VERSION,
        scheme=scheme,
        architecture=network,
        slices=2,
        input_bits=bits,
        input_fraction_bits=10,
        radius_bits=29,
        capacity=32,
    )
    if scheme == "trees":
        return msgspec.structs.replace(shape, architecture=ensemble, capacity=8, slots=40, rows=80)
    return shape
