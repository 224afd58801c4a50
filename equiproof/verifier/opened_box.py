"""The opened box: what the holder of a box certificate keeps, the ends of every feature and the blinding.

A number, or a category whose values are ordered, has its least and its largest value; a category with one column a
value has the values that are possible; what is missing has none. The certificate names a commitment to these alone.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from equiproof.circuits.allowed import integer_ends, is_listed
from equiproof.circuits.canonical import DocumentError, canonical_bytes, parse
from equiproof.circuits.commitment import box_commitment
from equiproof.circuits.encodings.days import dates
from equiproof.circuits.kinds import kind_of, mistaken_for
from equiproof.circuits.names import after_number, quoted
from equiproof.circuits.numbers import read_number
from equiproof.circuits.spec import Feature, Spec, SpecError
from equiproof.circuits.tables import say
from equiproof.verifier.documents import Document, RawValue, check_mark, element, parse_document
from equiproof.verifier.errors import CertificateFormatError, Reason

OPENED_BOX = ("equiproof-opened-box", 2)


@dataclass(frozen=True)
class Ends:
    """The least and the largest integers of the n_x columns. The repr shows nothing of them."""

    low: tuple[int, ...] = field(repr=False)
    high: tuple[int, ...] = field(repr=False)


class OpenedBox(Document, frozen=True, forbid_unknown_fields=True):
    """The ends of a box by feature, and the blinding that opens the box commitment."""

    ends: dict[str, tuple[RawValue, ...]]
    blinding: str

    def __repr__(self) -> str:
        """Show the features' names; their values and the blinding stay out of logs and tracebacks."""
        return f"OpenedBox(ends={sorted(self.ends)})"

    def integers(self, spec: Spec) -> Ends:
        """Return the ends of all columns; raises CertificateFormatError unless they fit the spec."""
        extra = set(self.ends) - {feature.name for feature in spec.plain_features}
        if extra:
            raise CertificateFormatError(say("box.unknown_feature", feature=repr(min(extra)[:40])), Reason.BAD_QUERY)
        low: list[int] = []
        high: list[int] = []
        for feature in spec.plain_features:
            if feature.name not in self.ends:
                raise CertificateFormatError(say("box.feature_missing", feature=repr(feature.name)), Reason.BAD_QUERY)
            least, most = _ends(spec, feature, self.ends[feature.name])
            low += least
            high += most
        padding = (0,) * spec.padding
        return Ends((*low, *padding), (*high, *padding))

    def commitment(self, spec: Spec) -> int:
        """Return the box commitment that these ends open; raises as :meth:`integers`."""
        ends = self.integers(spec)
        blinding = element(self.blinding, say("box.field_blinding"))
        return box_commitment(spec.input_bits, blinding, ends.low, ends.high)

    def sentences(self, spec: Spec) -> dict[str, str]:
        """Return the ends of each feature in words, those of one value as this value."""
        return {feature.name: _in_words(feature, self.ends[feature.name]) for feature in spec.plain_features}


def _ends(spec: Spec, feature: Feature, given: Sequence[RawValue]) -> tuple[list[int], list[int]]:
    """Return the least and the largest integers of a feature's columns."""
    try:
        low, high = integer_ends(spec, feature, given)
    except SpecError as error:
        raise CertificateFormatError(f"{say('word.box')}: {error}", Reason.BAD_QUERY) from None
    if is_listed(feature):
        if len({*map(str, given)}) != len(given):
            raise CertificateFormatError(say("box.value_twice", feature=quoted(feature.name)), Reason.BAD_QUERY)
        return low, high
    if len(given) not in (0, 2):
        raise CertificateFormatError(say("box.ends_wanted", feature=quoted(feature.name)), Reason.BAD_QUERY)
    reversed_ = feature.kind == "numeric" and given and read_number(given[0]) > read_number(given[1])
    if low > high or reversed_:
        raise CertificateFormatError(say("box.ends_reversed", feature=quoted(feature.name)), Reason.BAD_QUERY)
    return low, high


def _in_words(feature: Feature, given: Sequence[RawValue]) -> str:
    """Write the ends of a feature."""
    if not given:
        return say("word.not_stated")
    if feature.kind == "categorical":
        # What lies between two values of an order is not what a reader may think: a drafted order is alphabetical.
        places = [feature.domain.index(str(value)) for value in given]
        listed = given if is_listed(feature) else feature.domain[places[0] : places[-1] + 1]
        return " / ".join(quoted(str(value)) for value in listed)
    values, unit = [_written(value) for value in given], after_number(feature.unit)
    if (days := dates(feature, map(read_number, given))) is not None:
        values, unit = [day.isoformat() for day in days], ""
    if values[0] == values[-1]:
        return f"{values[0]}{unit}"
    return f"{values[0]} {say('word.to')} {values[-1]}{unit}"


def _written(value: RawValue) -> str:
    """Write a number as JSON's canonical form has it, so that its words depend on no spelling."""
    return canonical_bytes(value).decode() if isinstance(value, float) else str(value)


def parse_ends(data: bytes, where: str) -> dict[str, tuple[RawValue, ...]]:
    """Read the ends of a box by feature, without a blinding; raises CertificateFormatError naming the feature."""
    if other := mistaken_for(kind_of(data), say("box.ends_alone")):
        raise CertificateFormatError(f"{where}: {other}", Reason.OTHER_FORMAT)
    try:
        given = parse(data, dict[str, msgspec.Raw], where)
        ends = {
            name: parse(bytes(values), tuple[RawValue, ...], f"{where}: {name[:40]!r}")
            for name, values in given.items()
        }
    except DocumentError as error:
        raise CertificateFormatError(str(error), error.reason) from None
    # Written by hand, so in no canonical form: of a name that stands there twice, the decoder keeps the last values.
    for name, times in Counter(name for name, _ in json.loads(data, object_pairs_hook=list)).items():
        if times > 1:
            raise CertificateFormatError(f"{where}: name {name[:40]!r} once: it stands there twice", Reason.BAD_QUERY)
    return ends


def parse_opened_box(data: bytes, where: str) -> OpenedBox:
    """Read an opened box; raises CertificateFormatError naming `where` and the field."""
    try:
        # Of a name that stands there twice, whoever reads the file could see the other one.
        document = parse_document(data, OpenedBox, OPENED_BOX, where, only_canonical=True)
    except CertificateFormatError as error:
        if error.reason == Reason.WRONG_FIELDS and _is_unopened(data):
            raise CertificateFormatError(
                f"{where}: give the file of --box-out: this has no blinding", error.reason
            ) from None
        raise
    return check_opened_box(document, where)


def _is_unopened(data: bytes) -> bool:
    """Return whether a file has the ends of a box alone."""
    try:
        return bool(parse_ends(data, ""))
    except CertificateFormatError:
        return False


def check_opened_box(document: OpenedBox, where: str) -> OpenedBox:
    """Return an opened box after checking its marks and its blinding."""
    check_mark(document, OPENED_BOX, where)
    element(document.blinding, f"{where}: field blinding")
    return document
