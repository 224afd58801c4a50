"""Makes a feature spec from declared features and training rows: exact decimals for scaling, the input width."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from decimal import Context, Decimal
from fractions import Fraction

import msgspec

from equiproof.certify.data.dataset import DataError, Row, encode_rows
from equiproof.certify.data.dates import ends_in_days
from equiproof.circuits.encodings import ENCODINGS, EncodingError
from equiproof.circuits.spec import (
    FORMAT,
    MAX_FRACTION_BITS,
    VERSION,
    Feature,
    Spec,
    checked,
    refuse_told_as_value,
)

INPUT_FRACTION_BITS = 10
MIN_INPUT_BITS = 18
SIGNIFICANT_DIGITS = 6

_MAX_INPUT_BITS = 40
_PRECISE_CONTEXT = Context(prec=40)
_SHORT_CONTEXT = Context(prec=SIGNIFICANT_DIGITS)


def build_spec(
    name: str,
    features: Sequence[Feature],
    rows: Sequence[Row],
    train: Sequence[int],
    labels: Sequence[str],
    *,
    logits: int = 1,
    threshold: str = "0",
    input_fraction_bits: int = INPUT_FRACTION_BITS,
    unscaled: Collection[str] = (),
) -> Spec:
    """Return the checked spec of `features`, standardised on the rows whose indices are `train`.

    Numbers and ranks get mean and (population) standard deviation of the training rows, as decimals of 6 significant
    digits, which are exact from then on; a constant column keeps scale 1. Missing values do not count. One-hot columns
    stay 0 and 1, and features named in `unscaled` keep the mean and scale they were declared with. `input_bits` is the
    smallest width from 18 on that holds every row and every sensitive value. Raises DataError or SpecError.
    """
    spec = Spec(
        format=FORMAT,
        version=VERSION,
        name=name,
        input_fraction_bits=input_fraction_bits,
        input_bits=_MAX_INPUT_BITS,
        use_ranges=False,
        features=tuple(
            feature if feature.name in unscaled else _standardised(feature, rows, train) for feature in features
        ),
        labels=tuple(labels),
        logits=logits,
        threshold=threshold,
    )
    return _fitted(spec, rows)


def with_ranges(spec: Spec, rows: Sequence[Row], ranges: Mapping[str, tuple[str, str]], *, use_ranges: bool) -> Spec:
    """Return a spec whose numbers have these ranges, (low, high) as decimals by name; all rows must lie inside them.

    Ends for a feature with a start may be dates.

    With `use_ranges`, statements are about neighbors inside all ranges and domains only. The width is that of
    :func:`build_spec`. Raises DataError for a row outside the ranges and for a name other than that of a non-sensitive
    number, SpecError for invalid ranges.
    """
    numbers = [feature.name for feature in spec.plain_features if feature.kind == "numeric"]
    for name in ranges:
        if name not in numbers:
            raise DataError(f"ranges: {name!r} is not a non-sensitive number; there are {', '.join(numbers)}")
    features = tuple(
        msgspec.structs.replace(feature, range=ends_in_days(feature, ranges[feature.name]))
        if feature.name in ranges
        else feature
        for feature in spec.features
    )
    wide = msgspec.structs.replace(spec, features=features, use_ranges=use_ranges, input_bits=_MAX_INPUT_BITS)
    return _fitted(wide, rows)


def standardised_anew(spec: Spec, features: Sequence[Feature], rows: Sequence[Row], train: Sequence[int]) -> Spec:
    """Return a spec with some features exchanged for others of their names, as :func:`build_spec` would make them."""
    others = {feature.name: _standardised(feature, rows, train) for feature in features}
    kept = tuple(others.get(feature.name, feature) for feature in spec.features)
    return _fitted(msgspec.structs.replace(spec, features=kept, input_bits=_MAX_INPUT_BITS), rows)


def most_fraction_bits(spec: Spec) -> int:
    """Return the finest f_x that :func:`with_fraction_bits` can give a spec."""
    return min(MAX_FRACTION_BITS, spec.input_fraction_bits + _MAX_INPUT_BITS - spec.input_bits)


def with_fraction_bits(spec: Spec, bits: int) -> Spec:
    """Return a spec on another grid, f_x = bits, whose `input_bits` hold every number that they held before.

    Raises SpecError for a grid that is too fine or too coarse.
    """
    finer = max(0, bits - spec.input_fraction_bits)
    return checked(msgspec.structs.replace(spec, input_fraction_bits=bits, input_bits=spec.input_bits + finer))


def _fitted(spec: Spec, rows: Sequence[Row]) -> Spec:
    """Return a spec, given with the widest columns, with the smallest width that holds its rows; checked twice."""
    checked(spec)
    refuse_told_as_value(spec)
    return checked(msgspec.structs.replace(spec, input_bits=_width(spec, rows)))


def _width(spec: Spec, rows: Sequence[Row]) -> int:
    """Return the smallest signed width, at least 18, of every column value of rows, domain table and ranges in use."""
    encoded = encode_rows(spec, rows)
    if spec.has_absent:
        import numpy as np

        # The integer of a missing value is the largest of any width: it only needs to be that of no other value.
        encoded = np.where(encoded == spec.absent, 0, encoded)
    sensitive = [column for values in spec.domain_table for column in values]
    sensitive += [spec.mark for feature in spec.plain_features if feature.has_mark]
    if spec.box is not None:
        # Ends of ranges are integers of the width too; for a number without a range they are the ends of the width
        # itself.
        limit = 1 << (_MAX_INPUT_BITS - 1)
        sensitive += [end for row in spec.box for end in row if end not in (-limit, limit - 1, limit - 2)]
    low = min(int(encoded.min()), *sensitive)
    high = max(int(encoded.max()), *sensitive) + spec.has_absent
    # In two's complement, low takes as many bits as -low - 1.
    return max(MIN_INPUT_BITS, high.bit_length() + 1, (-low - 1).bit_length() + 1)


def _standardised(feature: Feature, rows: Sequence[Row], train: Sequence[int]) -> Feature:
    """Return the feature with mean and scale of the training rows, where its encoding takes them from these."""
    if not ENCODINGS[feature.encoding].standardised:
        return feature
    mean, variance = _moments(_counted(feature, rows, train))
    deviation = _decimal(variance).sqrt(_PRECISE_CONTEXT)
    scale = _short(deviation) if deviation else "1"
    return msgspec.structs.replace(feature, mean=_short(_decimal(mean)), scale=scale)


def _moments(frequencies: Sequence[tuple[Fraction, int]]) -> tuple[Fraction, Fraction]:
    """Return the exact mean and population variance of pairs (number, how often it occurs)."""
    # Over one common denominator, sums of tens of thousands of fractions are sums of integers.
    denominator = math.lcm(*(number.denominator for number, _ in frequencies))
    integers = [(int(number * denominator), times) for number, times in frequencies]
    count = sum(times for _, times in integers)
    total = sum(times * value for value, times in integers)
    squares = sum(times * value**2 for value, times in integers)
    return (
        Fraction(total, count * denominator),
        Fraction(count * squares - total**2, (count * denominator) ** 2),
    )


def _counted(feature: Feature, rows: Sequence[Row], train: Sequence[int]) -> list[tuple[Fraction, int]]:
    """Return the distinct raw column numbers of one feature in the training rows, each with how often it occurs."""
    encoding = ENCODINGS[feature.encoding]
    frequencies = []
    for value, times in Counter(rows[index].get(feature.name) for index in train).items():
        if value is None and feature.may_miss:
            continue
        try:
            (number,) = encoding.raw_columns(feature, value)
        except EncodingError as error:
            row = next(index for index in train if rows[index].get(feature.name) == value)
            raise DataError(f"row {row + 1}: feature {feature.name!r}: {error}") from None
        frequencies.append((number, times))
    if not frequencies:
        raise DataError(f"drop feature {feature.name[:80]!r}, or add rows that state it: no training row does")
    return frequencies


def _decimal(number: Fraction) -> Decimal:
    """Return a fraction to 40 significant digits."""
    return _PRECISE_CONTEXT.divide(Decimal(number.numerator), Decimal(number.denominator))


def _short(number: Decimal) -> str:
    """Return a number as plain decimal text of 6 significant digits, without trailing zeros."""
    text = format(_SHORT_CONTEXT.plus(number), "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    if text in ("", "-", "-0"):
        return "0"
    return text
