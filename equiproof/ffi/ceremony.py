"""Powers of tau and keys that several parties make in steps: bytes in, bytes out, over the native library.

A step is what one party hands on. It is malformed (MalformedInputError) or refused (RefusedError, whose `reason` is one
of REASONS) or sound; a key is sound if one of its parties deleted its randomness. Powers are for a domain of 2^power
elements. Steps are of the protocol of Bowe, Gabizon and Miers (eprint 2017/1050) as gnark writes them.
"""

from __future__ import annotations

import os

from equiproof.ffi.backend import GROTH16, Keys, _buffer, _call, _description, _frames, _interruptible, describe

# Names of why something well formed is refused, as in go-gnark/ceremony/refusal.go.
REASONS = ("proof-of-knowledge", "ratio", "subgroup", "not-rerandomised", "related-secrets", "challenge", "lagrange")

# The bounds of `power`: from the smallest domain with a ratio to what fits the memory of a large machine.
MIN_POWER = 1
MAX_POWER = 23


def powers_contribute(power: int, previous: bytes | None) -> bytes:
    """Return the step after `previous` (None: after the start, which holds no secret), made with fresh randomness.

    Raises RefusedError (subgroup, challenge) and MalformedInputError for a previous step that is not one.
    """
    return _long("ep_powers_contribute", _number(power), *_buffer(previous or b""))


def powers_verify(power: int, previous: bytes | None, step: bytes) -> None:
    """Return if a step follows `previous`, which was verified before (None: the start).

    Raises RefusedError with its reason, MalformedInputError for bytes that are no step of this power.
    """
    _long("ep_powers_verify", _number(power), *_buffer(previous or b""), *_buffer(step))


def powers_finish(power: int, last: bytes, beacon: bytes) -> bytes:
    """Return the powers after the last step and the beacon; the step was verified, anybody gets the same bytes.

    Raises as :func:`powers_contribute`.
    """
    return _long("ep_powers_finish", _number(power), *_buffer(last), *_buffer(beacon))


def powers_import(path: str, power: int | None = None) -> tuple[int, bytes]:
    """Return power and powers of a .ptau file, or those for 2^`power` of a larger one; they are checked completely.

    Raises RefusedError; MalformedInputError, also for a file that cannot be read.
    """
    own_power, powers = _frames(_long("ep_powers_import", *_buffer(os.fsencode(path)), _number(power or 0)))
    return int.from_bytes(own_power, "big"), powers


def powers_check(power: int, powers: bytes) -> None:
    """Return if every point of the powers is in its subgroup and they are powers of one tau, times one alpha and beta.

    That somebody contributed to them cannot be seen. Raises RefusedError (subgroup, ratio, not-rerandomised for a tau,
    alpha or beta that everybody knows), MalformedInputError.
    """
    _long("ep_powers_check", _number(power), *_buffer(powers))


def powers_cut(power: int, powers: bytes, to: int) -> bytes:
    """Return the first of checked powers, for a domain of 2^`to` elements; raises MalformedInputError, RefusedError."""
    return _long("ep_powers_cut", _number(power), *_buffer(powers), _number(to))


def lagrange(power: int, powers: bytes) -> bytes:
    """Return the Lagrange form of checked powers, which takes long; raises MalformedInputError, RefusedError."""
    return _long("ep_lagrange", _number(power), *_buffer(powers))


def lagrange_check(power: int, powers: bytes, form: bytes) -> None:
    """Return if `form` is the Lagrange form of checked powers, by a random linear combination.

    Raises RefusedError (lagrange, subgroup), MalformedInputError.
    """
    _long("ep_lagrange_check", _number(power), *_buffer(powers), *_buffer(form))


def circuit_power(document: bytes, proof_system: str = GROTH16) -> tuple[int, int, str]:
    """Return the power of a circuit's domain, the number of its constraints, and its system digest in hexadecimal.

    Under PLONK the domain has a row for the public input too. `document` and errors are those of
    :func:`equiproof.ffi.backend.describe`.
    """
    description = describe(document, proof_system)
    rows = description.constraints + (proof_system != GROTH16)
    return max(MIN_POWER, (rows - 1).bit_length()), description.constraints, description.system_digest


def key_start(document: bytes, power: int, powers: bytes, form: bytes) -> bytes:
    """Return the origin of a circuit's key: its only secrets are those of the powers, and anybody gets the same bytes.

    Powers and Lagrange form were checked, and are those of the circuit's own power. Raises RefusedError (subgroup);
    MalformedInputError, also for a circuit that leaves a wire to the prover.
    """
    return _long("ep_key_start", *_buffer(document), _number(power), *_buffer(powers), *_buffer(form))


def key_contribute(previous: bytes) -> bytes:
    """Return the step after `previous`, an origin or a step, made with fresh randomness.

    Raises RefusedError (subgroup), MalformedInputError.
    """
    return _long("ep_key_contribute", *_buffer(previous))


def key_verify(previous: bytes, step: bytes) -> None:
    """Return if a step follows `previous`, which was verified before or is the origin.

    Raises RefusedError with its reason, MalformedInputError for bytes that are no step of the same circuit.
    """
    _long("ep_key_verify", *_buffer(previous), *_buffer(step))


def key_finish(document: bytes, power: int, powers: bytes, form: bytes, last: bytes, beacon: bytes) -> Keys:
    """Return the keys of a circuit after the last step and the beacon, as `setup` writes them.

    Powers, form and steps were checked; anybody gets the same bytes. Raises as :func:`key_start`, and
    MalformedInputError for a step of another circuit.
    """
    answer = _long(
        "ep_key_finish",
        *(*_buffer(document), _number(power), *_buffer(powers), *_buffer(form), *_buffer(last), *_buffer(beacon)),
    )
    text, verifying, proving = _frames(answer)
    return Keys(_description(text), verifying, proving)


def srs(power: int, powers: bytes) -> bytes:
    """Return checked powers as :func:`equiproof.ffi.backend.setup` takes them, for PLONK over a domain of 2^power.

    Of 2^(power+1) - 1 powers it takes 2^power + 3, so that `power` is at least 2. Raises MalformedInputError,
    RefusedError.
    """
    return _long("ep_srs", _number(power), *_buffer(powers))


def _long(name: str, *arguments: object) -> bytes:
    """Call a function of the library that may take long."""
    return _interruptible(lambda: _call(name, *arguments))


def _number(number: int) -> int:
    """Return a number as the ABI takes it, which refuses 0 and 2^32 - 1 everywhere."""
    return number if 0 <= number < 1 << 32 else (1 << 32) - 1
