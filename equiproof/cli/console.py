"""The terminal: output as text or JSON on standard output, and progress on standard error."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn

out = Console(highlight=False, soft_wrap=True, emoji=False)
err = Console(stderr=True, highlight=False, soft_wrap=True, emoji=False)


def show_json(document: Mapping[str, Any]) -> None:
    """Print one JSON object on one line of standard output."""
    _write(json.dumps(document, ensure_ascii=False))


def show(text: str) -> None:
    """Print text for people, without markup."""
    _write(text)


def _write(text: str) -> None:
    """Write all of a text to standard output; raises OSError that names standard output."""
    try:
        out.print(text, markup=False)
        out.file.flush()
    except OSError as error:
        raise OSError(error.errno, error.strerror, "standard output") from None


@contextmanager
def bar(label: str, *, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar on standard error while the block runs; call the result as (done, total)."""
    with Progress(
        TextColumn(label), BarColumn(), TaskProgressColumn(), TimeElapsedColumn(), console=err, transient=True,
        disable=quiet or not err.is_terminal,
    ) as progress:  # fmt: skip
        task = progress.add_task(label, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


@contextmanager
def bars(*, quiet: bool) -> Iterator[Callable[[str], Callable[[int, int], None]]]:
    """Show progress bars one below the other while the block runs.

    Call the result with a label to begin a bar, and the bar as (done, total).
    """
    with Progress(
        TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn(), console=err,
        transient=True, disable=quiet or not err.is_terminal,
    ) as progress:  # fmt: skip

        def begin(label: str) -> Callable[[int, int], None]:
            task = progress.add_task(label, total=None)
            return lambda done, total: progress.update(task, completed=done, total=total)

        yield begin


@contextmanager
def spinner(label: str, *, quiet: bool) -> Iterator[Callable[[str], None]]:
    """Show that work of unknown length continues; call the result to change the label."""
    with Progress(
        SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn(), console=err, transient=True,
        disable=quiet or not err.is_terminal,
    ) as progress:  # fmt: skip
        task = progress.add_task(label, total=None)
        yield lambda text: progress.update(task, description=text)
