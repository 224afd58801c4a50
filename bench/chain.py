"""Gas of the contracts that accept certificates, on a chain in memory.

Gas is that of the execution alone, without the bytes of the call and the 21,000 of a transaction. It is counted, not
timed: every machine counts the same under the same rules.

- single party: the published certificate `loans`, whose key has six pairings;
- ceremony: a key in the form of every ceremony's, in which two pairings are one, from the test vectors;
- kept: the published certificate `loans-kept` of a single party's keys, whose link is registered before it is verified.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from bench.harness import BenchError, Progress, machine, nothing
from bench.harness import table as markdown
from equiproof.circuits.field import to_bytes
from equiproof.circuits.poseidon2 import hash_elements
from equiproof.circuits.statement import start
from equiproof.verifier import parse_certificate
from equiproof.verifier.calldata import VERIFY_KEPT_PROOF, VERIFY_PROOF, call_data, link_call_data, points_of
from equiproof.verifier.contract import COMPILER, SETTINGS, contract_of, name_of
from equiproof.verifier.link import LINK_FILE, load_link
from equiproof.verifier.trust import TrustedKey, TrustedLinkKey

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "contracts"
LOANS = ROOT / "tests" / "golden" / "loans"
KEPT = ROOT / "tests" / "golden" / "loans-kept"
VECTORS = ROOT / "tests" / "vectors"
CEREMONY = "accept/groth16-gamma-and-g-are-the-generator.json"
TARGET = 330_000


@dataclass(frozen=True)
class Case:
    """A call of a function that the contract of a key, of a kind, accepts after the call `before`, if there is one."""

    kind: str
    function: str
    key: TrustedKey
    call: bytes
    link_key: TrustedLinkKey | None = None
    before: bytes | None = None


class Chain:
    """A chain that is running; every answer is to a command that must succeed."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def ask(self, command: str, **words: Any) -> Any:
        """Return the value of an answer; raises BenchError for an error."""
        assert self._process.stdin is not None  # noqa: S101  # opened with pipes
        assert self._process.stdout is not None  # noqa: S101
        self._process.stdin.write(json.dumps({"command": command, **words}) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        if "error" in answer:
            raise BenchError(f"chain: {answer['error']}")
        return answer["value"]


@contextmanager
def running() -> Iterator[Chain]:
    """Run a chain while the block does; raises BenchError where there is no Node, or no packages for it."""
    program = shutil.which("node")
    if program is None or not (PACKAGE / "node_modules").is_dir():
        raise BenchError("chain: no node, or no packages in contracts/node_modules: call `make web`")
    command = [program, str(PACKAGE / "machine.mjs")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield Chain(process)


def cases() -> Iterator[Case]:
    """Yield every call that is counted."""
    key = TrustedKey.read(LOANS / "keys" / "key")
    certificate = parse_certificate((LOANS / "certificate.json").read_bytes(), "certificate.json")
    points, statement = points_of(certificate.proof_bytes), certificate.to_statement()
    digest = statement.digest(key.document.shape)
    yield Case("single party", "verifyProof", key, _call(points, to_bytes(digest)))
    yield Case("single party", "verifyStatement", key, bytes.fromhex(call_data(certificate).call[2:]))
    vector = json.loads((VECTORS / CEREMONY).read_text())
    base = json.loads((VECTORS / "base" / f"{vector['base']}.json").read_text())
    ceremony = TrustedKey(key.document, bytes.fromhex(vector["key"]))
    call = _call(points_of(bytes.fromhex(vector["proof"])), bytes.fromhex(base["digest"]))
    yield Case("ceremony", "verifyProof", ceremony, call)
    yield from kept()


def kept() -> Iterator[Case]:
    """Yield the calls of a kept key's contract."""
    key, link_key = TrustedKey.read(KEPT / "keys" / "key"), TrustedLinkKey.read(KEPT / "keys" / "link")
    register = bytes.fromhex(link_call_data(load_link(KEPT / LINK_FILE)).call[2:])
    yield Case("kept", "register", key, register, link_key)
    certificate = parse_certificate((KEPT / "certificate.json").read_bytes(), "certificate.json")
    *stated, shown = certificate.to_statement().elements()
    head = hash_elements(stated, start(key.document.shape))
    numbers = (*points_of(certificate.proof_bytes, 2), *map(to_bytes, (*stated[:2], shown, head)))
    yield Case("kept", "verifyProof", key, b"".join((VERIFY_KEPT_PROOF, *numbers)), link_key, register)
    call = bytes.fromhex(call_data(certificate).call[2:])
    yield Case("kept", "verifyStatement", key, call, link_key, register)


def _call(points: tuple[bytes, ...], digest: bytes) -> bytes:
    """Return a call of `verifyProof`."""
    return b"".join((VERIFY_PROOF, *points, digest))


def called(chain: Chain, case: Case, to: str, data: bytes) -> int:
    """Return the gas of a call; raises BenchError for one that fails."""
    answer = chain.ask("call", to=to, data=data.hex())
    if answer["failed"] is not None:
        raise BenchError(f"chain: {case.function}, {case.kind}: the contract does not accept the proof")
    gas: int = answer["gas"]
    return gas


def counted(chain: Chain, case: Case) -> dict[str, Any]:
    """Count the gas of one call and of deploying its contract; raises as :func:`called`."""
    name = name_of(case.key)
    sources, settings = {name: contract_of(case.key, case.link_key).source.decode()}, msgspec.to_builtins(SETTINGS)
    code = chain.ask("compile", sources=sources, settings=settings)[name][name]["evm"]
    deployed = chain.ask("deploy", code=code["bytecode"]["object"])
    if case.before is not None:
        called(chain, case, deployed["address"], case.before)
    gas = called(chain, case, deployed["address"], case.call)
    return {
        "case": case.kind,
        "function": case.function,
        "gas": gas,
        "target_gas": TARGET if case.function == "verifyProof" else None,
        "call_bytes": len(case.call),
        "code_bytes": len(code["deployedBytecode"]["object"]) // 2,
        "deploy_gas": deployed["gas"],
    }


def run(_data_dir: Path | None = None, progress: Progress = nothing) -> dict[str, Any]:
    """Count every case."""
    results, listed = [], list(cases())
    with running() as chain:
        rules = chain.ask("rules")
        for number, case in enumerate(listed, 1):
            results.append(counted(chain, case))
            progress(number, len(listed))
    return {"suite": "chain", "results": results, "rules": rules, "compiler": COMPILER, "machine": machine()}


def table(found: Mapping[str, Any]) -> str:
    """Write one line per case, and the rules that gas is counted by."""
    rows = [
        (
            *(row["case"], f"`{row['function']}`", f"{row['gas']:,}"),
            f"{row['target_gas']:,}" if row["target_gas"] else "",
            *(f"{row[name]:,}" for name in ("call_bytes", "code_bytes", "deploy_gas")),
        )
        for row in found["results"]
    ]
    head = ("key", "function", "gas", "target", "bytes of the call", "bytes of the code", "gas to deploy")
    return f"Rules `{found['rules']}`, solc {found['compiler']}.\n\n{markdown(head, rows)}"
