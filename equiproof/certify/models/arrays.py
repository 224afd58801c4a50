"""Archives of arrays (.npz) whose size is known before they are unpacked."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import numpy.typing as npt

from equiproof.certify.archive import ArchiveError, refuse_many_members
from equiproof.certify.limits import MAX_ARRAY_BYTES

_READ_ERRORS = (
    ValueError, TypeError, EOFError, OSError, AttributeError, RuntimeError, MemoryError, NotImplementedError,
)  # fmt: skip
"""The errors of numpy for bytes that are not an .npz file of arrays, besides those of archives."""


def read_arrays(data: bytes) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of an .npz file by name, and never unpickle; raises ArchiveError."""
    import zipfile
    import zlib

    refuse_many_members(data)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
        if (size := sum(member.file_size for member in members)) > MAX_ARRAY_BYTES:
            raise ArchiveError(f"its arrays have {size} bytes; at most {MAX_ARRAY_BYTES} are read")
        # Numpy writes no others, and the dictionary of an LZMA stream may be as large as its header says.
        if not {member.compress_type for member in members} <= {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
            raise ArchiveError("an array is compressed in a way that numpy does not write")
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            by_name: dict[str, Any] = {name: arrays[name] for name in arrays.files}
    except ArchiveError:
        raise
    except (*_READ_ERRORS, zipfile.BadZipFile, zlib.error):
        raise ArchiveError("not an .npz file of arrays of numbers") from None
    # Of a member that is no array, numpy gives the bytes.
    if not all(isinstance(array, np.ndarray) for array in by_name.values()):
        raise ArchiveError("not an .npz file of arrays of numbers")
    return by_name
