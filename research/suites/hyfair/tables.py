"""The tables of the suites `hyfair` and `hyfair-search`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from bench.harness import table as markdown
from equiproof.audits.hyfair.search import KINDS
from research.suites.hyfair.published import MITIGATED, PAPER
from research.suites.hyfair.suite import per_second_wanted

Results = Mapping[str, Any]

_FORMS = {
    "evaluations": ",.0f", "instances": ",.0f", "success_rate": ".1%", "first_s": ".3f", "first_k": ".0f",
    "max_k": ".0f", "mean_k": ".1f", "at_max": ",.0f", "max_s": ".3f",
}  # fmt: skip
"""How figures of a search are written."""

_STATES = ("original", "guarded", "retrained", "retrained_guarded")
"""The states of table IV, in its order."""


def verdicts(results: Results) -> str:
    """Write table I: verdicts and times to first on the published domains."""
    head = (
        "network", "groups", "scores apart", "first, s", "label flips", "first, s", "program alone, s",
        "paper: first, s", "applicants a second (wanted)",
    )  # fmt: skip
    rows = []
    for name, part in results["parts"].items():
        record, paper = part["settled"], PAPER[name]
        rows.append(
            (
                _name(name, part),
                str(part["groups"]["published"]),
                _verdict(record["apart"]),
                _seconds(record["apart"]["first_s"]),
                _verdict(record["flipped"]),
                _seconds(record["flipped"]["first_s"]),
                f"{part['solver']['seconds']:.2f} ({part['solver']['outcome']})",
                f"{paper.first_s:g}" + (", called 2-fair" if paper.certified else ""),
                f"{part['applicants_per_s']:,.0f} ({per_second_wanted(part):,.0f})",
            )
        )
    return markdown(head, rows)


def alternated(results: Results) -> str:
    """Write the rest of table I: search and solver in turn on the published domains, over the seeds."""
    head = ("network", "groups", "applicants", "k of first", "first, s", "largest k", "mean k", "instances")
    rows = []
    for name, part in results["parts"].items():
        runs = [run["published"] for run in part["runs"]]
        rows.append(
            (
                _name(name, part),
                str(part["groups"]["published"]),
                *_spreads(runs, "evaluations", "first_k", "first_s", "max_k", "mean_k", "instances"),
            )
        )
    return markdown(head, rows)


def searches(results: Results) -> str:
    """Write table II: the three searches on the enlarged domains, over the seeds."""
    head = (
        "network", "groups", "search", "applicants", "largest k", "paper", "mean k", "first, s", "instances",
        "success rate", "with largest k", "largest k after, s",
    )  # fmt: skip
    rows = []
    for name, part in results["parts"].items():
        for kind in KINDS:
            runs = [run["enlarged"][kind] for run in part["runs"]]
            rows.append(
                (
                    _name(name, part) if kind == KINDS[0] else "",
                    str(part["groups"]["enlarged"]) if kind == KINDS[0] else "",
                    kind,
                    *_spreads(runs, "evaluations", "max_k"),
                    f"{PAPER[name].max_k:g}" if kind == KINDS[0] else "",
                    *_spreads(runs, "mean_k", "first_s", "instances", "success_rate", "at_max", "max_s"),
                )
            )
    return markdown(head, rows)


def reached(results: Results) -> str:
    """Write what the paper's largest k took, or what shows that it does not occur."""
    head = ("network", "paper", "domain", "groups", "largest k found", "after, s", "no applicant has more than")
    rows = []
    for name, part in results["parts"].items():
        for number, (domain, record) in enumerate(part["reached"].items()):
            rows.append(
                (
                    "" if number else _name(name, part),
                    "" if number else f"{PAPER[name].max_k:g}",
                    domain,
                    str(record["groups"]),
                    str(record["max_k"]),
                    _seconds(record["max_s"]),
                    _bound(record),
                )
            )
    return markdown(head, rows)


def explanations(results: Results) -> str:
    """Write table III: rules and LIME's features for the largest k, and the largest k by gaps."""
    head = (
        "network", "k to explain", "rules (of paths)", "features a rule", "mean k", "mean k else", "difference",
        "precision, recall", "largest share of the domain", "LIME: features", "k, one drawn anew", "difference",
        "k, one to all", "difference", "paper: rules, LIME", "largest k by gaps",
    )  # fmt: skip
    rows = []
    for name, part in results["parts"].items():
        ours, lime = ([run[key] for run in part["runs"]] for key in ("explanation", "local"))
        sizes = [{"size": len(one["features"])} for one in lime]
        falls = [{way: one["k"] - one[way] for way in ("one_by_one", "together")} for one in lime]
        counts = [f"{one['rules']} ({one['candidates']})" for one in ours]
        rows.append(
            (
                _name(name, part),
                spread(ours, "initial_k", ".0f"),
                ", ".join(counts),
                *(spread(ours, key, ".1f") for key in ("size", "mean_k", "negated_k", "difference")),
                f"{spread(ours, 'precision', '.2f')}, {spread(ours, 'recall', '.2f')}",
                spread(ours, "coverage", ".2g"),
                spread(sizes, "size", ".0f"),
                spread(lime, "one_by_one", ".1f"),
                spread(falls, "one_by_one", ".1f"),
                spread(lime, "together", ".1f"),
                spread(falls, "together", ".1f"),
                _falls(name),
                spread([run["gaps"] for run in part["runs"]], "max_k", ".0f"),
            )
        )
    return markdown(head, rows)


def mitigation(results: Results) -> str:
    """Write table IV: the networks as they are, behind a guardrail, retrained, and both."""
    head = (
        "network", "state", "accuracy", "rules", "rows stopped", "largest k", "mean k", "instances", "success rate",
        "rows apart", "mean k of rows", "paper: accuracy, largest k, mean k, success rate",
    )  # fmt: skip
    rows = []
    for name, part in results["parts"].items():
        printed = dict(zip(_STATES, MITIGATED.get(name, ()), strict=False))
        for number, (state, record) in enumerate(part["mitigation"].items()):
            mean = record["rows_mean_k"]
            rows.append(
                (
                    "" if number else _name(name, part),
                    state.replace("_", ", "),
                    f"{record['accuracy']:.2%}",
                    str(record["rules"]),
                    f"{record['rows_stopped']:.1%}",
                    str(record["max_k"]),
                    f"{record['mean_k']:.1f}",
                    f"{record['instances']:,}",
                    f"{record['success_rate']:.1%}",
                    f"{record['rows_apart']:.1%}",
                    "-" if mean is None else f"{mean:.2f}",
                    "-" if state not in printed else "{:.2f}%, {:g}, {:g}, {:g}%".format(*printed[state]),
                )
            )
    return markdown(head, rows)


def _name(name: str, part: Mapping[str, Any]) -> str:
    """Write a network with its sizes."""
    return f"{name} {'-'.join(map(str, part['hidden']))}"


def _verdict(record: Mapping[str, Any]) -> str:
    """Write a verdict and what settled it."""
    return f"{record['verdict']} ({record['by']})"


def spread(runs: Sequence[Mapping[str, Any]], key: str, form: str) -> str:
    """Write the median over the seeds, and in brackets the least and the largest where they differ as written."""
    values = sorted(run[key] for run in runs if run[key] is not None)
    if not values:
        return "-"
    middle, least, most = (format(value, form) for value in (median(values), values[0], values[-1]))
    return middle if least == most else f"{middle} ({least} to {most})"


def _spreads(runs: Sequence[Mapping[str, Any]], *keys: str) -> list[str]:
    """Write several figures of a search over the seeds."""
    return [spread(runs, key, _FORMS[key]) for key in keys]


def _falls(name: str) -> str:
    """Write the paper's falls of k by its rules and by LIME."""
    falls = PAPER[name].falls
    return "-" if falls is None else f"{falls[0]:g}, {falls[1]:g}"


def _bound(record: Mapping[str, Any]) -> str:
    """Write what no applicant exceeds, and by which evidence; nothing where the number of buckets was reached."""
    if record["at_most"] is None:
        return ""
    if record["checked_leaves"] is None:
        if record["max_k"] == record["at_most"]:
            return ""
        return f"{record['at_most']} (nothing less shown in {record['ceiling_s']:.0f} s)"
    return f"{record['at_most']} ({record['checked_leaves']:,} leaves, {record['ceiling_s']:.0f} s)"


def _seconds(value: float | None) -> str:
    """Write seconds of the processor."""
    return "-" if value is None else f"{value:.3f}"
