"""The tables of the suite `kept`: forms beside each other, the demand on each figure, and whether it is met."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from bench.harness import table as markdown
from research.suites.kept_cases import (
    BATCH,
    CASES,
    CHECK,
    LINK_BYTES,
    PLAIN,
    PLAIN_LINK,
    PROOF_BYTES,
    Case,
    Demands,
    titles,
)

Results = Mapping[str, Any]
Part = Mapping[str, Any]


class Line(NamedTuple):
    """A figure of both forms, the digits that it is written with, and the demand on their ratio, None without one."""

    what: str
    opened: float
    kept: float
    digits: int
    most: float | None = None


def constraints(results: Results) -> str:
    """Write the constraints of both forms and of the link, with the demands on their ratios."""
    rows = []
    for name, (words, demands) in titles().items():
        counted = _counts(results["parts"], name)
        if counted is not None:
            rows.append(_row_of_counts(words, demands, counted))
    head = ("model", "opened", "kept", "link", "kept / opened", "(kept + link) / opened", "met")
    return markdown(head, rows)


def _counts(parts: Results, name: str) -> dict[str, int | None] | None:
    """Return the constraints of a shape that was counted, or of a model's keys; None where one was not measured."""
    if f"count-{name}" in parts:
        return dict(parts[f"count-{name}"])
    opened, kept = parts.get(f"{name}-opened"), parts.get(f"{name}-kept")
    if opened is None or kept is None:
        return None
    return {"opened": opened["constraints"], "kept": kept["constraints"], "link": kept["link_constraints"]}


def _row_of_counts(words: str, demands: Demands, counted: Mapping[str, Any]) -> tuple[str, ...]:
    """Write a line of the table of constraints; a demand stands in brackets behind its figure."""
    opened, kept, link = counted["opened"], counted["kept"], counted["link"]
    judged = [
        (None if opened is None else kept / opened, demands.constraints),
        (None if opened is None else (kept + link) / opened, demands.together),
    ]
    kept_text = f"{kept:,}" if demands.most is None else f"{kept:,} ({demands.most:,})"
    return (
        words,
        "-" if opened is None else f"{opened:,}",
        kept_text,
        f"{link:,}",
        *("-" if ratio is None else _with(f"{ratio:.3f}", most) for ratio, most in judged),
        _met([*judged, (kept, demands.most)]),
    )


def costs(results: Results) -> str:
    """Write what certificates of both forms cost, a line for each figure of each model whose parts are measured."""
    rows = []
    for name, case in CASES.items():
        of = {part: results["parts"].get(f"{name}-{part}") for part in ("opened", "kept", "proofs")}
        if None not in of.values():
            rows += [
                (
                    case.words,
                    line.what,
                    f"{line.opened:,.{line.digits}f}",
                    f"{line.kept:,.{line.digits}f}",
                    _with(f"{line.kept / line.opened:.2f}", line.most),
                    _met([(line.kept / line.opened, line.most)]),
                )
                for line in _lines(case.demands, of)
            ]
            rows += [(case.words, *cells) for cells in _alone(of)]
    return markdown(("model", "what", "opened", "kept", "ratio", "met"), rows)


def visiting(results: Results) -> str:
    """Write what certificates that visit nodes cost beside the other forms, for each model that is proven in all."""
    rows = []
    for name, case in CASES.items():
        of = {part: results["parts"].get(f"{name}-{part}") for part in (*case.forms, "proofs")}
        if case.passed is not None and None not in of.values():
            rows += [(f"{case.words}, D {case.passed:,}", *cells) for cells in _of_all(case, of)]
    return markdown(("model", "what", "opened", "kept", "visiting", "visiting / opened", "met"), rows)


def _of_all(case: Case, of: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Yield the cells of each figure that all forms have; what is demanded of seconds stands behind them."""
    keys, proofs, demands = of, of["proofs"], case.visiting
    figures: tuple[tuple[str, Results, str, int, float | None, float | None], ...] = (
        ("constraints", keys, "constraints", 0, demands.constraints, None),
        ("set-up s, with that of links", keys, "setup_s", 1, None, None),
        ("proving key, MB", keys, "key_mb", 1, None, None),
        ("witness s", proofs, "witness_s", 3, None, None),
        ("proof s", proofs, "prove_s", 2, demands.prove_s, demands.seconds),
        ("memory of a proof, MB", proofs, "peak_mb", 0, None, None),
    )
    for what, parts, figure, digits, most, seconds in figures:
        values = [parts[form][figure] for form in case.forms]
        *others, last = [f"{value:,.{digits}f}" for value in values]
        ratio = values[-1] / values[0]
        judged: list[tuple[float | None, float | None]] = [(ratio, most), (values[-1], seconds)]
        yield what, *others, _with(last, seconds), _with(f"{ratio:.2f}", most), _met(judged)


def _lines(demands: Demands, of: Mapping[str, Any]) -> Iterator[Line]:
    """Yield the figures that both forms have."""
    keys, proofs = (of["opened"], of["kept"]), of["proofs"]
    both, checks = (proofs["opened"], proofs["kept"]), proofs["checks"]
    yield Line("set-up s, with that of links", *_of(keys, "setup_s"), 1)
    yield Line("memory of a set-up, MB", *_of(keys, "setup_mb"), 0)
    yield Line("proving key, MB", *_of(keys, "key_mb"), 1, demands.key_mb)
    yield Line("witness s", *_of(both, "witness_s"), 3)
    yield Line("proof s", *_of(both, "prove_s"), 2, demands.prove_s)
    yield Line("memory of a proof, MB", *_of(both, "peak_mb"), 0, demands.peak_mb)
    named = (
        ("native check, link known, ms", "native", 2, CHECK),
        ("one of a batch, ms", "batch", 3, BATCH),
        ("plain Python, link known, ms", "python", 0, PLAIN),
        ("plain Python, first certificate, ms", "first", 0, PLAIN_LINK),
    )
    for what, name, digits, most in named:
        yield Line(what, checks[name]["opened"], checks[name]["kept"], digits, most)


def _of(both: tuple[Part, Part], name: str) -> tuple[float, float]:
    """Return a figure of both forms."""
    return both[0][name], both[1][name]


def _alone(of: Mapping[str, Any]) -> Iterator[tuple[str, str, str, str, str]]:
    """Yield the cells of figures that only the kept form has, or whose demand is no ratio."""
    keys, proofs = of["kept"], of["proofs"]
    before, size = (proofs[form]["proof_bytes"] for form in ("opened", "kept"))
    length = proofs["link_bytes"]
    yield "proof, bytes", str(before), _with(str(size), PROOF_BYTES), "-", "yes" if size == PROOF_BYTES else "no"
    yield "link.json, bytes", "-", _with(f"{length:,}", LINK_BYTES), "-", _met([(length, LINK_BYTES)])
    yield "making the link, s", "-", f"{proofs['link_s']:.1f}", "-", "-"
    yield "memory of making the link, MB", "-", f"{proofs['link_mb']:,.0f}", "-", "-"
    yield "proving key of links, MB", "-", f"{keys['link_key_mb']:.1f}", "-", "-"


def _with(text: str, most: float | None) -> str:
    """Write a figure with its demand in brackets."""
    return text if most is None else f"{text} ({most:,})"


def _met(judged: list[tuple[float | None, float | None]]) -> str:
    """Say whether all figures meet their demands; "-" where there is none."""
    demanded = [(value, most) for value, most in judged if value is not None and most is not None]
    if not demanded:
        return "-"
    return "yes" if all(value <= most for value, most in demanded) else "no"
