"""Explainable boosting machines of interpret: the JSON that `to_json` writes; the library itself is not needed."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

import msgspec

from equiproof.certify.data.labels import class_of
from equiproof.certify.models.ensembles.ensemble import BEYOND, Ensemble, Scale, Split, Tree, of_number
from equiproof.certify.models.ensembles.members import decoded, newer
from equiproof.certify.models.importing.errors import ModelImportError, shown
from equiproof.certify.models.importing.values import Values, matched, refuse_unused
from equiproof.circuits.encodings import ENCODINGS
from equiproof.circuits.encodings.missing import LISTED
from equiproof.circuits.spec import Spec

KIND = "interpret"

_CATEGORIES = ("nominal", "ordinal")
"""The types of features with a bin for each value."""

_HALF = Fraction(1, 2)

MAX_CELLS = 4096
"""The most cells of a pair that are read."""


_KINDS = (("classification", "logit"), ("regression", "identity"))
"""The tasks and links that are read."""

NEWEST = (1, 0)
"""The version of the format that the newest release tested writes."""

_RELEASE = "0.7.8"


class _Output(msgspec.Struct, forbid_unknown_fields=True):
    """An output; a regressor's has the least and the largest target of its training."""

    task: str
    min_target: msgspec.Raw = msgspec.Raw()
    max_target: msgspec.Raw = msgspec.Raw()
    link: str = ""
    link_param: float | str | None = None
    classes: list[str | int | float | bool] = []


class _Feature(msgspec.Struct, forbid_unknown_fields=True):
    """A feature; what is left unread here describes the rows that it was trained on."""

    name: str
    type: str
    cuts: list[list[float]] = []
    categories: list[list[str | list[str]]] = []
    num_unique_vals: msgspec.Raw = msgspec.Raw()
    min: msgspec.Raw = msgspec.Raw()
    max: msgspec.Raw = msgspec.Raw()
    histogram_weights: msgspec.Raw = msgspec.Raw()


class _Term(msgspec.Struct, forbid_unknown_fields=True):
    """The scores of one feature or of several; what is left unread here are parts that `scores` is the mean of."""

    term_features: list[str]
    scores: list[Any]
    standard_deviations: msgspec.Raw = msgspec.Raw()
    bagged_scores: msgspec.Raw = msgspec.Raw()
    bin_weights: msgspec.Raw = msgspec.Raw()


class _Machine(msgspec.Struct, forbid_unknown_fields=True):
    outputs: list[_Output]
    intercept: list[float]
    features: list[_Feature]
    terms: list[_Term]
    bagged_intercept: msgspec.Raw = msgspec.Raw()
    bag_weights: msgspec.Raw = msgspec.Raw()
    best_iteration: msgspec.Raw = msgspec.Raw()
    noise_scale_binning: msgspec.Raw = msgspec.Raw()
    noise_scale_boosting: msgspec.Raw = msgspec.Raw()
    implementation: msgspec.Raw = msgspec.Raw()
    implementation_params: msgspec.Raw = msgspec.Raw()


class _File(msgspec.Struct, forbid_unknown_fields=True):
    ebm: _Machine
    version: str = ""


class _FirstOutput(msgspec.Struct):
    task: str
    link: str = ""


class _FirstMachine(msgspec.Struct):
    outputs: list[_FirstOutput]
    intercept: list[Any]


class _First(msgspec.Struct):
    """What is read first: machines of other tasks have other members, and are refused as such."""

    ebm: _FirstMachine


class _Axis(NamedTuple):
    """The bins of a feature as a term tells them apart, by their place among its scores.

    Bins between ascending `cuts` of one column are parted at the middle one. A bin for each one-hot column of `columns`
    is parted from those behind it. With `missing` the last place is the bin of missing values, which is parted first.
    """

    places: Sequence[int]
    columns: Sequence[int]
    cuts: Sequence[Fraction] | None
    strict: bool
    missing: bool

    def parted(self, low: int, high: int) -> tuple[int, Fraction, tuple[int, int], tuple[int, int]]:
        """Return how bins from `low` to `high` are parted: column, threshold, the bins below and those above."""
        if self.missing and high == len(self.places) - 1:
            return self.columns[0], BEYOND, (low, high - 1), (high, high)
        if self.cuts is None:
            return self.columns[low], _HALF, (low + 1, high), (low, low)
        middle = (low + high) // 2
        return self.columns[0], self.cuts[middle], (low, middle), (middle + 1, high)


@dataclass(frozen=True, repr=False)
class Machine:
    """A machine with features of categories: it is an ensemble only under a spec that says how they are written."""

    outputs = 1
    """The number of logits: two classes only."""

    kind = KIND
    document: _Machine
    notes: tuple[str, ...] = ()

    @property
    def scale(self) -> Scale:
        """What the score is."""
        return "share" if self.document.outputs[0].task == "regression" else "logit"

    def __repr__(self) -> str:
        """Show the number of features only: scores are secret."""
        return f"<{type(self).__name__} of {len(self.document.features)} features>"

    @property
    def classes(self) -> tuple[str | int, ...] | None:
        """The classes, None where the file does not name them."""
        return _classes(self.document)

    def categories(self) -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]], tuple[str, ...]]:
        """Return the values of ordered categories and of others, each by feature, and the names of numbers."""
        values = {one.name: _bin_numbers(_resolution(one.categories, 1)) for one in self.document.features}
        types = {one.name: one.type for one in self.document.features}
        ordered, others = (
            {name: tuple(values[name]) for name, own in types.items() if own == kind} for kind in reversed(_CATEGORIES)
        )
        return ordered, others, tuple(name for name, own in types.items() if own not in _CATEGORIES)

    def ensemble(self, spec: Spec, values: Values | None = None) -> Ensemble:
        """Return the machine on raw columns: a category is the rank of its value, or its one-hot columns.

        `values` has the machine's spelling of the spec's values where it is another one; "" is a value that the machine
        does not know, with the score of its bin for those. A missing value has the score of its own bin. Raises
        ModelImportError naming the feature that the spec does not have as a category, and the value of the spec that
        the machine does not know.
        """
        features = {feature.name: feature for feature in spec.features}
        given = values or {}
        refuse_unused(given, spec, [one.name for one in self.document.features if one.type in _CATEGORIES])
        domains: dict[str, list[str | None]] = {}
        columns: list[str] = []
        places: dict[str, range] = {}
        for feature in self.document.features:
            names: Sequence[str] = (feature.name,)
            if feature.type in _CATEGORIES:
                own = features.get(feature.name)
                if own is None or not own.domain:
                    raise ModelImportError(
                        f"train {shown(feature.name)!r} as 'continuous', or on the spec's values: it is "
                        f"{shown(feature.type)} in the machine and no category of the spec"
                    )
                names = ENCODINGS[own.encoding].column_names(own)
                ours = list(map(str, own.domain))
                theirs = list(_bin_numbers(_resolution(feature.categories, 1)))
                theirs += [LISTED] if own.lists_missing and LISTED not in theirs else []
                known = matched(feature.name, ours, theirs, given.get(feature.name, {}))
                domains[feature.name] = list(known.values())
            places[feature.name] = range(len(columns), len(columns) + len(names))
            columns += names
        notes = (
            f"{shown(name, 40)}: {shown(ours, 40)!r} of the spec is {shown(theirs, 40)!r} to the machine"
            if theirs
            else f"{shown(name, 40)}: {shown(ours, 40)!r} of the spec is unknown to the machine"
            for name, some in given.items()
            for ours, theirs in some.items()
        )
        lacking = {feature.name for feature in spec.features if feature.may_miss}
        return _noted(_ensemble(self.document, places, domains, tuple(columns), lacking), (*self.notes, *notes))


def read_ebm(data: bytes) -> Ensemble | Machine:
    """Read the bytes of a JSON file; raises ModelImportError naming the feature or pair that is not imported.

    A cut belongs to the bin above it. Missing values have a bin of their own, whose score is 0 where there was none in
    training; that of unknown numbers is dropped, as nobody has one. A machine of which some feature is a category is
    read as a :class:`Machine`.
    """
    first = decoded(data, _First, "interpret", _RELEASE).ebm
    output = first.outputs[0] if len(first.outputs) == 1 else None
    if output is None or (output.task, output.link) not in _KINDS or len(first.intercept) != 1:
        raise ModelImportError(
            "only a classifier of two classes with the link logit is read, and a regressor with the link identity"
        )
    file = decoded(data, _File, "interpret", _RELEASE)
    machine = file.ebm
    if machine.outputs[0].link_param not in (None, "nan"):
        raise ModelImportError("train an ExplainableBoostingClassifier as it is: link_param changes the link logit")
    notes = newer(_version(file.version), NEWEST, "interpret's format")
    if stranger := next((one for one in machine.features if one.type not in (*_CATEGORIES, "continuous")), None):
        raise ModelImportError(f"feature {shown(stranger.name)!r}: type {shown(stranger.type)!r} is not read")
    if any(feature.type in _CATEGORIES for feature in machine.features):
        return Machine(machine, notes)
    names = tuple(feature.name for feature in machine.features)
    places = {name: range(place, place + 1) for place, name in enumerate(names)}
    return _noted(_ensemble(machine, places, {}, names, ()), notes)


def _noted(ensemble: Ensemble, notes: Iterable[str]) -> Ensemble:
    """Return an ensemble with notes before its own."""
    return dataclasses.replace(ensemble, notes=(*notes, *ensemble.notes))


def _version(text: str) -> tuple[int, ...]:
    """Read the version of the format, such as 1.0."""
    if not re.fullmatch(r"[0-9]{1,4}(\.[0-9]{1,4}){0,3}", text):
        raise ModelImportError(f"save the machine with to_json: version {shown(text)!r} of the file is not numbers")
    return tuple(map(int, text.split(".")))


def _ensemble(
    machine: _Machine,
    places: Mapping[str, range],
    domains: Mapping[str, Sequence[str | None]],
    columns: tuple[str, ...],
    lacking: Collection[str],
) -> Ensemble:
    """Return a machine whose features have these places among the columns; categories of `lacking` may be missing."""
    features = {feature.name: feature for feature in machine.features}
    trees = tuple(_term(term, features, places, domains, lacking) for term in machine.terms)
    ensemble = Ensemble(
        KIND,
        len(columns),
        trees,
        base=_finite(machine.intercept[0], "intercept"),
        columns=columns,
        classes=_classes(machine),
    )
    return of_number(ensemble) if machine.outputs[0].task == "regression" else ensemble


def _classes(machine: _Machine) -> tuple[str | int, ...] | None:
    """Return the classes of a machine, None where the file does not name them."""
    classes = tuple(one for value in machine.outputs[0].classes if (one := class_of(value)) is not None)
    if len(classes) != len(machine.outputs[0].classes):
        raise ModelImportError("train it on names of labels: its classes are neither texts nor whole numbers")
    return classes or None


def _term(
    term: _Term,
    features: Mapping[str, _Feature],
    places: Mapping[str, range],
    domains: Mapping[str, Sequence[str | None]],
    lacking: Collection[str],
) -> Tree:
    """Read the function of one feature, or of a pair."""
    together = " and ".join(term.term_features)
    count = len(term.term_features)
    if count not in (1, 2):
        raise ModelImportError(f"train on pairs at most: the term of {shown(together)} has more than two features")
    if stranger := next((name for name in term.term_features if name not in features), None):
        raise ModelImportError(f"a term of {shown(stranger)!r}, which is no feature of the machine")
    own = [features[name] for name in term.term_features]
    sizes = [_size(feature, count) for feature in own]
    if count == 2 and sizes[0] * sizes[1] > MAX_CELLS:
        raise ModelImportError(
            f"the pair {shown(together)} has more than {MAX_CELLS} cells; train with fewer max_interaction_bins"
        )
    table = term.scores if count == 2 else [[score] for score in term.scores]
    rows = [len(row) if isinstance(row, list) else 0 for row in table]
    if rows != [sizes[1] + 2 if count == 2 else 1] * (sizes[0] + 2):
        what = "the pair" if count == 2 else "feature"
        raise ModelImportError(f"{what} {shown(together)!r} does not have one score for each cell")
    axes = [_axis(feature, count, places[feature.name], domains, lacking) for feature in own]
    lone = _Axis((0,), (), (), strict=True, missing=False)
    return _grid(axes[0], axes[1] if count == 2 else lone, table, together)


def _grid(first: _Axis, second: _Axis, scores: list[list[Any]], together: str) -> Tree:
    """Return the tree of a table of scores, which parts the bins of the first axis and then those of the second."""
    splits: list[Split] = []
    leaves: list[Fraction] = []

    def grown(rows: tuple[int, int], columns: tuple[int, int]) -> int:
        """Add the tree of the cells from the first to the last row and column, and return its place."""
        along = first if rows[0] < rows[1] else second
        bins = rows if along is first else columns
        if bins[0] == bins[1]:
            leaves.append(_finite(scores[first.places[rows[0]]][second.places[columns[0]]], together))
            return ~(len(leaves) - 1)
        place = len(splits)
        (column, threshold, *parts) = along.parted(*bins)
        splits.append(Split(column, threshold, along.strict, 0, 0, threshold == BEYOND))
        below, above = (grown(part, columns) if along is first else grown(rows, part) for part in parts)
        splits[place] = dataclasses.replace(splits[place], below=below, above=above)
        return place

    grown((0, len(first.places) - 1), (0, len(second.places) - 1))
    return Tree(tuple(splits), tuple(leaves))


def _size(feature: _Feature, features: int) -> int:
    """Return how many bins a feature has in terms of so many features, those of missing and unknown values apart."""
    own = _resolution(feature.categories if feature.type in _CATEGORIES else feature.cuts, features)
    return len(own) + (feature.type == "continuous")


def _resolution(levels: Sequence[Sequence[Any]], features: int) -> Sequence[Any]:
    """Return what parts a feature in terms of so many features; the coarsest stands last in the file."""
    return levels[min(features, len(levels)) - 1] if levels else ()


def _axis(
    feature: _Feature,
    features: int,
    columns: range,
    domains: Mapping[str, Sequence[str | None]],
    lacking: Collection[str],
) -> _Axis:
    """Return the bins of a feature in terms of so many features."""
    name = feature.name
    if feature.type == "continuous":
        cuts = [_finite(cut, name) for cut in _resolution(feature.cuts, features)]
        if any(one >= other for one, other in pairwise(cuts)):
            raise ModelImportError(f"the cuts of feature {shown(name)!r} do not ascend")
        return _Axis((*range(1, len(cuts) + 2), 0), columns, cuts, strict=True, missing=True)
    bins = _resolution(feature.categories, features)
    # A missing value that the spec lists has the bin of missing ones, unless the machine knows it as a text.
    bin_of: dict[str | None, int] = {LISTED: 0}
    bin_of.update(_bin_numbers(bins).items())
    # A pair may have fewer bins than the feature alone, and has the same values.
    if stranger := next((value for value in domains[name] if value is not None and value not in bin_of), None):
        raise ModelImportError(f"feature {shown(name)!r}: save it again: a term has no bin for {shown(stranger)!r}")
    own = [bin_of.get(value, len(bins) + 1) for value in domains[name]]
    # One column has ranks from 0, which half numbers part; of several columns exactly one is 1.
    halves = [place + _HALF for place in map(Fraction, range(len(own) - 1))] if len(columns) == 1 else None
    missing = name in lacking
    return _Axis([*own, 0] if missing else own, columns, halves, strict=False, missing=missing)


def _bin_numbers(bins: Sequence[str | list[str]]) -> dict[str, int]:
    """Return the number, from 1, of the bin of each value of a category."""
    return {
        value: place
        for place, some in enumerate(bins, start=1)
        for value in ([some] if isinstance(some, str) else some)
    }


def _finite(number: Any, where: str) -> Fraction:
    """Return a number as a fraction."""
    try:
        return Fraction(float(number) if isinstance(number, int | float) else math.nan)
    except (OverflowError, ValueError):
        raise ModelImportError(f"{shown(where)}: {shown(str(number))!r} is not a finite number") from None
