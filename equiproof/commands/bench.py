"""`equiproof bench`: one case of a benchmark, measured here and now."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

from equiproof.commands.common import DataDir, Json, tell
from equiproof.console import bar

app = typer.Typer(
    name="bench", no_args_is_help=True, help="Measure what the product costs and reaches, one case at a time."
)


@app.command("list")
def list_cases(as_json: Json = False) -> None:
    """List the cases of every suite."""
    from bench.paper.cases import CASES

    cases = [
        {"suite": "paper", "case": case.name, "title": case.title, "capacity": case.capacity, "data": case.dataset}
        for case in CASES.values()
    ]
    lines = [f"{case['suite']}  {case['case']:<20}{case['title']}, capacity {case['capacity']}" for case in cases]
    tell(as_json=as_json, document={"cases": cases}, text="\n".join(lines))


@app.command()
def paper(
    case: Annotated[str, typer.Option(help="The case, one of `equiproof bench list`.")],
    variant: Annotated[Literal["fair", "unfair"], typer.Option(help="Trained with weight decay, or without.")] = "fair",
    points: Annotated[int, typer.Option(min=1, help="How many random test rows.")] = 100,
    seed: Annotated[int, typer.Option(min=0, help="The seed that chooses them.")] = 1,
    capacity: Annotated[int | None, typer.Option(min=1, help="The key's capacity instead of the case's.")] = None,
    wider: Annotated[
        bool, typer.Option(help="Prove points beyond the key once more at their full radius, under wider keys.")
    ] = True,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Train, commit, set up, prove and verify one of FairProof's models on random applicants; print medians."""
    from bench.paper.cases import find
    from bench.paper.measure import Question, measure

    question = Question(find(case), variant, points, seed, capacity, wider)
    with bar(f"{case} {variant}", quiet=as_json) as progress:
        measured = measure(question, data_dir, progress)
    found = {name: value for name, value in measured.items() if not name.endswith("_all")}
    tell(as_json=as_json, document=found, text=_text(found))


def _text(found: dict[str, Any]) -> str:
    """Write one figure per line, with its quartiles where there are some."""
    lines = []
    for name, value in found.items():
        if name.endswith(("_q1", "_q3", "_max")):
            continue
        low, high, most = (found.get(f"{name}_{part}") for part in ("q1", "q3", "max"))
        spread = "" if low is None else f"  (quartiles {low} and {high}, at most {most})"
        lines.append(f"{name:<20}{value}{spread}")
    return "\n".join(lines)
