"""An owner who lies: fills any wires, computes the statement that goes with them, and asks the real prover.

The statement is computed from the wires modulo the field's order and without a range check, by code of its own: as the
circuit computes it. So a lie meets the rule that forbids it and does not fail for a digest that does not fit.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from dataclasses import dataclass
from functools import cache, lru_cache

from equiproof.certify.network import QuantisedNetwork
from equiproof.certify.traversal.evidence import Evidence
from equiproof.circuits.commitment import tag
from equiproof.circuits.field import ORDER, to_bytes
from equiproof.circuits.layout import encode, layout
from equiproof.circuits.link_shape import LinkShape
from equiproof.circuits.poseidon2 import hash_elements
from equiproof.circuits.shape import Shape
from equiproof.circuits.statement import GainStatement, Statement, start
from equiproof.ffi import backend
from equiproof.prover.witness.relation import Secrets, fill

Wires = dict[str, list[int]]

SPEC_DIGEST, CONTEXT_DIGEST = 21, 22

FIRST = pow(3, 150, ORDER)
"""The challenge of a kept model's words in tests without keys: any element that the words were fixed before."""


def loosely_packed(values: Iterable[tuple[int, int]]) -> list[int]:
    """Pack (value, width) pairs as the circuit does, values that leave their width included."""
    packed, used = [], 248
    for value, width in values:
        if used + width > 248:
            packed.append(0)
            used = 0
        packed[-1] = (packed[-1] + ((value + (1 << (width - 1))) << used)) % ORDER
        used += width
    return packed


@lru_cache(maxsize=256)
def hashed(name: str, *elements: int) -> int:
    """Hash a tag, the version and elements; kept, since lies about one witness differ in one of three lists."""
    return hash_elements([tag(name), 2, *elements])


def implied(shape: Shape, wires: Wires, first: int = FIRST) -> Statement:
    """Return the statement that these wires open; `first` is the challenge of a kept model's words."""
    a = shape.architecture
    query = loosely_packed((value, shape.input_bits) for value in wires["query"])
    domain = [*wires["table"], *wires["range_low"], *wires["range_high"]] if shape.ranges else wires["table"]
    table = loosely_packed((value, shape.input_bits) for value in domain)
    (spec,), (query_blinding,) = (wires[name] for name in ("spec_digest", "query_blinding"))
    sizes = [a.plain, a.sensitive, shape.slices, shape.input_fraction_bits, shape.input_bits]
    name = "equiproof.domain.ranges" if shape.ranges else "equiproof.domain"
    label = wires["label"]
    gain = {name: wires[name][0] % ORDER for name in ("least_gain", "logit_fraction_bits") if shape.gains}
    index = label[0] if len(label) == 1 else sum(number * bit for number, bit in enumerate(label))
    return (GainStatement if shape.gains else Statement)(
        model_commitment=wires["model_commitment"][0] % ORDER if shape.kept else commitment_of(shape, wires),
        spec_digest=spec % ORDER,
        domain_digest=hashed(name, *sizes, len(table), *table),
        query_commitment=hashed("equiproof.query", a.plain, shape.input_bits, len(query), query_blinding, *query),
        label=index % ORDER,
        radius_squared=wires["radius_squared"][0] % ORDER,
        context_digest=wires["context_digest"][0] % ORDER,
        shown=shown_by(shape, wires, first) if shape.kept else None,
        **gain,
    )


def commitment_of(shape: Shape | LinkShape, wires: Wires) -> int:
    """Return the commitment that these wires of a network open."""
    a = shape.architecture
    numbers = []
    for number, width in enumerate(a.bias_bits, start=1):
        numbers += [(weight, a.weight_bits[number - 1]) for weight in wires[f"weights.{number}"]]
        numbers += [(bias, width) for bias in wires[f"biases.{number}"]]
    network = loosely_packed(numbers)
    (spec,), (blinding,) = wires["spec_digest"], wires["model_blinding"]
    return hashed("equiproof.model", len(network), a.digest, spec, blinding, *network)


def shown_by(shape: Shape, wires: Wires, r: int = FIRST) -> int:
    """Return what the certificate of a kept model shows: its words are the wires before the model commitment."""
    names = [name for name, _ in layout(shape)]
    words = [word for name in names[: names.index("model_commitment")] for word in wires[name]]
    return shown_of(words, wires["link_blinding"][0], wires["model_commitment"][0], r)


def shown_of(words: Iterable[int], blinding: int, commitment: int, r: int) -> int:
    """Return what is shown of words, whatever they are."""
    power, total = 1, 0
    for word in reversed([commitment, *words]):
        total, power = (total + word * power) % ORDER, power * r % ORDER
    return hash_elements([tag("equiproof.link"), 1, blinding, total])


@cache
def continued(state: int, *elements: int) -> int:
    """Return the hash of elements behind others."""
    return hash_elements(elements, state)


def opened_digest(shape: Shape, wires: Wires) -> int:
    """Return the digest of the statement that wires open, whatever they hold."""
    return continued(start(shape), *implied(shape, wires).elements())


def filled(
    shape: Shape,
    network: QuantisedNetwork,
    query: Iterable[int],
    table: Iterable[Iterable[int]],
    evidence: Evidence,
    **digests: int,
) -> Wires:
    """Fill wires as the honest prover does; they are the caller's to change."""
    given = {"spec_digest": SPEC_DIGEST, "context_digest": CONTEXT_DIGEST} | digests
    statement = Statement(0, given["spec_digest"], 0, 0, 0, 0, given["context_digest"])
    secrets = Secrets(
        network,
        given.get("model_blinding", 23),
        tuple(query),
        given.get("query_blinding", 24),
        tuple(map(tuple, table)),
        box=None,
    )
    return deepcopy(fill(shape, statement, secrets, evidence))


@dataclass(frozen=True)
class CheatingOwner:
    """A loaded proving key in the hands of somebody who writes whatever wires he likes."""

    shape: Shape
    native: backend.ProvingKey

    def wires(
        self,
        network: QuantisedNetwork,
        query: Iterable[int],
        table: Iterable[Iterable[int]],
        evidence: Evidence,
        **digests: int,
    ) -> Wires:
        """Return wires of the own shape; see :func:`filled`."""
        return filled(self.shape, network, query, table, evidence, **digests)

    def witness(self, wires: Wires, digest: int | None = None) -> bytes:
        """Write wires behind the digest of the statement that they open, or behind another one."""
        if digest is None:
            digest = opened_digest(self.shape, wires)
        return encode(self.shape, digest, [wires[name] for name, _ in layout(self.shape)])

    def prove(self, wires: Wires, digest: int | None = None) -> bytes:
        """Ask the real prover; raises UnsatisfiedError where the lie breaks a rule."""
        return self.native.prove(self.witness(wires, digest))


def holds(verifying: bytes, digest: int, proof: bytes) -> None:
    """Ask the real verifier about a bare statement digest; raises RefusedError."""
    with backend.VerifyingKey(verifying) as verifier:
        verifier.verify(to_bytes(digest), proof)
