"""What becomes of refused applicants: outcomes, and the seconds of search and proof, of nine models."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.harness import Progress, machine, nothing
from bench.harness import table as markdown
from bench.recourse_models import Case, cases
from equiproof.certify.boxes import margin
from equiproof.certify.recourse.search import Recourse
from equiproof.prover import KeyStore
from equiproof.prover.box import BoxProver
from equiproof.prover.keys import StoredKey
from equiproof.prover.recourse import proven, recourse

ROWS = 40
"""How many applicants of each model are asked for: the first test rows that are refused for every listed value."""

PROVEN = 5
"""Of how many applicants what was found is proven."""

SECONDS = 5.0
"""The budget of a search."""


def run(
    data_dir: Path | None = None, progress: Progress = nothing, *, asked: Sequence[Case] | None = None, rows: int = ROWS
) -> dict[str, Any]:
    """Measure every model on the first refused test rows."""
    listed = list(cases(data_dir)) if asked is None else list(asked)
    results = []
    for done, case in enumerate(listed, start=1):
        with tempfile.TemporaryDirectory() as folder:
            key = KeyStore(Path(folder)).setup(case.shape)
            results.append(_measured(case, key, rows))
        progress(done, len(listed))
    return {"suite": "recourse", "machine": machine(), "rows": rows, "seconds": SECONDS, "results": results}


def _measured(case: Case, key: StoredKey, rows: int) -> dict[str, Any]:
    """Search for everybody, and prove what is found of some."""
    outcomes: Counter[str] = Counter()
    searches, whole = list[float](), list[float]()
    margins = [_margins(case, row) for row in case.rows]
    refused = [row for row, own in zip(case.rows, margins, strict=True) if max(own) <= -1]
    unfair = sum(min(own) <= 0 < max(own) for own in margins)
    for row in refused[:rows]:
        begun = time.perf_counter()
        found = recourse(case.opening, row, key=key, seconds=SECONDS)
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


def table(results: dict[str, Any]) -> str:
    """Write outcomes and seconds by model."""
    head = (
        *("data, model", "refused", "unfair", "asked", "way", "none", "dependent", "undecided"),
        *("decided of the others", "search, median s", "most", "with proof, median s"),
    )
    rows = []
    for one in results["results"]:
        others = one["asked"] - one["dependent"]
        share = (one["way"] + one["none"]) / others if others else 1.0
        rows.append(
            [
                f"{one['data']}, {one['model']}",
                *(str(one[name]) for name in ("refused", "unfair", "asked", "way", "none", "dependent", "undecided")),
                f"{100 * share:.1f} %",
                *(str(one[name]) for name in ("search_s", "search_max_s", "whole_s")),
            ]
        )
    return markdown(head, rows)
