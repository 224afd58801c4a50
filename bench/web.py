"""Sizes of verifier, page and element, and times of a verification in Node and on the page, on published certificates.

Times are milliseconds of the clock, each in a process of its own, with query and context:

- load: the script is read and run; of the page, all of it until the browser calls it loaded;
- first: the first verification; on the page, from the choice of a file until the answer stands there;
- later: the median of nine more in the same process.
"""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from bench.harness import BenchError, Progress, machine, nothing, spread
from bench.harness import table as markdown
from equiproof.verifier.bundle import Bundle

ROOT = Path(__file__).resolve().parents[1]
WEB = ROOT / "web"
PACKAGE = WEB / "verifier"
DRIVER = ROOT / ".venv" / "browser"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
GOLDEN = ROOT / "tests" / "golden"
BUNDLE, PAGE, ELEMENT = "equiproof-verifier.min.js", "verify.html", "equiproof-certificate.js"
CERTIFICATES = ("loans", "rates", "wide", "loans-plonk")
PARTS = {
    "certificate": "certificate.json",
    "commitment": "commitment.json",
    "key": "keys/key/key.json",
    "verifying_key": "keys/key/verifying.key",
    "query": "query.json",
    "context": "context.json",
}
TARGETS = {"first": 200}
SIZES = {"page, its script": 40_000, "element": 40_000}


def node(*words: object) -> str:
    """Run Node and return its output; raises BenchError where there is none, or no packages to build with."""
    program = shutil.which("node")
    if program is None or not (PACKAGE / "node_modules").is_dir():
        raise BenchError("web: no node, or no packages in web/verifier/node_modules: call `make web`")
    return subprocess.run([program, *map(str, words)], capture_output=True, text=True, check=True).stdout


def built(folder: Path) -> Path:
    """Build verifier, page and element into a folder and return the verifier's bundle; raises as :func:`node`."""
    for name in ("verifier", "page", "element"):
        node(WEB / name / "build.mjs", folder)
    return folder / BUNDLE


def browser() -> str:
    """Return the browser's program; raises BenchError where there is none, or nothing to drive it."""
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None or not (DRIVER / "node_modules").is_dir():
        raise BenchError("web: no Chromium, or no playwright-core in .venv/browser: call `make browser`")
    return program


def timed(bundle: Path, name: str) -> dict[str, float]:
    """Return the times of one process in Node, for a published certificate."""
    times: dict[str, float] = json.loads(node(Path(__file__).with_suffix(".mjs"), bundle, GOLDEN / name))
    return times


def timed_on_page(page: Path, name: str, program: str) -> dict[str, float]:
    """Return the times of one browser, for a published certificate as the applicant's own bundle."""
    file = page.with_name(f"{name}.equiproof")
    if not file.exists():
        read = {role: (GOLDEN / name / place).read_bytes() for role, place in PARTS.items()}
        file.write_bytes(Bundle(**read).to_bytes())
    script = Path(__file__).with_name("web_page.mjs")
    times: dict[str, float] = json.loads(node(script, DRIVER, program, page, file))
    return times


def sizes(folder: Path) -> list[dict[str, Any]]:
    """Return bytes, and bytes with gzip, of what was built; of the page, of its script alone too."""
    page = (folder / PAGE).read_bytes()
    code = page.rpartition(b"<script>")[2].partition(b"</script>")[0]
    files = {
        "verifier": (folder / BUNDLE).read_bytes(),
        "page, its script": code,
        "page, all of it": page,
        "element": (folder / ELEMENT).read_bytes(),
    }
    return [
        {"what": what, "bytes": len(data), "gzipped": len(gzip.compress(data, 9)), "target": SIZES.get(what)}
        for what, data in files.items()
    ]


def run(_data_dir: Path | None = None, progress: Progress = nothing, *, repeats: int = 11) -> dict[str, Any]:
    """Measure every certificate in `repeats` processes of Node, and on the page in as many browsers."""
    program, results = browser(), []
    with tempfile.TemporaryDirectory() as name:
        bundle = built(Path(name))
        page = bundle.with_name(PAGE)
        for number, case in enumerate(CERTIFICATES, 1):
            measures = {"Node": partial(timed, bundle, case), "page": partial(timed_on_page, page, case, program)}
            for where, measure in measures.items():
                times = [measure() for _ in range(repeats)]
                results += [
                    {"case": case, "where": where, "what": what, **spread("ms", [one[what] for one in times], 3)}
                    | {"target_ms": TARGETS.get(what)}
                    for what in ("load", "first", "later")
                ]
            progress(number, len(CERTIFICATES))
        found = sizes(Path(name))
    versions = {"node": node("--version").strip(), "browser": version(program)}
    return {"suite": "web", "repeats": repeats, "sizes": found, "results": results, **versions, "machine": machine()}


def version(program: str) -> str:
    """Return the browser's name and release."""
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.split()
    return " ".join(said[:2])


def table(found: Mapping[str, Any]) -> str:
    """Write one line per size, then one per certificate, place and time."""
    files = [
        (row["what"], f"{row['bytes']:,}", f"{row['gzipped']:,}", f"{row['target']:,}" if row["target"] else "")
        for row in found["sizes"]
    ]
    times = [
        (
            row["case"],
            row["where"],
            row["what"],
            f"{row['ms']:.0f}",
            f"{row['ms_max']:.0f}",
            str(row["target_ms"] or ""),
        )
        for row in found["results"]
    ]
    heads = ("certificate", "where", "what", "ms, median", "ms, largest", "target ms")
    small = markdown(("file", "bytes", "with gzip -9", "target with gzip"), files)
    return f"{small}\n\nNode {found['node']}, {found['browser']}.\n\n{markdown(heads, times)}"
