"""What every suite shares: the machine's record, medians and spreads, and processes of their own."""

from __future__ import annotations

import multiprocessing
import os
import platform
import resource
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeVar

from circuits.shape import Shape
from prover import KeyStore
from prover.version import tools
from verifier.documents import PROVING_FILE

Progress = Callable[[int, int], None]
T = TypeVar("T")

_PACKAGES = ("numpy", "torch")


class BenchError(ValueError):
    """A case that cannot be measured as asked for; one line."""


def machine() -> dict[str, str | int]:
    """Return what a figure depends on: processor, cores this process may use, memory, system, and versions."""
    found: dict[str, str | int] = {
        "processor": _processor(),
        "cores": _cores(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / (1 << 30)),
        "system": platform.system(),
        "python": platform.python_version(),
        **tools(),
    }
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _processor() -> str:
    """Return the processor's name, its architecture where the system does not tell."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())


def _cores() -> int:
    """Return how many cores this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def apart(call: Callable[..., T], *arguments: Any) -> T:
    """Run a call in a fresh process, whose memory and imports are its own; the call is a module's function.

    What it raises is raised here.
    """
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(call, arguments)


def set_up(folder: str, shape: Shape) -> dict[str, Any]:
    """Make the keys of a shape in a folder; return `constraints`, `setup_s` and `key_mb`, the proving key's size."""
    begun = time.perf_counter()
    key = KeyStore(Path(folder)).setup(shape)
    return {
        "constraints": key.document.constraints,
        "setup_s": time.perf_counter() - begun,
        "key_mb": (key.folder / PROVING_FILE).stat().st_size / 1e6,
    }


def peak_megabytes() -> float:
    """Return the largest memory this process has held so far, in MB (10^6 bytes).

    Linux keeps what getrusage tells across exec: a fresh process would be charged with the memory of the one that
    started it. The high-water mark of the address space begins anew.
    """
    try:
        status = Path("/proc/self/status").read_text(encoding="utf-8")
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)
    line = next(line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024 / 1e6


def median(values: Iterable[float], digits: int) -> float | None:
    """Return the rounded median, None of nothing."""
    found = list(values)
    return round(statistics.median(found), digits) if found else None


def spread(name: str, values: Sequence[float], digits: int) -> dict[str, float | None]:
    """Return the median under `name`, beside it first and third quartile and the largest value; None of nothing."""
    if not values:
        return {name: None, f"{name}_q1": None, f"{name}_q3": None, f"{name}_max": None}
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else [values[0]] * 3
    found = {name: middle, f"{name}_q1": low, f"{name}_q3": high, f"{name}_max": max(values)}
    return {key: round(value, digits) for key, value in found.items()}


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a table in Markdown."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def nothing(_done: int, _total: int) -> None:
    """Report progress to nobody."""
