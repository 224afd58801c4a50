"""What a suite is: how it is measured, and which tables and figures of which page show its results."""

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
    docs/benchmarks/PAGE.md by the names of their marks; `figures` draw the files of docs/figures by name.
    """

    page: str
    blocks: Mapping[str, Callable[[Results], str]]
    figures: Mapping[str, Callable[[Results, Path], None]] = field(default_factory=dict)
    run: Callable[[Path | None, Progress], Results] | None = None
    plan: Callable[[Path | None, Options], Plan] | None = None
