"""The files of counts over a table: an auditor's challenge, an owner's answer, and the metadata of a key for them.

A challenge holds all rows with their values, and says in which cell each one is; whoever reads it computes the integers
of the rows by the spec of the commitment, so that neither side has to trust the other's. Parsers raise
CertificateFormatError naming file and field.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from pathlib import Path

import msgspec

from equiproof.circuits import field
from equiproof.circuits.canonical import canonical_bytes, document_digest, read_limited
from equiproof.circuits.link_shape import LinkShape
from equiproof.circuits.proof_systems import DEFAULT_PROOF_SYSTEM, KEPT_PROOF_BYTES
from equiproof.circuits.spec import Spec, SpecError
from equiproof.circuits.table import MAX_TABLE_ROWS, Counts, Table
from equiproof.circuits.table_shape import MAX_CELLS, MAX_ROWS, TableShape
from equiproof.circuits.tables import say
from equiproof.circuits.text import plain, several
from equiproof.verifier.certificate import KeyReference, base64_bytes
from equiproof.verifier.documents import (
    KEY,
    Document,
    KeyRecord,
    check_context,
    check_link_shape,
    check_maker,
    element,
    parse_document,
)
from equiproof.verifier.errors import CertificateFormatError, Reason

CHALLENGE = ("equiproof-table", 1)
ANSWER = ("equiproof-table-answer", 1)
TABLE_KEY_FILE = "table-key.json"
"""The metadata of a key for counts: by another name, since a folder of keys is read for those of certificates."""

_DIGITS = set("0123456789abcdef")
_TAG = "equiproof.table.challenge"


class TableKeyDocument(KeyRecord[TableShape], frozen=True, forbid_unknown_fields=True):
    """The metadata of a key for counts over tables."""

    @property
    def links(self) -> LinkShape:
        """The shape of the links of its models."""
        return self.shape.links


def parse_table_key(data: bytes, where: str) -> TableKeyDocument:
    """Read the metadata of a key for counts; raises CertificateFormatError for a shape without a circuit, too."""
    document = parse_document(data, TableKeyDocument, KEY, where, only_canonical=True)
    shape = document.shape
    check_link_shape(shape.links, where)
    rules = (
        (
            "architecture.logits",
            not shape.links.additive and shape.architecture.logits <= 2,
            "networks of 1 or 2 logits",
        ),
        ("rows", 1 <= shape.rows <= MAX_ROWS, f"want 1 to {MAX_ROWS}"),
        ("cells", 1 <= shape.cells <= MAX_CELLS, f"want 1 to {MAX_CELLS}"),
    )
    for name, right, message in rules:
        if not right:
            raise CertificateFormatError(f"{where}: field shape.{name}: {message}", Reason.BAD_SHAPE)
    if document.proof_system != DEFAULT_PROOF_SYSTEM:
        raise CertificateFormatError(
            say("key.kept_proof_system", where=where, proof_system=document.proof_system), Reason.BAD_SHAPE
        )
    check_maker(document, where)
    return document


class Cell(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One cell of a partition: the values of the columns that divide the table, and the true label, if it is known."""

    values: tuple[str, ...]
    label: str | msgspec.UnsetType = msgspec.UNSET

    @property
    def name(self) -> str:
        """What the group is called: no two groups of a challenge have one name."""
        return ", ".join(self.values)

    @property
    def read(self) -> str:
        """The name as people read it in a report: spaces at its ends do not show."""
        return plain(self.name)


class Challenge(Document, frozen=True, forbid_unknown_fields=True):
    """What an auditor asks of a committed model: its counts over these rows.

    `rows` have the values of `columns`, which are all features of the spec, as texts, None where one is missing;
    `partition` says in which of `cells` each row is. `by` names the columns of the auditor's table whose values divide
    it, and `label` the one with true labels. No cell has fewer rows than `least_group`.
    """

    model_commitment: str
    spec_digest: str
    context: dict[str, str]
    by: tuple[str, ...]
    cells: tuple[Cell, ...]
    columns: tuple[str, ...]
    least_group: int
    partition: tuple[int, ...]
    rows: tuple[tuple[str | None, ...], ...]
    label: str | msgspec.UnsetType = msgspec.UNSET

    @property
    def digest(self) -> str:
        """What an answer names: SHA-256 over the canonical document, in hexadecimal."""
        return hashlib.sha256(_TAG.encode() + b"\x00" + canonical_bytes(self)).hexdigest()

    @property
    def purpose(self) -> int:
        """What proofs state as their context, a field element: the digest of the whole document, cut to 31 bytes.

        So nobody gives proven counts other names of groups or other true labels.
        """
        return document_digest(_TAG, self)

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many rows each cell has."""
        sizes = [0] * len(self.cells)
        for cell in self.partition:
            sizes[cell] += 1
        return tuple(sizes)

    def table(self, spec: Spec, where: str) -> Table:
        """Return the rows as the n_x + n_s integers of a spec; raises CertificateFormatError naming row and column."""
        if set(self.columns) != {feature.name for feature in spec.features} or len(self.columns) != len(spec.features):
            raise CertificateFormatError(
                f"{where}: field columns: name every feature of the spec {spec.name} once", Reason.BAD_QUERY
            )
        if strange := sorted({cell.label for cell in self.cells if cell.label is not msgspec.UNSET} - set(spec.labels)):
            raise CertificateFormatError(
                f"{where}: field cells: write true labels as the spec does, {several(spec.labels)}: not {strange[0]!r}",
                Reason.BAD_QUERY,
            )
        # A group that is a feature is that of the row itself: nobody reads figures of women where the row says man.
        own = [(place, name) for place, name in enumerate(self.by) if name in self.columns]
        # Each value is read once: in a table of people the same ones come again and again.
        read: dict[tuple[str, str | None], list[int]] = {}
        rows = []
        for number, values in enumerate(self.rows, start=1):
            row = dict(zip(self.columns, values, strict=True))
            for place, name in own:
                if row[name] != (group := self.cells[self.partition[number - 1]].values[place]):
                    raise CertificateFormatError(
                        f"{where}: row {number}: {name} is {row[name]!r}, and the row is in the cell of {group!r}",
                        Reason.BAD_QUERY,
                    )
            try:
                for feature in spec.features:
                    if (key := (feature.name, row[feature.name])) not in read:
                        read[key] = spec.columns_of(feature, row[feature.name])
            except SpecError as error:
                raise CertificateFormatError(f"{where}: row {number}: {error}", Reason.BAD_QUERY) from None
            plain = [one for feature in spec.plain_features for one in read[feature.name, row[feature.name]]]
            others = [one for feature in spec.sensitive_features for one in read[feature.name, row[feature.name]]]
            rows.append((*plain, *(0,) * spec.padding, *others))
        return Table(rows, self.partition)


def parse_challenge(data: bytes, where: str) -> Challenge:
    """Read a challenge; raises CertificateFormatError naming `where` and the field."""
    challenge = parse_document(data, Challenge, CHALLENGE, where, only_canonical=True)
    for name in ("model_commitment", "spec_digest"):
        element(getattr(challenge, name), f"{where}: field {name}")
    check_context(challenge.context, f"{where}: field context")
    for name, right, message in _rules(challenge):
        if not right:
            raise CertificateFormatError(f"{where}: field {name}: {message}", Reason.OUT_OF_RANGE)
    return challenge


def _rules(challenge: Challenge) -> Sequence[tuple[str, bool, str]]:
    """Return, for each rule of a challenge, the field, whether it is kept, and the refusal."""
    cells, rows, partition = challenge.cells, challenge.rows, challenge.partition
    labelled = challenge.label is not msgspec.UNSET
    named = all((cell.label is not msgspec.UNSET) == labelled for cell in cells)
    shaped = all(len(cell.values) == len(challenge.by) for cell in cells)
    placed = all(0 <= cell < len(cells) for cell in partition)
    least = min(challenge.sizes, default=0) if placed else 0
    return (
        ("cells", 1 <= len(cells) <= MAX_CELLS, f"want 1 to {MAX_CELLS} cells"),
        ("cells", named and shaped, "want a value of each column of `by`, and a label where the table has labels"),
        ("cells", len({(cell.values, str(cell.label)) for cell in cells}) == len(cells), "name each cell once"),
        ("cells", len({cell.values for cell in cells}) == len({cell.read for cell in cells}), "two groups read alike"),
        ("rows", bool(rows) and all(len(row) == len(challenge.columns) for row in rows), "want a value of each column"),
        ("partition", len(partition) == len(rows), f"{len(partition)} cells for {len(rows)} rows"),
        ("partition", placed, f"want cells from 0 to {len(cells) - 1}"),
        (
            "least_group",
            1 <= challenge.least_group <= least,
            f"a cell has {least} rows: want at least {challenge.least_group}",
        ),
    )


class PartDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A proof about one part of the table, in base64, with the digests of the counts before and after it."""

    before: str
    after: str
    proof: str


class TableAnswer(Document, frozen=True, forbid_unknown_fields=True):
    """The counts of a challenge's cells, and their proofs in the order of the parts.

    `granted` counts the rows that the model decides for the second label of its spec, `tied` those that it decides for
    neither. `challenge` is the digest of the challenge.
    """

    challenge: str
    granted: tuple[int, ...]
    key: KeyReference
    parts: tuple[PartDocument, ...]
    tied: tuple[int, ...]

    @property
    def counts(self) -> Counts:
        """The counts as they are claimed."""
        return Counts(self.granted, self.tied)

    def to_bytes(self) -> bytes:
        """Return the file's bytes, canonical JSON."""
        return canonical_bytes(self)


def parse_answer(data: bytes, where: str) -> TableAnswer:
    """Read an answer; raises CertificateFormatError naming `where` and the field."""
    answer = parse_document(data, TableAnswer, ANSWER, where, only_canonical=True)
    for name, digits in (("challenge", answer.challenge), ("key", answer.key.fingerprint)):
        if len(digits) != 64 or set(digits) - _DIGITS:
            raise CertificateFormatError(f"{where}: field {name}: {say('format.want_digest')}", Reason.WRONG_FIELDS)
    for name, counts in (("granted", answer.granted), ("tied", answer.tied)):
        if len(counts) != len(answer.granted) or not all(0 <= count < MAX_TABLE_ROWS for count in counts):
            raise CertificateFormatError(
                f"{where}: field {name}: want a count of rows for each cell, from 0", Reason.OUT_OF_RANGE
            )
    for number, part in enumerate(answer.parts):
        at = f"{where}: part {number}"
        for name in ("before", "after"):
            element(getattr(part, name), f"{at}: field {name}")
        try:
            length = len(base64_bytes(part.proof))
        except CertificateFormatError as error:
            raise CertificateFormatError(f"{at}: {error}", error.reason) from None
        if length != KEPT_PROOF_BYTES:
            raise CertificateFormatError(
                say("certificate.proof_length_wrong", where=at, actual=length, required=KEPT_PROOF_BYTES),
                Reason.WRONG_LENGTH,
            )
    return answer


def make_answer(
    challenge: Challenge, counts: Counts, key: KeyReference, parts: Sequence[tuple[int, int, bytes]]
) -> TableAnswer:
    """Return the answer to a challenge: of each part the digests before and after it, and its proof."""
    cells = len(challenge.cells)
    return TableAnswer(
        format=ANSWER[0],
        version=ANSWER[1],
        challenge=challenge.digest,
        granted=counts.granted[:cells],
        key=key,
        parts=tuple(
            PartDocument(field.to_hex(before), field.to_hex(after), base64.b64encode(proof).decode())
            for before, after, proof in parts
        ),
        tied=counts.tied[:cells],
    )


def load_challenge(path: str | Path) -> Challenge:
    """Read a challenge from a file; raises OSError or CertificateFormatError."""
    return parse_challenge(read_limited(Path(path)), str(path))


def load_answer(path: str | Path) -> TableAnswer:
    """Read an answer from a file; raises OSError or CertificateFormatError."""
    return parse_answer(read_limited(Path(path)), str(path))
