"""Counts by group, proven: what an auditor's table of a committed network costs to prove and to check.

A part trains a network, makes its keys, and lets an auditor ask about rows of its data set, taken again from the
beginning where there are too few. Proving, the native check and the one in plain Python each have a process of their
own, whose memory is a lender's or an auditor's. Counts are compared with decisions made one row at a time.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import Any, NamedTuple

from bench.branch.larger import Question as Larger
from bench.harness import BenchError, apart, peak_megabytes
from bench.harness import table as markdown
from bench.parts import BaseQuestion, Options, Plan
from equiproof.certify.data import load
from equiproof.certify.models.quantise import quantise
from equiproof.certify.models.training import train
from equiproof.circuits.canonical import canonical_bytes
from equiproof.prover.opening import Opening, load_opening
from equiproof.prover.table_keys import DEFAULT_CELLS, find_table_key, set_up_tables, shape_for
from equiproof.prover.tables import answer_challenge
from equiproof.verifier import TrustStore
from equiproof.verifier.documents import load_commitment
from equiproof.verifier.presented import links_in
from equiproof.verifier.programs import Checker
from equiproof.verifier.table_challenge import make_challenge
from equiproof.verifier.table_files import Challenge, load_answer, load_challenge
from equiproof.verifier.verify_table import TableVerifier

Results = Mapping[str, Any]

LABEL = "true label"


class Case(NamedTuple):
    """A network on a data set, the rows that are asked about, and the seconds and MB that proving was to take."""

    dataset: str
    hidden: tuple[int, ...]
    rows: int
    seconds: float | None = None
    megabytes: float | None = None


CASES = {
    "german-4-2": Case("german", (4, 2), 10_000),
    "german-16-8": Case("german", (16, 8), 10_000, 90.0),
    "german-64-64": Case("german", (64, 64), 1_000),
    "german-100-50": Case("german", (100, 50), 1_000, 60.0),
}

NATIVE, PLAIN = 1.0, 3.0
"""The seconds set for a check of 10,000 rows with their digest, by either program."""

CHECKED_ROWS = 10_000


@dataclass(frozen=True)
class Question(BaseQuestion):
    """Nothing is drawn: a table is the rows of a data set in their order."""

    points: int = 1
    seconds: float = 0.0
    jobs: int = 1


def plan(data_dir: Path | None, options: Options, question: Question | None = None) -> Plan:
    """Return a part for each case; raises BenchError for several processes: proofs are timed."""
    options.one_by_one("tables", "proofs and checks")
    asked = options.of(question or Question())
    return Plan(asked.as_data(), {name: partial(measured, case, data_dir) for name, case in CASES.items()})


def measured(case: Case, data_dir: Path | None) -> dict[str, Any]:
    """Return all figures of a case."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        found = apart(made, case, place, data_dir)
        found |= apart(proven, place)
        for checker in ("native", "python"):
            found |= apart(checked, place, checker)
        return found


def made(case: Case, place: Path, data_dir: Path | None) -> dict[str, Any]:
    """Train and commit a network, make its keys, and ask about rows by group and true label."""
    data, asked = load(case.dataset, data_dir), Larger()
    network, _ = train(data, case.hidden, decay=asked.decay, settings=asked.settings)
    opening = Opening.of(quantise(network, data.spec), data.spec, blinding=1)
    (place / "opening.json").write_bytes(opening.secret())
    (place / "commitment.json").write_bytes(opening.public())
    begun = time.perf_counter()
    key = set_up_tables(place / "keys", shape_for(opening, None, DEFAULT_CELLS), place / "secret")
    seconds = time.perf_counter() - begun
    labels = (data.spec.labels[label] for label in data.labels)
    labelled = [dict(row) | {LABEL: label} for row, label in zip(data.rows, labels, strict=True)]
    rows = list(islice(cycle(labelled), case.rows))
    group = data.spec.sensitive_features[0].name
    challenge = make_challenge(load_commitment(place / "commitment.json"), rows, (group,), LABEL, 1)
    (place / "challenge.json").write_bytes(canonical_bytes(challenge))
    return {
        "rows": case.rows,
        "cells": len(challenge.cells),
        "part": key.document.shape.rows,
        "constraints": key.document.constraints,
        "setup_s": round(seconds, 1),
        "challenge_bytes": (place / "challenge.json").stat().st_size,
    }


def proven(place: Path) -> dict[str, Any]:
    """Answer the challenge: its seconds have the key's loading, the link, all proofs and the owner's own check."""
    opening, challenge = load_opening(place / "opening.json"), load_challenge(place / "challenge.json")
    key = find_table_key(place / "keys", opening, len(challenge.cells), place / "secret")
    begun = time.perf_counter()
    answered = answer_challenge(opening, key, challenge, "challenge", place)
    seconds = time.perf_counter() - begun
    (place / "answer.json").write_bytes(answered.answer.to_bytes())
    _compare(opening, challenge, answered.answer.granted)
    return {
        "proofs": len(answered.answer.parts),
        "prove_s": round(seconds, 1),
        "prove_mb": round(peak_megabytes(), 0),
        "answer_bytes": (place / "answer.json").stat().st_size,
    }


def _compare(opening: Opening, challenge: Challenge, granted: tuple[int, ...]) -> None:
    """Raise BenchError unless counts are those of decisions made one row at a time."""
    counted = [0] * len(granted)
    for row, cell in zip(challenge.table(opening.spec, "challenge").rows, challenge.partition, strict=True):
        counted[cell] += opening.network.decide(row) == 1
    if tuple(counted) != granted:
        raise BenchError(f"the proven counts are {granted}, those of plain decisions {tuple(counted)}")


def checked(place: Path, checker: Checker) -> dict[str, Any]:
    """Verify the answer: its seconds have everything behind the parsers of the files."""
    challenge, answer = load_challenge(place / "challenge.json"), load_answer(place / "answer.json")
    commitment = load_commitment(place / "commitment.json")
    verifier = TableVerifier(commitment, TrustStore.open(place / "keys"), links_in(place), checker)
    begun = time.perf_counter()
    verifier.verify(challenge, answer, "challenge")
    return {f"{checker}_s": round(time.perf_counter() - begun, 2), f"{checker}_mb": round(peak_megabytes(), 0)}


def costs(results: Results) -> str:
    """Write the table of costs; what was set before stands in brackets."""
    head = (
        *("network", "rows", "rows a proof", "constraints a proof", "proofs", "set-up, s", "proving, s", "MB"),
        *("answer, KB", "check, s", "check in plain Python, s"),
    )
    rows = []
    for name, case in CASES.items():
        if (part := results["parts"].get(name)) is None:
            continue
        of_checks = (NATIVE, PLAIN) if case.rows == CHECKED_ROWS else (None, None)
        rows.append(
            (
                f"{case.dataset} ({','.join(map(str, case.hidden))})",
                f"{part['rows']:,}",
                f"{part['part']:,}",
                f"{part['constraints']:,}",
                str(part["proofs"]),
                str(part["setup_s"]),
                _beside(part["prove_s"], case.seconds),
                _beside(part["prove_mb"], case.megabytes),
                f"{part['answer_bytes'] / 1000:.1f}",
                _beside(part["native_s"], of_checks[0]),
                _beside(part["python_s"], of_checks[1]),
            )
        )
    return markdown(head, rows)


def _beside(figure: float, demand: float | None) -> str:
    """Write a figure, with what was set before in brackets."""
    return f"{figure:g}" if demand is None else f"{figure:g} ({demand:g})"
