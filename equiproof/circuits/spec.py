"""The feature spec: what the columns of a model mean, as a public document bound inside the model commitment.

A spec lists the features with their exact scaling, says which are sensitive, and fixes the label names. From it, and
from nothing else, every room derives the same integers: a raw row becomes fixed-point numbers at scale 2^f_x, and the
domain table is the full product of the sensitive features' values (docs/relation.md, R-DOMAIN).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal

import msgspec

from equiproof.circuits import levels, names
from equiproof.circuits.canonical import DocumentError, document_digest, parse, read_limited
from equiproof.circuits.changes import Changes, Together, check_changes, check_together, own_ends
from equiproof.circuits.encodings import ENCODINGS, EncodingError, EncodingName, Kind, named, on_grid
from equiproof.circuits.encodings.missing import LISTED, Missing, check_missing, told_as_value
from equiproof.circuits.exit_codes import MISUSED
from equiproof.circuits.kinds import mistaken
from equiproof.circuits.layer_widths import bias_widths
from equiproof.circuits.numbers import exact, read_number
from equiproof.circuits.schemes import Scheme
from equiproof.circuits.tables import LANGUAGES, say

FORMAT = "equiproof-spec"
VERSION = 2
MAX_SLICES = 4096
MAX_FEATURES = 4096
MAX_TABLE = 1 << 14
"""The largest number of integers in a domain table, S n_s; every verifier recomputes and hashes the table."""

WEIGHT_BITS = (16, 16)
"""The signed widths of weights where a spec chooses none: those of layer 1, and those of every other layer."""

MIN_WEIGHT_BITS = 8
MAX_WEIGHT_BITS = 32
_DECIMAL = re.compile(r"-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,40})?")

JUMP_BITS = 16
SCORE_BIAS_BITS = 24
"""The signed widths of an additive model's jumps, and of its bias."""

_MARK_BITS = 4
"""The binary logarithm of the largest radius."""

MAX_INPUT_BITS = 40
MAX_FRACTION_BITS = 22
"""The finest inputs: the largest radius of these, 2^52, is the largest that JSON readers keep exactly."""

Box = tuple[tuple[int, ...], tuple[int, ...]]  # the least and the largest integers of the n_x columns


class SpecError(ValueError):
    """A spec without a single meaning, or a row that does not fit its spec; one line naming the feature."""

    exit_code: ClassVar[int] = MISUSED


class SpokenFeature(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The name and the unit of a feature in one language, each where it differs from the spec's own."""

    name: str | msgspec.UnsetType = msgspec.UNSET
    unit: str | msgspec.UnsetType = msgspec.UNSET


class SpokenSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The label names of a spec in one language, in the order of its own."""

    labels: tuple[str, ...]


class Feature(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One feature of the raw data and how it becomes columns of integers.

    `encoding` is "scaled" (a number), "log" (the binary logarithm of a number and its `offset`), "rank" (index in
    `domain`) or "one-hot" (one 0/1 column per value of `domain`). Each column v becomes floor((v - mean) / scale
    * 2^f_x + 1/2). `domain` lists every value of a categorical or sensitive feature, numbers as decimal text; `range`
    bounds a number, both ends included. `mean`, `scale`, `range` and `offset` are exact decimals. Words for people
    about a number that is `whole` name whole numbers only. `monotone` is the owner's word that the score of the second
    label never falls, or never rises, as this number alone grows. `start` is the date of day 0 of a number of days. A
    value may be missing where there is `missing`, which may ask for one more column; a sensitive category lists it, as
    "missing". `changes` are the rules of what somebody can change of it (:mod:`.changes`): without, it is fixed. `en`
    and `de` are what people are told in English and in German in place of name and unit.
    """

    name: str
    kind: Kind
    encoding: EncodingName
    sensitive: bool
    mean: str = "0"
    scale: str = "1"
    unit: str = ""
    domain: tuple[str, ...] = ()
    range: tuple[str, str] | None = None
    whole: bool | msgspec.UnsetType = msgspec.UNSET
    monotone: Literal["increasing", "decreasing"] | msgspec.UnsetType = msgspec.UNSET
    offset: str | msgspec.UnsetType = msgspec.UNSET
    start: str | msgspec.UnsetType = msgspec.UNSET
    missing: Missing | msgspec.UnsetType = msgspec.UNSET
    changes: Changes | msgspec.UnsetType = msgspec.UNSET
    en: SpokenFeature | msgspec.UnsetType = msgspec.UNSET
    de: SpokenFeature | msgspec.UnsetType = msgspec.UNSET

    def name_in(self, language: str) -> str:
        """Return the name in a language, the spec's own where it has no translation."""
        spoken: SpokenFeature | msgspec.UnsetType = getattr(self, language)
        return spoken.name if spoken and isinstance(spoken.name, str) else self.name

    def unit_in(self, language: str) -> str:
        """Return the unit in a language, the spec's own where it has no translation."""
        spoken: SpokenFeature | msgspec.UnsetType = getattr(self, language)
        return spoken.unit if spoken and isinstance(spoken.unit, str) else self.unit

    @property
    def names(self) -> tuple[str, ...]:
        """The name and its translations, each once."""
        return tuple(dict.fromkeys((self.name, *map(self.name_in, LANGUAGES))))

    @property
    def may_miss(self) -> bool:
        """Whether a value of this feature may be missing."""
        return self.missing is not msgspec.UNSET

    @property
    def has_mark(self) -> bool:
        """Whether a column of its own, the last of this feature, says that a value is missing."""
        return not isinstance(self.missing, msgspec.UnsetType) and self.missing.mark is True

    @property
    def missing_words(self) -> tuple[str, ...]:
        """The spec's own words for a missing value, each once."""
        return () if isinstance(self.missing, msgspec.UnsetType) else self.missing.words

    @property
    def lists_missing(self) -> bool:
        """Whether a missing value of this feature is one of those that its domain lists, as of a sensitive category."""
        return self.sensitive and self.kind == "categorical" and LISTED in self.domain

    @property
    def width(self) -> int:
        """The number of columns this feature takes, that of missing values included."""
        return ENCODINGS[self.encoding].width(self) + self.has_mark


class Spec(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """A feature spec; make one with :func:`parse_spec` or :func:`checked`, which refuse specs without a single meaning.

    Columns stand in the spec's order, non-sensitive features first (n_x columns), sensitive ones last (n_s columns).
    One label name per class; with a single logit, the names for "logit <= threshold" and "logit > threshold".
    `input_bits` is the width of a signed column value; `use_ranges` restricts neighbors to `box`. `weight_bits` are the
    signed widths of committed weights: those of layer 1, and those of every other layer. With `allow_loss` the owner
    states that rounding the model may have changed what it does with sensitive features. Columns that are 0 for
    everybody come last of the n_x and fill them up to `pad_to`. Certificates show no other radii and gains than
    `levels` and `gain_levels` (:mod:`.levels`), exact ones where these are absent. `together` are the tables of
    features that change at once. `en` and `de` are what people are told in English and in German in place of `labels`.
    """

    format: str
    version: int
    name: str
    input_fraction_bits: int
    input_bits: int
    use_ranges: bool
    features: tuple[Feature, ...]
    labels: tuple[str, ...]
    logits: int
    threshold: str = "0"
    weight_bits: tuple[int, int] = WEIGHT_BITS
    allow_loss: bool = False
    pad_to: int | msgspec.UnsetType = msgspec.UNSET
    levels: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    gain_levels: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    together: tuple[Together, ...] | msgspec.UnsetType = msgspec.UNSET
    en: SpokenSpec | msgspec.UnsetType = msgspec.UNSET
    de: SpokenSpec | msgspec.UnsetType = msgspec.UNSET

    def labels_in(self, language: str) -> tuple[str, ...]:
        """Return the label names in a language, the spec's own where they have no translation."""
        spoken: SpokenSpec | msgspec.UnsetType = getattr(self, language)
        return spoken.labels if spoken else self.labels

    @cached_property
    def languages_with_blanks(self) -> frozenset[str]:
        """The languages in which the name of some feature holds a blank."""
        return frozenset(one for one in LANGUAGES if any(" " in each.name_in(one) for each in self.features))

    @cached_property
    def plain_features(self) -> tuple[Feature, ...]:
        """The non-sensitive features, in the spec's order."""
        return tuple(feature for feature in self.features if not feature.sensitive)

    @cached_property
    def sensitive_features(self) -> tuple[Feature, ...]:
        """The sensitive features, in the spec's order."""
        return tuple(feature for feature in self.features if feature.sensitive)

    @property
    def has_missing(self) -> bool:
        """Whether a value of some feature may be missing."""
        return any(feature.may_miss for feature in self.features)

    @property
    def has_changes(self) -> bool:
        """Whether a value of some feature can change."""
        return any(feature.changes is not msgspec.UNSET for feature in self.features)

    @cached_property
    def has_absent(self) -> bool:
        """Whether a missing value of some feature is the integer `absent`, as trees need it: it has no mark."""
        return any(feature.may_miss and not feature.has_mark for feature in self.features)

    @property
    def absent(self) -> int:
        """The integer of a missing value without a mark, in each column of its feature: the largest of the width."""
        return (1 << (self.input_bits - 1)) - 1

    @property
    def mark(self) -> int:
        """The integer of a mark: the largest radius. Everybody within a radius lacks the same values."""
        return self.scale_unit << _MARK_BITS

    @property
    def plain_columns(self) -> int:
        """n_x, the number of non-sensitive columns: those of the features, and those of the padding."""
        return self.own_columns + self.padding

    @property
    def own_columns(self) -> int:
        """The number of columns of the non-sensitive features."""
        return sum(feature.width for feature in self.plain_features)

    @property
    def padding(self) -> int:
        """The number of non-sensitive columns that are 0 in every query."""
        return 0 if isinstance(self.pad_to, msgspec.UnsetType) else self.pad_to - self.own_columns

    @property
    def sensitive_columns(self) -> int:
        """n_s, the number of sensitive columns."""
        return sum(feature.width for feature in self.sensitive_features)

    @property
    def digest(self) -> int:
        """The digest of the whole document, a field element."""
        return document_digest("equiproof.spec.v2", self)

    @property
    def scale_unit(self) -> int:
        """2^f_x, the integer of one unit of a column."""
        return 1 << self.input_fraction_bits

    @property
    def max_radius_squared(self) -> int:
        """The largest R2 that is stated, eps = 16 in the spec's units; a certificate of it shows "at least"."""
        return 1 << (2 * (self.input_fraction_bits + _MARK_BITS))

    @cached_property
    def domain_values(self) -> tuple[tuple[str, ...], ...]:
        """The S assignments of the sensitive features as raw values: the full product, first feature slowest."""
        return tuple(itertools.product(*(feature.domain for feature in self.sensitive_features)))

    @cached_property
    def domain_table(self) -> tuple[tuple[int, ...], ...]:
        """The S assignments as integers, shape (S, n_s), in the order of `domain_values`."""
        return tuple(
            tuple(
                column
                for feature, value in zip(self.sensitive_features, values, strict=True)
                for column in self.columns_of(feature, value)
            )
            for values in self.domain_values
        )

    @cached_property
    def box(self) -> Box | None:
        """The least and largest integers of the n_x columns of neighbors; None where neighbors are not restricted.

        They are the ends of a number's range, the first and last rank, and 0 and 1 for an indicator; those of
        `input_bits` for a number without a range; 0 and 0 in the padding.
        """
        if not self.use_ranges:
            return None
        ends = [end for feature in self.plain_features for end in self._ends(feature)] + [(0, 0)] * self.padding
        return tuple(low for low, _ in ends), tuple(high for _, high in ends)

    def bias_widths(self, hidden: Sequence[int]) -> tuple[int, ...]:
        """Return the signed width of each layer's biases, the logits' last: as wide as its largest sum of products.

        A bias of this width already decides its neuron alone, so an honest owner needs no wider ones.
        """
        columns = self.plain_columns + self.sensitive_columns
        return bias_widths(columns, self.input_bits, (*hidden, self.logits), self.weight_widths(hidden))

    def weight_widths(self, hidden: Sequence[int]) -> tuple[int, ...]:
        """Return the signed width of each layer's weights, the logits' last."""
        return self.weight_bits[0], *(self.weight_bits[1] for _ in hidden)

    def encode(self, row: Mapping[str, Any]) -> tuple[int, ...]:
        """Turn the non-sensitive features of a raw row into the n_x integers of the query.

        Sensitive features in `row` are ignored. None is a missing value. Raises SpecError for a feature that is not in
        the row, for None where no value may be missing, and for a value that is not a number, not in the domain, out
        of its range, or too large for `input_bits`: rows are refused, never clipped.
        """
        return self.encode_features(self.plain_features, row) + (0,) * self.padding

    def missing(self, query: Sequence[int]) -> frozenset[str]:
        """Return the names of the features that are missing in a query of n_x integers."""
        names, place = set(), 0
        for feature in self.plain_features:
            first, place = place, place + feature.width
            if query[place - 1] == self.mark if feature.has_mark else feature.may_miss and query[first] == self.absent:
                names.add(feature.name)
        return frozenset(names)

    def encode_sensitive(self, row: Mapping[str, Any]) -> tuple[int, ...]:
        """Turn the sensitive features of a raw row into its n_s integers; raises as :meth:`encode`."""
        return self.encode_features(self.sensitive_features, row)

    def encode_features(self, features: Sequence[Feature], row: Mapping[str, Any]) -> tuple[int, ...]:
        """Return the columns of the given features of a raw row; raises as :meth:`encode`."""
        columns: list[int] = []
        for feature in features:
            if feature.name not in row and feature.may_miss:
                raise SpecError(f"{named(feature)}: state it, or write null where it is not stated")
            if feature.name not in row:
                raise SpecError(say("query.feature_missing", feature=repr(feature.name)))
            columns += self.columns_of(feature, row[feature.name])
        return tuple(columns)

    def columns_of(self, feature: Feature, value: Any) -> list[int]:
        """Return the column integers of one raw value; raises as :meth:`encode`."""
        if value is None:
            if feature.has_mark:
                return [0] * (feature.width - 1) + [self.mark]
            if feature.may_miss:
                return [self.absent] * feature.width
            raise SpecError(say("query.value_missing", feature=repr(feature.name)))
        try:
            numbers = ENCODINGS[feature.encoding].raw_columns(feature, value)
        except EncodingError as error:
            raise SpecError(f"{named(feature)}: {error}") from None
        raw = read_number(value) if feature.kind == "numeric" else None
        return [self._fixed_point(feature, number, raw) for number in numbers] + [0] * feature.has_mark

    def _ends(self, feature: Feature) -> list[tuple[int, int]]:
        """Return the least and the largest integer of each column of a feature; raises for a mark that does not fit."""
        limits = self.limits(feature)
        own = [
            limits if ends is None else (self._end(feature, ends[0], 0), self._end(feature, ends[1], 1))
            for ends in ENCODINGS[feature.encoding].ends(feature)
        ]
        if not feature.has_mark:
            return own
        # Somebody whose value is missing has 0 there, and is a neighbor of others of whom it is missing too.
        if any(not low <= 0 <= high for low, high in own):
            raise SpecError(say("spec.mark_outside_range", feature=named(feature)))
        return [*own, (0, self.mark)]

    def limits(self, feature: Feature) -> tuple[int, int]:
        """Return the least and the largest integer of a value that is stated.

        Where a missing value without a mark is `absent`, circuits take that integer for one in every non-sensitive
        column, also where a value is never missing: no stated value has it.
        """
        limit = 1 << (self.input_bits - 1)
        return -limit, limit - 1 - (self.has_absent and not feature.sensitive)

    def _end(self, feature: Feature, number: Fraction, end: int) -> int:
        """Return the integer of an end of a feature's range, as a column number; raises as :meth:`_fixed_point`."""
        return self._fixed_point(feature, number, None if feature.range is None else exact(feature.range[end]))

    def _fixed_point(self, feature: Feature, number: Fraction, raw: Fraction | None) -> int:
        """Return the integer of a raw column number; raises SpecError where it exceeds the width.

        The error shows the value that people gave, `raw` where this is a number: its column may be a logarithm.
        """
        integer = on_grid(feature, number, self.scale_unit)
        least, most = self.limits(feature)
        if not least <= integer <= most:
            scales = (number - exact(feature.mean)) / exact(feature.scale)
            raise SpecError(
                say(
                    "value.too_many_scales",
                    feature=repr(feature.name),
                    value=f"{float(number if raw is None else raw):g}",
                    scales=f"{float(scales):.1f}",
                    bits=self.input_bits,
                )
            )
        return integer


def parse_spec(data: bytes, where: str) -> Spec:
    """Read a spec from JSON bytes; raises DocumentError naming `where` and the field."""
    try:
        spec = parse(data, Spec, where)
    except DocumentError:
        if other := mistaken(data, FORMAT):
            raise DocumentError(f"{where}: {other}") from None
        raise
    try:
        return checked(spec)
    except SpecError as error:
        raise DocumentError(f"{where}: {error}") from None


def load_spec(path: str | Path) -> Spec:
    """Read a spec from a file; raises OSError, DocumentError or SpecError."""
    return parse_spec(read_limited(Path(path)), str(path))


def checked(spec: Spec) -> Spec:
    """Return `spec`; raise SpecError unless it has exactly one meaning.

    Refused are another version, missing or repeated names, inexact decimals, no sensitive feature, fewer than two or
    more than 4096 slices, or ones that are equal after rounding, and labels, levels or a padding that do not fit.
    """
    if (spec.format, spec.version) != (FORMAT, VERSION):
        raise SpecError(
            say(
                "spec.version_unknown",
                format=repr(spec.format),
                version=spec.version,
                known_format=repr(FORMAT),
                known_version=VERSION,
            )
        )
    if not 1 <= spec.input_fraction_bits <= MAX_FRACTION_BITS:
        raise SpecError(say("spec.input_fraction_bits_out_of_bounds", most=MAX_FRACTION_BITS))
    if not spec.input_fraction_bits < spec.input_bits <= MAX_INPUT_BITS:
        raise SpecError(say("spec.input_bits_out_of_bounds", most=MAX_INPUT_BITS))
    if not all(MIN_WEIGHT_BITS <= bits <= MAX_WEIGHT_BITS for bits in spec.weight_bits):
        raise SpecError(say("spec.weight_bits_out_of_bounds", least=MIN_WEIGHT_BITS, most=MAX_WEIGHT_BITS))
    if len(spec.features) > MAX_FEATURES:
        raise SpecError(say("spec.too_many_features", count=len(spec.features), most=MAX_FEATURES))
    _printable("name", spec.name)
    _distinct(say("spec.feature_alone"), [feature.name for feature in spec.features])
    for feature in spec.features:
        _check_feature(spec, feature)
    _check_labels(spec)
    _check_names(spec)
    if spec.own_columns < 1:
        raise SpecError(say("spec.query_empty"))
    if not isinstance(spec.pad_to, msgspec.UnsetType) and not spec.own_columns < spec.pad_to <= MAX_FEATURES:
        raise SpecError(say("spec.pad_to_out_of_bounds", columns=spec.own_columns, most=MAX_FEATURES))
    _check_levels(spec)
    _ = spec.box  # raises where ends of ranges are too large for the width
    _check_changes(spec)
    _check_slices(spec)
    return spec


def refuse_ranges(scheme: Scheme, spec: Spec) -> None:
    """Raise SpecError where a spec restricts neighbors to ranges and the scheme does not support that."""
    if spec.use_ranges and scheme == "traversal":
        name = f"spec {spec.name!r} restricts neighbors to ranges (use_ranges)"
        raise SpecError(f"{name}, which scheme {scheme} does not support: want --scheme branch")


def refuse_marks(spec: Spec) -> None:
    """Raise SpecError where a column says that a value is missing: models of scheme trees are imported without."""
    for feature in spec.features:
        if feature.has_mark:
            raise SpecError(
                f"{named(feature)}: leave mark out of missing: models of scheme trees know a missing value without it"
            )


def refuse_told_as_value(spec: Spec) -> None:
    """Raise SpecError where people could take a missing value for one of the domain, for who drafts or imports it."""
    for feature in spec.features:
        if (wrong := told_as_value(feature)) is not None:
            raise SpecError(wrong)


def refuse_missing(spec: Spec) -> None:
    """Raise SpecError where a value may be missing without a mark, which no statement about a network speaks of."""
    for feature in spec.features:
        if feature.may_miss and not feature.has_mark:
            raise SpecError(
                f'{named(feature)}: write "mark": true into missing, since networks need a column for it; or want a '
                "model of scheme trees"
            )


def untaken(spec: Spec, given: Collection[str]) -> str | None:
    """Return that the sensitive features given of an applicant are not taken, as every program says it; None for none.

    What is made for an applicant holds for all of their values.
    """
    named = [feature.name for feature in spec.sensitive_features if feature.name in given]
    return f"leave out {names.listed(named)}: sensitive, neither needed nor taken" if named else None


def decimal(text: str, what: str) -> Fraction:
    """Read exact decimal text such as "-12.5"; raises SpecError naming `what`."""
    if not _DECIMAL.fullmatch(text):
        raise SpecError(say("spec.not_decimal", field=what, value=repr(text)))
    return Fraction(text)


def _check_levels(spec: Spec) -> None:
    """Refuse levels that are not rising decimals above 0, or that are too many or too large."""
    for name in ("levels", "gain_levels"):
        for text in getattr(spec, name) or ():
            decimal(text, name)
    if wrong := levels.complaint(spec):
        raise SpecError(wrong)


def _check_changes(spec: Spec) -> None:
    """Refuse rules of change that contradict the features or each other, or whose values the features do not have."""
    for feature in spec.features:
        try:
            check_changes(feature, decimal)
        except EncodingError as error:
            raise SpecError(str(error)) from None
        for end in own_ends(feature):
            spec.columns_of(feature, end)
    if isinstance(spec.together, msgspec.UnsetType):
        return

    def fits(feature: Feature, value: str) -> None:
        if feature.kind == "numeric":
            decimal(value, f"{named(feature)}: together")
        spec.columns_of(feature, value)

    try:
        check_together(spec.features, spec.together, fits)
    except EncodingError as error:
        raise SpecError(str(error)) from None


def _check_slices(spec: Spec) -> None:
    """Refuse sensitive features with a single value, and tables that are too large or ambiguous."""
    if not spec.sensitive_features:
        raise SpecError(say("spec.no_sensitive_feature"))
    slices = 1
    for feature in spec.sensitive_features:
        if len(feature.domain) < 2:
            raise SpecError(say("spec.sensitive_single_value", feature=repr(feature.name)))
        slices *= len(feature.domain)
        if slices > MAX_SLICES:
            raise SpecError(say("spec.too_many_joint_values", most=MAX_SLICES))
    # Counted before the table is made: the product of the domains alone can be large.
    if slices * spec.sensitive_columns > MAX_TABLE:
        raise SpecError(say("spec.table_too_large", most=MAX_TABLE))
    # Two assignments with the same integers are one slice to the circuit, and a change between them would show nothing.
    if len(set(spec.domain_table)) != slices:
        raise SpecError(say("spec.values_coincide"))


def _check_names(spec: Spec) -> None:
    """Refuse names that look like others of the spec."""
    # Translations are told apart from all other names and labels, their own language's and the spec's: no label may be
    # called in one language what another one is called in the other.
    all_names = [name for feature in spec.features for name in feature.names]
    labels = zip(spec.labels, *map(spec.labels_in, LANGUAGES), strict=True)
    all_labels = [name for label in labels for name in dict.fromkeys(label)]
    _distinct(say("spec.feature_alone"), all_names)
    _distinct(say("spec.label_alone"), all_labels)
    units = (unit for feature in spec.features for unit in (feature.unit, *map(feature.unit_in, LANGUAGES)))
    groups: dict[str, Sequence[str]] = {
        say("spec.feature_names"): all_names,
        say("spec.label_names"): all_labels,
        say("spec.units"): list(filter(None, units)),
        say("spec.own_name"): [spec.name],
    } | {f"{named(feature)}: domain": (*feature.domain, *feature.missing_words) for feature in spec.features}
    if wrong := names.joint_complaint(groups):
        raise SpecError(wrong.message)


def _check_labels(spec: Spec) -> None:
    """Refuse label names that do not fit the number of logits."""
    _distinct(say("spec.label_alone"), spec.labels)
    if spec.logits < 1 or len(spec.labels) != max(spec.logits, 2):
        raise SpecError(say("spec.labels_not_of_logits", labels=len(spec.labels), logits=spec.logits))
    for language in LANGUAGES:
        if len(spec.labels_in(language)) != len(spec.labels):
            raise SpecError(say("spec.spoken_labels", field=f"{language}.labels", count=len(spec.labels)))
    if decimal(spec.threshold, "threshold") != 0 and spec.logits != 1:
        raise SpecError(say("spec.threshold_without_single_logit"))


def _check_feature(spec: Spec, feature: Feature) -> None:
    """Refuse a feature whose fields do not define its columns."""
    name = named(feature)
    _check_unit(feature.unit, name, "unit")
    for language in LANGUAGES:
        _check_unit(feature.unit_in(language), name, f"{language}.unit")
        if feature.unit_in(language) != feature.unit and not (feature.unit and feature.unit_in(language)):
            raise SpecError(say("spec.spoken_unit", feature=name, field=f"{language}.unit"))
    decimal(feature.mean, f"{name}: mean")
    if decimal(feature.scale, f"{name}: scale") <= 0:
        raise SpecError(say("spec.scale_not_positive", feature=name))
    if feature.encoding not in ENCODINGS:
        raise SpecError(f"{name}: unknown encoding {feature.encoding!r}; want {', '.join(ENCODINGS)}")
    if feature.kind != ENCODINGS[feature.encoding].kind:
        raise SpecError(
            say("spec.encoding_unfit", feature=name, encoding=repr(feature.encoding), kind=repr(feature.kind))
        )
    _check_values(feature, name)
    if isinstance(feature.offset, str):
        decimal(feature.offset, f"{name}: offset")
    try:
        ENCODINGS[feature.encoding].check(spec, feature)
        check_missing(feature)
    except EncodingError as error:
        raise SpecError(str(error)) from None
    if feature.has_mark and spec.mark > spec.absent:
        raise SpecError(say("spec.mark_too_wide", feature=name, bits=spec.mark.bit_length() + 1))


def _check_unit(unit: str, name: str, field: str) -> None:
    """Refuse a unit that could mislead."""
    if unit:
        _printable(f"{name}: {field}", unit)
        if wrong := names.unit_complaint(unit):
            raise SpecError(f"{name}: {field} {unit[:40]!r} {wrong.message}")


def _check_values(feature: Feature, name: str) -> None:
    """Refuse a domain, a range, whole numbers or a direction that do not go with their feature."""
    numeric = feature.kind == "numeric"
    own_number = feature.kind == "numeric" and not feature.sensitive
    if not own_number and not feature.domain:
        raise SpecError(say("spec.domain_missing", feature=name))
    if own_number and feature.domain:
        raise SpecError(say("spec.domain_misplaced", feature=name))
    for value in feature.domain if numeric else ():
        decimal(value, f"{name}: domain")
    _distinct(f"{name}: domain", feature.domain, empty=True)
    # A number that is not whole leaves the field out, so that a spec has one spelling.
    if feature.whole is not msgspec.UNSET and not (own_number and feature.whole):
        raise SpecError(say("spec.whole_misplaced", feature=name))
    if feature.monotone is not msgspec.UNSET and not own_number:
        raise SpecError(say("spec.monotone_misplaced", feature=name))
    if feature.range is not None:
        low, high = (decimal(end, f"{name}: range") for end in feature.range)
        if not own_number or low > high:
            raise SpecError(say("spec.range_malformed", feature=name))


def _distinct(what: str, texts: Sequence[str], *, empty: bool = False) -> None:
    """Refuse an empty list (unless allowed), repeated names, and unprintable names."""
    if not texts and not empty:
        raise SpecError(say("spec.nothing_named", what=what))
    for name in texts:
        _printable(say("spec.name_in", what=what), name)
    if len(set(texts)) != len(texts):
        raise SpecError(say("spec.names_not_distinct", what=what))


def _printable(what: str, text: str) -> None:
    """Refuse text that could mislead a reader or control a terminal."""
    if wrong := names.complaint(text):
        raise SpecError(f"{what} '{names.escaped(text)}' {wrong.message}")
