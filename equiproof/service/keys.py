"""The key that a model's certificates are made under, by its metadata: the process that decides loads no key."""

from __future__ import annotations

from pathlib import Path

from equiproof.circuits.canonical import DocumentError, read_regular
from equiproof.prover.key_choice import rank, serves
from equiproof.prover.opening import Opening
from equiproof.verifier.documents import KEY_FILE, KeyDocument, key_folders, parse_key
from equiproof.verifier.errors import CertificateFormatError


def key_of(opening: Opening, keys: Path) -> KeyDocument | None:
    """Return the metadata of the key in a folder that a prover would take for a model; None for none that is usable."""
    own = opening.own_scheme
    candidates = [one for one in keys_in(keys) if serves(one, opening.spec, opening.sizes, scheme=own)]
    return max(candidates, key=rank, default=None)


def keys_in(keys: Path) -> list[KeyDocument]:
    """Return the metadata of all keys in a folder, without those that cannot be read."""
    metadata = []
    for folder in key_folders(keys):
        try:
            metadata.append(parse_key(read_regular(path := folder / KEY_FILE), str(path)))
        except (OSError, DocumentError, CertificateFormatError):
            continue
    return metadata
