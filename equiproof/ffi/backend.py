"""The native library as Python functions: bytes in, bytes out, status to exception.

The only module that knows cffi. The library is loaded on first use and must not be used in a process forked after that:
its runtime does not survive a fork, so that is refused instead of hanging. Calls release the interpreter's lock, and
long ones run on a thread of their own, so that Ctrl-C is heard at once.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from equiproof.ffi.errors import BackendError, MalformedInputError, RefusedError, UnsatisfiedError

T = TypeVar("T")

Refusal = RefusedError | MalformedInputError
"""What a proof that does not verify gives."""

GROTH16 = "groth16-bn254"
"""The proof system where none is named. The library knows the names of the others."""

_BATCH = 1024
"""How many proofs one call checks: that bounds what is copied, and how long Ctrl-C waits."""

_BINDINGS = ("equiproof.ffi._native", "equiproof_native._native")
_CHECKOUT = (Path(__file__).parents[2] / "requirements").is_dir()
"""Whether this is a checkout, which has the folder of pins and can build the library."""

_READY, _REMEDY = ("built", "run `make build`") if _CHECKOUT else ("installed", "pip install 'equiproof[native]'")

_state = {"loaded_in": 0}


@dataclass(frozen=True)
class Description:
    """What the library reports about a compiled circuit.

    `layout` lists (name, length) of the private wires, `widths` (place, bits) of the largest integer that may occur,
    `parts` (part, constraints) of what they are for: the gadgets, and what is shared. The parts add up to all of them.
    """

    constraints: int
    system_digest: str
    layout: tuple[tuple[str, int], ...]
    widths: tuple[tuple[str, int], ...]
    parts: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Keys:
    """A fresh pair of keys as bytes, and what they belong to."""

    description: Description
    verifying: bytes
    proving: bytes


def available() -> bool:
    """Say whether the native library can be used in this process."""
    try:
        _library()
    except BackendError:
        return False
    return os.getpid() == _state["loaded_in"]


def describe(document: bytes, proof_system: str = GROTH16) -> Description:
    """Compile a circuit and describe its constraint system under a proof system.

    `document` is a shape's, for the whole relation, or a sub-circuit's. Raises MalformedInputError for one that has no
    constraint system.
    """
    return _description(_interruptible(lambda: _call("ep_describe", *_name(proof_system), *_buffer(document))))


def setup(document: bytes, proof_system: str = GROTH16, powers: bytes = b"") -> Keys:
    """Make the keys of a circuit; whoever runs this could forge proofs under them. Raises as :func:`describe`.

    `powers` are those that others made, for a proof system whose keys follow from such: then nobody here could forge.
    They are checked first; wrong ones raise MalformedInputError.
    """
    arguments = (*_name(proof_system), *_buffer(document), *_buffer(powers))
    text, verifying, proving = _frames(_interruptible(lambda: _call("ep_setup", *arguments)))
    return Keys(_description(text), verifying, proving)


def check(document: bytes, witness: bytes, proof_system: str = GROTH16) -> None:
    """Return if a witness satisfies a circuit; raises as :meth:`Checker.check`. No key is needed."""
    with Checker(document, proof_system) as checker:
        checker.check(witness)


class _Handle:
    """A value that lives in the library until closed."""

    def __init__(self, load: Callable[[Any], bytes]) -> None:
        slot = _library().ffi.new("uint64_t *")
        self.head = load(slot)
        self._handle = int(slot[0])

    @property
    def handle(self) -> int:
        """The number by which the library knows the value, 0 once it is closed."""
        return self._handle

    def close(self) -> None:
        """Free the value; closing twice is harmless."""
        if self._handle:
            # Forgotten before it is freed: a call that fails must not be followed by a second one.
            handle, self._handle = self._handle, 0
            _call("ep_free", handle)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


class Checker(_Handle):
    """A compiled circuit without keys, which says of witnesses whether they satisfy it."""

    def __init__(self, document: bytes, proof_system: str = GROTH16) -> None:
        arguments = (*_name(proof_system), *_buffer(document))
        super().__init__(lambda slot: _interruptible(lambda: _call("ep_checker_load", *arguments, slot)))

    def check(self, witness: bytes) -> None:
        """Return if the witness satisfies the circuit.

        Raises UnsatisfiedError for a witness that breaks a rule, MalformedInputError for bytes that are no witness of
        this circuit.
        """
        _interruptible(lambda: _call("ep_check", self._handle, *_buffer(witness)))

    def check_kept(self, witness: bytes, first: bytes) -> None:
        """Return if the witness satisfies the circuit of a kept model; raises as :meth:`check`.

        `first` is the challenge of the first commitment, a field element in 32 big-endian bytes. It follows from the
        model's point under a key, and what the witness shows of the model from it.
        """
        _interruptible(lambda: _call("ep_check_kept", self._handle, *_buffer(witness), *_buffer(first)))


class ProvingKey(_Handle):
    """A loaded proving key. The caller vouches for the key's bytes by their digest: reading does not."""

    def __init__(self, document: bytes, key: bytes, proof_system: str = GROTH16) -> None:
        arguments = (*_name(proof_system), *_buffer(document), *_buffer(key))
        super().__init__(lambda slot: _interruptible(lambda: _call("ep_prover_load", *arguments, slot)))

    @property
    def system_digest(self) -> str:
        """The digest, in hexadecimal, of the constraint system that was compiled from the document."""
        return self.head.hex()

    def prove(self, witness: bytes) -> bytes:
        """Make a proof; raises UnsatisfiedError for a witness that breaks a rule, MalformedInputError for bad bytes."""
        return _interruptible(lambda: _call("ep_prove", self._handle, *_buffer(witness)))

    def point(self, words: bytes, mask: bytes) -> bytes:
        """Return the compressed point of a kept model under this key, which is in all its proofs.

        `words` are the model's words and behind them the model commitment, 32 big-endian bytes each; so is `mask`, a
        field element that only the owner knows. Raises MalformedInputError for other words than those of the circuit.
        """
        return _interruptible(lambda: _call("ep_point", self._handle, *_buffer(words), *_buffer(mask)))

    def prove_kept(self, witness: bytes, mask: bytes) -> bytes:
        """Make a proof about a kept model, with the mask of its point; raises as :meth:`prove`."""
        return _interruptible(lambda: _call("ep_prove_kept", self._handle, *_buffer(witness), *_buffer(mask)))


class VerifyingKey(_Handle):
    """A loaded verifying key; degenerate keys are refused with MalformedInputError."""

    def __init__(self, key: bytes, proof_system: str = GROTH16) -> None:
        super().__init__(lambda slot: _call("ep_verifier_load", *_name(proof_system), *_buffer(key), slot))

    def verify(self, digest: bytes, proof: bytes) -> None:
        """Return if the proof holds for the statement digest.

        Raises RefusedError if it does not, MalformedInputError for bytes that are no proof.
        """
        _call("ep_verify", self._handle, *_buffer(digest), *_buffer(proof))

    def verify_many(self, digests: Sequence[bytes], proofs: Sequence[bytes], threads: int = 0) -> list[Refusal | None]:
        """Check many proofs at once, on at most `threads` threads (0: one per core), far faster than one by one.

        Returns for each proof None if it holds for the digest at its place, or the error that :meth:`verify` raises
        for it. A bad proof among good ones is found by random linear combinations; one passes with probability 2^-128.
        """
        verdicts: list[Refusal | None] = []
        claims = list(zip(digests, proofs, strict=True))
        for at in range(0, len(claims), _BATCH):
            framed = b"".join(_frame(part) for claim in claims[at : at + _BATCH] for part in claim)
            call = partial(_call, "ep_verify_many", self._handle, threads, *_buffer(framed))
            verdicts += [_verdict(frame) for frame in _frames(_interruptible(call))]
        # A missing verdict would shift all others by one place.
        if len(verdicts) != len(claims):
            raise BackendError(f"the native library left {len(verdicts)} verdicts on {len(claims)} proofs")
        return verdicts


class KeptVerifyingKey(_Handle):
    """A loaded verifying key of kept models, which checks nothing but beside a link."""

    def __init__(self, key: bytes) -> None:
        super().__init__(lambda slot: _call("ep_kept_load", *_buffer(key), slot))

    def open(self, links: VerifyingKey, point: bytes, shown: bytes, proof: bytes, parts: bytes) -> LinkedVerifyingKey:
        """Check a link under the key of links, and return what checks certificates beside it.

        `point` is that of the kept model, compressed, and `shown` what certificates show of it; `parts` are the other
        parts of what a link proves, 32 big-endian bytes each: the digest of the link's shape, the model commitment, the
        spec digest and the certificate key's element. Raises RefusedError unless the link holds, MalformedInputError
        for malformed bytes.
        """
        return LinkedVerifyingKey(self, links, point, shown, proof, parts)


class LinkedVerifyingKey(VerifyingKey):
    """A verifying key beside a link that holds. Only :meth:`KeptVerifyingKey.open` makes one."""

    def __init__(
        self, kept: KeptVerifyingKey, links: VerifyingKey, point: bytes, shown: bytes, proof: bytes, parts: bytes
    ) -> None:
        handles = (kept.handle, links.handle)
        buffers = [argument for data in (point, shown, proof, parts) for argument in _buffer(data)]
        _Handle.__init__(self, lambda slot: _call("ep_kept_open", *handles, *buffers, slot))


@cache
def _library() -> Any:
    """Load the native module once per process."""
    native = _binding()
    _state["loaded_in"] = os.getpid()
    # Before any other call: with another layout of arguments the first one could write anywhere.
    version = native.lib.ep_abi_version()
    if version != native.lib.EP_ABI_VERSION:
        raise BackendError(f"the native library has ABI {version}, want {native.lib.EP_ABI_VERSION}: {_REMEDY}")
    return native


def _binding() -> Any:
    """Import the binding: the one that `make build` left here, or that of the wheel equiproof-native."""
    for name in _BINDINGS:
        try:
            return import_module(name)
        except ImportError as error:
            # Absent is only the module itself or its package; one that fails for what it imports is broken.
            absent = isinstance(error, ModuleNotFoundError) and error.name in (name, name.partition(".")[0])
            if not absent:
                raise BackendError(f"the native library cannot be loaded: {_REMEDY} ({error})") from None
    raise BackendError(f"the native library is not {_READY}: {_REMEDY}")


def _call(name: str, *arguments: Any) -> bytes:
    """Call an exported function and turn its status into bytes or an exception."""
    native = _library()
    if os.getpid() != _state["loaded_in"]:
        raise BackendError("start workers by spawn: the native library was loaded before this process was forked")
    out = native.ffi.new("ep_buffer *")
    status = getattr(native.lib, name)(*arguments, out)
    try:
        # A copy: the library's memory is freed in the end, whatever happens here.
        data = bytes(native.ffi.buffer(out.data, out.length)) if out.length else b""
    finally:
        native.lib.ep_buffer_free(out)
    if status == native.lib.EP_OK:
        return data
    raise _error(status, data)


def _error(status: int, data: bytes) -> RefusedError | BackendError:
    """Return the exception of a status and of what came with it."""
    lib = _library().lib
    reason, _, message = (part.decode("utf-8", "replace") for part in data.rpartition(b"\x00"))
    if status == lib.EP_REFUSED:
        return RefusedError(message, reason)
    if status == lib.EP_INVALID:
        return MalformedInputError(message, reason)
    return (UnsatisfiedError if status == lib.EP_UNSATISFIED else BackendError)(message)


def _verdict(frame: bytes) -> Refusal | None:
    """Return the error of one proof among many; raises BackendError for any but those that a proof can have."""
    if frame[0] == _library().lib.EP_OK:
        return None
    error = _error(frame[0], frame[1:])
    if isinstance(error, RefusedError | MalformedInputError):
        return error
    raise error


def _buffer(data: bytes) -> tuple[Any, int]:
    """Return a pointer to the bytes and their length, as the ABI takes them."""
    return _library().ffi.from_buffer("uint8_t[]", data), len(data)


def _name(proof_system: str) -> tuple[Any, int]:
    """Return a proof system's name as the ABI takes it."""
    return _buffer(proof_system.encode())


def _interruptible(call: Callable[[], T]) -> T:
    """Run a long native call on its own thread and wait so that KeyboardInterrupt is raised at once."""
    outcome: list[T] = []
    failure: list[BaseException] = []
    done = threading.Event()

    def run() -> None:
        try:
            outcome.append(call())
        except BaseException as error:  # noqa: BLE001  # handed over and raised on the caller's thread
            failure.append(error)
        finally:
            done.set()

    threading.Thread(target=run, daemon=True).start()
    # A signal may be taken by a thread of the library's: looking up now and then, this one hears of it all the same.
    while not done.wait(0.1):
        pass
    if failure:
        raise failure[0]
    return outcome[0]


def _frame(part: bytes) -> bytes:
    """Return a byte string behind its length in eight big-endian bytes."""
    data = bytes(memoryview(part))
    return len(data).to_bytes(8, "big") + data


def _frames(data: bytes) -> list[bytes]:
    """Split byte strings that each stand behind their length in eight big-endian bytes."""
    parts = []
    while data:
        length = int.from_bytes(data[:8], "big")
        parts.append(data[8 : 8 + length])
        data = data[8 + length :]
    return parts


def _description(text: bytes) -> Description:
    """Read the library's JSON description."""
    document = json.loads(text)
    segments = tuple((segment["name"], segment["length"]) for segment in document["layout"])
    widths = tuple((width["where"], width["bits"]) for width in document["widths"])
    parts = tuple((part["part"], part["constraints"]) for part in document["parts"])
    return Description(document["constraints"], document["system_digest"], segments, widths, parts)
