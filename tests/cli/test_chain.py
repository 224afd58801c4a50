"""`equiproof keys solidity` and `equiproof export calldata`: what they write, and what they refuse in one line."""

import json
import shutil

import pytest

from tests.support import ROOT
from tests.vectors.vector import FOLDER, read

GOLDEN = ROOT / "tests" / "golden"
LOANS = GOLDEN / "loans"
SOURCE, METADATA = "EquiproofVerifier.sol", "contract.json"


@pytest.fixture
def key(tmp_path):
    """A copy of a published key's folder."""
    return shutil.copytree(LOANS / "keys" / "key", tmp_path / "keys" / "key")


def test_the_contract_is_written_beside_the_key(cli, key):
    """Source and metadata stand in the key's folder, which verifies as before; a second run overwrites nothing."""
    made = cli("keys", "solidity", key)
    assert made.code == 0, made.err
    assert (key / SOURCE).is_file()
    metadata = json.loads((key / METADATA).read_text())
    fingerprint = json.loads((LOANS / "certificate.json").read_text())["key"]["fingerprint"]
    assert metadata["key"] == fingerprint
    assert fingerprint in made.out
    assert "whoever made it alone can forge proofs that the contract accepts" in made.out
    words = ["verify", LOANS / "certificate.json", "--commitment", LOANS / "commitment.json", "--keys", key.parent]
    assert cli(*words).code == 0
    before = (key / SOURCE).read_bytes()
    cli("keys", "solidity", key).complaint(2, key / SOURCE, "--force")
    assert cli("keys", "solidity", key, "--force").code == 0
    assert (key / SOURCE).read_bytes() == before


def test_the_contract_is_written_where_it_is_wanted(cli, key, tmp_path):
    """A folder has the usual names, a file its own, with the metadata beside it; the source is the same."""
    assert cli("keys", "solidity", key, "--out", tmp_path / "new").code == 0
    made = cli("keys", "solidity", key, "--out", tmp_path / "other" / "Loans.sol", "--json").document
    assert (made["contract"], made["metadata"]) == (
        str(tmp_path / "other" / "Loans.sol"),
        str(tmp_path / "other" / "Loans.json"),
    )
    assert json.loads((tmp_path / "other" / "Loans.json").read_text())["source"] == "Loans.sol"
    assert (tmp_path / "other" / "Loans.sol").read_bytes() == (tmp_path / "new" / SOURCE).read_bytes()
    assert sorted(path.name for path in key.iterdir()) == ["key.json", "verifying.key"]


def test_of_a_ceremony_the_transcript_is_left_open(cli, tmp_path):
    """The metadata of a key are anybody's word: that a ceremony took place is nothing that a contract shows."""
    vector = read(FOLDER / "accept" / "files-ceremony-by-transcript.json")
    vector.write(tmp_path)
    made = cli("keys", "solidity", tmp_path / "keys" / "key", "--json").document
    assert made["setup"] == "ceremony"
    assert made["checks_not_made"][0] == "that the ceremony took place: see `equiproof keys check`"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda key: (key / "key.json").unlink(), "key.json: No such file"),
        (lambda key: (key / "verifying.key").write_bytes(bytes(528)), "not the key that key.json names"),
    ],
)
def test_what_is_no_key_has_no_contract(cli, key, change, said):
    """A folder without a key, or with the bytes of another one, is one line and writes nothing."""
    change(key)
    before = sorted(path.name for path in key.iterdir())
    cli("keys", "solidity", key).complaint(2, said)
    assert sorted(path.name for path in key.iterdir()) == before


def test_plonk_has_no_contract(cli, tmp_path):
    """Key and certificate of PLONK are one line each that says which proof system has contracts."""
    plonk = GOLDEN / "loans-plonk"
    said = "contracts accept groth16-bn254 only"
    cli("keys", "solidity", plonk / "keys" / "key", "--out", tmp_path).complaint(2, "plonk-bn254", said)
    cli("export", "calldata", plonk / "certificate.json").complaint(2, "plonk-bn254", said)
    assert not list(tmp_path.iterdir())


def test_call_data_are_printed_or_written(cli, tmp_path):
    """The call is a line of hexadecimal digits; --json and --out have its parts beside it."""
    line = cli("export", "calldata", LOANS / "certificate.json").out
    assert (line[:2], len(line)) == ("0x", 2 + 2 * 612 + 1)
    document = cli("export", "calldata", LOANS / "certificate.json", "--json").document
    assert document["call"] == line.strip()
    out = tmp_path / "call.json"
    assert cli("export", "calldata", LOANS / "certificate.json", "--out", out).code == 0
    assert json.loads(out.read_text()) == document
    cli("export", "calldata", LOANS / "certificate.json", "--out", out).complaint(2, out, "--force")


def test_what_is_no_certificate_has_no_call_data(cli, tmp_path):
    """Another document is named for what it is, call data too where a certificate was wanted."""
    cli("export", "calldata", LOANS / "commitment.json").complaint(2, "this is a commitment, want a certificate")
    out = tmp_path / "call.json"
    assert cli("export", "calldata", LOANS / "certificate.json", "--out", out).code == 0
    cli("export", "calldata", out).complaint(2, "this is call data of a contract, want a certificate")
