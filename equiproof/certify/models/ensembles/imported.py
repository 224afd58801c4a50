"""Imports any readable ensemble under a spec, as an exact score, which then becomes the committed integers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from equiproof.certify.additive import AdditiveModel, EnsembleError
from equiproof.certify.data.dataset import Row
from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.models.ensembles.additive import additive
from equiproof.certify.models.ensembles.cards import NO_ANSWERS, Card, CardAnswers
from equiproof.certify.models.ensembles.ebm import Machine
from equiproof.certify.models.ensembles.ensemble import Ensemble
from equiproof.certify.models.ensembles.quantise import quantise_score
from equiproof.certify.models.ensembles.reading import read_ensemble
from equiproof.certify.models.ensembles.score import Score
from equiproof.certify.models.ensembles.scorecard import Scorecard
from equiproof.certify.models.ensembles.xgboost import TreeChoice
from equiproof.certify.models.importing.bind import Units, class_names, input_names
from equiproof.certify.models.importing.errors import ModelImportError
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
        return f"<{type(self).__name__} {self.kind}, {self.trees} trees, {sum(self.model.predicates)} predicates>"

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


def import_ensemble(
    model: Any,
    spec: Spec,
    *,
    units: Units = "raw",
    columns: Sequence[str] | None = None,
    classes: Sequence[str] | None = None,
    rows: Iterable[Row] = (),
    trees: TreeChoice | None = None,
    unused: Collection[str] = (),
    card: CardAnswers = NO_ANSWERS,
    name: str = "",
) -> ImportedScore:
    """Import an ensemble of trees under a spec: a path, or an object of the library that made it.

    Options are those of :func:`equiproof.import_model`. On `rows` and all values that the spec declares, committed
    comparisons agree with those of the library. `trees`: which trees of an XGBoost model that was stopped early;
    `card`: what the lender says about a scorecard that its table does not. `name` stands before messages. Raises
    ModelImportError naming what cannot be imported exactly, EnsembleError where numbers do not fit their widths, and
    DataError naming a row that does not fit the spec.
    """
    if isinstance(model, str | Path):
        name = str(model)
    source = model if isinstance(model, Ensemble | tuple) else read_ensemble(model, trees)
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
    except (ModelImportError, EnsembleError) as error:
        raise type(error)(f"{name}: {error}" if name else str(error)) from None
    digest = source.sha256 if isinstance(source, Ensemble) else source[1]
    columns = tuple(named or ())
    return ImportedScore(
        ensemble.kind, spec, score, settled, len(ensemble.trees), columns, units, digest, ensemble.notes
    )


def _under_spec(model: Scorecard | Card | Machine, spec: Spec, card: CardAnswers) -> Ensemble:
    """Return the ensemble that a model is under a spec; answers about scorecards are for these only."""
    if not isinstance(model, Machine):
        return model.ensemble(spec, card)
    return model.ensemble(spec)
