"""Times of a verification: `python -m bench.verify [--repeats N] [--json]`.

On the published certificates of tests/golden. Per case, the median and the largest of N runs, in milliseconds of the
clock, of this machine as busy as it is:

- check: a loaded verifying key checks the proof (native, then plain Python);
- verify: `Verifier.verify` on the certificate's bytes, with query, context and radius, the key's loading included;
- command: `equiproof verify --json` in a process of its own, from start to exit.

Targets: native check 5, verify 50, command 500; plain Python, whole verification 2000.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from circuits.field import to_bytes
from verifier import (
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
from verifier.checker import Checker, load

GOLDEN = Path(__file__).resolve().parents[1] / "tests" / "golden"
CASES = ("loans", "rates")
CHECKERS: tuple[Checker, ...] = ("native", "python")
TARGETS = {
    ("check", "native"): 5,
    ("verify", "native"): 50,
    ("command", "native"): 500,
    ("verify", "python"): 2000,
}


def spread(call: Callable[[], Any], repeats: int) -> dict[str, float]:
    """Return the median and the largest time of a call, which is made once before."""
    call()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(1000 * (time.perf_counter() - start))
    return {"median_ms": round(statistics.median(times), 3), "max_ms": round(max(times), 3)}


def calls(folder: Path, checker: Checker) -> dict[str, Callable[[], Any]]:
    """Return what is measured of a case with one of the two programs."""
    data = (folder / "certificate.json").read_bytes()
    certificate = parse_certificate(data, "certificate.json")
    store = TrustStore.open(folder / "keys")
    key = store.find(certificate.key.fingerprint)
    digest = to_bytes(certificate.to_statement().digest(key.document.shape))
    verifier = Verifier(parse_commitment((folder / "commitment.json").read_bytes(), "commitment.json"), store, checker)
    query = parse_query((folder / "query.json").read_bytes(), "query.json")
    context = parse_context((folder / "context.json").read_bytes(), "context.json")
    policy = AllOf(ForQuery(query), ForContext(context), MinRadius("0.1"))
    loaded = load(checker, key.verifying)
    return {
        "check": lambda: loaded.verify(digest, certificate.proof_bytes),
        "verify": lambda: verifier.verify(data, policy),
        "command": lambda: command(folder, checker),
    }


def command(folder: Path, checker: Checker) -> None:
    """Run the command to its end; any other end than `verified` is an error."""
    program = Path(sys.executable).parent / "equiproof"
    files = [f"--{name}={folder / name}.json" for name in ("commitment", "query", "context")]
    words = [str(program), "verify", str(folder / "certificate.json"), *files, f"--keys={folder / 'keys'}"]
    done = subprocess.run([*words, f"--checker={checker}", "--json"], capture_output=True, check=True)
    if json.loads(done.stdout)["checker"] != checker:
        raise RuntimeError(f"{checker} was asked to check, and did not")


def measure(repeats: int) -> list[dict[str, Any]]:
    """Measure every case with both programs."""
    results = []
    for case in CASES:
        for checker in CHECKERS:
            for name, call in calls(GOLDEN / case, checker).items():
                target = TARGETS.get((name, checker))
                results.append(
                    {"case": case, "checker": checker, "what": name, **spread(call, repeats), "target_ms": target}
                )
    return results


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=11, help="runs of each (11)")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the table")
    options = parser.parse_args()
    results = measure(max(1, options.repeats))
    if options.json:
        machine = {"python": platform.python_version(), "system": platform.platform(), "processor": platform.machine()}
        print(json.dumps({"machine": machine, "repeats": options.repeats, "results": results}))
        return
    print("| case | checker | what | median ms | max ms | target ms |\n|---|---|---|---|---|---|")
    for row in results:
        print("| " + " | ".join(str("" if value is None else value) for value in row.values()) + " |")


if __name__ == "__main__":
    main()
