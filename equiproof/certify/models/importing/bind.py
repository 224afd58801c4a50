"""Binds a model to a spec by name: inputs to columns, with their units, and logits to labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Literal, NamedTuple

from equiproof.certify.data.labels import number_of, places
from equiproof.certify.models.importing.chain import Affine
from equiproof.certify.models.importing.errors import ModelImportError, listed, shown
from equiproof.circuits.arguments import argument
from equiproof.circuits.encodings import ENCODINGS, ONE_HOT
from equiproof.circuits.spec import Feature, Spec
from equiproof.circuits.text import LONGEST_LIST

Units = Literal["raw", "spec"]

_LABELS = "the order of the labels"


def column_names(spec: Spec) -> tuple[str, ...]:
    """Return the names of the spec's columns, non-sensitive first; raises ModelImportError for repeated names."""
    names = [name for feature in (*spec.plain_features, *spec.sensitive_features) for name in names_of_columns(feature)]
    _refuse_doubled("the spec has", names)
    return tuple(names)


def names_of_columns(feature: Feature) -> list[str]:
    """Return the names of a feature's columns; that of a mark says that it is one."""
    return [*ENCODINGS[feature.encoding].column_names(feature), *[f"missing({feature.name})"] * feature.has_mark]


def bind_inputs(
    inputs: int,
    names: Sequence[str] | None,
    spec: Spec,
    units: Units,
    ranked: Mapping[str, Sequence[str]] | None = None,
    unused: Collection[str] = (),
    *,
    stepped: bool = False,
    free: Collection[int] = (),
) -> Affine:
    """Return the map from the spec's columns to the model's inputs, which have these names in this order.

    A column v of the spec stands for the raw column number mean + scale v: with units "raw" the model takes that number
    (of a ranked category its rank, of a one-hot column 0 or 1, of a logarithm what its name says), with "spec" it takes
    v. `ranked` has the values of categories whose ranks the model takes, in its own order. A category of two values may
    be ranked either way, and one-hot in the model alone. `unused` has the features of which the model takes no column,
    `free` the places of columns that need no input, beside those of marks; a model takes 0 and 1 of a mark.
    Raises ModelImportError where names are missing, unknown or repeated; the error lists them. It also is where a model
    takes a number that its column is not linear in, unless the model is `stepped`: for one that only compares, the raw
    column number stands in the map for the number itself.
    """
    columns = column_names(spec)
    inputs_of = _inputs(spec, columns, units, ranked)
    if names is None:
        raise ModelImportError(
            f"name the model's inputs in its order with {argument('columns')}: it does not name them; "
            f"the spec has {_listed(columns)}"
        )
    _refuse_doubled("the model's inputs have", names)
    unknown = [name for name in names if name not in inputs_of]
    if unknown:
        raise ModelImportError(
            f"{_mend(spec, unknown)}: the spec has no column {_listed(unknown, 80)}; it has {_listed(columns, 80)}"
        )
    if units == "raw" and not stepped:
        _refuse_bent(spec, names)
    _refuse_missing(spec, columns, {inputs_of[name].place for name in names}, unused, free)
    if len(names) != inputs:
        raise ModelImportError(f"name {inputs} inputs, as the model has: these are {len(names)} names")
    scaled = [
        scale
        for feature in (*spec.plain_features, *spec.sensitive_features)
        for scale in (_scales_of(spec, feature) if units == "raw" else [(Fraction(0), Fraction(1))] * feature.width)
    ]
    meant = [(inputs_of[name], *scaled[inputs_of[name].place]) for name in names]
    return Affine(
        len(columns),
        tuple({one.place: one.sign * scale} for one, _, scale in meant),
        tuple(one.offset + one.sign * mean for one, mean, _ in meant),
        "the columns" if units == "spec" else "the columns in raw units",
    )


def _scales_of(spec: Spec, feature: Feature) -> list[tuple[Fraction, Fraction]]:
    """Return what is added to each column of a feature, and by what it is multiplied before, in raw units."""
    own = [(Fraction(feature.mean), Fraction(feature.scale))] * (feature.width - feature.has_mark)
    return [*own, *[(Fraction(0), Fraction(spec.scale_unit, spec.mark))] * feature.has_mark]


def input_names(
    own: Sequence[str] | None,
    names: Sequence[str] | None,
    spec: Spec,
    units: Units,
    ranked: Mapping[str, Sequence[str]] | None = None,
) -> Sequence[str] | None:
    """Return the names of a model's inputs: its own, and the given ones where the spec does not know its own.

    Libraries change names, or refuse those of the spec. Raises ModelImportError for another number of names, and where
    an input whose own name the spec knows is given another one.
    """
    if own is None or names is None:
        return own if names is None else names
    if len(own) != len(names):
        raise ModelImportError(f"name {len(own)} inputs, as the model has: these are {len(names)} names")
    meanings = _inputs(spec, column_names(spec), units, ranked)
    for name, new in zip(own, names, strict=True):
        if name != new and name in meanings:
            raise ModelImportError(
                f"leave the name {shown(name)!r} as the model has it, not {shown(new)!r}, since the spec knows it: "
                "only inputs whose names the spec does not have are named anew"
            )
    return names


def class_names(own: Sequence[str | int] | None, names: Sequence[str | int] | None) -> Sequence[str | int] | None:
    """Return the names of the classes, the model's or the given ones, which may stand for numbers.

    Raises ModelImportError where the model has texts, and others are given.
    """
    if own is None or names is None:
        return own if names is None else names
    if any(number_of(name) is None for name in own) and tuple(own) != tuple(names):
        raise ModelImportError(
            f"leave {argument('classes')} out: the model names its classes itself, "
            f"{_listed([str(name) for name in own])}"
        )
    return names


def _inputs(
    spec: Spec, columns: Sequence[str], units: Units, ranked: Mapping[str, Sequence[str]] | None
) -> dict[str, Meant]:
    """Return what each name of an input means: those of the spec's columns, and in raw units also other ways."""
    inputs_of = {name: Meant(place) for place, name in enumerate(columns)}
    if units == "raw":
        inputs_of = _by_other_names(spec, columns) | inputs_of
        inputs_of |= _of_two_values(spec, columns) | _of_ranks(spec, columns, ranked or {})
    return inputs_of


def bent(spec: Spec) -> dict[str, Feature]:
    """Return by name the numbers of the spec whose columns are not linear in them."""
    return {
        feature.name: feature
        for feature in spec.features
        if feature.kind == "numeric" and not ENCODINGS[feature.encoding].linear
    }


def other_names(spec: Spec) -> dict[str, tuple[Feature, Fraction]]:
    """Return by name what a model may take for a feature: its raw column number, times a constant.

    A name that two features have, such as log(a + 1) of "a" with the offset 1 and of "a + 1", stands for neither.
    """
    meant = [
        (name, (feature, factor))
        for feature in bent(spec).values()
        for name, factor in ENCODINGS[feature.encoding].inputs(feature).items()
    ]
    times = Counter(name for name, _ in meant)
    return {name: one for name, one in meant if times[name] == 1}


def _by_other_names(spec: Spec, columns: Sequence[str]) -> dict[str, Meant]:
    """Return the inputs that are named otherwise than the columns."""
    return {name: Meant(columns.index(feature.name), factor) for name, (feature, factor) in other_names(spec).items()}


def _refuse_bent(spec: Spec, names: Sequence[str]) -> None:
    """Raise ModelImportError for an input that is a number itself where the spec has its logarithm."""
    for feature in bent(spec).values():
        if feature.name in names:
            others = " or ".join(list(ENCODINGS[feature.encoding].inputs(feature))[:3])
            raise ModelImportError(
                f"write scaled for {shown(feature.name)} in the spec, or, if the model takes the logarithm, name the "
                f"input {shown(others)}: the model takes the number itself, and the spec says {feature.encoding}"
            )


def _mend(spec: Spec, unknown: Sequence[str]) -> str:
    """Return what to do about names that the spec does not have."""
    for feature in spec.features:
        if any(name.startswith("log") and f"({feature.name}" in name for name in unknown):
            others = " or ".join(list(ENCODINGS[feature.encoding].inputs(feature))[:4])
            return (
                f"what the spec has of {shown(feature.name)} is {shown(others)}: change its offset"
                if others
                else f"for a model that takes the logarithm of {shown(feature.name)}, draft the spec "
                f"with {argument('logarithms')}"
            )
    for feature in spec.features:
        if feature.kind == "categorical" and not _is_ranked(feature) and feature.name in unknown:
            return f"write rank as the encoding of {shown(feature.name, 40)!r} into the spec, for a model that ranks it"
        if _is_ranked(feature) and any(name.startswith(f"{feature.name}{ONE_HOT}") for name in unknown):
            return (
                f"write one-hot as the encoding of {shown(feature.name, 40)!r} into the spec, without mean and scale "
                f"(of a data set, {argument('one_hot', True)}), for a model with a column for each value"
            )
    return f"name the inputs as the spec does, with {argument('columns')}"


def _refuse_missing(
    spec: Spec, columns: Sequence[str], bound: Collection[int], unused: Collection[str], free: Collection[int]
) -> None:
    """Raise ModelImportError for columns that no input is bound to, but free ones, and those of unused features.

    Unused features have none.
    """
    features = {feature.name: feature for feature in spec.features}
    if unknown := [name for name in unused if name not in features]:
        raise ModelImportError(f"leave {_listed(unknown, 80)} out of unused: the spec has {_listed(list(features))}")
    unused_names = {name for one in unused for name in names_of_columns(features[one])}
    if used := [name for place, name in enumerate(columns) if name in unused_names and place in bound]:
        raise ModelImportError(f"leave the feature of {_listed(used)} out of unused: it is an input of the model")
    marks = {names_of_columns(feature)[-1] for feature in spec.features if feature.has_mark}
    needed = [place for place, name in enumerate(columns) if name not in unused_names | marks and place not in free]
    if missing := [columns[place] for place in needed if place not in bound]:
        left = _features_of(spec, missing)
        # Of many features, a list that is cut short would mend nothing.
        unused_too = argument("unused", left if len(", ".join(left)) <= LONGEST_LIST else None)
        raise ModelImportError(
            f"add {unused_too} if the model does not use it: it has no input {_listed(missing)}, which the spec has"
        )


def _features_of(spec: Spec, columns: Collection[str]) -> list[str]:
    """Return the names of the features that have some of these columns."""
    return [feature.name for feature in spec.features if not set(columns).isdisjoint(names_of_columns(feature))]


class Meant(NamedTuple):
    """What an input of the model is: sign times the raw number of the spec's column at a place, plus an offset."""

    place: int
    sign: Fraction = Fraction(1)
    offset: Fraction = Fraction(0)

    def reversed(self) -> Meant:
        """Return the other rank of two."""
        return Meant(self.place, -self.sign, 1 - self.offset)


def _of_two_values(spec: Spec, columns: Sequence[str]) -> dict[str, Meant]:
    """Return the one-hot inputs that a ranked category of two values has in a model."""
    ranks = {}
    for feature in spec.features:
        if len(feature.domain) == 2 and _is_ranked(feature):
            rank = Meant(columns.index(feature.name))
            first, second = feature.domain
            ranks[f"{feature.name}{ONE_HOT}{first}"] = rank.reversed()
            ranks[f"{feature.name}{ONE_HOT}{second}"] = rank
    return ranks


def _is_ranked(feature: Feature) -> bool:
    """Return whether a feature is a category whose column is a rank."""
    return feature.kind == "categorical" and ENCODINGS[feature.encoding].ordered


def _of_ranks(spec: Spec, columns: Sequence[str], ranked: Mapping[str, Sequence[str]]) -> dict[str, Meant]:
    """Return the inputs that are ranks in the model's own order; raises ModelImportError where it is not the spec's."""
    ranks = {}
    domains = {feature.name: feature.domain for feature in spec.features if _is_ranked(feature)}
    for name, values in ranked.items():
        if name not in domains:
            continue
        rank = Meant(columns.index(name))
        domain = tuple(domains[name])
        if tuple(values) == domain:
            ranks[name] = rank
        elif len(domain) == 2 and tuple(values) == domain[::-1]:
            ranks[name] = rank.reversed()
        else:
            raise ModelImportError(
                f"write the values of {shown(name, 40)!r} into the spec in the model's order, {_listed(values, 80)}: "
                f"the spec ranks them as {_listed(domain, 80)}"
            )
    return ranks


def bind_outputs(outputs: int, classes: Sequence[str | int] | None, spec: Spec) -> Affine:
    """Return the map from the model's logits to the spec's.

    Classes are matched to the spec's labels as :func:`~equiproof.certify.data.labels.places` does: logits are
    reordered, a single logit changes its sign. Two logits under a spec of one are folded into their difference. Missing
    classes mean the spec's labels in order. Raises ModelImportError for anything else.
    """
    order = label_order(classes, spec)
    if (outputs, spec.logits) == (2, 1):
        return _difference(order, spec)
    if outputs != spec.logits:
        raise ModelImportError(
            f"draft the spec with `equiproof spec --logits {outputs}`, or change the number in its file: the model "
            f"gives {outputs} logit(s), the spec has {spec.logits} for the labels {_listed(spec.labels)}"
        )
    if spec.logits > 1:
        rows = tuple({order.index(label): Fraction(1)} for label in range(outputs))
        return Affine(outputs, rows, (Fraction(0),) * outputs, _LABELS)
    if order == [1, 0] and Fraction(spec.threshold):
        raise ModelImportError(
            f"turn the spec's labels round, with the threshold {spec.threshold} as it is in the other direction: the "
            f"model's classes stand as {_listed([str(name) for name in classes or ()], 80)}, the labels as "
            f"{_listed(spec.labels, 80)}"
        )
    return Affine.diagonal([Fraction(-1 if order == [1, 0] else 1)], [Fraction(0)], _LABELS)


def _difference(order: Sequence[int], spec: Spec) -> Affine:
    """Return the one logit of a model with two: the second label's minus the first's; equal ones are a tie in both."""
    if Fraction(spec.threshold):
        raise ModelImportError(
            f"leave the threshold {spec.threshold} out of the spec: it has one logit, and the model gives 2, of which "
            "the larger decides"
        )
    one = Fraction(1)
    return Affine(2, ({order.index(1): one, order.index(0): -one},), (Fraction(0),), "the difference of both logits")


def label_order(classes: Sequence[str | int] | None, spec: Spec) -> list[int]:
    """Return the spec's label of each class, in the model's order."""
    count = len(spec.labels)
    if classes is None:
        return list(range(count))
    order = places(list(classes), spec.labels)
    if order is None:
        raise ModelImportError(
            f"name the classes as the spec does, in the model's order, with {argument('classes')}: the model's are "
            f"{_listed(list(map(str, classes)), 100)}, the spec's labels {_listed(spec.labels, 100)}"
        )
    return order


def _refuse_doubled(who: str, names: Sequence[str]) -> None:
    """Raise ModelImportError for a repeated name."""
    for position, name in enumerate(names):
        if name in names[:position]:
            raise ModelImportError(f"name each column once: {who} two columns called {name[:80]!r}")


def _listed(names: Iterable[str], room: int = LONGEST_LIST) -> str:
    """Return names as they are written in a list of columns, as many as `room` characters hold."""
    return listed(names, 20, lambda name: f'"{shown(name, 40)}"' if "," in name else shown(name, 40), room)
