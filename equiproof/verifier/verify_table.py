"""Verification of counts over a table for a relying party: an auditor, or whoever has the auditor's challenge.

1. The challenge is of the trusted commitment and of its spec; all rows are rows of this spec.
2. The answer is to this very challenge, under a trusted key whose shape fits the spec and has a cell for each group.
3. The key's link is of the committed model, and its proof holds.
4. The counts of the parts lead to those that are claimed, and the proof of each part holds for the rows of the
   challenge (:mod:`equiproof.verifier.table`).

The caller MUST get the commitment document from a source that is the same for everybody, and trust the key store.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import cast

import msgspec

from equiproof.circuits import field
from equiproof.circuits.table import Counts, TableError
from equiproof.circuits.tables import say
from equiproof.ffi.errors import MalformedInputError, RefusedError
from equiproof.verifier.certificate import base64_bytes
from equiproof.verifier.documents import CommitmentDocument
from equiproof.verifier.errors import CertificateFormatError, ProofError, Reason, UntrustedKeyError
from equiproof.verifier.link import LinkDocument
from equiproof.verifier.linked import Linked, check_link, opened, trusted_link_key
from equiproof.verifier.programs import Checker, Choice, choose, in_words, known
from equiproof.verifier.table import LinkedVerifier, PresentedPart, TableBasis, TableClaim, verify_table
from equiproof.verifier.table_files import Challenge, TableAnswer, TableKeyDocument
from equiproof.verifier.trust import TrustedTableKey, TrustStore

_TRUE_LABELS = 2
"""Networks with two labels are counted."""


@dataclass(frozen=True)
class GroupCounts:
    """Rows of a group: how many there are, how many have the label that is counted, and how many ties there are."""

    rows: int
    granted: int
    tied: int

    @property
    def rate(self) -> Fraction:
        """The share of the rows with the label; a tie is one without it."""
        return Fraction(self.granted, self.rows)


@dataclass(frozen=True)
class TableFigures:
    """What exact counts say of groups: `by_group` all rows of each, `by_label` those of each true label, if known.

    Names of groups are the values of the columns that divide the table, joined by commas.
    """

    by_group: dict[str, GroupCounts]
    by_label: dict[str, dict[str, GroupCounts]]

    @property
    def impact(self) -> Fraction | None:
        """Disparate impact: the least rate of a group as a share of the largest one; None where both are 0.

        None, too, of one group alone.
        """
        rates = [group.rate for group in self.by_group.values()]
        return min(rates) / max(rates) if len(rates) > 1 and max(rates) else None

    @property
    def odds_difference(self) -> Fraction | None:
        """Equalized odds: the largest difference of rates between groups of one true label.

        None unless there are several groups, each with rows of both true labels: of none, no rate is known.
        """
        rows = [len(groups) for groups in self.by_label.values()]
        whole = len(self.by_group) > 1 and rows == [len(self.by_group)] * _TRUE_LABELS
        return max(map(_spread, self.by_label.values())) if whole else None

    @property
    def parity_difference(self) -> Fraction:
        """Demographic parity: the largest difference of rates between groups."""
        return _spread(self.by_group)


def _spread(groups: dict[str, GroupCounts]) -> Fraction:
    """Return the largest difference of rates."""
    rates = [group.rate for group in groups.values()]
    return max(rates) - min(rates)


@dataclass(frozen=True)
class VerifiedTable:
    """Counts that passed every step; made by :class:`TableVerifier` only."""

    challenge: Challenge
    counts: Counts
    labels: tuple[str, ...]
    key: TableKeyDocument
    checker: Checker

    @cached_property
    def figures(self) -> TableFigures:
        """The figures of the second label of the spec."""
        return figures(self.challenge, self.counts)

    def figures_of(self, label: str) -> TableFigures:
        """Return the figures of one of the two labels; raises ValueError for another one."""
        if label not in self.labels:
            raise ValueError(f"{label!r}: want one of {', '.join(self.labels)}")
        if label == self.labels[1]:
            return self.figures
        rest = zip(self.challenge.sizes, self.counts.granted, self.counts.tied, strict=True)
        return figures(self.challenge, Counts(tuple(n - a - b for n, a, b in rest), self.counts.tied))


def figures(challenge: Challenge, counts: Counts) -> TableFigures:
    """Return the figures of a challenge's groups from the counts of its cells."""
    by_group, by_label = dict[str, GroupCounts](), dict[str, dict[str, GroupCounts]]()
    parts = zip(challenge.cells, challenge.sizes, counts.granted, counts.tied, strict=True)
    for cell, rows, granted, tied in parts:
        name = cell.name
        before = by_group.get(name, GroupCounts(0, 0, 0))
        by_group[name] = GroupCounts(before.rows + rows, before.granted + granted, before.tied + tied)
        if cell.label is not msgspec.UNSET:
            by_label.setdefault(cell.label, {})[name] = GroupCounts(rows, granted, tied)
    return TableFigures(by_group, by_label)


class TableVerifier:
    """Verifies answers to challenges about one committed model, with the keys and links that a relying party has."""

    def __init__(
        self,
        commitment: CommitmentDocument,
        keys: TrustStore,
        links: Sequence[LinkDocument],
        checker: Choice = "auto",
    ) -> None:
        self._commitment = commitment
        self._keys = keys
        self._links = links
        self._choice = known(checker)

    def verify(self, challenge: Challenge, answer: TableAnswer, where: str) -> VerifiedTable:
        """Return the counts of an answer that holds; `where` names the challenge.

        Raises CertificateFormatError for a challenge that is not of the spec and for malformed proofs,
        UntrustedKeyError, and ProofError where the counts do not follow.
        """
        spec = self._commitment.spec
        self._check_challenge(challenge)
        key = self._keys.find_table_key(answer.key.fingerprint)
        self._check_answer(challenge, answer, key)
        table = challenge.table(spec, where)
        found = self._linked(key)
        checker = choose(self._choice)
        shape, claim = key.document.shape, found.claim
        cells = shape.cells - len(challenge.cells)
        counts = Counts(answer.granted + (0,) * cells, answer.tied + (0,) * cells)
        parts = [
            PresentedPart(field.from_hex(p.before), field.from_hex(p.after), base64_bytes(p.proof))
            for p in answer.parts
        ]
        basis = TableBasis(claim.commitment, claim.spec_digest, challenge.purpose, claim.shown)
        # A key that was opened beside a link checks one statement after the other; both programs have this method.
        loaded = cast(LinkedVerifier, opened(checker, claim).key)
        try:
            verify_table(loaded, shape, basis, table, TableClaim(counts, parts))
        except RefusedError as error:
            raise ProofError(in_words(error), error.reason or Reason.VALUES_DIFFER) from None
        except (MalformedInputError, TableError) as error:
            reason = getattr(error, "reason", Reason.OUT_OF_RANGE)
            raise CertificateFormatError(f"table: {error}", reason) from None
        return VerifiedTable(challenge, Counts(answer.granted, answer.tied), spec.labels, key.document, checker)

    def _check_challenge(self, challenge: Challenge) -> None:
        """Raise ProofError unless a challenge is of the trusted commitment and its spec."""
        if challenge.model_commitment != self._commitment.model_commitment:
            raise ProofError(say("certificate.model_differs"), Reason.MODEL_DIFFERS)
        if challenge.spec_digest != field.to_hex(self._commitment.spec.digest):
            raise ProofError(say("certificate.spec_differs"), Reason.SPEC_DIFFERS)

    def _check_answer(self, challenge: Challenge, answer: TableAnswer, key: TrustedTableKey) -> None:
        """Raise ProofError unless an answer is to a challenge, and its key can count the challenge's cells."""
        spec, shape = self._commitment.spec, key.document.shape
        if answer.challenge != challenge.digest:
            raise ProofError(say("table.other_challenge"), Reason.VALUES_DIFFER)
        if len(answer.granted) != len(challenge.cells):
            raise ProofError(
                say("table.cells_differ", stated=len(answer.granted), required=len(challenge.cells)),
                Reason.VALUES_DIFFER,
            )
        widths = (shape.architecture.plain, shape.architecture.sensitive, shape.architecture.logits, shape.input_bits)
        own = (spec.plain_columns, len(spec.domain_table[0]), spec.logits, spec.input_bits)
        if widths != own or shape.cells < len(challenge.cells):
            raise ProofError(say("table.shape_differs"), Reason.SHAPE_DIFFERS)
        if key.document.setup != answer.key.setup:
            raise UntrustedKeyError(
                say("certificate.setup_differs", stated=answer.key.setup, actual=key.document.setup),
                Reason.SETUP_DIFFERS,
            )

    def _linked(self, key: TrustedTableKey) -> Linked:
        """Return the link of a key; raises ProofError for none, and for one of another model."""
        # Two models of one architecture can have links of one key. That of another one is refused by its name.
        links = [link for link in self._links if link.key == key.document.fingerprint]
        own = [link for link in links if link.model_commitment == self._commitment.model_commitment]
        link = next(iter(own or links), None)
        if link is None:
            raise ProofError(say("link.missing", fingerprint=key.document.fingerprint[:16]), Reason.NO_LINK)
        found = Linked(link, trusted_link_key(link, self._keys), key)
        check_link(found, self._commitment)
        return found
