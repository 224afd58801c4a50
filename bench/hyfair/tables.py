"""The tables of the suite, as the page shows them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from audits.hyfair.search import KINDS
from bench.harness import table as markdown
from bench.hyfair.published import PAPER
from bench.hyfair.suite import per_second_wanted

Results = Mapping[str, Any]


def verdicts(results: Results) -> str:
    """Write table I: verdicts and times to first on the published domains."""
    head = (
        "network", "groups", "scores apart", "first, s", "label flips", "first, s", "program alone, s",
        "paper: first, s", "k of first", "largest k", "instances", "applicants a second (wanted)",
    )  # fmt: skip
    rows = []
    for name, part in results["parts"].items():
        told, paper, search = part["settled"], PAPER[name], part["published"]
        rows.append(
            (
                _name(name, part),
                str(part["groups"]["published"]),
                _verdict(told["apart"]),
                _seconds(told["apart"]["first_s"]),
                _verdict(told["flipped"]),
                _seconds(told["flipped"]["first_s"]),
                f"{part['solver']['seconds']:.2f} ({part['solver']['outcome']})",
                f"{paper.first_s:g}" + (", called 2-fair" if paper.certified else ""),
                str(search["first_k"]),
                str(search["max_k"]),
                f"{search['instances']:,}",
                f"{part['applicants_per_s']:,.0f} ({per_second_wanted(part):,.0f})",
            )
        )
    return markdown(head, rows)


def searches(results: Results) -> str:
    """Write table II: the three searches on the enlarged domains."""
    head = (
        "network", "groups", "search", "applicants", "largest k", "paper", "mean k", "first, s", "instances",
        "success rate", "with largest k", "largest k after, s", "paper's k after, s",
    )  # fmt: skip
    rows = []
    for name, part in results["parts"].items():
        for kind in KINDS:
            found = part["enlarged"][kind]
            rows.append(
                (
                    _name(name, part) if kind == KINDS[0] else "",
                    str(part["groups"]["enlarged"]) if kind == KINDS[0] else "",
                    kind,
                    f"{found['evaluations']:,}",
                    str(found["max_k"]),
                    f"{PAPER[name].max_k:g}" if kind == KINDS[0] else "",
                    f"{found['mean_k']:.1f}",
                    _seconds(found["first_s"]),
                    f"{found['instances']:,}",
                    f"{found['success_rate']:.1%}",
                    f"{found['at_max']:,}",
                    _seconds(found["max_s"]),
                    _reached(part["reached"]) if kind == KINDS[0] else "",
                )
            )
    return markdown(head, rows)


def explanations(results: Results) -> str:
    """Write table III: the explanations of the largest k, and the largest k by gaps."""
    head = (
        "network", "k to explain", "rules (of paths)", "features a rule", "mean k", "mean k else", "difference",
        "precision, recall", "largest share of the domain", "largest k by gaps",
    )  # fmt: skip
    rows = []
    for name, part in results["parts"].items():
        told = part["explanation"]
        cells = [
            "-" if told[key] is None else f"{told[key]:.1f}" for key in ("size", "mean_k", "negated_k", "difference")
        ]
        rows.append(
            (
                _name(name, part),
                str(told["initial_k"]),
                f"{told['rules']} ({told['candidates']})",
                *cells,
                f"{told['precision']:.2f}, {told['recall']:.2f}",
                f"{told['coverage']:.2g}",
                str(part["gaps"]["max_k"]),
            )
        )
    return markdown(head, rows)


def mitigation(results: Results) -> str:
    """Write table IV: the networks as they are, behind a guardrail, retrained, and both."""
    head = (
        "network", "state", "accuracy", "rules", "rows stopped", "largest k", "mean k", "instances", "success rate",
        "rows apart", "mean k of rows",
    )  # fmt: skip
    rows = []
    for name, part in results["parts"].items():
        for number, (state, told) in enumerate(part["mitigation"].items()):
            mean = told["rows_mean_k"]
            rows.append(
                (
                    "" if number else _name(name, part),
                    state.replace("_", ", "),
                    f"{told['accuracy']:.2%}",
                    str(told["rules"]),
                    f"{told['rows_stopped']:.1%}",
                    str(told["max_k"]),
                    f"{told['mean_k']:.1f}",
                    f"{told['instances']:,}",
                    f"{told['success_rate']:.1%}",
                    f"{told['rows_apart']:.1%}",
                    "-" if mean is None else f"{mean:.2f}",
                )
            )
    return markdown(head, rows)


def _name(name: str, part: Mapping[str, Any]) -> str:
    """Write a network with its sizes."""
    return f"{name} {'-'.join(map(str, part['hidden']))}"


def _verdict(told: Mapping[str, Any]) -> str:
    """Write a verdict and what settled it."""
    return f"{told['verdict']} ({told['by']})"


def _reached(told: Mapping[str, Any]) -> str:
    """Write when a search had the paper's number of clusters, or what it had at its end."""
    if told["max_k"] >= told["target"]:
        return f"{told['target']}: {_seconds(told['max_s'])}"
    return f"{told['target']}: not in {told['seconds']:.0f}, {told['max_k']}"


def _seconds(value: float | None) -> str:
    """Write seconds of the processor."""
    return "-" if value is None else f"{value:.3f}"
