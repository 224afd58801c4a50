"""The bytes of files of text, as UTF-8: what programs of Windows write is read where it can be one thing only."""

from __future__ import annotations

import codecs

from equiproof.certify.data.spreadsheets import TableError

_CHUNK = 1 << 20
_SAMPLE = 256
"""How many bytes show that a text has two of them for each letter."""


def as_utf8(data: bytes, *, is_csv: bool) -> bytes:
    """Return the bytes of a text in UTF-8, without a byte order mark.

    UTF-16 is read where a byte order mark shows it, or zeros between the letters. Bytes of Windows-1252 and other
    encodings of single bytes could be several letters each: they raise TableError with the remedy, naming the byte.
    """
    if data.startswith(codecs.BOM_UTF8):
        data = data.removeprefix(codecs.BOM_UTF8)
    elif (encoding := _of_two_bytes(data)) is not None:
        try:
            return data.decode(encoding).encode()
        except UnicodeError:
            raise TableError(f"{_remedy(is_csv=is_csv)}: it begins as UTF-16, and is not all of it") from None
    if (byte := _first_odd(data)) is not None:
        line = data.count(b"\n", 0, byte) + 1
        raise TableError(
            f"{_remedy(is_csv=is_csv)}: line {line} has a letter in another encoding, such as Windows-1252; not UTF-8 "
            f"at byte {byte}"
        )
    return data


def _of_two_bytes(data: bytes) -> str | None:
    """Return the encoding of a text of two bytes a letter, None for any other."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    sample = data[:_SAMPLE]
    if len(sample) >= 4 and not any(sample[1::2]) and all(sample[0::2]):
        return "utf-16-le"
    if len(sample) >= 4 and not any(sample[0::2]) and all(sample[1::2]):
        return "utf-16-be"
    return None


def _first_odd(data: bytes) -> int | None:
    """Return the place of the first byte that is no UTF-8; the whole text is never in memory."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    for start in range(0, len(data), _CHUNK):
        pending = decoder.getstate()[0]
        try:
            decoder.decode(data[start : start + _CHUNK], final=start + _CHUNK >= len(data))
        except UnicodeDecodeError as error:
            return start - len(pending) + error.start
    return None


def _remedy(*, is_csv: bool) -> str:
    """Say how a text is saved that can be read."""
    return "save it as CSV UTF-8" if is_csv else "save it as UTF-8"
