"""Openings of ensembles: what is written is read back, the commitment binds every number, misfits are refused."""

import json
import random
from dataclasses import replace

import msgspec
import pytest

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.ensemble import EnsembleModel, NodeTable
from equiproof.circuits.shape import additive_shape, ensemble_shape, fits_additive
from equiproof.prover.opening import Opening, OpeningError, parse_opening
from tests.certify.trees.ensembles import drawn
from tests.support import LOANS


def spec():
    """The spec of small loans with one score."""
    return msgspec.structs.replace(LOANS, logits=1)


def model(seed=1):
    """An ensemble over the columns of the spec."""
    own = spec()
    found = drawn(random.Random(seed), plain=own.plain_columns, sensitive=own.sensitive_columns, predicates=12)
    return replace(found, additive=replace(found.additive, input_fraction_bits=own.input_fraction_bits))


def test_an_opening_is_read_back():
    """The same model, the same commitment; the file names no number that its repr shows."""
    opening = Opening.of(model(), spec(), 7)
    again = parse_opening(opening.secret(), "opening.json")
    assert again == opening
    assert isinstance(again.model, EnsembleModel)
    assert again.own_scheme == "trees"
    assert again.sizes == (*model().predicates, *model().nodes.sizes)
    assert again.kind == "an ensemble of trees"
    for read in (lambda: again.network, lambda: again.additive):
        with pytest.raises(OpeningError, match=r"an ensemble of trees|of scheme trees"):
            read()
    with pytest.raises(OpeningError, match="the opening is of an additive model"):
        _ = Opening.of(model().additive, spec(), 7).ensemble


def test_the_commitment_binds_every_number():
    """Each number of the file that is changed to another one that fits changes the commitment, but for the scale."""
    opening = Opening.of(model(), spec(), 7)
    document, changed = json.loads(opening.secret()), 0
    for path in [
        ("nodes", "predicates", 0),
        ("nodes", "values", 0),
        ("nodes", "values", -1),
        ("predicates", 0, 2),
        ("bias",),
    ]:
        lie = json.loads(json.dumps(document))
        *way, last = path
        place = lie
        for step in way:
            place = place[step]
        place[last] += 1 if place[last] == 0 else -1
        other = parse_opening(json.dumps(lie, sort_keys=True, separators=(",", ":")).encode(), "opening.json")
        assert other.commitment != opening.commitment, path
        changed += 1
    assert changed == 5
    assert Opening.of(model().additive, spec(), 7).commitment != opening.commitment


def test_kinds_are_bound():
    """Two ensembles of the same sizes, predicates and values that differ in the shape of their trees only."""
    additive = AdditiveModel(
        (0,), (0,), (0,), 0, spec().plain_columns, spec().sensitive_columns, spec().input_fraction_bits
    )
    tables = [NodeTable(1, (0, 0), (kinds, (0, 0)), (1, 2, 3)) for kinds in ((1, 0), (0, 1))]
    first, second = (Opening.of(EnsembleModel(additive, table), spec(), 7) for table in tables)
    assert first.commitment != second.commitment


def test_what_does_not_fit_is_refused_in_one_line():
    """Columns of another spec, and files whose trees are none."""
    with pytest.raises(OpeningError, match="columns, the spec wants"):
        Opening.of(drawn(random.Random(1), plain=7), spec(), 7)
    document = json.loads(Opening.of(model(), spec(), 7).secret())
    document["nodes"]["values"].pop()
    with pytest.raises(OpeningError, match=r"opening.json: .* leaves do not make"):
        parse_opening(json.dumps(document, sort_keys=True, separators=(",", ":")).encode(), "opening.json")


def test_shapes_are_of_their_own_models():
    """A key of an additive model fits no ensemble, nor the other way round."""
    own, found = spec(), model()
    shape = ensemble_shape(own, found.predicates, found.nodes.sizes, 2, 3, 8)
    assert fits_additive(shape, own, found.predicates, found.nodes.sizes)
    assert not fits_additive(shape, own, found.predicates)
    assert not fits_additive(additive_shape(own, found.predicates, 2, 8), own, found.predicates, found.nodes.sizes)
    assert not fits_additive(shape, own, found.predicates, (1, 1))
    assert shape.name.startswith(f"trees-{own.plain_columns}+{own.sensitive_columns}-p")
    assert "-v2-a3-" in shape.name
