"""The checking page and the element in a browser: what they are built from, and files to give them."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from pathlib import Path

from equiproof.verifier.bundle import Bundle
from tests.linked_cases import bundle_of, kept_bundles
from tests.support import ROOT
from tests.vectors.generate.linked import ceremonies
from tests.vectors.vector import (
    CERTIFICATE,
    COMMITMENT,
    CONTEXT,
    GOLDEN,
    KEY,
    QUERY,
    VERIFYING,
    bundle_base,
    certificate_base,
)
from tests.web.web import kept_build, run

WEB = ROOT / "web"
AXE = WEB / "verifier" / "node_modules" / "axe-core" / "axe.min.js"
GIVEN = "input[type=file]"
OUTCOME = "[role=status] h1"

Files = list[tuple[str, str]]
"""Names and contents in base64, as the browser takes them."""


def built() -> Path:
    """Return the file of the page, built from the sources as they are."""
    return kept_build("page", lambda folder: run("node", WEB / "page" / "build.mjs", folder)) / "verify.html"


def module() -> Path:
    """Return the folder of the element, built from the sources as they are."""
    return kept_build("element", lambda folder: run("node", WEB / "element" / "build.mjs", folder))


def spelled(data: bytes) -> str:
    """Return bytes as the browser takes them."""
    return base64.b64encode(data).decode()


def bundle(name: str = "loans", *, own: bool = True, **changed: bytes | None) -> bytes:
    """Return a published certificate as a bundle, the applicant's own unless told otherwise, with parts replaced."""
    files = certificate_base(name)
    parts = {
        "certificate": files[CERTIFICATE],
        "commitment": files[COMMITMENT],
        "key": files[KEY],
        "verifying_key": files[VERIFYING],
        "query": files[QUERY] if own else None,
        "context": files[CONTEXT] if own else None,
    }
    return Bundle(**(parts | changed)).to_bytes()  # type: ignore[arg-type]  # required parts are bytes


def loose(name: str = "loans", *names: str) -> Files:
    """Return files of a published certificate by their names, all of them unless some are named."""
    return [(file, spelled(data)) for file, data in certificate_base(name).items() if not names or file in names]


def named(data: bytes, name: str = "mine.equiproof") -> Files:
    """Return one file."""
    return [(name, spelled(data))]


def with_fields(data: bytes, change: Callable[[dict], None]) -> bytes:
    """Return a document in its canonical form after a change of its fields."""
    document = json.loads(data)
    change(document)
    return json.dumps(document, separators=(",", ":"), sort_keys=True, ensure_ascii=False).encode()


def forged() -> bytes:
    """Return a bundle whose proof is another certificate's."""
    other = json.loads(certificate_base("rates")[CERTIFICATE])["proof"]
    return bundle(certificate=with_fields(certificate_base("loans")[CERTIFICATE], lambda one: one.update(proof=other)))


def gain() -> bytes:
    """Return what says that it is a gain certificate."""
    return b'{"format":"equiproof-gain","version":2}'


def states() -> Mapping[str, Files]:
    """Return what brings the page into each of its states but the first, and those after a comparison."""
    return {
        "typical": named(bundle()),
        "unknown details": named(bundle(own=False)),
        "not valid": named(forged()),
        "not enough": named(bundle(context=b'{"nonce":"short"}')),
        "not one": named(b"%PDF-1.7\n", "decision-letter.pdf"),
        "lacking": loose("loans", CERTIFICATE),
    }


SITE = "http://lender.test/"
LENDER = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Your application</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self'; connect-src 'self'">
<script src="said.js"></script><script type="module" src="equiproof-certificate.js"></script>
<main><h1>Your application</h1>%s</main>"""
SAID = """window.said = [];
for (const name of ["verified", "refused", "unavailable"]) {
  addEventListener(name, ({ type, detail }) => said.push([type, detail]));
}"""


def element() -> dict[str, tuple[str, str]]:
    """Return what a lender's site holds besides its page, by path: the element, and files for it."""
    site = {f"/{path.name}": ("text/javascript", path.read_bytes()) for path in module().glob("*.js")}
    site["/said.js"] = ("text/javascript", SAID.encode())
    site["/mine.equiproof"] = ("application/zip", bundle())
    site["/forged.equiproof"] = ("application/zip", forged())
    for name in ("ceremony", "recourse"):
        site[f"/{name}.equiproof"] = ("application/zip", bundle_base(name))
    for name, data in certificate_base("loans").items():
        site[f"/{name}"] = ("application/octet-stream", data)
    for name, case in ceremonies():
        site[f"/ceremony-of-{name}.equiproof"] = ("application/zip", bundle_of(case))
    for path, data in kept().items():
        site[f"/kept/{path}"] = ("application/octet-stream", data)
    return {path: (kind, spelled(data)) for path, (kind, data) in site.items()}


def kept() -> Mapping[str, bytes]:
    """Return the files of the published certificate of a kept model by their paths, and their bundle."""
    folder = GOLDEN / "loans-kept"
    files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    return files | {"mine.equiproof": kept_bundles()["whole"]}
