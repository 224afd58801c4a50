"""What a table that a spec is drafted from does not contain: its owner's choices."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Wishes:
    """What a table does not contain: the user's choices.

    `label` names the column of decisions and `labels` its values in the order of the model's classes, alphabetical by
    default. `units` are those of numbers by name, `categories` columns of numbers that are codes, `dropped` those that
    are no features. `ranges` are those of numbers, (low, high) by name; with `use_ranges` neighbors keep to them.
    `dates` are columns of dates with the day from which each is counted, `logits` the number of the model's logits
    where two labels have two; with `leave_out_missing`, rows that lack a value are left out, but for the columns named
    in `missing`, whose value may be missing; with `mark_missing` each has a column that says so, as networks need it.
    `logs` are numbers that count by their logarithm, each with the decimal that is added before, None for 0 or, where 0
    occurs, 1. `decimal` and `thousands` are the marks of numbers in the table
    (:class:`~equiproof.certify.data.notation.Notation`).
    `order` has the values of categories from the least on, such as low<medium<high, by name. With `changes`, rules of
    change are drafted too.
    """

    label: str
    sensitive: Sequence[str]
    labels: Sequence[str] | None = None
    units: Mapping[str, str] = field(default_factory=dict)
    categories: Collection[str] = ()
    dropped: Collection[str] = ()
    one_hot: bool = False
    ranges: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    use_ranges: bool = False
    dates: Mapping[str, str] = field(default_factory=dict)
    logits: int | None = None
    leave_out_missing: bool = False
    missing: Collection[str] = ()
    mark_missing: bool = False
    logs: Mapping[str, str | None] = field(default_factory=dict)
    decimal: str | None = None
    thousands: str | None = None
    order: Mapping[str, str] = field(default_factory=dict)
    changes: bool = False
