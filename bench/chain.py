"""Gas of the contracts that accept certificates, on a chain in memory.

Gas is that of the execution alone, without the bytes of the call and the 21,000 of a transaction. It is counted, not
timed: every machine counts the same under the same rules.

- single party: the published certificate `loans`, whose key has six pairings;
- ceremony: a key in the form of every ceremony's, in which two pairings are one, from the test vectors.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from bench.harness import BenchError, Progress, machine, nothing
from bench.harness import table as markdown
from equiproof.circuits.field import to_bytes
from equiproof.verifier import parse_certificate
from equiproof.verifier.calldata import VERIFY_PROOF, call_data, points_of
from equiproof.verifier.contract import COMPILER, NAME, SETTINGS, contract_of
from equiproof.verifier.trust import TrustedKey

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "contracts"
LOANS = ROOT / "tests" / "golden" / "loans"
VECTORS = ROOT / "tests" / "vectors"
CEREMONY = "accept/groth16-gamma-and-g-are-the-generator.json"
TARGET = 330_000

Case = tuple[str, str, TrustedKey, bytes]
"""A kind of key, a function, the key, and a call of the function that its contract accepts."""


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
    yield "single party", "verifyProof", key, _call(points, to_bytes(digest))
    yield "single party", "verifyStatement", key, bytes.fromhex(call_data(certificate).call[2:])
    vector = json.loads((VECTORS / CEREMONY).read_text())
    base = json.loads((VECTORS / "base" / f"{vector['base']}.json").read_text())
    ceremony = TrustedKey(key.document, bytes.fromhex(vector["key"]))
    yield (
        "ceremony",
        "verifyProof",
        ceremony,
        _call(points_of(bytes.fromhex(vector["proof"])), bytes.fromhex(base["digest"])),
    )


def _call(points: tuple[bytes, ...], digest: bytes) -> bytes:
    """Return a call of `verifyProof`."""
    return b"".join((VERIFY_PROOF, *points, digest))


def counted(chain: Chain, kind: str, function: str, key: TrustedKey, call: bytes) -> dict[str, Any]:
    """Count the gas of one call and of deploying its contract; raises BenchError for a proof that is not accepted."""
    sources, settings = {NAME: contract_of(key).source.decode()}, msgspec.to_builtins(SETTINGS)
    code = chain.ask("compile", sources=sources, settings=settings)[NAME][NAME]["evm"]
    deployed = chain.ask("deploy", code=code["bytecode"]["object"])
    answer = chain.ask("call", to=deployed["address"], data=call.hex())
    if answer["failed"] is not None:
        raise BenchError(f"chain: {function} under the key of a {kind} does not accept its proof")
    return {
        "case": kind,
        "function": function,
        "gas": answer["gas"],
        "target_gas": TARGET if function == "verifyProof" else None,
        "call_bytes": len(call),
        "code_bytes": len(code["deployedBytecode"]["object"]) // 2,
        "deploy_gas": deployed["gas"],
    }


def run(_data_dir: Path | None = None, progress: Progress = nothing) -> dict[str, Any]:
    """Count every case."""
    results, listed = [], list(cases())
    with running() as chain:
        rules = chain.ask("rules")
        for number, case in enumerate(listed, 1):
            results.append(counted(chain, *case))
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
