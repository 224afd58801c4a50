"""Check what an editor makes of the checkout: every file has one path, and definitions and references agree.

Five rooms stand at the top of the repository as links too. A tool that follows the links would list their files twice,
or open a file by a path that git does not know. This program asks a language server as an editor does: for each of five
names it compares definition and references as seen from the definition with those seen from a use in another room.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SERVER = Path(sys.executable).with_name("basedpyright-langserver")

NAMES = (
    ("QuantisedNetwork", "certify/network.py", "audits/hyfair/margin.py"),
    ("Spec", "circuits/spec.py", "verifier/documents.py"),
    ("BackendError", "ffi/errors.py", "prover/keys.py"),
    ("Opening", "prover/opening.py", "service/findings.py"),
    ("VerificationError", "verifier/errors.py", "service/worker/certifying.py"),
)
"""A class, the file of the package that defines it, and one of another room that uses it."""

PATIENCE = 300
"""Seconds after which a server that does not answer is ended."""

Place = tuple[str, int, int]
"""A file relative to the repository, a line and a column, both from 0."""


class NavigationError(Exception):
    """What an editor sees is not what git has; the message says where."""


class Editor:
    """A session with the language server: requests by JSON-RPC over its standard streams."""

    def __init__(self, program: subprocess.Popen[bytes]) -> None:
        self._program = program
        self._requests = 0

    def request(self, method: str, **parameters: object) -> Any:
        """Return the server's answer to a request; what it says or asks meanwhile is answered with nothing."""
        self._requests += 1
        self._send({"id": self._requests, "method": method, "params": parameters})
        while True:
            message = self._receive()
            if "method" not in message and message.get("id") == self._requests:
                if "error" in message:
                    raise NavigationError(f"{method}: {message['error']['message']}")
                return message["result"]
            if "method" in message and "id" in message:
                self._send({"id": message["id"], "result": None})

    def wait(self, words: str) -> None:
        """Return when the server logs a line with these words."""
        while True:
            message = self._receive()
            if message.get("method") == "window/logMessage" and words in message["params"]["message"]:
                return
            if "method" in message and "id" in message:
                self._send({"id": message["id"], "result": None})

    def notify(self, method: str, **parameters: object) -> None:
        """Tell the server something that has no answer."""
        self._send({"method": method, "params": parameters})

    def _send(self, message: dict[str, object]) -> None:
        assert self._program.stdin is not None  # noqa: S101 - opened as a pipe
        body = json.dumps({"jsonrpc": "2.0"} | message).encode()
        self._program.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._program.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        assert self._program.stdout is not None  # noqa: S101 - opened as a pipe
        length = 0
        while (line := self._program.stdout.readline().strip()) or not length:
            if not line and self._program.poll() is not None:
                raise NavigationError("the language server ended")
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        message: dict[str, Any] = json.loads(self._program.stdout.read(length))
        return message


@contextmanager
def editor() -> Iterator[Editor]:
    """Start a language server on the repository, with the settings that pyproject.toml has for it."""
    with subprocess.Popen([SERVER, "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT) as program:
        session = Editor(program)
        watch = Timer(PATIENCE, program.kill)
        watch.start()
        folder = {"uri": ROOT.as_uri(), "name": ROOT.name}
        session.request("initialize", processId=None, rootUri=ROOT.as_uri(), workspaceFolders=[folder], capabilities={})
        session.notify("initialized")
        session.wait("source file")  # asked before, it answers of the files that it has read so far
        try:
            yield session
            session.request("shutdown")
            session.notify("exit")
        finally:
            watch.cancel()


def position(file: Path, name: str) -> dict[str, object]:
    """Return where the name first stands as a word of code in a file, as the protocol writes places."""
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines()):
        words = line.replace("(", " ").replace(")", " ").replace(":", " ").replace(",", " ").split()
        if name in words and words[0] in ("class", "from", "import"):
            return {"textDocument": {"uri": file.as_uri()}, "position": {"line": number, "character": line.index(name)}}
    raise NavigationError(f"{file.relative_to(ROOT)} neither defines nor imports {name}")


def places(locations: list[dict[str, Any]]) -> list[Place]:
    """Return the server's locations by the paths that it gave them, in order."""
    paths = [(location["uri"].removeprefix(f"{ROOT.as_uri()}/"), location["range"]["start"]) for location in locations]
    return sorted((path, start["line"], start["character"]) for path, start in paths)


def tracked() -> set[str]:
    """Return the Python files that git knows or would add, by their paths; links are no files."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", "*.py"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return set(filter(None, listed.split("\0")))


def check(session: Editor, known: set[str], name: str, defined: Path, used: Path) -> int:
    """Return how many references a name has; NavigationError unless both files lead to one definition and one list.

    `known` are the paths that git knows.
    """
    seen = []
    for file in (defined, used):
        text = file.read_text(encoding="utf-8")
        document = {"uri": file.as_uri(), "languageId": "python", "version": 1, "text": text}
        session.notify("textDocument/didOpen", textDocument=document)
        at = position(file, name)
        definition = places(session.request("textDocument/definition", **at))
        references = session.request("textDocument/references", **at, context={"includeDeclaration": True})
        seen.append((definition, places(references)))
    (own, references), (imported, others) = seen
    start = position(defined, name)["position"]
    if not own == imported == [(defined.relative_to(ROOT).as_posix(), *start.values())]:  # type: ignore[attr-defined]
        raise NavigationError(f"the definition of {name} is {own} in its own file and {imported} in {used}")
    if references != others:
        raise NavigationError(f"{name} has {len(references)} references from its definition, {len(others)} from {used}")
    paths = [path for path, _, _ in references]
    if unknown := set(paths) - known:
        raise NavigationError(f"{name} is found in {sorted(unknown)[0]}, which git does not know by this path")
    if used.relative_to(ROOT).as_posix() not in paths or len(references) != len(set(references)):
        raise NavigationError(f"the references of {name} miss {used}, or have a place twice")
    return len(references)


def main() -> int:
    """Check the five names; print what was seen, or the first contradiction."""
    package = ROOT / "equiproof"
    try:
        with editor() as session:
            known = tracked()
            counts = {
                name: check(session, known, name, package / defined, package / used) for name, defined, used in NAMES
            }
    except NavigationError as error:
        print(f"navigation: {error}", file=sys.stderr)
        return 1
    print("navigation: one definition each; references of " + ", ".join(f"{n} {count}" for n, count in counts.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
