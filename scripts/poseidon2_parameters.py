"""Choose Poseidon2's numbers of rounds and derive its round keys; writes circuits/poseidon2_constants.py.

The inequalities are those of the designers (https://eprint.iacr.org/2019/458 section 5.5, kept by
https://eprint.iacr.org/2023/323 section 7, with the addition of https://eprint.iacr.org/2023/537), at 128 bits. The
cheapest rounds that hold them get the designers' margin: two full rounds, and 7.5 % more partial ones.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from pathlib import Path

from equiproof.circuits.field import ORDER

WIDTH, DEGREE, SECURITY = 2, 5, 128

TABLE = Path(__file__).resolve().parent.parent / "equiproof" / "circuits" / "poseidon2_constants.py"

_MASK = (1 << 64) - 1
_RATE = 136  # bytes that Keccak-256 absorbs at once


def least_full(partial: int) -> dict[str, float]:
    """Return for each attack the full rounds that it needs beside so many partial ones."""
    bits, digits = math.log2(ORDER), math.log(2, DEGREE)
    known = min(SECURITY, bits)
    halves = min(SECURITY / (WIDTH + 1), bits / 2)
    statistical = 6 if math.floor(bits - (DEGREE - 1) / 2) * (WIDTH + 1) >= SECURITY else 10
    return {
        "statistical": statistical,
        "interpolation": 1 + math.ceil(digits * known) + math.ceil(math.log(WIDTH, DEGREE)) - partial,
        "groebner, all rounds": digits * known - partial,
        "groebner, half the state": WIDTH - 1 + digits * halves - partial,
        "groebner, partial rounds": (WIDTH - 2 + SECURITY / (2 * math.log2(DEGREE)) - partial) / (WIDTH - 1),
    }


def groebner_bits(full: int, partial: int) -> int:
    """Return the bits of work of the attack of eprint 2023/537, whose equations skip a third of the state."""
    skipped = WIDTH // 3
    under = skipped * (full // 2) + partial + DEGREE
    return math.ceil(2 * math.log2(math.comb((full - 1) * WIDTH + partial + skipped + under, under)))


def resists(full: int, partial: int) -> bool:
    """Tell whether so many full and partial rounds hold every inequality."""
    return full >= max(least_full(partial).values()) and groebner_bits(full, partial) >= SECURITY


def cheapest() -> tuple[int, int]:
    """Return the full and partial rounds with the fewest S-boxes that hold every inequality, without a margin."""
    pairs = [(full, partial) for full in range(2, 40, 2) for partial in range(1, 120) if resists(full, partial)]
    return min(pairs, key=lambda pair: (WIDTH * pair[0] + pair[1], pair[0]))


def with_margin(full: int, partial: int) -> tuple[int, int]:
    """Return rounds with the designers' margin."""
    return full + 2, math.ceil(partial * 1.075)


def round_keys(full: int, partial: int) -> list[tuple[int, ...]]:
    """Derive the round keys: `WIDTH` for a full round, one for a partial one, half of the full rounds first."""
    chain = _chain(f"Poseidon2-BN254[t={WIDTH},rF={full},rP={partial},d={DEGREE}]".encode("ascii"))
    sizes = [WIDTH] * (full // 2) + [1] * partial + [WIDTH] * (full // 2)
    return [tuple(next(chain) for _ in range(size)) for size in sizes]


def _chain(seed: bytes) -> Iterator[int]:
    """Yield Keccak-256 of Keccak-256 of the seed, and so on, each modulo the order."""
    digest = keccak_256(seed)
    while True:
        digest = keccak_256(digest)
        yield int.from_bytes(digest, "big") % ORDER


def keccak_256(data: bytes, domain: int = 0x01) -> bytes:
    """Hash with Keccak-256; with domain 0x06 it is SHA3-256 (FIPS 202), whose padding alone differs."""
    padded = bytearray(data + bytes(_RATE - len(data) % _RATE))
    padded[len(data)] ^= domain
    padded[-1] ^= 0x80
    state = [0] * 25
    for start in range(0, len(padded), _RATE):
        for lane in range(_RATE // 8):
            state[lane] ^= int.from_bytes(padded[start + 8 * lane : start + 8 * lane + 8], "little")
        state = _permuted(state)
    return b"".join(lane.to_bytes(8, "little") for lane in state[:4])


def _permuted(state: list[int]) -> list[int]:
    """Apply Keccak-f[1600] to 25 lanes, that of column x and row y at x + 5 y (FIPS 202 section 3.2)."""
    register = 1
    for _ in range(24):
        parity = [state[x] ^ state[x + 5] ^ state[x + 10] ^ state[x + 15] ^ state[x + 20] for x in range(5)]
        state = [lane ^ parity[(i - 1) % 5] ^ _rotated(parity[(i + 1) % 5], 1) for i, lane in enumerate(state)]
        x, y, lane = 1, 0, state[1]
        for step in range(24):
            x, y = y, (2 * x + 3 * y) % 5
            state[x + 5 * y], lane = _rotated(lane, (step + 1) * (step + 2) // 2), state[x + 5 * y]
        state = [
            lane ^ (~state[i // 5 * 5 + (i + 1) % 5] & state[i // 5 * 5 + (i + 2) % 5]) for i, lane in enumerate(state)
        ]
        for bit in range(7):
            state[0] ^= (register & 1) << ((1 << bit) - 1)
            register = register << 1 ^ (0x171 if register & 0x80 else 0)
    return state


def _rotated(lane: int, by: int) -> int:
    """Rotate 64 bits to the left."""
    by %= 64
    return (lane << by | lane >> (64 - by)) & _MASK


def written(full: int, partial: int) -> str:
    """Write the module of the round keys."""
    rows = []
    for keys in round_keys(full, partial):
        numbers = [f"0x{key:064X}" for key in keys]
        rows.append(f"    ({numbers[0]},),\n" if len(keys) == 1 else "".join(["    (\n", *_lines(numbers), "    ),\n"]))
    return (
        f'"""Round keys of Poseidon2 over BN254, width {WIDTH}, {full} full and {partial} partial rounds.\n\n'
        "Written by scripts/poseidon2_parameters.py, which says why there are so many: a chain of Keccak-256 from\n"
        f"``Poseidon2-BN254[t={WIDTH},rF={full},rP={partial},d={DEGREE}]``, as gnark-crypto derives them.\n"
        f'"""\n\nROUND_KEYS: tuple[tuple[int, ...], ...] = (\n{"".join(rows)})\n'
    )


def _lines(numbers: list[str]) -> list[str]:
    """Write numbers, one a line."""
    return [f"        {number},\n" for number in numbers]


def main() -> None:
    """Show the numbers of rounds, and with `--write` write the round keys."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help=f"write {TABLE.name}")
    least = cheapest()
    full, partial = with_margin(*least)
    for name, (some_full, some_partial) in {"without margin": least, "with margin": (full, partial)}.items():
        print(f"{name}: {some_full} full and {some_partial} partial rounds")
        for attack, needed in least_full(some_partial).items():
            print(f"  {attack}: {max(0, math.ceil(needed))} full rounds")
        print(f"  eprint 2023/537: {groebner_bits(some_full, some_partial)} bits")
    if parser.parse_args().write:
        TABLE.write_text(written(full, partial), encoding="ascii")


if __name__ == "__main__":
    main()
