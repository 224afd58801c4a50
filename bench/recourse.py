"""What becomes of refused applicants: outcomes, and the seconds of search and proof, by model."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bench.harness import table as markdown
from bench.parts import BaseQuestion, Options, Plan
from bench.recourse_models import LARGER, Case, case_of, listed
from equiproof.certify.boxes import margin
from equiproof.certify.recourse.search import Recourse
from equiproof.prover import KeyStore
from equiproof.prover.box import BoxProver
from equiproof.prover.keys import StoredKey
from equiproof.prover.recourse import proven, recourse

PROVEN = 5
"""Of how many applicants what was found is proven."""


@dataclass(frozen=True)
class Question(BaseQuestion):
    """The first test rows that are refused for every listed value, fewer of larger models; `seconds` limit a search."""

    points: int = 40
    seconds: float = 5.0
    jobs: int = 1
    of_larger: int = 20


def plan(data_dir: Path | None, options: Options, question: Question | None = None) -> Plan:
    """Return a part for every model. Raises BenchError for several processes, since searches are timed."""
    options.one_by_one("recourse", "searches")
    asked = options.of(question or Question())
    parts = {name: partial(_part, *pair, asked, data_dir) for name, pair in listed().items()}
    return Plan(asked.as_data(), parts)


def _part(data: str, model: str, question: Question, data_dir: Path | None) -> dict[str, Any]:
    """Train a model, make its key, and measure."""
    case = case_of(data, model, data_dir)
    most = min(question.points, question.of_larger) if (data, model) in LARGER else question.points
    with tempfile.TemporaryDirectory() as folder:
        return measured(case, KeyStore(Path(folder)).setup(case.shape), most, question.seconds)


def measured(case: Case, key: StoredKey, most: int, seconds: float) -> dict[str, Any]:
    """Search for so many people, and prove what is found of some."""
    outcomes: Counter[str] = Counter()
    searches, whole = list[float](), list[float]()
    margins = [_margins(case, row) for row in case.rows]
    refused = [row for row, own in zip(case.rows, margins, strict=True) if max(own) <= -1]
    unfair = sum(min(own) <= 0 < max(own) for own in margins)
    for row in refused[:most]:
        begun = time.perf_counter()
        found = recourse(case.opening, row, key=key, seconds=seconds)
        searches.append(time.perf_counter() - begun)
        outcomes[found.outcome] += 1
        if len(whole) < PROVEN and found.outcome in ("way", "none"):
            whole.append(_proven(case, key, found, begun))
    return {
        "data": case.data,
        "model": case.model,
        "constraints": key.document.constraints,
        "refused": len(refused),
        "unfair": unfair,
        "asked": len(searches),
        **{name: outcomes[name] for name in ("way", "none", "dependent", "undecided")},
        "search_s": round(statistics.median(searches), 4) if searches else None,
        "search_max_s": round(max(searches), 3) if searches else None,
        "whole_s": round(statistics.median(whole), 3) if whole else None,
    }


def _proven(case: Case, key: StoredKey, found: Recourse, begun: float) -> float:
    """Prove the first way or the none, and return the seconds since the search began."""
    with BoxProver(case.opening, key) as prover:
        next(iter(proven(prover, found.keeping(1), case.opening.spec.labels[-1])))
    return time.perf_counter() - begun


def _margins(case: Case, row: Mapping[str, Any]) -> list[int]:
    """Return the margins of the last label for every listed value."""
    spec = case.opening.spec
    query, wanted = spec.encode(row), len(spec.labels) - 1
    return [margin(case.opening.model, wanted, (*query, *one)) for one in spec.domain_table]


def table(results: Mapping[str, Any]) -> str:
    """Write outcomes and seconds by model."""
    head = (
        *("data, model", "refused", "unfair", "asked", "way", "none", "dependent", "undecided"),
        *("decided of the others", "search, median s", "most", "with proof, median s"),
    )
    rows = []
    for one in results["parts"].values():
        others = one["asked"] - one["dependent"]
        share = (one["way"] + one["none"]) / others if others else 1.0
        rows.append(
            [
                f"{one['data']}, {one['model']}",
                *(str(one[key]) for key in ("refused", "unfair", "asked", "way", "none", "dependent", "undecided")),
                f"{100 * share:.1f} %",
                *(str(one[key]) for key in ("search_s", "search_max_s", "whole_s")),
            ]
        )
    return markdown(head, rows)
