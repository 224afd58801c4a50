"""Contracts on a chain in memory: `contracts/machine.mjs` in one Node process; `make web` brings what it needs."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable
from functools import cache
from typing import Any

import msgspec

from equiproof.circuits.field import to_bytes
from equiproof.verifier.calldata import VERIFY_PROOF, VERIFY_STATEMENT
from equiproof.verifier.contract import SETTINGS, contract_of, name_of
from equiproof.verifier.trust import TrustedKey, TrustedLinkKey
from tests import node
from tests.support import ROOT, changed

FOLDER = ROOT / "contracts"
GOLDEN = ROOT / "tests" / "golden"

DIGEST_OF = bytes.fromhex("acab6a3c")
ERRORS = {"": "malformed", "07b6ad3f": "malformed", "8ac5ff0b": "refused", "0fb67a93": "no link"}
"""What a contract reverts with: of a call that is too short, the compiler's own code says nothing."""

PLENTY = 10_000_000


def lacking() -> str | None:
    """Return the first thing that is not there, None when all is."""
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            return f"no {program}"
    return None if (FOLDER / "node_modules" / ".installed").is_file() else "no packages in contracts/node_modules"


def refuse_or_skip() -> None:
    """Skip where contracts cannot be run; in CI, where they must be, fail."""
    node.refuse_or_skip(lacking(), "web")


@cache
def key_of(verifying: bytes) -> TrustedKey:
    """Return a key of these bytes, with the metadata of a published one beside them."""
    document = TrustedKey.read(GOLDEN / "loans" / "keys" / "key").document
    return TrustedKey(changed(document, verifying_key=hashlib.sha256(verifying).hexdigest()), verifying)


def call_of(points: Iterable[bytes], digest: int | bytes) -> bytes:
    """Return a call of `verifyProof`."""
    return VERIFY_PROOF + b"".join(points) + (to_bytes(digest) if isinstance(digest, int) else digest)


def statement_call(points: Iterable[bytes], elements: list[int]) -> bytes:
    """Return a call of `verifyStatement`."""
    return VERIFY_STATEMENT + b"".join(points) + b"".join(element.to_bytes(32, "big") for element in elements)


class Chain(node.Driver):
    """A chain in a process of its own, without the contracts at the addresses of `absent`."""

    def __init__(self, *absent: str) -> None:
        super().__init__(FOLDER / "machine.mjs", *absent)
        self._codes: dict[Any, str] = {}
        self._contracts: dict[Any, Contract] = {}

    def value(self, command: str, **words: Any) -> Any:
        """Return the answer to a command that cannot fail."""
        answer = self.ask(command, **words)
        assert "value" in answer, answer
        return answer["value"]

    def compiled(self, sources: dict[str, str]) -> dict[str, Any]:
        """Return what the compiler makes of sources, by file and by contract."""
        return self.value("compile", sources=sources, settings=msgspec.to_builtins(SETTINGS))

    def contract(self, key: TrustedKey, *changes: tuple[str, str], link_key: TrustedLinkKey | None = None) -> Contract:
        """Return a key's contract; in its source, each first text of `changes` stands once and is replaced.

        It is compiled and deployed once, but that of a kept key anew for each call, as it keeps links. Raises as
        :func:`contract_of`.
        """
        wanted = key.document.fingerprint, None if link_key is None else link_key.document.fingerprint, changes
        if wanted not in self._codes:
            self._codes[wanted] = self.code(key, *changes, link_key=link_key)
        if link_key is not None:
            return self.deployed(self._codes[wanted])
        if wanted not in self._contracts:
            self._contracts[wanted] = self.deployed(self._codes[wanted])
        return self._contracts[wanted]

    def code(self, key: TrustedKey, *changes: tuple[str, str], link_key: TrustedLinkKey | None = None) -> str:
        """Return the code that deploys a key's contract, in hexadecimal digits."""
        source, name = contract_of(key, link_key).source.decode(), name_of(key)
        for old, new in changes:
            assert source.count(old) == 1, old
            source = source.replace(old, new)
        return self.compiled({name: source})[name][name]["evm"]["bytecode"]["object"]

    def deployed(self, code: str) -> Contract:
        """Deploy code, in hexadecimal digits."""
        return Contract(self, self.value("deploy", code=code)["address"])


class Contract:
    """A contract on the chain."""

    def __init__(self, chain: Chain, address: str) -> None:
        self._chain = chain
        self.address = address

    def call(self, data: bytes, gas: int = PLENTY) -> dict[str, Any]:
        """Call it: the gas that the execution takes, what it returns, and how it failed."""
        return self._chain.value("call", to=self.address, data=data.hex(), gas=gas)

    def verdict(self, data: bytes) -> str:
        """Return what it says of a check."""
        answer = self.call(data)
        if answer["failed"] is None:
            assert answer["output"] == ""
            return "accepted"
        assert answer["failed"] == "revert", answer
        return ERRORS[answer["output"]]
