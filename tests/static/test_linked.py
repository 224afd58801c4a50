"""The static verifier of certificates of kept models says what Python says, of the packages and on the command line."""

import json
import shutil

import pytest

from equiproof.cli.main import run
from equiproof.verifier.presented import present
from tests.linked_cases import (
    KEY,
    LINK_FILE,
    LINK_KEY,
    LINK_VERIFYING,
    VERIFYING,
    asked,
    edited,
    honest,
    judged,
    kept_bundles,
    published,
)
from tests.static.build import said
from tests.static.test_gains import told
from tests.vectors.generate.linked import cases
from tests.vectors.vector import CERTIFICATE, COMMITMENT, CONTEXT, GAIN, GOLDEN, QUERY

OWN_WORDS = ("wrong-fields", "not-json")
"""The reasons for which each reader of JSON has words of its own."""
KEPT = GOLDEN / "loans-kept"
GIVEN = ("--commitment", KEPT / COMMITMENT, "--keys", KEPT / "keys")
FINGERPRINT = json.loads((KEPT / CERTIFICATE).read_bytes())["key"]["fingerprint"]


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_case(packages, language):
    """Each case is verified, with the same words, or refused for the same reason in the same line."""
    for name, case in cases().items():
        wanted, found = judged(case, language=language), packages.ask("linked", **asked(case, language))
        # In Python the library looks at keys, which speaks English only.
        if case.reason in OWN_WORDS or (language, case.reason) == ("de", "degenerate-key"):
            found["message"] = wanted["message"]
        assert found == wanted, name


@pytest.fixture
def folders(tmp_path):
    """Folders by name: `alone` has a certificate without its link, `two` has two links of its key, `bad` a bad one."""
    for name in ("alone", "two", "bad"):
        shutil.copytree(KEPT, tmp_path / name)
    (tmp_path / "alone" / LINK_FILE).unlink()
    shutil.copy(KEPT / LINK_FILE, tmp_path / "two" / "other.json")
    (tmp_path / "bad" / "other.json").write_bytes(edited(published(), LINK_FILE, key="A" * 64))
    (tmp_path / "file").mkdir()
    shutil.copy(KEPT / CERTIFICATE, tmp_path / "file")
    return tmp_path


@pytest.mark.parametrize(
    ("code", "file", "words"),
    [
        (0, KEPT, ()),
        (0, KEPT, ("--verbose", "--language", "de", "--min-radius", "0.01")),
        (0, KEPT, ("--json", *GIVEN, "--query", KEPT / QUERY, "--context", KEPT / CONTEXT)),
        (0, KEPT, ("--verbose", "--key-fingerprint", FINGERPRINT)),
        (0, KEPT / CERTIFICATE, ("--verbose", *GIVEN)),
        (0, f"file/{CERTIFICATE}", GIVEN),
        (0, f"alone/{CERTIFICATE}", (*GIVEN[2:], "--link", KEPT / LINK_FILE)),
        (0, "alone", GIVEN[:2]),
        (1, "alone", ()),
        (1, "alone", ("--language", "de")),
        (1, "alone", ("--link", KEPT / LINK_FILE, "--keys", GOLDEN / "loans" / "keys")),
        (1, KEPT, ("--setup", "ceremony")),
        (1, KEPT, ("--commitment", GOLDEN / "loans-branch" / COMMITMENT)),
        (1, KEPT, ("--key-fingerprint", FINGERPRINT, "--setup", "single-party")),
        (2, KEPT, ("--link", KEPT / COMMITMENT)),
        (2, KEPT, ("--link", "nothing.json")),
        (2, "two", ()),
        (2, f"two/{CERTIFICATE}", GIVEN),
        (2, "bad", ()),
        (0, "two", ("--link", KEPT / LINK_FILE)),
    ],
    ids=range(20),
)
def test_it_says_what_the_command_says(program, folders, code, file, words, capsys, monkeypatch):
    """The same answer to the byte, the same refusal, and the same exit code."""
    monkeypatch.setenv("COLUMNS", "80")
    at = folders / file
    found = run(["verify", str(at), *map(str, words), "--checker", "native"])
    out, err = capsys.readouterr()
    assert found == code, err
    assert said(program, at, *words) == (code, out, err)


@pytest.mark.parametrize("beside", ["commitment", "option", "nothing"])
def test_many(program, tmp_path, beside, capsys, monkeypatch):
    """Many beside one link have the same table and the same results by file as `equiproof verify-many`."""
    (folder := tmp_path / "lot").mkdir()
    for name, data in {
        "a.json": (KEPT / CERTIFICATE).read_bytes(),
        "b.json": (KEPT / LINK_FILE).read_bytes(),
        "c.json": edited(published(), CERTIFICATE, statement__shown=f"{5:064x}"),
        "d.json": (GOLDEN / "loans" / CERTIFICATE).read_bytes(),
        "e.json": (KEPT / CERTIFICATE).read_bytes(),
    }.items():
        (folder / name).write_bytes(data)
    shutil.copy(KEPT / COMMITMENT, tmp_path)
    if beside == "commitment":
        shutil.copy(KEPT / LINK_FILE, tmp_path / "any.json")
    words = ["--commitment", tmp_path / COMMITMENT, "--keys", KEPT / "keys", "--out", "results"]
    words += ["--link", KEPT / LINK_FILE] if beside == "option" else []
    found = said(program, "--many", folder, *words, folder=tmp_path)
    rows = [json.loads(line) for line in (tmp_path / "results").read_text(encoding="utf-8").splitlines()]
    verdicts = ["verified", "other", "refused", "refused", "verified"]
    wanted = verdicts if beside != "nothing" else ["refused" if one == "verified" else one for one in verdicts]
    assert [row["verdict"] for row in rows] == wanted
    own = (tmp_path / "results").rename(tmp_path / "own").read_bytes()
    monkeypatch.chdir(tmp_path)
    code = run(["verify-many", str(folder), *map(str, words), "--checker", "native"])
    assert (code, *capsys.readouterr()) == found
    assert (tmp_path / "results").read_bytes() == own


@pytest.mark.parametrize("words", [(), ("--json",), ("--language", "de"), ("--link", "link/link.json")], ids=range(4))
@pytest.mark.parametrize("beside", [True, False], ids=["beside", "without"])
def test_gains(program, tmp_path, words, beside, capsys, monkeypatch):
    """A gain certificate under a kept key is judged beside its link, which is found as any other is."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    places = {KEY: "keys/key/key.json", VERIFYING: "keys/key/verifying.key", LINK_KEY: "keys/link/link-key.json"}
    places |= {LINK_VERIFYING: "keys/link/verifying.key", LINK_FILE: "link.json" if beside else "link/link.json"}
    for name, data in honest("gain").files.items():
        path = tmp_path / places.get(name, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    if beside and "--link" in words:
        words = ("--link", "link.json")
    words = (GAIN, "--commitment", COMMITMENT, "--keys", "keys", *words)
    code = run(["gain", "verify", *words, "--checker", "native"])
    assert code == (0 if beside or "--link" in words else 1)
    wanted = (code, *capsys.readouterr())
    monkeypatch.chdir(tmp_path)
    assert told(program, "gain", *words) == wanted


@pytest.fixture(scope="module")
def bundles(tmp_path_factory):
    """Bundles of the published certificate by name: with all of its link, without, and with another one's parts."""
    folder = tmp_path_factory.mktemp("bundles")
    for name, data in kept_bundles().items():
        (folder / f"{name}.equiproof").write_bytes(data)
    return folder


@pytest.mark.parametrize(
    ("code", "name", "words"),
    [
        (0, "whole", ("--verbose",)),
        (0, "whole", ("--json",)),
        (0, "whole", GIVEN),
        (0, "public", ("--language", "de", "--key-fingerprint", FINGERPRINT)),
        (1, "without", ()),
        (0, "without", GIVEN),
        (0, "without", ("--link", KEPT / LINK_FILE, "--keys", KEPT / "keys")),
        (2, "without-key", ()),
        (2, "without-bytes", ("--language", "de")),
        (2, "signatures-alone", ()),
        (1, "another-link", ()),
        (0, "another-link", ("--link", KEPT / LINK_FILE)),
        (1, "another-key", ()),
        (0, "another-key", ("--keys", KEPT / "keys")),
        (2, "other-bytes", ()),
        (2, "malformed-link", ()),
    ],
    ids=range(16),
)
def test_bundles(program, bundles, code, name, words, capsys, monkeypatch):
    """A bundle has the link of a kept key, with the key of that; one without it, or with another one's, is refused."""
    monkeypatch.setenv("COLUMNS", "80")
    at = bundles / f"{name}.equiproof"
    found = run(["verify", str(at), *map(str, words), "--checker", "native"])
    out, err = capsys.readouterr()
    assert found == code, err
    said_by_it = said(program, at, *words)
    if name == "malformed-link":  # each reader of JSON has words of its own
        assert (said_by_it[0], said_by_it[1], "link.json" in said_by_it[2]) == (2, "", True)
        return
    assert said_by_it == (code, out, err)


def test_many_bundles(program, bundles, tmp_path, capsys, monkeypatch):
    """Bundles bring their own links; one in the place of all takes theirs."""
    words = ["--commitment", tmp_path / COMMITMENT, "--keys", KEPT / "keys", "--out", "results", "--language", "de"]
    shutil.copy(KEPT / COMMITMENT, tmp_path)
    for more, verified in (([], 3), (["--link", KEPT / LINK_FILE], 5)):
        found = said(program, "--many", bundles, *words, *more, "--force", folder=tmp_path)
        own = (tmp_path / "results").read_text(encoding="utf-8").splitlines()
        monkeypatch.chdir(tmp_path)
        code = run(["verify-many", str(bundles), *map(str, (*words, *more, "--force")), "--checker", "native"])
        assert (code, *capsys.readouterr()) == found
        again = (tmp_path / "results").read_text(encoding="utf-8").splitlines()
        assert [json.loads(line)["verdict"] for line in own].count("verified") == verified
        assert [json.loads(line) for line in own if "malformed-link" not in line] == [
            json.loads(line) for line in again if "malformed-link" not in line
        ]


def test_a_bundle_that_was_unpacked(program, bundles, tmp_path, capsys, monkeypatch):
    """The files of a bundle in a folder are found as they were in it."""
    monkeypatch.setenv("COLUMNS", "80")
    for name, data in present(KEPT).bundle().files():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    code = run(["verify", str(tmp_path), "--json"])
    assert (code, *capsys.readouterr()) == said(program, tmp_path, "--json")
    assert code == 0
