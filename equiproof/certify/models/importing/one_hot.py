"""Sensitive categories of more than two values: ranked in a spec, with one column a value in a model.

Every value of a sensitive feature is tried, so how it is written changes no certificate, and a spec may follow the
model. What other categories mean depends on their encoding: theirs is the spec's.
"""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from equiproof.circuits.encodings import ENCODINGS, ONE_HOT
from equiproof.circuits.encodings.missing import LISTED
from equiproof.circuits.spec import Feature, Spec, checked


def with_one_hot(
    spec: Spec, names: Collection[str], taking_missing: Collection[str] = ()
) -> tuple[Spec, tuple[str, ...]]:
    """Return the spec with one column a value for the sensitive categories that a model's inputs have so, and notes.

    `taking_missing` are categories whose listed missing value a model takes without an input for it.
    """
    turned = [
        feature.name
        for feature in spec.sensitive_features
        if _is_ranked(feature)
        and feature.name not in names
        and {f"{feature.name}{ONE_HOT}{value}" for value in _told(feature, taking_missing)} <= set(names)
    ]
    notes = tuple(f"{name}: the spec has one column a value, as the model has it" for name in turned)
    return _turned(spec, turned), notes


def _told(feature: Feature, taking_missing: Collection[str]) -> tuple[str, ...]:
    """Return the values of a category of which a model must have an input."""
    is_known = feature.lists_missing and feature.name in taking_missing
    return tuple(value for value in feature.domain if not (is_known and value == LISTED))


def encoded_as(spec: Spec, other: Spec) -> Spec:
    """Return the spec with one column a value for the sensitive categories that another spec has so."""
    there = {feature.name for feature in other.sensitive_features if not ENCODINGS[feature.encoding].ordered}
    return _turned(spec, [one.name for one in spec.sensitive_features if _is_ranked(one) and one.name in there])


def _is_ranked(feature: Feature) -> bool:
    """Return whether a feature is a category of more than two values whose column is a rank."""
    return feature.kind == "categorical" and ENCODINGS[feature.encoding].ordered and len(feature.domain) > 2


def _turned(spec: Spec, names: Collection[str]) -> Spec:
    """Return the spec with one column a value for these features."""
    if not names:
        return spec
    features = tuple(
        msgspec.structs.replace(feature, encoding="one-hot", mean="0", scale="1") if feature.name in names else feature
        for feature in spec.features
    )
    return checked(msgspec.structs.replace(spec, features=features))
