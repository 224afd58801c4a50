"""Trees that split by sets of categories, under a spec, which has a column for each value, or one of ranks.

A library keeps a category as a code and sends the codes of a set to one side. A split becomes questions about the
columns, one for each value of the smaller side, below which what stands on that side is repeated; further splits of the
same category are then answered already. Where that makes trees too large, a set is a column of its own
(:mod:`equiproof.certify.sets`), which holds for non-sensitive categories with one column a value.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import NamedTuple

import msgspec

from equiproof.certify.models.ensembles.ensemble import BEYOND, MAX_NODES, Category, Ensemble, Split, Tree
from equiproof.certify.models.ensembles.lacking import says_nothing_of
from equiproof.certify.models.importing.errors import ModelImportError, listed, shown
from equiproof.certify.models.importing.values import Values, matched
from equiproof.certify.sets import Sets
from equiproof.circuits.arguments import argument
from equiproof.circuits.categories import Category as SpecCategory
from equiproof.circuits.categories import categories_of
from equiproof.circuits.encodings import ENCODINGS
from equiproof.circuits.encodings.missing import LISTED
from equiproof.circuits.spec import Feature, Spec

_HALF = Fraction(1, 2)

_MORE = 2
"""How many times the splits of a model questions may be, before sets become columns."""


class Held(NamedTuple):
    """What is known of a category on the way to a node: the places of its values in the domain, and may it be missing.

    Both are empty where nobody comes.
    """

    values: frozenset[int]
    lacking: bool


State = Mapping[int, Held]
"""What is known of each category, by input."""


class _Asked(NamedTuple):
    """A category in the spec: the code of each value, None where the library takes it for missing, and its columns.

    `category` is what the spec says of one of which sets can be asked.
    """

    codes: tuple[int | None, ...]
    columns: range
    lacking: bool
    category: SpecCategory | None = None

    @property
    def everything(self) -> Held:
        """What is known of it before it was asked."""
        return Held(frozenset(range(len(self.codes))), self.lacking)

    def above(self, split: Split, held: Held) -> frozenset[int]:
        """Return the values that go above."""
        among = split.among or frozenset()
        return frozenset(
            one for one in held.values if (bool(split.missing) if (code := self.codes[one]) is None else code in among)
        )


def by_category(ensemble: Ensemble, spec: Spec, values: Values, names: Sequence[str] | None) -> Ensemble:
    """Return an ensemble that asks columns of numbers, and sets only where questions would be many more.

    `names` are those of its inputs. `values` has the model's spelling of the spec's values where it is another one, ""
    for one that the model never saw, which goes where the library sends such values. Raises ModelImportError naming a
    category that the spec does not have as one, a value that the model does not know, and where there are more splits
    than are read.
    """
    if names is None or len(names) != ensemble.inputs:
        raise ModelImportError(
            f"name the model's {ensemble.inputs} inputs in its order with {argument('columns')}: it does not name them"
        )
    if ensemble.front:
        raise ModelImportError(
            "import the trees alone, without the steps before them: they split by categories, or the spec lists a "
            "missing value"
        )
    features = {feature.name: feature for feature in spec.features}
    ensemble = _with_listed(ensemble, [features.get(name) for name in names])
    silent = {split.column for tree in ensemble.trees for split in tree.splits if split.missing is None}
    plain = {names_of[0]: one for one, names_of in zip(categories_of(spec), _blocks(spec), strict=True)}
    columns: list[str] = []
    places: list[int] = []
    asked: dict[int, _Asked] = {}
    for place, name in enumerate(names):
        places.append(len(columns))
        if place not in ensemble.categories:
            columns.append(name)
            continue
        feature = _feature(features, name)
        own = ENCODINGS[feature.encoding].column_names(feature)
        by_value = codes_of(feature, ensemble.categories[place], values.get(name, {}))
        codes = tuple(by_value.values())
        lacks = feature.may_miss or (feature.lists_missing and by_value[LISTED] is None)
        if (lacks and ensemble.categories[place].silent) or ((lacks or None in codes) and place in silent):
            raise says_nothing_of(name)
        asked[place] = _Asked(codes, range(len(columns), len(columns) + len(own)), feature.may_miss, plain.get(own[0]))
        columns += own
    kept = dataclasses.replace(
        ensemble, inputs=len(columns), columns=tuple(columns), trees=(), categories={}, ranked={}, one_hot={}
    )
    splits = sum(len(tree.splits) for tree in ensemble.trees)
    asking = partial(_grown, ensemble, asked, places)
    try:
        return dataclasses.replace(kept, trees=asking(min(MAX_NODES, _MORE * splits), None))
    except _TooManyError:
        found = _Found(asked, len(columns), missing=spec.has_missing)
    try:
        trees = asking(MAX_NODES, found)
        if all(len(tree.columns) < 2 for tree in trees):
            # An additive model has no relation with sets.
            return dataclasses.replace(kept, trees=asking(MAX_NODES, None))
    except _TooManyError:
        raise ModelImportError(
            "train fewer or smaller trees, or give categories with fewer values: once the trees ask for values, there "
            f"are more than {MAX_NODES:,} splits"
        ) from None
    note = (
        f"{found.count} sets of values of {listed([names[place] for place in found.order])} are columns of their own: "
        "no radius reaches another value of these"
    )
    return dataclasses.replace(kept, trees=found.placed(trees), sets=found.sets, notes=(*kept.notes, note))


def _blocks(spec: Spec) -> list[list[str]]:
    """Return the names of the columns of each non-sensitive category with one column a value."""
    firsts = {one.first for one in categories_of(spec)}
    column = 0
    blocks = []
    for feature in spec.plain_features:
        if column in firsts:
            blocks.append(list(ENCODINGS[feature.encoding].column_names(feature)))
        column += feature.width
    return blocks


class _TooManyError(Exception):
    """More splits than are wanted."""


def _grown(
    ensemble: Ensemble, asked: Mapping[int, _Asked], places: Sequence[int], most: int, found: _Found | None
) -> tuple[Tree, ...]:
    """Return the trees of questions, and of sets where there is a place for them; raises _TooManyError."""
    trees: list[Tree] = []
    for tree in ensemble.trees:
        trees.append(_Growing(tree, asked, places, most, found).tree())
        most -= len(trees[-1].splits)
    return tuple(trees)


class _Found:
    """The sets that trees ask, by input; each is a column behind `first` others."""

    def __init__(self, asked: Mapping[int, _Asked], first: int, *, missing: bool) -> None:
        self._asked = asked
        self._first = first
        self._missing = missing
        self._members: dict[int, dict[tuple[int, ...], int]] = {}
        self.count = 0

    def column(self, place: int, above: frozenset[int], *, missing: bool) -> tuple[int, bool]:
        """Return a column for a set of values and whether it is turned round, which says who is not in the set."""
        bits = [int(value in above) for value in range(len(self._asked[place].codes))]
        bits += [int(missing)] if self._missing else []
        turned = bits[0] == 1
        members = tuple(1 - bit for bit in bits) if turned else tuple(bits)
        own = self._members.setdefault(place, {})
        if members not in own:
            own[members] = self._first + self.count
            self.count += 1
        return own[members], turned

    @property
    def sets(self) -> tuple[Sets, ...]:
        """The sets by category, as many as a power of two: how many there are says little about the model."""
        found = []
        for place in self.order:
            category, members = self._asked[place].category, list(self._members[place])
            assert category is not None  # noqa: S101 - only such categories are asked by sets
            members += [(0,) * len(members[0])] * ((1 << (len(members) - 1).bit_length()) - len(members))
            found.append(Sets(msgspec.structs.replace(category, sets=len(members)), tuple(members)))
        return tuple(found)

    @property
    def order(self) -> list[int]:
        """The inputs by their columns in the spec."""
        return sorted(self._members, key=lambda place: _first_of(self._asked[place]))

    def placed(self, trees: Sequence[Tree]) -> tuple[Tree, ...]:
        """Return trees whose columns of sets stand category by category."""
        at = dict[int, int]()
        behind = self._first
        for place, sets in zip(self.order, self.sets, strict=True):
            at |= {column: behind + number for number, column in enumerate(self._members[place].values())}
            behind += len(sets.members)
        return tuple(
            Tree(
                tuple(dataclasses.replace(split, column=at.get(split.column, split.column)) for split in tree.splits),
                tree.leaves,
            )
            for tree in trees
        )


def _first_of(asked: _Asked) -> int:
    """Return the first column of a category in the spec."""
    return 0 if asked.category is None else asked.category.first


def asks_categories(ensemble: Ensemble, spec: Spec) -> bool:
    """Return whether trees split by categories, or a sensitive category lists a missing value that no encoder knows."""
    encoded = {*ensemble.ranked, *ensemble.one_hot}
    listed = any(feature.lists_missing and feature.name not in encoded for feature in spec.features)
    return bool(ensemble.categories) or listed


def _with_listed(ensemble: Ensemble, features: Sequence[Feature | None]) -> Ensemble:
    """Return an ensemble that splits by categories where an input has ranks and the spec lists a missing value."""
    ranked = {
        place: Category({value: rank for rank, value in enumerate(feature.domain) if value != LISTED})
        for place, feature in enumerate(features)
        if feature is not None and feature.lists_missing and place not in ensemble.categories
    }
    if not ranked:
        return ensemble
    trees = (Tree(tuple(_by_rank(split, ranked) for split in tree.splits), tree.leaves) for tree in ensemble.trees)
    return dataclasses.replace(ensemble, trees=tuple(trees), categories={**ensemble.categories, **ranked})


def _by_rank(split: Split, ranked: Mapping[int, Category]) -> Split:
    """Return a split of ranks as one of a category: those that a threshold lets above."""
    if split.column not in ranked:
        return split
    ranks = ranked[split.column].codes.values()
    passing = (rank for rank in ranks if (rank >= split.threshold if split.strict else rank > split.threshold))
    return dataclasses.replace(split, among=frozenset(passing))


def _feature(features: Mapping[str, Feature], name: str) -> Feature:
    """Return the category of this name."""
    feature = features.get(name)
    if feature is None or feature.kind != "categorical":
        raise ModelImportError(
            f"make {shown(name)!r} a category of the spec, with the values that the model has: the model splits it by "
            "categories"
        )
    return feature


def codes_of(feature: Feature, category: Category, given: Mapping[str, str]) -> dict[str, int | None]:
    """Return the code of each value of a feature, None for one that the library takes for missing."""
    ours = list(map(str, feature.domain))
    codes: dict[str, int | None] = {**category.known([given.get(one, one) for one in ours])}
    if feature.lists_missing:
        codes.setdefault(LISTED, None)
    known = matched(feature.name, ours, list(codes), given)
    return {value: category.unseen if text is None else codes[text] for value, text in known.items()}


class _Growing:
    """A tree while its splits by categories become questions; `left` is how many splits it may have."""

    def __init__(
        self, tree: Tree, asked: Mapping[int, _Asked], places: Sequence[int], left: int, found: _Found | None
    ) -> None:
        self._tree = tree
        self._asked = asked
        self._places = places
        self._left = left
        self._found = found
        self._questions: list[tuple[int, Fraction, bool, bool | None]] = []
        self._ways: list[list[int]] = []
        self._leaves: list[Fraction] = []
        self._waiting: list[tuple[int, State, tuple[int, int] | None]] = []

    def tree(self) -> Tree:
        """Return the tree of questions."""
        self._waiting.append((0 if self._tree.splits else ~0, {}, None))
        while self._waiting:
            start, state, parent = self._waiting.pop()
            node = self._settled(start, state)
            if parent is not None:
                self._ways[parent[0]][parent[1]] = len(self._ways) if node >= 0 else ~len(self._leaves)
            if node < 0:
                self._leaves.append(self._tree.leaves[~node])
                continue
            split = self._tree.splits[node]
            if split.column in self._asked:
                self._part(node, split, state)
            else:
                place = self._ask(self._places[split.column], split.threshold, split.strict, split.missing)
                self._lead(place, (split.below, state), (split.above, state))
            if len(self._ways) > self._left:
                raise _TooManyError
        splits = (
            Split(column, threshold, strict, ways[0], ways[1], missing)
            for (column, threshold, strict, missing), ways in zip(self._questions, self._ways, strict=True)
        )
        return Tree(tuple(splits), tuple(self._leaves))

    def _settled(self, node: int, state: State) -> int:
        """Return the node that everybody comes to from a node: past splits of which the answer is known."""
        while node >= 0 and (category := self._asked.get(self._tree.splits[node].column)) is not None:
            split = self._tree.splits[node]
            held = state.get(split.column, category.everything)
            above = category.above(split, held)
            ways = {bool(split.missing)} if held.lacking else set[bool]()
            ways |= ({True} if above else set()) | ({False} if len(above) < len(held.values) else set())
            if len(ways) > 1:
                break
            node = split.above if True in ways else split.below
        return node

    def _part(self, node: int, split: Split, state: State) -> None:
        """Ask which side of a split a row is on: for its value, and whether it is missing."""
        category = self._asked[split.column]
        held = state.get(split.column, category.everything)
        above = category.above(split, held)
        if self._found is not None and category.category is not None:
            self._part_set(node, state, self._found)
        elif not above or above == held.values:
            place = self._ask(category.columns[0], BEYOND, False, True)
            stated, missing = Held(held.values, lacking=False), Held(frozenset(), lacking=True)
            self._lead(place, (node, {**state, split.column: stated}), (node, {**state, split.column: missing}))
        elif len(category.columns) == 1:
            self._part_ranks(node, state, above)
        else:
            self._part_each(node, state, above)

    def _part_set(self, node: int, state: State, found: _Found) -> None:
        """Ask whether the value is in the set."""
        split = self._tree.splits[node]
        category = self._asked[split.column]
        held = state.get(split.column, category.everything)
        up = bool(split.missing)
        column, turned = found.column(split.column, category.above(split, category.everything), missing=up)
        above = category.above(split, held)
        there = (node, {**state, split.column: Held(above, held.lacking and up)})
        here = (node, {**state, split.column: Held(held.values - above, held.lacking and not up)})
        place = self._ask(column, _HALF, False, False)
        self._lead(place, *((there, here) if turned else (here, there)))

    def _part_ranks(self, node: int, state: State, above: frozenset[int]) -> None:
        """Halve the values of a column of ranks where the side changes; a missing value goes where its side is."""
        split = self._tree.splits[node]
        category = self._asked[split.column]
        held = state.get(split.column, category.everything)
        order = sorted(held.values)
        ends = [at for at in range(1, len(order)) if (order[at] in above) != (order[at - 1] in above)]
        cut = ends[len(ends) // 2]
        low, high = frozenset(order[:cut]), frozenset(order[cut:])
        missing_up = held.lacking and not low & (above if split.missing else held.values - above)
        place = self._ask(category.columns[0], order[cut] - _HALF, False, missing_up)
        self._lead(
            place,
            (node, {**state, split.column: Held(low, held.lacking and not missing_up)}),
            (node, {**state, split.column: Held(high, missing_up)}),
        )

    def _part_each(self, node: int, state: State, above: frozenset[int]) -> None:
        """Ask for each value of the smaller side; a missing value of that side goes with the first of them."""
        split = self._tree.splits[node]
        category = self._asked[split.column]
        held = state.get(split.column, category.everything)
        below = held.values - above
        each, rest = (above, below) if len(above) <= len(below) else (below, above)
        missing_first = held.lacking and bool(split.missing) == (each is above)
        waiting = Held(rest, held.lacking and not missing_first)
        first = len(self._ways)
        for place, value in enumerate(sorted(each), start=first):
            with_missing = missing_first and place == first
            self._ask(category.columns[value], _HALF, False, with_missing)
            self._ways[place][0] = place + 1
            own = Held(frozenset((value,)), with_missing)
            self._waiting.append((node, {**state, split.column: own}, (place, 1)))
        self._waiting.append((node, {**state, split.column: waiting}, (len(self._ways) - 1, 0)))

    def _ask(self, column: int, threshold: Fraction, strict: bool, missing: bool | None) -> int:
        """Add a split that leads nowhere yet, and return its place."""
        self._questions.append((column, threshold, strict, missing))
        self._ways.append([0, 0])
        return len(self._ways) - 1

    def _lead(self, place: int, below: tuple[int, State], above: tuple[int, State]) -> None:
        """Have both sides of a split grown."""
        self._waiting += [(*above, (place, 1)), (*below, (place, 0))]
