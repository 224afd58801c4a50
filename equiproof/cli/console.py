"""The terminal: output as text or JSON on standard output, and progress on standard error."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.control import strip_control_codes
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from equiproof.cli import steps

if TYPE_CHECKING:
    from equiproof.prover.ceremony.chain import Report

out = Console(highlight=False, soft_wrap=True, emoji=False)
err = Console(stderr=True, highlight=False, soft_wrap=True, emoji=False)


def width() -> int:
    """Return how many columns people see: those of the terminal, at least 60, and 80 where there is none."""
    return max(60, out.width if out.is_terminal else 80)


def show_json(document: Mapping[str, Any]) -> None:
    """Print one JSON object on one line of standard output."""
    _write(json.dumps(document, ensure_ascii=False))


def show(text: str) -> None:
    """Print text for people, without markup."""
    _write(text)


def _write(text: str) -> None:
    """Write all of a text to standard output; raises OSError that names standard output.

    What is written has no styles: to lay thousands of lines out, as `out` would, takes longer than many a command.
    """
    try:
        out.file.write(strip_control_codes(text).expandtabs() + "\n")
        out.file.flush()
    except BrokenPipeError:
        out.on_broken_pipe()
    except OSError as error:
        raise OSError(error.errno, error.strerror, "standard output") from None


@contextmanager
def bar(label: str, *, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar on standard error while the block runs; call the result as (done, total)."""
    with (
        steps.step(label),
        Progress(
            TextColumn(label),
            BarColumn(),
            TaskProgressColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=err,
            transient=True,
            disable=quiet or not err.is_terminal,
        ) as progress,
    ):
        task = progress.add_task(label, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


@contextmanager
def bars(*, quiet: bool) -> Iterator[Callable[[str], Callable[[int, int], None]]]:
    """Show progress bars one below the other while the block runs.

    Call the result with a label to begin a bar, and the bar as (done, total). Each label is a step of the log.
    """
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=err,
        transient=True,
        disable=quiet or not err.is_terminal,
    ) as progress:

        def begin(label: str) -> Callable[[int, int], None]:
            steps.note(f"{label} begins")
            task = progress.add_task(label, total=None)
            return lambda done, total: progress.update(task, completed=done, total=total)

        yield begin


@contextmanager
def tally(*, quiet: bool) -> Iterator[Callable[[Mapping[str, int], int], None]]:
    """Show a bar with n of N, the time left and the number of each verdict; call the result as (verdicts, total)."""
    ticked = steps.at_times("proving")
    with (
        steps.step("proving all"),
        Progress(
            TextColumn("proving"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.description}"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=err,
            transient=True,
            disable=quiet or not err.is_terminal,
            speed_estimate_period=3600,
        ) as progress,
    ):
        task = progress.add_task("", total=None)

        def show_counts(verdicts: Mapping[str, int], total: int) -> None:
            ticked(sum(verdicts.values()), total)
            counts = ", ".join(f"{verdicts.get(name, 0):,} {name}" for name in ("fair", "unfair", "undecided"))
            progress.update(task, description=counts, completed=sum(verdicts.values()), total=total)

        yield show_counts


@contextmanager
def stages(label: str, *, quiet: bool) -> Iterator[Report]:
    """Show which stage of long work continues, with a bar of those that are behind it where their number is known.

    The time left is forecast from the stages that are behind it.
    """
    with (
        steps.stages(label) as begun,
        Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=err,
            transient=True,
            disable=quiet or not err.is_terminal,
        ) as progress,
    ):
        task = progress.add_task(label, total=None)

        def show_stage(line: str, done: int = 0, total: int | None = None) -> None:
            begun(line.partition(" (")[0])  # without the names of people
            progress.tasks[task].total = total  # `update` would keep the last number for None
            progress.update(task, description=line, completed=done, refresh=True)

        yield show_stage


@contextmanager
def spinner(label: str, *, quiet: bool) -> Iterator[Callable[[str], None]]:
    """Show that work of unknown length continues; call the result to change the label."""
    with (
        steps.step(label),
        Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            TimeElapsedColumn(),
            console=err,
            transient=True,
            disable=quiet or not err.is_terminal,
        ) as progress,
    ):
        task = progress.add_task(label, total=None)
        yield lambda text: progress.update(task, description=text)
