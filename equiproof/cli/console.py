"""The terminal: output as text or JSON on standard output, and progress on standard error."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

from equiproof.cli import steps

if TYPE_CHECKING:
    from types import ModuleType

    from rich.progress import Progress, ProgressColumn

    from equiproof.prover.ceremony.chain import Report

_UNSEEN = dict.fromkeys(map(ord, "\a\b\v\f\r"))
"""What moves a terminal's cursor; a text of another's might write over a line with it."""


def on_terminal(stream: TextIO) -> bool:
    """Return whether a person sees what is written to a stream."""
    return stream.isatty()


def columns() -> int | None:
    """Return how many columns the terminal has, None where standard output is none."""
    return shutil.get_terminal_size().columns if on_terminal(sys.stdout) else None


def width() -> int:
    """Return how many columns people see: those of the terminal, at least 60, and 80 where there is none."""
    return max(60, columns() or 80)


def show_json(document: Mapping[str, Any]) -> None:
    """Print one JSON object on one line of standard output."""
    show(json.dumps(document, ensure_ascii=False))


def show(text: str) -> None:
    """Print text for people, without markup; raises OSError that names standard output."""
    _write(text, sys.stdout, "standard output")


def remark(text: str) -> None:
    """Print what people should know beside the output: a line on standard error; raises OSError that names it."""
    _write(text, sys.stderr, "standard error")


def _write(text: str, stream: TextIO, name: str) -> None:
    """Write all of a text, or raise OSError.

    What is written has no styles: to lay thousands of lines out, as rich would, takes longer than many a command.
    """
    try:
        stream.write(text.translate(_UNSEEN).expandtabs() + "\n")
        stream.flush()
    except BrokenPipeError:
        _leave(stream)
    except OSError as error:
        raise OSError(error.errno, error.strerror, name) from None


def _leave(stream: TextIO) -> NoReturn:
    """End, since whoever read a stream has gone; what is still in it goes nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    raise SystemExit(1)


@contextmanager
def _drawn(
    parts: Callable[[ModuleType], tuple[str | ProgressColumn, ...]], *, quiet: bool, **options: Any
) -> Iterator[Progress | None]:
    """Draw bars of these parts, made of rich's, on a terminal's standard error while the block runs; None elsewhere.

    What draws is loaded where something is drawn: it takes as long as all else that a short command needs.
    """
    if quiet or not on_terminal(sys.stderr):
        yield None
        return
    from rich import progress as rich
    from rich.console import Console

    console = Console(stderr=True, highlight=False, soft_wrap=True, emoji=False)
    with rich.Progress(*parts(rich), console=console, transient=True, **options) as progress:
        yield progress


def _rest(rich: ModuleType) -> tuple[str | ProgressColumn, ...]:
    """Return the columns that say how long it took and how long it will take."""
    return rich.TimeElapsedColumn(), rich.TextColumn("left"), rich.TimeRemainingColumn()


@contextmanager
def bar(label: str, *, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar on standard error while the block runs; call the result as (done, total)."""

    def parts(rich: ModuleType) -> tuple[str | ProgressColumn, ...]:
        return rich.TextColumn(label), rich.BarColumn(), rich.TaskProgressColumn(), *_rest(rich)

    with steps.step(label), _drawn(parts, quiet=quiet) as progress:
        yield _begun(progress, label)


@contextmanager
def bars(*, quiet: bool) -> Iterator[Callable[[str], Callable[[int, int], None]]]:
    """Show progress bars one below the other while the block runs.

    Call the result with a label to begin a bar, and the bar as (done, total). Each label is a step of the log.
    """

    def parts(rich: ModuleType) -> tuple[str | ProgressColumn, ...]:
        return rich.TextColumn("{task.description}"), rich.BarColumn(), rich.TaskProgressColumn(), *_rest(rich)

    with _drawn(parts, quiet=quiet) as progress:

        def begin(label: str) -> Callable[[int, int], None]:
            steps.note(f"{label} begins")
            return _begun(progress, label)

        yield begin


def _begun(progress: Progress | None, label: str) -> Callable[[int, int], None]:
    """Begin a bar, and return what moves it."""
    if progress is None:
        return lambda _done, _total: None
    task = progress.add_task(label, total=None)
    return lambda done, total: progress.update(task, completed=done, total=total)


@contextmanager
def tally(*, quiet: bool) -> Iterator[Callable[[Mapping[str, int], int], None]]:
    """Show a bar with n of N, the time left and the number of each verdict; call the result as (verdicts, total)."""

    def parts(rich: ModuleType) -> tuple[str | ProgressColumn, ...]:
        counts = rich.MofNCompleteColumn(), rich.TextColumn("{task.description}")
        return rich.TextColumn("proving"), rich.BarColumn(), *counts, *_rest(rich)

    ticked = steps.at_times("proving")
    with steps.step("proving all"), _drawn(parts, quiet=quiet, speed_estimate_period=3600) as progress:
        task = None if progress is None else progress.add_task("", total=None)

        def show_counts(verdicts: Mapping[str, int], total: int) -> None:
            ticked(sum(verdicts.values()), total)
            if progress is not None and task is not None:
                counts = ", ".join(f"{verdicts.get(name, 0):,} {name}" for name in ("fair", "unfair", "undecided"))
                progress.update(task, description=counts, completed=sum(verdicts.values()), total=total)

        yield show_counts


@contextmanager
def stages(label: str, *, quiet: bool) -> Iterator[Report]:
    """Show which stage of long work continues, with a bar of those that are behind it where their number is known.

    The time left is forecast from the stages that are behind it.
    """

    def parts(rich: ModuleType) -> tuple[str | ProgressColumn, ...]:
        return rich.SpinnerColumn(), rich.TextColumn("{task.description}"), rich.BarColumn(), *_rest(rich)

    with steps.stages(label) as begun, _drawn(parts, quiet=quiet) as progress:
        task = None if progress is None else progress.add_task(label, total=None)

        def show_stage(line: str, done: int = 0, total: int | None = None) -> None:
            begun(line.partition(" (")[0])  # without the names of people
            if progress is not None and task is not None:
                progress.tasks[task].total = total  # `update` would keep the last number for None
                progress.update(task, description=line, completed=done, refresh=True)

        yield show_stage


@contextmanager
def spinner(label: str, *, quiet: bool) -> Iterator[Callable[[str], None]]:
    """Show that work of unknown length continues; call the result to change the label."""

    def parts(rich: ModuleType) -> tuple[str | ProgressColumn, ...]:
        return rich.SpinnerColumn(), rich.TextColumn("{task.description}"), rich.TimeElapsedColumn()

    with steps.step(label), _drawn(parts, quiet=quiet) as progress:
        if progress is None:
            yield lambda _text: None
        else:
            task = progress.add_task(label, total=None)
            yield lambda text: progress.update(task, description=text)
