"""Where the walk ends: radii by capacity are those of the search, and never beyond the bound that they are held to."""

import dataclasses
import json
import math
import random

import pytest

from bench.harness import BenchError
from equiproof.certify.data import load
from equiproof.certify.models.quantise import quantise
from equiproof.certify.models.training import Settings, train
from equiproof.certify.traversal.exact import exact_search
from equiproof.certify.traversal.search import Counterexample, search
from equiproof.circuits.shape import traversal_shape
from equiproof.ffi import backend
from equiproof.prover.estimate import products
from research.suites import walk

QUESTION = walk.Question(
    datasets=("lending",), hidden=((2,), (5, 3)), capacities=(2, 4, 16), applicants=3, settings=Settings(epochs=3)
)


@pytest.fixture(scope="module")
def results():
    """Two small networks, three applicants each, with a largest capacity that not all of them get by with."""
    reported = []
    found = walk.run(None, lambda done, total: reported.append((done, total)), question=QUESTION)
    assert reported == [(1, 2), (2, 2)]
    return found


@pytest.fixture(scope="module")
def wide():
    """The wider of the two networks as it is trained, with its data."""
    data = load("lending", None)
    return data, quantise(train(data, (5, 3), decay=QUESTION.decay, settings=QUESTION.settings)[0], data.spec)


def test_radii_grow_with_the_capacity_up_to_the_reference(results):
    """More regions never certify less, and nothing is certified beyond the radius to compare with."""
    ends = set()
    for network in results["networks"]:
        assert len(network["applicants"]) == QUESTION.applicants
        for one in network["applicants"]:
            assert one["radii"] == sorted(one["radii"])
            assert one["radii"][-1] <= one["reference"]
            assert not one["full"] or one["radii"][-1] == one["reference"]
            ends.add(one["full"])
    assert ends == {True, False}


@pytest.mark.slow
def test_radii_are_those_of_the_search(results, wide):
    """A capacity's radius is what a search of that many regions certifies."""
    data, network = wide
    spec = data.spec
    for capacity, column in zip(QUESTION.capacities, zip(*_radii(results, 1), strict=True), strict=True):
        found = []
        for index in random.Random(QUESTION.seed).sample(data.test, len(data.test)):
            one = search(
                network,
                spec.encode(data.rows[index]),
                spec.domain_table,
                max_radius_squared=spec.max_radius_squared,
                max_regions=capacity,
            )
            if not isinstance(one, Counterexample):
                found.append(math.sqrt(one.radius_squared) / spec.scale_unit)
            if len(found) == QUESTION.applicants:
                break
        assert list(column) == found


def _radii(results, number):
    return [one["radii"] for one in results["networks"][number]["applicants"]]


@pytest.mark.slow
def test_the_bound_is_no_smaller_than_the_full_radius(wide):
    """Where a walk is cut short, its full radius and the exact one lie below the bound that it is compared with."""
    data, network = wide
    limits = {"max_radius_squared": data.spec.max_radius_squared, "max_regions": 1 << 12}
    compared = 0
    for index in data.test[:8]:
        query = data.spec.encode(data.rows[index])
        full = search(network, query, data.spec.domain_table, **limits)
        if isinstance(full, Counterexample):
            continue
        bound = walk._upper(data.spec, network, query, 30.0)
        exact = exact_search(network, query, data.spec.domain_table, **limits)
        assert full.complete
        assert full.radius_squared <= exact.radius_squared <= bound
        compared += 1
    assert compared > 2


def test_shapes_have_the_constraints_that_compile(results):
    """Every capacity's constraints are those of its circuit."""
    spec = load("lending", None).spec
    for network in results["networks"]:
        for shape in network["shapes"]:
            document = traversal_shape(spec, tuple(network["hidden"]), shape["capacity"]).document
            assert shape["constraints"] == backend.describe(document).constraints
            assert shape["counted"]


def test_a_shape_too_large_to_compile_has_its_products():
    """A circuit that would take gigabytes to compile is not compiled: its products bound its constraints from below."""
    spec = load("lending", None).spec
    found = walk._shape(spec, (64, 64), 2048)
    shape = traversal_shape(spec, (64, 64), 2048)
    assert found == {"capacity": 2048, "constraints": products(shape), "counted": False}
    small = walk._shape(spec, (4, 2), 32)
    assert small["counted"]
    assert products(traversal_shape(spec, (4, 2), 32)) < small["constraints"]


def test_table_and_figure_tell_every_network(results, tmp_path):
    """Results that were read back have a row and a line for every network, and a conclusion."""
    read = json.loads(json.dumps(results))
    lines = walk.table(read).splitlines()
    assert walk.table(read) == walk.table(results)
    walk.plot(read, tmp_path / "figure.svg")
    drawn = (tmp_path / "figure.svg").read_text()
    for hidden in ("(2)", "(5, 3)"):
        assert sum(line.startswith(f"| lending {hidden} |") for line in lines) == 1
        assert f">{hidden}<" in drawn
    assert ">lending: regions K, logarithmic<" in drawn
    assert lines[-1].startswith("Within 1 M constraints the walk certifies at least 90% of the radius of ")


def _network(share, constraints):
    """Return a record of one applicant and one capacity."""
    person = {"radii": [share], "reference": 1.0, "regions": None, "full": False}
    return {
        "dataset": "data",
        "hidden": [constraints],
        "neurons": 1,
        "applicants": [person],
        "shapes": [{"capacity": 2, "constraints": constraints}],
    }


def test_the_conclusion_parts_the_networks():
    """A network counts as reached where most of the radius is certified by a circuit that can be afforded."""
    networks = [_network(0.95, 10**6), _network(0.95, 10**6 + 1), _network(0.5, 10)]
    text = walk.table({"capacities": [2], "networks": networks})
    assert "of the radius of data (1000000), and less of data (1000001), data (10)." in text
    assert "scheme `branch` is needed" in text
    assert "is needed" not in walk.table({"capacities": [2], "networks": networks[:1]})


def test_a_count_that_is_a_bound_is_marked():
    """Constraints that were not counted stand as a lower bound."""
    network = _network(0.5, 10)
    network["shapes"][0]["counted"] = False
    assert "| 50% for at least 10 |" in walk.table({"capacities": [2], "networks": [network]})


def test_applicants_without_a_bound_have_no_share():
    """Where nothing is known to compare with, the share is shown as unknown."""
    network = _network(0.5, 10)
    network["applicants"][0]["reference"] = None
    assert walk.shares(network) == [None]
    assert "| ? for 10 |" in walk.table({"capacities": [2], "networks": [network]})


def test_too_few_fair_applicants_are_an_error(monkeypatch):
    """Where nobody is treated fairly there is nothing to walk around, and one line says so."""
    unfair = Counterexample("flip", (0, 1), (0, 1), ((-1,), (1,)))
    monkeypatch.setattr(walk, "search", lambda *_, **__: unfair)
    with pytest.raises(BenchError, match="lending: 0 of 20 test rows are treated fairly, want 1"):
        walk.run(None, question=dataclasses.replace(QUESTION, hidden=((2,),), applicants=1))
