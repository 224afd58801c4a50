"""Specs of declared domains in raw units: every column is the raw whole number, without rounding.

The spec that certificates use divides each feature by its range and rounds it to 2^-10; published networks whose
inputs are whole numbers need neither. Here the scale is 1 and f_x the least that a spec has, so that the integers of
the quantised network are the applicants of the published domain one by one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from equiproof.certify.models.importing.domains import Domain
from equiproof.certify.models.importing.errors import ModelImportError
from equiproof.circuits.spec import FORMAT, VERSION, Feature, Spec, checked

INPUT_BITS = 40
_FRACTION_BITS = 1


def raw_spec(
    name: str,
    domain: Domain,
    *,
    sensitive: Mapping[str, Sequence[int] | None],
    labels: Sequence[str] = ("negative", "positive"),
) -> Spec:
    """Return the spec of a declared domain in raw units, features bound by name.

    `sensitive` names the protected features; each with the raw values that it takes, or None for all of its declared
    range. Raises ModelImportError for a name that the domain does not have or an empty list, and SpecError.
    """
    if unknown := [feature for feature in sensitive if feature not in domain.order]:
        raise ModelImportError(f"domain {name!r}: no feature is called {unknown[0]!r}")
    if bare := [feature for feature in domain.order if feature not in domain.ranges]:
        raise ModelImportError(f"domain {name!r}: {bare[0]!r} has no range")
    features = tuple(
        _protected(domain, feature, sensitive[feature]) if feature in sensitive else _plain(domain, feature)
        for feature in domain.order
    )
    spec = Spec(FORMAT, VERSION, name, _FRACTION_BITS, INPUT_BITS, False, features, tuple(labels), 1)
    return checked(spec)


def _plain(domain: Domain, feature: str) -> Feature:
    """Return a feature that keeps its declared range: a number, or a category whose code is its place in the order."""
    low, high = domain.ranges[feature]
    if feature in domain.codes:
        return Feature(feature, "categorical", "rank", False, domain=_coded(domain, feature))
    return Feature(feature, "numeric", "scaled", False, range=(str(low), str(high)))


def _protected(domain: Domain, feature: str, values: Sequence[int] | None) -> Feature:
    """Return a protected feature with its values, those of its whole range where none are listed."""
    if values is None and feature in domain.codes:
        return Feature(feature, "categorical", "rank", True, domain=_coded(domain, feature))
    low, high = domain.ranges[feature]
    numbers = range(int(low), int(high) + 1) if values is None else values
    return Feature(feature, "numeric", "scaled", True, domain=tuple(str(value) for value in numbers))


def _coded(domain: Domain, feature: str) -> tuple[str, ...]:
    """Return a name for every code of the declared range; codes without a category are included."""
    low, high = domain.ranges[feature]
    if low:
        raise ModelImportError(f"range of {feature!r} begins at {low}; codes are numbered from 0")
    codes = domain.codes[feature]
    return tuple(codes[code] if code < len(codes) else f"code {code}" for code in range(int(high) + 1))
