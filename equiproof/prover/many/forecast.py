"""What a run will cost, said before it starts: from the key's constraints and a search of the first rows."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from equiproof.certify.branch import PrecisionError
from equiproof.certify.errors import CapacityError, SearchBudgetError
from equiproof.circuits.schemes import scheme_of
from equiproof.prover.estimate import LINES
from equiproof.prover.evidence import find_evidence
from equiproof.prover.keys import StoredKey
from equiproof.prover.many.applicants import Applicant
from equiproof.prover.opening import Opening

_MEASURED_PROCESSORS = 2
"""The processors of the machine on which the lines of :mod:`equiproof.prover.estimate` were measured."""

_SAMPLE_ROWS = 3
"""How many of the first rows are searched."""

_SAMPLE_SECONDS = 2.0
"""For how many seconds each of them is searched at most."""


@dataclass(frozen=True)
class Forecast:
    """The seconds of a run and the megabytes of all its processes; `more`: a search was not followed to its end."""

    rows: int
    seconds: float
    megabytes: float
    more: bool


def forecast(
    opening: Opening, key: StoredKey, ahead: Sequence[Applicant], max_seconds: float | None, *, jobs: int, cores: int
) -> Forecast:
    """Return what the missing rows will cost with `jobs` processes on `cores` processors.

    Search and witness of a row take one processor, its proof all that there are. An order of magnitude, as the lines
    behind it.
    """
    longest = _SAMPLE_SECONDS if max_seconds is None else min(max_seconds, _SAMPLE_SECONDS)
    sample_seconds = [_search(opening, key, one, longest) for one in ahead[:_SAMPLE_ROWS]]
    constraints = key.document.constraints
    lines = LINES[scheme_of(key.document.shape.scheme)]
    own_seconds = sum(sample_seconds) / max(1, len(sample_seconds)) + lines.witness_seconds(constraints)
    seconds = own_seconds / min(jobs, cores) + lines.prove_seconds(constraints) * _MEASURED_PROCESSORS / cores
    more = any(one >= _SAMPLE_SECONDS for one in sample_seconds)
    return Forecast(len(ahead), len(ahead) * seconds, jobs * lines.prove_megabytes(constraints), more)


def _search(opening: Opening, key: StoredKey, applicant: Applicant, longest: float) -> float:
    """Search around an applicant for so many seconds at most; return how many it took."""
    began = time.perf_counter()
    with suppress(SearchBudgetError, CapacityError, PrecisionError):
        find_evidence(opening, key.document.shape, applicant.integers, longest, None)
    return time.perf_counter() - began
