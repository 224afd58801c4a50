"""What a worker does: load opening and key once, by path and digest, and prove one row after the other.

A worker is a process of this machine or of another one. It is told where opening, key and owner's secret are, never
what is in them, and it takes them only as the coordinator saw them. What it sends back is a `Made`.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from equiproof.certify.branch import PrecisionError
from equiproof.certify.documents import counterexample
from equiproof.certify.errors import CapacityError, RunError, SearchBudgetError
from equiproof.certify.many.point import Verdict
from equiproof.certify.models.ensembles.gaps import BetweenError
from equiproof.certify.traversal.search import Counterexample
from equiproof.circuits.canonical import MAX_DOCUMENT_BYTES, DocumentError, canonical_bytes, read_limited, read_regular
from equiproof.prover.keys import StoredKey
from equiproof.prover.opening import Opening, parse_opening
from equiproof.prover.prove import Proven, Prover
from equiproof.prover.version import tools
from equiproof.verifier.documents import KEY_FILE, parse_key


@dataclass(frozen=True)
class Setting:
    """What all rows of a run share, without any secret: where opening, key and owner's secret are on every worker.

    `opening_digest` is the SHA-256 of the opening's file; `fingerprint` is the key's, and covers the proving key.
    `processors` is how many of them the library's proofs take, 0 for all. `versions` are those of the coordinator.
    """

    opening: Path
    opening_digest: str
    key: Path
    fingerprint: str
    owner_secret: Path | None
    max_seconds: float | None
    disclose: bool
    processors: int
    versions: tuple[tuple[str, str], ...]

    @classmethod
    def of(
        cls, opening: Path, key: StoredKey, *, max_seconds: float | None = None, disclose: bool = False, **how: int
    ) -> Setting:
        """Return the setting of an opening's file and a key; raises OSError where the file cannot be read."""
        return cls(
            opening=opening.resolve(),
            opening_digest=_digest(read_limited(opening)),
            key=key.folder.resolve(),
            fingerprint=key.document.fingerprint,
            owner_secret=None if key.owner_secret is None else key.owner_secret.resolve(),
            max_seconds=max_seconds,
            disclose=disclose,
            processors=how.get("processors", 0),
            versions=tuple(tools().items()),
        )


@dataclass(frozen=True)
class Task:
    """One row to prove; the repr shows its number only.

    `blinding` is the one that the decision's receipt fixed, None for a fresh one.
    """

    row: int
    features: dict[str, Any] = field(repr=False)
    context: dict[str, str] = field(repr=False)
    blinding: int | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Made:
    """What became of a row: the certificate and the query file's bytes of a fair one, else why there is none.

    `size` is that of the evidence, in leaves or regions, or of what `reason` names and the key has no room for. `cases`
    are those of a counterexample or of a tie, as :func:`equiproof.certify.documents.counterexample` has them. The repr
    shows row and verdict.
    """

    row: int
    verdict: Verdict
    seconds: dict[str, float]
    certificate: bytes = field(default=b"", repr=False)
    query: bytes = field(default=b"", repr=False)
    size: int | None = field(default=None, repr=False)
    reason: str | None = field(default=None, repr=False)
    cases: tuple[dict[str, Any], ...] = field(default=(), repr=False)


def prove_row(setting: Setting, task: Task) -> Made:
    """Prove one row in this process: the task of a worker. Raises as :func:`ready`, and as `Prover.prove` does."""
    prover = ready(setting)
    try:
        how: dict[str, Any] = {"disclose": setting.disclose, "max_seconds": setting.max_seconds}
        outcome = prover.prove(task.features, task.context, blinding=task.blinding, **how)
    except SearchBudgetError:
        return Made(task.row, "undecided", {}, reason="seconds")
    except CapacityError as error:
        return Made(task.row, "undecided", {}, reason=error.counted, size=error.needed)
    except PrecisionError:
        return Made(task.row, "undecided", {}, reason="digits")
    except BetweenError:
        return Made(task.row, "undecided", {}, reason="between")
    if isinstance(outcome, Counterexample):
        return _not_proven(task.row, prover.opening, outcome)
    return _proven(task.row, outcome)


@lru_cache(maxsize=1)
def ready(setting: Setting) -> Prover:
    """Load opening and key, once for this process.

    Raises RunError for another opening, key or version than the coordinator's, KeyStoreError for a key without the
    owner's mark here, OSError and OpeningError where a file cannot be read.
    """
    if setting.processors:
        # Read by the library's runtime when it is loaded, which this process has not done yet.
        os.environ["GOMAXPROCS"] = str(setting.processors)
    if setting.versions != (own := tuple(tools().items())):
        raise RunError(f"the worker has {_listed(own)}, and the run was started with {_listed(setting.versions)}")
    data = read_limited(setting.opening)
    if _digest(data) != setting.opening_digest:
        raise RunError(f"{setting.opening}: another opening than the one that the run was started with")
    return Prover(parse_opening(data, str(setting.opening)), _key(setting), setting.opening.parent)


def forget() -> None:
    """Let go of what this process has loaded for a run; a key is freed when the last row that uses it has ended."""
    ready.cache_clear()


def _key(setting: Setting) -> StoredKey:
    """Return the key of a setting; its bytes are checked against the fingerprint when they are loaded."""
    path = setting.key / KEY_FILE
    try:
        document = parse_key(read_regular(path, MAX_DOCUMENT_BYTES), str(path))
    except DocumentError as error:
        raise RunError(str(error)) from None
    if document.fingerprint != setting.fingerprint:
        raise RunError(f"{path}: another key than the one that the run was started with")
    return StoredKey(setting.key, document, setting.owner_secret)


def _not_proven(row: int, opening: Opening, case: Counterexample) -> Made:
    """Return what a counterexample says: unfair, or a tie."""
    document = counterexample(opening.spec, opening.model, case)
    reason = "tie" if document["verdict"] == "undecided" else None
    return Made(row, document["verdict"], {}, reason=reason, cases=tuple(document["cases"]))


def _proven(row: int, proven: Proven) -> Made:
    """Return the files of a proven decision, as bytes."""
    seconds = {name: round(value, 4) for name, value in proven.seconds.items()}
    certificate = proven.certificate.to_bytes()
    query = canonical_bytes(proven.query)
    return Made(row, "fair", seconds, certificate, query, proven.evidence.size)


def _listed(versions: tuple[tuple[str, str], ...]) -> str:
    """Write versions as "equiproof 1.0, gnark v0.16"."""
    return ", ".join(" ".join(pair) for pair in versions)


def _digest(data: bytes) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(data).hexdigest()
