"""The source of a contract: one for each key, with the key's numbers, and none for a key that no verifier takes."""

import hashlib
import re

import msgspec
import pytest

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.poseidon2 import hash_elements
from equiproof.circuits.statement import Statement, start
from equiproof.verifier import CertificateFormatError
from equiproof.verifier.contract import COMPILER, CONTRACT_FILE, NAME, SOURCE_FILE, ContractDocument, contract_of
from equiproof.verifier.curve import neg, uncompressed, uncompressed_g2
from equiproof.verifier.documents import parse_document
from equiproof.verifier.pairing import read_key
from equiproof.verifier.trust import TrustedKey
from tests.support import ROOT, changed
from tests.trapdoor import Trapdoor
from tests.vectors.vector import ProofVector, paths, read

GOLDEN = ROOT / "tests" / "golden"
PUBLISHED = ("loans", "loans-branch", "rates", "wide")


def published(name):
    """Return a published key."""
    return TrustedKey.read(GOLDEN / name / "keys" / "key")


def of(verifying):
    """Return a key of these bytes, with the metadata of a published one beside them."""
    document = changed(published("loans").document, verifying_key=hashlib.sha256(verifying).hexdigest())
    return TrustedKey(document, verifying)


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_source_holds_the_numbers_of_its_key(name):
    """Every number of the key stands in the source once, with the sign that its name says, and nothing is left out."""
    key = published(name)
    source = contract_of(key).source.decode()
    numbers = dict(re.findall(r"constant (\w+) = (0x[0-9a-f]{64});", source))
    points = read_key(key.verifying)
    wanted = {"ALPHA": uncompressed(points.alpha)} | {
        f"K{place}": uncompressed(point) for place, point in enumerate(points.inputs)
    }
    wanted |= {
        name: uncompressed_g2(neg(point))
        for name, point in (
            ("MINUS_BETA", points.beta), ("MINUS_GAMMA", points.gamma), ("MINUS_DELTA", points.delta),
            ("SIGMA", points.negative_sigmas[0]), ("MINUS_G", points.generator),
        )
    }  # fmt: skip
    for point, data in wanted.items():
        halves = ("X", "Y") if len(data) == 64 else ("XI", "X", "YI", "Y")
        assert "".join(numbers.pop(f"{point}_{half}")[2:] for half in halves) == data.hex()
    assert numbers == {
        "KEY": f"0x{key.document.fingerprint}",
        "START": f"0x{start(key.document.shape):064x}",
    }
    assert "$" not in source
    assert not [line for line in source.splitlines() if len(line) > 120 or line != line.rstrip()]


def test_a_key_has_one_source():
    """The same key gives the same bytes, and another key others; the name of the file is none of the source's."""
    made = [contract_of(published(name)) for name in (*PUBLISHED, *PUBLISHED)]
    assert [one.source for one in made[:4]] == [one.source for one in made[4:]]
    assert len({one.source for one in made}) == 4
    assert contract_of(published("loans"), "Other.sol").source == made[0].source


def test_gamma_and_g_are_compared_as_points():
    """Two pairings become one where gamma is the commitment's G, and for no other key: not for its negative either."""
    for secrets, same in (({}, "false"), ({"gamma": 1, "generator": 1}, "true"), ({"gamma": -1008}, "false")):
        source = contract_of(of(Trapdoor(**secrets).key())).source.decode()
        assert f"GAMMA_IS_G = {same};" in source, secrets


def test_the_metadata_name_what_makes_the_code():
    """Key, file, digest, compiler and settings are in one canonical document, read back as strictly as others."""
    key = published("loans")
    contract = contract_of(key, "Loans.sol")
    document = parse_document(
        contract.metadata, ContractDocument, ("equiproof-contract", 2), "contract.json", only_canonical=True
    )
    assert document == contract.document
    assert (document.key, document.name, document.source) == (key.document.fingerprint, NAME, "Loans.sol")
    assert document.source_digest == hashlib.sha256(contract.source).hexdigest()
    assert f"pragma solidity {COMPILER};" in contract.source.decode()
    settings = msgspec.to_builtins(document.settings)
    assert settings == {
        "evmVersion": "paris",  # the last one whose code runs on chains that lack PUSH0
        "metadata": {"appendCBOR": False, "bytecodeHash": "none"},
        "optimizer": {"enabled": True, "runs": 1_000_000},
    }
    other = canonical_bytes(msgspec.to_builtins(document) | {"linker": {}})
    with pytest.raises(CertificateFormatError, match="linker"):
        parse_document(other, ContractDocument, ("equiproof-contract", 2), "contract.json")


def test_its_files_are_called_as_the_page_says():
    """Whoever compiles a contract finds both files by these names."""
    page = (ROOT / "docs" / "chain.md").read_text(encoding="utf-8")
    assert {f"`{SOURCE_FILE}`", f"`{CONTRACT_FILE}`"} <= set(re.findall("`[^`\n]+`", page))


def test_keys_of_plonk_have_no_contract():
    """One line says which keys have one."""
    with pytest.raises(CertificateFormatError, match="field proof_system: plonk-bn254, and contracts accept") as caught:
        contract_of(published("loans-plonk"))
    assert caught.value.reason == "wrong-fields"


def test_keys_of_gains_have_no_contract():
    """A statement about a gain has two parts more: the contract would accept nothing that the key can prove."""
    with pytest.raises(CertificateFormatError, match="the key proves gains, and contracts accept") as caught:
        contract_of(published("gain"))
    assert caught.value.reason == "wrong-fields"


DEGENERATE = [
    vector
    for path in paths()
    if isinstance(vector := read(path), ProofVector)
    and vector.reason == "degenerate-key"
    and vector.proof_system == "groth16-bn254"
]


def test_degenerate_keys_have_no_contract():
    """Whoever could forge under a key that no honest set-up writes gets no contract of it."""
    assert len(DEGENERATE) > 10
    for vector in DEGENERATE[::5]:
        with pytest.raises(CertificateFormatError, match=r"^verifying\.key: ") as caught:
            contract_of(of(vector.parts()[0]))
        assert caught.value.reason == "degenerate-key"


def test_the_start_is_that_of_every_statement():
    """What the source begins a digest with is the hash of all that stands before the seven numbers."""
    shape = published("loans").document.shape
    statement = Statement(1, 2, 3, 4, 5, 6, 7)
    assert statement.digest(shape) == hash_elements(range(1, 8), start(shape))
