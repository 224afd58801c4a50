"""What a suite is: how it is measured, and what shows its results; and a collection of suites."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.harness import Progress
from bench.parts import Options, Plan

Results = dict[str, Any]


@dataclass(frozen=True)
class Suite:
    """One suite of benchmarks.

    `run` measures all of it at once, or a `plan` lists the parts that it is measured by. `blocks` write the tables of
    PAGE.md, in the folder of the collection's pages, by the names of their marks; `figures` draw figures by name.
    """

    page: str
    blocks: Mapping[str, Callable[[Results], str]]
    figures: Mapping[str, Callable[[Results, Path], None]] = field(default_factory=dict)
    run: Callable[[Path | None, Progress], Results] | None = None
    plan: Callable[[Path | None, Options], Plan] | None = None


Headlines = dict[str, dict[str, Any]]
"""Entries of the file of headlines by name; :mod:`bench.headlines` says what one holds."""


@dataclass(frozen=True)
class Collection:
    """The suites that `python -m NAME` measures, and the folders of their results, pages and figures.

    Without names on the command line it measures those in `default`. `headlines` makes the entries that these suites
    have in the file of headlines, for results by suite (None: not measured).
    """

    name: str
    suites: Mapping[str, Suite]
    default: tuple[str, ...]
    results: Path
    pages: Path
    figures: Path
    headlines: Callable[[Mapping[str, Mapping[str, Any] | None]], Headlines]
