"""The keys of a model as its folder describes them; no key itself is read."""

from __future__ import annotations

from pathlib import Path

from equiproof.circuits.canonical import read_limited
from equiproof.service.store.tables import Model
from equiproof.verifier.answer import KeyMaking
from equiproof.verifier.documents import KEY_FILE, KeyDocument, key_folders, parse_key
from equiproof.verifier.errors import CertificateFormatError


def keys_of(model: Model) -> list[KeyDocument]:
    """Return the keys in a model's folder; what cannot be read is left out, since the worker reports it."""
    keys = []
    try:
        folders = key_folders(Path(model.keys))
    except OSError:
        return []
    for folder in folders:
        try:
            keys.append(parse_key(read_limited(folder / KEY_FILE), KEY_FILE))
        except (OSError, CertificateFormatError):
            continue
    return keys


def making(model: Model, fingerprint: str) -> KeyMaking:
    """Return how a key was made; of a key that is no longer there, the least that could be said."""
    matches = (key for key in keys_of(model) if key.fingerprint == fingerprint)
    return next(map(KeyMaking.of, matches), KeyMaking("single-party"))
