"""Both proof systems are measured on the same certificate, and the kept figures are of the circuits as they are."""

import pytest

from bench import kept, plonk
from bench.parts import Options
from equiproof.circuits.proof_systems import PROOF_BYTES, PROOF_SYSTEMS
from equiproof.ffi import backend


@pytest.mark.slow
def test_both_are_measured():
    """A part has the costs of both: constraints of the shape's two forms, and proofs of their lengths."""
    sizes = plonk.SIZES[0]
    part = plonk.measured(sizes, plonk.Question(points=3, proofs=1))
    for name in PROOF_SYSTEMS:
        of = part["proof_systems"][name]
        assert of["constraints"] == backend.describe(sizes.shape.document, name).constraints
        assert (of["proofs"], of["proof_bytes"]) == (1, PROOF_BYTES[name])
        assert min(of[cost] for cost in ("setup_s", "prove_s", "check_ms", "key_mb", "peak_mb")) > 0


def test_the_parts_are_the_shapes():
    """Each of the six shapes is a part; the table has a line for each proof system, and names what was not measured."""
    assert list(plonk.plan(None, Options()).parts) == [sizes.name for sizes in plonk.SIZES]
    found = kept.load("plonk")
    text = plonk.table(found)
    assert sum(line.startswith("| (") for line in text.splitlines()) == 2 * len(found["parts"])
    for sizes in plonk.SIZES:
        missing = text.partition("Not measured: ")[2]
        assert (sizes.name in found["parts"]) != (sizes.name in missing)


def test_kept_counts_are_of_the_circuits_as_they_are():
    """A change of a circuit shows: the kept counts of small shapes are those of today's library."""
    for sizes in plonk.SIZES[:3]:
        part = kept.load("plonk")["parts"][sizes.name]
        for name in PROOF_SYSTEMS:
            found = backend.describe(sizes.shape.document, name).constraints
            assert found == part["proof_systems"][name]["constraints"]
