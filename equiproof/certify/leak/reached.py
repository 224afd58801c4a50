"""Whether anybody reaches the first of given levels: where nobody does, every certificate would show radius 0."""

from __future__ import annotations

import time
from collections.abc import Sequence

from equiproof.certify.ensemble import ScoredModel
from equiproof.certify.leak.candidates import LEAST_FAIR, LevelError
from equiproof.certify.leak.certificates import SEARCH_SECONDS, certificate
from equiproof.certify.network import QuantisedNetwork
from equiproof.circuits.arguments import argument
from equiproof.circuits.levels import squares
from equiproof.circuits.spec import Spec
from equiproof.circuits.units import length

APPLICANTS = 40
"""The most rows that are searched for one that reaches a level."""

SECONDS = 10.0
"""The processor seconds of these searches; most levels are reached by the first row."""


def refuse_unreached(
    model: QuantisedNetwork | ScoredModel,
    spec: Spec,
    queries: Sequence[tuple[int, ...]],
    levels: Sequence[str],
    *,
    seconds: float = SECONDS,
) -> None:
    """Raise LevelError where 20 fair applicants or more were searched, and none of them has the first level."""
    first = squares(levels, spec.input_fraction_bits)[0]
    begun = time.process_time()
    largest, fair = 0, 0
    for query in queries[:APPLICANTS]:
        left = seconds - (time.process_time() - begun)
        if left <= 0:
            break
        one = certificate(model, spec, query, min(SEARCH_SECONDS, left))
        if one is None:
            continue
        if one.radius_squared >= first:
            return
        largest, fair = max(largest, one.radius_squared), fair + 1
    if fair >= LEAST_FAIR:
        raise LevelError(
            f"levels: name a smaller first level, or ask for a draft ({argument('levels', 'draft')}): none of {fair} "
            f"fair applicants reaches {levels[0]}, the largest radius is {length(spec, largest):f}"
        )
