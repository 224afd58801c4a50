"""Generators that others have written read the OpenAPI document, and what they make knows each answer."""

import json
import shutil
import subprocess
import sys

import pytest

from tests.kept import kept, locked
from tests.node import refuse_or_skip
from tests.support import ROOT

pytestmark = pytest.mark.slow

DOCUMENT = ROOT / "examples" / "clients" / "openapi.json"
PINS = ("scripts/client_generators.txt", "scripts/client_generators.json")
TSC = ROOT / "web" / "verifier" / "node_modules" / "typescript" / "bin" / "tsc"

IN_PYTHON = """
import httpx
from client import Client
from client.api.decisions import decide
from client.models import NewDecision, Problem

body = NewDecision.from_dict({"model": "loans", "features": {"income": 45458, "housing": "own"}})
print(body.to_dict()["features"])
for status in (401, 409, 503):
    said = {"type": "urn:equiproof:no-key", "title": "-", "status": status, "detail": "want a key"}
    answer = decide._parse_response(client=Client(base_url="http://lender.example"), response=httpx.Response(
        status, json=said, headers={"Content-Type": "application/problem+json"}))
    assert isinstance(answer, Problem), answer
    print(answer.status, answer.detail)
"""

IN_TYPESCRIPT = """
import type { components, operations } from "./schema.js";
type Answers = operations["decide"]["responses"];
export const refused: Answers[409]["content"]["application/problem+json"] =
  { type: "urn:equiproof:held", title: "Conflict", status: 409, detail: "held" };
type Application = components["schemas"]["NewDecision"];
export const asked: Application = { model: "loans", features: { income: 45458, housing: "own" } };
// @ts-expect-error: a feature has one value
export const nested: Application = { model: "loans", features: { income: { net: "1" } } };
// @ts-expect-error: a problem has all of its parts
export const part: components["schemas"]["Problem"] = { status: 409 };
"""


def run(*words, where=None):
    """Run a program, and return what became of it."""
    command = [str(word) for word in words]
    return subprocess.run(command, cwd=where, capture_output=True, text=True, timeout=600, check=False)


@pytest.fixture(scope="module")
def generators():
    """Return the folder of the pinned generators, which is kept between runs."""
    refuse_or_skip(None if shutil.which("npm") else "npm", "web")
    folder = kept("generators", *PINS)
    with locked(folder / ".lock"):
        if not (folder / "done").exists():
            assert run(sys.executable, "-m", "venv", "--clear", folder / "venv").returncode == 0
            install = (folder / "venv/bin/python", "-m", "pip", "install", "--quiet", "--no-deps", "--retries", 1)
            asked = run(*install, "--constraint", ROOT / PINS[0], "attrs")
            if asked.returncode:
                pytest.skip(f"no package index answers: {asked.stderr.strip().splitlines()[-1]}")
            installed = run(*install, "--requirement", ROOT / PINS[0])
            assert installed.returncode == 0, installed.stderr
            shutil.copy(ROOT / PINS[1], folder / "package.json")
            installed = run("npm", "install", "--no-audit", "--no-fund", where=folder)
            assert installed.returncode == 0, installed.stderr
            (folder / "done").touch()
    return folder


def test_a_python_client_is_generated(generators, tmp_path):
    """It sends an application, and each refusal is a problem with its parts."""
    program = generators / "venv/bin/openapi-python-client"
    made = run(program, "generate", "--path", DOCUMENT, "--meta", "none", "--output-path", tmp_path / "client")
    assert made.returncode == 0, made.stderr
    # It names each answer that it cannot read, and goes on.
    assert "Cannot parse" not in made.stdout + made.stderr
    said = run(generators / "venv/bin/python", "-c", IN_PYTHON, where=tmp_path)
    assert said.stdout.splitlines() == [
        "{'income': 45458, 'housing': 'own'}", "401 want a key", "409 want a key", "503 want a key",
    ], said.stderr  # fmt: skip


def test_typescript_is_generated(generators, tmp_path):
    """The types of an application and of a refusal are those of the document; nested features do not fit."""
    refuse_or_skip(None if TSC.is_file() else "web/verifier/node_modules", "web")
    made = run(generators / "node_modules/.bin/openapi-typescript", DOCUMENT, "-o", tmp_path / "schema.d.ts")
    assert made.returncode == 0, made.stderr
    (tmp_path / "use.ts").write_text(IN_TYPESCRIPT)
    (tmp_path / "package.json").write_text(json.dumps({"type": "module"}))
    flags = ("--strict", "--noEmit", "--module", "nodenext", "--skipLibCheck", "false")
    checked = run("node", TSC, *flags, "use.ts", where=tmp_path)
    assert checked.returncode == 0, checked.stdout
