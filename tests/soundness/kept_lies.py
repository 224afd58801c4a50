"""Lies about kept models: certificates of words that are not the committed ones, each with a witness of its own.

A certificate's circuit takes words as they stand, so it accepts these. What refuses them is the link: no wires open the
stated commitment and are shown as the certificate's words are. A lie has the certificate's wires, and the numbers that
the stated commitment was made of.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise

from equiproof.certify.network import Layer, QuantisedNetwork
from equiproof.circuits.link_shape import LinkShape, link_shape
from equiproof.circuits.poseidon2 import hash_elements
from tests.circuits.tiny_cases import tag
from tests.soundness import additive_lies, trees_told
from tests.soundness.additive_told import Told
from tests.soundness.branch_case import Lie, lie_of, proven, tell
from tests.soundness.branch_lies import bound_by_a_part_below_0
from tests.soundness.cheating_owner import FIRST, Wires, shown_by
from tests.soundness.composed import one_layer, two_layers
from tests.soundness.composed_lies import net
from tests.soundness.kept_case import KEY, kept_form, link_wires, opened_commitment, words_of


@dataclass(frozen=True)
class Pair:
    """A certificate about words of the owner's choice, and the model that its stated commitment opens to.

    `told` is the witness of the certificate's words in the form that opens its model, `committed` the numbers that the
    commitment was made of where they are others, `parts` the words that do not follow from the told numbers.
    """

    told: Lie | Told
    committed: Mapping[str, list[int]] = field(default_factory=dict)
    parts: Mapping[str, list[int]] = field(default_factory=dict)

    @property
    def opening(self) -> Wires:
        """The wires that open the stated commitment."""
        return {**self.told.wires, **self.committed}

    @property
    def commitment(self) -> int:
        """The stated commitment."""
        return opened_commitment(self.told.shape, self.opening)

    @property
    def certificate(self) -> Lie | Told:
        """The kept form, about the told words, under the stated commitment."""
        kept = kept_form(self.told)
        return replace(kept, wires={**kept.wires, **self.parts, "model_commitment": [self.commitment]})

    @property
    def links(self) -> dict[str, Wires]:
        """The wires of the links that the owner could try: of the committed words, and of the told ones."""
        return {
            "committed": link_wires(self.told.shape, self.opening),
            "told": link_wires(self.told.shape, self.told.wires),
        }

    @property
    def link_shape(self) -> LinkShape:
        """The shape of the links."""
        return link_shape(self.told.shape)

    @property
    def link_digest(self) -> int:
        """The public input that a verifier of the certificate asks a link to prove, at the certificate's challenge."""
        kept = self.certificate
        shown = shown_by(kept.shape, kept.wires)
        return digest_of_link(self.link_shape, self.commitment, kept.wires["spec_digest"][0], shown)

    @property
    def is_false(self) -> bool:
        """Whether the statement is false of the committed network."""
        assert isinstance(self.told, Lie)
        network = _network(self.told.shape.architecture.layers, self.opening)
        return replace(self.told, case=replace(self.told.case, network=network)).is_false


def digest_of_link(shape: LinkShape, commitment: int, spec: int, shown: int, key: int = KEY, r: int = FIRST) -> int:
    """Return the public input of a link."""
    head = [tag("equiproof.link.statement"), 1, shape.digest]
    return hash_elements([*head, commitment, spec, key, r, shown])


def _network(layers: tuple[tuple[int, int], ...], wires: Wires) -> QuantisedNetwork:
    """Return the network that wires hold."""
    found = []
    for number, (outputs, inputs) in enumerate(layers, start=1):
        weights = wires[f"weights.{number}"]
        cuts = pairwise(range(0, inputs * outputs + 1, inputs))
        found.append(Layer(tuple(tuple(weights[a:b]) for a, b in cuts), tuple(wires[f"biases.{number}"])))
    return QuantisedNetwork(tuple(found), 10, (0,) * len(found))


def another_network() -> Pair:
    """The committed model decides by the sensitive column: 10 - relu(x + 45 s). Certified is 10 - relu(x)."""
    return Pair(one_layer(), {"weights.1": [1, 45, 1, 0, 1, 0]})


def another_word() -> Pair:
    """One weight of the logit is another one: the committed model is 10 - 2 relu(x)."""
    return Pair(one_layer(), {"weights.2": [-2, 0, 0]})


def another_bias() -> Pair:
    """Certified is 10 - relu(x), committed 1 - relu(x)."""
    return Pair(one_layer(), {"biases.2": [1]})


def words_swapped() -> Pair:
    """The logit's bias and weight have changed places: the committed model is -1 + 10 relu(x)."""
    return Pair(one_layer(), {"weights.2": [10, 0, 0], "biases.2": [-1]})


def words_shifted() -> Pair:
    """All numbers of layer 1 stand one place further: the committed neurons are 0, x + s and s."""
    told = one_layer()
    words = [*told.wires["weights.1"], *told.wires["biases.1"]]
    shifted = [words[-1], *words[:-1]]
    return Pair(told, {"weights.1": shifted[:6], "biases.1": shifted[6:]})


def sum_kept() -> Pair:
    """Where s is 1 on all slices, a sensitive weight and a bias are seen as their sum: one more, and one less."""
    case = net((1, 1), (((1, 0), (1, 0), (1, 0)), (0, 100, 0)), (((-1, 0, 0),), (10,)))
    return Pair(lie_of(case, proven(case, reach=9)), {"weights.1": [1, 1, 1, 0, 1, 0], "biases.1": [-1, 100, 0]})


def _unseen_word() -> Lie:
    """Return a witness in which a sensitive weight, 2^20, is of no width; no slice has anything but 0 there."""
    case = net((0, 0), (((1, 0), (1, 0), (1, 1 << 20)), (0, 100, 0)), (((-1, 0, 0),), (10,)))
    return lie_of(case, proven(case, reach=9))


def word_of_no_width() -> Pair:
    """Certified is a weight of 2^20 where 16 bits are due, committed is 0."""
    return Pair(_unseen_word(), {"weights.1": [1, 0, 1, 0, 1, 0]})


def word_of_no_width_in_both() -> Pair:
    """The commitment was made of 2^20, too, which spills into the number behind it."""
    return Pair(_unseen_word())


def parts_of_another_weight() -> Pair:
    """A weight of 1 has the parts 0 and -1: layer 2 is bounded by 0, and the certified 11 - relu(x) never falls."""
    told = tell(bound_by_a_part_below_0)
    return Pair(told, parts={"negative_part.2": [-1, 0, 0, 0, 0, 0]})


def parts_that_are_both_too_large() -> Pair:
    """A weight of 0 has the parts 1 and 1: no harm, and no words of the model."""
    told = two_layers()
    at = told.wires["weights.2"].index(0)
    return Pair(told, parts={"negative_part.2": [int(place == at) for place in range(6)]})


def another_jump() -> Pair:
    """A jump of the committed additive model is larger by one."""
    told = additive_lies.honest()
    return Pair(told, {"jumps": [told.wires["jumps"][0] + 1, *told.wires["jumps"][1:]]})


def another_threshold() -> Pair:
    """So is a threshold."""
    told = additive_lies.honest()
    return Pair(told, {"thresholds": [*told.wires["thresholds"][:-1], told.wires["thresholds"][-1] + 1]})


def jumps_swapped() -> Pair:
    """Two jumps have changed places: their sum is the same."""
    told = additive_lies.honest()
    one, other, *rest = told.wires["jumps"]
    assert one != other
    return Pair(told, {"jumps": [other, one, *rest]})


def another_value() -> Pair:
    """A leaf's value of the committed ensemble is larger by one."""
    told = trees_told.honest()
    return Pair(told, {"node_value": [told.wires["node_value"][0] + 1, *told.wires["node_value"][1:]]})


def place_of_another_node() -> Pair:
    """Both children of a node have changed places, and all that follows from that is as it should be."""
    told = trees_told.ample()
    places, node = words_of(told.shape, told.wires)["node_child"], 3
    low, high = places[2 * node], places[2 * node + 1]
    references = [told.wires[name] for name in ("low_reference", "high_reference")]
    references[0][node], references[1][node] = references[1][node], references[0][node]
    trees_told.again(told, "rows")
    return Pair(told, parts={"node_child": [*places[: 2 * node], high, low, *places[2 * node + 2 :]]})


def tree_without_its_root() -> Pair:
    """A child's place is that of a node of another tree: one subtree is counted twice, another one never."""
    told = trees_told.ample()
    places, trees = words_of(told.shape, told.wires)["node_child"], told.shape.architecture.node_counts[0]
    at, other = (number for number, place in enumerate(places) if place in (trees, trees + 1))
    references = [told.wires[f"{('low', 'high')[number % 2]}_reference"] for number in (at, other)]
    references[0][at // 2] = references[1][other // 2]
    trees_told.again(told, "rows")
    places[at] = places[other]
    return Pair(told, parts={"node_child": places})


FALSE: dict[Callable[[], Pair], str] = {
    another_network: "R-L-SHOWN",
    another_word: "R-L-SHOWN",
    another_bias: "R-L-SHOWN",
    words_swapped: "R-L-SHOWN",
    parts_of_another_weight: "R-L-SHOWN",
}
"""Lies that the certificate's circuit accepts, false of the committed model, and the rule that their link breaks."""

UNTRUE: dict[Callable[[], Pair], str] = {
    words_shifted: "R-L-SHOWN",
    sum_kept: "R-L-SHOWN",
    parts_that_are_both_too_large: "R-L-SHOWN",
    word_of_no_width: "R-L-RANGE",
    word_of_no_width_in_both: "R-L-RANGE",
    another_jump: "R-L-SHOWN",
    another_threshold: "R-L-SHOWN",
    jumps_swapped: "R-L-SHOWN",
    another_value: "R-L-SHOWN",
    place_of_another_node: "R-L-SHOWN",
    tree_without_its_root: "R-L-SHOWN",
}
"""Lies whose statement happens to be true, or is of no numbers."""
