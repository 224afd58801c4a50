"""The count of gas runs, counts what it says, and is the one that is kept."""

from dataclasses import replace

import pytest

from bench import chain, kept
from bench.harness import BenchError
from tests.chain.chain import refuse_or_skip


def test_gas_is_what_is_kept():
    """Gas does not depend on the machine: contracts and calls that change are counted again."""
    refuse_or_skip()
    found = chain.run()
    assert [(row["case"], row["function"]) for row in found["results"]] == [
        ("single party", "verifyProof"),
        ("single party", "verifyStatement"),
        ("ceremony", "verifyProof"),
        ("kept", "register"),
        ("kept", "verifyProof"),
        ("kept", "verifyStatement"),
    ]
    # The estimate before there was a contract of kept keys was less than it takes: docs/benchmarks/verify.md says why.
    within = [row["gas"] <= row["target_gas"] for row in found["results"] if row["target_gas"]]
    assert within == [True, True, False]
    was = kept.load("chain")
    assert [found[name] for name in ("results", "rules", "compiler")] == [
        was[name] for name in ("results", "rules", "compiler")
    ]
    assert chain.table(found).count("\n") == 2 + 1 + 6


def test_what_is_missing_is_told(monkeypatch, tmp_path):
    """Without packages nothing is counted, and one line says how to have them."""
    monkeypatch.setattr(chain, "PACKAGE", tmp_path)
    with pytest.raises(BenchError, match="call `make web`"), chain.running():
        pass


@pytest.mark.slow
def test_a_proof_that_is_not_accepted_is_no_count():
    """The gas of a refusal is not that of a check."""
    refuse_or_skip()
    case = next(chain.cases())
    wrong = replace(case, call=case.call[:-1] + bytes([case.call[-1] ^ 1]))
    with chain.running() as started, pytest.raises(BenchError, match="does not accept the proof"):
        chain.counted(started, wrong)
