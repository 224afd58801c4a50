"""A run over many applicants: parallel, in order, resumable, with results that do not depend on the processes.

It uses processes (:mod:`equiproof.circuits.workers`), since a search is plain Python that holds the interpreter's
lock.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing, nullcontext
from pathlib import Path

import msgspec

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.branch import network_parameters
from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.errors import CapacityError, RunError
from equiproof.certify.many.journal import Header, Journal, Query
from equiproof.certify.many.point import Limits, PointResult
from equiproof.certify.many.pointwise import certify_point
from equiproof.certify.many.results import FORMAT, Results
from equiproof.certify.network import QuantisedNetwork
from equiproof.circuits import workers
from equiproof.circuits.schemes import NETWORK_SCHEMES, Scheme, counted, least_room
from equiproof.circuits.spec import Spec, refuse_ranges

Finished = tuple[Query, PointResult]
Model = QuantisedNetwork | AdditiveModel | EnsembleModel
Setting = tuple[Model, Spec, Limits]


class InterruptedRunError(KeyboardInterrupt):
    """Ctrl-C ended a run; `finished` has the results of the finished rows, under their own numbers."""

    def __init__(self, finished: Results) -> None:
        """Keep the finished rows."""
        super().__init__(f"interrupted after {len(finished)} rows")
        self.finished = finished


def certify_all(
    network: Model,
    spec: Spec,
    queries: Sequence[Query],
    limits: Limits,
    *,
    jobs: int = 1,
    resume: Path | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Results:
    """Certify queries of n_x integers, `jobs` at a time (-1: one per processor); equal ones are searched once.

    `resume` names a file that keeps each finished point; points already in it are not searched again. `progress` is
    called with (done, all). Ctrl-C stops all processes and raises InterruptedRunError. Raises RunError for limits that
    contradict each other, a network that does not fit the spec and a file of another run, CapacityError where a limit
    has no room for the slices, SpecError for scheme traversal and a spec that restricts neighbors to ranges, WidthError
    where scheme branch cannot hold the network's numbers.
    """
    _refuse(network, spec, limits, jobs)
    rows = list(dict.fromkeys(queries))
    points: dict[Query, PointResult] = {}
    with nullcontext() if resume is None else Journal(resume, Header.of(network, spec, limits)) as journal:
        if journal is not None:
            points |= journal.points
        ahead = [query for query in rows if query not in points]
        try:
            with closing(_each(network, spec, ahead, limits, jobs)) as finished:
                for done, (query, point) in enumerate(finished, start=len(rows) - len(ahead) + 1):
                    points[query] = point
                    if journal is not None:
                        journal.append(query, point)
                    if progress is not None:
                        progress(done, len(rows))
        except KeyboardInterrupt:
            raise InterruptedRunError(_results(spec, limits, queries, points)) from None
    return _results(spec, limits, queries, points)


def _refuse(network: Model, spec: Spec, limits: Limits, jobs: int) -> None:
    """Raise the errors of :func:`certify_all` for arguments that no search can use."""
    _refuse_model(network, spec, limits)
    budget, most = limits.budget
    for name, number in (("jobs", jobs), (budget, most), ("capacity", limits.capacity), ("slots", limits.slots)):
        if number is not None and type(number) is not int:
            raise RunError(f"{name}: want an integer, not {str(number)[:40]!r}")
    if jobs < 1 and jobs != -1:
        raise RunError(f"jobs: want at least 1, or -1 for one per processor, not {jobs}")
    if limits.max_seconds is not None and not limits.max_seconds >= 0:
        raise RunError(f"max_seconds: want at least 0, not {limits.max_seconds}")
    if limits.capacity is not None and limits.capacity > most:
        raise RunError(f"capacity {limits.capacity} is above {budget} {most}: raise {budget}")
    for name, room in (("slots", limits.slots), ("rows", limits.rows)):
        if room is not None and (room < 0 or limits.scheme != "trees"):
            raise RunError(f"{name}: want at least 0, with scheme trees only, not {room}")
    if limits.scheme != "trees":
        refuse_ranges(limits.scheme, spec)
    least = least_room(limits.scheme, len(spec.domain_table))
    for room in (most, limits.capacity):
        if room is not None and room < least:
            raise CapacityError(least, room, None, counted(limits.scheme))
    if isinstance(network, QuantisedNetwork) and limits.scheme == "branch":
        network_parameters(spec, network.hidden)


def _refuse_model(network: Model, spec: Spec, limits: Limits) -> None:
    """Raise RunError for a model that does not fit the spec or the scheme."""
    columns = spec.plain_columns + spec.sensitive_columns
    logits = network.logit_count
    taken = network.inputs if isinstance(network, QuantisedNetwork) else network.stated + network.sensitive
    if (taken, logits) != (columns, spec.logits):
        raise RunError(
            f"the model takes {taken} columns and gives {logits} logits; the spec has {columns} and {spec.logits}"
        )
    if not isinstance(network, QuantisedNetwork) and network.stated != spec.plain_columns:
        raise RunError(f"the model has {network.stated} plain columns and the spec {spec.plain_columns}")
    if network.input_fraction_bits != spec.input_fraction_bits:
        raise RunError("model and spec disagree on input_fraction_bits: quantise the model for this spec")
    allowed: tuple[Scheme, ...] = NETWORK_SCHEMES if isinstance(network, QuantisedNetwork) else ("trees",)
    if limits.scheme not in allowed:
        kind = "a network" if isinstance(network, QuantisedNetwork) else "an additive model or ensemble"
        raise RunError(f"scheme: want {' or '.join(allowed)} for {kind}, not {str(limits.scheme)[:40]!r}")


def _results(spec: Spec, limits: Limits, queries: Sequence[Query], by_query: dict[Query, PointResult]) -> Results:
    """Return the finished points in the order of the queries, numbered by their rows."""
    points = (
        msgspec.structs.replace(by_query[query], row=row)
        for row, query in enumerate(queries, start=1)
        if query in by_query
    )
    return Results(*FORMAT, spec, limits, tuple(points))


def _each(
    network: Model, spec: Spec, queries: Sequence[Query], limits: Limits, jobs: int
) -> Generator[Finished, None, None]:
    """Yield queries with their results, as they finish."""
    setting = (network, spec, limits)
    if jobs == 1 or len(queries) < 2:
        yield from (_certified(setting, query) for query in queries)
        return
    count = workers.processors() if jobs == -1 else jobs
    try:
        yield from workers.each(_certified, setting, queries, min(count, len(queries)))
    except workers.WorkerError as error:
        raise RunError(str(error)) from None


def _certified(setting: Setting, query: Query) -> Finished:
    """Certify one query: the task of a worker."""
    network, spec, limits = setting
    return query, certify_point(network, spec, query, limits)
