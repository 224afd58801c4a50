"""Archives (.zip, .npz) of few members: a long list of them is refused before it is read."""

from __future__ import annotations

from equiproof.certify.limits import MAX_DIRECTORY_BYTES

_END = b"PK\x05\x06"
_END_BYTES = 22
_MAX_COMMENT_BYTES = (1 << 16) - 1
_LARGE_END = b"PK\x06\x07"
_LARGE_END_BYTES = 20


class ArchiveError(ValueError):
    """Bytes that are no archive of the kind that was wanted, or one that is too large; without the file's name."""


def refuse_many_members(data: bytes) -> None:
    """Raise ArchiveError for an archive with a long list of members; bytes that are no archive pass.

    An archive ends with the length of that list, and a comment may follow, in which the same marks may stand. Which of
    them a reader takes for the end differs, so each has to claim a short list. The form for archives of more than four
    gigabytes gives the length elsewhere, and is refused.
    """
    place = data.find(_END, max(0, len(data) - _END_BYTES - _MAX_COMMENT_BYTES))
    while place >= 0:
        length = int.from_bytes(data[place + 12 : place + 16], "little")
        if length > MAX_DIRECTORY_BYTES or data.startswith(_LARGE_END, max(0, place - _LARGE_END_BYTES), place):
            raise ArchiveError(f"an archive with a list of members of more than {MAX_DIRECTORY_BYTES >> 10} KiB")
        place = data.find(_END, place + 1)
