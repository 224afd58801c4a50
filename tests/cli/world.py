"""One trip through the real command line, and the tools with which its tests look at what a command left behind."""

from __future__ import annotations

import copy
import io
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from equiproof.certify.data import load
from equiproof.certify.traversal.search import Counterexample, Search, search
from equiproof.cli.main import run
from equiproof.prover.opening import Opening, parse_opening
from tests.support import ROOT

SCRIPT = Path(sys.executable).parent / "equiproof"
LONGEST = 400
"""The most characters of a line that refuses something, with the name of the program before it."""

CAPACITY = 8
HIDDEN = "3"
CONTEXT = {"nonce": "0123456789abcdef0123", "policy": "tests", "date": "2026-01-31"}


@dataclass(frozen=True)
class Outcome:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        """The one JSON object on standard output; anything beside it is an error."""
        lines = self.out.splitlines()
        assert len(lines) == 1, self.out
        document = json.loads(lines[0])
        assert isinstance(document, dict)
        return document

    def complaint(self, code: int, *named: object) -> str:
        """Return the one line of a command that failed as it should: it names these, and nothing else was said."""
        assert self.err.count("\n") == 1, (self.code, self.out, self.err[-2000:])
        self.complaints(code, *named)
        return self.err

    def complaints(self, code: int, *named: object) -> list[str]:
        """Return the lines of a command that failed as it should, one for each problem: each of them names these."""
        assert self.code == code, (self.code, self.out, self.err[-2000:])
        lines = self.err.split("\n")
        assert lines.pop() == ""
        assert lines
        for line in lines:
            assert line.isprintable(), ascii(line[:200])
            assert len(line) <= LONGEST, line
            assert line.startswith(("refused: ", "equiproof: ")), line[:200]
            assert "Traceback" not in line
            for name in named:
                assert str(name) in line, (name, line)
        assert self.out == ""
        return lines


def keep(outcome: Outcome, path: Path) -> None:
    """Insist that a command succeeded, and write into a file what it said."""
    assert outcome.code == 0, outcome.err
    path.write_text(json.dumps(asdict(outcome)))


def kept_outcome(path: Path) -> Outcome:
    """Return what a command of an earlier run said."""
    return Outcome(**json.loads(path.read_text()))


def command(*words: object) -> Outcome:
    """Run a command in this process, for tests of what it says and does; see `shell` for tests of the program."""
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        code = run([str(word) for word in words])
    return Outcome(code, out.getvalue(), err.getvalue())


def shell(*words: object, cwd: Path | None = None, code: str | None = None) -> Outcome:
    """Run the real console script, or `code` with our command line imported, in a process of its own.

    It costs a second of processor time: for tests of exit codes, signals, streams and the environment of a process.
    """
    program = [str(SCRIPT)] if code is None else [sys.executable, "-c", code]
    done = subprocess.run(
        [*program, *map(str, words)], cwd=cwd or ROOT, capture_output=True, text=True, timeout=300, check=False
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


@dataclass(frozen=True)
class World:
    """The files of one trip: train, commit, setup, prove."""

    root: Path

    def __getattr__(self, name: str) -> Path:
        """Return the path of a file by its short name."""
        try:
            return self.root / _PLACES[name]
        except KeyError:
            raise AttributeError(name) from None

    @property
    def key(self) -> Path:
        """The folder of the one key."""
        (folder,) = (path.parent for path in self.keys.glob("[!.]*/key.json"))
        return folder

    @property
    def owned(self) -> Opening:
        """The owner's opening, read."""
        return parse_opening(self.opening.read_bytes(), "opening.json")

    @property
    def model_files(self) -> list[str]:
        return ["network.npz", "spec.json", "training.json"]

    def prove(self, folder: Path, *more: object, **changed: object) -> list[object]:
        """Return the words of a proof into `folder`, with some arguments changed."""
        at = {"row": self.row, "opening": self.opening, "keys": self.keys, "context": self.context} | changed
        options = ["--out", folder / "certificate.json", "--query-out", folder / "query.json", *more]
        return ["prove", at["row"], *_options(at, "opening", "keys", "context"), *options]

    def certify(self, *more: object, **changed: object) -> list[object]:
        """Return the words of a certification in plaintext, of scheme traversal where nothing else is said."""
        at = {"row": self.row, "opening": self.opening, "scheme": "traversal"} | changed
        return ["certify", at["row"], *_options(at, "opening", "scheme"), *more]

    def verify(self, *more: object, **changed: object) -> list[object]:
        """Return the words of a verification with every file that one can give."""
        at = {name: getattr(self, name) for name in ("certificate", "commitment", "keys", "query", "context")} | changed
        return ["verify", at["certificate"], *_options(at, "commitment", "keys", "query", "context"), *more]

    def letter(self, folder: Path, *more: object, **changed: object) -> list[object]:
        """Return the words of a letter into `folder`."""
        at = {"certificate": self.certificate, "commitment": self.commitment, "key": self.keys, "query": self.query}
        at |= {"context": self.context} | changed
        options = ["--lender", "Example Lending", "--out", folder / "letter.html", *more]
        return ["letter", at["certificate"], *_options(at, "commitment", "key", "query", "context"), *options]

    def setup(self, keys: Path, *more: object, **changed: object) -> list[object]:
        """Return the words of a set-up."""
        at = {"commitment": self.commitment, "keys": keys, "hidden": HIDDEN, "capacity": CAPACITY} | changed
        return ["setup", *_options(at, "commitment", "keys", "hidden", "capacity"), *more]


_PLACES = {
    "model": "model",
    "owner": "owner",
    "opening": "owner/opening.json",
    "commitment": "owner/commitment.json",
    "keys": "keys",
    "said_of_setup": "said-of-setup.json",
    "row": "rows/fair.json",
    "other_row": "rows/other.json",
    "unfair": "rows/unfair.json",
    "full": "rows/full.json",
    "context": "context.json",
    "certificate": "certificate.json",
    "query": "query.json",
    "other_query": "other/query.json",
}


def build(root: Path) -> World:
    """Take the trip once; an earlier worker's is taken over."""
    world = World(root)
    if (root / "done").exists():
        return world
    shutil.rmtree(root, ignore_errors=True)
    (root / "rows").mkdir(parents=True)
    (root / "other").mkdir()
    world.context.write_text(json.dumps(CONTEXT))
    _must(command("train", "--hidden", HIDDEN, "--out", world.model))
    _must(command("commit", world.model, "--out", world.owner))
    keep(command(*world.setup(world.keys)), world.said_of_setup)
    _choose(world)
    _must(command(*world.prove(root)))
    _must(command(*world.prove(root / "other", row=world.other_row)))
    (root / "done").touch()
    return world


def _must(outcome: Outcome) -> None:
    """Insist on success."""
    assert outcome.code == 0, outcome.err


def _choose(world: World) -> None:
    """Write rows: two applicants whose evidence outgrows the key, and one whom the model treats unfairly."""
    opening, data = world.owned, load("lending")
    fair, unfair = [], []
    for index in data.test:
        row = dict(data.rows[index])
        found = _around(opening, row)
        if isinstance(found, Search) and found.complete and (found.needed or 0) > CAPACITY:
            fair.append(row)
        if isinstance(found, Counterexample) and found.kind == "flip":
            unfair.append(row)
        if len(fair) > 1 and unfair:
            break
    rows = {"full": fair[0], "row": _plain(opening, fair[0]), "other_row": _plain(opening, fair[1])}
    for name, row in (rows | {"unfair": _plain(opening, unfair[0])}).items():
        getattr(world, name).write_text(json.dumps(row))


def _around(opening: Opening, row: dict[str, Any]) -> Search | Counterexample:
    """Search around a raw row."""
    spec = opening.spec
    limits = {"max_radius_squared": spec.max_radius_squared, "max_regions": 64}
    return search(opening.network, spec.encode(row), spec.domain_table, **limits)


def _plain(opening: Opening, row: dict[str, Any]) -> dict[str, Any]:
    """Leave the sensitive features out."""
    return {feature.name: row[feature.name] for feature in opening.spec.plain_features}


def _options(at: dict[str, object], *names: str) -> Iterator[object]:
    """Yield options that have a value."""
    for name in names:
        if at[name] is not None:
            yield f"--{name}"
            yield at[name]


def listing(folder: Path) -> dict[str, tuple[int, int]]:
    """Return every file and folder with size and time: what a command must leave alone."""
    found = {}
    for path in sorted(folder.rglob("*")):
        state = path.lstat()
        found[path.relative_to(folder).as_posix()] = (0, 0) if path.is_dir() else (state.st_size, state.st_mtime_ns)
    return found


def canonical(document: Any) -> bytes:
    """Write JSON as our files are written, also where no canonical form exists."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


HOSTILE = {
    "null": None,
    "true": True,
    "below zero": -1,
    "2^53": 2**53,
    "400 digits": 10**400,
    "half": 0.5,
    "empty": "",
    "text": "x",
    "long": "y" * 20_000,
    "escape": "\x1b]0;title\x07\x1b[31m",
    "list": [],
    "nested": [[[[]]]],
    "object": {},
    "other object": {"a": 1},
}
"""Values that stand where others are expected."""


def edits(document: Any) -> Iterator[tuple[str, Any]]:
    """Yield the document with each of its fields replaced by each hostile value, left out, and with one too many."""
    for path in _paths(document):
        where = ".".join(map(str, path))
        for name, value in HOSTILE.items():
            changed = copy.deepcopy(document)
            _parent(changed, path)[path[-1]] = value
            if changed != document:
                yield f"{where} = {name}", changed
        changed = copy.deepcopy(document)
        del _parent(changed, path)[path[-1]]
        yield f"{where} left out", changed
    if isinstance(document, dict):
        yield "one more", {**document, "unheard_of": 1}


def _paths(document: Any, prefix: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every field, and of the first entry of every list."""
    entries = document.items() if isinstance(document, dict) else enumerate(document[:1])
    for name, value in entries:
        yield (*prefix, name)
        if isinstance(value, dict | list):
            yield from _paths(value, (*prefix, name))


def _parent(document: Any, path: tuple[Any, ...]) -> Any:
    """Return the container of a field."""
    for step in path[:-1]:
        document = document[step]
    return document
