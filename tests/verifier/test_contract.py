"""The source of a contract: one for each key, with the key's numbers, and none for a key that no verifier takes."""

import hashlib
import re

import msgspec
import pytest

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.kept import key_element, link_statement
from equiproof.circuits.poseidon2 import hash_elements
from equiproof.circuits.statement import Statement, start
from equiproof.verifier import CertificateFormatError
from equiproof.verifier.contract import COMPILER, CONTRACT_FILE, KEPT_NAME, NAME, ContractDocument, contract_of
from equiproof.verifier.curve import neg, uncompressed, uncompressed_g2
from equiproof.verifier.documents import parse_document
from equiproof.verifier.errors import Reason
from equiproof.verifier.pairing import read_key
from equiproof.verifier.trust import TrustedKey, TrustedLinkKey
from tests.support import ROOT, changed
from tests.trapdoor import KeptTrapdoor, Trapdoor
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


def kept(verifying=None, link_verifying=None, **changes):
    """Return the published kept key and its key for links, with other bytes, or metadata of links that are changed."""
    folder = GOLDEN / "loans-kept" / "keys"
    key, links = TrustedKey.read(folder / "key"), TrustedLinkKey.read(folder / "link")
    if verifying is not None:
        key = TrustedKey(changed(key.document, verifying_key=hashlib.sha256(verifying).hexdigest()), verifying)
    data = links.verifying if link_verifying is None else link_verifying
    own = changed(links.document, verifying_key=hashlib.sha256(data).hexdigest(), **changes)
    return key, TrustedLinkKey(own, data)


def told(source):
    """Return the numbers of a source by the names of its constants."""
    return dict(re.findall(r"constant (\w+) = (0x[0-9a-f]{64});", source))


def constants(points, prefix=""):
    """Return the numbers of a key with one commitment, and what one with two shares with it, by their constants."""
    wanted = {"ALPHA": uncompressed(points.alpha)} | {
        f"K{place}": uncompressed(point) for place, point in enumerate(points.inputs[:3])
    }
    wanted |= {
        name: uncompressed_g2(neg(point))
        for name, point in (
            ("MINUS_BETA", points.beta), ("MINUS_GAMMA", points.gamma), ("MINUS_DELTA", points.delta),
            ("SIGMA", points.negative_sigmas[0]), ("MINUS_G", points.generator),
        )
    }  # fmt: skip
    return in_words({f"{prefix}{name}": data for name, data in wanted.items()})


def in_words(points):
    """Return the numbers of points by their constants."""
    numbers = {}
    for point, data in points.items():
        halves = ("X", "Y") if len(data) == 64 else ("XI", "X", "YI", "Y")
        numbers |= {f"{point}_{half}": f"0x{data[32 * at : 32 * at + 32].hex()}" for at, half in enumerate(halves)}
    return numbers


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_source_holds_the_numbers_of_its_key(name):
    """Every number of the key stands in the source once, with the sign that its name says, and nothing is left out."""
    key = published(name)
    source = contract_of(key).source.decode()
    assert told(source) == constants(read_key(key.verifying)) | {
        "KEY": f"0x{key.document.fingerprint}",
        "START": f"0x{start(key.document.shape):064x}",
    }
    assert "$" not in source
    assert not [line for line in source.splitlines() if len(line) > 120 or line != line.rstrip()]


def test_the_source_of_a_kept_key_holds_the_numbers_of_both():
    """Of its key for links, too, with both fingerprints and what a link's digest has of the key and the shape."""
    key, links = kept()
    source = contract_of(key, links).source.decode()
    points = read_key(key.verifying, 2)
    own = {"K3": uncompressed(points.inputs[3]), "SIGMA2": uncompressed_g2(neg(points.negative_sigmas[1]))}
    element, numbers = key_element(key.document.fingerprint), told(source)
    wanted = constants(points) | in_words(own) | constants(read_key(links.verifying), "LINK_")
    assert numbers == wanted | {
        "KEY": f"0x{key.document.fingerprint}",
        "LINK_KEY": f"0x{links.document.fingerprint}",
        "START": f"0x{start(key.document.shape):064x}",
        "LINK_START": numbers["LINK_START"],
        "KEY_ELEMENT": f"0x{element:064x}",
    }
    digest = hash_elements([1, 2, element, 4, 5], int(numbers["LINK_START"], 16))
    assert digest == link_statement(links.document.shape, 1, 2, element, 4, 5)
    assert "$" not in source
    assert not [line for line in source.splitlines() if len(line) > 120 or line != line.rstrip()]


SOURCES = {
    "loans-kept": "04a4b6e87a7dab566b23710a4c0daf56c79bdae14770ada646237dd87b070803",
    "loans": "c1315df63787acb95478cd250ba7cc2e6378743590712f4cccf9fe305c376cf6",
    "loans-branch": "20ddd728aa9fb8e376d6798375ce314f2436746fd0421cf46e26db6d70a49248",
    "rates": "a08b315d07db6d2f5066f872c7500ea877f6087c12b0c799ab17eef465732c3b",
    "wide": "84d68567864f5e9eca6114940f888eb5f2b4f1c15a0db4f9d1671800e4767026",
}
"""SHA-256 of the sources of published keys: contracts that were deployed are compared with them."""


@pytest.mark.parametrize("name", SOURCES)
def test_published_sources_stay(name):
    """The source of a key is the same, byte for byte, as long as its contract is this version."""
    keys = kept() if name == "loans-kept" else (published(name),)
    assert hashlib.sha256(contract_of(*keys).source).hexdigest() == SOURCES[name]


def test_a_key_has_one_source():
    """The same key gives the same bytes, and another key others; the name of the file is none of the source's."""
    made = [contract_of(published(name)) for name in (*PUBLISHED, *PUBLISHED)]
    assert [one.source for one in made[:4]] == [one.source for one in made[4:]]
    assert len({one.source for one in made}) == 4
    assert contract_of(published("loans"), source_file="Other.sol").source == made[0].source


def test_gamma_and_g_are_compared_as_points():
    """Two pairings become one where gamma is the commitment's G, and for no other key: not for its negative either."""
    for secrets, same in (({}, "false"), ({"gamma": 1, "generator": 1}, "true"), ({"gamma": -1008}, "false")):
        source = contract_of(of(Trapdoor(**secrets).key())).source.decode()
        assert f"GAMMA_IS_G = {same};" in source, secrets


def test_the_metadata_name_what_makes_the_code():
    """Key, file, digest, compiler and settings are in one canonical document, read back as strictly as others."""
    key = published("loans")
    contract = contract_of(key, source_file="Loans.sol")
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
    assert {f"`{NAME}.sol`", f"`{KEPT_NAME}.sol`", f"`{CONTRACT_FILE}`"} <= set(re.findall("`[^`\n]+`", page))


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


def test_kept_keys_need_their_key_for_links():
    """One line says what is missing, of other models, or not needed."""
    key, links = kept()
    document = contract_of(key, links).document
    assert (document.name, document.source, document.link_key) == (
        KEPT_NAME, f"{KEPT_NAME}.sol", links.document.fingerprint,
    )  # fmt: skip
    assert contract_of(published("loans")).document.link_key is msgspec.UNSET
    shape = links.document.shape
    others = {
        Reason.LINK_OF_ANOTHER_ARCHITECTURE: changed(shape, architecture=changed(shape.architecture, hidden=(3, 2))),
        Reason.LINK_OF_OTHER_INPUT_BITS: changed(shape, input_bits=shape.input_bits + 1),
    }
    cases = [
        (key, None, Reason.FORM_DIFFERS, "give the key for links"),
        (published("loans"), links, Reason.FORM_DIFFERS, "take no key"),
    ]
    cases += [(*kept(shape=other), reason, "take a key for links of the shape") for reason, other in others.items()]
    words = changed(shape, node_words=True)
    cases.append((*kept(shape=words), Reason.LINK_OF_ANOTHER_ARCHITECTURE, "take a key for links of the shape"))
    for own, of_links, reason, said in cases:
        with pytest.raises(CertificateFormatError, match=said) as caught:
            contract_of(own, of_links)
        assert caught.value.reason == reason


@pytest.mark.parametrize("sigmas", [(7, 7), (7, -7), (7, 1), (-1, 7)])
def test_degenerate_sigmas_have_no_contract(sigmas):
    """sigma-shared, sigma-opposite, sigma-generator: under such a key, certificates of another model are proven."""
    with pytest.raises(CertificateFormatError, match=r"^verifying\.key: ") as caught:
        contract_of(*kept(verifying=KeptTrapdoor(sigmas=sigmas).key()))
    assert caught.value.reason == "degenerate-key"


def test_degenerate_keys_for_links_have_no_contract():
    """A link under such a key is anybody's, and so is a key of 700 bytes no key for links."""
    weak = Trapdoor().key()
    for lie, reason in ((weak[:464] + weak[400:464], "degenerate-key"), (KeptTrapdoor().key(), "wrong-length")):
        with pytest.raises(CertificateFormatError, match=r"^key for links: verifying\.key: ") as caught:
            contract_of(*kept(link_verifying=lie))
        assert caught.value.reason == reason


def test_the_start_is_that_of_every_statement():
    """What the source begins a digest with is the hash of all that stands before the seven numbers."""
    shape = published("loans").document.shape
    statement = Statement(1, 2, 3, 4, 5, 6, 7)
    assert statement.digest(shape) == hash_elements(range(1, 8), start(shape))
