"""Boxes are proven: everybody in them is decided so, the statement binds them, and what is false has no proof."""

import re
from dataclasses import replace

import pytest

from equiproof.certify.boxes import room_without_key
from equiproof.certify.people import Box, BoxError
from equiproof.certify.trees.box_leaves import Undecided, box_leaves
from equiproof.circuits.branch_layout import shape_parameters
from equiproof.circuits.encodings.missing import Missing
from equiproof.circuits.shape import box_shape, ensemble_box_shape, network_box_shape
from equiproof.circuits.spec import Feature
from equiproof.circuits.standard import StandardShape
from equiproof.prover import KeyStore, KeyStoreError, Opening
from equiproof.prover.box import BoxProver, NotDecidedError, RoomError
from equiproof.prover.key_choice import serves, serves_box, serves_gain
from equiproof.prover.padding import pad
from equiproof.verifier import AllOf, BoxVerifier, CertificateFormatError, ForContext, parse_commitment
from tests import boxes
from tests.boxes import CONTEXT, ENDS
from tests.kept import kept_keys
from tests.prover.additive_case import additive_model
from tests.soundness.box_lies import SPEC
from tests.soundness.trees_told import NARROW
from tests.soundness.trees_told import SPEC as TREES
from tests.support import HOUSING, INCOME, LOANS, SEX, changed, key_of, network, no_policy, spec_of, trusting


@pytest.fixture(scope="module")
def prover():
    """The honest prover."""
    with BoxProver(boxes.opening(), boxes.key()) as made:
        yield made


def test_a_proven_box_verifies_with_its_opening():
    """The certificate shows neither the box nor whose it is; the opened box shows that it is about it."""
    proven = boxes.granted()
    verifier = BoxVerifier(boxes.commitment(), trusting(boxes.key()))
    verified = verifier.verify(
        proven.certificate.to_bytes(), AllOf(ForContext(CONTEXT)), opened=proven.opened, label="granted"
    )
    assert verified.document()["statement"] == proven.document()["statement"]
    assert verified.ends == {"income": "29800 to 30400 EUR", "savings": "low", "housing": "own / rent"}
    assert proven.certificate.box is None
    assert b"29800" not in proven.certificate.to_bytes()


def test_blindings_are_fresh(prover):
    """Two certificates of one box have different commitments."""
    one, other = (prover.prove(ENDS, "granted").certificate.statement.box_commitment for _ in range(2))
    assert one != other


def test_a_box_with_somebody_who_is_decided_otherwise_has_no_proof(prover):
    """The error says who that is to the owner alone, and not in its words."""
    ends = {**ENDS, "income": (0, 60000), "housing": ("rent",)}
    with BoxProver(boxes.opening(bias=20), boxes.key()) as close, pytest.raises(NotDecidedError) as refused:
        close.prove(ends, "granted")
    found = refused.value.worst
    assert re.fullmatch(
        r"box: make it smaller: somebody in it is not decided 'granted': income [\d.]+, sex [fm]", str(refused.value)
    )
    assert boxes.opening(bias=20).model.score((*found.point, *found.row)) == found.margin < 1
    with pytest.raises(NotDecidedError):
        prover.prove(ENDS, "declined")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"income": (30400, 29800)}, "box: give income the smaller value first"),
        ({"income": (1,)}, "box: give income two values"),
        ({"income": (1, "much")}, "income"),
        ({"savings": ("high", "low")}, "box: give savings the smaller value first"),
        ({"housing": ("own", "own")}, "box: name each value of housing once"),
        ({"housing": ("own", "castle")}, "castle"),
        ({"housing": ()}, "housing"),
        ({"age": (1, 2)}, "box: leave out 'age'"),
        ({"sex": ("f", "f")}, "box: leave out 'sex'"),
    ],
)
def test_ends_that_are_none_are_refused_by_name(prover, change, says):
    """Each in one line that names the feature."""
    with pytest.raises(CertificateFormatError, match=says):
        prover.prove({**ENDS, **change}, "granted")


def test_a_feature_that_is_not_named_is_refused(prover):
    """A box has ends in every column."""
    with pytest.raises(CertificateFormatError, match="box: name the values of 'savings', too"):
        prover.prove({name: ends for name, ends in ENDS.items() if name != "savings"}, "granted")


def test_an_unknown_label_is_refused(prover):
    """The spec's labels are named."""
    with pytest.raises(BoxError, match="want one of declined, granted"):
        prover.prove(ENDS, "approved")


def test_missing_values_stay_missing():
    """A box whose home is not stated is about those who do not state it."""
    spec = spec_of(INCOME, changed(HOUSING, missing=Missing()), SEX)
    stated = additive_model(spec, ((0, 0, -40), (1, 10, 30), (2, 131070, 20), (3, 0, -5)), 10)
    model = replace(stated, absent=spec.absent)
    opening, key = Opening.of(model, spec, 11), key_of(kept_keys(), box_shape(spec, model.predicates))
    with BoxProver(opening, key) as prover:
        proven = prover.prove({"income": (29000, 60000), "housing": ()}, "granted")
        with pytest.raises(NotDecidedError):
            prover.prove({"income": (29000, 60000), "housing": ("own", "rent")}, "granted")
    verified = BoxVerifier(parse_commitment(opening.public(), "commitment"), trusting(key)).verify(
        proven.certificate, no_policy(), opened=proven.opened
    )
    assert verified.ends == {"income": "29000 to 60000 EUR", "housing": "not stated"}


def test_columns_of_padding_are_nobodys():
    """A padded spec has columns at 0 behind its own, in the box as in a query."""
    spec = spec_of(INCOME, HOUSING, SEX, pad_to=6)
    model = additive_model(spec, ((0, 0, -40), (1, 10, 30), (5, -1, 20), (6, 0, -5)), 10)
    opening, key = Opening.of(model, spec, 11), key_of(kept_keys(), box_shape(spec, model.predicates))
    assert key.document.shape.architecture.plain == 6
    with BoxProver(opening, key) as prover:
        proven = prover.prove({"income": (29000, 60000), "housing": ("own",)}, "granted")
    assert proven.opened.integers(spec).low[3:] == proven.opened.integers(spec).high[3:] == (0, 0, 0)
    verified = BoxVerifier(parse_commitment(opening.public(), "commitment"), trusting(key)).verify(
        proven.certificate, no_policy(), opened=proven.opened, label="granted"
    )
    assert verified.ends == {"income": "29000 to 60000 EUR", "housing": "own"}


@pytest.mark.slow
def test_both_proof_systems():
    """PLONK proves the same statement."""
    shape = box_shape(SPEC, boxes.opening().model.predicates)
    key = key_of(kept_keys(), shape, "plonk-bn254")
    with BoxProver(boxes.opening(), key) as prover:
        proven = prover.prove(ENDS, "granted", blinding=5)
    verified = BoxVerifier(boxes.commitment(), trusting(key)).verify(proven.certificate, no_policy())
    assert verified.statement.box_commitment == boxes.granted().certificate.to_statement().box_commitment


def test_keys_of_boxes_prove_nothing_else(tmp_path):
    """Nor do others prove boxes."""
    opening, key = boxes.opening(), boxes.key().document
    assert serves_box(key, SPEC, opening.sizes, "trees")
    assert not serves(key, SPEC, opening.sizes, scheme="trees")
    assert not serves_gain(key, SPEC, opening.sizes)
    assert not serves_box(key, LOANS, opening.sizes, "trees")
    assert not serves_box(key, SPEC, opening.sizes)
    with pytest.raises(KeyStoreError, match="make a key with `equiproof setup --box`"):
        KeyStore(tmp_path).find_box(opening)


def test_a_box_of_an_ensemble_is_proven():
    """Its leaves are searched for; a key without room says what it needs, and who is decided otherwise is found."""
    model = replace(NARROW, additive=replace(NARROW.additive, bias=40))
    opening = Opening.of(model, TREES, 11)
    key = key_of(kept_keys(), ensemble_box_shape(TREES, model.predicates, model.nodes.sizes, 5, 12, 2))
    ends = {"income": (29600, 30400), "housing": ("own",)}
    with BoxProver(opening, key) as prover:
        proven = prover.prove(ends, "granted")
        with pytest.raises(NotDecidedError) as refused:
            prover.prove(ends, "declined")
    found = refused.value.worst
    assert -model.score((*found.point, *found.row)) == found.margin < 1
    verified = BoxVerifier(parse_commitment(opening.public(), "commitment"), trusting(key)).verify(
        proven.certificate, no_policy(), opened=proven.opened
    )
    assert verified.ends == {"income": "29600 to 30400 EUR", "housing": "own"}
    small = key_of(kept_keys(), ensemble_box_shape(TREES, model.predicates, model.nodes.sizes, 1, 12, 1))
    with BoxProver(opening, small) as prover, pytest.raises(RoomError, match="a larger --slots, or a smaller box"):
        prover.prove(ends, "granted")


def test_a_box_of_an_ensemble_with_an_open_category():
    """Nobody owns a home and rents one, which would be decided otherwise; each alone is not."""
    model = replace(NARROW, additive=replace(NARROW.additive, bias=18))
    opening = Opening.of(model, TREES, 11)
    key = key_of(kept_keys(), ensemble_box_shape(TREES, model.predicates, model.nodes.sizes, 5, 12, 2))
    ends = {"income": (29600, 30400), "housing": ("own", "rent")}
    with BoxProver(opening, key) as prover:
        proven = prover.prove(ends, "granted")
    assert BoxVerifier(parse_commitment(opening.public(), "commitment"), trusting(key)).verify(
        proven.certificate, no_policy(), opened=proven.opened
    )
    box = proven.opened.integers(TREES)
    assert isinstance(box_leaves(model, Box(box.low, box.high), TREES.domain_table, 1, (2, 5, 12)), Undecided)


NETWORK = (8, 4)
PEOPLE = {"income": (29000, 33000), "savings": ("low", "high"), "housing": ("own", "rent")}
MANY = {"income": (0, 120000), "savings": ("none", "high"), "housing": ("own", "rent")}


def network_opening(bias):
    """Return an opening of a network whose last bias is raised by so many units of its logit."""
    model = network(SPEC, NETWORK, 2)
    *hidden, last = model.layers
    raised = replace(last, biases=tuple(value + (bias << model.logit_fraction_bits) for value in last.biases))
    return Opening.of(replace(model, layers=(*hidden, raised)), SPEC, 11)


def test_a_box_of_a_network_is_proven():
    """Everybody in it, of several homes, is decided so; who is decided otherwise is found, and too few leaves named."""
    opening = network_opening(3)
    key = key_of(kept_keys(), network_box_shape(SPEC, NETWORK, 8))
    assert serves_box(key.document, SPEC, NETWORK)
    assert not serves(key.document, SPEC, NETWORK)
    assert not serves_gain(key.document, SPEC, NETWORK)
    with BoxProver(opening, key) as prover:
        proven = prover.prove(PEOPLE, "granted")
        with pytest.raises(NotDecidedError) as refused:
            prover.prove(PEOPLE, "declined")
        with pytest.raises(RoomError, match="a larger --capacity, or a smaller box: this key has 8 leaves"):
            prover.prove(MANY, "granted")
    assert re.search("income .*, savings .*, housing .*, sex", str(refused.value))
    found = refused.value.worst
    assert -opening.network.logits((*found.point, *found.row))[0] == found.margin < 1
    verified = BoxVerifier(parse_commitment(opening.public(), "commitment"), trusting(key)).verify(
        proven.certificate, no_policy(), opened=proven.opened, label="granted"
    )
    assert verified.ends == {"income": "29000 to 33000 EUR", "savings": "low / high", "housing": "own / rent"}


@pytest.mark.slow
def test_a_box_of_a_padded_network():
    """What is added changes nothing, in the box either; both proof systems prove it."""
    opening = Opening.of(*pad(network_opening(3).network, SPEC, StandardShape(7, (9, 5))), 11)
    for system in ("groth16-bn254", "plonk-bn254"):
        key = key_of(kept_keys(), network_box_shape(opening.spec, (9, 5), 4), system)
        with BoxProver(opening, key) as prover:
            proven = prover.prove(PEOPLE, "granted")
        verified = BoxVerifier(parse_commitment(opening.public(), "commitment"), trusting(key)).verify(
            proven.certificate, no_policy(), opened=proven.opened
        )
        assert verified.ends == {"income": "29000 to 33000 EUR", "savings": "low / high", "housing": "own / rent"}


@pytest.mark.parametrize(("ages", "leaves"), [(3, 16), (20, 64)])
def test_a_search_without_a_key_has_the_room_of_one(ages, leaves):
    """Roundings and widths are those of the circuit, ranges or not, and there are leaves for a split of each slice."""
    age = Feature("age", "numeric", "scaled", True, mean="40", scale="10", domain=tuple(map(str, range(20, 20 + ages))))
    ranged = changed(INCOME, range=("0", "90000"))
    for spec in (spec_of(INCOME, SEX, age), spec_of(ranged, SEX, age, use_ranges=True)):
        hidden = (4, 3)
        room = room_without_key(network(spec, hidden, 1), spec)
        assert room.capacity == leaves
        assert room.parameters == shape_parameters(network_box_shape(spec, hidden, leaves))
