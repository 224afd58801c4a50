"""`equiproof-log`: what it writes is read by Python, what it refuses is one line, and what it is made of."""

import http.client
import re
import shutil
import signal
import socket
import stat
import subprocess

import pytest

from equiproof.circuits import exit_codes
from equiproof.circuits.canonical import canonical_bytes
from equiproof.register.client import append_all
from equiproof.verifier.entries import ENTRY, MAX_ENTRY_BYTES, parse_entry
from equiproof.verifier.errors import CertificateFormatError
from equiproof.verifier.notes import Signer
from tests.log.running import MODULE, ORIGIN, SIGNER, entry, index_of, name, posted, program
from tests.static import build
from tests.support import ROOT

DIGITS = "0123456789abcdef" * 4
KINDS = {
    "commitment": {"owner": "lender", "commitment": DIGITS, "valid_from": "2026-03-04"},
    "key": {"owner": "lender", "key": DIGITS, "transcript": None},
    "link": {"owner": "lender", "link": DIGITS, "commitment": DIGITS, "key": DIGITS},
    "retire": {"owner": "lender", "what": "key", "digest": DIGITS, "why": "a new model", "successor": DIGITS},
    "decision": {"receipt": DIGITS},
    "certificate": {"certificate": DIGITS},
    "trail": {"owner": "lender", "head": DIGITS},
    "box": {"box": DIGITS},
}


def entry_of(kind, /, **changed):
    """Return the bytes of an entry of a kind with changed fields; ... takes a field away."""
    fields = {"format": ENTRY[0], "version": ENTRY[1], "kind": kind, **KINDS.get(kind, {}), **changed}
    return canonical_bytes({key: value for key, value in fields.items() if value is not ...})


ACCEPTED = [entry_of(kind) for kind in KINDS] + [
    entry_of("key", transcript=DIGITS), entry_of("retire", successor=None, why="x" * 200),
    entry_of("key", owner="Kärnten"),
]  # fmt: skip

REFUSED = [
    b"", b"null", b"{}", b"[]", b"{", b"\xff", entry_of("decision") + b"\n", b" " + entry_of("decision"),
    entry_of("decision").replace(b"decision", b"d\\u0065cision"), entry_of("decision", more=1),
    entry_of("decision", receipt=...), entry_of("decision", receipt=DIGITS[1:]),
    entry_of("decision", receipt=DIGITS.upper()),
    entry_of("decision", receipt=7), entry_of("decision", version=2), entry_of("decision", format="equiproof-receipt"),
    entry_of("decision", owner="lender"), entry_of("commitment", valid_from="2026-02-30"),
    entry_of("commitment", valid_from="0999-01-01"), entry_of("commitment", valid_from="2026-3-4"),
    entry_of("commitment", owner=""), entry_of("commitment", owner="a  b"), entry_of("commitment", commitment=None),
    entry_of("commitment", receipt=DIGITS), entry_of("key", transcript=...), entry_of("key", transcript=""),
    entry_of("retire", what="model"), entry_of("retire", why="x" * 201), entry_of("retire", why="two\nlines"),
    entry_of("retire", why="\u2028"), entry_of("retire", successor="x"), entry_of("sale", receipt=DIGITS),
    entry_of("certificate", certificate=DIGITS.upper()), entry_of("certificate", owner="lender"),
    entry_of("trail", head=DIGITS[1:]), entry_of("trail", owner=...), entry_of("trail", owner=""),
    entry_of("trail", lines=7), entry_of("box", box=None), entry_of("box", owner="lender"),
    entry_of("box", certificate=DIGITS), entry_of("link", link=DIGITS.upper()), entry_of("link", key=...),
    entry_of("link", commitment=None), entry_of("link", owner=""), entry_of("link", transcript=DIGITS),
    entry_of("decision", kind=...), entry_of("retire", why="x" * MAX_ENTRY_BYTES),
    b'{"format":"equiproof-certificate","version":2}',
]  # fmt: skip

OWN_WORDS = re.compile("want (64|a date|at most)|must have|a blank|this is")
FIELD = re.compile(r"[^:]*: (field \w+: |not valid JSON: )?")


def test_python_recomputes_the_root(log):
    """From the folder alone: the entries in their order, their root, and the log's signature; nothing stands twice."""
    first = [entry(number) for number in range(300)]
    assert log.append(*first) == list(range(300))
    assert log.append(*first[250:], entry(300), entry(5)) == [*range(250, 300), 300, 5]
    assert log.entries() == [*first, entry(300)]
    assert log.checkpoint().origin == ORIGIN
    code, out, err = log.said("checkpoint", log.folder)
    assert (code, out, err) == (0, (log.folder / "checkpoint").read_text(encoding="utf-8"), "")


def test_every_kind_of_entry_is_taken(log, tmp_path):
    """What Python's reader accepts, the log appends, from files."""
    files = []
    for number, data in enumerate(ACCEPTED):
        parse_entry(data, "entry")
        files.append(tmp_path / f"{number}.json")
        files[-1].write_bytes(data)
    code, out, _ = log.said("append", log.folder, *files)
    assert (code, out) == (0, "".join(f"{at} {name(data)}\n" for at, data in enumerate(ACCEPTED)))
    assert log.entries() == ACCEPTED


@pytest.mark.parametrize("data", REFUSED, ids=range(len(REFUSED)))
def test_what_is_no_entry_is_refused_as_python_does(empty, tmp_path, data):
    """One line, as Python's; nothing is appended, also of what stands before."""
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_bytes(entry(1))
    bad.write_bytes(data)
    code, out, err = empty.said("append", empty.folder, good, bad)
    assert (code, out) == (exit_codes.MISUSED, "")
    with pytest.raises(CertificateFormatError) as refused:
        parse_entry(data, str(bad))
    said, want = err.removeprefix("equiproof-log: ").removesuffix("\n"), str(refused.value)
    assert "\n" not in said
    # How a field's type is wrong, and JSON broken, is said in the words of each reader; which field it is, in the same.
    if OWN_WORDS.search(want) or refused.value.reason not in ("wrong-fields", "not-json"):
        assert said == want
    else:
        assert FIELD.match(said)[0] == FIELD.match(want)[0]
    assert empty.checkpoint().size == 0


def test_words_that_mean_nothing(log, tmp_path):
    """Misuse is one line that names the fault, and exits 2."""
    other = tmp_path / "other"
    key = log.folder.with_suffix(".key")
    damaged = tmp_path / "damaged.key"
    damaged.write_text(SIGNER.text.replace("+", "+x", 1), encoding="utf-8")
    for words, said in {
        (): "Missing command.",
        ("start",): "No such command 'start'.",
        ("append",): "Missing argument 'DIR'.",
        ("append", log.folder): "Missing argument 'ENTRY'.",
        ("append", log.folder, "-", "--force"): "No such option: --force.",
        ("append", other, "-"): f"{other}: not the folder of a log; `equiproof-log init` makes one",
        ("append", log.folder, other): f"{other}: no such file or directory",
        ("append", log.folder, "-", "--witness", "http://a"): "--witness: want URL:KEY",
        ("init", log.folder, "--origin", ORIGIN, "--key", key): "already there",
        ("init", other, "--key", key): "Missing option '--origin'.",
        ("init", other, "--origin", "another", "--key", key): "the log's origin is the name of its key",
        ("init", other, "--origin", ORIGIN, "--key", other): f"{other}: no such file or directory",
        ("init", other, "--origin", ORIGIN, "--key", damaged): "not a signing key",
        ("serve", log.folder): "Give either --listen or --socket.",
        ("serve", log.folder, "--listen", "0.0.0.0:80"): "want an address of this machine, such as 127.0.0.1:8080",
        ("checkpoint", log.folder, "x"): "Got unexpected extra argument (x).",
    }.items():
        code, out, err = log.said(*words)
        assert (code, out, err.count("\n")) == (2, "", 1), words
        assert said in err, words
        assert err.startswith("equiproof-log: ")
    assert not other.exists()


def test_it_serves_until_it_is_told_to_stop(log):
    """An answer comes once the entry is on the disk; what was added is published before the end."""
    with log.serving() as served:
        client = served.client()
        assert [index_of(posted(client, entry(number)), entry(number)) for number in (0, 1, 0, 2)] == [0, 1, 0, 2]
        assert posted(client, b"{}")[0] == 400
        code, _, err = log.said("append", log.folder, "-", given=entry(9))
        assert (code, "another program writes this log" in err) == (2, True)
        served.process.send_signal(signal.SIGTERM)
        assert served.stopped() == (0, "")
    assert log.entries() == [entry(0), entry(1), entry(2)]


def test_many_entries_are_sent_at_once(log):
    """From a client of ours, some at once: each is answered in the order in which it was given, none stands twice."""
    entries = [entry(number) for number in range(600)]
    with log.serving() as served:
        url = f"http://127.0.0.1:{served.port}"
        found = [one.index for one in append_all(url, [*entries, *entries[:50]])]
        served.process.send_signal(signal.SIGTERM)
        assert served.stopped() == (0, "")
    assert found[600:] == found[:50]
    held = log.entries()
    assert ([held[index] for index in found[:600]], len(held)) == (entries, 600)


def test_it_serves_at_a_socket(log, tmp_path):
    """A Unix socket is the user's alone, and goes away with the service."""
    path = tmp_path / "socket"
    command = [log.program, "serve", log.folder, "--socket", path]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == f"serving {log.folder} with 0 entries at {path}\n"
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        client = http.client.HTTPConnection("log")
        client.sock = socket.socket(socket.AF_UNIX)
        client.sock.connect(str(path))
        assert index_of(posted(client, entry(0)), entry(0)) == 0
        process.terminate()
    assert (process.returncode, path.exists()) == (0, False)
    assert log.entries() == [entry(0)]


def test_a_witness_that_is_offline_does_not_stop_the_log(log):
    """It is named in one line, and entries are appended and published all the same."""
    witness = f"http://127.0.0.1:1:{Signer.new('witness.example/1').verifier.text}"
    code, out, err = log.said("append", log.folder, "-", "--witness", witness, given=entry(0))
    assert (code, out) == (0, f"0 {name(entry(0))}\n")
    said = "witness witness.example/1: offline: connection refused; the log goes on, and asks again"
    assert err == f"equiproof-log: {said}\n"
    assert log.entries() == [entry(0)]


def test_help_names_every_command_and_the_version_is_the_projects(log):
    """The commands that `equiproof log` runs are there."""
    code, out, _ = log.said("--help")
    assert code == 0
    assert re.findall(r"^  (\w+) DIR", out, re.MULTILINE) == ["init", "append", "serve", "checkpoint"]
    version = re.search(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)
    assert log.said("--version") == (0, f"equiproof-log {version[1]}\n", "")


def test_its_modules_are_its_own():
    """Nothing that proves is part of it, no C is, and no other module of ours knows what it is made of."""
    listed = build.run("list", "-deps", ".", folder=MODULE).split()
    own = {found.split("/")[1] for found in listed if found.startswith("equiproof/")}
    assert own == {"verify"}
    assert not [found for found in listed if found.startswith("github.com/consensys/gnark/") or found == "runtime/cgo"]
    assert "tessera" not in (ROOT / "go-gnark" / "go.mod").read_text(encoding="utf-8")


def test_no_program_or_library_is_needed(equiproof_log):
    """It is one static file."""
    data = equiproof_log.read_bytes()
    assert data[:5] == b"\x7fELF\x02"
    assert b"/lib64/ld-linux" not in data
    assert len(data) < 12 << 20


@pytest.mark.slow
def test_the_program_has_the_same_bytes_in_every_folder(equiproof_log, tmp_path):
    """Built from a copy of the sources elsewhere, it is the same file."""
    for module in ("go-gnark", "go-log"):
        shutil.copytree(ROOT / module, tmp_path / "deeper" / module)
    other = program(tmp_path / "other", tmp_path / "deeper" / "go-log")
    assert other.read_bytes() == equiproof_log.read_bytes()
