"""The static binary: what it is made of, and that it says what `equiproof verify` says."""

import json
import re
import shutil
import struct

import pytest

from bench import many
from equiproof.cli.main import _commands, run
from tests.static import build
from tests.static.build import said
from tests.support import ROOT
from tests.vectors.vector import BUNDLES, CERTIFICATE, CONTEXT, GAIN, GOLDEN, QUERY
from tests.verifier.test_vectors import CERTIFICATES, CODES, VECTORS

LOANS = GOLDEN / "loans"


def test_no_program_or_library_is_needed(program):
    """It names no interpreter and no dynamic section: any Linux of its processor runs it."""
    data = program.read_bytes()
    assert data[:5] == b"\x7fELF\x02"
    at, size, count = struct.unpack_from("<Q", data, 32)[0], *struct.unpack_from("<HH", data, 54)
    kinds = {struct.unpack_from("<I", data, at + place * size)[0] for place in range(count)}
    assert not kinds & {2, 3}
    assert len(data) < 11 << 20


def test_what_proves_is_no_part_of_it():
    """Of our packages it holds only those that verify, and nothing of C."""
    listed = build.run("list", "-deps", "./cmd/equiproof-verify").split()
    own = {name.split("/")[1] for name in listed if name.startswith("equiproof/")}
    assert own == {"check", "cmd", "verify"}
    assert "runtime/cgo" not in listed


def test_packages_that_verify_know_no_circuit():
    """The words, the documents and the digests need neither gnark nor a check of proofs."""
    listed = build.run("list", "-deps", "./verify/words", "./verify/policy", "./verify/bundle").split()
    assert not [name for name in listed if name.startswith("github.com/consensys/gnark/")]
    assert "equiproof/check" not in listed


def test_its_options_are_those_of_the_commands(program):
    """It has every option of `verify` and `verify-many` but program, log and time stamps, and --many beside."""
    wanted = {"--many", "--version", "--help"}
    for command in ("verify", "verify-many"):
        wanted |= {name for one in _commands().commands[command].params for name in one.opts if name[:2] == "--"}
    found = re.findall(r"^  (--[a-z-]+)", said(program, "--help")[1], re.MULTILINE)
    assert sorted(found) == sorted(wanted - {"--checker", "--log", "--stamp", "--authority"})


def test_its_version_is_the_projects(program):
    """It knows the version of the project."""
    version = re.search(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)
    assert said(program, "--version") == (0, f"equiproof-verify {version[1]}\n", "")


@pytest.mark.parametrize(
    "words",
    [
        (LOANS,),
        (LOANS, "--verbose", "--language", "de", "--min-radius", "0.01", "--commitment", LOANS / "commitment.json"),
        (LOANS, "--json", "--keys", LOANS / "keys", "--query", LOANS / QUERY, "--context", LOANS / CONTEXT),
        (GOLDEN / "loans-plonk", "--verbose", "--setup", "single-party", "--keys", GOLDEN / "loans-plonk" / "keys"),
        (GOLDEN / "rates", "--json"),
        (BUNDLES / "base" / "loans.equiproof", "--verbose", "--no-ranges", "--ranges-within", "income=0:5"),
        (BUNDLES / "base" / "ceremony.equiproof", "--json"),
        (BUNDLES / "base" / "forged.equiproof",),
        (LOANS / CERTIFICATE, "--min-radius", "5", "--language", "de"),
        (LOANS, "--setup", "ceremony"),
        (LOANS, "--keys", GOLDEN / "rates" / "keys"),
        (LOANS / QUERY,),
        (LOANS / "nothing.json",),
        (LOANS, "--query", LOANS / CONTEXT),
        (LOANS, "--commitment", GOLDEN / "rates" / "commitment.json"),
        (GOLDEN,),
        (BUNDLES / "base" / "recourse.equiproof",),
        (BUNDLES / "base" / "recourse.equiproof", "--verbose", "--language", "de"),
        (BUNDLES / "base" / "recourse.equiproof", "--json"),
        (BUNDLES / "base" / "recourse.equiproof", "--json", "--query", LOANS / QUERY),
    ],
    ids=range(20),
)
def test_it_says_what_the_command_says(program, words, capsys, monkeypatch):
    """The same answer to the byte, the same refusal, and the same exit code."""
    monkeypatch.setenv("COLUMNS", "80")
    code = run(["verify", *map(str, words), "--checker", "native"])
    out, err = capsys.readouterr()
    assert said(program, *words) == (code, out, err)


SOME = [name for name in CERTIFICATES if "policy" in name or "ceremony" in name][:12]


@pytest.mark.parametrize("name", SOME)
def test_vectors_on_its_command_line(program, name, tmp_path):
    """A few vectors end with the exit code of their verdict, and with one line about what is wrong."""
    vector = VECTORS[name]
    vector.write(tmp_path)
    words = [tmp_path / CERTIFICATE, "--commitment", tmp_path / "commitment.json", "--keys", tmp_path / "keys"]
    demands = vector.policy
    words += ["--query", tmp_path / QUERY] if demands.query else []
    words += ["--context", tmp_path / CONTEXT] if demands.context else []
    for option in ("min_radius", "setup", "transcript"):
        if (value := getattr(demands, option)) is not None:
            words += [f"--{option.replace('_', '-')}", value]
    if demands.signed_by is not None:
        (tmp_path / "signers").write_text("\n".join(demands.signed_by[0]))
        words += ["--signed-by", tmp_path / "signers", "--least-signers", demands.signed_by[1]]
    code, out, err = said(program, *words)
    assert code == CODES[vector.verdict], err
    assert bool(out) == (code == 0)
    assert len(err.splitlines()) == (code != 0)


def test_wrong_words(program):
    """What is wrong with the words of a command is one line, and ends with 2."""
    for words in (
        (), ("a", "b"), ("--nothing", "x"), (LOANS, "--query"), (LOANS, "--json=x"), (LOANS, "--language", "fr"),
        (LOANS, "--out", "x"), ("--many", LOANS), (LOANS, "--least-signers", "0"), (LOANS, "--min-radius", "wide"),
        (LOANS, "--ranges-within", "income"), ("--many", LOANS, "--query", LOANS / QUERY),
    ):  # fmt: skip
        code, out, err = said(program, *words)
        assert (code, out, len(err.splitlines())) == (2, "", 1), words


FIRST = {("text", "en"): "VERIFIED 4 ", ("text", "de"): "VERIFIZIERT 4 ", ("json", "en"): "{", ("json", "de"): "{"}
"""How what is said of many begins."""


def lot(folder):
    """Write a folder with files of every verdict."""
    certificate = (LOANS / CERTIFICATE).read_bytes()
    for name, data in {
        "a.json": certificate,
        "b.json": certificate,
        "c.json": (GOLDEN / "rates" / CERTIFICATE).read_bytes(),
        "d.json": certificate + b"\n",
        "e.json": re.sub(rb'"radius_squared":\d+', b'"radius_squared":5', certificate),
        "f.equiproof": (BUNDLES / "base" / "loans.equiproof").read_bytes(),
        "g.equiproof": b"PK",
        "h.json": (LOANS / "commitment.json").read_bytes(),
        "ha.json": (GOLDEN / "gain" / GAIN).read_bytes(),
        ".i.json": b"",
        "j.txt": b"",
        "k/certificate.json": certificate,
        "k/query.json": (LOANS / "query.json").read_bytes(),
        "l/other.json": certificate,
    }.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(data)


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("form", ["text", "json"])
def test_many(program, tmp_path, form, language, capsys, monkeypatch):
    """A folder has the same table, the same results by file and the same exit code as `equiproof verify-many`."""
    (folder := tmp_path / "lot").mkdir()
    lot(folder)
    words = ["--commitment", LOANS / "commitment.json", "--keys", LOANS / "keys", "--out", "results"]
    words += ["--language", language, *["--json"] * (form == "json")]
    found = said(program, "--many", folder, *words, folder=tmp_path)
    rows = [json.loads(line) for line in (tmp_path / "results").read_text(encoding="utf-8").splitlines()]
    verdicts = ["verified", "verified", "refused", "malformed", "refused", "verified", "malformed", "other", "other"]
    verdicts += ["verified"]
    assert [row["verdict"] for row in rows] == verdicts
    assert found[0] == 1
    assert found[1].startswith(FIRST[form, language])
    again = said(program, "--many", folder, *words, folder=tmp_path)
    assert again[0] == 2
    assert "results exists; name another file, or overwrite it with --force" in again[2]
    own = (tmp_path / "results").rename(tmp_path / "own").read_bytes()
    monkeypatch.chdir(tmp_path)
    code = run(["verify-many", str(folder), *map(str, words), "--checker", "native"])
    assert (code, *capsys.readouterr()) == found
    assert (tmp_path / "results").read_bytes() == own


def test_the_summary_for_programs_is_english(program, tmp_path):
    """With --json the language changes nothing, neither the object nor the results by file."""
    lot(tmp_path)
    words = ["--many", tmp_path, "--commitment", LOANS / "commitment.json", "--keys", LOANS / "keys", "--json"]
    results = tmp_path / "results"
    said_of_all = set()
    for language in ("en", "de"):
        found = said(program, *words, "--language", language, "--out", results, "--force")
        said_of_all.add((*found, results.read_bytes()))
    assert len(said_of_all) == 1


def test_lines_of_certificates(program, tmp_path):
    """A file of lines names them by number; blank ones count and are passed over."""
    certificate = (LOANS / CERTIFICATE).read_bytes()
    (tmp_path / "all.jsonl").write_bytes(b"\n".join((certificate, b"", b"{}", certificate)))
    words = ("--commitment", LOANS / "commitment.json", "--keys", LOANS / "keys", "--out", tmp_path / "results")
    assert said(program, "--many", tmp_path / "all.jsonl", *words)[0] == 2
    rows = [json.loads(line) for line in (tmp_path / "results").read_text(encoding="utf-8").splitlines()]
    assert [(row["file"], row["verdict"]) for row in rows] == [
        ("all.jsonl:1", "verified"), ("all.jsonl:3", "malformed"), ("all.jsonl:4", "verified"),
    ]  # fmt: skip
    bundle = BUNDLES / "base" / "loans.equiproof"
    assert "put bundles into a folder" in said(program, "--many", bundle, *words, "--force")[2]


def test_its_time_is_measured(program):
    """What measures the time of many certificates runs the binary."""
    many.static(LOANS, 2, program)


@pytest.mark.slow
def test_the_same_bytes_in_every_folder(program, tmp_path):
    """Built in another folder, the binary is the same to the byte."""
    shutil.copytree(ROOT / "go-gnark", tmp_path / "go-gnark")
    again = build.binary(tmp_path / "equiproof-verify", tmp_path / "go-gnark")
    assert again.read_bytes() == program.read_bytes()
