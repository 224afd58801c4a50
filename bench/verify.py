"""Times of a verification, with the native check and in plain Python.

On the published certificates of tests/golden, in milliseconds of the clock:

- check: a loaded verifying key checks the proof;
- verify: `Verifier.verify` on the certificate's bytes, with query, context and radius, the key's loading included;
- command: `equiproof verify --json` in a process of its own, from start to exit.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from bench.harness import Progress, machine, nothing, spread
from bench.harness import table as markdown
from equiproof.circuits.field import to_bytes
from equiproof.verifier import (
    AllOf,
    ForContext,
    ForQuery,
    MinRadius,
    TrustStore,
    Verifier,
    parse_certificate,
    parse_commitment,
    parse_context,
    parse_query,
)
from equiproof.verifier.programs import Checker, load

GOLDEN = Path(__file__).resolve().parents[1] / "tests" / "golden"
CERTIFICATES = ("loans", "rates")
CHECKERS: tuple[Checker, ...] = ("native", "python")
TARGETS = {
    ("check", "native"): 5,
    ("verify", "native"): 50,
    ("command", "native"): 500,
    ("verify", "python"): 2000,
}


def timed(call: Callable[[], Any], repeats: int) -> list[float]:
    """Return the times of a call, in milliseconds, after one call to warm up."""
    call()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(1000 * (time.perf_counter() - start))
    return times


def calls(folder: Path, checker: Checker) -> dict[str, Callable[[], Any]]:
    """Return the calls to time for a certificate and one of the two checkers."""
    data = (folder / "certificate.json").read_bytes()
    certificate = parse_certificate(data, "certificate.json")
    store = TrustStore.open(folder / "keys")
    key = store.find(certificate.key.fingerprint)
    digest = to_bytes(certificate.to_statement().digest(key.document.shape))
    verifier = Verifier(parse_commitment((folder / "commitment.json").read_bytes(), "commitment.json"), store, checker)
    query = parse_query((folder / "query.json").read_bytes(), "query.json")
    context = parse_context((folder / "context.json").read_bytes(), "context.json")
    policy = AllOf(ForQuery(query), ForContext(context), MinRadius("0.1"))
    loaded = load(checker, key.document.proof_system, key.verifying)
    return {
        "check": lambda: loaded.verify(digest, certificate.proof_bytes),
        "verify": lambda: verifier.verify(data, policy),
        "command": lambda: command(folder, checker),
    }


def command(folder: Path, checker: Checker) -> None:
    """Run the command; raises if it does not end with `verified`."""
    program = Path(sys.executable).parent / "equiproof"
    files = [f"--{name}={folder / name}.json" for name in ("commitment", "query", "context")]
    words = [str(program), "verify", str(folder / "certificate.json"), *files, f"--keys={folder / 'keys'}"]
    done = subprocess.run([*words, f"--checker={checker}", "--json"], capture_output=True, check=True)
    if json.loads(done.stdout)["checker"] != checker:
        raise RuntimeError(f"want {checker} as the checker, and another one ran")


def run(_data_dir: Path | None = None, progress: Progress = nothing, *, repeats: int = 11) -> dict[str, Any]:
    """Measure every certificate with both checkers, each call `repeats` times."""
    todo = [
        (name, checker, what, call)
        for name in CERTIFICATES
        for checker in CHECKERS
        for what, call in calls(GOLDEN / name, checker).items()
    ]
    results = []
    for name, checker, what, call in todo:
        target = TARGETS.get((what, checker))
        times = spread("ms", timed(call, repeats), 3)
        results.append({"case": name, "checker": checker, "what": what, **times, "target_ms": target})
        progress(len(results), len(todo))
    return {"suite": "verify", "repeats": repeats, "results": results, "machine": machine()}


def table(found: Mapping[str, Any]) -> str:
    """Write one line per certificate, checker and call."""
    rows = [
        (
            row["case"],
            row["checker"],
            row["what"],
            f"{row['ms']:.1f}",
            f"{row['ms_max']:.1f}",
            str(row["target_ms"] or ""),
        )
        for row in found["results"]
    ]
    return markdown(("certificate", "checker", "what", "ms, median", "ms, largest", "target ms"), rows)
