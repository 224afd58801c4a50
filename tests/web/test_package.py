"""The TypeScript package as its users get it: typed strictly, small, packed, and used from a project of their own."""

import gzip
import json
import re
import shutil

import pytest

from tests.support import ROOT
from tests.web.web import BUNDLE, PACKAGE, run

GOLDEN = ROOT / "tests" / "golden" / "loans"
README = (PACKAGE / "README.md").read_text()
MOST, MOST_GZIPPED = 120_000, 42_500

TYPED = """
import { type Reason, UnsafeNoPolicy, verify, type Verified, VerificationError } from "@equiproof/verifier";
export function judge(bytes: Uint8Array): Verified | Reason {
  try {
    const keys = [{ document: bytes, verifying: undefined }];
    return verify({ certificate: bytes, commitment: bytes, keys }, new UnsafeNoPolicy());
  } catch (error) {
    if (error instanceof VerificationError) return error.reason;
    throw error;
  }
}
"""
"""A program that uses the types."""


def test_it_compiles_strictly(bundle):
    """`npm run check` finds nothing."""
    run("npm", "run", "--silent", "check")


def test_a_page_loads_little(bundle):
    """The bundle has at most 120 KB, and 42.5 KB compressed; the licences of what it holds are beside it."""
    data = (bundle.parent / BUNDLE).read_bytes()
    assert len(data) <= MOST
    assert len(gzip.compress(data, 9)) <= MOST_GZIPPED
    assert {path.name for path in bundle.parent.glob("*LICENSE")} == {"LICENSE", "names.LICENSE", "noble.LICENSE"}


def test_the_bundle_needs_nothing(bundle):
    """The bundle imports nothing, and neither fetches nor evaluates anything."""
    text = (bundle.parent / BUNDLE).read_text()
    assert not re.search(
        r"\bimport\b|\brequire\(|\bfetch\(|XMLHttpRequest|WebSocket|\beval\(|new Function|localStorage", text
    )


@pytest.fixture(scope="module")
def project(bundle, tmp_path_factory):
    """A project that has installed the packed package and its two dependencies, without a network."""
    folder = tmp_path_factory.mktemp("project")
    # What an earlier build left must not be packed: packing builds.
    shutil.rmtree(PACKAGE / "dist", ignore_errors=True)
    packed = [PACKAGE, *(PACKAGE / "node_modules" / "@noble" / name for name in ("curves", "hashes"))]
    archives = [
        json.loads(run("npm", "pack", "--json", "--ignore-scripts", "--pack-destination", folder, place))
        for place in packed[1:]
    ]
    archives.insert(0, json.loads(run("npm", "pack", "--json", "--silent", "--pack-destination", folder)))
    (folder / "package.json").write_text('{"name": "project", "private": true, "type": "module"}')
    names = [f"./{listed[0]['filename']}" for listed in archives]
    options = ("--offline", "--ignore-scripts", "--no-audit", "--no-fund", "--silent")
    run("npm", "install", *options, *names, folder=folder)
    return folder


@pytest.mark.slow
def test_the_readmes_example(project):
    """The example of the README runs as it stands there, and has at most ten lines after its imports."""
    (example,) = re.findall(r"```js\n(.*?)```", README, re.DOTALL)
    assert len(example.strip().splitlines()) <= 12
    (project / "example.js").write_text(example)
    shutil.copytree(GOLDEN, project / "certificate")
    said = run("node", "example.js", folder=project)
    assert said.startswith("No change of sex, and no change of the other features closer than 1.398437")
    assert "it is about the data in the query file" in said
    (project / "certificate" / "commitment.json").write_bytes(
        (GOLDEN.parent / "rates" / "commitment.json").read_bytes()
    )
    with pytest.raises(AssertionError, match="reason: 'model-differs'"):
        run("node", "example.js", folder=project)


@pytest.mark.slow
def test_the_bundle_is_a_module_of_the_package(project):
    """The one file with everything inside is found by its name."""
    script = 'import("@equiproof/verifier/bundle").then((all) => console.log(typeof all.verify))'
    assert run("node", "-e", script, folder=project).strip() == "function"


@pytest.mark.slow
def test_its_types_are_used(project):
    """A strict program compiles against the types of the packed package."""
    (project / "judge.ts").write_text(TYPED)
    options = ("--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--lib", "es2022,dom")
    compiler = PACKAGE / "node_modules" / "typescript" / "bin" / "tsc"
    run("node", compiler, *options, "judge.ts", folder=project)
    (project / "judge.ts").write_text(TYPED.replace("Verified | Reason", "string"))
    with pytest.raises(AssertionError, match="TS2322"):
        run("node", compiler, *options, "judge.ts", folder=project)


@pytest.mark.slow
def test_what_is_packed(project):
    """The package holds what was built, its licences and its README, and neither sources nor tests."""
    installed = project / "node_modules" / "@equiproof" / "verifier"
    found = {path.relative_to(installed).as_posix() for path in installed.rglob("*") if path.is_file()}
    declared = {name for name in found if name.endswith(".d.ts")}
    assert declared >= {"dist/index.d.ts", "dist/verify.d.ts"}
    assert found - declared == {
        "package.json", "README.md", "dist/index.js", f"dist/{BUNDLE}",
        "dist/LICENSE", "dist/names.LICENSE", "dist/noble.LICENSE",
    }  # fmt: skip
    assert sum((installed / name).stat().st_size for name in found) < 400_000
