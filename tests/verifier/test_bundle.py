"""A bundle is one byte string: what it holds, what any unpacking program reads in it, and where its limits are."""

import io
import re
import subprocess
import sys
import zipfile
from dataclasses import replace

import pytest

from equiproof.verifier import CertificateFormatError, parse_bundle, parse_certificate, parse_commitment
from equiproof.verifier.archive import MAX_ARCHIVE_BYTES, archived, entries
from equiproof.verifier.bundle import MANIFEST_FILE, PARTS, README
from equiproof.verifier.documents import parse_query
from equiproof.verifier.listed import Reference, check_listed, digest
from equiproof.verifier.presented import of_bundle
from tests.support import ROOT
from tests.vectors.vector import bundle_base

OWN = bundle_base("loans")


def test_a_bundle_is_made_again_from_its_files():
    """Reading and writing are inverse, for bundles with every kind of file."""
    for name in ("loans", "loans-public", "ceremony", "loans-plonk"):
        assert parse_bundle(bundle_base(name), name).to_bytes() == bundle_base(name)
    of_recourse = {part.field: part.role.encode() for part in PARTS[11:]}
    mine = parse_bundle(OWN, "own")
    full = replace(mine, signatures=b"note", log_proof=b"proof", receipt=b"r", receipt_proof=b"p", readme=README)
    full = replace(full, **of_recourse)
    assert parse_bundle(full.to_bytes(), "full") == full
    assert [name for name, _ in full.files()] == [part.name for part in PARTS]
    assert "secret" not in repr(replace(full, way_1_box=b"secret"))


def test_a_recourse_comes_whole():
    """Each of its files needs others, and without all of them nothing is written; what names a way says nothing."""
    whole = parse_bundle(bundle_base("recourse"), "r")
    assert [name for name, _, _ in whole.answers()] == ["way-1", "way-2"]
    assert of_bundle(whole, "r").bundle() == replace(whole, readme=README)
    for field in ("query", "box_key", "box_verifying_key", "way_1", "way_1_box", "way_2"):
        with pytest.raises(CertificateFormatError, match=r"recourse/|query\.json") as caught:
            replace(whole, **{field: None}).to_bytes()
        assert caught.value.reason == "wrong-files"
    assert replace(whole, way_2=None, way_2_box=None).to_bytes()
    for field in ("box_key", "box_signatures", "wishes", "none_box", "way_4"):
        with pytest.raises(CertificateFormatError, match=r"file|recourse/"):
            replace(parse_bundle(OWN, "own"), **{field: b"x"}).to_bytes()


def test_a_readme_is_the_fixed_text():
    """In both languages, in lines that any program shows whole; no other text, and none of the reader's own."""
    text = README.decode()
    assert all(len(line) <= 80 for line in text.splitlines())
    assert text.count("verify.html") == 2
    assert {"What this is", "Was das ist"} <= set(text.splitlines())
    whole = replace(parse_bundle(OWN, "own"), readme=README)
    assert parse_bundle(whole.to_bytes(), "x").readme == README
    with pytest.raises(CertificateFormatError, match=r"README-LIESMICH\.txt holds another text") as caught:
        replace(whole, readme=README[:-1] + b" ").to_bytes()
    assert caught.value.reason == "file-differs"


def test_nothing_of_a_recourse_is_public():
    """Made public, a refused applicant's bundle has the certificate and what it is verified with."""
    public = of_bundle(parse_bundle(bundle_base("recourse"), "r"), "r").public().bundle()
    assert [part.role for part in PARTS if getattr(public, part.field) is not None] == [
        *("certificate", "commitment", "key", "verifying-key", "readme"),
    ]


def test_pythons_own_archives_have_the_same_bytes():
    """`zipfile`, told to store and to date as bundles do, writes the very bytes: nothing of the form is ours alone."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in entries(OWN, "own"):
            entry = zipfile.ZipInfo(name)
            entry.external_attr, entry.create_system = 0o600 << 16, 3
            archive.writestr(entry, content)
    assert stream.getvalue() == OWN


def test_any_program_unpacks_it():
    """An unpacking program finds the files, whole, the manifest first."""
    with zipfile.ZipFile(io.BytesIO(OWN)) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == [MANIFEST_FILE, *(name for name, _ in parse_bundle(OWN, "own").files())]
        assert (
            parse_commitment(archive.read("commitment.json"), "unpacked")
            == of_bundle(parse_bundle(OWN, "own"), "own").commitment
        )


def test_two_processes_write_the_same_bytes(tmp_path):
    """The same files give the same bundle in processes with other seeds of hashing and in another time zone."""
    golden = ROOT / "tests" / "golden" / "loans"
    made = []
    for seed, zone in (("1", "UTC"), ("2", "Pacific/Apia")):
        path = tmp_path / f"{seed}.equiproof"
        words = ["bundle", golden, "--for-applicant", golden / "query.json", "--out", path]
        environment = {"PYTHONPATH": str(ROOT), "PYTHONHASHSEED": seed, "TZ": zone, "PATH": ""}
        command = [sys.executable, "-m", "equiproof", *map(str, words)]
        subprocess.run(command, env=environment, check=True, capture_output=True)
        made.append(path.read_bytes())
    assert made == [replace(parse_bundle(OWN, "own"), readme=README).to_bytes()] * 2


def test_no_byte_of_a_bundle_is_free():
    """Whatever byte is changed, and wherever it is cut off, it is no bundle."""
    flipped = [OWN[:at] + bytes([OWN[at] ^ 1]) + OWN[at + 1 :] for at in range(0, len(OWN), 3)]
    cut = [OWN[:length] for length in range(0, len(OWN), 11)]
    for data in (*flipped, *cut):
        with pytest.raises(CertificateFormatError, match=r"^x: [ -~]+$"):
            parse_bundle(data, "x")


def test_long_bundles_are_refused_unread():
    """8 MiB are read, more are not looked at; a file has the limit that its parser has beside a certificate."""
    for length, reason in ((MAX_ARCHIVE_BYTES, "not-canonical"), (MAX_ARCHIVE_BYTES + 1, "too-long")):
        with pytest.raises(CertificateFormatError) as caught:
            parse_bundle(OWN.ljust(length, b"\0"), "x")
        assert caught.value.reason == reason
    whole = parse_bundle(OWN, "own")
    for field, most in (("log_proof", 1 << 16), ("signatures", 1 << 16), ("context", 4 << 20)):
        assert parse_bundle(replace(whole, **{field: bytes(most)}).to_bytes(), "x")
        with pytest.raises(CertificateFormatError, match=r"want at most [0-9]+ bytes: it is longer") as caught:
            replace(whole, **{field: bytes(most + 1)}).to_bytes()
        assert caught.value.reason == "too-long"


def test_a_file_that_is_too_long_is_named_with_its_archive():
    """Wherever the archive is said to lie, a blank behind a colon in its name included."""
    files = [(name, bytes(1 << 16 | 1) if name == NOTE else content) for name, content in of_all_kinds()]
    listed = [Reference(role, name, digest(content)) for role, (name, content) in zip(ROLES, files, strict=True)]
    for where in ("x", "C: x: y"):
        with pytest.raises(CertificateFormatError) as caught:
            check_listed(PARTS, listed, files, f"{where}: bundle.json", "bundle")
        assert str(caught.value) == f"{where}: {NOTE}: want at most 65536 bytes: it is longer"
        assert caught.value.reason == "too-long"


def of_all_kinds():
    """Return the files of a bundle that has one of every kind."""
    whole = parse_bundle(OWN, "own")
    of_recourse = {part.field: part.role.encode() for part in PARTS[11:]}
    more = {"signatures": b"note", "log_proof": b"proof", "receipt": b"r", "receipt_proof": b"p", "readme": README}
    more |= of_recourse
    return replace(whole, **more).files()


ROLES, NOTE = [part.role for part in PARTS], "key/signatures.note"


def test_files_that_differ_from_what_is_listed_are_named():
    """By their place in the list, which begins with 0."""
    files = of_all_kinds()
    listed = [Reference(role, name, digest(content)) for role, (name, content) in zip(ROLES, files, strict=True)]
    check_listed(PARTS, listed, files, "x: bundle.json", "bundle")
    for at, (name, content) in enumerate(files):
        changed = [*files[:at], (name, content + b" "), *files[at + 1 :]]
        with pytest.raises(CertificateFormatError, match=rf"^x: bundle\.json: .*\b{at}\b.*{name}") as caught:
            check_listed(PARTS, listed, changed, "x: bundle.json", "bundle")
        assert caught.value.reason == "file-differs"


def test_a_file_of_another_length_or_form_is_named():
    """An entry that is longer than what there is, one that is packed, and one whose name is no ASCII."""
    data = archived([("first.json", b"12345"), ("x" * 50, b"2")])
    at = data.index(b"first.json")
    for place, byte, said in (
        (at - 11, 255, rf"'first\.json'.*\b{255 * 256 + 5}\b"),
        (at - 22, 8, r"'first\.json'"),
        (at, 0xE9, rf"\b{at}\b"),
        (data.index(b"x" * 50) - 22, 8, f"'{'x' * 40}'"),
    ):
        changed = data[:place] + bytes([byte]) + data[place + 1 :]
        with pytest.raises(CertificateFormatError, match=f"^a: .*{said}") as caught:
            entries(changed, "a")
        assert caught.value.reason == "not-canonical"


def test_many_entries_are_not_walked_through():
    """An archive of a hundred thousand empty files is refused after a few."""
    data = archived([(f"{number:05}", b"") for number in range(60_000)])
    with pytest.raises(CertificateFormatError, match="want at most 32 files: there are more"):
        parse_bundle(data, "x")


def test_what_stands_in_place_of_the_manifest_is_named():
    """As far as names of files are long."""
    for name, shown in (("other.json", "'other.json'"), ("x" * 60, f"'{'x' * 40}'")):
        with pytest.raises(CertificateFormatError, match=re.escape(shown)) as caught:
            parse_bundle(archived([(name, b"{}")]), "x")
        assert caught.value.reason == "wrong-files"


def test_its_repr_shows_no_data():
    """Logs and tracebacks show which files there are, and nothing of the applicant."""
    shown = repr(parse_bundle(OWN, "own")) + repr(of_bundle(parse_bundle(OWN, "own"), "own"))
    assert "query.json" in shown
    for secret in ("58058", parse_query(parse_bundle(OWN, "own").query, "query").blinding):
        assert secret not in shown


@pytest.mark.parametrize(
    ("parse", "wanted"), [(parse_certificate, "a certificate"), (parse_commitment, "a commitment")]
)
def test_other_parsers_know_a_bundle(parse, wanted):
    """Where another file is wanted, a bundle is called one; where a bundle is wanted, so is any other file."""
    with pytest.raises(CertificateFormatError, match=f"x: this is a bundle, want {wanted}"):
        parse(OWN, "x")
    with pytest.raises(CertificateFormatError, match="x: this is a commitment, want a bundle") as caught:
        parse_bundle(parse_bundle(OWN, "own").commitment, "x")
    assert caught.value.reason == "not-a-bundle"
