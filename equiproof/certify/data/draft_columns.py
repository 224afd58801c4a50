"""The columns of a table that a spec is drafted from: numbers or categories, and the order of a category's values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import msgspec
from msgspec import UNSET

from equiproof.certify.data.bands import by_numbers
from equiproof.certify.data.cleaning import MISSING_MARKS, NUMBER, plain
from equiproof.certify.data.dataset import DataError, Value
from equiproof.certify.data.dates import start_in, with_start
from equiproof.certify.data.logarithms import offset_of
from equiproof.certify.data.notation import is_number
from equiproof.certify.data.wishes import Wishes
from equiproof.circuits.arguments import argument
from equiproof.circuits.names import complaint, escaped
from equiproof.circuits.spec import Feature

MAX_CATEGORIES = 64
"""The most values of a category; a column with more distinct texts holds names, or numbers in another notation."""

_PADDED = re.compile("-?0[0-9]")
"""A number with a leading zero, which is a code: 007 and 7 are two of them."""


def column_values(
    cells: Sequence[Any], column: str, *, is_category: bool, places: Sequence[int] | None = None
) -> list[Value]:
    """Return the values of a column: all numbers, in canonical form, or all names of a category.

    `places` are those of the cells' rows in the table, counted from 0, where some rows are left out. Raises DataError
    naming the row of a text among numbers, and for texts that are no names.
    """
    texts = [format(cell, "f") if isinstance(cell, Decimal) else str(cell) for cell in cells]
    distinct = dict.fromkeys(texts)
    present = [text for text in distinct if text and text.lower() not in MISSING_MARKS]
    if is_category or any(map(_PADDED.match, present)) or not any(map(is_number, present)):
        _refuse_names(column, distinct)
        return list(texts)
    if (odd := next((text for text in present if not is_number(text)), None)) is not None:
        at = texts.index(odd)
        raise DataError(
            f"row {(at if places is None else places[at]) + 1}, column {column[:80]!r}: mend it, or call the column a "
            f"category ({argument('categories', [column])}): {odd[:40]!r} is not a number, but others are"
        )
    numbers = {text: plain(text) if NUMBER.fullmatch(text) else text for text in distinct}
    return [numbers[text] for text in texts]


def are_numbers(values: Sequence[Value]) -> bool:
    """Return whether the values of a column that is not called a category are numbers."""
    return not any(isinstance(value, str) and (_PADDED.match(value) or not NUMBER.fullmatch(value)) for value in values)


def declared(column: str, values: Sequence[Value], wishes: Wishes, order: Sequence[str] = ()) -> Feature:
    """Return the feature that a column seems to hold, before it is scaled; `order` is what its file declares.

    Raises DataError for a unit or a logarithm of a category.
    """
    if column in wishes.categories or not are_numbers(values):
        if column in wishes.units:
            raise DataError(f"units: {column[:80]!r} is a category and has no unit")
        if column in wishes.logs:
            raise DataError(f"logarithms: {column[:80]!r} is a category and has no logarithm")
        domain = _domain({str(value) for value in values}, order, is_sensitive=column in wishes.sensitive)
        return Feature(column, "categorical", "rank", sensitive=False, domain=domain)
    start = wishes.dates.get(column) or start_in(column)
    unit = wishes.units.get(column, "days" if start else "")
    whole = True if all(isinstance(value, int) for value in values) else UNSET
    number = Feature(column, "numeric", "scaled", sensitive=False, unit=unit, whole=whole)
    if column not in wishes.logs:
        return with_start(number, start)
    return msgspec.structs.replace(number, encoding="log", offset=offset_of(column, values, wishes.logs[column]))


def _domain(values: set[str], order: Sequence[str], *, is_sensitive: bool) -> tuple[str, ...]:
    """Return the values of a category in the order that the file declares, of their numbers, or of the alphabet.

    A sensitive category has the values of the rows only: every one of them counts in every statement.
    """
    if values <= set(order):
        return tuple(value for value in order if value in values or not is_sensitive)
    return by_numbers(values) or tuple(sorted(values))


def _refuse_names(column: str, texts: dict[str, None]) -> None:
    """Raise DataError for texts that are too many for a category, or no names."""
    if len(texts) > MAX_CATEGORIES:
        is_padded = any(map(_PADDED.match, texts))
        mend = ", or group its codes" if is_padded else ", or write its numbers plainly"
        raise DataError(
            f"column {column[:80]!r}: drop the column{mend}: {len(texts)} different texts such as {min(texts)[:40]!r}; "
            f"a category has at most {MAX_CATEGORIES}"
        )
    for text in texts:
        if text and (wrong := complaint(text)) is not None:
            raise DataError(
                f"rename the value {escaped(text)[:60]!r} of column {column[:80]!r}, or drop the column "
                f"({argument('drop', [column])}): it {wrong.message}"
            )
