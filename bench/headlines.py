"""The headline tables of docs/benchmarks.md: a few figures of the product's suites, each with a link to its page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from bench.harness import median, table
from bench.paper.cases import PAPER
from bench.paper.printed import PROOF_BYTES, TABLE_1
from bench.research import target_tables

Results = Mapping[str, Any]
Record = Mapping[str, Any]


def blocks(results: Mapping[str, Results | None]) -> dict[str, str]:
    """Return the headline tables by mark, for results by suite; a table without results says how to measure."""
    made = {}
    for name, (suites, write) in _TABLES.items():
        needed = [results[suite] for suite in suites]
        present = [one for one in needed if one is not None]
        lacking = f"No results are kept: `python -m bench {' '.join(suites)}` measures."
        made[f"headline-{name}"] = write(*present) if len(present) == len(needed) else lacking
    return made


def certificates(paper: Results, branch: Results) -> str:
    """Compare both schemes, and the paper's printed figures, on its six models: the least and the largest median."""
    names = {case.name for case in PAPER}
    walked = [one for one in paper["results"] if one["case"] in names]
    branched = list(branch["parts"].values())
    printed = [60 * (row.online_min + row.offline_min) for row in TABLE_1.values()]
    rows = [
        ("search, s", _range(walked, "certify_s", 3), _range(branched, "certify_s", 3), ""),
        ("prove, s", _range(walked, "prove_s", 2), _range(branched, "prove_s", 2), _ends(printed, 0)),
        ("check a proof, ms", _range(walked, "check_ms", 1), _range(branched, "check_ms", 1), ""),
        ("proof, bytes", _range(walked, "proof_bytes", 0), _range(branched, "proof_bytes", 0), f"{PROOF_BYTES:,}"),
        ("set-up, once for each shape, s", _range(walked, "setup_s", 1), _range(branched, "setup_s", 1), ""),
        ("memory of proving, MB", _range(walked, "peak_mb", 0), _range(branched, "peak_mb", 0), ""),
        ("constraints", _range(walked, "constraints", 0), _range(branched, "constraints", 0), ""),
        (
            "certified / exact radius with 64 regions or leaves, median",
            _of_exact(branched, "walk"),
            _of_exact(branched, "radius"),
            "",
        ),
        ("applicants certified to their exact radius", "", _reached(branched), ""),
    ]
    return table(("six models", "scheme `traversal`", "scheme `branch`", "FairProof, printed"), rows)


def networks(larger: Results, fairify: Results) -> str:
    """Show what larger networks cost under scheme `branch`, with the most leaves measured, and how far they reach."""
    by_hidden: dict[tuple[int, ...], list[tuple[Record, Record]]] = {}
    for part in larger["parts"].values():
        most = max(part["capacities"], key=lambda of: of["capacity"])
        by_hidden.setdefault(tuple(part["hidden"]), []).append((part, most))
    rows = [
        (
            f"{_layers(hidden)} on {', '.join(part['dataset'].capitalize() for part, _ in pairs)}",
            *_costs([most for _, most in pairs]),
            _share(
                (radius, exact, known)
                for part, most in pairs
                for radius, exact, known in zip(most["radius_all"], part["most_all"], part["known_all"], strict=True)
            ),
        )
        for hidden, pairs in by_hidden.items()
    ]
    name, part = max(fairify["parts"].items(), key=lambda item: item[1]["constraints"])
    applicants = zip(part["radius_all"], part["most_all"], part["known_all"], strict=True)
    rows.append((f"Fairify's {name}, {_layers(part['hidden'])}", *_costs([part]), _share(applicants)))
    head = (
        "network",
        "leaves",
        "constraints",
        "prove, s",
        "check, ms",
        "memory, MB",
        "certified / exact radius, median",
    )
    return table(head, rows)


def verification(verify: Results) -> str:
    """Show what a verification takes, with the native check and in plain Python."""
    rows = []
    for checker in dict.fromkeys(one["checker"] for one in verify["results"]):
        cells = [
            _range([one for one in verify["results"] if (one["checker"], one["what"]) == (checker, what)], "ms", 0)
            for what in ("check", "verify", "command")
        ]
        rows.append((checker, *cells))
    return table(("checker", "the proof alone, ms", "`Verifier.verify`, ms", "`equiproof verify`, ms"), rows)


_TABLES: Mapping[str, tuple[tuple[str, ...], Callable[..., str]]] = {
    "certificates": (("paper", "branch"), certificates),
    "networks": (("larger", "fairify"), networks),
    "verification": (("verify",), verification),
    "trees": (("targets",), target_tables.headline),
}


def _range(records: Sequence[Record], name: str, digits: int) -> str:
    """Write the least and the largest of one figure of several records."""
    return _ends([record[name] for record in records], digits)


def _ends(values: Sequence[float], digits: int) -> str:
    """Write the least and the largest value, or the one that both round to."""
    least, most = (f"{end(values):,.{digits}f}" for end in (min, max))
    return least if least == most else f"{least} to {most}"


def _costs(records: Sequence[Record]) -> tuple[str, ...]:
    """Write the leaves and costs of several circuits."""
    figures = (("capacity", 0), ("constraints", 0), ("prove_s", 1), ("check_ms", 1), ("peak_mb", 0))
    return tuple(_range(records, name, digits) for name, digits in figures)


def _of_exact(parts: Iterable[Record], name: str) -> str:
    """Write the median share of the exact radius that a scheme certifies."""
    pairs = [pair for part in parts for pair in zip(part[f"{name}_all"], part["exact_all"], strict=True)]
    return f"{median([radius / exact for radius, exact in pairs if exact], 2):.2f}"


def _share(applicants: Iterable[tuple[float, float, int]]) -> str:
    """Write the median share of the exact radius, and for how many applicants the exact radius is known."""
    listed = list(applicants)
    shares = [radius / exact for radius, exact, known in listed if known and exact]
    middle = median(shares, 3)
    return "-" if middle is None else f"{middle:.1%} of {len(shares)} known (of {len(listed)})"


def _reached(parts: Iterable[Record]) -> str:
    """Write how many fair applicants are certified to their exact radius."""
    listed = list(parts)
    return f"{sum(part['reached_points'] for part in listed)} of {sum(part['fair_points'] for part in listed)}"


def _layers(hidden: Sequence[int]) -> str:
    """Write the sizes of hidden layers."""
    return f"({','.join(map(str, hidden))})"
