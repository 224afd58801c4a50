"""Sub-circuits one by one: the cost of each rule of a certificate proven alone.

The counterpart of FairProof's figure 7(b), which breaks down one query's proof by sub-function. There every step is a
separate proof; here one composed circuit contains all of them over one set of weights. Alone, a sub-circuit reads its
values, checks their ranges and hashes them again, so the sum exceeds the certificate's proof.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.harness import BenchError, Progress, apart, machine, nothing
from bench.harness import table as markdown
from bench.paper.cases import Case, find
from bench.paper.measure import DEFAULT_POINTS, Question, prepare, walk_around
from equiproof.certify.traversal.evidence import Evidence
from equiproof.certify.traversal.evidence_check import check
from equiproof.certify.traversal.search import Counterexample, search
from equiproof.circuits import field
from equiproof.circuits.shape import Shape, traversal_shape
from equiproof.circuits.subcircuit import SubCircuit, gadgets_of, subcircuit
from equiproof.ffi import backend
from equiproof.prover.opening import Opening
from equiproof.prover.witness.subcircuit import TraversalPlaces

_PER_REGION = ("polytope", "distance", "boundary", "order")

_COLUMNS = (
    "sub-circuit",
    "instances",
    "constraints",
    "set-up, s",
    "proof, s",
    "proofs of all instances, s",
    "verify, ms",
    "constraints in the certificate",
)

CASES = (find("german-4-2"), find("adult-8-2"))
"""The measured cases."""


def run(
    data_dir: Path | None,
    progress: Progress = nothing,
    *,
    cases: Sequence[Case] = CASES,
    points: int = DEFAULT_POINTS,
    rounds: int = 5,
) -> dict[str, Any]:
    """Measure the parts of the certificate of each case's median applicant.

    This applicant's evidence has the median number of regions. It is chosen from `points` random test rows, drawn as in
    the suite `paper`, among those that the fair variant treats fairly. Returns `machine` and under `cases` the results
    of :func:`measure`, with the case's title. Raises BenchError if no row is treated fairly and for more points than
    test rows, DataError if a data set is missing.
    """
    found: list[dict[str, Any]] = []
    for done, case in enumerate(cases, start=1):
        opening, row = _median(case, points, data_dir)
        measured = measure(opening, row, case.capacity, rounds)
        found.append({"title": case.title, **measured})
        progress(done, len(cases))
    return {"suite": "subcircuits", "machine": machine(), "rounds": rounds, "cases": found}


def _median(case: Case, points: int, data_dir: Path | None) -> tuple[Opening, Mapping[str, Any]]:
    """Train the fair variant of a case, and choose its median applicant."""
    made = prepare(Question(case, "fair", points), data_dir)
    walked = [
        (found.patterns, number, row)
        for number, row in zip(made.numbers, made.rows, strict=True)
        if (found := walk_around(made.opening, row)) is not None
    ]
    if not walked:
        raise BenchError(f"{case.title}: none of {points} test rows is treated fairly")
    _, _, row = sorted(walked, key=lambda one: one[:2])[(len(walked) - 1) // 2]
    return made.opening, row


def measure(opening: Opening, row: Mapping[str, Any], capacity: int, rounds: int = 5) -> dict[str, Any]:
    """Set up, prove and verify every sub-circuit alone for one applicant, at the largest radius that fits a capacity.

    `row` holds the raw non-sensitive features. Each sub-circuit runs in a process of its own, proves once to warm up
    and then `rounds` times. Returns sizes, and under `circuits` one record each: constraints, `setup_s`,
    `prove_s`, `verify_ms`, `instances` (how many proofs would take the certificate's place, without padding) and
    `composed`, the gadget's constraints within the certificate's circuit, whose other parts are under `shared`. Raises
    BenchError for an applicant without a certificate, CapacityError where the slices' centres do not fit.
    """
    shape = traversal_shape(opening.spec, opening.network.hidden, capacity)
    searched = _searched(opening, shape, row)
    composed = backend.describe(shape.document)
    parts = dict(composed.parts)
    records = []
    for gadget in gadgets_of(shape):
        circuit = subcircuit(gadget, shape)
        wires = searched.values(circuit, 0, field.random())
        record = {"circuit": gadget, "instances": instances(gadget, shape, searched.evidence)}
        records.append(record | apart(_measured, circuit, wires, rounds) | {"composed": parts.pop(gadget, 0)})
    return {
        "hidden": list(opening.network.hidden),
        "plain_columns": opening.spec.plain_columns,
        "slices": shape.slices,
        "capacity": capacity,
        "regions": len(searched.evidence.regions),
        "radius_squared": searched.evidence.radius_squared,
        "constraints": composed.constraints,
        "shared": parts,
        "circuits": records,
    }


def instances(gadget: str, shape: Shape, evidence: Evidence) -> int:
    """Return how many instances of a sub-circuit cover a certificate of the evidence.

    Inference is of a slice's centre; forms, distances, boundary and order are of a region; the others are of the whole.
    """
    if gadget == "inference":
        return shape.slices
    return len(evidence.regions) if gadget in _PER_REGION else 1


def _searched(opening: Opening, shape: Shape, row: Mapping[str, Any]) -> TraversalPlaces:
    """Search around an applicant, check the evidence, and state it."""
    spec = opening.spec
    integers = spec.encode(row)
    found = search(
        opening.network,
        integers,
        spec.domain_table,
        max_radius_squared=spec.max_radius_squared,
        max_regions=shape.capacity,
    )
    if isinstance(found, Counterexample):
        raise BenchError("the model is unfair at this applicant, who has no certificate")
    evidence = found.evidence_within(shape.capacity)
    check(evidence, opening.network, integers, spec.domain_table)
    return TraversalPlaces.of(opening, shape, integers, evidence)


def _measured(circuit: SubCircuit, wires: Mapping[str, Sequence[int]], rounds: int) -> dict[str, Any]:
    """Set up, prove and verify one sub-circuit in this process."""
    begun = time.perf_counter()
    keys = backend.setup(circuit.document)
    setup_s = time.perf_counter() - begun
    witness, digest = circuit.witness(wires), field.to_bytes(circuit.digest(wires))
    proof, proving, verifying = b"", [], []
    with backend.ProvingKey(circuit.document, keys.proving) as prover, backend.VerifyingKey(keys.verifying) as verifier:
        for _ in range(1 + rounds):
            begun = time.perf_counter()
            proof = prover.prove(witness)
            proven = time.perf_counter()
            verifier.verify(digest, proof)
            proving.append(proven - begun)
            verifying.append(1000 * (time.perf_counter() - proven))
    return {
        "constraints": keys.description.constraints,
        "setup_s": setup_s,
        "prove_s": statistics.median(proving[1:]),
        "prove_s_spread": [min(proving[1:]), max(proving[1:])],
        "verify_ms": statistics.median(verifying[1:]),
        "proof_bytes": len(proof),
    }


def table(results: Mapping[str, Any]) -> str:
    """Write the sub-circuits of every case as Markdown, alone and within the certificate's circuit."""
    return "\n\n".join(_table(case) for case in results["cases"])


def _table(case: Mapping[str, Any]) -> str:
    """Write one case."""
    rows: list[tuple[str, ...]] = [
        (
            one["circuit"],
            str(one["instances"]),
            f"{one['constraints']:,}",
            f"{one['setup_s']:.2f}",
            f"{one['prove_s']:.3f}",
            f"{_all(one):.2f}",
            f"{one['verify_ms']:.2f}",
            f"{one['composed']:,}",
        )
        for one in case["circuits"]
    ]
    rows += [(f"({part})", *[""] * 6, f"{constraints:,}") for part, constraints in sorted(case["shared"].items())]
    proofs = sum(one["instances"] for one in case["circuits"])
    seconds = sum(map(_all, case["circuits"]))
    rows.append(("all", str(proofs), "", "", "", f"{seconds:.2f}", "", f"{case['constraints']:,}"))
    title = (
        f"{case['title']}, {case['regions']} regions over {case['slices']} slices; the certificate is one proof with "
        f"K = {case['capacity']} rows, each of them checked, padding too:"
    )
    return f"{title}\n\n{markdown(_COLUMNS, rows)}"


def plot(results: Mapping[str, Any], path: Path) -> None:
    """Draw the proving time of each sub-circuit, and the parts of the certificate's circuit, as an SVG file."""
    from bench.drawing import figure

    with figure(path, len(results["cases"]), 2, width=5.2) as panels:
        for (alone, composed), case in zip(panels, results["cases"], strict=True):
            alone.barh([one["circuit"] for one in case["circuits"]], [_all(one) for one in case["circuits"]])
            alone.set_xlabel("proofs of all instances, each alone, s")
            parts = {one["circuit"]: one["composed"] for one in case["circuits"]} | case["shared"]
            composed.barh(list(parts), list(parts.values()))
            composed.set_xlabel("constraints in the certificate's circuit")
            for panel in (alone, composed):
                panel.invert_yaxis()
                panel.set_ylabel(case["title"])


def _all(record: Mapping[str, Any]) -> float:
    """Return the seconds that the proofs of all instances take, one after another."""
    return float(record["instances"] * record["prove_s"])
