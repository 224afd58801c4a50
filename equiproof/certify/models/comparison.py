"""The counts of a comparison with the owner's own decisions, as folders, openings and reports keep them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import msgspec

NOT_COMPARED = (
    "NOT COMPARED with your own decisions: the decisions below are our reading of the file; "
    "give rows with a column of your decisions"
)

NOT_AUDITED = (
    "Not compared with your own decisions: nothing here shows that your own system decides as this model. "
    "equiproof commit --rows FILE --decisions COLUMN compares it."
)


_DEMAND = "compare your own decisions"


def undemanded(note: str) -> str:
    """Return a note about a file without its demand to compare decisions, for who has compared them."""
    return note.removeprefix(f"{_DEMAND}: ").removesuffix(f": {_DEMAND}")


class LabelCount(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many rows get a label: by the owner's own decisions, by our reading, by the committed integers.

    `own` is None where there are no such decisions.
    """

    label: str
    own: int | None
    reading: int
    integers: int


class Comparison(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The counts of a comparison with the owner's own decisions, as folders, openings and reports keep them.

    `differing` rows are decided otherwise by our reading, `differing_integers` by the committed integers, ties
    included. `near` counts rows among either that lie within half a step of a threshold, where rounding decides.
    `allowed` is the share of all rows, as decimal text or a fraction, that was allowed to differ besides.
    """

    # Such as "column decision of rows.csv", or of a fitted object its method, "Pipeline.predict", without a blank.
    source: str
    rows: int
    differing: int
    differing_integers: int
    near: int
    allowed: str
    labels: tuple[LabelCount, ...]

    @property
    def is_of_object(self) -> bool:
        """Whether a fitted object was asked, and no decisions of the owner's own system were given."""
        return " " not in self.source

    @property
    def whose(self) -> str:
        """Whose decisions these are, for columns of text."""
        return "the object's" if self.is_of_object else "yours"

    @property
    def agreement(self) -> Fraction:
        """The share of rows that our reading decides as the owner's own system."""
        return 1 - Fraction(self.differing, self.rows)

    def summary(self) -> list[str]:
        """Return the counts as two lines of text."""
        near = f", {self.near:,} of these within half a step of a threshold" if self.near else ""
        differing = f"{self.differing:,} differ as read, {self.differing_integers:,} as committed{near}"
        other = "the decisions of the fitted object itself" if self.is_of_object else "your own decisions"
        return [
            f"compared with {other} ({self.source}): of {self.rows:,} rows {differing}",
            *by_label(self.labels, self.whose),
        ]


def audited(compared: Comparison | msgspec.UnsetType | None) -> list[str]:
    """Return what the first page of a report says of a comparison; nothing of a model that was trained here."""
    if isinstance(compared, msgspec.UnsetType):
        return []
    if compared is None:
        return [NOT_AUDITED]
    return [f"{line[:1].upper()}{line[1:]}." for line in compared.summary()]


def by_label(counts: Sequence[LabelCount], whose: str = "yours") -> list[str]:
    """Return how many rows get each label as a line of text, none where no row was decided.

    `whose` are the decisions that the model was compared with, if it was.
    """
    if not counts:
        return []
    sides = "as read, as committed" if counts[0].own is None else f"{whose}, as read, as committed"
    texts = (
        f"{one.label} {'' if one.own is None else f'{one.own:,}, '}{one.reading:,}, {one.integers:,}" for one in counts
    )
    return [f"rows by label ({sides}): {'; '.join(texts)}"]
