"""Times of many verifications at once, by the number of certificates, for one of them in milliseconds of the clock.

Certificates are copies of a published one of tests/golden: a check does not notice that they are alike.

- alone: a loaded verifying key of the native library checks the proofs one by one;
- together: the same key checks all proofs in one call, on all cores;
- whole: `Verifier.verify_many` on the certificates' bytes, with a minimum radius: parsing, digests, words and proofs;
- command: `equiproof verify-many` on a folder, in a process of its own, from start to exit, with as many --jobs;
- static binary: `equiproof-verify --many` on the folder in the same way, on all cores, once `make static` has built it.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.harness import BenchError, Progress, machine, nothing, spread
from bench.harness import table as markdown
from bench.verify import GOLDEN, timed
from equiproof.circuits.field import to_bytes
from equiproof.verifier import MinRadius, TrustStore, Verified, Verifier, parse_certificate, parse_commitment
from equiproof.verifier.programs import load

SIZES = (1, 10, 100, 1000)
JOBS = (1, 2)
CASE = "loans"
BINARY = Path(__file__).resolve().parents[1] / "dist" / "equiproof-verify"
TARGETS = {("together", 1000): 1.0, ("static binary", 1000): 3.0}
"""The most milliseconds for each certificate."""


def calls(folder: Path, n: int) -> dict[str, Callable[[], None]]:
    """Return the calls to time for so many copies of a certificate; each raises unless everything is verified."""
    data = (folder / "certificate.json").read_bytes()
    certificate = parse_certificate(data, "certificate.json")
    store = TrustStore.open(folder / "keys")
    key = store.find(certificate.key.fingerprint)
    digest, proof = to_bytes(certificate.to_statement().digest(key.document.shape)), certificate.proof_bytes
    verifier = Verifier(parse_commitment((folder / "commitment.json").read_bytes(), "commitment.json"), store, "native")
    loaded = load("native", key.document.proof_system, key.verifying)

    def alone() -> None:
        for _ in range(n):
            loaded.verify(digest, proof)

    def together() -> None:
        _all_hold(refusal is None for refusal in loaded.verify_many([digest] * n, [proof] * n))

    def whole() -> None:
        _all_hold(isinstance(one, Verified) for one in verifier.verify_many([data] * n, MinRadius("0.1")))

    return {"alone": alone, "together": together, "whole": whole}


def _all_hold(verdicts: Any) -> None:
    """Raise BenchError unless every verdict is true: the time of a refusal is not that of a verification."""
    if not all(verdicts):
        raise BenchError("a certificate was not verified")


def command(folder: Path, n: int, jobs: int) -> None:
    """Verify so many copies by the command; raises BenchError if it does not verify all of them."""
    program = Path(sys.executable).parent / "equiproof"
    _copies(folder, n, [program, "verify-many"], ["--jobs", str(jobs), "--checker", "native"])


def static(folder: Path, n: int, program: Path) -> None:
    """Verify so many copies by the static binary; raises BenchError if it does not verify all of them."""
    _copies(folder, n, [program, "--many"], [])


def _copies(folder: Path, n: int, program: list[str | Path], options: list[str]) -> None:
    """Verify so many copies by a program; raises BenchError if it does not verify all of them."""
    data = (folder / "certificate.json").read_bytes()
    with tempfile.TemporaryDirectory() as copies:
        for number in range(n):
            (Path(copies) / f"{number}.json").write_bytes(data)
        words = [*program, copies, "--commitment", folder / "commitment.json", "--keys", folder / "keys", "--json"]
        done = subprocess.run([*map(str, words), *options], capture_output=True, check=True)
    _all_hold([json.loads(done.stdout)["verified"] == n])


def run(
    _data_dir: Path | None = None, progress: Progress = nothing, *, repeats: int = 5, sizes: Sequence[int] = SIZES
) -> dict[str, Any]:
    """Measure every size, each call `repeats` times after one to warm up; the command for the largest size only."""
    folder = GOLDEN / CASE
    todo = [(what, n, call) for n in sizes for what, call in calls(folder, n).items()]
    largest = max(sizes)
    todo += [(f"command, --jobs {jobs}", largest, _command(folder, largest, jobs)) for jobs in JOBS]
    if BINARY.is_file():
        todo.append(("static binary", largest, lambda: static(folder, largest, BINARY)))
    results = []
    for what, n, call in todo:
        times = [time / n for time in timed(call, repeats)]
        results.append({"what": what, "n": n, **spread("ms", times, 3), "target_ms": TARGETS.get((what, n))})
        progress(len(results), len(todo))
    return {
        "suite": "many",
        "repeats": repeats,
        "case": CASE,
        "results": results,
        "machine": machine(),
    }


def _command(folder: Path, n: int, jobs: int) -> Callable[[], None]:
    """Return the call of the command."""
    return lambda: command(folder, n, jobs)


def table(found: Mapping[str, Any]) -> str:
    """Write one line for each call and size."""
    rows = [
        (row["what"], f"{row['n']:,}", f"{row['ms']:.2f}", f"{row['ms_max']:.2f}", str(row["target_ms"] or ""))
        for row in found["results"]
    ]
    return markdown(("what", "certificates", "ms each, median", "ms each, largest", "target ms"), rows)
