"""Folders of receipts as `equiproof receipt new --out-dir` makes them, without models, and the proofs beside them."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from equiproof.circuits.canonical import canonical_bytes
from equiproof.register.receipts import places
from equiproof.verifier.checkpoint import open_checkpoint
from equiproof.verifier.merkle import check_inclusion, leaf_hash
from equiproof.verifier.receipt import RECEIPT, Receipt
from equiproof.verifier.tlog_proof import parse_tlog_proof
from tests.register.samples import LOG


def receipt(number: int) -> Receipt:
    """Return one of many different receipts."""
    salt = hashlib.sha256(b"%d" % number).hexdigest()
    return Receipt(*RECEIPT, "0" * 63 + "1", "0" * 63 + "2", "0" * 63 + "3", number % 2, "2026-03-04T10:00:00Z", salt)


def folder_of(root: Path, numbers: Iterable[int]) -> Path:
    """Write receipts as `receipt new --out-dir` does; return the folder."""
    for number in numbers:
        place = root / "applicants" / f"case-{number:04}"
        place.mkdir(parents=True)
        (place / "receipt.json").write_bytes(canonical_bytes(receipt(number)))
    return root


def checked(folder: Path) -> Counter[int]:
    """Return the sizes of the trees that a folder's proofs are about, each proof checked by itself."""
    sizes = Counter[int]()
    for place in places(folder):
        proof = parse_tlog_proof(place.proof.read_bytes())
        found = open_checkpoint(proof.checkpoint, LOG.verifier).checkpoint
        assert proof.extra == place.entry
        check_inclusion(leaf_hash(place.entry), proof.index, found.size, proof.path, found.root)
        sizes[found.size] += 1
    return sizes
