"""What releases have published and later ones must still accept, by digests: `python -m tests.vectors.frozen RELEASE`.

frozen.json names, by release, published certificates with their files, and vectors that are accepted. A release adds
what is new and changes nothing. Sentences and remarks about a case are left out, since words may be improved.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.vectors.vector import BUNDLES, FOLDER, GOLDEN

PATH = FOLDER / "frozen.json"
WORDS = {"answer", "ends", "made", "name", "notMade", "sentence", "what", "why"}
"""Fields of a case that are for readers, or that words of verifiers are compared with."""


def digest(data: bytes) -> str:
    """Return the SHA-256 digest in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def of_case(case: Any) -> str:
    """Return the digest of what a case consists of, its words left out."""
    kept = {name: value for name, value in case.items() if name not in WORDS}
    return digest(json.dumps(kept, sort_keys=True, separators=(",", ":")).encode())


def _of_files(paths: Iterator[Path], root: Path) -> Iterator[tuple[str, str]]:
    for path in paths:
        if path.is_file() and path.name != "verified.json":  # the words of a verifier
            yield path.relative_to(root.parent).as_posix(), digest(path.read_bytes())


def _pieces() -> Iterator[tuple[str, str]]:
    yield from _of_files(GOLDEN.glob("*/**/*"), GOLDEN)
    yield from _of_files((BUNDLES / "base").iterdir(), FOLDER)
    for folder in (FOLDER / "accept", BUNDLES / "accept"):
        for path in folder.glob("*.json"):
            yield path.relative_to(FOLDER.parent).as_posix(), of_case(json.loads(path.read_bytes()))
    for name in ("box", "gain", "kept", "linked"):
        file = json.loads((FOLDER / f"{name}.json").read_bytes())
        for base, content in (file.get("bases") or {"": file.get("base", {})}).items():
            yield f"vectors/{name}.json base {base}".rstrip(), of_case(content)
        for case in file["cases"]:
            if case["verdict"] == "accept":
                yield f"vectors/{name}.json {case['name']}", of_case(case)
    for kind, cases in json.loads((FOLDER / "log.json").read_bytes()).items():
        for case in cases:
            if case["exception"] is None:
                found = of_case(case)
                yield f"vectors/log.json {kind} {found[:16]}", found


def pieces() -> dict[str, str]:
    """Return the digest of everything that is published today, by name."""
    return dict(sorted(_pieces()))


def releases() -> dict[str, dict[str, str]]:
    """Return what was frozen by each release."""
    return json.loads(PATH.read_bytes()) if PATH.exists() else {}


def changed() -> list[str]:
    """Return the names of what a release froze and is another thing now, or missing."""
    today = pieces()
    return [name for frozen in releases().values() for name, value in frozen.items() if today.get(name) != value]


def main() -> None:
    """Freeze under a release what none before it has; exits with one line where something frozen has changed."""
    (release,) = sys.argv[1:]
    if found := changed():
        sys.exit(f"restore what releases have published: {len(found)} changed, such as {found[0]}")
    before = {name for frozen in releases().values() for name in frozen}
    added = {name: value for name, value in pieces().items() if name not in before}
    text = json.dumps(releases() | {release: releases().get(release, {}) | added}, indent=1)
    PATH.write_text(text + "\n", encoding="utf-8")
    print(f"{len(added)} pieces frozen by {release}")


if __name__ == "__main__":
    main()
