"""What the reader of a drafted spec has to confirm: every guess, with the way to correct it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from equiproof.certify.data.bands import by_numbers
from equiproof.certify.data.dataset import Value
from equiproof.certify.data.logarithms import offered
from equiproof.certify.data.missing_codes import suspects
from equiproof.certify.data.wishes import Wishes
from equiproof.circuits.arguments import argument
from equiproof.circuits.encodings import ENCODINGS
from equiproof.circuits.names import quoted
from equiproof.circuits.spec import Feature, Spec
from equiproof.circuits.text import several
from equiproof.circuits.units import kept_to

MAX_CODES = 20
"""A column with at most this many distinct whole numbers may hold codes."""

_MAX_NAMED = 6
_ROOM = 250
_MAX_RANKED = 16


def notes(
    spec: Spec, columns: Mapping[str, Sequence[Value]], wishes: Wishes, orders: Mapping[str, Sequence[str]]
) -> list[str]:
    """Return a note for each guess; `orders` has the categories whose order the file declares."""
    lines = []
    if wishes.labels is None:
        order = ", ".join(spec.labels)
        lines.append(f"labels stand in alphabetical order ({order}): are these the model's classes in order?")
    for feature in spec.features:
        if feature.kind == "numeric":
            lines += _of_numbers(spec, feature, columns[feature.name])
        elif ENCODINGS[feature.encoding].ordered:
            lines += _of_ranks(feature, orders)
    if whole := [feature.name for feature in spec.features if feature.whole is True]:
        lines.append(
            f"marked whole, as in the table: {', '.join(whole)}; remove the mark of those that can have a fraction"
        )
    slices = len(spec.domain_values)
    lines.append(f"sensitive: {slices} joint values, those of the table; no other value will be proven")
    return lines


def examples(read: Mapping[str, str]) -> str:
    """Write an example of each column; of many columns the first and the last, and how many are left out."""
    return several([f"{column} {example}" for column, example in read.items()], _MAX_NAMED, _ROOM)


def _of_numbers(spec: Spec, feature: Feature, values: Sequence[Value]) -> list[str]:
    """Return the notes on a column of numbers."""
    lines = []
    distinct = set(values)
    few = len(distinct) <= MAX_CODES and all(isinstance(value, int) for value in distinct)
    if (codes := suspects(values)) is not None:
        leave = argument("leave_out_missing", True)
        lines.append(
            f"{feature.name}: {codes}; if that is a code for a missing value, empty it in the table and leave such "
            f"rows out ({leave}), or say that it may be missing ({argument('missing', [feature.name])}), since mean "
            "and scale count it as a number"
        )
    if not feature.unit:
        lines.append(f"{feature.name}: a number without a unit; its radius will be shown without one")
    if few:
        call = argument("categories", [feature.name])
        lines.append(
            f"{feature.name}: {len(distinct)} distinct numbers only; if they are codes, call it a category ({call})"
        )
    elif (offer := offered(feature, values)) is not None:
        lines.append(offer)
    if spec.use_ranges and not feature.sensitive and feature.range is None:
        lines.append(f"{feature.name}: a number without a range; neighbors keep to {kept_to(spec, feature)}")
    return lines


def _of_ranks(feature: Feature, orders: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the note on the order of a category."""
    listed = ", ".join(map(quoted, feature.domain[:_MAX_RANKED])) + ", ..." * (len(feature.domain) > _MAX_RANKED)
    if len(feature.domain) < 3:
        return []
    if set(feature.domain) <= set(orders.get(feature.name, ())):
        return [f"{feature.name}: ranked in the order that is declared: {listed}"]
    if by_numbers(feature.domain) is not None:
        plain = [value for value in feature.domain if value.isdigit()]
        odd = f"; is {', '.join(plain[:_MAX_NAMED])} among bands a code?" * (0 < len(plain) < len(feature.domain))
        return [f"{feature.name}: ranked by the numbers of its values: {listed}{odd}"]
    if feature.sensitive:
        return []
    remedy = f"it is alphabetical and defines distances; give another ({argument('order')}), or one-hot"
    return [f"{feature.name}: is {listed} their order? {remedy}"]
