"""Simulated certificates: what whoever knows an application can read from the certificate about it.

An attacker knows the query (they wrote the application), the label and the squared radius that is shown. The radius is
that of the product's own search, so every copy works on what a certificate would have shown.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

import msgspec

from equiproof.certify import branch
from equiproof.certify.branch import PrecisionError
from equiproof.certify.ensemble import EnsembleModel, ScoredModel
from equiproof.certify.errors import CapacityError
from equiproof.certify.network import QuantisedNetwork
from equiproof.certify.traversal.search import Counterexample
from equiproof.certify.trees.scored import search_under as score_search_under
from equiproof.circuits.spec import Spec

Levels = tuple[int, ...]
"""Squared radii in grid units that certificates may show, ascending and above 0; radius 0 is always shown as well."""

SEARCH_SECONDS = 10.0
"""The most seconds of a simulated search."""

MAX_LEAVES = 64
"""The leaves of a simulated search: as many as the usual shapes of certificates have."""


@dataclass(frozen=True)
class Certificate:
    """A fair answer: the query as n_x integers, the label, and the squared radius in grid units."""

    query: tuple[int, ...]
    label: int
    radius_squared: int


def simulated(
    model: QuantisedNetwork | ScoredModel,
    spec: Spec,
    queries: Iterable[Sequence[int]],
    *,
    max_seconds: float | None = None,
    clock: Callable[[], float] = time.monotonic,
    progress: Callable[[int], None] | None = None,
) -> list[Certificate]:
    """Return the exact certificates of the queries that get one, in their order; unfair queries have none.

    A search has 10 seconds at most; after `max_seconds` in all, which `clock` counts, it ends, and the rest is left
    out. `progress` is called with the number of queries done.
    """
    end = math.inf if max_seconds is None else clock() + max_seconds
    found = []
    for done, query in enumerate(queries, start=1):
        left = end - clock()
        if left <= 0:
            break
        one = certificate(model, spec, query, min(SEARCH_SECONDS, left))
        if one is not None:
            found.append(one)
        if progress is not None:
            progress(done)
    return found


def certificate(
    model: QuantisedNetwork | ScoredModel, spec: Spec, query: Sequence[int], max_seconds: float = SEARCH_SECONDS
) -> Certificate | None:
    """Return the certificate of one query with the exact radius, None where none could be made.

    Levels of the spec are left out here, so that copies can be compared at any.
    """
    spec = msgspec.structs.replace(spec, levels=msgspec.UNSET, gain_levels=msgspec.UNSET)
    try:
        if isinstance(model, QuantisedNetwork):
            search: Any = branch.search_under(model, spec, query, max_leaves=MAX_LEAVES, max_seconds=max_seconds)
        else:
            search = score_search_under(model, spec, query, max_leaves=MAX_LEAVES, max_seconds=max_seconds)
    except (CapacityError, PrecisionError):
        return None
    if isinstance(search, Counterexample):
        return None
    return Certificate(tuple(query), search.label, search.radius_squared)


def interval(radius_squared: int, levels: Levels | None) -> tuple[int, int | None]:
    """Return the least squared radius that a certificate tells and the first that it rules out, None for no end.

    At exact radii (`levels` None) these are R2 and R2 + 1; at levels, the shown level and the next one. Without any
    level, the decision is all that is told: 0 and no end.
    """
    if levels is None:
        return radius_squared, radius_squared + 1
    reached = sum(level <= radius_squared for level in levels)
    return (levels[reached - 1] if reached else 0), (levels[reached] if reached < len(levels) else None)


def invented(spec: Spec, queries: Sequence[Sequence[int]], count: int, seed: int) -> list[tuple[int, ...]]:
    """Return `count` queries of chosen applications: each feature's value is that of a query drawn for it alone."""
    rng = random.Random(seed)  # noqa: S311  # not a secret
    ends = [0, *accumulate(feature.width for feature in spec.plain_features)]
    padding = (0,) * spec.padding
    return [
        (*(number for first, end in pairwise(ends) for number in rng.choice(queries)[first:end]), *padding)
        for _ in range(count)
    ]


def family(model: QuantisedNetwork | ScoredModel) -> str:
    """Return which copies fit a model best: "linear", "additive", "ensemble" or "network"."""
    if isinstance(model, QuantisedNetwork):
        return "linear" if _is_linear(model) else "network"
    return "ensemble" if isinstance(model, EnsembleModel) else "additive"


def _is_linear(network: QuantisedNetwork) -> bool:
    """Return whether one hidden layer computes a linear function: the kinks of its neurons cancel.

    The kinks of neurons whose rows are multiples of one another lie on the same hyperplane; there the slopes of the
    logit must add to 0: sum of outgoing weight times the length of the row, in units of the primitive row.
    """
    if len(network.layers) != 2 or network.logit_count > 2:
        return False
    first, last = network.layers
    # One label wins over the other by the difference of their logits, or by the single one.
    slopes = [column[-1] - (column[0] if len(column) > 1 else 0) for column in zip(*last.weights, strict=True)]
    kinks: dict[tuple[int, ...], int] = {}
    for weights, bias, outgoing in zip(first.weights, first.biases, slopes, strict=True):
        row = (*weights, bias)
        if not any(weights):
            continue
        divisor = math.gcd(*row)
        sign = 1 if next(number for number in row if number) > 0 else -1
        primitive = tuple(sign * number // divisor for number in row)
        kinks[primitive] = kinks.get(primitive, 0) + outgoing * divisor
    return not any(kinks.values())
