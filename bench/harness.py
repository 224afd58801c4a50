"""Shared by all suites: the record of the machine, medians and spreads, and separate processes."""

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

from equiproof.circuits.proof_systems import DEFAULT_PROOF_SYSTEM, ProofSystem
from equiproof.circuits.shape import Shape
from equiproof.prover import KeyStore
from equiproof.prover.version import tools
from equiproof.verifier.documents import PROVING_FILE

Progress = Callable[[int, int], None]
T = TypeVar("T")

_PACKAGES = ("numpy", "torch")


class BenchError(ValueError):
    """Something cannot be measured as requested; one line with the reason."""


def machine() -> dict[str, str | int]:
    """Return the conditions of a measurement: processor, cores this process may use, memory, system, and versions."""
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
    """Return the processor's name, or its architecture where the system does not name it."""
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


THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "GOMAXPROCS")
"""What numpy, torch and the library read, when they are imported, of how many threads to take."""


def apart(call: Callable[..., T], *arguments: Any) -> T:
    """Run a call in a fresh process, whose memory and imports are its own; the call is a module's function.

    Exceptions of the call are raised here.
    """
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(call, arguments)


def on_one_thread(call: Callable[..., T], *arguments: Any) -> T:
    """Run a call as :func:`apart` does, with matrix products and searches on one thread.

    Threads that wait for others spend processor time, too, and on a busy machine most of it.
    """
    before = {name: os.environ.get(name) for name in THREADS}
    os.environ.update(dict.fromkeys(THREADS, "1"))
    try:
        return apart(call, *arguments)
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def set_up(folder: str, shape: Shape, proof_system: ProofSystem = DEFAULT_PROOF_SYSTEM) -> dict[str, Any]:
    """Make the keys of a shape in a folder; return `constraints`, `setup_s` and `key_mb`, the proving key's size."""
    begun = time.perf_counter()
    key = KeyStore(Path(folder)).setup(shape, proof_system=proof_system)
    return {
        "constraints": key.document.constraints,
        "setup_s": time.perf_counter() - begun,
        "key_mb": (key.folder / PROVING_FILE).stat().st_size / 1e6,
    }


def peak_megabytes() -> float:
    """Return the largest memory this process has held so far, in MB (10^6 bytes).

    On Linux the maximum of getrusage survives exec, so a fresh process would inherit the maximum of the process that
    started it. The high-water mark of the address space starts again.
    """
    try:
        status = Path("/proc/self/status").read_text(encoding="utf-8")
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)
    line = next(line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024 / 1e6


def median(values: Iterable[float], digits: int) -> float | None:
    """Return the rounded median, None for no values."""
    found = list(values)
    return round(statistics.median(found), digits) if found else None


def spread(name: str, values: Sequence[float], digits: int) -> dict[str, float | None]:
    """Return the median as `name`, quartiles as `_q1` and `_q3`, the largest value as `_max`; None for no values."""
    if not values:
        return {name: None, f"{name}_q1": None, f"{name}_q3": None, f"{name}_max": None}
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else [values[0]] * 3
    found = {name: middle, f"{name}_q1": low, f"{name}_q3": high, f"{name}_max": max(values)}
    return {key: round(value, digits) for key, value in found.items()}


def within(text: str, value: float | None, limit: float) -> str:
    """Return a figure's text, with the limit where the figure exceeds it."""
    return text if value is None or value <= limit else f"{text} (more than {limit:g})"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a table in Markdown."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def nothing(_done: int, _total: int) -> None:
    """Ignore a report of progress."""
