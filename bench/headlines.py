"""The headlines, docs/headlines.json: every figure that the README and pages outside docs/benchmarks quote.

An entry names the `suites` that it is made of and the `pages` that quote it: a `text` as it stands there, or a table of
`head` and `rows` in docs/benchmarks.md. Entries of the product's suites are made here; those of others only kept.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.harness import median, table
from bench.paper.cases import PAPER
from bench.paper.printed import PROOF_BYTES, TABLE_1
from bench.suite import Headlines

Results = Mapping[str, Any]
Record = Mapping[str, Any]
Table = tuple[Sequence[str], Sequence[Sequence[str]]]

FILE = Path(__file__).resolve().parents[1] / "docs" / "headlines.json"
OVERVIEW = "docs/benchmarks.md"


def read() -> Headlines:
    """Read the file."""
    kept: Headlines = json.loads(FILE.read_text(encoding="utf-8"))
    return kept


def keep(made: Headlines) -> None:
    """Put entries into the file in place of those of the same names."""
    entries = ",\n".join(f" {_line(name)}: {{\n{_fields(entry)}\n }}" for name, entry in (read() | made).items())
    FILE.write_text(f"{{\n{entries}\n}}\n", encoding="utf-8")


def _fields(entry: Mapping[str, Any]) -> str:
    """Write the fields of an entry, one a line, and each row of a table on a line, so that a change shows in review."""
    texts = {name: _line(value) for name, value in entry.items()}
    if "rows" in entry:
        texts["rows"] = "[\n" + ",\n".join(f"   {_line(row)}" for row in entry["rows"]) + "\n  ]"
    return ",\n".join(f"  {_line(name)}: {text}" for name, text in texts.items())


def _line(value: object) -> str:
    """Write a value on one line."""
    return json.dumps(value, ensure_ascii=False)


def product(results: Mapping[str, Results | None]) -> Headlines:
    """Make the entries of the product's suites, for results by suite; without results a table says how to measure."""
    made: Headlines = {}
    for name, (suites, tabulate) in _TABLES.items():
        present = [one for suite in suites if (one := results[suite]) is not None]
        made[name] = {"suites": list(suites), "pages": [OVERVIEW]}
        if len(present) == len(suites):
            head, rows = tabulate(*present)
            made[name] |= {"head": list(head), "rows": [list(row) for row in rows]}
        else:
            made[name] |= {"text": f"No results are kept: `python -m bench {' '.join(suites)}` measures."}
    return made | sentences(results, _SENTENCES)


def sentences(
    results: Mapping[str, Results | None], listed: Mapping[str, tuple[str, str, Callable[[Results], str]]]
) -> Headlines:
    """Make entries of text, from a listing of suite, quoting page and function by name; those without results stay."""
    return {
        name: {"suites": [suite], "pages": [page], "text": write(measured)}
        for name, (suite, page, write) in listed.items()
        if (measured := results[suite]) is not None
    }


def blocks(headlines: Headlines) -> dict[str, str]:
    """Return what docs/benchmarks.md shows by mark."""
    return {
        f"headline-{name}": table(entry["head"], entry["rows"]) if "rows" in entry else entry["text"]
        for name, entry in headlines.items()
        if OVERVIEW in entry["pages"]
    }


def certificates(paper: Results, branch: Results) -> Table:
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
    return ("six models", "scheme `traversal`", "scheme `branch`", "FairProof, printed"), rows


def networks(larger: Results, fairify: Results) -> Table:
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
    return head, rows


def verification(verify: Results) -> Table:
    """Show what a verification takes, with the native check and in plain Python."""
    rows = []
    for checker in dict.fromkeys(one["checker"] for one in verify["results"]):
        cells = [
            _range([one for one in verify["results"] if (one["checker"], one["what"]) == (checker, what)], "ms", 0)
            for what in ("check", "verify", "command")
        ]
        rows.append((checker, *cells))
    return ("checker", "the proof alone, ms", "`Verifier.verify`, ms", "`equiproof verify`, ms"), rows


def search(branch: Results) -> str:
    """Say how long a search takes at most: the largest median of the models, rounded up."""
    most = max(part["certify_s"] for part in branch["parts"].values())
    return f"a search takes less than {math.floor(100 * most + 1) / 100:.2f} s"


def prove(branch: Results) -> str:
    """Say how long a proof takes."""
    return f"a proof of the exact radius {_range(list(branch['parts'].values()), 'prove_s', 2)} s"


def check(branch: Results) -> str:
    """Say how long a check of a proof takes."""
    return f"Checking a proof takes {_range(list(branch['parts'].values()), 'check_ms', 0)} ms"


def command(verify: Results) -> str:
    """Say how long the command takes, natively and in plain Python."""
    commands = [one for one in verify["results"] if one["what"] == "command"]
    native, python = (
        _ends([one["ms"] / 1e3 for one in commands if one["checker"] == checker], 1) for checker in ("native", "python")
    )
    return f"`equiproof verify` takes {native} s, or {python} s in plain Python"


def neurons(larger: Results) -> str:
    """Say what a proof takes at most for the largest network."""
    most = max(sum(part["hidden"]) for part in larger["parts"].values())
    proofs = [one for part in larger["parts"].values() if sum(part["hidden"]) == most for one in part["capacities"]]
    seconds, megabytes = (max(one[name] for one in proofs) for name in ("prove_s", "peak_mb"))
    return f"For {most} neurons, [a proof]({OVERVIEW}) takes {seconds:.0f} s, {megabytes / 1e3:.0f} GB"


_TABLES: Mapping[str, tuple[tuple[str, ...], Callable[..., Table]]] = {
    "certificates": (("paper", "branch"), certificates),
    "networks": (("larger", "fairify"), networks),
    "verification": (("verify",), verification),
}

_SENTENCES: Mapping[str, tuple[str, str, Callable[[Results], str]]] = {
    "search": ("branch", "README.md", search),
    "prove": ("branch", "README.md", prove),
    "check": ("branch", "README.md", check),
    "command": ("verify", "README.md", command),
    "neurons": ("larger", "README.md", neurons),
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
