"""The key that a model's certificates are made under, by its metadata: the process that decides loads no key."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from equiproof.circuits.canonical import DocumentError, read_regular
from equiproof.prover.key_choice import rank, serves, serves_box
from equiproof.prover.opening import Opening
from equiproof.verifier.documents import KEY_FILE, PROVING_FILE, KeyDocument, key_folders, parse_key
from equiproof.verifier.errors import CertificateFormatError


def key_of(opening: Opening, keys: Path) -> KeyDocument | None:
    """Return the metadata of the key in a folder that a prover would take for a model; None for none that is usable."""
    return _chosen(opening, keys_in(keys))


def box_key_of(opening: Opening, keys: Path) -> KeyDocument | None:
    """Return the metadata of the key of boxes that a prover would take for a model; None for none that is usable."""
    fitting = (one for one in keys_in(keys) if serves_box(one, opening.spec, opening.sizes, opening.own_scheme))
    return max(fitting, key=rank, default=None)


def keys_in(keys: Path) -> list[KeyDocument]:
    """Return the metadata of all keys in a folder, without those that cannot be read."""
    return list(_by_folder(keys).values())


def has_proving_key(opening: Opening, keys: Path) -> bool:
    """Return whether the file of the proving key that a prover would take for a model can be read now."""
    by_folder = _by_folder(keys)
    chosen = _chosen(opening, by_folder.values())
    return any(os.access(folder / PROVING_FILE, os.R_OK) for folder, one in by_folder.items() if one == chosen)


def _chosen(opening: Opening, known: Iterable[KeyDocument]) -> KeyDocument | None:
    """Return the metadata of the key that a prover would take for a model; None for none that is usable."""
    own = opening.own_scheme
    fitting = (one for one in known if serves(one, opening.spec, opening.sizes, scheme=own))
    # A kept key needs a link, which the service does not publish.
    return max((one for one in fitting if not one.shape.kept), key=rank, default=None)


def _by_folder(keys: Path) -> dict[Path, KeyDocument]:
    """Return the metadata that can be read, by the folders of their keys."""
    metadata = {}
    for folder in key_folders(keys):
        try:
            metadata[folder] = parse_key(read_regular(path := folder / KEY_FILE), str(path))
        except (OSError, DocumentError, CertificateFormatError):
            continue
    return metadata
