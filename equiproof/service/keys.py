"""The key that a model's certificates are made under, by its metadata: the process that decides loads no key."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from equiproof.circuits.canonical import DocumentError, read_regular
from equiproof.prover.errors import KeyStoreError
from equiproof.prover.key_choice import rank, serves, serves_box
from equiproof.prover.opening import Opening
from equiproof.prover.published import linked, published_link
from equiproof.verifier.documents import (
    KEY_FILE,
    LINK_KEY_FILE,
    PROVING_FILE,
    KeyDocument,
    key_folders,
    parse_key,
    parse_link_key,
)
from equiproof.verifier.errors import CertificateFormatError
from equiproof.verifier.link import LinkDocument


def links_beside(opening: str | Path) -> Path:
    """Return the folder in which a model's links are published: that of its opening, as `equiproof prove` has it."""
    return Path(opening).parent


def key_of(opening: Opening, keys: Path, links: Path) -> KeyDocument | None:
    """Return the metadata of the key in a folder that a prover would take for a model; None for none that is usable.

    A kept key is usable once its link is in the folder `links`.
    """
    return _chosen(opening, keys_in(keys), links)


def box_key_of(opening: Opening, keys: Path) -> KeyDocument | None:
    """Return the metadata of the key of boxes that a prover would take for a model; None for none that is usable."""
    fitting = (one for one in keys_in(keys) if serves_box(one, opening.spec, opening.sizes, opening.own_scheme))
    return max(fitting, key=rank, default=None)


def keys_in(keys: Path) -> list[KeyDocument]:
    """Return the metadata of all keys in a folder, without those that cannot be read."""
    return list(_by_folder(keys).values())


def link_of(fingerprint: str, links: Path) -> LinkDocument | None:
    """Return the link of a kept key in a folder, None for none; raises KeyStoreError for two, and a malformed one."""
    found = published_link(links, fingerprint)
    return None if found is None else found[1]


def link_keys_in(keys: Path) -> set[str]:
    """Return the fingerprints of all keys for links in a folder, without those that cannot be read."""
    found = set()
    for folder in key_folders(keys, LINK_KEY_FILE):
        with suppress(OSError, DocumentError, CertificateFormatError):
            found.add(parse_link_key(read_regular(path := folder / LINK_KEY_FILE), str(path)).fingerprint)
    return found


def has_proving_key(opening: Opening, keys: Path, links: Path) -> bool:
    """Return whether the file of the proving key that a prover would take for a model can be read now."""
    by_folder = _by_folder(keys)
    chosen = _chosen(opening, by_folder.values(), links)
    return any(os.access(folder / PROVING_FILE, os.R_OK) for folder, one in by_folder.items() if one == chosen)


def _chosen(opening: Opening, known: Iterable[KeyDocument], links: Path) -> KeyDocument | None:
    """Return the metadata of the key that a prover would take for a model; None for none that is usable."""
    own = opening.own_scheme
    fitting = (one for one in known if serves(one, opening.spec, opening.sizes, scheme=own))
    try:
        return max((one for one in fitting if linked(one, links)), key=rank, default=None)
    except KeyStoreError:
        # A prover stops there, too.
        return None


def _by_folder(keys: Path) -> dict[Path, KeyDocument]:
    """Return the metadata that can be read, by the folders of their keys."""
    metadata = {}
    for folder in key_folders(keys):
        try:
            metadata[folder] = parse_key(read_regular(path := folder / KEY_FILE), str(path))
        except (OSError, DocumentError, CertificateFormatError):
            continue
    return metadata
