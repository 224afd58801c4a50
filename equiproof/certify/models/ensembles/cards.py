"""Scorecards of other libraries: what their rows say, and what the lender has to add, under a spec.

A row of a card gives points to the numbers of an interval or to values. What no row says is asked and never guessed:
the cut-off, points of a base that is not in the table, points of numbers and values without a row. The second label is
decided where the total reaches the cut-off.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar, NamedTuple

from equiproof.certify.models.ensembles.ensemble import Ensemble, Scale, Split, Tree
from equiproof.certify.models.importing.errors import ModelImportError, listed, shown
from equiproof.certify.models.importing.values import Values, refuse_unused
from equiproof.circuits.arguments import argument
from equiproof.circuits.encodings import ENCODINGS
from equiproof.circuits.numbers import NumberError, read_number
from equiproof.circuits.spec import Feature, Spec

_HALF = Fraction(1, 2)


@dataclass(frozen=True)
class CardAnswers:
    """What the lender says about a scorecard that its table does not.

    `cutoff`: the second label is decided where the total reaches it. `base_points` are added to every total. `unlisted`
    has by feature the points of values and numbers without a row. `compared`: the card is compared with the lender's
    own decisions, so that ends which a table prints rounded are checked.
    """

    cutoff: Fraction | None = None
    base_points: Fraction | None = None
    unlisted: Mapping[str, Fraction] = field(default_factory=dict)
    compared: bool = False


NO_ANSWERS = CardAnswers()


def read_answers(
    cutoff: str | float | None,
    base_points: str | float | None,
    unlisted: Mapping[str, str | float] | None,
    *,
    compared: bool,
) -> CardAnswers:
    """Return the answers of a lender; raises ModelImportError for points that are no decimal numbers."""
    given = {name: _points(points, "unlisted") for name, points in (unlisted or {}).items()}
    return CardAnswers(
        None if cutoff is None else _points(cutoff, "cutoff"),
        None if base_points is None else _points(base_points, "base_points"),
        given,
        compared,
    )


def _points(value: str | float, name: str) -> Fraction:
    """Read points as they print."""
    try:
        return read_number(value)
    except NumberError:
        raise ModelImportError(
            f"give a decimal number with {argument(name)}: {shown(str(value))!r} is not one"
        ) from None


class Interval(NamedTuple):
    """Numbers from `low` to `high`, None where there is no end; `closed` says of each end whether it belongs."""

    low: Fraction | None
    high: Fraction | None
    closed: tuple[bool, bool]


class Cut(NamedTuple):
    """A number between two bins; with `strict` it belongs to the bin above it."""

    number: Fraction
    strict: bool


class Group(NamedTuple):
    """One row of a card: its words, its points, and what they are for.

    `values` are those of a category; among a number's bins, they are codes with points of their own. `rest`: all
    values without a row. `unnamed`: codes that the table does not name. Rows of missing values have nothing of these.
    """

    text: str
    points: Fraction
    interval: Interval | None = None
    values: tuple[str, ...] = ()
    rest: bool = False
    unnamed: bool = False


@dataclass(frozen=True, repr=False)
class Card:
    """A scorecard as a library leaves it: rows by feature, and what all totals begin with, None where it is not said.

    `half`: ends of bins are printed rounded, by at most so much. `other` says what the library does with a value
    without a row.
    """

    kind: str
    groups: Mapping[str, tuple[Group, ...]]
    base: Fraction | None
    other: str
    missing: str
    half: Fraction = Fraction(0)
    notes: tuple[str, ...] = ()

    outputs = 1
    """The number of logits: two classes only."""

    scale: ClassVar[Scale] = "score"
    """What a threshold of the spec would be of; the cut-off is apart."""

    classes = None
    """A card does not name its decisions."""

    def categories(self) -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]], tuple[str, ...]]:
        """Return the values of ordered categories, of which a card has none, and of others, and names of numbers."""
        numbers = [name for name, own in self.groups.items() if any(group.interval for group in own)]
        others = {
            name: tuple(dict.fromkeys(value for group in own for value in group.values))
            for name, own in self.groups.items()
            if name not in numbers
        }
        return {}, others, tuple(numbers)

    def __repr__(self) -> str:
        """Show the number of features only: points are secret."""
        return f"<{type(self).__name__} of {self.kind}, {len(self.groups)} features>"

    def ensemble(self, spec: Spec, answers: CardAnswers = NO_ANSWERS, values: Values | None = None) -> Ensemble:
        """Return the card as an ensemble of its features' columns in raw units, above 0 where the cut-off is reached.

        `values` has the card's spelling of the spec's values where it is another one. Raises ModelImportError naming a
        feature, and what the lender has to say about it.
        """
        if answers.cutoff is None:
            raise ModelImportError(
                f"say with {argument('cutoff')} from how many points the second label is decided: a table of "
                f"{self.kind} does not"
            )
        if self.base is not None and answers.base_points is not None:
            raise ModelImportError(f"leave out {argument('base_points')}: the card has its own")
        base = self.base if answers.base_points is None else answers.base_points
        if base is None:
            raise ModelImportError(
                f"say with {argument('base_points')} what is added to every total, 0 for nothing: each feature's "
                f"least points are 0, as where {self.kind} keeps an intercept outside of its table"
            )
        features = {feature.name: feature for feature in spec.features}
        if stranger := next((name for name in answers.unlisted if name not in self.groups), None):
            raise ModelImportError(f"{argument('unlisted')}: the card has no feature {shown(stranger)!r}")
        refuse_unused(values or {}, spec, list(self.categories()[1]))
        trees: list[tuple[Feature, list[Tree]]] = []
        names: list[str] = []
        for name, groups in self.groups.items():
            feature = features.get(name)
            if feature is None:
                raise ModelImportError(
                    f"the spec has no feature {shown(name)!r}, which has points; it has {shown(', '.join(features))}"
                )
            if not answers.compared:
                self._refuse_unsure(feature, groups)
            other = answers.unlisted.get(name)
            if feature.kind == "numeric":
                own = self._numbers(feature, groups, other, len(names))
            else:
                own = self._category(feature, _spelled(groups, (values or {}).get(name, {})), other, len(names))
            trees.append((feature, own))
            names += ENCODINGS[feature.encoding].column_names(feature)
        points = [group.points for groups in self.groups.values() for group in groups]
        base = above_zero(base - answers.cutoff, [base, answers.cutoff, *points, *answers.unlisted.values()])
        return Ensemble(
            self.kind,
            len(names),
            tuple(tree for _, own in trees for tree in own),
            base=base,
            columns=tuple(names),
            scale="score",
            notes=(f"a row with a missing value gets no certificate; {self.missing}", *self.notes),
        )

    def _refuse_unsure(self, feature: Feature, groups: Sequence[Group]) -> None:
        """Refuse rounded ends that known numbers are beside, and codes without a name."""
        mend = (
            f"import the fitted {self.kind} object from Python, or compare with your decisions: {argument('rows')} and "
            f"{argument('decisions')}"
        )
        if any(group.unnamed for group in groups):
            raise ModelImportError(
                f"{mend}; the table does not say which values of {shown(feature.name)!r} are special"
            )
        if not self.half or feature.kind != "numeric":
            return
        ends = {end for group in groups if group.interval for end in group.interval[:2] if end is not None}
        for end in sorted(ends):
            low, high = end - self.half, end + self.half
            beside = any(low <= Fraction(value) <= high for value in feature.domain)
            if beside or (not feature.domain and (feature.whole is not True or math.ceil(low) <= high)):
                raise ModelImportError(
                    f"{mend}; the table prints ends of bins rounded, and {float(end):g} of {shown(feature.name)!r} may "
                    f"stand for any number up to {float(self.half):g} away"
                )

    def _numbers(self, feature: Feature, groups: Sequence[Group], other: Fraction | None, place: int) -> list[Tree]:
        """Return the tree of a number's bins."""
        bins = [(group.interval, group) for group in groups if group.interval is not None]
        codes = [(value, group) for group in groups for value in group.values if group.interval is None]
        if not bins:
            raise ModelImportError(
                f"make {shown(feature.name)!r} a category in the spec (`equiproof spec --categories`): it is numeric "
                "there, and the card has values of it"
            )
        for value, _ in codes:
            _refuse_code(feature, value)
        rest = next((group.points for group in groups if group.rest), other)
        cuts, levels = _stepped(feature.name, bins, rest, self.other)
        return [stepped(place, cuts, levels)]

    def _category(self, feature: Feature, groups: Sequence[Group], other: Fraction | None, place: int) -> list[Tree]:
        """Return the trees of a category."""
        points: dict[str, Fraction] = {}
        for group in groups:
            for value in group.values:
                if points.setdefault(value, group.points) != group.points:
                    raise ModelImportError(
                        f"feature {shown(feature.name)!r}: two rows have points for {shown(value)!r}"
                    )
        if not points:
            raise ModelImportError(
                f"make {shown(feature.name)!r} a number in the spec: it is a category there, and the card has bins of "
                "numbers"
            )
        rest = next((group.points for group in groups if group.rest), other)
        own = [_level(feature, value, points, rest, self.other) for value in feature.domain]
        if all(level is None for level in own):
            raise ModelImportError(
                f"feature {shown(feature.name)!r}: no value of the spec has points: it has "
                f"{_listed(feature.domain)}, the card {_listed(points)}"
            )
        return category(feature, [Fraction(0) if level is None else level for level in own], place)


def _spelled(groups: Sequence[Group], given: Mapping[str, str]) -> list[Group]:
    """Return groups with the spec's spellings of values beside the card's own."""
    return [
        group._replace(values=(*group.values, *(ours for ours, theirs in given.items() if theirs in group.values)))
        for group in groups
    ]


def above_zero(base: Fraction, numbers: Iterable[Fraction]) -> Fraction:
    """Return what a total less its cut-off begins with, moved so that reaching the cut-off is to be above 0.

    `numbers` are all numbers of points: totals are multiples of one over their common denominator.
    """
    finest = math.lcm(*(number.denominator for number in numbers))
    return base + Fraction(1, 2 * finest)


def stepped(column: int, cuts: Sequence[Cut], levels: Sequence[Fraction]) -> Tree:
    """Return the tree of a function of one column with these levels between ascending cuts."""
    splits = tuple(
        Split(column, cut.number, cut.strict, ~place, place + 1 if place + 1 < len(cuts) else ~(place + 1))
        for place, cut in enumerate(cuts)
    )
    return Tree(splits, tuple(levels))


def category(feature: Feature, points: Sequence[Fraction], place: int) -> list[Tree]:
    """Return the trees of a category whose first column is at a place: one of its ranks, or one of each column."""
    if feature.width == 1:
        return [stepped(place, [Cut(rank + _HALF, strict=False) for rank in range(len(points) - 1)], points)]
    return [
        Tree((Split(place + offset, _HALF, False, ~0, ~1),), (Fraction(0), own)) for offset, own in enumerate(points)
    ]


def _level(
    feature: Feature, value: str, points: Mapping[str, Fraction], other: Fraction | None, what: str
) -> Fraction | None:
    """Return the points of a value of the spec; asks for those of a value without a row."""
    if value in points:
        return points[value]
    number = _number(value)
    same = [own for own in points if number is not None and _number(own) == number]
    if len(same) == 1:
        return points[same[0]]
    if other is not None:
        return other
    near = difflib.get_close_matches(value, points, 1)
    hint = f"; is {shown(near[0])!r} the same" if near else ""
    raise ModelImportError(
        f"say with {argument('unlisted', {feature.name: 'POINTS'})} what a value without a row gets, or write the "
        f"card's own values into the spec: {shown(value)!r} of {shown(feature.name)!r} has none ({what}); the card "
        f"has {_listed(points)}{hint}"
    )


def _refuse_code(feature: Feature, value: str) -> None:
    """Refuse a code among numbers that the spec lets a row have."""
    number = _number(value)
    if number is None or (feature.domain and all(Fraction(one) != number for one in feature.domain)):
        return
    if feature.range is not None and not Fraction(feature.range[0]) <= number <= Fraction(feature.range[1]):
        return
    raise ModelImportError(
        f"give feature {shown(feature.name)!r} a range in the spec that leaves out {shown(value)}: the card has points "
        "of its own for this code, which does not count as a number"
    )


def _stepped(
    name: str, bins: Sequence[tuple[Interval, Group]], other: Fraction | None, what: str
) -> tuple[list[Cut], list[Fraction]]:
    """Return the cuts between bins and the points between cuts; `other` for numbers in no bin."""
    order = sorted(bins, key=lambda one: (one[0].low is not None, one[0].low or Fraction(0), not one[0].closed[0]))
    cuts: list[Cut] = []
    levels: list[Fraction] = []
    end: Cut | None = None
    for interval, group in order:
        start = None if interval.low is None else Cut(interval.low, interval.closed[0])
        if _is_empty(interval):
            raise ModelImportError(f"feature {shown(name)!r}: the bin {shown(group.text)!r} has no number")
        if levels and (start is None or end is None or _after(end, start)):
            raise ModelImportError(f"feature {shown(name)!r}: the bin {shown(group.text)!r} overlaps another")
        if start is not None and start != end:
            if levels and end is not None:
                cuts.append(end)
            levels.append(_gap(name, group, other, what))
        if start is not None:
            cuts.append(start)
        levels.append(group.points)
        end = None if interval.high is None else Cut(interval.high, not interval.closed[1])
    if end is not None:
        cuts.append(end)
        levels.append(_gap(name, order[-1][1], other, what))
    return cuts, levels


def _is_empty(interval: Interval) -> bool:
    """Return whether an interval of two ends holds no number."""
    low, high, closed = interval
    return low is not None and high is not None and (low > high or (low == high and closed != (True, True)))


def _after(one: Cut, other: Cut) -> bool:
    """Return whether a cut is above another: at one number, the cut with the number below it is."""
    return (one.number, not one.strict) > (other.number, not other.strict)


def _gap(name: str, group: Group, other: Fraction | None, what: str) -> Fraction:
    """Return the points of numbers beside a bin that no bin has."""
    if other is None:
        raise ModelImportError(
            f"say with {argument('unlisted', {name: 'POINTS'})} what numbers in no bin get: there are such beside the "
            f"bin {shown(group.text)!r} of {shown(name)!r} ({what})"
        )
    return other


def _number(text: str) -> Fraction | None:
    """Return the number that a value is, None for other values."""
    try:
        return Fraction(text) if len(text) <= 40 and "/" not in text and "e" not in text.lower() else None
    except ValueError:
        return None


def _listed(names: Iterable[str]) -> str:
    """Return a bounded number of names."""
    return listed(names, 4, lambda name: shown(name[:30]), 100)
