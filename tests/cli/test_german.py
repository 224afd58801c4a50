"""What `equiproof verify --language de` says, to the byte: tests/golden/german.json, for the static binary as well."""

import json
import os

import pytest

from equiproof.circuits import tables
from equiproof.cli.main import run
from tests.support import ROOT
from tests.vectors.vector import BUNDLES, CERTIFICATE, GOLDEN
from tests.verifier.test_vectors import VECTORS

LIST = GOLDEN / "german.json"
LOANS = "tests/golden/loans"
OWN = ("--commitment", f"{LOANS}/commitment.json", "--keys", f"{LOANS}/keys")
GAIN = "tests/golden/gain"
OF_GAIN = ("gain", "verify", f"{GAIN}/gain.json", "--commitment", f"{GAIN}/commitment.json", "--keys", f"{GAIN}/keys")

CASES = {
    "valid": ("verify", LOANS, "--verbose", *OWN, "--query", f"{LOANS}/query.json", "--min-radius", "0.1"),
    "unpinned": ("verify", LOANS, "--verbose"),
    "of a ceremony, unpinned": ("verify", str(BUNDLES.relative_to(ROOT) / "base" / "ceremony.equiproof"), "--verbose"),
    "another model": ("verify", LOANS, "--commitment", "tests/golden/rates/commitment.json"),
    "another key": ("verify", LOANS, "--keys", "tests/golden/rates/keys"),
    "too small a radius": ("verify", f"{LOANS}/{CERTIFICATE}", "--min-radius", "5"),
    "no certificate": ("verify", f"{LOANS}/query.json"),
    "a gain": (
        "gain",
        "verify",
        f"{GAIN}/gain.json",
        "--commitment",
        f"{GAIN}/commitment.json",
        "--keys",
        f"{GAIN}/keys",
    ),
    "too small a gain": (
        *("gain", "verify", f"{GAIN}/gain.json", "--commitment", f"{GAIN}/commitment.json", "--keys", f"{GAIN}/keys"),
        *("--min-gain", "2"),
    ),
}
"""Orders from the folder of the project, by what each shows."""

FORGED = "reject/files-proof-a"
"""A vector whose proof does not hold."""


def listed():
    """Return the texts by case: exit code, standard output and standard error, each as lines."""
    return json.loads(LIST.read_text(encoding="utf-8"))


def lines(code, out, err):
    """Return what a program said as the list has it."""
    return [code, out.splitlines(), err.splitlines()]


def forged(folder):
    """Write the vector of a forged proof; return the order about it, to be given there."""
    VECTORS[FORGED].write(folder)
    return ("verify", CERTIFICATE, "--commitment", "commitment.json", "--keys", "keys")


@pytest.mark.parametrize("name", [*CASES, "a forged proof"])
def test_what_is_said(name, capsys, monkeypatch, tmp_path):
    """The answer, the technical lines and the reasons are German; EQUIPROOF_REGENERATE=golden writes them anew."""
    monkeypatch.chdir(tmp_path if name not in CASES else ROOT)
    words = CASES[name] if name in CASES else forged(tmp_path)
    code = run([*words, "--checker", "native", "--language", "de"])
    said = lines(code, *capsys.readouterr())
    if os.environ.get("EQUIPROOF_REGENERATE") == "golden":
        text = json.dumps((listed() if LIST.exists() else {}) | {name: said}, indent=1, ensure_ascii=False)
        LIST.write_text(text + "\n", encoding="utf-8")
    assert said == listed()[name]


def test_every_case_is_listed():
    """The list has these cases and no others."""
    assert set(listed()) == {*CASES, "a forged proof"}


@pytest.mark.parametrize("name", ["valid", "unpinned"])
def test_an_object_for_programs_is_english(name, capsys, monkeypatch):
    """With --json only the answer is German: the rest is the same as in English, and the context's language ends."""
    monkeypatch.chdir(ROOT)
    found = []
    for language in ("de", "en"):
        assert run([*CASES[name], "--checker", "native", "--json", "--language", language]) == 0
        found.append(json.loads(capsys.readouterr().out))
    assert found[0].pop("answer")["language"] == "de"
    found[1].pop("answer")
    assert found[0] == found[1]
    assert tables.spoken() == "en"
