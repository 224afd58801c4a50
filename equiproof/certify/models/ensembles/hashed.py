"""Categories of which a model keeps hashes of the texts alone, as CatBoost does: CityHash64, version 1, the low half.

Source: Pike and Alakuijala, CityHash 1.0 (2011); CatBoost takes the 32 low bits of the hash of the text in UTF-8.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from equiproof.certify.models.ensembles.ensemble import Category
from equiproof.certify.models.importing.errors import ModelImportError, listed, shown

_K0 = 0xC3A5C85C97CB3127
_K1 = 0xB492B66FBE98F273
_K2 = 0x9AE16A3B2F90404F
_K3 = 0xC949D7C7509E6557
_MULTIPLIER = 0x9DDFEA08EB382D69
_WORD = (1 << 64) - 1

_Pair = tuple[int, int]


@dataclass(frozen=True)
class Hashed(Category):
    """A category whose codes are hashes; `asked` are those that the trees ask for, `codes` has the texts of the file.

    `name` is what messages call it. A text that no split asks for is decided as one that the model never saw. So what
    matters is that each hash that is asked for belongs to a known text.
    """

    name: str = ""
    asked: frozenset[int] = frozenset()

    def known(self, texts: Sequence[str]) -> dict[str, int]:
        """Return the codes of the model's values and of these texts, all of them where the file names none.

        Raises ModelImportError naming the category where trees ask for a value that nobody has named.
        """
        own = {text: text_hash(text) for text in texts if text}
        if self.asked - {*self.codes.values(), *own.values()}:
            raise ModelImportError(
                f"give the spec's values of {shown(self.name, 40)!r} as the model spells them, or save it with "
                "save_model(..., format='json', pool=Pool), so that it names them: it splits by a value that is none "
                f"of {listed(texts, 5, lambda text: repr(shown(text, 24)))}"
            )
        if self.codes:
            own = {text: code for text, code in own.items() if code in self.asked}
        return {**{text: code for text, code in self.codes.items() if text}, **own}


def text_hash(text: str) -> int:
    """Return the hash that CatBoost has for a value of a category, from 0 to 2^32 - 1."""
    return _city(text.encode()) & 0xFFFFFFFF


def _city(data: bytes) -> int:
    """Return CityHash64, version 1."""
    size = len(data)
    if size <= 16:
        return _up_to_16(data)
    if size <= 32:
        return _up_to_32(data)
    if size <= 64:
        return _up_to_64(data)
    return _longer(data)


def _up_to_16(data: bytes) -> int:
    """Hash at most 16 bytes."""
    size = len(data)
    if size > 8:
        last = _read(data, size - 8)
        return _mixed(_read(data, 0), _turned(_sum(last, size), size)) ^ last
    if size >= 4:
        return _mixed(_sum(size, _read(data, 0, 4) << 3), _read(data, size - 4, 4))
    if not size:
        return _K2
    low = data[0] + (data[size >> 1] << 8)
    high = size + (data[-1] << 2)
    return _times(_folded(_times(low, _K2) ^ _times(high, _K3)), _K2)


def _up_to_32(data: bytes) -> int:
    """Hash 17 to 32 bytes."""
    size = len(data)
    one = _times(_read(data, 0), _K1)
    two = _read(data, 8)
    three = _times(_read(data, size - 8), _K2)
    four = _times(_read(data, size - 16), _K0)
    return _mixed(
        _sum(_turned(_sum(one, -two), 43), _turned(three, 30), four),
        _sum(one, _turned(two ^ _K3, 20), -three, size),
    )


def _up_to_64(data: bytes) -> int:
    """Hash 33 to 64 bytes."""
    size = len(data)
    start = _sum(_read(data, 0), _times(size + _read(data, size - 16), _K0))
    first, second = _half(data, 0, start, _read(data, 24))
    start = _sum(_read(data, 16), _read(data, size - 32))
    third, fourth = _half(data, size - 32, start, _read(data, size - 8))
    mixed = _folded(_sum(_times(first + fourth, _K2), _times(third + second, _K0)))
    return _times(_folded(_sum(_times(mixed, _K0), second)), _K2)


def _half(data: bytes, place: int, start: int, last: int) -> _Pair:
    """Return both numbers of 32 bytes of a text of 33 to 64, from the place on."""
    other = _sum(_turned(_sum(start, last), 52), _turned(start, 37))
    start = _sum(start, _read(data, place + 8))
    other = _sum(other, _turned(start, 7))
    start = _sum(start, _read(data, place + 16))
    return _sum(start, last), _sum(other, _turned(start, 31))


def _longer(data: bytes) -> int:
    """Hash more than 64 bytes: the end first, then pieces of 64 bytes."""
    size = len(data)
    x = _read(data, 0)
    y = _read(data, size - 16) ^ _K1
    z = _read(data, size - 56) ^ _K0
    v = _seeded(data, size - 64, size, y)
    w = _seeded(data, size - 32, _times(size, _K1), _K0)
    z = _sum(z, _times(_folded(v[1]), _K1))
    x = _times(_turned(_sum(z, x), 39), _K1)
    y = _times(_turned(y, 33), _K1)
    for place in range(0, (size - 1) & ~63, 64):
        x = _times(_turned(_sum(x, y, v[0], _read(data, place + 16)), 37), _K1) ^ w[1]
        y = _times(_turned(_sum(y, v[1], _read(data, place + 48)), 42), _K1) ^ v[0]
        z = _turned(z ^ w[0], 33)
        v = _seeded(data, place, _times(v[1], _K1), _sum(x, w[0]))
        w = _seeded(data, place + 32, _sum(z, w[1]), y)
        z, x = x, z
    return _mixed(_sum(_mixed(v[0], w[0]), _times(_folded(y), _K1), z), _sum(_mixed(v[1], w[1]), x))


def _seeded(data: bytes, place: int, one: int, two: int) -> _Pair:
    """Return both numbers of 32 bytes and two seeds."""
    first, second, third, last = (_read(data, place + offset) for offset in (0, 8, 16, 24))
    one = _sum(one, first)
    two = _turned(_sum(two, one, last), 21)
    longer = _sum(one, second, third)
    return _sum(longer, last), _sum(two, _turned(longer, 44), one)


def _mixed(one: int, two: int) -> int:
    """Return one word of two."""
    both = _folded(_times(one ^ two, _MULTIPLIER))
    return _times(_folded(_times(two ^ both, _MULTIPLIER)), _MULTIPLIER)


def _folded(word: int) -> int:
    """Return a word with its high bits put onto the low ones."""
    return word ^ (word >> 47)


def _turned(word: int, bits: int) -> int:
    """Return a word turned right by 1 to 63 bits."""
    return (word >> bits) | ((word << (64 - bits)) & _WORD)


def _sum(*words: int) -> int:
    """Return a sum modulo 2^64."""
    return sum(words) & _WORD


def _times(word: int, factor: int) -> int:
    """Return a product modulo 2^64."""
    return (word * factor) & _WORD


def _read(data: bytes, place: int, size: int = 8) -> int:
    """Return the bytes of a place as a number, the lowest first."""
    return int.from_bytes(data[place : place + size], "little")
