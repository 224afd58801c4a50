"""Powers of tau as a folder: made, imported, cut; what is stated of them."""

import hashlib
import json

import pytest

from equiproof.cli.main import run
from equiproof.ffi import ceremony as native
from equiproof.prover.ceremony import conduct
from equiproof.prover.ceremony.documents import FORM_BYTES, POWERS_BYTES, POWERS_FILE
from equiproof.prover.ceremony.errors import CeremonyError
from equiproof.prover.ceremony.powers import points, read_powers
from equiproof.verifier.errors import CertificateFormatError
from tests.ffi.test_ceremony import ptau
from tests.prover.ceremony.parties import ANNA, POWER, powers_ceremony


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The folder of a finished phase 1."""
    folder = powers_ceremony(tmp_path_factory.mktemp("made") / "powers", ANNA, closed=True)
    conduct.finish_powers(folder)
    return folder.path


def test_an_import_is_called_one(tmp_path, capsys):
    """A .ptau file gives a folder of powers whose metadata state the file's digest; the command says what is left."""
    step = native.powers_contribute(1, None)
    data = ptau(native.powers_finish(1, step, bytes(32)))
    (tmp_path / "x.ptau").write_bytes(data)
    words = ["ceremony", "import", str(tmp_path / "x.ptau"), "--out", str(tmp_path / "powers")]
    assert run(words) == 0
    assert "Nothing here shows that anybody contributed" in capsys.readouterr().out
    found = read_powers(tmp_path / "powers")
    assert (found.document.origin, found.document.source) == ("imported", hashlib.sha256(data).hexdigest())
    assert found.reference.digest == hashlib.sha256(found.data).hexdigest()
    assert run(words) == 2


def test_powers_are_cut_to_a_circuit(made):
    """A smaller domain has powers and a form of its own, of the same origin; a larger one is refused."""
    whole = read_powers(made)
    few = whole.cut(1)
    native.powers_check(1, few.data)
    native.lagrange_check(1, few.data, few.form)
    assert (few.power, few.document.source) == (1, whole.document.source)
    assert whole.cut(POWER) is whole
    with pytest.raises(CeremonyError, match=r"give powers of tau up to .*: this circuit needs them"):
        whole.cut(POWER + 1)


def test_a_folder_without_powers_is_named(tmp_path):
    """The way out is in the line."""
    with pytest.raises(
        CeremonyError,
        match="make powers of tau with `equiproof ceremony finish` or `equiproof ceremony import`: it holds none",
    ):
        read_powers(tmp_path)


def test_lengths_bound_what_is_read(made, tmp_path):
    """A file of a gigabyte is not read; one that is no file is refused unopened."""
    for name in (POWERS_FILE, POWERS_BYTES, FORM_BYTES):
        (tmp_path / name).write_bytes((made / name).read_bytes())
    with (tmp_path / POWERS_BYTES).open("r+b") as stream:
        stream.truncate(1 << 30)
    with pytest.raises(CertificateFormatError, match=r"powers\.bin: get the folder again: not the file"):
        read_powers(tmp_path)
    (tmp_path / POWERS_BYTES).unlink()
    (tmp_path / POWERS_BYTES).symlink_to("/dev/zero")
    with pytest.raises(CertificateFormatError, match=r"powers\.bin: not a regular file"):
        read_powers(tmp_path)
    (tmp_path / "endless.ptau").symlink_to("/dev/zero")
    with pytest.raises(CertificateFormatError, match=r"endless\.ptau: name a \.ptau file: this is not a regular file"):
        points(tmp_path / "endless.ptau", None)


def test_a_power_that_is_not_the_powers_is_refused(made, tmp_path):
    """Metadata that state another size are refused by the library's lengths."""
    for name in (POWERS_BYTES, FORM_BYTES):
        (tmp_path / name).write_bytes((made / name).read_bytes())
    document = json.loads((made / POWERS_FILE).read_bytes())
    (tmp_path / POWERS_FILE).write_bytes((made / POWERS_FILE).read_bytes().replace(b'"power":2', b'"power":3'))
    assert document["power"] == POWER
    with pytest.raises(CertificateFormatError, match=r"powers\.bin: "):
        read_powers(tmp_path)
