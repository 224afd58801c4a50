"""Repair over boxes of applicants: what a proof for everyone in a box costs beside a repair of the same points.

The points, the rows to keep and the test rows are those of the fresh seeds' first split. The box names ranges of one or
two features; all others take all their values.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from bench.harness import apart
from bench.harness import table as markdown
from bench.parts import Options, Plan
from equiproof.audits.prof.box import RepairedBox, read_box, repair_box
from equiproof.audits.prof.metrics import accuracy
from equiproof.audits.prof.repair import Repaired, Settings, repair
from equiproof.audits.prof.similar import Similarity
from research.suites.prof import table as single
from research.suites.prof.nets import NETWORKS, load_network
from research.suites.prof.table import Asking, Question, Split

BOXES: Mapping[str, tuple[Asking, str]] = {
    "German-sex": (Asking("German", ("sex",)), "month=6..36"),
    "German-age": (Asking("German", ("age",)), "month=6..36"),
    "Adult-sex": (Asking("Adult", ("sex",)), "age=30..40"),
    "Bank-age": (Asking("Bank", ("age",)), "campaign=1..3"),
}
"""A network, its sensitive features, and a box."""


def plan(data_dir: Path | None, options: Options, question: Question | None = None) -> Plan:
    """Return a part for every box."""
    fresh = single.FRESH
    asked = options.of(question or Question(seed=fresh.seed, seeds=fresh.seeds[:1], training=fresh.training))
    return Plan(asked.as_data(), {name: partial(apart, measured, name, asked, data_dir) for name in BOXES})


def measured(name: str, question: Question, data_dir: Path | None) -> dict[str, Any]:
    """Repair for points and over a box, on the split of the first seed."""
    asking, text = BOXES[name]
    loaded = load_network(asking.name, asking.sensitive, data_dir, question.training)
    similarity, applicants = Similarity.of(loaded.spec), read_box(text, loaded.spec)
    split = Split.of(asking.name, loaded, question.seeds[0], question.points)
    settings = Settings(seconds=question.seconds, seed=question.seeds[0])
    plain = repair(loaded.network, similarity, split.queries, split.kept, settings)
    begun = time.process_time()
    made = repair_box(loaded.network, similarity, applicants, split.kept, settings, points=split.queries)
    record = {
        "network": NETWORKS[asking.name].network,
        "box": text,
        "applicants": str(applicants.count),
        "cpu_s": round(time.process_time() - begun, 2),
        "before": accuracy(loaded.network, *split.test),
        "points": accuracy(plain.network, *split.test) if isinstance(plain, Repaired) else None,
    }
    if not isinstance(made, RepairedBox):
        return {**record, "reason": made.reason}
    start = loaded.spec.plain_columns
    weights = sum(bool(weight) for row in made.repaired.network.layers[0].weights for weight in row[start:])
    after = {"after": accuracy(made.repaired.network, *split.test), "constant": made.repaired.constant}
    return {**record, **after, "rounds": made.rounds, "leaves": made.proof.leaves, "weights": weights}


def table(results: Mapping[str, Any]) -> str:
    """Write a line per box."""
    rows = []
    for name, part in results["parts"].items():
        title = f"{BOXES[name][0].name} ({part['network']}), {' and '.join(BOXES[name][0].sensitive)}"
        shares = [_percent(part.get(key)) for key in ("before", "points", "after")]
        proof = [str(part.get(key, "-")) for key in ("rounds", "weights", "leaves")]
        rows.append((title, part["box"], f"{float(part['applicants']):.1e}", *shares, *proof, f"{part['cpu_s']:.1f}"))
    head = ("network, sensitive", "box", "applicants", "accuracy % before", "repaired for points", "over the box",
            "rounds", "sensitive weights left", "leaves of the proof", "CPU seconds")  # fmt: skip
    return markdown(head, rows)


def _percent(share: float | None) -> str:
    """Write a share in percent, a dash where there is none."""
    return "-" if share is None else f"{100 * share:.2f}"
