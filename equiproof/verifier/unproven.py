"""The last step of a verification, for one certificate or for many: the proof holds for the statement digest."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from functools import cached_property
from typing import TypeAlias

from equiproof.circuits import field
from equiproof.circuits.proof_systems import ProofSystem
from equiproof.circuits.tables import say
from equiproof.ffi.backend import Refusal
from equiproof.ffi.errors import MalformedInputError
from equiproof.verifier.errors import CertificateFormatError, ProofError, UntrustedKeyError, VerificationError
from equiproof.verifier.facts import Facts
from equiproof.verifier.linked import LinkClaim, Linked, opened
from equiproof.verifier.programs import Checker, in_words, load
from equiproof.verifier.reading import Reading
from equiproof.verifier.trust import TrustedKey

Refused: TypeAlias = CertificateFormatError | VerificationError
"""What stands for a certificate that is not accepted: malformed, or refused."""


@dataclass(frozen=True)
class Claim:
    """A statement with what is presented as its proof under a trusted key, and with its link under a kept one.

    What the statement shows of the model is the link's.
    """

    facts: Facts
    key: TrustedKey
    proof: bytes
    link: Linked | None = dataclass_field(default=None, kw_only=True)

    @cached_property
    def digest(self) -> bytes:
        """The statement digest as a check of proofs takes it."""
        return field.to_bytes(self.facts.statement.digest(self.key.document.shape))


@dataclass(frozen=True)
class Unproven(Claim):
    """A certificate that passed every step but the last: nothing is known of its proof. `made` needs it too."""

    reading: Reading
    made: tuple[str, ...]
    not_made: tuple[str, ...]


def refusals(certificates: Sequence[Claim], checker: Checker, threads: int = 0) -> list[Refused | None]:
    """Return for each certificate None if its proof holds, or else the error that says why it is not accepted.

    Proofs under one key are checked together, on at most `threads` threads (0: one per core). Raises BackendError if
    the native library failed or is missing: then nothing was verified.
    """
    # By the key's bytes: keys of other metadata may have the same, and their proofs are then checked together.
    by_key: dict[tuple[ProofSystem, bytes, LinkClaim | None], list[int]] = {}
    for place, one in enumerate(certificates):
        link = None if one.link is None else one.link.claim
        by_key.setdefault((one.key.document.proof_system, one.key.verifying, link), []).append(place)
    verdict_of: dict[int, Refused | None] = {}
    for key, places in by_key.items():
        verdicts = _under_one_key(*key, [certificates[place] for place in places], checker, threads)
        verdict_of |= zip(places, verdicts, strict=True)
    return [verdict_of[place] for place in range(len(certificates))]


def _under_one_key(
    proof_system: ProofSystem,
    key: bytes,
    link: LinkClaim | None,
    certificates: list[Claim],
    checker: Checker,
    threads: int,
) -> list[Refused | None]:
    """Check the proofs of certificates of one verifying key, under a kept one those beside one link."""
    with ExitStack() as loaded:
        try:
            if link is None:
                verifying_key = loaded.enter_context(load(checker, proof_system, key))
            else:
                # Opened links are kept: another certificate beside this one needs no second check of it.
                beside = opened(checker, link)
                verifying_key = beside.key
        except MalformedInputError as error:
            return [UntrustedKeyError(str(error), error.reason) for _ in certificates]
        except (CertificateFormatError, VerificationError) as error:
            return [error.with_traceback(None) for _ in certificates]
        verdicts = verifying_key.verify_many(
            [one.digest for one in certificates], [one.proof for one in certificates], threads
        )
    return [_error(verdict) for verdict in verdicts]


def _error(verdict: Refusal | None) -> Refused | None:
    """Return what the check of a proof said, as an error about its certificate."""
    if isinstance(verdict, MalformedInputError):
        return CertificateFormatError(say("certificate.proof_wrong", problem=str(verdict)), verdict.reason)
    return None if verdict is None else ProofError(in_words(verdict), verdict.reason)
