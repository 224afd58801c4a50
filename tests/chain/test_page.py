"""docs/chain.md holds what it says: its commands are run, and its caller records what it should and nothing else."""

import json
import re
import shutil
import subprocess
import sys

import pytest

from equiproof.verifier import parse_certificate
from equiproof.verifier.calldata import call_data, points_of
from equiproof.verifier.contract import KEPT_NAME, NAME, contract_of
from equiproof.verifier.link import load_link
from equiproof.verifier.trust import TrustedKey
from scripts.poseidon2_parameters import keccak_256
from tests.chain.chain import DIGEST_OF, FOLDER, GOLDEN, refuse_or_skip
from tests.cli.world import command
from tests.support import ROOT

SOURCE_FILE = f"{NAME}.sol"
PAGE = (ROOT / "docs" / "chain.md").read_text(encoding="utf-8")
KEY = GOLDEN / "loans" / "keys" / "key"
PROOF_TYPE = "(uint256[2],uint256[4],uint256[2],uint256[2],uint256[2])"
RECORD = f"record({PROOF_TYPE},({','.join(['uint256'] * 7)}),uint256,uint256)"


def selector(signature):
    """Return what calls of a function begin with."""
    return keccak_256(signature.encode())[:4]


def words(*numbers):
    """Return numbers as they stand in a call."""
    return b"".join(number.to_bytes(32, "big") for number in numbers)


@pytest.fixture(scope="module")
def certificate():
    """A published certificate."""
    return parse_certificate((GOLDEN / "loans" / "certificate.json").read_bytes(), "certificate.json")


@pytest.fixture(scope="module")
def register(chain, certificate):
    """The page's caller for the model of the certificate, and any radius from the certificate's on."""
    verifier = chain.contract(TrustedKey.read(KEY))
    (caller,) = re.findall(r"^```solidity\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    source = contract_of(TrustedKey.read(KEY)).source.decode()
    made = chain.compiled({SOURCE_FILE: source, "Register.sol": caller})["Register.sol"]["Register"]
    elements = certificate.to_statement().elements()
    model = keccak_256(words(*elements[:3]))
    given = bytes.fromhex(verifier.address[2:]).rjust(32, b"\0") + model + words(elements[5])
    return chain.deployed(made["evm"]["bytecode"]["object"] + given.hex())


def recorded(register, certificate, elements, query=None, context=None):
    """Call the page's caller and return how it failed, or None where it recorded the statement."""
    points = b"".join(points_of(certificate.proof_bytes))
    about = elements[3] if query is None else query, elements[6] if context is None else context
    answer = register.call(selector(RECORD) + points + words(*elements, *about))
    return answer["output"] if answer["failed"] else None


def test_the_caller_records_the_certificate(register, chain, certificate):
    """What was recorded is asked for by the digest, and nothing else was."""
    elements = certificate.to_statement().elements()
    digest = chain.contract(TrustedKey.read(KEY)).call(DIGEST_OF + words(*elements))["output"]
    asked = selector("recorded(uint256)") + bytes.fromhex(digest)
    assert int(register.call(asked)["output"], 16) == 0
    assert recorded(register, certificate, elements) is None
    assert int(register.call(asked)["output"], 16) == 1


@pytest.mark.parametrize(
    ("place", "said"),
    [
        (0, "another model"), (1, "another model"), (2, "another model"), (3, "another applicant"), (4, None),
        (5, "too small a radius"), (6, "another purpose"),
    ],
)  # fmt: skip
def test_the_caller_refuses_other_statements(register, certificate, place, said):
    """Each number that differs is refused by the caller, and one that it leaves to the proof by the contract."""
    elements = certificate.to_statement().elements()
    altered = [*elements[:place], elements[place] - 1 if place == 5 else elements[place] ^ 1, *elements[place + 1 :]]
    failed = bytes.fromhex(recorded(register, certificate, altered, elements[3], elements[6]))
    assert failed[:4] == selector("Refused()") if said is None else said.encode() in failed


def compile_contract(path):
    """Run the page's compiler on a contract's metadata."""
    command = ["node", FOLDER / "compile.mjs", path]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture
def made(tmp_path):
    """A key's folder with its contract, made by the page's command."""
    refuse_or_skip()
    folder = shutil.copytree(KEY, tmp_path / "key")
    assert "equiproof keys solidity keys/KEY\n" in PAGE
    subprocess.run([sys.executable, "-m", "equiproof", "keys", "solidity", folder], check=True, capture_output=True)
    return folder


def test_the_page_compiles_a_contract(made, chain, certificate):
    """Whoever has the key makes the code that stands on the chain, and it accepts what the page exports."""
    assert "node contracts/compile.mjs keys/KEY/contract.json" in PAGE
    done = compile_contract(made / "contract.json")
    assert (done.returncode, done.stderr) == (0, "")
    code = json.loads(done.stdout)
    assert (code["name"], code["key"]) == (NAME, certificate.key.fingerprint)
    names = {entry["name"] for entry in code["abi"]}
    assert names == {"KEY", "Malformed", "Refused", "digestOf", "verifyProof", "verifyStatement"}
    contract = chain.deployed(code["code"])
    assert code["runtime"] in code["code"]
    assert contract.verdict(bytes.fromhex(call_data(certificate).call[2:])) == "accepted"


KEPT_FOLDER = GOLDEN / "loans-kept"


@pytest.mark.slow
def test_the_page_leads_to_a_kept_keys_contract(chain, tmp_path):
    """Its commands make contract and calls; the functions of its table are those that there are; its caller records."""
    (table,) = re.findall(r"^## Kept keys\n(.*?)^## ", PAGE, re.MULTILINE | re.DOTALL)
    keys, made = KEPT_FOLDER / "keys", tmp_path / "contract"
    assert "equiproof keys solidity keys/KEY --link-key keys/LINK-KEY\n" in table
    assert command("keys", "solidity", keys / "key", "--link-key", keys / "link", "--out", made).code == 0
    calls = []
    for name in ("link.json", "certificate.json"):
        assert f"equiproof export calldata {name}\n" in table
        calls.append(bytes.fromhex(command("export", "calldata", KEPT_FOLDER / name).out.strip()[2:]))
    done = compile_contract(made / "contract.json")
    assert (done.returncode, done.stderr) == (0, "")
    code, link = json.loads(done.stdout), load_link(KEPT_FOLDER / "link.json")
    assert (code["name"], code["key"], code["link_key"]) == (KEPT_NAME, link.key, link.link_key.fingerprint)
    names = {entry["name"] for entry in code["abi"] if entry["type"] == "function"}
    rows = re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
    assert set(re.findall(r"`(\w+)`", " ".join(rows))) | {"KEY", "LINK_KEY"} == names
    contract = chain.deployed(code["code"])
    assert [contract.verdict(call) for call in calls[::-1]] == ["no link", "accepted"]
    assert contract.verdict(calls[1]) == "accepted"
    # The page's caller, with the names that it says.
    (caller,) = re.findall(r"^```solidity\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    caller = caller.replace("Verifier.Proof", "Verifier.KeptProof").replace(NAME, KEPT_NAME)
    sources = {f"{KEPT_NAME}.sol": (made / f"{KEPT_NAME}.sol").read_text(), "Register.sol": caller}
    own = chain.compiled(sources)["Register.sol"]["Register"]["evm"]["bytecode"]["object"]
    numbers = calls[1][4:]
    stated = numbers[14 * 32 :]
    given = bytes.fromhex(contract.address[2:]).rjust(32, b"\0") + keccak_256(stated[:96]) + stated[160:192]
    register = chain.deployed(own + given.hex())
    proof = PROOF_TYPE.replace("uint256[2],uint256[2])", "uint256[4],uint256[2])")
    record = selector(f"record({proof},({','.join(['uint256'] * 8)}),uint256,uint256)")
    assert register.call(record + numbers + stated[96:128] + stated[192:224])["failed"] is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        (SOURCE_FILE, ("revert Refused();", ""), "not the source that the metadata names"),
        ("contract.json", ('"compiler":"0.8.37"', '"compiler":"0.8.36"'), "the metadata names 0.8.36"),
        ("contract.json", ('"equiproof-contract"', '"equiproof-key"'), "not the metadata of a contract"),
        ("contract.json", ('"EquiproofVerifier"', '"Other"'), "no contract Other"),
    ],
)
def test_what_does_not_belong_together_is_not_compiled(made, name, change, said):
    """Another source, another compiler and other files are one line."""
    path = made / name
    path.write_text(path.read_text().replace(*change))
    done = compile_contract(made / "contract.json")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert said in done.stderr
