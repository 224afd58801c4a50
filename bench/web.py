"""Size of the TypeScript verifier, and times of a verification with it in Node, on the published certificates.

Times are milliseconds of the clock, each in a process of its own, with query, context and radius:

- load: the bundle is read and run;
- first: the first verification, as on a page that verifies one certificate;
- later: the median of nine more in the same process.
"""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench.harness import BenchError, Progress, machine, nothing, spread
from bench.harness import table as markdown

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "web" / "verifier"
GOLDEN = ROOT / "tests" / "golden"
BUNDLE = "equiproof-verifier.min.js"
CERTIFICATES = ("loans", "rates", "wide")
TARGETS = {"first": 200}


def node(*words: object) -> str:
    """Run Node and return its output; raises BenchError where there is none, or no packages to build with."""
    program = shutil.which("node")
    if program is None or not (PACKAGE / "node_modules").is_dir():
        raise BenchError("web: no node, or no packages in web/verifier/node_modules: call `make web`")
    return subprocess.run([program, *map(str, words)], capture_output=True, text=True, check=True).stdout


def built(folder: Path) -> Path:
    """Build the package into a folder and return the bundle; raises BenchError as :func:`node`."""
    node(PACKAGE / "build.mjs", folder)
    return folder / BUNDLE


def timed(bundle: Path, name: str) -> dict[str, float]:
    """Return the times of one process, for a published certificate."""
    times: dict[str, float] = json.loads(node(Path(__file__).with_suffix(".mjs"), bundle, GOLDEN / name))
    return times


def run(_data_dir: Path | None = None, progress: Progress = nothing, *, repeats: int = 11) -> dict[str, Any]:
    """Measure every certificate in `repeats` processes."""
    results = []
    with tempfile.TemporaryDirectory() as folder:
        bundle = built(Path(folder))
        data = bundle.read_bytes()
        for number, name in enumerate(CERTIFICATES, 1):
            times = [timed(bundle, name) for _ in range(repeats)]
            results += [
                {"case": name, "what": what, **spread("ms", [one[what] for one in times], 3)}
                | {"target_ms": TARGETS.get(what)}
                for what in ("load", "first", "later")
            ]
            progress(number, len(CERTIFICATES))
    sizes = {"bytes": len(data), "gzipped": len(gzip.compress(data, 9)), "node": node("--version").strip()}
    return {"suite": "web", "repeats": repeats, "results": results, **sizes, "machine": machine()}


def table(found: Mapping[str, Any]) -> str:
    """Write the size, and one line per certificate and time."""
    size = f"The bundle has {found['bytes']:,} bytes, {found['gzipped']:,} with gzip -9. Node {found['node']}."
    rows = [
        (row["case"], row["what"], f"{row['ms']:.0f}", f"{row['ms_max']:.0f}", str(row["target_ms"] or ""))
        for row in found["results"]
    ]
    return f"{size}\n\n{markdown(('certificate', 'what', 'ms, median', 'ms, largest', 'target ms'), rows)}"
