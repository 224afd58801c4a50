"""Imports any readable ensemble under a spec, as an exact score, which then becomes the committed integers."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from equiproof.certify.additive import AdditiveModel, EnsembleError
from equiproof.certify.data.dataset import Row
from equiproof.certify.data.spec_builder import with_fraction_bits
from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.models.ensembles.additive import additive
from equiproof.certify.models.ensembles.by_category import asks_categories, by_category
from equiproof.certify.models.ensembles.cards import NO_ANSWERS, Card, CardAnswers
from equiproof.certify.models.ensembles.ebm import Machine
from equiproof.certify.models.ensembles.ensemble import Ensemble
from equiproof.certify.models.ensembles.fronts import by_numbers
from equiproof.certify.models.ensembles.imputed import without_fills
from equiproof.certify.models.ensembles.quantise import quantise_score
from equiproof.certify.models.ensembles.reading import UnderSpec
from equiproof.certify.models.ensembles.score import Score
from equiproof.certify.models.ensembles.scorecard import Scorecard
from equiproof.certify.models.ensembles.sizes import refuse_huge
from equiproof.certify.models.ensembles.ties import settled
from equiproof.certify.models.importing.bind import Units, bind_outputs, class_names, input_names
from equiproof.certify.models.importing.errors import CoarseGridError, ModelImportError
from equiproof.certify.models.importing.one_hot import with_one_hot
from equiproof.certify.models.importing.values import Values, refuse_unused
from equiproof.circuits.spec import Spec, SpecError, refuse_marks, refuse_told_as_value


@dataclass(frozen=True, eq=False, repr=False)
class ImportedScore:
    """An imported ensemble: the exact score, and the integers that it becomes under its spec.

    `columns` are the model's inputs in its own order, `sha256` is that of its file, None for a model in memory; `notes`
    are remarks for whoever imports it, and `shift` is how far the score was moved so that ties are decided as the
    library decides them.
    """

    kind: str
    spec: Spec
    score: Score
    model: AdditiveModel | EnsembleModel
    trees: int
    columns: tuple[str, ...]
    units: Units
    sha256: str | None
    notes: tuple[str, ...] = ()
    shift: Fraction = Fraction(0)

    def __repr__(self) -> str:
        """Show what it is in one line."""
        return f"<{type(self).__name__} {self.size()}>"

    def size(self) -> str:
        """Return the kind, and the numbers of trees and predicates."""
        return f"{self.kind}, {self.trees} trees, {sum(self.model.predicates)} predicates"

    def document(self) -> dict[str, Any]:
        """Return what was imported and how it was bound to the spec, as JSON data without any number of the model."""
        return {
            "kind": self.kind,
            "columns": list(self.columns),
            "units": self.units,
            "trees": self.trees,
            "predicates": list(self.model.predicates),
            "nodes": list(self.model.nodes.sizes) if isinstance(self.model, EnsembleModel) else None,
            "sensitive": [feature.name for feature in self.spec.sensitive_features],
            "slices": len(self.spec.domain_table),
        }


def bound_score(
    source: Ensemble | UnderSpec,
    spec: Spec,
    *,
    units: Units = "raw",
    columns: Sequence[str] | None = None,
    classes: Sequence[str] | None = None,
    rows: Iterable[Row] = (),
    unused: Collection[str] = (),
    card: CardAnswers = NO_ANSWERS,
    values: Values | None = None,
    name: str = "",
) -> ImportedScore:
    """Bind an ensemble of trees that was read to a spec, and round it to the integers that are committed.

    Options are those of :func:`~equiproof.certify.models.importing.imported.bound_network`. On `rows` and all values
    that the spec declares, committed comparisons agree with those of the library. `card`: what the lender says about a
    scorecard that its table does not. `values`: by feature and value of the spec, how a model with categories of its
    own spells it, "" where it does not know it; `name` stands before messages. Raises
    ModelImportError naming what cannot be imported exactly, EnsembleError where numbers do not fit their widths, and
    DataError naming a row that does not fit the spec.
    """
    name = name or (source.name if isinstance(source, Ensemble) else "")
    own = source.columns if isinstance(source, Ensemble) else None
    try:
        refuse_marks(spec)
        refuse_told_as_value(spec)
        spec, turned_notes = with_one_hot(spec, columns or own or ())
        ensemble, inputs = _made(source, spec, units, columns, values or {}, card)
        columns = columns if inputs is None else None
        refuse_huge(ensemble)
        if ensemble.front and units != "raw":
            raise ModelImportError("the pipeline scales raw numbers itself: its units are raw")
        named = input_names(ensemble.columns, columns, spec, units, ensemble.ranked)
        names_of_classes = class_names(ensemble.classes, classes)
        known_rows = rows if isinstance(rows, Sequence) else list(rows)
        score = additive(
            ensemble, spec, units=units, columns=named, classes=names_of_classes, rows=known_rows, unused=unused
        )
        turned = bind_outputs(1, names_of_classes, spec).rows[0][0] < 0
        moved = settled(score, spec, known_rows, ensemble.ties, turned=turned)
        shift = moved.base - score.base
        model_of_integers = quantise_score(moved, spec)
    except CoarseGridError as error:
        raise CoarseGridError(_named(name, error), error.bits) from None
    except (ModelImportError, EnsembleError, SpecError) as error:
        kind = ModelImportError if isinstance(error, SpecError) else type(error)
        raise kind(_named(name, error)) from None
    digest = source.sha256 if isinstance(source, Ensemble) else source[1]
    notes = (*ensemble.notes, *turned_notes, *_notes(shift, spec))
    trees_read = len(ensemble.trees)
    own_inputs = tuple(inputs or named or ())
    return ImportedScore(
        ensemble.kind, spec, moved, model_of_integers, trees_read, own_inputs, units, digest, notes, shift
    )


def _made(
    source: Ensemble | UnderSpec,
    spec: Spec,
    units: Units,
    columns: Sequence[str] | None,
    values: Values,
    card: CardAnswers,
) -> tuple[Ensemble, Sequence[str] | None]:
    """Return the ensemble that a model is under a spec, and the names of its inputs where it splits by categories."""
    if not isinstance(source, Ensemble):
        if units != "raw" or columns is not None:
            raise ModelImportError(
                "leave the names of columns out: the model names its features itself and takes raw values"
            )
        ensemble, inputs = _under(source[0], spec, values, card), None
    else:
        if values:
            read = input_names(source.columns, columns, spec, units) or ()
            refuse_unused(values, spec, [read[place] for place in source.categories if place < len(read)])
        ensemble, inputs = source, None
        if asks_categories(source, spec):
            if units != "raw":
                raise ModelImportError("give it raw values: the model splits by categories")
            inputs = columns or source.columns
            ensemble = by_category(source, spec, values, inputs)
    return (without_fills(by_numbers(ensemble, spec), spec) if units == "raw" else ensemble), inputs


def _notes(shift: Fraction, spec: Spec) -> tuple[str, ...]:
    """Return what is said of a score that was moved."""
    if not shift:
        return ()
    return (f"a tie is {spec.labels[shift > 0]!r}, as in the library: the score was moved by {float(shift):+.1e}",)


def on_fine_grid(bind: Callable[[Spec], ImportedScore], spec: Spec, *, is_fixed: bool) -> ImportedScore:
    """Bind a model to a spec, on a finer grid of inputs where its thresholds and the rows demand one.

    With `is_fixed` the owner chose the grid. Raises CoarseGridError where that, or every grid, is too coarse.
    """
    try:
        return bind(spec)
    except CoarseGridError as error:
        if is_fixed or error.bits is None:
            raise
        imported = bind(with_fraction_bits(spec, error.bits))
        note = (
            f"inputs are rounded to steps of 2^-{error.bits} in place of 2^-{spec.input_fraction_bits}: values on both "
            "sides of a threshold would become one integer"
        )
        return dataclasses.replace(imported, notes=(*imported.notes, note))


def _under(model: Scorecard | Card | Machine, spec: Spec, values: Values, card: CardAnswers) -> Ensemble:
    """Return a machine or a scorecard as an ensemble under a spec."""
    if isinstance(model, Machine):
        return model.ensemble(spec, values)
    if isinstance(model, Card):
        return model.ensemble(spec, card, values)
    refuse_unused(values, spec, ())
    return model.ensemble(spec, card)


def _named(name: str, error: ValueError) -> str:
    """Return what an error says, behind the name of the model's file if it has one."""
    return f"{name}: {error}" if name else str(error)
