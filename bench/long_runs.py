"""Long runs in one process: memory, descriptors and threads must not grow with the calls that were made.

Thousands of verifications of a published certificate, and hundreds of proofs under the smallest shape, are made one
after the other, by eight threads, by asyncio, and by processes that are spawned. Each way has a process of its own (or,
spawned, two), looked at ten times after a tenth more to warm up.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from bench import verify
from bench.harness import Progress, apart, machine, nothing, set_up
from bench.harness import table as markdown
from bench.seeded import network_of, spec_of
from equiproof.circuits.shape import traversal_shape
from equiproof.prover import KeyStore, Proven, Prover
from equiproof.prover.opening import Opening

Call = Callable[[], Any]

COUNTS = {"verification": 5000, "proof": 500}
WAYS = ("one by one", "8 threads", "asyncio", "spawned")
LOOKS = 10
THREADS, PROCESSES = 8, 2

SPEC, HIDDEN = spec_of(1, 2), (1,)
SHAPE = traversal_shape(SPEC, HIDDEN, 4)
"""The smallest shape: a column, a neuron, two slices, four regions."""


def run(
    _data_dir: Path | None = None, progress: Progress = nothing, *, counts: Mapping[str, int] = COUNTS
) -> dict[str, Any]:
    """Make the calls in every way; the result of each has what `look` found, ten times."""
    todo = [(what, way) for what in counts for way in WAYS]
    results = []
    with tempfile.TemporaryDirectory() as folder:
        apart(set_up, folder, SHAPE)
        for what, way in todo:
            # A process of a pool cannot start others; those that are spawned are fresh all the same.
            looks = (repeated if way == "spawned" else partial(apart, repeated))(folder, what, way, counts[what])
            found = {name: [one[name] for one in looks] for name in looks[0]}
            results.append({"what": what, "way": way, "count": counts[what], **found})
            progress(len(results), len(todo))
    return {"suite": "long-runs", "results": results, "machine": machine()}


def repeated(folder: str, what: str, way: str, count: int) -> list[dict[str, float]]:
    """Make `count` calls, and a tenth more before them; return ten looks at the process, or the larger of its two."""
    with _made(folder, what, way) as make:
        return [make(count // LOOKS) for _ in range(LOOKS + 1)][1:]


@contextmanager
def _made(folder: str, what: str, way: str) -> Iterator[Callable[[int], dict[str, float]]]:
    """Yield what makes so many calls in a way, and then looks."""
    if way == "spawned":
        with ProcessPoolExecutor(PROCESSES, get_context("spawn")) as pool:
            yield lambda count: _largest(
                list(pool.map(_calls, [folder] * PROCESSES, [what] * PROCESSES, [count // PROCESSES] * PROCESSES))
            )
        return

    def make(count: int) -> dict[str, float]:
        MAKERS[way](call(folder, what), count)
        return look()

    yield make


def _largest(looks: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the largest figures of several processes."""
    return {name: max(one[name] for one in looks) for name in looks[0]}


def _calls(folder: str, what: str, count: int) -> dict[str, float]:
    """Make so many calls one after the other, and look."""
    one_by_one(call(folder, what), count)
    return look()


@cache
def call(folder: str, what: str) -> Call:
    """Return the call to repeat; what it needs is loaded once in a process."""
    if what == "verification":
        return verify.calls(verify.GOLDEN / "loans", "native")["verify"]
    prover = Prover(Opening.of(network_of(SPEC, HIDDEN), SPEC, blinding=1), KeyStore(Path(folder)).all()[0]).__enter__()
    row = {feature.name: 0 for feature in SPEC.plain_features}

    def prove() -> None:
        if not isinstance(prover.prove(row), Proven):
            raise RuntimeError("want a proof, and there is a counterexample")

    return prove


def one_by_one(one: Call, count: int) -> None:
    """Make calls one after the other."""
    for _ in range(count):
        one()


def in_threads(one: Call, count: int) -> None:
    """Make calls in new threads, eight at a time."""
    with ThreadPoolExecutor(THREADS) as pool:
        for done in [pool.submit(one) for _ in range(count)]:
            done.result()


def in_asyncio(one: Call, count: int) -> None:
    """Make calls from a new event loop, in its threads."""

    async def everything() -> None:
        await asyncio.gather(*(asyncio.to_thread(one) for _ in range(count)))

    asyncio.run(everything())


MAKERS: Mapping[str, Callable[[Call, int], None]] = {
    "one by one": one_by_one,
    "8 threads": in_threads,
    "asyncio": in_asyncio,
}


def look() -> dict[str, float]:
    """Return this process's memory in MB (10^6 bytes), open descriptors and threads, those of the library included."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    status = {name: value.split() for name, _, value in (line.partition(":") for line in lines)}
    return {
        "mb": round(int(status["VmRSS"][0]) * 1024 / 1e6, 1),
        "descriptors": len(list(Path("/proc/self/fd").iterdir())),
        "threads": int(status["Threads"][0]),
    }


def grown(row: Mapping[str, Any], name: str) -> float:
    """Return by how much the largest figure of the second five looks is above that of the first five."""
    return float(max(row[name][LOOKS // 2 :]) - max(row[name][: LOOKS // 2]))


def table(found: Mapping[str, Any]) -> str:
    """Write one line for each kind of call and way."""
    rows = [
        (
            row["what"],
            row["way"],
            f"{row['count']:,}",
            *(
                f"{max(row[name][: LOOKS // 2]):g} to {max(row[name][LOOKS // 2 :]):g}"
                for name in ("mb", "descriptors", "threads")
            ),
        )
        for row in found["results"]
    ]
    return markdown(("what", "way", "calls", "memory, MB", "descriptors", "threads"), rows)
