"""Imports any readable ensemble under a spec, as an exact score, which then becomes the committed integers."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from equiproof.certify.additive import AdditiveModel, EnsembleError
from equiproof.certify.data.dataset import Row
from equiproof.certify.data.spec_builder import with_fraction_bits
from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.models.ensembles.additive import additive
from equiproof.certify.models.ensembles.cards import NO_ANSWERS, Card, CardAnswers
from equiproof.certify.models.ensembles.ebm import Machine
from equiproof.certify.models.ensembles.ensemble import Ensemble
from equiproof.certify.models.ensembles.quantise import quantise_score
from equiproof.certify.models.ensembles.reading import UnderSpec
from equiproof.certify.models.ensembles.score import Score
from equiproof.certify.models.ensembles.scorecard import Scorecard
from equiproof.certify.models.importing.bind import Units, class_names, input_names
from equiproof.certify.models.importing.errors import CoarseGridError, ModelImportError
from equiproof.circuits.spec import Spec


@dataclass(frozen=True, eq=False, repr=False)
class ImportedScore:
    """An imported ensemble: the exact score, and the integers that it becomes under its spec.

    `columns` are the model's inputs in its own order, `sha256` is that of its file, None for a model in memory. `notes`
    say what the model does that is not imported.
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
    name: str = "",
) -> ImportedScore:
    """Bind an ensemble of trees that was read to a spec, and round it to the integers that are committed.

    Options are those of :func:`~equiproof.certify.models.importing.imported.bound_network`. On `rows` and all values
    that the spec declares, committed comparisons agree with those of the library. `card`: what the lender says about a
    scorecard that its table does not. `name` stands before messages. Raises
    ModelImportError naming what cannot be imported exactly, EnsembleError where numbers do not fit their widths, and
    DataError naming a row that does not fit the spec.
    """
    name = name or (source.name if isinstance(source, Ensemble) else "")
    try:
        ensemble = source if isinstance(source, Ensemble) else _under_spec(source[0], spec, card)
        if not isinstance(source, Ensemble) and (units != "raw" or columns is not None):
            raise ModelImportError("the model names its features itself and takes raw values; leave columns out")
        if ensemble.front and units != "raw":
            raise ModelImportError("the pipeline scales raw numbers itself: its units are raw")
        named = input_names(ensemble.columns, columns, spec, units, ensemble.ranked)
        names_of_classes = class_names(ensemble.classes, classes)
        score = additive(ensemble, spec, units=units, columns=named, classes=names_of_classes, rows=rows, unused=unused)
        settled = quantise_score(score, spec)
    except CoarseGridError as error:
        raise CoarseGridError(_named(name, error), error.bits) from None
    except (ModelImportError, EnsembleError) as error:
        raise type(error)(_named(name, error)) from None
    digest = source.sha256 if isinstance(source, Ensemble) else source[1]
    columns = tuple(named or ())
    return ImportedScore(
        ensemble.kind, spec, score, settled, len(ensemble.trees), columns, units, digest, ensemble.notes
    )


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


def _under_spec(model: Scorecard | Card | Machine, spec: Spec, card: CardAnswers) -> Ensemble:
    """Return the ensemble that a model is under a spec; answers about scorecards are for these only."""
    if not isinstance(model, Machine):
        return model.ensemble(spec, card)
    return model.ensemble(spec)


def _named(name: str, error: ValueError) -> str:
    """Return what an error says, behind the name of the model's file if it has one."""
    return f"{name}: {error}" if name else str(error)
