"""A kept model's words, what is shown of them and what a link proves, against sums and hashes that are written out."""

import hashlib
import json
import random

import pytest

from equiproof.certify.network import Layer, QuantisedNetwork
from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.commitment import tag
from equiproof.circuits.field import ORDER
from equiproof.circuits.kept import key_element, link_statement, negative_parts, shown, value
from equiproof.circuits.layout import layout, link_segments, segments, word_segments
from equiproof.circuits.link_shape import link_shape
from equiproof.circuits.poseidon2 import hash_elements
from equiproof.circuits.shape import (
    additive_shape,
    box_shape,
    branch_shape,
    fits,
    fits_additive,
    fits_gain,
    gain_shape,
    kept_shape,
    network_box_shape,
    of_boxes,
    traversal_shape,
)
from equiproof.circuits.spec import SpecError
from equiproof.circuits.widths import Interval, signed
from equiproof.prover.witness.model import words
from tests.support import KEPT, LOANS, ROOT, changed

LAYERS = [
    ([(1, -2), (3, -4)], (5, 6)),
    ([(-7, 8), (9, -10)], (11, 12)),
    ([(-13, 14)], (15,)),
]
NETWORK = QuantisedNetwork(tuple(Layer(*layer) for layer in LAYERS), 10, (0,) * 3)
SHAPE = branch_shape(LOANS, (3, 2), 8)


def test_words_are_the_committed_numbers_and_negative_parts():
    """Layer by layer weights and biases; behind all of them the negative parts of hidden layers from 2 up."""
    committed = [1, -2, 3, -4, 5, 6, -7, 8, 9, -10, 11, 12, -13, 14, 15]
    assert words(NETWORK, SHAPE) == [*committed, 7, 0, 0, 10]
    assert negative_parts(LAYERS) == {2: [7, 0, 0, 10]}


def test_a_network_of_one_hidden_layer_has_no_parts():
    """Neither layer 1 nor the logits have negative parts: bounds begin with the rows of deeper layers only."""
    assert negative_parts([LAYERS[0], LAYERS[2]]) == {}
    assert [name for name, _ in layout(kept_shape(branch_shape(LOANS, (3,), 4)))][:5] == [
        *("weights.1", "biases.1", "weights.2", "biases.2"),
        "model_commitment",
    ]


def test_the_value_is_a_polynomial_with_the_commitment_in_front():
    """C r^3 + w_1 r^2 + w_2 r + w_3: 2 * 1000 + 3 * 100 - 5 * 10 + 7 for r = 10."""
    assert value([3, -5, 7], 2, 10) == 2257
    assert value([], 2, 10) == 2
    assert value([-1], 0, 5) == ORDER - 1


def test_other_words_have_another_value():
    """At a random point, a changed word, swapped words and shifted words are seen, also where their sum is the same."""
    rng = random.Random(1)
    r, commitment = rng.randrange(ORDER), rng.randrange(ORDER)
    own = words(NETWORK, SHAPE)
    others = [own[1:] + own[:1], [own[1], own[0], *own[2:]], [own[0] + 1, own[1] - 1, *own[2:]], [0, *own], own[:-1]]
    assert len({value(other, commitment, r) for other in [own, *others]}) == 6
    assert value(own, commitment + 1, r) != value(own, commitment, r)


def test_what_is_shown_is_a_hash():
    """It is hash("equiproof.link", 1, E, y)."""
    assert shown(11, 12) == hash_elements([int.from_bytes(b"equiproof.link", "big"), 1, 11, 12])


def test_the_certificate_key_is_an_element():
    """It is the first 31 bytes of SHA-256 over a tag and the fingerprint."""
    fingerprint = "0123456789abcdef" * 4
    digest = hashlib.sha256(b"equiproof.link.key\x00" + bytes.fromhex(fingerprint)).digest()
    assert key_element(fingerprint) == int.from_bytes(digest[:31], "big")


def test_a_link_proves_a_hash_of_all_its_parts():
    """Its public input is hash("equiproof.link.statement", 1, shape, C, spec, key, r, Y), and each part matters."""
    shape = link_shape(SHAPE)
    parts = [3, 4, 5, 6, 7]
    head = [tag("equiproof.link.statement"), 1, shape.digest]
    assert link_statement(shape, *parts) == hash_elements([*head, *parts])
    other = link_shape(branch_shape(LOANS, (3, 3), 8))
    assert link_statement(other, *parts) != link_statement(shape, *parts)


def test_the_shape_of_a_kept_model_has_one_field_more():
    """Its document says so in one field, its name in one word, and that of the other form is as it was."""
    kept = kept_shape(SHAPE)
    document = json.loads(kept.document)
    assert document.pop("model") == "kept"
    assert document == json.loads(SHAPE.document)
    assert "model" not in json.loads(SHAPE.document)
    assert kept.name.startswith("branch-kept-3+1-3x2-1-s2-k8-")
    assert kept.digest != SHAPE.digest
    assert kept.self_contained == SHAPE
    assert (kept.kept, SHAPE.kept) == (True, False)


def test_one_link_serves_all_of_an_architecture():
    """Schemes, capacities and forms share a link's shape; sizes, widths and the inputs' bits do not."""
    shapes = [SHAPE, kept_shape(SHAPE), branch_shape(LOANS, (3, 2), 64), traversal_shape(LOANS, (3, 2), 8)]
    shapes.append(gain_shape(LOANS, (3, 2), 8))
    assert len({link_shape(shape).digest for shape in shapes}) == 1
    narrow = changed(LOANS, input_bits=12)
    others = [branch_shape(LOANS, (2, 3), 8), branch_shape(narrow, (3, 2), 8)]
    assert len({link_shape(shape).digest for shape in [SHAPE, *others]}) == 3
    assert json.loads(link_shape(SHAPE).document) == {
        "architecture": json.loads(canonical_bytes(SHAPE.architecture)),
        "format": "equiproof-shape",
        "input_bits": LOANS.input_bits,
        "scheme": "link",
        "version": 2,
    }
    assert link_shape(SHAPE).name.startswith("link-3+1-3x2-1-i18-")


def test_boxes_are_not_kept():
    """A box statement has no kept form, and the box shape of a kept one is that of the other form."""
    for shape in (box_shape(LOANS, (2, 1)), network_box_shape(LOANS, (3, 2), 8)):
        with pytest.raises(SpecError, match="self-contained"):
            kept_shape(shape)
    additive = additive_shape(LOANS, (2, 1), 2, 4)
    assert of_boxes(kept_shape(additive), LOANS) == of_boxes(additive, LOANS)


def test_a_kept_shape_follows_from_the_same_spec():
    """What a key fits does not depend on its form."""
    assert fits(kept_shape(SHAPE), LOANS, (3, 2))
    assert not fits(kept_shape(SHAPE), LOANS, (2, 3))
    assert not fits(kept_shape(SHAPE), KEPT, (3, 2))
    assert fits_gain(kept_shape(gain_shape(LOANS, (3, 2), 8)), LOANS, (3, 2))
    assert fits_additive(kept_shape(additive_shape(LOANS, (2, 1), 2, 4)), LOANS, (2, 1))


@pytest.mark.parametrize("make", [branch_shape, traversal_shape, gain_shape])
def test_words_come_first_in_every_relation(make):
    """A kept relation begins with the words, the commitment and the blinding, of any element, in one order."""
    kept = kept_shape(make(LOANS, (3, 2, 2), 8))
    names = [one.name for one in word_segments(kept)]
    assert names == [
        *("weights.1", "biases.1", "weights.2", "biases.2", "weights.3", "biases.3", "weights.4", "biases.4"),
        *("negative_part.2", "negative_part.3"),
    ]
    first = segments(kept)[: len(names) + 3]
    assert [one.name for one in first] == [*names, "model_commitment", "link_blinding", "spec_digest"]
    assert all(interval is None for one in first for interval in one.intervals)
    lengths = [len(one.intervals) for one in word_segments(kept)]
    assert [len(one.intervals) for one in first[: len(names)]] == lengths
    rest = {one.name for one in segments(kept)[len(names) :]}
    assert not any(name.startswith("negative_weight") or name == "model_blinding" for name in rest)


@pytest.mark.parametrize("make", [branch_shape, traversal_shape, gain_shape])
def test_the_other_wires_are_those_of_the_other_form(make):
    """Behind what opens the model nothing changes but for the bits that the parts replace."""
    shape = make(LOANS, (3, 2), 8)
    own = [one for one in segments(shape) if not one.name.startswith("negative_weight")]
    kept = segments(kept_shape(shape))
    assert kept[[one.name for one in kept].index("spec_digest") :] == tuple(own[7:])


def test_a_link_has_the_model_and_what_opens_it():
    """Its wires are the committed numbers with their widths, five elements, and the signs of deeper weights."""
    shape = link_shape(SHAPE)
    assert layout(shape) == (
        *(("weights.1", 12), ("biases.1", 3), ("weights.2", 6), ("biases.2", 2), ("weights.3", 2), ("biases.3", 1)),
        *((name, 1) for name in ("model_blinding", "spec_digest", "key", "link_blinding", "at")),
        ("negative_weight.2", 6),
    )
    assert link_segments(shape)[0].intervals[0] == signed(16)
    assert word_segments(shape)[-1].intervals[0] == Interval(0, 1 << 15)


# -- the vectors, computed once more

VECTORS = json.loads((ROOT / "tests" / "vectors" / "linking.json").read_bytes())


def numbers(case, *names):
    """Return the elements of a vector."""
    return [int(case[name], 16) for name in names]


@pytest.mark.parametrize("case", VECTORS["words"], ids=lambda case: case["name"])
def test_vectors_of_words(case):
    """The value is a sum of powers, and what is shown hashes it."""
    commitment, r, blinding, at, shows = numbers(case, "model_commitment", "r", "link_blinding", "value", "shown")
    coefficients = [commitment, *(int(word, 16) for word in case["words"])]
    assert at == sum(word * pow(r, power, ORDER) for power, word in enumerate(reversed(coefficients))) % ORDER
    assert shows == hash_elements([tag("equiproof.link"), 1, blinding, at])


@pytest.mark.parametrize("case", VECTORS["links"], ids=lambda case: case["name"])
def test_vectors_of_links(case):
    """A link's shape is what is left of its certificates' shape, and the digest has all parts in their order."""
    whole, own = json.loads(case["certificates"]), json.loads(case["shape"])
    assert own == {name: whole[name] for name in ("architecture", "format", "input_bits", "version")} | {
        "scheme": "link"
    }
    parts = numbers(case, "shape_digest", "model_commitment", "spec_digest", "key", "r", "shown")
    assert int(case["digest"], 16) == hash_elements([tag("equiproof.link.statement"), 1, *parts])
    digest = hashlib.sha256(b"equiproof.shape.v2\x00" + case["shape"].encode()).digest()
    assert parts[0] == int.from_bytes(digest[:31], "big")


@pytest.mark.parametrize("case", VECTORS["statements"], ids=lambda case: case["name"])
def test_vectors_of_statements(case):
    """What is shown is the last element."""
    names = ("model_commitment", "spec_digest", "domain_digest", "query_commitment")
    parts = [*numbers(case, *names), case["label"], case["radius_squared"], *numbers(case, "context_digest")]
    parts += [case[name] % ORDER for name in ("least_gain", "logit_fraction_bits") if name in case]
    shape = json.loads(case["shape"])
    head = [tag("equiproof.statement"), 2, tag(shape["scheme"]), int(case["shape_digest"], 16)]
    assert int(case["digest"], 16) == hash_elements([*head, *parts, int(case["shown"], 16)])
