"""Install and use everything that `make wheel` left: `python -m scripts.packages.trial [--again] FOLDER PYTHON...`.

Each wheel goes into an empty environment of each Python, with the pinned packages that it needs, each npm package into
an empty folder, and each program is run alone. What is used is what was published: certificates of `tests/golden` and
`tests/vectors`, and one that is made. With `--again`, everything is first built once more from the source archive, in
another folder with an environment of its own, and must have the same bytes. Packages come from the indexes that pip and
npm are configured with.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from scripts.packages.__main__ import SUMS, sums
from scripts.packages.archives import unpacked
from scripts.packages.sources import ROOT

GOLDEN = ROOT / "tests" / "golden" / "loans"
OTHER = GOLDEN.parent / "wide" / "commitment.json"
BUNDLE = ROOT / "tests" / "vectors" / "bundles" / "base" / "loans.equiproof"
FILES = ("--commitment", GOLDEN / "commitment.json", "--keys", GOLDEN / "keys")
PINS = ROOT / "requirements"

_NODE = """
import { readFileSync } from "node:fs";
import { UnsafeNoPolicy, verifyBundle } from "@equiproof/verifier";
const [name, changed] = process.argv.slice(1);
const bundle = readFileSync(name);
if (changed) bundle[bundle.indexOf('"label":"granted"') + 9] += 1;
console.log(verifyBundle(bundle, {}, new UnsafeNoPolicy()).sentence);
"""
_ELEMENT = 'console.log(import.meta.resolve("@equiproof/element"))'
_LOGGED = ("log", "entry", "commitment", GOLDEN / "commitment.json", "--owner", "North Bank", "--from", "2026-03-01")


class TrialError(Exception):
    """Something that was published does not work; one line."""


def run(folder: Path, *words: object, code: int = 0, **environment: str) -> str:
    """Run a program in a folder, and return what it prints; no variable of Python or make reaches it.

    Raises TrialError where its exit code is another one.
    """
    passed = {name: os.environ[name] for name in os.environ if not name.startswith(("PYTHON", "MAKE", "MFLAGS"))}
    command, settings = [*map(str, words)], passed | environment
    done = subprocess.run(command, cwd=folder, env=settings, capture_output=True, text=True, check=False)
    if done.returncode != code:
        tail = " ".join((done.stderr or done.stdout).split())[-250:]
        raise TrialError(f"{' '.join(command)[:100]}: want exit code {code}, got {done.returncode}: {tail}")
    return done.stdout


def expect(found: object, wanted: object, what: str) -> None:
    """Raise TrialError unless something is as it should be."""
    if found != wanted:
        raise TrialError(f"{what}: want {str(wanted)[:150]}, got {str(found)[:150]}")


def same_digests(folder: Path) -> list[Path]:
    """Return the files that SHA256SUMS of a folder names; raises TrialError where one is missing or has other bytes."""
    text = (folder / SUMS).read_text(encoding="utf-8")
    files = [folder / line.partition("  ")[2] for line in text.splitlines()]
    missing = [path.name for path in files if not path.is_file()]
    expect(missing, [], "missing files")
    expect(sums(files), text, SUMS)
    return files


def built_again(archive: Path, work: Path) -> list[str]:
    """Build everything from the source archive in a folder of its own; return the lines of SHA256SUMS then."""
    sources = unpacked(archive, work / "again")
    before = os.umask(0o077)
    try:
        run(sources, "make", "--silent", "wheel", f"PYTHON={sys.executable}")
    finally:
        os.umask(before)
    return (sources / "dist" / SUMS).read_text(encoding="utf-8").splitlines()


class Environment:
    """An empty environment of one Python."""

    def __init__(self, python: str, folder: Path, dist: Path, version: str) -> None:
        """Make it; `dist` has our packages, of which exactly this version is installed."""
        self.folder, self.dist, self.version = folder, dist, version
        folder.mkdir(parents=True)
        run(folder, python, "-m", "venv", folder / "venv")

    def call(self, program: str, *words: object, code: int = 0) -> str:
        """Run an installed program, of which Equiproof's own keep their settings here."""
        own = {"XDG_CONFIG_HOME": str(self.folder)} if program == "equiproof" else {}
        return run(self.folder, self.folder / "venv" / "bin" / program, *words, code=code, **own)

    def install(self, pins: str, *ours: str) -> None:
        """Install what a requirements file pins, then our own packages by name; nothing may be missing afterwards."""
        pip = ("-m", "pip", "--disable-pip-version-check")
        options = ("install", "--quiet", "--no-deps")
        requirements = PINS / f"{pins}.txt"
        self.call("python", *pip, *options, "--require-hashes", "--only-binary", ":all:", "-r", requirements)
        named = [f"{name}=={self.version}" for name in ours]
        self.call("python", *pip, *options, "--no-index", "--find-links", self.dist, *named)
        self.call("python", *pip, "check")

    def verify(self, checker: str) -> None:
        """Verify a published certificate; refuse the same under another commitment."""
        said = json.loads(self.call("equiproof", "verify", GOLDEN / "certificate.json", *FILES, "--json"))
        expect(said["checker"], checker, "the program that checked the proof")
        self.call("equiproof", "verify", GOLDEN / "certificate.json", "--commitment", OTHER, *FILES[2:], code=1)


def python_packages(python: str, work: Path, dist: Path, version: str) -> str:
    """Verify with the first wheel alone, then with the library, make a certificate, and keep a log; return a line."""
    here = Environment(python, work, dist, version)
    here.install("base", "equiproof")
    expect(here.call("equiproof", "--version").split()[-1], version, "equiproof --version")
    here.verify("python")
    here.call("equiproof", "setup", *FILES[:2], "--hidden", "3", "--keys", "none", code=2)
    here.install("prove", "equiproof-native", "equiproof-log")
    here.verify("native")
    model = here.call("python", "-c", "import equiproof.cli; print(equiproof.cli.__path__[0])").strip()
    opening = ("--opening", "owner/opening.json")
    row, out = ROOT / "examples" / "applicant.json", ("--out", "certificate.json", "--query-out", "query.json")
    pinned = ("--commitment", "owner/commitment.json", "--keys", "keys")
    for words in (
        ("commit", f"{model}/assets/model", "--out", "owner"),
        ("setup", *opening, "--keys", "keys"),
        ("prove", row, *opening, "--keys", "keys", *out),
        ("verify", "certificate.json", *pinned, "--query", "query.json"),
        ("identity", "new", "lender.example/log", "--out", "log.key"),
        ("log", "init", "log", "--origin", "lender.example/log", "--key", "log.key"),
        (*_LOGGED, "--out", "entry.json"),
        ("log", "append", "log", "entry.json"),
    ):
        here.call("equiproof", *words)
    expect(here.call("equiproof", "log", "checkpoint", "log").split("\n")[1], "1", "size of the log")
    release = here.call("python", "-c", "import platform; print(platform.python_version())").strip()
    return f"Python {release}: verified in plain Python and natively; made and verified a certificate; kept a log"


def npm_packages(work: Path, dist: Path, version: str) -> str:
    """Verify with the verifier in Node, and find the element's module where its package says; return a line."""
    work.mkdir(parents=True)
    (work / "package.json").write_text('{"private": true, "type": "module"}', encoding="utf-8")
    archives = [dist / f"equiproof-{name}-{version}.tgz" for name in ("verifier", "element")]
    run(work, "npm", "install", "--silent", "--ignore-scripts", "--no-audit", "--no-fund", *archives)
    expect("granted" in run(work, "node", "--input-type=module", "-e", _NODE, BUNDLE), True, "the label by Node")
    run(work, "node", "--input-type=module", "-e", _NODE, BUNDLE, "changed", code=1)
    module = run(work, "node", "--input-type=module", "-e", _ELEMENT).strip()
    expect(Path(module.removeprefix("file://")).is_file(), True, f"the element's module, {module},")
    return f"Node {run(work, 'node', '--version').strip()}: verified a bundle, refused a changed one"


def programs(work: Path, dist: Path, version: str) -> str:
    """Run each static program in an empty folder with an empty environment; return a line."""
    for name in ("equiproof-verify", "equiproof-log"):
        (archive,) = dist.glob(f"{name}-{version}-*.tar.gz")
        program = unpacked(archive, work / name) / name
        expect(run(work, "env", "-i", program, "--version"), f"{name} {version}\n", f"{name} --version")
    verifier = next(work.glob("equiproof-verify/*/equiproof-verify"))
    run(work, "env", "-i", verifier, GOLDEN / "certificate.json", *FILES)
    run(work, "env", "-i", verifier, GOLDEN / "certificate.json", "--commitment", OTHER, *FILES[2:], code=1)
    return "Programs alone: verified a certificate, refused it under another commitment"


def main() -> None:
    """Print a line for each thing that was tried; exits with one line at the first that does not work."""
    parser = argparse.ArgumentParser(prog="python -m scripts.packages.trial", description=__doc__)
    parser.add_argument("--again", action="store_true", help="first build everything again, and compare")
    parser.add_argument("folder", type=Path, help="the folder that `make wheel` filled")
    parser.add_argument("pythons", nargs="+", metavar="PYTHON", help="an interpreter")
    given = parser.parse_args()
    dist = given.folder.absolute()
    try:
        files = same_digests(dist)
        (materials,) = (path for path in files if path.name.endswith(".cdx.json"))
        version = json.loads(materials.read_bytes())["metadata"]["component"]["version"]
        npm = json.loads((ROOT / "web" / "verifier" / "package.json").read_bytes())["version"]
        with tempfile.TemporaryDirectory() as folder:
            work = Path(folder)
            print(f"{SUMS}: {len(files)} files have these digests")
            if given.again:
                again = built_again(dist / f"equiproof-{version}.tar.gz", work)
                others = {line.partition("  ")[2] for line in {*again} ^ {*(dist / SUMS).read_text().splitlines()}}
                expect(sorted(others), [], "files with other bytes when built again")
                print("Built again from the source archive: the same bytes")
            for number, python in enumerate(given.pythons):
                print(python_packages(python, work / str(number), dist, version), flush=True)
            print(npm_packages(work / "npm", dist, npm))
            print(programs(work / "programs", dist, version))
    except TrialError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
