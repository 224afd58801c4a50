"""`equiproof certify` with several applicants: a run in parallel, a summary, one file of results."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from equiproof.circuits.exit_codes import EXHAUSTED, OK, UNFAIR
from equiproof.circuits.text import several
from equiproof.cli.commands.common import tell
from equiproof.cli.console import bar

if TYPE_CHECKING:
    from equiproof.certify.many.point import Limits
    from equiproof.certify.many.results import Results
    from equiproof.prover.opening import Opening

_MOST_LISTED = 20


def certify_many(
    owned: Opening,
    queries: Sequence[tuple[int, ...]],
    limits: Limits,
    *,
    jobs: int,
    resume: Path | None,
    out: Path | None,
    force: bool,
    as_json: bool,
) -> int:
    """Certify every query, write the results and print their summary; return the exit code of the worst verdict."""
    from equiproof.certify.documents import in_spec_units
    from equiproof.certify.many.portfolio import certify_all
    from equiproof.circuits.files import write_file

    with in_spec_units(owned.spec), bar("certifying", quiet=as_json) as tick:
        results = certify_all(owned.model, owned.spec, queries, limits, jobs=jobs, resume=resume, progress=tick)
    if out is not None:
        # Results reveal something of the model and of applicants: they are for the owner only.
        write_file(out, results.to_json().encode(), secret=True, force=force)
    tell(as_json=as_json, document=msgspec.to_builtins(results), text=_text(results, out))
    return worst(point.verdict for point in results)


def _text(results: Results, out: Path | None) -> str:
    """Return the summary, and which rows are not fair."""
    lines = [results.summary()]
    for verdict in ("unfair", "undecided"):
        rows = [str(point.row) for point in results if point.verdict == verdict]
        if rows:
            lines.append(f"{verdict} rows: {several(rows, _MOST_LISTED)}")
    wrapped = [part for line in "\n".join(lines).splitlines() for part in _wrapped(line)]
    return "\n".join(wrapped if out is None else [*wrapped, f"every row is in {out}"])


def _wrapped(line: str) -> list[str]:
    """Return a line in parts that fit a terminal of 80 columns, the later ones indented; no word is broken."""
    indent = " " * (len(line) - len(line.lstrip()) + 2)
    return textwrap.wrap(
        line, 80, subsequent_indent=indent, replace_whitespace=False, break_long_words=False, break_on_hyphens=False
    )


def worst(verdicts: Iterable[str]) -> int:
    """Return the exit code of some verdicts: unfair before undecided before fair."""
    kinds = set(verdicts)
    if "unfair" in kinds:
        return UNFAIR
    return EXHAUSTED if "undecided" in kinds else OK
