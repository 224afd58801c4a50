"""Tables of the paper's evaluation in Markdown, from the results of `bench.paper.measure`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bench.harness import table, within
from bench.paper.cases import CASES, MORE_SLICES, PAPER, Case
from bench.paper.printed import BUILT, PROOF_BYTES, TABLE_1

Result = Mapping[str, Any]
_HEADINGS = (
    "case",
    "K",
    "constraints",
    "set-up s",
    "prove s",
    "online s",
    "verify ms",
    "check ms",
    "proof B",
    "peak MB",
)


def side_by_side(results: Sequence[Result]) -> str:
    """Write table 1 with printed and measured figures; the last column uses the mean of the two variants."""
    rows = []
    for case, (fair, unfair) in _pairs(results, PAPER):
        printed = TABLE_1[case.name]
        online = (fair["online_s"] + unfair["online_s"]) / 2
        rows.append(
            (
                case.title,
                str(printed.traversals),
                f"{unfair['traversals']:.0f} / {fair['traversals']:.0f}",
                f"{printed.online_min:.2f} + {printed.offline_min:.2f}",
                f"{unfair['online_s']:.2f} / {fair['online_s']:.2f}",
                f"{60 * printed.online_min / online:,.0f}",
            )
        )
    head = (
        "model", "facets, printed", "facets, unfair / fair", "minutes, printed (online + offline)",
        "seconds online, unfair / fair", "printed online / measured",
    )  # fmt: skip
    return table(head, rows)


def race(results: Sequence[Result]) -> str:
    """Compare the paper's published code on two cores with a certificate for the same kind of network."""
    rows = []
    for built in BUILT:
        found = next(one for one in results if (one["case"], one["variant"]) == (built.case, "fair"))
        alone = built.what == "proving alone"
        seconds = found["prove_s"] + (0 if alone else found["setup_s"] + found["certify_s"] + found["witness_s"])
        theirs = [f"{built.proofs} proofs"]
        theirs += [f"{built.constraints / 1e6:g} million constraints"] if built.constraints else []
        theirs += [f"{built.peak_gb:g} GB"] if built.peak_gb else []
        ours = ["1 proof", f"{found['constraints']:,} constraints", f"{found['peak_mb'] / 1000:.2f} GB"]
        ours.append(f"K = {found['capacity']}")
        rows.append(
            (
                built.query,
                f"{built.seconds:g} {built.what}",
                ", ".join(theirs),
                f"{seconds:.2f}",
                ", ".join(ours),
                f"{built.seconds / seconds:,.0f}",
            )
        )
    head = ("query", "seconds, published code", "made", "seconds here", "made here", "ratio")
    return table(head, rows)


def costs(results: Sequence[Result]) -> str:
    """Write the costs of a certificate for every case; a figure beyond its limit is marked."""
    rows = []
    for result in results:
        case = CASES[result["case"]]
        limits = case.targets
        rows.append(
            (
                f"{named(case)}, {result['variant']}",
                str(result["capacity"]),
                within(f"{result['constraints']:,}", result["constraints"], limits.constraints),
                within(f"{result['setup_s']:.1f}", result["setup_s"], limits.setup_s),
                within(_spread(result, "prove_s", 3), result["prove_s"], limits.prove_s),
                within(_spread(result, "online_s", 3), result["online_s"], limits.online_s),
                _spread(result, "verify_ms", 1),
                _spread(result, "check_ms", 1),
                within(str(result["proof_bytes"]), result["proof_bytes"], limits.proof_bytes),
                within(f"{result['peak_mb']:.0f}", result["peak_mb"], limits.peak_mb),
            )
        )
    return table(_HEADINGS, rows)


def radii(results: Sequence[Result]) -> str:
    """Write who gets a certificate, and its radius, for fair and unfair variants."""
    rows = [
        (
            f"{named(case)}, {result['variant']}",
            f"{result['weight_decay']:g}",
            f"{result['accuracy']:.1%}",
            f"{result['unfair_points']} of {result['points']}",
            _spread(result, "radius", 3),
            _spread(result, "patterns", 0),
        )
        for case, pair in _pairs(results, (*PAPER, *MORE_SLICES))
        for result in reversed(pair)
    ]
    head = ("case", "weight decay", "accuracy", "unfair at the point itself", "full radius", "patterns at full radius")
    return table(head, rows)


def beyond(results: Sequence[Result]) -> str:
    """Write the points beyond the key: the radius that fits, and their full radius under wider keys."""
    rows = [
        (
            f"{named(CASES[result['case']])}, {result['variant']}",
            str(result["capacity"]),
            f"{result['full_share']:.0%}",
            f"{result['over_radius_kept']:.2f}" if result["over_points"] else "",
            result["wider_capacities"].replace(" ", ", ") if result["over_points"] else "",
            f"{result['wider_constraints']:,}" if result["over_points"] else "",
            _spread(result, "wider_prove_s", 2) if result["over_points"] else "",
            _spread(result, "wider_online_s", 2) if result["over_points"] else "",
        )
        for result in results
    ]
    head = (
        "case", "K", "full radius fits", "radius kept of the rest", "wider K : points", "constraints, widest",
        "prove s, wider", "online s, wider",
    )  # fmt: skip
    return table(head, rows)


def sizes(results: Sequence[Result]) -> str:
    """Write one sentence on sizes in bytes."""
    proof = max(result["proof_bytes"] for result in results)
    whole = max(result["certificate_bytes"] for result in results)
    return (
        f"A proof has {proof} bytes, its certificate at most {whole:,}; the paper prints {PROOF_BYTES / 1000:g} KB for "
        f"German (2,4), {PROOF_BYTES / proof:.0f} times the proof."
    )


def named(case: Case) -> str:
    """Return a case's title, with its sensitive features if they replace the data set's own."""
    return case.title if case.sensitive is None else f"{case.title}, {' x '.join(case.sensitive)}"


def _pairs(results: Sequence[Result], cases: Iterable[Case]) -> list[tuple[Case, tuple[Result, Result]]]:
    """Return fair and unfair results of every case that has both."""
    found = {(result["case"], result["variant"]): result for result in results}
    return [
        (case, (found[case.name, "fair"], found[case.name, "unfair"]))
        for case in cases
        if {(case.name, "fair"), (case.name, "unfair")} <= found.keys()
    ]


def _spread(result: Result, name: str, digits: int) -> str:
    """Write a median with its largest value."""
    if result[name] is None:
        return ""
    return f"{result[name]:.{digits}f} ({result[f'{name}_max']:.{digits}f})"
