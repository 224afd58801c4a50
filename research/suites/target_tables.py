"""The tables of :mod:`research.suites.targets`: costs and reach beside the targets, and why a target was missed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from bench.harness import median
from bench.harness import table as markdown
from research.suites.target_models import CHECK_MS, FASTER, MEDIAN_S, NINE_OF_TEN_S, PROOF_BYTES, Model
from research.suites.targets import nine_of_ten, parts_of

Part = Mapping[str, Any]

NEAR = 0.9
"""The target share of the exact radius where not all of it fits a key."""

WORDS = {"seconds": "time", "work": "time"}


def costs(results: Mapping[str, Any]) -> str:
    """Write what the key and a proof of every model cost, with the targets in brackets."""
    head = (
        "model", "predicates", "trees, nodes", "K, V, A", "constraints", "set-up s", "witness s", "prove s", "CPU s",
        "memory MB", "check ms", "proof B",
    )  # fmt: skip
    return markdown(head, [_costs(part, model) for part, model in parts_of(results)])


def reach(results: Mapping[str, Any]) -> str:
    """Write how many applicants get their exact radius, or 0.9 of it, with the targets in brackets."""
    head = ("model", "radius, median", "exact search s, median / 90%", "certify s", "exact radius", "0.9 of it")
    return markdown(head, [_reach(part, model) for part, model in parts_of(results)])


def misses(results: Mapping[str, Any]) -> str:
    """Write a sentence on each target that was missed, and why, or that none was."""
    lines = [f"- {name(part, model)}: {one}" for part, model in parts_of(results) for one in missed(part, model)]
    return "\n".join(lines) or "No target was missed."


def headline(results: Mapping[str, Any]) -> str:
    """Write a line for the overview: the slowest proof of each model, and the reach of all keys together."""
    slowest: dict[str, Part] = {}
    for part, model in parts_of(results):
        if part.get("prove_s", 0) > slowest.get(model.words, {}).get("prove_s", 0):
            slowest[model.words] = part
    proofs = [f"{part['prove_s']:.1f} s for {words} ({part['constraints']:,})" for words, part in slowest.items()]
    parts = [part for part, _ in parts_of(results)]
    near, points = sum(within(part, NEAR) for part in parts), sum(part["points"] for part in parts)
    took = f"A proof takes, for so many constraints, {', '.join(proofs)}. " if proofs else ""
    return f"{took}{near} of {points} applicants get 0.9 of their exact radius or more."


def name(part: Part, model: Model) -> str:
    """Return a part's name in words."""
    return f"{part['dataset'].capitalize()}, {model.words}"


def missed(part: Part, model: Model) -> Iterator[str]:
    """Yield a sentence on each target that a part misses."""
    aims, count = model.aims, part["constraints"]
    gadgets = ", ".join(f"{gadget} {size:,}" for gadget, size in part["gadgets"])
    if count is None:
        yield f"no key is made: {part['too_large']}"
    elif aims.constraints is not None and count > aims.constraints:
        yield f"{count:,} constraints, the target is {aims.constraints:,}; most are for {gadgets}"
    if _above(part, "prove_s", aims.prove_s):
        yield (
            f"{part['prove_s']:.1f} s a proof, the target is {aims.prove_s:g}: {part['prove_cpu_s']:.1f} CPU s "
            f"for {count:,} constraints, most of them for {gadgets}"
        )
    if _above(part, "peak_mb", aims.peak_mb):
        yield f"{part['peak_mb']:,.0f} MB, the target is {aims.peak_mb:,.0f}: {count:,} constraints"
    if _above(part, "check_ms", CHECK_MS):
        yield f"{part['check_ms']:.1f} ms a check, the target is {CHECK_MS:g}"
    if _above(part, "proof_bytes", PROOF_BYTES):
        yield f"{part['proof_bytes']} bytes a proof, the target is {PROOF_BYTES}"
    for aim, share, what in ((aims.exact, 1.0, "the exact radius"), (aims.near, NEAR, "0.9 of it")):
        if aim is not None and within(part, share) < aim * part["points"]:
            yield f"{what} for {_of(part, share)}, the target is {100 * aim:.0f} %; {short(part, share)}"
    if model.trees <= FASTER or model.depth == 1:
        times = part["exact_s_all"]
        for figure, most, what in (
            (median(times, 4), MEDIAN_S, "the median"),
            (nine_of_ten(times), NINE_OF_TEN_S, "nine of ten"),
        ):
            if figure is not None and figure > most:
                yield f"{what} of exact searches takes {figure:.2g} s, the target is {most:g}: {sizes(part)}"


def within(part: Part, share: float) -> int:
    """Count the applicants who get such a share of their exact radius."""
    return sum(one >= share for one in part["share_all"])


def short(part: Part, share: float) -> str:
    """Say what the key lacks for the applicants who get less than a share, and how much of it they need."""
    columns = zip(part["share_all"], part["ended_all"], part["slots_all"], part["rows_all"], strict=True)
    less = [(WORDS.get(ended, ended), slots, rows) for own, ended, slots, rows in columns if own < share]
    counts = Counter(ended for ended, _, _ in less)
    needs = {"slots": max(slots for _, slots, _ in less), "rows": max(rows for _, _, rows in less)}
    said = [
        f"{count} lack {what}" + (f", up to {needs[what]:,} for the exact radius" if what in needs else "")
        for what, count in counts.most_common()
    ]
    return "; ".join(said)


def sizes(part: Part) -> str:
    """Say how much stands in the balls of exact radii."""
    slots, rows = median(part["slots_all"], 0), median(part["rows_all"], 0)
    return f"{slots:.0f} live predicates and {rows:.0f} live nodes at the median"


def _above(part: Part, figure: str, aim: float | None) -> bool:
    """Return whether a figure was measured and is above its target."""
    return aim is not None and part.get(figure) is not None and part[figure] > aim


def _of(part: Part, share: float) -> str:
    """Write how many applicants get a share of their exact radius."""
    return f"{within(part, share)} of {part['points']}"


def _costs(part: Part, model: Model) -> tuple[str, ...]:
    """Return the line of one part's costs."""
    leaves, slots, rows = part["room"]
    trees, nodes = part["nodes"]
    aims, count = model.aims, part["constraints"]
    return (
        name(part, model),
        "{} + {}".format(*part["predicates"]),
        f"{trees}, {nodes:,}" if trees else "-",
        f"{leaves}, {slots}, {rows or '-'}",
        "-" if count is None else f"{count:,}" + _aimed(aims.constraints, ",d"),
        _figure(part, "setup_s", ".0f"),
        _figure(part, "witness_s", ".2f"),
        _figure(part, "prove_s", ".1f", aims.prove_s),
        _figure(part, "prove_cpu_s", ".1f"),
        _figure(part, "peak_mb", ",.0f", aims.peak_mb),
        _figure(part, "check_ms", ".1f"),
        _figure(part, "proof_bytes", "d"),
    )


def _reach(part: Part, model: Model) -> tuple[str, ...]:
    """Return the line of one part's reach."""
    times = part["exact_s_all"]
    return (
        name(part, model),
        f"{median(part['radius_all'], 3)}",
        f"{median(times, 4):g} / {nine_of_ten(times):g}",
        f"{part['certify_s']:.2f}",
        _of(part, 1.0) + _aimed_share(model.aims.exact),
        _of(part, NEAR) + _aimed_share(model.aims.near),
    )


def _figure(part: Part, figure: str, form: str, aim: float | None = None) -> str:
    """Write a measured figure with its target; a dash where it was not measured."""
    if part.get(figure) is None:
        return "-"
    return format(part[figure], form) + _aimed(aim, ",g" if aim is None or aim == int(aim) else "g")


def _aimed(aim: float | None, form: str) -> str:
    """Write a target in brackets."""
    return "" if aim is None else f" ({aim:{form}})"


def _aimed_share(aim: float | None) -> str:
    """Write a target share in brackets."""
    return "" if aim is None else f" ({100 * aim:.0f} %)"
