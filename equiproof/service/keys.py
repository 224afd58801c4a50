"""The key that a model's certificates are made under, by its metadata: the process that decides loads no key."""

from __future__ import annotations

import os
from pathlib import Path

from equiproof.circuits.canonical import DocumentError, read_regular
from equiproof.prover.key_choice import rank, serves
from equiproof.prover.opening import Opening
from equiproof.verifier.documents import KEY_FILE, PROVING_FILE, KeyDocument, key_folders, parse_key
from equiproof.verifier.errors import CertificateFormatError


def key_of(opening: Opening, keys: Path) -> KeyDocument | None:
    """Return the metadata of the key in a folder that a prover would take for a model; None for none that is usable."""
    own = opening.own_scheme
    candidates = [one for one in keys_in(keys) if serves(one, opening.spec, opening.sizes, scheme=own)]
    return max(candidates, key=rank, default=None)


def keys_in(keys: Path) -> list[KeyDocument]:
    """Return the metadata of all keys in a folder, without those that cannot be read."""
    return list(_by_folder(keys).values())


def has_proving_key(opening: Opening, keys: Path) -> bool:
    """Return whether the file of the proving key that a prover would take for a model can be read now."""
    chosen = key_of(opening, keys)
    folders = [folder for folder, one in _by_folder(keys).items() if one == chosen]
    return any(os.access(folder / PROVING_FILE, os.R_OK) for folder in folders)


def _by_folder(keys: Path) -> dict[Path, KeyDocument]:
    """Return the metadata that can be read, by the folders of their keys."""
    metadata = {}
    for folder in key_folders(keys):
        try:
            metadata[folder] = parse_key(read_regular(path := folder / KEY_FILE), str(path))
        except (OSError, DocumentError, CertificateFormatError):
            continue
    return metadata
