"""A reference by enumeration: the accepted share of a group, summed over every assignment of every chance.

The work doubles with each Boolean feature. It shares the network's tables with the other ways, and nothing else.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Mapping
from fractions import Fraction

from equiproof.audits.fvgm.network import Group, Network

MAX_ASSIGNMENTS = 1 << 22


class EnumerationError(ValueError):
    """More assignments than enumeration goes through."""


def enumerated(
    accepts: Callable[[Mapping[str, str]], bool],
    network: Network,
    group: Group,
    *,
    mediators: Collection[str] = (),
    favored: Group | None = None,
) -> Fraction:
    """Return Pr[accepted | group] exactly, with the parameters of :func:`equiproof.audits.fvgm.programme.acceptance`.

    Raises NetworkError for an unknown group, EnumerationError for more than 2^22 assignments.
    """
    network.check_group(group)
    count = math.prod(len(chance.values) for chance in network.chances)
    if count > MAX_ASSIGNMENTS:
        raise EnumerationError(
            f"name fewer features: enumeration goes through {MAX_ASSIGNMENTS} assignments at most, not {count}"
        )
    total = Fraction(0)
    names = [chance.name for chance in network.chances]
    for values in itertools.product(*(chance.values for chance in network.chances)):
        assignment = dict(zip(names, values, strict=True))
        if not accepts({**group, **assignment}):
            continue
        weight = Fraction(1)
        for chance in network.chances:
            source = favored if favored is not None and chance.name in mediators else group
            weight *= network.row(chance, {**source, **assignment})[chance.values.index(assignment[chance.name])]
        total += weight
    return total
