"""Recourse for somebody who is refused for every listed value: a none, ways, that it depends on them, or undecided.

A *none* first, which is fastest: everybody whom the rules allow them to become is refused. Else the cheapest choice of
changes with which the model grants whatever the sensitive values are, and the box of everybody who goes at least so
far: a *way* where that box is decided, and with a larger margin of the score until one is. Where no choice is granted
for all listed values, but one is for some, recourse *depends* on a sensitive value, which is unfair. In all other
cases it is *undecided*: nothing is claimed of all allowed changes, and of a part of them where the box of that part is
decided, in which each number goes only so far of the way to its ends.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from heapq import heappop, heappush
from typing import Any, ClassVar, Literal

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.boxes import BoxRoom, Decided, Model, decide_box, margin
from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.people import Box, BoxError
from equiproof.certify.recourse import additive, ensembles, networks
from equiproof.certify.recourse.asked import Asked, Cheapest, cost_of
from equiproof.certify.recourse.moves import Mover, Number, Option, movers
from equiproof.circuits.allowed import Allowed, Wish, allowed, integer_ends
from equiproof.circuits.categories import choices_of
from equiproof.circuits.exit_codes import MISUSED
from equiproof.circuits.spec import Spec

Outcome = Literal["way", "none", "dependent", "undecided"]

Why = Literal["seconds", "room", "sets", "ends"]
"""Why nothing is claimed: the budget ended, the room of the key was too small, the model asks for sets of the values of
a category that is free, or only people between or beyond the values that the rules allow are decided otherwise, whom a
box has too."""

MOST = 4
"""How many ways are looked for that change different features."""

PARTS = (10, 25, 50, 75, 90)
"""The percents of what numbers may change of which a none is tried where that of all is not decided. Less is no answer
to anybody, and each further one costs a search."""

_TRIES = 7
"""How many choices are tried for a box that is decided, each with a larger margin than the one before."""


@dataclass(frozen=True)
class Way:
    """A choice of changes that is enough, with more of each number too. The repr shows the cost alone.

    `ends` are those of its box by plain feature, as an opened box has them, `changed` the features that it changes, in
    the spec's order.
    """

    cost: Fraction
    changed: tuple[str, ...] = field(repr=False)
    ends: Mapping[str, tuple[Any, ...]] = field(repr=False)
    evidence: Decided = field(repr=False)


@dataclass(frozen=True)
class Witness:
    """Somebody whom the rules allow an applicant to become, with a row that is granted and one that is not.

    The values are raw by plain feature. It is the owner's: of the applicant's change and the model's decision at once.
    """

    changed: tuple[str, ...] = field(repr=False)
    values: Mapping[str, Any] = field(repr=False)
    granted: tuple[int, ...] = field(repr=False)
    refused: tuple[int, ...] = field(repr=False)


@dataclass(frozen=True)
class Recourse:
    """What was found of somebody who is decided `refused`.

    The outcome has ways, the cheapest first, or the ends of a none's box, or a witness. No choice costs less than
    `lower`, None where there is none at all. With `cut` the budget ended the search before all was looked for. `why` is
    set where neither was found: then `ends` are those of the box of
    a part of what is allowed, `within` so many percent, where nobody in it is decided otherwise,
    and `numbers` are those of the numbers that may change.
    """

    outcome: Outcome
    refused: int
    ways: tuple[Way, ...] = ()
    ends: Mapping[str, tuple[Any, ...]] | None = field(default=None, repr=False)
    evidence: Decided | None = field(default=None, repr=False)
    witness: Witness | None = field(default=None, repr=False)
    lower: Fraction | None = None
    why: Why | None = None
    cut: bool = False
    within: int | None = None
    numbers: Mapping[str, tuple[Any, ...]] = field(default_factory=dict, repr=False)
    seconds: float = 0.0

    @property
    def is_claim(self) -> bool:
        """Whether there is something to prove: ways, or that none helps of all or of a part."""
        return bool(self.ways) or self.ends is not None

    def keeping(self, most: int) -> Recourse:
        """Return the same with so many ways at most, the cheapest ones."""
        return replace(self, ways=self.ways[:most])


class NotRefusedError(ValueError):
    """Somebody who is not refused for every listed value: nothing is asked of recourse there; one line."""

    exit_code: ClassVar[int] = MISUSED


def search(
    model: Model,
    spec: Spec,
    row: Mapping[str, Any],
    refused: int,
    wanted: int,
    room: BoxRoom,
    *,
    wishes: Mapping[str, Wish] | None = None,
    most: int = MOST,
    seconds: float | None = None,
) -> Recourse:
    """Return what somebody with this raw row, whom the model decides `refused`, can do to be decided `wanted`.

    `most` limits the ways that are looked for. Raises NotRefusedError for whom the model does not refuse on every row
    of the spec's table, and WishError for wishes that do not fit the rules.
    """
    begun = time.monotonic()
    query = tuple(spec.encode(row))
    if any(margin(model, refused, (*query, *one)) < 1 for one in spec.domain_table):
        raise NotRefusedError("give an applicant who is refused for every listed value of the sensitive features")
    may = allowed(spec, row, wishes or {})
    case = _Case(model, spec, row, refused, wanted, room, may, query, None if seconds is None else begun + seconds)
    found = case.found(most)
    return replace(found, seconds=time.monotonic() - begun)


@dataclass(frozen=True)
class _Case:
    """One applicant."""

    model: Model
    spec: Spec
    row: Mapping[str, Any]
    refused: int
    wanted: int
    room: BoxRoom
    may: Allowed
    query: tuple[int, ...]
    until: float | None

    @property
    def left(self) -> float | None:
        """The seconds that are left, a little at least; None where work is limited in their place."""
        return None if self.until is None else max(0.05, self.until - time.monotonic())

    @property
    def is_over(self) -> bool:
        """Whether no second is left."""
        return self.until is not None and time.monotonic() >= self.until

    def found(self, most: int) -> Recourse:
        """Return the outcome, and where it is undecided the largest part of which a none is decided."""
        whole = self._of_all(most)
        if whole.outcome == "undecided" and (whole.why == "seconds" or self.is_over):
            whole = replace(whole, cut=True)
        if whole.outcome != "undecided" or not self.may.numbers or whole.why == "sets":
            return whole
        found, first, last = whole, -1, len(PARTS)
        # A box that is decided holds every box of a smaller part.
        while last - first > 1 and not self.is_over:
            middle = (first + last) // 2
            ends = self.may.within(PARTS[middle]).box(self.spec)
            none = self._judged(box_of(self.spec, ends), self.refused, 4)
            if none.holds:
                first, found = middle, replace(whole, ends=ends, evidence=none, within=PARTS[middle])
            else:
                last = middle
        if found.ends is None:
            return found
        return replace(found, numbers={name: found.ends[name] for name in self.may.numbers})

    def _of_all(self, most: int) -> Recourse:
        """Return the outcome of all that is allowed."""
        ends = self.may.box(self.spec)
        box = box_of(self.spec, ends)
        none = self._judged(box, self.refused, 4)
        if none.holds:
            return Recourse("none", self.refused, ends=ends, evidence=none)
        asked = Asked(
            self.query, self.spec.domain_table, self.wanted, movers(self.spec, self.may), choices_of(self.spec)
        )
        first = self._cheapest(asked)
        if first.taken is None:
            return self._without(asked, none, first)
        way, why = self._way(asked, first)
        lower = first.lower
        if way is None:
            return Recourse("undecided", self.refused, lower=lower, why=why)
        ways = [way, *(self._others(asked, way, most - 1) if most > 1 else ())]
        cut = not first.complete or self.is_over
        return Recourse("way", self.refused, tuple(sorted(ways, key=lambda one: one.cost)), lower=lower, cut=cut)

    def _without(self, asked: Asked, none: Decided, every: Cheapest) -> Recourse:
        """Return the outcome where no choice is known that is granted for every listed value."""
        some = self._cheapest(asked, every=False)
        if some.taken is not None and every.complete:
            return Recourse("dependent", self.refused, witness=self._witness(asked, some.taken))
        if not every.complete or not some.complete:
            return Recourse("undecided", self.refused, lower=every.lower, why="seconds")
        return Recourse("undecided", self.refused, why=why_not(none))

    def _cheapest(self, asked: Asked, *, margin: int = 1, every: bool = True) -> Cheapest:
        """Return the cheapest choice, by the search of the model's class."""
        return cheapest(self.model, asked, margin=margin, every=every, seconds=self._share(2))

    def _share(self, parts: int) -> float | None:
        """Return a part of the seconds that are left."""
        return None if self.left is None else max(0.05, self.left / parts)

    def _way(self, asked: Asked, first: Cheapest) -> tuple[Way | None, Why]:
        """Return the way of the cheapest choice, or of a dearer one whose box holds; without one, why there is none.

        Where none does, numbers end nearer than the rules allow.
        """
        why: Why = "ends"
        found, wanted = first, 1
        for _ in range(_TRIES):
            taken = found.taken
            if taken is None:
                break
            decided = self._decided(asked, taken)
            if decided.holds:
                return self._as_way(taken, decided), why
            why = why_not(decided)
            if self.is_over:
                return None, "seconds"
            if isinstance(self.model, AdditiveModel):
                found = additive.cheapest(self.model, asked, beyond=True, seconds=self._share(2))
            else:
                wanted = self._raised(asked, taken, decided, wanted)
                found = self._cheapest(asked, margin=wanted)
        if first.taken is None:
            return None, why
        way = self._narrowed(asked, first.taken)
        return way, why if way is not None or not self.is_over else "seconds"

    def _decided(self, asked: Asked, taken: Sequence[Option]) -> Decided:
        """Return whether everybody in the box of a choice is decided as wanted."""
        return self._judged(asked.box(taken), asked.label, 3)

    def _judged(self, box: Box, label: int, parts: int) -> Decided:
        """Return whether a label is decided on a box, with a part of the seconds that are left."""
        try:
            return decide_box(self.model, box, self.spec.domain_table, label, self.room, self._share(parts))
        except BoxError:
            # An open category of whose values the model asks sets: no circuit has such a box.
            return Decided(lacking="sets")

    def _narrowed(self, asked: Asked, taken: Sequence[Option]) -> Way | None:
        """Return the way of a choice whose numbers end as far beyond what is shown as the box holds; None without."""
        own = [self._ended(mover, option, 0) for mover, option in zip(asked.movers, taken, strict=True)]
        decided = self._decided(asked, own)
        if not decided.holds:
            return None
        for place, (mover, option) in enumerate(zip(asked.movers, taken, strict=True)):
            if option.step is None or self.is_over:
                continue
            # A box that is decided holds every box that ends nearer: so the last end is found by halving.
            room = self._steps(mover, option)
            low, high = 0, room + 1
            while high - low > 1 and not self.is_over:
                middle = room if high == room + 1 and low == 0 else (low + high) // 2
                tried = [*own[:place], self._ended(mover, option, middle), *own[place + 1 :]]
                found = self._decided(asked, tried)
                if found.holds:
                    low, own, decided = middle, tried, found
                else:
                    high = middle
        return self._as_way(own, decided)

    @staticmethod
    def _steps(mover: Mover, option: Option) -> int:
        """Return how many steps of a number lie beyond an option."""
        if not isinstance(mover, Number) or option.step is None:
            return 0
        direction, number = option.step
        return mover.count(direction) - 1 - number

    @staticmethod
    def _ended(mover: Mover, option: Option, steps: int) -> Option:
        """Return an option that ends so many steps beyond what it shows."""
        if not isinstance(mover, Number) or option.step is None:
            return option
        direction, number = option.step
        return mover.at(direction, number, number + steps)

    def _raised(self, asked: Asked, taken: Sequence[Option], decided: Decided, wanted: int) -> int:
        """Return the margin that is asked for next: half of what the box's worst lacks is added to the point's own."""
        point = asked.point(taken)
        here = min(margin(self.model, asked.label, (*point, *row)) for row in asked.table)
        short = here if decided.wrong is None else 1 - decided.wrong.margin
        return max(wanted + 1, here + (short + 1) // 2)

    def _others(self, asked: Asked, first: Way, most: int) -> Iterator[Way]:
        """Yield ways that change other features, cheapest first: none changes all that an earlier one does.

        Each is the cheapest one with a feature of every way before it kept as it is.
        """
        met = [frozenset(first.changed)]
        tried: set[frozenset[str]] = set()
        waiting: list[tuple[Fraction, int, frozenset[str], Cheapest]] = []

        def keep(fixed: frozenset[str]) -> None:
            """Look for the cheapest choice with these features kept as they are, once."""
            if fixed in tried or self.is_over:
                return
            tried.add(fixed)
            found = self._cheapest(asked.without(fixed))
            if found.cost is not None:
                heappush(waiting, (found.cost, len(tried), fixed, found))

        for name in first.changed:
            keep(frozenset({name}))
        while len(met) <= most and waiting and not self.is_over:
            _, _, fixed, found = heappop(waiting)
            way, _ = self._way(asked.without(fixed), found)
            if way is None:
                continue
            if not any(one <= frozenset(way.changed) for one in met):
                met.append(frozenset(way.changed))
                yield way
            for name in way.changed:
                keep(fixed | {name})

    def _as_way(self, taken: Sequence[Option], decided: Decided) -> Way:
        """Return a way with the ends of all features, those that stay as they are today."""
        ends = dict(self._today)
        for option in taken:
            ends |= option.ends
        changed = {name for option in taken for name in option.shown}
        order = tuple(feature.name for feature in self.spec.plain_features if feature.name in changed)
        return Way(cost_of(taken), order, ends, decided)

    @cached_property
    def _today(self) -> Mapping[str, tuple[Any, ...]]:
        """The ends of somebody who changes nothing."""
        return allowed(self.spec, self.row, {name: Wish(fixed=True) for name in self.may.features}).box(self.spec)

    def _witness(self, asked: Asked, taken: Sequence[Option]) -> Witness:
        """Return who depends on a sensitive value."""
        shown = {name: value for option in taken for name, value in option.shown.items()}
        values = {feature.name: self.row.get(feature.name) for feature in self.spec.plain_features} | shown
        point = asked.point(taken)
        rows = {margin(self.model, asked.label, (*point, *row)): tuple(row) for row in asked.table}
        return Witness(tuple(name for name in values if name in shown), values, rows[max(rows)], rows[min(rows)])


def why_not(decided: Decided) -> Why:
    """Return why a box is not decided."""
    if decided.lacking is None:
        return "ends"
    return "sets" if decided.lacking == "sets" else "room"


def box_of(spec: Spec, ends: Mapping[str, tuple[Any, ...]]) -> Box:
    """Return the box of ends by feature that fit a spec."""
    low: list[int] = []
    high: list[int] = []
    for feature in spec.plain_features:
        least, most = integer_ends(spec, feature, ends[feature.name])
        low += least
        high += most
    padding = (0,) * spec.padding
    return Box((*low, *padding), (*high, *padding), choices_of(spec))


def cheapest(
    model: Model, asked: Asked, *, margin: int = 1, every: bool = True, seconds: float | None = None
) -> Cheapest:
    """Return the cheapest choice whose margin is so large on every row of the table, or without `every` on some row.

    What is beyond the shown values plays no part.
    """
    if isinstance(model, AdditiveModel):
        return additive.cheapest(model, asked, margin=margin, every=every, beyond=False, seconds=seconds)
    if isinstance(model, EnsembleModel):
        return ensembles.cheapest(model, asked, margin=margin, every=every, seconds=seconds)
    return networks.cheapest(model, asked, margin=margin, every=every, seconds=seconds)
