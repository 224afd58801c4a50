"""The binding of ceremonies: three parties make powers and a key, and what a malicious one does is refused by name."""

import re
import struct
from collections.abc import Iterator

import pytest

from equiproof.circuits.shape import traversal_shape
from equiproof.circuits.subcircuit import subcircuit
from equiproof.ffi import backend, ceremony
from equiproof.ffi.errors import MalformedInputError, RefusedError
from equiproof.verifier.curve import read_g1, read_g2
from tests.support import LOANS, ROOT

BEACON = b"drawn in public"
OUTSIDE = 1
"""The x-coordinate of a point that is on the curve of G2, and outside its subgroup."""
CIRCUIT = subcircuit("minimum", traversal_shape(LOANS, (2, 2), 4))
MODULUS = 21888242871839275222246405745257275088696311157297823662689037894645226208583
MONTGOMERY = 1 << 256


@pytest.fixture(scope="module")
def power():
    """The power of the circuit's domain."""
    found, constraints, digest = ceremony.circuit_power(CIRCUIT.document)
    assert 1 << (found - 1) < constraints <= 1 << found
    assert digest == backend.describe(CIRCUIT.document).system_digest
    return found


@pytest.fixture(scope="module")
def powers(power):
    """Checked powers of three parties."""
    last = None
    for _ in range(3):
        step = ceremony.powers_contribute(power, last)
        ceremony.powers_verify(power, last, step)
        last = step
    finished = ceremony.powers_finish(power, last, BEACON)
    ceremony.powers_check(power, finished)
    return finished


@pytest.fixture(scope="module")
def larger(power):
    """Powers of one party, for a domain of twice the size, which is that of the circuit under PLONK."""
    return ceremony.powers_finish(power + 1, ceremony.powers_contribute(power + 1, None), BEACON)


@pytest.fixture(scope="module")
def form(power, powers):
    """Their Lagrange form."""
    made = ceremony.lagrange(power, powers)
    ceremony.lagrange_check(power, powers, made)
    return made


@pytest.fixture(scope="module")
def steps(power, powers, form):
    """The origin of a key, and the steps of three parties."""
    made = [ceremony.key_start(CIRCUIT.document, power, powers, form)]
    for _ in range(3):
        made.append(ceremony.key_contribute(made[-1]))
        ceremony.key_verify(*made[-2:])
    return made


@pytest.fixture(scope="module")
def small():
    """Two steps of the powers of a small domain."""
    first = ceremony.powers_contribute(2, None)
    return first, ceremony.powers_contribute(2, first)


def test_a_key_of_three_parties_proves(power, powers, form, steps):
    """The key is laid out as one of `setup`; a proof under it holds, and under a key of `setup` it does not."""
    keys = ceremony.key_finish(CIRCUIT.document, power, powers, form, steps[-1], BEACON)
    assert keys == ceremony.key_finish(CIRCUIT.document, power, powers, form, steps[-1], BEACON)
    own = backend.setup(CIRCUIT.document)
    assert (keys.description, len(keys.proving)) == (own.description, len(own.proving))
    wires = {segment.name: [0] * len(segment.intervals) for segment in CIRCUIT.segments}
    digest = CIRCUIT.digest(wires).to_bytes(32, "big")
    with backend.ProvingKey(CIRCUIT.document, keys.proving) as key, backend.VerifyingKey(keys.verifying) as verifier:
        proof = key.prove(CIRCUIT.witness(wires))
        verifier.verify(digest, proof)
    with backend.VerifyingKey(own.verifying) as verifier, pytest.raises(RefusedError):
        verifier.verify(digest, proof)


def test_powers_are_those_of_last_step_and_beacon(small):
    """The same two make the same powers, and another beacon makes other ones."""
    _, last = small
    made = ceremony.powers_finish(2, last, BEACON)
    assert made == ceremony.powers_finish(2, last, BEACON) != ceremony.powers_finish(2, last, b"")


def test_powers_are_cut_to_a_smaller_domain(power, larger):
    """What is left is consistent; what is not cut is of another domain."""
    cut = ceremony.powers_cut(power + 1, larger, power)
    ceremony.powers_check(power, cut)
    with pytest.raises(MalformedInputError):
        ceremony.powers_check(power, larger)


def test_reasons_are_the_librarys():
    """The library has one table of reasons, and this is it."""
    table = (ROOT / "go-gnark" / "ceremony" / "refusal.go").read_text()
    assert tuple(re.findall(r'^\t\w+\s+Reason = "([a-z-]+)"', table, re.MULTILINE)) == ceremony.REASONS


def test_refusals_carry_their_reason(power, powers, form, steps, small):
    """One attack for each reason reaches Python as a refusal with it; the Go tests have all."""

    def refused(reason, call, *arguments):
        with pytest.raises(RefusedError) as caught:
            call(*arguments)
        assert caught.value.reason == reason
        assert "\n" not in str(caught.value)

    first, second = small
    refused("challenge", ceremony.powers_verify, 2, None, second)
    refused("challenge", ceremony.key_verify, steps[0], steps[2])
    refused("proof-of-knowledge", ceremony.powers_verify, 2, first, second[96:192] + second[:96] + second[192:])
    # Behind three proofs and the size: beta in G2, then tau in G1, of which two powers change places.
    at = 3 * 96 + 8 + 64
    swapped = second[:at] + second[at + 32 : at + 64] + second[at : at + 32] + second[at + 64 :]
    refused("ratio", ceremony.powers_verify, 2, first, swapped)
    refused("lagrange", ceremony.lagrange_check, power, powers, form[64:128] + form[:64] + form[128:])
    refused("not-rerandomised", ceremony.powers_verify, 2, first, first[:-32] + second[-32:])
    outside = bytes([0x80]) + bytes(62) + bytes([OUTSIDE])
    refused("subgroup", ceremony.powers_verify, 2, first, second[: at - 64] + outside + second[at:])


def test_malformed_bytes_are_no_refusals(power, powers, form, steps, small):
    """Bytes of another length, powers out of bounds and files of another circuit are malformed."""
    first, second = small
    for call in (
        lambda: ceremony.powers_verify(2, first, second[1:]),
        lambda: ceremony.powers_verify(3, first, second),
        lambda: ceremony.powers_contribute(0, None),
        lambda: ceremony.powers_contribute(-1, None),
        lambda: ceremony.powers_contribute(ceremony.MAX_POWER + 1, None),
        lambda: ceremony.powers_contribute(1 << 32, None),
        lambda: ceremony.powers_finish(2, second + b"\x00", BEACON),
        lambda: ceremony.powers_check(power, powers[:-1]),
        lambda: ceremony.powers_cut(power, powers, power + 1),
        lambda: ceremony.lagrange(power + 1, powers),
        lambda: ceremony.lagrange_check(power, powers, form[:-1]),
        lambda: ceremony.key_start(CIRCUIT.document, power - 1, powers, form),
        lambda: ceremony.key_start(b"{}", power, powers, form),
        lambda: ceremony.key_contribute(b""),
        lambda: ceremony.key_verify(steps[0], steps[1][:-1]),
        lambda: ceremony.key_finish(CIRCUIT.document, power, powers, form, steps[0], BEACON),
        lambda: ceremony.srs(power - 1, powers),
        lambda: ceremony.srs(1, ceremony.powers_cut(power, powers, 1)),
    ):
        with pytest.raises(MalformedInputError) as caught:
            call()
        assert "\n" not in str(caught.value)


def test_an_srs_is_cut_from_the_powers(power, powers, larger):
    """Its points stand uncompressed behind their number; the Lagrange form is that of the domain below."""
    """It is what PLONK's set-up takes: the keys are made of nothing else, and prove nothing under other powers."""
    rows = ceremony.circuit_power(CIRCUIT.document, "plonk-bn254")[0]
    assert rows == power + 1
    given = ceremony.srs(rows, larger)
    keys = backend.setup(CIRCUIT.document, "plonk-bn254", given)
    assert keys == backend.setup(CIRCUIT.document, "plonk-bn254", given)
    assert given[8:72] == keys.verifying[-64:]
    with pytest.raises(MalformedInputError, match="powers: "):
        backend.setup(CIRCUIT.document, "plonk-bn254", ceremony.srs(power, powers))


def lists(powers: bytes) -> Iterator[tuple[int, list]]:
    """Yield kind and points of a .ptau file's sections: powers for two elements, read by the check in plain Python."""
    g1, g2 = 32, 64
    generators = [[(1, 2)], [read_g2(GENERATOR, "generator")]]

    def points(at, count, width):
        read = read_g1 if width == g1 else read_g2
        return [read(powers[at + i * width : at + (i + 1) * width], "point") for i in range(count)]

    yield 2, generators[0] + points(8 + g2, 2, g1)
    yield 3, generators[1] + points(8 + g2 + 2 * g1, 1, g2)
    yield 4, points(8 + 2 * g2 + 4 * g1, 2, g1)
    yield 5, points(8 + 2 * g2 + 2 * g1, 2, g1)
    yield 6, points(8, 1, g2)


GENERATOR = bytes.fromhex(
    "998e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2"
    "1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed"
)


def ptau(powers: bytes) -> bytes:
    """Write powers for two elements as a .ptau file."""
    numbers = {1: struct.pack("<I32sII", 32, MODULUS.to_bytes(32, "little"), 1, 28)}
    for kind, found in lists(powers):
        coordinates = [
            int(part) for point in found for value in point[:2] for part in getattr(value, "coeffs", [value])
        ]
        numbers[kind] = b"".join((n * MONTGOMERY % MODULUS).to_bytes(32, "little") for n in coordinates)
    sections = b"".join(struct.pack("<IQ", kind, len(data)) + data for kind, data in numbers.items())
    return b"ptau" + struct.pack("<II", 1, len(numbers)) + sections


def test_a_ptau_file_is_imported(tmp_path):
    """A file that was written from the format's description, by other code for the curve, gives the same powers."""
    powers = ceremony.powers_finish(1, ceremony.powers_contribute(1, None), BEACON)
    path = tmp_path / "powers 1.ptau"
    path.write_bytes(ptau(powers))
    assert ceremony.powers_import(str(path)) == ceremony.powers_import(str(path), 1) == (1, powers)
    with pytest.raises(MalformedInputError, match="cannot be cut"):
        ceremony.powers_import(str(path), 2)
    path.write_bytes(path.read_bytes() + b"\x00")
    with pytest.raises(MalformedInputError, match="extra bytes"):
        ceremony.powers_import(str(path))
    with pytest.raises(MalformedInputError):
        ceremony.powers_import(str(tmp_path / "none.ptau"))
