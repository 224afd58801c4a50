"""Limits of what documents hold, at the limit and one beyond."""

import json
from typing import get_args

import msgspec
import pytest
from msgspec import UNSET

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.categories import MAX_SETS, Category
from equiproof.circuits.shape import additive_shape, box_shape, branch_shape, ensemble_shape, gain_shape
from equiproof.circuits.spec import JUMP_BITS, SCORE_BIAS_BITS
from equiproof.verifier import CertificateFormatError
from equiproof.verifier.documents import (
    SetupKind,
    check_shape,
    parse_commitment,
    parse_context,
    parse_key,
    parse_query,
)
from tests.support import LOANS, ROOT, changed

GOLDEN = ROOT / "tests" / "golden"
DATA = (GOLDEN / "loans" / "keys" / "key" / "key.json").read_bytes()


@pytest.mark.parametrize(("number", "right"), [(0, False), (1, True), (64, True), (65, False)])
def test_a_network_has_64_layers_at_most(number, right):
    """More are refused, whatever their sizes."""
    shape = parse_key(DATA, "key").shape
    architecture = msgspec.structs.replace(shape.architecture, hidden=(1,) * number)
    with pytest.raises(CertificateFormatError) as caught:  # the other fields fit no such network
        check_shape(msgspec.structs.replace(shape, architecture=architecture), "key")
    assert (f"{number} layers, want 1 to 64" in str(caught.value)) != right


@pytest.mark.parametrize(
    ("tools", "right"),
    [
        ({"a": ""}, True),
        ({"a" * 64: "1" * 128}, True),
        ({"": "1"}, False),
        ({"a" * 65: "1"}, False),
        ({"a": "1" * 129}, False),
        ({str(at): "1" for at in range(16)}, True),
        ({str(at): "1" for at in range(17)}, False),
    ],
)
def test_versions_of_software_are_short(tools, right):
    """They are no place for text of somebody else's."""
    data = canonical_bytes(json.loads(DATA) | {"tools": tools})
    if right:
        assert parse_key(data, "key").tools == tools
    else:
        with pytest.raises(CertificateFormatError, match="key"):
            parse_key(data, "key")


NETWORK, GAIN = branch_shape(LOANS, (3, 2), 8), gain_shape(LOANS, (3, 2), 8)
ADDITIVE, TREES = additive_shape(LOANS, (12, 2), 8, 16), ensemble_shape(LOANS, (6, 1), (5, 14), 6, 12, 8)
BOX = box_shape(LOANS, (12, 2))
SETS = (Category(0, 2, 0, 1, 3),)


def reshaped(shape, fields):
    """Return a shape with fields changed, those of its architecture too."""
    inner = {name.partition(".")[2]: value for name, value in fields.items() if "." in name}
    outer = {name: value for name, value in fields.items() if "." not in name}
    return changed(shape, architecture=changed(shape.architecture, **inner), **outer)


@pytest.mark.parametrize(
    ("shape", "fields", "named"),
    [
        (NETWORK, {"architecture.predicates": (1, 1)}, "architecture.predicates"),
        (NETWORK, {"slots": 1}, "slots"),
        (NETWORK, {"architecture.nodes": (1, 1)}, "architecture.nodes"),
        (NETWORK, {"rows": 1}, "rows"),
        (NETWORK, {"one_hot": ()}, "one_hot"),
        (NETWORK, {"architecture.missing": True}, "architecture.missing"),
        (NETWORK, {"architecture.categories": SETS}, "architecture.categories"),
        (NETWORK, {"architecture.hidden": ()}, "architecture.hidden"),
        (NETWORK, {"architecture.hidden": (1,) * 65}, "architecture.hidden"),
        (NETWORK, {"architecture.hidden": (3, 0)}, "architecture.hidden"),
        (NETWORK, {"architecture.hidden": (4096, 1)}, "architecture.hidden"),
        (NETWORK, {"architecture.bias_bits": (20, 30)}, "architecture.bias_bits"),
        (GAIN, {"architecture.hidden": (2048, 1)}, "architecture.hidden"),
        (GAIN, {"slices": 3}, "slices"),
        (ADDITIVE, {"architecture.predicates": UNSET}, "architecture.predicates"),
        (ADDITIVE, {"slots": UNSET}, "slots"),
        (BOX, {"slots": 1}, "slots"),
        (ADDITIVE, {"one_hot": ()}, "one_hot"),
        (ADDITIVE, {"architecture.nodes": (1, 1)}, "architecture.nodes"),
        (TREES, {"architecture.nodes": UNSET}, "architecture.nodes"),
        (ADDITIVE, {"rows": 1}, "rows"),
        (TREES, {"rows": UNSET}, "rows"),
        (TREES, {"architecture.missing": False}, "architecture.missing"),
        (ADDITIVE, {"architecture.categories": SETS}, "architecture.categories"),
        (TREES, {"architecture.categories": (Category(0, 2, 0, 1, 0),)}, "architecture.categories"),
        (TREES, {"architecture.categories": (Category(0, 2, 0, 1, MAX_SETS + 1),)}, "architecture.categories"),
        (ADDITIVE, {"architecture.hidden": (1,)}, "architecture.hidden"),
        (ADDITIVE, {"architecture.logits": 2}, "architecture.logits"),
        (ADDITIVE, {"architecture.weight_bits": (JUMP_BITS + 1,)}, "architecture.weight_bits"),
        (ADDITIVE, {"architecture.bias_bits": (SCORE_BIAS_BITS - 1,)}, "architecture.bias_bits"),
        (ADDITIVE, {"architecture.predicates": (0, 2)}, "architecture.predicates"),
        (ADDITIVE, {"architecture.predicates": (12, -1)}, "architecture.predicates"),
        (ADDITIVE, {"architecture.predicates": (4096, 1)}, "architecture.predicates"),
        (ADDITIVE, {"slots": 0}, "slots"),
        (ADDITIVE, {"slots": 13}, "slots"),
        (ADDITIVE, {"capacity": 0}, "capacity"),
        (ADDITIVE, {"capacity": 12}, "capacity"),
        (TREES, {"architecture.nodes": (0, 14)}, "architecture.nodes"),
        (TREES, {"architecture.nodes": (15, 14)}, "architecture.nodes"),
        (TREES, {"architecture.nodes": (4097, 4097)}, "architecture.nodes"),
        (TREES, {"architecture.nodes": (5, 65537)}, "architecture.nodes"),
        (TREES, {"rows": 0}, "rows"),
        (TREES, {"rows": 15}, "rows"),
        (TREES, {"passed": 3}, "passed"),
        (ADDITIVE, {"passed": 3}, "passed"),
    ],
)  # fmt: skip
def test_a_shape_that_no_circuit_has_is_refused_by_its_field(shape, fields, named):
    """One field is wrong in each, and it is named with the document that it stands in."""
    check_shape(shape, "key")
    with pytest.raises(CertificateFormatError) as caught:
        check_shape(reshaped(shape, fields), "key")
    assert str(caught.value).startswith(f"key: field shape.{named}: ")
    assert caught.value.reason == "bad-shape"


@pytest.mark.parametrize(
    ("shape", "fields", "refusal"),
    [
        (ADDITIVE, {"architecture.nodes": (1, 1)}, "architecture.nodes: not a field of additive"),
        (ADDITIVE, {"rows": 1}, "rows: not a field of additive"),
        (TREES, {"architecture.nodes": UNSET}, "architecture.nodes: missing, shapes of trees have it"),
        (TREES, {"rows": UNSET}, "rows: missing, shapes of trees have it"),
        (TREES, {"passed": 3}, "passed: a field of kept ensembles alone"),
    ],
)
def test_what_is_missing_is_told_from_what_is_too_much(shape, fields, refusal):
    """Which of the two it is follows from the scheme."""
    with pytest.raises(CertificateFormatError) as caught:
        check_shape(reshaped(shape, fields), "key")
    assert str(caught.value) == f"key: field shape.{refusal}"


@pytest.mark.parametrize(
    ("shape", "fields"),
    [
        (NETWORK, {"architecture.hidden": (1,), "architecture.bias_bits": (20, 30)}),
        (NETWORK, {"architecture.hidden": (1,) * 64, "architecture.bias_bits": (20,) * 65}),
        (NETWORK, {"architecture.hidden": (4095, 1)}),
        (GAIN, {"architecture.hidden": (2047, 1)}),
        (ADDITIVE, {"architecture.predicates": (1, 0), "slots": 1, "capacity": 1}),
        (ADDITIVE, {"architecture.predicates": (4096, 0), "slots": 4096}),
        (TREES, {"architecture.nodes": (1, 1), "rows": 1}),
        (TREES, {"architecture.nodes": (4096, 65536), "rows": 65536}),
        (TREES, {"architecture.missing": True}),
        (TREES, {"architecture.categories": (Category(0, 2, 0, 1, 1),)}),
        (TREES, {"architecture.categories": (Category(0, 2, 0, 1, MAX_SETS),)}),
    ],
)
def test_the_least_and_the_largest_shapes_have_circuits(shape, fields):
    """At each limit nothing is refused."""
    check_shape(reshaped(shape, fields), "key")


@pytest.mark.parametrize("length", [39, 40, 41])
def test_forty_characters_of_an_unknown_format_are_shown(length):
    """The name is whatever the file says; its beginning shows which one it is."""
    data = canonical_bytes(json.loads(DATA) | {"version": 999, "format": "é" * length})
    with pytest.raises(CertificateFormatError) as caught:
        parse_key(data, "key")
    assert str(caught.value).count("é") == min(length, 40)
    assert caught.value.reason == "other-format"


@pytest.mark.parametrize(
    ("parse", "name"),
    [(parse_commitment, "commitment.json"), (parse_key, "keys/key/key.json")],
)
def test_files_that_are_named_by_their_digest_have_one_spelling(parse, name):
    """With another space, or another order, a reader could see another meaning than the one that is compared."""
    data = (ROOT / "tests" / "golden" / "loans" / name).read_bytes()
    parse(data, "file")
    for other in (data + b"\n", json.dumps(json.loads(data)).encode(), data.replace(b'"format":', b'"format" :', 1)):
        with pytest.raises(CertificateFormatError) as caught:
            parse(other, "file")
        assert caught.value.reason == "not-canonical"


def test_how_a_key_was_made_is_a_noun():
    """Sentences name the kind of each key's set-up."""
    key = parse_key(DATA, "key")
    kinds = {kind: changed(key, setup=kind).maker for kind in get_args(SetupKind)}
    assert kinds == {
        "single-party": "single-party set-up", "ceremony": "ceremony", "universal": "universal set-up",
    }  # fmt: skip


def test_a_row_of_values_is_no_query():
    """An applicant's own values are named as such: a query has integers, and a blinding."""
    with pytest.raises(CertificateFormatError) as caught:
        parse_query(b'{"income":30000,"housing":"own"}', "row.json")
    assert str(caught.value).startswith("row.json: give the query file")
    assert caught.value.reason == "wrong-fields"


def test_powers_alone_make_no_key_of_groth16():
    """A universal set-up is one of the other proof system; the line says which it was."""
    whole = json.loads((GOLDEN / "loans-plonk" / "keys" / "key" / "key.json").read_bytes())
    powers = {"origin": "imported", "source": "0" * 63 + "1", "digest": "0" * 63 + "2"}
    whole |= {"setup": "universal", "powers": powers}
    parse_key(canonical_bytes(whole), "key")
    with pytest.raises(CertificateFormatError) as caught:
        parse_key(canonical_bytes(whole | {"proof_system": "groth16-bn254"}), "key")
    assert "groth16-bn254" in str(caught.value)
    assert caught.value.reason == "wrong-fields"


def test_a_context_of_another_kind_is_named_as_what_it_is():
    """Any other value of it that is no text is named by its field."""
    for data, word in ((b'{"format":"equiproof-commitment","version":2}', "commitment"), (b'{"case":5}', "case")):
        with pytest.raises(CertificateFormatError, match=word):
            parse_context(data, "context.json")
