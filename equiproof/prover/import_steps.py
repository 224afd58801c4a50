"""The steps of an import: a model is read, bound to a spec, decides rows, and is compared with its owner's decisions.

The Python call and the command take the same steps; :mod:`equiproof.prover.import_drafts` draws the spec of a table
before them. What stands for a model between them is what its readers return; see :mod:`equiproof.prover.imports`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from equiproof.certify.data.dataset import DataError, Dataset, Row
from equiproof.certify.data.frames import Frame
from equiproof.certify.data.spec_builder import with_fraction_bits
from equiproof.certify.models.card_decisions import card_decisions
from equiproof.certify.models.cuts import threshold_of
from equiproof.certify.models.decisions_compared import Judged, judge, network_decided
from equiproof.certify.models.ensembles.by_category import codes_of
from equiproof.certify.models.ensembles.cards import NO_ANSWERS, CardAnswers
from equiproof.certify.models.ensembles.columns import exact_columns
from equiproof.certify.models.ensembles.decided import score_decided
from equiproof.certify.models.ensembles.ensemble import Ensemble, Scale
from equiproof.certify.models.ensembles.imported import ImportedScore, bound_score, on_fine_grid
from equiproof.certify.models.ensembles.reading import (
    UnderSpec,
    is_card,
    is_ensemble,
    is_ensemble_object,
    read_ensemble,
)
from equiproof.certify.models.ensembles.xgboost import TreeChoice
from equiproof.certify.models.importing.bind import Units
from equiproof.certify.models.importing.errors import ModelImportError
from equiproof.certify.models.importing.imported import Imported, bound_network
from equiproof.certify.models.importing.reading import read_model
from equiproof.certify.models.importing.source import Source
from equiproof.certify.models.importing.values import Values, refuse_unused
from equiproof.certify.models.input_matrix import input_matrix
from equiproof.certify.models.narrow import narrow_notes
from equiproof.certify.models.network import Floats, Integers
from equiproof.certify.models.objects import own_decisions
from equiproof.certify.models.own_decisions import DecisionsError, OwnDecisions
from equiproof.circuits.arguments import argument
from equiproof.circuits.spec import Spec, checked
from equiproof.prover.ensemble_folder import refuse_imported
from equiproof.prover.model_folder import refuse_model

Read = Source | Ensemble | UnderSpec
"""A model as it was read."""

Bound = Imported | ImportedScore
"""A model that is bound to a spec."""

_LACKING = 20
"""How many rows of a table lack each value that may be missing when a fitted object is asked about them."""


@dataclass(frozen=True)
class Way:
    """How a model is bound to a spec: arguments of :func:`~equiproof.prover.imports.import_model`.

    `name` is that of the model's file, for messages.
    """

    units: Units | None
    columns: Sequence[str] | None
    classes: Sequence[str] | None
    trees: TreeChoice | None
    unused: Collection[str]
    widen: bool
    values: Values | None = None
    card: CardAnswers = NO_ANSWERS
    name: str = ""


@dataclass(frozen=True)
class GivenRows:
    """Rows as the spec reads them, and the owner's decisions on them, if there are any.

    `where` names them in errors, `name` in reports. `labels`, shape (rows,), are those of a data set; `frame` is the
    table that a fitted object is asked on.
    """

    rows: Sequence[Row]
    where: str
    name: str = "rows"
    own: OwnDecisions | None = None
    labels: Integers | None = None
    frame: Frame | None = None


def rows_of(data: Dataset) -> GivenRows:
    """Return the rows of a data set, of which no decisions of an owner are known."""
    return GivenRows(data.rows, data.name, data.name, labels=data.label_array())


@dataclass(frozen=True)
class Asked:
    """The object that is asked for its own decisions, None for a file, and what may differ from decisions.

    `allowed` is the share of rows, None for that of the model's kind. `meant`: one label for everybody, and labels
    that look exchanged, are meant.
    """

    model: Any = None
    allowed: Fraction | None = None
    meant: bool = False


class Outcome(NamedTuple):
    """A model that is bound and has decided rows, if there are any; `notes` are for people."""

    bound: Bound
    rows: GivenRows | None
    judged: Judged
    notes: tuple[str, ...] = ()


def read_any(model: Any, trees: TreeChoice | None, *, is_logit: bool = False) -> Read:
    """Read a model of whatever kind; :func:`~.import_options.refuse_options` refuses what it does not take."""
    if isinstance(model, Source | Ensemble | tuple):
        return model
    is_trees = is_ensemble(Path(model)) if isinstance(model, str | Path) else is_ensemble_object(model)
    return read_ensemble(model, trees, is_logit=is_logit) if is_trees else read_model(model)


def scale_of(read: Read) -> Scale:
    """Return what the score of a model is, which says what a threshold of it means."""
    return (read[0] if isinstance(read, tuple) else read).scale


def refuse_folder(read: Read, folder: Path, *, force: bool) -> None:
    """Raise FileExistsRefusedError where the folder of a model cannot be written, before any work is done."""
    refuse = refuse_model if isinstance(read, Source) else refuse_imported
    refuse(folder, force=force)


def changes_of(
    read: Read, *, threshold: str | float | None, weight_bits: Sequence[int] | None, allow_loss: bool
) -> dict[str, Any]:
    """Return what the owner's choices change in a spec; raises ModelImportError for a threshold of another kind."""
    changes: dict[str, Any] = {}
    if threshold is not None:
        changes["threshold"] = threshold_of(str(threshold), scale_of(read))
    if weight_bits is not None:
        changes["weight_bits"] = tuple(weight_bits)
    if allow_loss:
        changes["allow_loss"] = True
    return changes


def changed(spec: Spec, changes: Mapping[str, Any], bits: int | None) -> Spec:
    """Return a spec with the owner's choices, on the grid of inputs that was chosen, if any.

    Raises SpecError, and ModelImportError for a grid where every column is a whole number.
    """
    spec = checked(msgspec.structs.replace(spec, **changes))
    if bits is None:
        return spec
    values = (number for one in spec.features for value in one.domain for number in exact_columns(one, value, 1))
    if all(one.domain for one in spec.features) and all(number.denominator == 1 for number in values):
        raise ModelImportError(f"leave {argument('input_fraction_bits')} out: the spec's columns are all whole numbers")
    return with_fraction_bits(spec, bits)


def under(read: Read, spec: Spec, way: Way, rows: GivenRows | None, asked: Asked, *, is_fixed: bool) -> Outcome:
    """Bind a model to a spec, let it decide rows, and refuse it where it decides otherwise than its owner.

    With `is_fixed` the grid of the spec was chosen, and is not made finer. Raises ModelImportError, DecisionsError, and
    DataError naming rows and row.
    """
    taken = () if rows is None else rows.rows
    try:
        if isinstance(read, Source):
            bound: Bound = bind(read, spec, way, taken)
        else:
            bound = on_fine_grid(lambda other: _bound_score(read, other, way, taken), spec, is_fixed=is_fixed)
        notes = notes_of(read, bound, taken, way)
        judged = judge_rows(read, bound, rows, way, asked)
    except DataError as error:
        raise (error if rows is None else error.within(rows.where)) from None
    judged.refuse(meant=asked.meant)
    if rows is not None:
        refuse_lacking(read, bound, rows, way, asked)
    return Outcome(bound, rows, judged, notes)


def bind(read: Read, spec: Spec, way: Way, rows: Sequence[Row]) -> Bound:
    """Bind a model to a spec as it is, on its grid."""
    if not isinstance(read, Source):
        return _bound_score(read, spec, way, rows)
    refuse_unused(way.values or {}, spec, ())
    units = way.units or ("raw" if read.ranked or read.one_hot or read.logarithms or rows else None)
    if units is None:
        raise ModelImportError(
            f"say whether the model takes raw numbers, {argument('units', 'raw')}, or the spec's scaled columns, "
            f"{argument('units', 'spec')}"
        )
    return bound_network(
        read, spec, units=units, columns=way.columns, classes=way.classes, widen=way.widen, unused=way.unused
    )


def _bound_score(read: Ensemble | UnderSpec, spec: Spec, way: Way, rows: Sequence[Row]) -> ImportedScore:
    """Bind an ensemble to a spec."""
    return bound_score(
        read,
        spec,
        units=way.units or "raw",
        columns=way.columns,
        classes=way.classes,
        rows=rows,
        unused=way.unused,
        values=way.values,
        card=way.card,
        name=way.name,
    )


def notes_of(read: Read, bound: Bound, rows: Sequence[Row], way: Way) -> tuple[str, ...]:
    """Return what is said of a model that is bound, beside how it was compared."""
    if not isinstance(read, Source) or not isinstance(bound, Imported):
        return bound.notes
    return (*narrow_notes(read, bound, rows, way.unused), *bound.notes)


def judge_rows(read: Read, bound: Bound, rows: GivenRows | None, way: Way, asked: Asked) -> Judged:
    """Count how rows are decided, and compare with the decisions of the object itself and with given ones."""
    if rows is None:
        return Judged()
    if isinstance(bound, Imported):
        made = network_decided(bound.network, bound.quantised, bound.spec, rows.rows)
    else:
        made = score_decided(bound.score, bound.model, bound.spec, rows.rows)
    given = [] if rows.own is None else [rows.own]
    return judge(made, bound.spec.labels, [*_of_object(read, bound, rows, way, asked), *given], asked.allowed)


def refuse_lacking(read: Read, bound: Bound, rows: GivenRows, way: Way, asked: Asked) -> None:
    """Raise ModelImportError where rows that lack a value are decided otherwise than by the fitted object itself.

    It is asked about some rows without each value that may be missing, and without all of them: a table need not have
    such rows. Nothing is compared where it takes no such rows.
    """
    if asked.model is None or rows.frame is None:
        return
    lacking = [one.name for one in bound.spec.features if one.may_miss and one.name in rows.frame.columns]
    if not lacking:
        return
    groups = [(name,) for name in lacking] + [tuple(lacking)] * (len(lacking) > 1)
    places = range(0, len(rows.rows), max(1, len(rows.rows) // _LACKING))[:_LACKING]
    cut: list[tuple[dict[str, Any], int]] = [(dict.fromkeys(names), place) for names in groups for place in places]
    frame = rows.frame.without([(place, gone) for gone, place in cut])
    others = GivenRows([{**rows.rows[place], **gone} for gone, place in cut], rows.where, frame=frame)
    try:
        judged = judge_rows(read, bound, others, way, asked)
    except DecisionsError:
        return
    for compared in judged.comparisons:
        counts = compared.counts
        # What rounding alone changes has been counted on the rows as they are.
        if counts.differing - counts.near > Fraction(counts.allowed) * counts.rows:
            first = next((one.row for one in compared.examples if one.own != one.label), 1)
            name = groups[(first - 1) // len(places)][0]
            raise ModelImportError(
                f"leave {name[:80]!r} out of {argument('missing')}, and of what may be missing in the spec: "
                f"{counts.differing} of {counts.rows} rows that lack a value are decided otherwise than by "
                f"{counts.source}"
            )


def _of_object(read: Read, bound: Bound, rows: GivenRows, way: Way, asked: Asked) -> list[OwnDecisions]:
    """Return the decisions of the fitted object itself, none of a file."""
    if asked.model is None or rows.frame is None:
        return []
    ranked = {} if isinstance(read, tuple) else read.ranked

    codes = {}
    if isinstance(read, Ensemble):
        features = {feature.name: feature for feature in bound.spec.features}
        for place, category in read.categories.items():
            name = bound.columns[place]
            codes[name] = codes_of(features[name], category, (way.values or {}).get(name, {}))

    def inputs() -> Floats:
        """Return the inputs of the model."""
        return input_matrix(
            rows.rows, bound.columns, bound.spec, units=bound.units, ranked=ranked, unused=way.unused, codes=codes
        )

    frame = rows.frame.spelled(way.values) if way.values else rows.frame
    if is_card(asked.model) and way.card.cutoff is not None:
        return [card_decisions(asked.model, frame, way.card.cutoff, bound.spec, way.classes)]
    return [own_decisions(asked.model, frame, inputs, bound.spec, way.classes, way.trees, scale_of(read))]
