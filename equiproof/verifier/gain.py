"""The gain certificate: strict parser, canonical writer and words. Trust nothing in it before it was verified.

It states how much more the model leans to a label with one row of sensitive values than with another, at the least, for
one person and everybody nearby (docs/gain.md). It is a file of its own kind: what takes a certificate refuses it.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping

import msgspec

from equiproof.circuits.assignments import sensitive_values
from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.field import ORDER
from equiproof.circuits.names import quoted
from equiproof.circuits.proof_systems import ProofSystem
from equiproof.circuits.spec import Spec
from equiproof.circuits.statement import GainStatement
from equiproof.circuits.tables import say
from equiproof.verifier.certificate import KeyReference, StatementFields, base64_bytes, check_parts, in_hex
from equiproof.verifier.documents import Document, QueryDocument, Tools, parse_document
from equiproof.verifier.errors import CertificateFormatError, Reason
from equiproof.verifier.reading import bound_in_units, lengths

GAIN = ("equiproof-gain", 2)

MAX_UNIT = 4096
"""The most fraction bits of a logit that are stated."""

_MOST_ROWS = 1 << 14
# The field's order has 77 digits; the bound keeps the reading of a number short.
_INTEGER = re.compile("0|-?[1-9][0-9]{0,79}")


class GainFields(StatementFields, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A statement about a gain as it is written; `first` and `second` are rows of the spec's table.

    `least_gain` is decimal text, since it may pass 2^53; one logit is 2^`logit_fraction_bits` of it.
    """

    first: int
    second: int
    least_gain: str
    logit_fraction_bits: int

    @property
    def gain(self) -> int:
        """The least gain as an integer; raises CertificateFormatError for anything else."""
        if not _INTEGER.fullmatch(self.least_gain):
            raise CertificateFormatError(say("gain.least_gain_malformed"), Reason.WRONG_FIELDS)
        return int(self.least_gain)

    @property
    def in_range(self) -> bool:
        """Whether the numbers are those that a statement of some spec can have.

        A gain of half the field's order or more is refused: the digest would not tell it from one below 0.
        """
        rows = 0 <= self.first < _MOST_ROWS and 0 <= self.second < _MOST_ROWS
        unit = 0 <= self.logit_fraction_bits <= MAX_UNIT
        return super().in_range and rows and unit and 2 * abs(self.gain) < ORDER


class GainReading(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A statement about a gain for people, a function of the spec and of the statement's numbers alone.

    `first` and `second` are the sensitive values that are compared, by name. `gain` is in log odds, rounded down to six
    decimals. The other fields are those of :class:`.reading.Reading`.
    """

    label: str
    first: dict[str, str]
    second: dict[str, str]
    gain: str
    radius: str
    radius_any: str
    at_least: bool
    features: dict[str, str]

    @classmethod
    def of(cls, spec: Spec, fields: GainFields) -> GainReading:
        """Return the reading of a statement whose label and rows are those of the spec."""
        return cls(
            label=spec.labels[fields.label],
            first=sensitive_values(spec, fields.first),
            second=sensitive_values(spec, fields.second),
            gain=gain_text(fields.gain, fields.logit_fraction_bits),
            **lengths(spec, fields.radius_squared),
        )

    def sentence(self, least_gain: int) -> str:
        """Return one sentence that promises no more than the statement, whose exact least gain decides the verb."""
        near = say("gain.near", bound=bound_in_units(self.radius_any, at_least=self.at_least))
        whom = near if float(self.radius_any) else say("gain.alone")
        return say(
            "gain.read",
            whom=f"{whom} ",
            label=quoted(self.label),
            change=self._gained(least_gain),
            first=values_in_words(self.first),
            second=values_in_words(self.second),
        )

    def _gained(self, least_gain: int) -> str:
        """Say how the log odds compare."""
        if least_gain == 0:
            return say("gain.not_lower")
        if least_gain < 0:
            return say("gain.lower_by", loss=self.gain.removeprefix("-"))
        return say("gain.higher_by", gain=self.gain) if float(self.gain) else say("gain.higher")


class GainCertificate(Document, frozen=True, forbid_unknown_fields=True):
    """A gain certificate; `reading` is the statement in words, `query` the applicant's data where disclosed."""

    statement: GainFields
    reading: GainReading
    key: KeyReference
    proof_system: ProofSystem
    proof: str
    tools: Tools
    query: QueryDocument | None

    @property
    def proof_bytes(self) -> bytes:
        """The proof, as long as every one of its proof system."""
        return base64_bytes(self.proof)

    def to_statement(self) -> GainStatement:
        """Return the statement's parts as field elements; raises CertificateFormatError for invalid ones."""
        fields = self.statement
        return GainStatement(
            **fields.elements(),
            label=fields.label,
            radius_squared=fields.radius_squared,
            least_gain=fields.gain,
            logit_fraction_bits=fields.logit_fraction_bits,
        )

    def to_bytes(self) -> bytes:
        """Return the file's bytes, canonical JSON."""
        return canonical_bytes(self)


def parse_gain(data: bytes, where: str) -> GainCertificate:
    """Read a gain certificate; raises CertificateFormatError naming `where` and the field."""
    certificate = parse_document(data, GainCertificate, GAIN, where, only_canonical=True)
    try:
        in_range = certificate.statement.in_range
    except CertificateFormatError as error:
        raise CertificateFormatError(f"{where}: {error}", error.reason) from None
    if not in_range:
        raise CertificateFormatError(
            say("gain.statement_out_of_bounds", where=where),
            Reason.OUT_OF_RANGE,
        )
    check_parts(certificate, where)
    return certificate


def make_gain(
    statement: GainStatement,
    rows: tuple[int, int],
    spec: Spec,
    key: KeyReference,
    proof_system: ProofSystem,
    proof: bytes,
    tools: dict[str, str],
    query: QueryDocument | None,
) -> GainCertificate:
    """Return the certificate of a proven statement about two rows of the spec's table, the one that gains first."""
    fields = GainFields(
        **in_hex(statement),
        label=statement.label,
        radius_squared=statement.radius_squared,
        first=rows[0],
        second=rows[1],
        least_gain=str(statement.least_gain),
        logit_fraction_bits=statement.logit_fraction_bits,
    )
    return GainCertificate(
        format=GAIN[0],
        version=GAIN[1],
        statement=fields,
        reading=GainReading.of(spec, fields),
        key=key,
        proof_system=proof_system,
        proof=base64.b64encode(proof).decode(),
        tools=tools,
        query=query,
    )


def gain_text(gain: int, unit: int) -> str:
    """Return a gain in log odds with six decimals, rounded towards minus infinity; one logit is 2^`unit` of it."""
    # A shift rounds numbers below 0 down as well, so the text never promises more than the proof.
    millionths = gain * 10**6 >> unit
    whole, part = divmod(abs(millionths), 10**6)
    return f"{'-' if millionths < 0 else ''}{whole}.{part:06d}"


def values_in_words(values: Mapping[str, str]) -> str:
    """Write sensitive values as they stand in a sentence."""
    return f" {say('word.and')} ".join(f"{quoted(name)} {quoted(value)}" for name, value in values.items())
