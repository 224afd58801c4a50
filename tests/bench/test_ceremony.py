"""The measurement of a ceremony is of a whole one, and what is estimated follows the stated laws."""

import math

import pytest

from bench import ceremony, kept
from bench.seeded import spec_of
from equiproof.circuits.shape import traversal_shape
from equiproof.circuits.subcircuit import subcircuit
from equiproof.ffi import ceremony as native
from equiproof.prover.ceremony.checked import CACHE_VARIABLE
from equiproof.prover.ceremony.rounds import PowersRounds


@pytest.fixture(autouse=True)
def own_records(tmp_path, monkeypatch):
    """Keep the records of checks beside the ceremony."""
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "checked"))


def test_phase_1_is_timed_step_by_step(tmp_path):
    """Three steps are made and verified; the powers are of their domain, and checked."""
    clock = ceremony.Clock()
    powers = ceremony.first_phase(clock, tmp_path / "powers", 4)
    assert powers.power == 4
    assert {what: cost["calls"] for what, cost in clock.costs.items()} == {
        "phase 1: contribute": 3,
        "phase 1: verify one step": 3,
        "phase 1: finish": 1,
        ceremony.FORM: 1,
        "Lagrange form: check": 1,
        "powers of tau and form: check": 1,
    }
    assert all(cost["wall_s"] >= 0 and cost["cpu_s"] >= 0 for cost in clock.costs.values())


@pytest.mark.slow
def test_the_whole_is_a_ceremony_that_key_check_accepts(tmp_path, monkeypatch):
    """Every line of the table is measured, on a gadget's circuit in the place of the shape's: 2^9 is quick."""
    shape = traversal_shape(spec_of(1, 2), (1,), 2)
    gadget = subcircuit("minimum", shape).document
    for name in ("circuit_power", "key_start", "key_finish"):
        honest = getattr(native, name)
        monkeypatch.setattr(native, name, lambda _, *rest, honest=honest: honest(gadget, *rest))
    found = ceremony.measured(ceremony.Case("a gadget", shape), tmp_path)
    assert tuple(found["costs"]) == ceremony.OPERATIONS
    assert all(min(cost["wall_s"], cost["cpu_s"]) > 0 for cost in found["costs"].values())
    assert found["costs"][ceremony.WHOLE]["wall_s"] > found["costs"]["phase 2: finish"]["wall_s"]
    assert 0 < found["bytes"]["step of phase 1"] - PowersRounds(found["power"]).length < 1 << 12


def test_estimates_follow_their_laws():
    """Costs that are a line in N, or in N log N for the Lagrange form, are estimated exactly."""

    def result(power: int) -> dict[str, object]:
        size = 1 << power
        costs = {what: {"wall_s": 1.0, "cpu_s": 5 + size / 1024} for what in ceremony.OPERATIONS}
        costs[ceremony.FORM]["cpu_s"] = size * math.log2(size) / 1024
        return {"case": "any", "constraints": size, "power": power, "costs": costs, "bytes": {"a file": 3 + 7 * size}}

    found = {"results": [result(12), result(14)]}
    lines = {line.split(" | ")[0].removeprefix("| "): line for line in ceremony.times(found).splitlines()[2:]}
    assert lines.keys() == set(ceremony.OPERATIONS)
    assert lines["phase 1: contribute"].endswith("| 133 | N |")
    assert lines[ceremony.FORM].endswith(f"| {17 * 128:,} | N log N |")
    assert ceremony.sizes(found).endswith(f"| {3 + (7 << 17):,} |")


def test_kept_figures_are_of_the_circuits_as_they_are():
    """A change of a circuit shows, and the two circuits are in the domains that the page names."""
    results = kept.load("ceremony")["results"]
    for case, result, power in zip(ceremony.CASES, results, (12, 14), strict=True):
        found = native.circuit_power(case.shape.document)
        assert (result["case"], result["power"], result["constraints"]) == (case.name, power, found[1])
        assert found[0] == power


def test_the_target_is_stated_beside_the_figure():
    """The sentence has the measured seconds of the larger circuit, the target and the load."""
    found = kept.load("ceremony")
    text, cost = ceremony.target(found), found["results"][-1]["costs"][ceremony.WHOLE]
    assert f"{cost['cpu_s']:.1f} s of processor time" in text
    assert f"{cost['wall_s']:.1f} s by the clock" in text
    assert f"against a target of {ceremony.TARGET_S} s" in text
    assert ("missed" in text) == (cost["wall_s"] > ceremony.TARGET_S)
    assert all(f"{one:g}" in text for one in found["load"])
