"""The input of an audit: the committed model, rows of data with labels, and options."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import msgspec

from equiproof.audits.counterexample import DecidedInput, assignment, decided_input
from equiproof.audits.data import AuditRows
from equiproof.audits.errors import AuditError, NotApplicableError
from equiproof.audits.records import Model
from equiproof.certify.decisions import Integers, decided, decisions
from equiproof.certify.ensemble import EnsembleModel, ScoredModel
from equiproof.certify.many.point import Assignment
from equiproof.certify.models.comparison import Comparison
from equiproof.certify.models.fidelity import Rounding, rounding
from equiproof.certify.models.network import Network
from equiproof.certify.network import QuantisedNetwork
from equiproof.certify.padding import without_columns
from equiproof.circuits.spec import Spec, SpecError

Progress = Callable[[int, int], None]
"""Called with the number of steps done and the total."""

NEEDS = ("rows", "labels", "linear")
"""What an audit may need besides the model; see :class:`AuditContext`."""


def quiet(_done: int, _total: int) -> None:
    """Report no progress."""


@dataclass(frozen=True, kw_only=True)
class AuditContext:
    """The committed model with the data of an audit.

    Args:
        network: The quantised network, the only model that reports speak of. For a score, a network that decides alike
            at all grid points (:mod:`equiproof.certify.models.ensembles.stepped`).
        spec: Its feature spec. Columns of its padding are left out of both, since they are 0 for everybody.
        commitment: Its commitment, hexadecimal text; every report names it. Empty for an uncommitted model.
        rows: Raw values by feature name, including the sensitive ones if groups are compared.
        labels: The true label of each row, as its number in the spec; None if unknown.
        sensitive_features: Names of the sensitive features to audit; all of the spec's by default.
        linear: A fitted linear scikit-learn model, for audits that need one besides the network.
        original: The float model that the network was rounded from, where it is at hand: reports say what holds there.
        seed: The seed of every random choice.
        max_seconds: The time limit of the whole audit; None for none.
        options: Values for the audit's own options, by name.
        progress: Called with the progress of the audit.
        score: The additive model or the ensemble, where the model is none of the networks.
        committed: The spec that was committed, if `spec` is not that; filled in where `spec` is padded.
        training: Rows that the model was trained on, with their labels, where they are at hand: what an audit fits is
            fitted to them. A row that is audited as well is the same object in both.
        compared: How the model decided beside its owner's own system; None for a model that was made elsewhere and not
            compared, unset for one that was trained here.

    Raises AuditError for rows, labels and features that do not fit.
    """

    network: QuantisedNetwork
    spec: Spec
    commitment: str
    rows: Sequence[Mapping[str, Any]] = ()
    labels: Sequence[int] | None = None
    sensitive_features: tuple[str, ...] = ()
    linear: Any = None
    original: Network | None = None
    seed: int = 0
    max_seconds: float | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    progress: Progress = quiet
    score: ScoredModel | None = None
    committed: Spec | None = None
    training: AuditRows = field(default_factory=AuditRows)
    compared: Comparison | msgspec.UnsetType | None = msgspec.UNSET

    def __post_init__(self) -> None:
        """Leave padding out; raise AuditError unless labels and sensitive features fit the spec and the rows."""
        if self.spec.padding:
            network, spec = without_columns(self.network, self.spec)
            for name, value in (("committed", self.spec), ("network", network), ("spec", spec)):
                object.__setattr__(self, name, value)
        names = tuple(feature.name for feature in self.spec.sensitive_features)
        for name in self.sensitive_features:
            if name not in names:
                raise AuditError(f"sensitive_features: {name!r} is not one of the spec's: {', '.join(names)}")
        if not self.sensitive_features:
            object.__setattr__(self, "sensitive_features", names)
        self._refuse_labels("labels", self.rows, self.labels)
        self._refuse_labels("training", self.training.rows, self.training.labels)

    def _refuse_labels(self, what: str, rows: Sequence[Mapping[str, Any]], labels: Sequence[int] | None) -> None:
        """Raise AuditError unless there is a label of the spec for each row, or none at all."""
        if labels is None:
            return
        if len(labels) != len(rows):
            raise AuditError(f"{what}: give one for each of the {len(rows)} rows: there are {len(labels)}")
        for number, label in enumerate(labels, start=1):
            if not 0 <= label < len(self.spec.labels):
                raise AuditError(f"{what}: row {number}: {label} is not one of the {len(self.spec.labels)} labels")

    @property
    def model(self) -> Model:
        """The model as reports identify it."""
        from equiproof.circuits.field import to_hex

        hidden = self.network.hidden if self.score is None else ()
        sizes = (self.network.inputs, *hidden, self.network.logit_count)
        digest = to_hex(self.committed_spec.digest)
        return Model(commitment=self.commitment, spec_name=self.spec.name, spec_digest=digest, layers=sizes)

    @property
    def decider(self) -> QuantisedNetwork | ScoredModel:
        """The committed model itself, which counterexamples are replayed by."""
        return self.score or self.network

    def decisions(self, inputs: Integers) -> Integers:
        """Return the decision of the committed model at each row of n_x + n_s integers; TIE for a tie."""
        if self.score is None:
            return decisions(self.network, inputs)
        from equiproof.certify.models.ensembles.scoring import committed_scores

        return decided(committed_scores(self.score, inputs)[:, None])

    @property
    def committed_spec(self) -> Spec:
        """The spec that the commitment binds, with its padding."""
        return self.committed or self.spec

    @property
    def has(self) -> frozenset[str]:
        """Which of the needs are met."""
        met = {"rows": bool(self.rows), "labels": self.labels is not None, "linear": self.linear is not None}
        return frozenset(name for name in NEEDS if met[name])

    @cached_property
    def held_out(self) -> tuple[int, ...]:
        """The numbers, from 0, of the rows that are none of the training rows."""
        trained = {id(row) for row in self.training.rows}
        return tuple(number for number, row in enumerate(self.rows) if id(row) not in trained)

    def fitted_to(self, numbers: Sequence[int]) -> AuditContext:
        """Return the same context with these training rows, numbered from 0, in the place of its rows."""
        rows, labels = self.training.rows, self.training.labels
        chosen = None if labels is None else [labels[number] for number in numbers]
        return replace(self, rows=[rows[number] for number in numbers], labels=chosen, training=AuditRows())

    @cached_property
    def queries(self) -> tuple[tuple[int, ...], ...]:
        """The rows as n_x integers each; raises AuditError naming row and feature."""
        return tuple(self._encoded(number, row, self.spec.encode) for number, row in enumerate(self.rows, start=1))

    @cached_property
    def slices(self) -> tuple[int, ...]:
        """The slice of each row's own sensitive values, numbered as in the spec's table.

        Raises AuditError for values that are not in it.
        """
        numbers = {values: number for number, values in enumerate(self.spec.domain_table)}
        slices = []
        for number, row in enumerate(self.rows, start=1):
            values = self._encoded(number, row, self.spec.encode_sensitive)
            if values not in numbers:
                raise AuditError(f"row {number}: leave it out: its sensitive values are not in the spec's table")
            slices.append(numbers[values])
        return tuple(slices)

    @cached_property
    def groups(self) -> tuple[Assignment, ...]:
        """The group of each row: its own values of `sensitive_features`."""
        return tuple(self.group(number) for number in self.slices)

    @cached_property
    def rounding(self) -> Rounding | None:
        """What rounding changed in the float model; None where that is not at hand."""
        return None if self.original is None else rounding(self.original, self.network, self.spec)

    def group(self, number: int) -> Assignment:
        """Return the group of slice `number`: its values of `sensitive_features`, without other features."""
        named = assignment(self.spec, self.spec.domain_values[number])
        return tuple(pair for pair in named if pair[0] in self.sensitive_features)

    @cached_property
    def counterparts(self) -> tuple[tuple[int, ...], ...]:
        """For each slice, the slices that its people are compared with: any `sensitive_features`, other values kept.

        A slice is one of its own counterparts.
        """
        kinds = []
        for values in self.spec.domain_values:
            named = assignment(self.spec, values)
            kinds.append(tuple(pair for pair in named if pair[0] not in self.sensitive_features))
        return tuple(tuple(other for other, kind in enumerate(kinds) if kind == own) for own in kinds)

    def with_options(
        self, options: Mapping[str, str], progress: Progress = quiet, max_seconds: float | None = None
    ) -> AuditContext:
        """Return the same context with other options, and another time limit if given; what was computed is reused."""
        limit = self.max_seconds if max_seconds is None else max_seconds
        other = replace(self, options=options, progress=progress, max_seconds=limit)
        for name in ("queries", "slices", "groups", "counterparts", "rounding"):
            if name in self.__dict__:
                other.__dict__[name] = self.__dict__[name]
        return other

    def decided_input(self, query: Sequence[int | Fraction], number: int) -> DecidedInput:
        """Return the exact logits and decision of the model for a query in slice `number`."""
        return decided_input(self.decider, self.spec, query, number)

    def refuse_score(self, why: str) -> None:
        """Raise NotApplicableError for an additive model or an ensemble, with what of a network the audit needs."""
        if self.score is not None:
            kind = "an ensemble of trees" if isinstance(self.score, EnsembleModel) else "additive"
            raise NotApplicableError(f"the model is {kind}: {why}")

    def refuse_marks(self) -> None:
        """Raise NotApplicableError for a network that has columns for what is missing, which the audit would vary."""
        if lacking := [feature.name for feature in self.spec.plain_features if feature.has_mark]:
            raise NotApplicableError(
                f"the model has a column for missing values of {lacking[0][:80]!r}, which this audit does not search; "
                "ask groups or fvgm"
            )

    def deadline(self) -> float | None:
        """Return the moment of `time.monotonic` at which the budget ends, counted from now."""
        return None if self.max_seconds is None else time.monotonic() + self.max_seconds

    def _encoded(
        self, number: int, row: Mapping[str, Any], encode: Callable[[Mapping[str, Any]], tuple[int, ...]]
    ) -> tuple[int, ...]:
        """Encode a row; raises AuditError naming a row that does not fit."""
        try:
            return encode(row)
        except SpecError as error:
            raise AuditError(f"row {number}: {error}") from None
