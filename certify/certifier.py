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

from certify.errors import RunError
from certify.model import Network
from certify.network import QuantisedNetwork
from certify.points import queries
from certify.portfolio import certify_all
from certify.quantise import quantise
from certify.results import Limits, Results
from circuits.schemes import DEFAULT_SCHEME, MAX_LEAVES, MAX_REGIONS, Scheme
from circuits.spec import Spec


class Certifier(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no type information
    """Certifies in plaintext, for each applicant, how far the decision holds whatever the sensitive values are.

    There is nothing to fit: parameters are only kept until :meth:`certify` judges them.

    Args:
        model: A float network, quantised for the spec on use, or the quantised network that is committed.
        spec: The feature spec.
        scheme: "branch" is branch and bound, exact where its budget lasts; "traversal" walks through the polytopes.
        capacity: Also report the largest radius that a key of so many rows certifies.
        max_regions: The budget of each search of scheme traversal, in regions.
        max_leaves: The budget of each search of scheme branch, in leaves over all sensitive values.
        max_seconds: The budget of each search in seconds, None for none. Only this one depends on the machine.
        exact: Also find the interval that holds the true distance of the decision's boundary, within the same budget;
            scheme branch finds it anyway.
        jobs: How many applicants at a time, in processes of their own; -1 takes one per processor.
        progress: Show a progress bar on standard error where that is a terminal.
    """

    def __init__(
        self,
        model: Network | QuantisedNetwork,
        spec: Spec,
        *,
        scheme: Scheme = DEFAULT_SCHEME,
        capacity: int | None = None,
        max_regions: int = MAX_REGIONS,
        max_leaves: int = MAX_LEAVES,
        max_seconds: float | None = 60.0,
        exact: bool = False,
        jobs: int = 1,
        progress: bool = True,
    ) -> None:
        self.model = model
        self.spec = spec
        self.scheme = scheme
        self.capacity = capacity
        self.max_regions = max_regions
        self.max_leaves = max_leaves
        self.max_seconds = max_seconds
        self.exact = exact
        self.jobs = jobs
        self.progress = progress

    def certify(self, X: Any, *, resume: str | Path | None = None) -> Results:
        """Certify the rows of X: a DataFrame, a list of mappings, or a 2-D array in the spec's order of features.

        Values are raw, as the spec reads them; sensitive ones are not needed and ignored. `resume` names a file that
        keeps each finished row: run again, the rows it holds are taken over. Ctrl-C raises InterruptedRunError with the
        finished rows. Raises, before any search, SpecError naming the row and feature that do not fit, RunError and
        NetworkError for parameters that do not, CapacityError where there are more sensitive values than regions or
        leaves, WidthError where scheme branch cannot hold the network's numbers.
        """
        if not isinstance(self.spec, Spec):
            raise RunError(f"spec: want a Spec, as parse_spec returns it, not {type(self.spec).__name__}")
        network, points = self._network(), queries(X, self.spec)
        limits = Limits(
            scheme=self.scheme,
            max_regions=self.max_regions,
            max_leaves=self.max_leaves,
            max_seconds=self.max_seconds,
            capacity=self.capacity,
            exact=self.exact,
        )
        path = None if resume is None else Path(resume)
        with _bar(shown=self.progress) as tick:
            return certify_all(network, self.spec, points, limits, jobs=self.jobs, resume=path, progress=tick)

    def _network(self) -> QuantisedNetwork:
        """Return the committed form of the model."""
        if isinstance(self.model, QuantisedNetwork):
            return self.model
        if isinstance(self.model, Network):
            return quantise(self.model, self.spec)
        raise RunError(f"model: want a Network or a QuantisedNetwork, not {type(self.model).__name__}")

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        """Name the parameters; the model is secret, so of it only the sizes are shown."""
        shown = []
        for name, value in self.get_params(deep=False).items():
            if isinstance(value, Network | QuantisedNetwork):
                sizes = "-".join(map(str, (value.inputs, *value.hidden, value.logit_count)))
                shown.append(f"{name}=<{type(value).__name__} {sizes}>")
            elif isinstance(value, Spec):
                shown.append(f"{name}=<Spec {value.name}>")
            else:
                shown.append(f"{name}={value!r}")
        return f"Certifier({', '.join(shown)})"[:N_CHAR_MAX]

    def _html_repr(self) -> str:
        """Show the same in a notebook: scikit-learn's table of parameters would save the weights with the notebook."""
        return f"<pre>{html.escape(repr(self))}</pre>"


@contextmanager
def _bar(*, shown: bool) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar while the block runs; call the result as (done, all)."""
    console = Console(stderr=True)
    with Progress(
        TextColumn("certifying"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), console=console,
        transient=True, disable=not shown or not console.is_terminal,
    ) as progress:  # fmt: skip
        task = progress.add_task("certifying", total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)
