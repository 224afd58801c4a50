"""Certification of many applicants in scikit-learn's manner: parameters in, `certify(X)`, frozen results out."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from sklearn.base import BaseEstimator

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.errors import RunError
from equiproof.certify.many.point import Limits
from equiproof.certify.many.points import queries
from equiproof.certify.many.portfolio import certify_all
from equiproof.certify.many.results import Results
from equiproof.certify.models.network import Network
from equiproof.certify.models.quantise import quantise
from equiproof.certify.network import QuantisedNetwork
from equiproof.circuits.schemes import DEFAULT_SCHEME, MAX_LEAVES, MAX_REGIONS, Scheme
from equiproof.circuits.spec import Spec


class Certifier(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no type information
    """Certifies in plaintext, for each applicant, how far the decision stays the same for all sensitive values.

    There is nothing to fit; :meth:`certify` checks the parameters.

    Args:
        model: A float network, quantised for the spec on use, or the quantised network that is committed; with scheme
        "trees", an additive model or an ensemble. spec: The feature spec. scheme: "branch" is branch and bound, exact
        within its budget; "traversal" enumerates polytopes; "trees" is for scores. capacity: Also report the largest
        radius that a key with this many rows certifies. slots: With scheme trees and a capacity, the number of
        thresholds within the radius that the key holds; any number with None. rows: The same of an ensemble's live
        nodes. max_regions: The budget of each search of
        scheme traversal, in regions. max_leaves: The budget of each search of scheme branch or trees, in leaves over
        all sensitive values. max_seconds: The budget of each search in seconds. Only this budget makes results
        depend on the machine; with None, scheme branch counts its work, up to about a minute's, and scheme traversal
        has its regions. exact: Also find the
        interval that holds the true distance of the decision's boundary, within the same budget; scheme branch finds it
        anyway. jobs: The number of applicants certified at a time, each in its own process; -1 for one per processor.
        progress: Show a progress bar on standard error where that is a terminal.
    """

    def __init__(
        self,
        model: Network | QuantisedNetwork | AdditiveModel | EnsembleModel,
        spec: Spec,
        *,
        scheme: Scheme = DEFAULT_SCHEME,
        capacity: int | None = None,
        slots: int | None = None,
        rows: int | None = None,
        max_regions: int = MAX_REGIONS,
        max_leaves: int = MAX_LEAVES,
        max_seconds: float | None = None,
        exact: bool = False,
        jobs: int = 1,
        progress: bool = True,
    ) -> None:
        self.model = model
        self.spec = spec
        self.scheme = scheme
        self.capacity = capacity
        self.slots = slots
        self.rows = rows
        self.max_regions = max_regions
        self.max_leaves = max_leaves
        self.max_seconds = max_seconds
        self.exact = exact
        self.jobs = jobs
        self.progress = progress

    def certify(self, X: Any, *, resume: str | Path | None = None) -> Results:
        """Certify the rows of X: a DataFrame, a list of mappings, or a 2-D array in the spec's order of features.

        Values are raw, as the spec reads them; sensitive ones are ignored and may be missing. `resume` names a file
        that keeps each finished row; a later run with the same file takes these rows from it. Ctrl-C raises
        InterruptedRunError with the finished rows. Raises, before any search: SpecError naming the row and feature that
        do not fit, RunError and NetworkError for parameters that do not fit, CapacityError where there are more
        sensitive values than regions or leaves, WidthError where scheme branch cannot hold the network's numbers.
        """
        if not isinstance(self.spec, Spec):
            raise RunError(f"spec: want a Spec, as parse_spec returns it, not {type(self.spec).__name__}")
        network = self._network()
        points = queries(X, self.spec)
        limits = Limits(
            scheme=self.scheme,
            max_regions=self.max_regions,
            max_leaves=self.max_leaves,
            max_seconds=self.max_seconds,
            capacity=self.capacity,
            slots=self.slots,
            rows=self.rows,
            exact=self.exact,
        )
        path = None if resume is None else Path(resume)
        with _bar(shown=self.progress) as tick:
            return certify_all(network, self.spec, points, limits, jobs=self.jobs, resume=path, progress=tick)

    def _network(self) -> QuantisedNetwork | AdditiveModel | EnsembleModel:
        """Return the committed form of the model."""
        if isinstance(self.model, QuantisedNetwork | AdditiveModel | EnsembleModel):
            return self.model
        if isinstance(self.model, Network):
            return quantise(self.model, self.spec)
        raise RunError(f"model: want a network, an additive model or an ensemble, not {type(self.model).__name__}")

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        """Name the parameters; networks show their sizes only, specs their names."""
        parameters = (
            f"{name}=<Spec {value.name}>" if isinstance(value, Spec) else f"{name}={value!r}"
            for name, value in self.get_params(deep=False).items()
        )
        return f"Certifier({', '.join(parameters)})"[:N_CHAR_MAX]

    def _html_repr(self) -> str:
        """Return the same for a notebook: scikit-learn's table of parameters would save the weights with it."""
        return f"<pre>{html.escape(repr(self))}</pre>"


@contextmanager
def _bar(*, shown: bool) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar while the block runs; call the result as (done, all)."""
    console = Console(stderr=True)
    with Progress(
        TextColumn("certifying"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not shown or not console.is_terminal,
    ) as progress:
        task = progress.add_task("certifying", total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)
