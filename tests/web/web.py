"""The TypeScript package in one Node process: `driver.mjs` runs what was built; `make web` brings what builds it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests import node
from tests.kept import kept, locked
from tests.support import ROOT

PACKAGE = ROOT / "web" / "verifier"
HERE = Path(__file__).parent
BUNDLE, SIGNING = "equiproof-verifier.min.js", "signing.mjs"
INSTALLED = PACKAGE / "node_modules" / ".installed"


MODULES = """
import { build } from "esbuild";
import { sayings } from "./sayings.mjs";
import { tables } from "./tables.mjs";
const entryPoints = ["index", "answers", "signers"].map((name) => `src/${name}.ts`);
const options = { bundle: true, format: "esm", splitting: true, packages: "external", logLevel: "error" };
await build({ ...options, plugins: [sayings, tables], entryPoints, outdir: "built" });
"""
"""Builds modules as `build.mjs` does, without types, German and the file for pages, which take most of its time."""


def lacking() -> str | None:
    """Return the first thing that is not there, None when all is."""
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            return f"no {program}"
    return None if INSTALLED.is_file() else "no packages in web/verifier/node_modules"


def refuse_or_skip() -> None:
    """Skip where the package cannot be built; in CI, where it must be, fail."""
    node.refuse_or_skip(lacking(), "web")


def run(*words: object, folder: Path = PACKAGE) -> str:
    """Run a program in a folder and return its output; what it says is in the error where it fails."""
    modules = {"NODE_PATH": str(PACKAGE / "node_modules")}
    done = subprocess.run(
        [*map(str, words)],
        cwd=folder,
        env=os.environ | modules,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def sources() -> Iterator[str]:
    """Yield the files that builds are made of, from the root: all but what was installed or built."""
    for room in (ROOT / "web", ROOT / "go-gnark" / "verify" / "tables", HERE):
        for place, folders, names in os.walk(room):
            folders[:] = sorted(set(folders) - {"node_modules", "dist", "__pycache__"})
            yield from (str((Path(place) / name).relative_to(ROOT)) for name in sorted(names))


def kept_build(name: str, build: Callable[[Path], object]) -> Path:
    """Return the folder that a build fills; workers and runs share it as long as the sources stay as they are.

    Minifying takes seconds. Tests must not change what is there.
    """
    folder = kept(f"web-{name}", *sources())
    whole, part = folder / "whole", folder / "part"
    with locked(folder / ".lock"):
        if not whole.exists():
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir()
            build(part)
            part.rename(whole)
    return whole


def kept_package() -> Path:
    """Return the bundle's file of the package, as :func:`built` leaves it."""
    return kept_build("verifier", built) / BUNDLE


def built(folder: Path) -> Path:
    """Build the package into a folder, and beside it what tests see of its inside; return the bundle's file.

    A second file, SIGNING, holds the package's modules with those about signers, what these load, gains and boxes.
    """
    run("node", "build.mjs", folder)
    (folder / "signing.ts").write_text(
        "".join(f'export * from "./{name}.js";\n' for name in ("index", "signers", "gain", "box", "german"))
    )
    for source, target in ((HERE / "inside.ts", "inside.mjs"), (folder / "signing.ts", SIGNING)):
        options = ("--bundle", "--format=esm", "--platform=node", f"--outfile={folder / target}", "--log-level=error")
        run(PACKAGE / "node_modules" / ".bin" / "esbuild", source, *options)
    return folder / BUNDLE


def modules(package: Path) -> None:
    """Build modules of a copy of the package into its folder `built`."""
    (package / "modules.mjs").write_text(MODULES)
    run("node", "modules.mjs", folder=package)


@contextmanager
def spoken(package: Verifier, language: str) -> Iterator[None]:
    """Have the package say its sentences in a language."""
    package.ask("speak", language=language)
    try:
        yield
    finally:
        package.ask("speak", language="en")


class Verifier(node.Driver):
    """The package in a process of its own; an answer has a `value`, or the `exception` with `reason` and `message`."""

    def __init__(self, bundle: Path) -> None:
        super().__init__(HERE / "driver.mjs", bundle, bundle.with_name("inside.mjs"))

    def call(self, name: str, *words: Any) -> Any:
        """Return what a function of `inside.ts` returns."""
        answer = self.ask("call", name=name, words=words)
        assert "value" in answer, answer
        return answer["value"]
