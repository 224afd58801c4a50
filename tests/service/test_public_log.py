"""The log of the settings, and the key of a model, each read from its files or named in one line."""

import shutil
from types import SimpleNamespace

import pytest

from equiproof.service import stopping
from equiproof.service.keys import key_of
from equiproof.service.log.__main__ import main
from equiproof.service.public_log import PinsError, public_log
from equiproof.service.settings import LogSettings, load_settings
from equiproof.service.starting import prepare
from equiproof.verifier.documents import parse_commitment
from equiproof.verifier.notes import Signer
from equiproof.verifier.trust import TrustedKey
from tests.support import ROOT

GOLDEN = ROOT / "tests" / "golden" / "loans"
LOG, FIRST, SECOND = (Signer.new(name).verifier.text for name in ("bank.example/log", "w1.example", "w2.example"))


@pytest.fixture
def written(tmp_path):
    """Return a function that writes keys to a file, and returns its path."""

    def written(name, *keys):
        (tmp_path / name).write_text("".join(f"{key}\n" for key in keys))
        return str(tmp_path / name)

    return written


def test_all_witnesses_must_have_signed_unless_fewer_are_asked_for(written):
    """Each file has one key a line."""
    files = written("one", FIRST), written("two", SECOND)
    log = written("log", LOG)
    assert public_log(LogSettings("http://127.0.0.1:1", log, files)).pins.least == 2
    assert public_log(LogSettings("http://127.0.0.1:1", log, files, 1)).pins.least == 1
    assert public_log(LogSettings("http://127.0.0.1:1", log)).pins.least == 0


@pytest.mark.parametrize(
    ("log", "witnesses", "least", "said"),
    [
        ((), (), 0, "log: "),
        ((LOG, FIRST), (), 0, "2 keys, want the log's alone"),
        (("no key",), (), 0, "log: line 1"),
        ((LOG,), (FIRST, FIRST), 0, "log.witnesses"),
        ((LOG,), (LOG,), 0, "log.witnesses"),
        ((LOG,), (FIRST,), 2, "2 witnesses of 1"),
        ((LOG,), (), 1, "1 witnesses of 0"),
    ],
)
def test_pins_that_mean_nothing_are_refused(written, log, witnesses, least, said):
    """A witness that counted twice, the log as its own witness, and more of them than there are."""
    files = tuple(written(f"witness{at}", one) for at, one in enumerate(witnesses))
    with pytest.raises(PinsError, match=said):
        public_log(LogSettings("http://127.0.0.1:1", written("log", *log), files, least))


def test_a_service_without_a_log_starts_no_sender(tmp_path, monkeypatch):
    """One line, and nothing is sent."""
    monkeypatch.setattr(stopping.signal, "signal", lambda *_: None)
    monkeypatch.setattr(stopping.logs, "configure", lambda: None)
    (tmp_path / "service.toml").write_text('vault = "vault.keys"\n[lender]\nname = "North Bank"\n')
    prepare(load_settings(tmp_path / "service.toml"))
    with pytest.raises(PinsError, match="no section `log`"):
        main(str(tmp_path / "service.toml"))


def test_the_key_of_a_model_is_the_one_that_serves_it(tmp_path):
    """By its metadata; a damaged key beside it is passed over, and a model of other sizes has none."""
    shutil.copytree(GOLDEN / "keys", tmp_path / "keys")
    (tmp_path / "keys" / "broken").mkdir()
    (tmp_path / "keys" / "broken" / "key.json").write_text("{}")
    key = TrustedKey.read(GOLDEN / "keys" / "key").document
    spec = parse_commitment((GOLDEN / "commitment.json").read_bytes(), "commitment").spec
    opening = SimpleNamespace(spec=spec, sizes=tuple(key.shape.architecture.hidden), own_scheme=None)
    assert key_of(opening, tmp_path / "keys", tmp_path) == key
    assert key_of(opening, tmp_path / "none", tmp_path) is None
    other = SimpleNamespace(spec=spec, sizes=(99,), own_scheme=None)
    assert key_of(other, tmp_path / "keys", tmp_path) is None
