"""The list of sub-circuits and what a proof of one says, as JSON documents. No package of the search is needed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import msgspec

from equiproof.circuits.categories import Choice
from equiproof.circuits.layer_widths import bias_widths
from equiproof.circuits.rules import own_rules
from equiproof.circuits.schemes import DEFAULT_SCHEME, Scheme
from equiproof.circuits.shape import FORMAT, VERSION, Architecture, Shape
from equiproof.circuits.spec import JUMP_BITS, SCORE_BIAS_BITS
from equiproof.circuits.subcircuit import GADGETS, Subject, gadget_scheme, gadget_subjects, subcircuit
from equiproof.ffi import backend

if TYPE_CHECKING:
    from equiproof.prover.subcircuits import SubProofDocument

EXAMPLE = "18 plain and 2 sensitive columns, hidden layers 4,2, one logit, 2 slices, capacity 32"
"""The shape of networks at which the list counts constraints, in words."""

BOX_EXAMPLE = "the same, and a category of 4 values in additive models and networks"
"""The shapes of boxes at which the list counts constraints, in words."""

SCORE_EXAMPLE = "40 and 2 predicates, 20 trees of 120 nodes in all, 40 slots, 80 rows, capacity 8"
"""The shape of ensembles at which the list counts constraints of scheme `trees`, in words; columns are the same."""


def listing() -> dict[str, Any]:
    """Return every sub-circuit with the rules that it alone proves, and its constraints at the example shape.

    Those of statements about boxes have a list of their own.
    """
    return {
        "example": EXAMPLE,
        "score_example": SCORE_EXAMPLE,
        "circuits": _listed("ball"),
        "box_example": BOX_EXAMPLE,
        "box_circuits": _listed("box"),
    }


def _listed(subject: Subject) -> list[dict[str, Any]]:
    """Return the sub-circuits of statements about balls, or about boxes."""
    circuits = []
    for name in (name for name in GADGETS if subject in gadget_subjects(name)):
        scheme = gadget_scheme(name)
        own = own_rules(name, of_box=subject == "box")
        shape = _box_example(name) if subject == "box" else _example(scheme or DEFAULT_SCHEME)
        every = get_args(Scheme) if subject == "ball" else ("branch", "trees")
        circuits.append(
            {
                "name": name,
                "schemes": [scheme] if scheme else list(every),
                "rules": list(own),
                "says": list(own.values()),
                "constraints": backend.describe(subcircuit(name, shape).document).constraints,
            }
        )
    return circuits


def describe_proof(proof: SubProofDocument) -> dict[str, Any]:
    """Return what a proof says: the gadget, its own rules with their sentences, and the digest."""
    name = proof.circuit.gadget
    rules = own_rules(name, of_box=proof.circuit.shape.boxes)
    return {"circuit": name, "rules": rules, "digest": proof.digest}


def _box_example(name: str) -> Shape:
    """Return the shape of boxes at which the list counts a gadget: `levels` and `gains` are of additive models."""
    scores = gadget_scheme(name) == "trees"
    shape, category = _example("trees" if scores else "branch"), (Choice(first=0, values=4, low=0, high=1448),)
    if not scores:
        return msgspec.structs.replace(shape, scheme="branch-box", one_hot=category)
    if name not in ("levels", "gains"):
        return msgspec.structs.replace(shape, scheme="trees-box")
    architecture = msgspec.structs.replace(shape.architecture, nodes=msgspec.UNSET)
    return msgspec.structs.replace(
        shape, scheme="additive-box", architecture=architecture, capacity=1, one_hot=category, slots=msgspec.UNSET,
        rows=msgspec.UNSET,
    )  # fmt: skip


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
