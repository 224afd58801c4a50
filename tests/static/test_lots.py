"""The static binary says of a period what `equiproof lot check` says, to the byte, whatever its owner did."""

import functools
import http.server
import json
import re
import threading

import pytest

from equiproof.circuits.canonical import canonical_bytes
from equiproof.cli.main import _commands, run
from tests.fuzz.mutator import mutated
from tests.register.lot.world import AUDITOR, LENDER, LOG, Period, receipt, signer
from tests.static.broken_periods import REFUSED, UNLIKE, UNUSABLE
from tests.static.build import said
from tests.static.periods import HONEST, WITNESS, answered, beacon
from tests.support import ROOT
from tests.web.test_agreement import TIMES, changed_document, generator


@pytest.fixture
def both(program, capsys, monkeypatch):
    """Say what command and binary say of some words, which is the same: the exit code, and all that is printed."""
    monkeypatch.setenv("COLUMNS", "80")

    def call(*words):
        code = run(["lot", "check", *map(str, words), "--checker", "native"])
        out, err = capsys.readouterr()
        assert said(program, "lot", "check", *words) == (code, out, err)
        return code, out + err

    return call


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A web server of files that writes no log."""

    def log_message(self, *args):
        """Say nothing."""


@pytest.fixture
def served(tmp_path):
    """The URL of a web server over the folder of a test."""
    handler = functools.partial(Quiet, directory=str(tmp_path))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.handle_error = lambda *_: None  # who reads too much breaks off, and what is said here is compared
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("name", HONEST)
def test_it_says_what_the_command_says(both, name, tmp_path):
    """The same report of an honest period, and of every owner's whose answers do not hold, as text and as JSON."""
    period = Period(tmp_path, *HONEST[name].receipts())
    folder = HONEST[name].folder(period)
    code, text = both(folder.root, period.log.root)
    assert (code, HONEST[name].said in text) == (HONEST[name].code, True), text
    json.loads(both(folder.root, period.log.root, "--json")[1])
    german = both(folder.root, period.log.root, "--language", "de")
    assert (german[0], "Was dies nicht zeigt:" in german[1]) == (code, True)
    assert not set(german[1].splitlines()) & set(text.splitlines()) - {""}, "a line is in both languages"


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", HONEST)
def test_no_number_depends_on_the_language(both, name, tmp_path):
    """As JSON, a report is the same in each language."""
    period = Period(tmp_path, *HONEST[name].receipts())
    words = HONEST[name].folder(period).root, period.log.root, "--json"
    assert both(*words, "--language", "de") == both(*words)


def test_no_other_language(program, tmp_path, capsys):
    """Another language is refused as `verify` refuses it, in one line."""
    words = ["lot", "check", tmp_path, tmp_path, "--language", "fr"]
    code = run([*map(str, words)])
    for there, out, err in ((code, *capsys.readouterr()), said(program, *words)):
        assert (there, out, len(err.splitlines())) == (2, "", 1)
        assert "--language: 'fr' is not one of en, de" in err


@pytest.mark.parametrize("name", REFUSED)
def test_it_refuses_what_the_command_refuses(both, name, tmp_path):
    """A rule of the lot that is broken is the same line in both."""
    case = REFUSED[name]
    period = Period(tmp_path, *case.receipts())
    folder = case.folder(period).root
    code, text = both(folder, period.log.root)
    assert code == 1
    assert re.search(case.said, text), text
    assert len(text.splitlines()) == 1
    assert both(folder, period.log.root, "--language", "de")[0] == 1


@pytest.mark.parametrize("name", UNUSABLE)
def test_what_cannot_be_used(both, name, tmp_path):
    """A file that is missing, cut off, too long or malformed is one line that names it."""
    case = UNUSABLE[name]
    period = Period(tmp_path, *case.receipts())
    code, text = both(case.folder(period).root, period.log.root)
    assert code == 2
    assert re.search(case.said, text), text
    assert len(text.splitlines()) == 1


@pytest.mark.parametrize("name", UNLIKE)
def test_what_is_no_document(program, name, tmp_path, capsys):
    """Bytes that are no JSON, and fields of a wrong type: each program has words of its own, and one line of them."""
    period = Period(tmp_path)
    words = ["lot", "check", UNLIKE[name](period).root, period.log.root]
    assert run([*map(str, words)]) == 2
    there, out, err = said(program, *words)
    for text in (capsys.readouterr().err, err):
        assert len(text.splitlines()) == 1, text
    assert (there, out) == (2, "")


def test_pins(both, tmp_path):
    """What the reader knows from elsewhere is checked, or listed as not checked."""
    period, stranger = Period(tmp_path), signer("stranger").verifier.text
    period.log.publish(WITNESS.line(period))
    folder = answered(period)
    keys, others = tmp_path / "witnesses", tmp_path / "others"
    keys.write_text(f"# known\n{WITNESS.text}\n")
    others.write_text(f"{WITNESS.text}\n{stranger}\n")
    (tmp_path / "log.pub").write_text(LOG.verifier.text + "\n")
    known = ["--log-key", LOG.verifier.text, "--auditor", AUDITOR.verifier.text, "--witnesses", keys]
    for words, wanted in (
        (known, 0),
        ([*known, "--json"], 0),
        (["--log-key", tmp_path / "log.pub"], 0),
        (["--witnesses", others, "--least-witnesses", 1], 0),
        (["--witnesses", others], 1),
        (["--log-key", stranger], 1),
        (["--auditor", AUDITOR.verifier.text, "--auditor", stranger], 1),
        (["--auditor", LENDER.verifier.text], 1),
        (["--log-key", "Bank+1"], 2),
        (["--log-key", others], 2),
        (["--auditor", "Bank"], 2),
        (["--witnesses", tmp_path / "none"], 2),
        (["--witnesses", folder.root / "period.json"], 2),
    ):
        assert both(folder.root, period.log.root, *words)[0] == wanted, words


def test_an_applicants_receipt(both, tmp_path):
    """An applicant who was left out learns it from either program."""
    period = Period(tmp_path)
    folder = period.close()
    (tmp_path / "own.json").write_bytes(canonical_bytes(period.receipts[3]))
    (tmp_path / "other.json").write_bytes(canonical_bytes(receipt(99)))
    for name, code in (("own.json", 0), ("other.json", 1), ("none.json", 2), ("march/period.json", 2)):
        for form in ([], ["--json"], ["--language", "de"]):
            assert both(folder.root, period.log.root, "--receipt", tmp_path / name, *form)[0] == code, name


@pytest.mark.parametrize(("language", "says"), [("en", "audit by lot"), ("de", "Prüfung durch Los")])
def test_the_page(program, tmp_path, capsys, language, says):
    """Both write the same page, byte for byte, in the language of the answer, and neither over another file."""
    groups = {one.digest: ("w<o>men", "men")[number % 2] for number, one in enumerate(Period(tmp_path / "x").receipts)}
    period = Period(tmp_path)
    period.log.publish(WITNESS.line(period))
    period.certificates = dict.fromkeys([one.digest for one in period.receipts[::3]])
    folder = period.answered(period.drawn(groups="sex & gender", name="March. All of them", share="0.9"), groups)
    (tmp_path / "keys").write_text(WITNESS.text)
    pages = []
    for call in (lambda *words: run([*map(str, words)]), lambda *words: said(program, *words)[0]):
        path = tmp_path / "page.html"
        words = ["lot", "check", folder.root, period.log.root, "--witnesses", tmp_path / "keys", "--html", path]
        words += ["--language", language]
        assert call(*words) == 1
        pages.append(path.read_text(encoding="utf-8"))
        assert call(*words) == 2
        assert call(*words, "--force", "--json") == 1
        pages.append(path.read_text(encoding="utf-8"))
        path.unlink()
    capsys.readouterr()
    assert len(set(pages)) == 1
    assert f'<html lang="{language}">' in pages[0]
    assert f">{says}<" in pages[0]
    assert "<bdi>w&lt;o&gt;men</bdi>" in pages[0]


def told(code, out, err):
    """Return what must be the same of what is said: words about bytes that are no document are each program's own."""
    document = json.loads(out) if out else {}
    for one in document.get("answers", ()):
        one.pop("why", None)
    return code, document, err.partition(":")[0], len(err.splitlines())


@pytest.mark.slow
def test_changed_files(program, tmp_path, capsys):
    """Any file of a period with changed bytes has the same verdict, and the same numbers, from both."""
    period = Period(tmp_path)
    folder = answered(period)
    files = sorted(
        path for path in (*folder.root.rglob("*"), *period.log.root.glob("tile/entries/**/*")) if path.is_file()
    )
    rng, codes = generator("periods"), set()
    words = ["lot", "check", folder.root, period.log.root, "--json"]
    for _ in range(60 * (TIMES or 1)):
        path = rng.choice(files)
        whole = path.read_bytes()
        form = path.suffix == ".json" and rng.random() < 0.7
        changed = changed_document(whole.decode(), rng).encode() if form else mutated(whole, b"", rng)
        path.write_bytes(changed)
        wanted = told(run([*map(str, words), "--checker", "native"]), *capsys.readouterr())
        assert told(*said(program, *words)) == wanted, (path.name, changed)
        path.write_bytes(whole)
        codes.add(wanted[0])
    assert codes >= {1, 2}


@pytest.mark.slow
def test_a_round_of_the_beacon(both, tmp_path):
    """A draw by quicknet, and a round that somebody else's signature stands below."""
    period = Period(tmp_path)
    folder = period.answered(beacon(period))
    for language in ("en", "de"):
        words = ("--html", tmp_path / "page.html", "--force", "--language", language)
        assert both(folder.root, period.log.root, *words)[0] == 0
    path = folder.root / "beacon.json"
    signature = json.loads(path.read_bytes())["signature"]
    for wrong in ("c0" + "00" * 47, "00" * 48, signature[:-2] + "00"):
        path.write_bytes(canonical_bytes(json.loads(path.read_bytes()) | {"signature": wrong}))
        assert both(folder.root, period.log.root)[0] == 1


def test_a_log_at_an_address(both, tmp_path, served):
    """A log is read over HTTP as from its folder; a server that is away, or sends something else, is one line."""
    period = Period(tmp_path, [receipt(number) for number in range(600)])
    folder = answered(period, share="0.1")
    assert both(folder.root, f"{served}/log/")[0] == 0
    for place in (f"{served}/none", f"{served}/log?x=1", "ftp://log.example", "http://127.0.0.1:1", "unix:///none"):
        assert both(folder.root, place)[0] == 2, place
    (tmp_path / "log" / "tile" / "entries" / "001").write_bytes(b"x" * 17_000_000)
    assert "want at most 16777472 bytes" in both(folder.root, f"{served}/log")[1]


def test_wrong_words(program, tmp_path):
    """What is wrong with the words of a command is one line, and ends with 2."""
    folder = Period(tmp_path).close().root
    for words in (
        (),
        ("a",),
        ("a", "b", "c"),
        ("a", "b", "--nothing"),
        ("a", "b", "--least-witnesses", "0"),
        (folder, tmp_path, "--least-witnesses", "1"),
    ):
        code, out, err = said(program, "lot", "check", *words)
        assert (code, out, len(err.splitlines())) == (2, "", 1), words
    code, out, _ = said(program, "lot", "check", "--help")
    assert (code, out.startswith("Usage: equiproof-verify lot check")) == (0, True)


def test_its_options_are_those_of_the_command():
    """It has every option of `equiproof lot check` but the choice of a program and the log of steps."""
    command = _commands().commands["lot"].commands["check"]
    wanted = {name[2:] for one in command.params for name in one.opts if name[:2] == "--"} | {"help"}
    source = (ROOT / "go-gnark" / "verify" / "command" / "lot.go").read_text(encoding="utf-8")
    assert "\n\tlanguageOption,\n" in source
    assert {*re.findall(r'{name: "([a-z-]+)"', source), "language"} == wanted - {"checker", "log"}


def test_its_style_is_the_pages():
    """The copy in the Go module is the file that Python's page has."""
    copy = ROOT / "go-gnark" / "verify" / "period" / "page.css"
    assert copy.read_bytes() == (ROOT / "equiproof" / "register" / "lot" / "page.css").read_bytes()
