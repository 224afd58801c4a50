"""Processor seconds of everyday commands with large ensembles, each in a process of its own, from start to exit.

With EQUIPROOF_THEN, the folder of a checkout of an earlier build, its commands take the same rows and models, with the
packages of this environment; a command of that build is stopped after LIMIT_S processor seconds. Both are compiled
before, as installed packages are.
"""

from __future__ import annotations

import compileall
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from bench import everyday_models as models
from bench.harness import BenchError, Progress, machine, nothing
from bench.harness import table as markdown

LIMIT_S = 240

EXACT = ("--levels", "exact")
"""An import drafts levels, which earlier builds did not: without them, its seconds compare with theirs."""

# The packages of this environment have its own build among them, which is taken off the ways to import.
_RUN = """import sys
sys.meta_path = [one for one in sys.meta_path if "editable" not in repr(one).lower()]
sys.path.insert(0, sys.argv.pop(1))
from equiproof.__main__ import main
sys.exit(main())
"""


class Work(NamedTuple):
    """A command with the target of its processor seconds; `code` is its exit code, `now` are words of this build."""

    what: str
    target_s: float
    words: tuple[str | Path, ...]
    code: int = 0
    now: tuple[str, ...] = ()


def prepared(folder: Path, progress: Callable[[], None]) -> list[Work]:
    """Make tables, models and model folders; return the works on them, in the order in which they are shown."""
    made = {}
    for name, count in (
        ("predicted", models.PREDICTED),
        ("imported", models.IMPORTED),
        ("committed", models.COMMITTED),
        ("refused", models.REFUSED),
    ):
        rows, spec = folder / f"{name}.csv", folder / f"{name}.json"
        made[name] = models.table(rows, count)
        models.spec_of(rows, spec)
        progress()
    models.boosted(folder / "trees80.json", *made["predicted"], 80, 3)
    models.machine_with_pairs(folder / "pairs.json", folder / "predicted.csv")
    models.boosted(folder / "trees500.json", *made["imported"], 500, 6)
    models.boosted(folder / "trees200.json", *made["committed"], 200, 5)
    models.forest(folder / "forest.onnx", *made["refused"])
    for model, own in (("trees80", "predicted"), ("pairs", "predicted"), ("trees200", "committed")):
        cpu_seconds((*_import(folder, f"{model}.json", own, model), *EXACT))
        progress()
    names = ",".join([*models.FEATURES, "sex"])
    forest = _import(folder, "forest.onnx", "refused", "forest")
    committed = folder / "committed.csv"
    return [
        Work("predict, 80 trees of depth 3", 0.4, ("predict", folder / "trees80", folder / "predicted.csv")),
        Work("predict, machine with 10 pairs", 1.0, ("predict", folder / "pairs", folder / "predicted.csv")),
        Work("import, 500 trees of depth 6", 15.0, _import(folder, "trees500.json", "imported", "trees500"), now=EXACT),
        Work("commit, 200 trees of depth 5", 3.0, _commit(folder / "trees200", committed, folder / "opened")),
        Work("refusal of a default random forest", 2.0, (*forest, "--columns", names), 2),
    ]


def _import(folder: Path, model: str, rows: str, out: str) -> tuple[str | Path, ...]:
    """Return the words that import a model."""
    table = ("--spec", folder / f"{rows}.json", "--rows", folder / f"{rows}.csv")
    return ("import", folder / model, *table, "--out", folder / out, "--force")


def _commit(model: Path, rows: Path, out: Path) -> tuple[str | Path, ...]:
    """Return the words that commit to a model."""
    return ("commit", model, "--rows", rows, "--out", out, "--force")


def cpu_seconds(words: tuple[str | Path, ...], code: int = 0, then: Path | None = None) -> float | None:
    """Return the processor seconds of a command, of this build or of the one in a folder; None where it was stopped.

    Raises BenchError for another exit code.
    """
    program = [sys.executable, *(["-m", "equiproof"] if then is None else ["-c", _RUN, str(then)])]
    limit = None if then is None else lambda: resource.setrlimit(resource.RLIMIT_CPU, (LIMIT_S, LIMIT_S))
    # An environment that keeps no compiled modules compiles those of packages again for each command.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [*program, *map(str, words)], capture_output=True, check=False, preexec_fn=limit, env=environment
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if then is not None and done.returncode < 0:
        return None
    if done.returncode != code:
        raise BenchError(f"{words[0]} ended with {done.returncode}: {done.stderr.decode()[-300:]}")
    return round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 2)


def compiled(build: Path) -> None:
    """Compile the modules of a checkout; its rooms may be links."""
    compileall.compile_dir(build / "equiproof", quiet=2)
    for room in (build / "equiproof").iterdir():
        if room.is_symlink():
            compileall.compile_dir(room.resolve(), quiet=2)


def run(_data_dir: Path | None = None, progress: Progress = nothing) -> dict[str, Any]:
    """Measure each work once, and an earlier build beside it where EQUIPROOF_THEN names one."""
    then = os.environ.get("EQUIPROOF_THEN")
    for build in (Path(__file__).parents[1], *([Path(then)] if then else [])):
        compiled(build)
    steps = 0

    def step() -> None:
        nonlocal steps
        steps += 1
        progress(steps, 12)

    with tempfile.TemporaryDirectory() as made:
        results = []
        for what, target, words, code, now in prepared(Path(made), step):
            row: dict[str, Any] = {"what": what, "target_s": target, "now_s": cpu_seconds((*words, *now), code)}
            if then is not None:
                row |= _earlier(words, code, Path(then))
            results.append(row)
            step()
    return {"suite": "everyday", "limit_s": LIMIT_S, "results": results, "machine": machine()}


def _earlier(words: tuple[str | Path, ...], code: int, then: Path) -> dict[str, Any]:
    """Return the figure of an earlier build, which may refuse what this one does."""
    try:
        return {"then_s": cpu_seconds(words, code, then)}
    except BenchError:
        return {"then_refused": True}


def table(found: Mapping[str, Any]) -> str:
    """Write one line for each work."""
    rows = [
        (row["what"], _then(row, found["limit_s"]), f"{row['now_s']:.1f}", f"{row['target_s']:g}")
        for row in found["results"]
    ]
    return markdown(("work", "earlier build, CPU s", "now, CPU s", "target"), rows)


def _then(row: Mapping[str, Any], limit: int) -> str:
    """Return the figure of the earlier build."""
    if "then_refused" in row:
        return "refused"
    if "then_s" not in row:
        return "not measured"
    return f"more than {limit}" if row["then_s"] is None else f"{row['then_s']:.1f}"
