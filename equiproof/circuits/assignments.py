"""Rows of a spec's table of sensitive values, by the raw values in them."""

from __future__ import annotations

from collections.abc import Mapping

from equiproof.circuits.names import listed
from equiproof.circuits.spec import Spec, SpecError
from equiproof.circuits.tables import say
from equiproof.circuits.text import shortened


def sensitive_values(spec: Spec, row: int) -> dict[str, str]:
    """Return the raw sensitive values of a row, counted from 0, by name."""
    names = (feature.name for feature in spec.sensitive_features)
    return dict(zip(names, spec.domain_values[row], strict=True))


def values_of_row(spec: Spec, row: tuple[int, ...]) -> dict[str, str]:
    """Return the raw sensitive values of a row by its integers, by name."""
    return sensitive_values(spec, spec.domain_table.index(row))


def row_of(spec: Spec, values: Mapping[str, str]) -> int:
    """Return the row with these raw values, one of each sensitive feature; raises SpecError."""
    domains = {feature.name: feature.domain for feature in spec.sensitive_features}
    for name, value in values.items():
        if name not in domains:
            raise SpecError(say("gain.feature_not_sensitive", feature=repr(name[:40]), known=listed(tuple(domains))))
        if value not in (domain := domains[name]):
            unknown = repr(value[:40])
            raise SpecError(say("gain.value_unknown", feature=shortened(name), value=unknown, known=listed(domain)))
    if missing := [name for name in domains if name not in values]:
        raise SpecError(say("gain.value_missing", feature=missing[0]))
    return spec.domain_values.index(tuple(values[name] for name in domains))
