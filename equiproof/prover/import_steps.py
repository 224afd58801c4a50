"""The steps of an import: a model is read, bound to a spec that is given or drafted, and compared.

What stands for a model between them is what its readers return; see :mod:`equiproof.prover.imports`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from equiproof.certify.data.dataset import Row
from equiproof.certify.data.frames import Frame
from equiproof.certify.data.rows import as_spec
from equiproof.certify.data.spec_builder import INPUT_FRACTION_BITS, most_fraction_bits
from equiproof.certify.models.card_decisions import card_decisions
from equiproof.certify.models.decisions_compared import Compared, compare, network_decided, refuse_differing
from equiproof.certify.models.drafting import Wanted, are_texts, complete, draft, known, taken
from equiproof.certify.models.ensembles.cards import NO_ANSWERS, CardAnswers
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
from equiproof.certify.models.fidelity import MAX_LOSS, weight_loss
from equiproof.certify.models.importing.bind import Units
from equiproof.certify.models.importing.errors import CoarseGridError, ModelImportError
from equiproof.certify.models.importing.imported import Imported, bound_network
from equiproof.certify.models.importing.reading import read_model
from equiproof.certify.models.importing.source import Source
from equiproof.certify.models.importing.values import Values, refuse_unused
from equiproof.certify.models.input_matrix import input_matrix
from equiproof.certify.models.narrow import narrow_notes
from equiproof.certify.models.network import Floats
from equiproof.certify.models.objects import own_decisions
from equiproof.certify.models.own_decisions import OwnDecisions, read_decisions
from equiproof.circuits.arguments import argument
from equiproof.circuits.spec import Spec, checked

Read = Source | Ensemble | UnderSpec

_FINER = 4
"""By how many bits inputs become finer while rows are decided otherwise for their rounding alone."""

_FINEST = 18
"""Finer inputs are not tried: rounding then decides a row otherwise only where it is next to a tie."""


@dataclass(frozen=True)
class Way:
    """How a model is bound to a spec: arguments of :func:`~equiproof.prover.imports.import_model`."""

    units: Units | None
    columns: Sequence[str] | None
    classes: Sequence[str] | None
    trees: TreeChoice | None
    unused: Collection[str]
    widen: bool
    values: Values | None = None
    card: CardAnswers = NO_ANSWERS


@dataclass(frozen=True)
class Asked:
    """The object that is asked for its own decisions, None for a file, and the decisions that are given besides."""

    model: Any
    given: Sequence[Any] | None
    where: str
    cut: str | None
    allowed: Fraction | None
    accept_labels: bool

    def refuse(self, comparisons: Sequence[Compared]) -> None:
        """Raise DecisionsError where a comparison shows another model than the one that decides."""
        for compared in comparisons:
            refuse_differing(compared, meant=self.accept_labels)


@dataclass(frozen=True)
class Draft:
    """What a spec is drafted from; `changes` are made to it afterwards."""

    wanted: Wanted
    changes: Mapping[str, Any]
    bits: int | None
    leave_out: bool


class Outcome(NamedTuple):
    """A model that is bound and compared: the rows as the spec reads them, if there are any, and notes for people."""

    bound: Imported | ImportedScore
    rows: Sequence[Row] | None
    comparisons: tuple[Compared, ...]
    notes: tuple[str, ...] = ()


def read_any(model: Any, trees: TreeChoice | None, *, is_logit: bool = False) -> Read:
    """Read a model of whatever kind."""
    if isinstance(model, Source | Ensemble | tuple):
        return model
    is_trees = is_ensemble(Path(model)) if isinstance(model, str | Path) else is_ensemble_object(model)
    if is_trees:
        return read_ensemble(model, trees, is_logit=is_logit)
    if trees is not None:
        raise ModelImportError(f"leave {argument('trees')} out: it is for XGBoost models")
    if is_logit:
        raise ModelImportError(f"leave {argument('score_is_logit', True)} out: the model has no score of trees")
    return read_model(model)


def scale_of(read: Read) -> Scale:
    """Return what the score of a model is, which says what a threshold of it means."""
    return (read[0] if isinstance(read, tuple) else read).scale


def under(read: Read, spec: Spec, frame: Frame | None, way: Way, asked: Asked, *, is_fixed: bool) -> Outcome:
    """Import a model under a spec; with `is_fixed` its grid was chosen, and is not made finer."""
    frame = None if frame is None else frame.in_plain([one.name for one in spec.features if one.kind == "numeric"])
    rows = None if frame is None else as_spec(frame.rows, spec)
    if isinstance(read, Source):
        bound: Imported | ImportedScore = _bound(read, spec, way, rows or ())
    else:
        bound = on_fine_grid(lambda other: _bound_score(read, other, way, rows or ()), spec, is_fixed=is_fixed)
    comparisons = () if frame is None or rows is None else _compared(read, bound, frame, rows, way, asked)
    asked.refuse(comparisons)
    return Outcome(bound, rows, comparisons, _notes(read, bound, rows or (), way))


def drafted(read: Read, frame: Frame, wish: Draft, way: Way, asked: Asked) -> Outcome:
    """Import a model under a spec that is drafted from a table, on a grid as fine as model and rows demand."""
    about = known(read[0] if isinstance(read, tuple) else read, way.columns, frame)
    names = taken(about, frame, wish.wanted)
    frame = frame.in_plain([one for one in names if one not in {*about.ranked, *about.one_hot}])
    places, note = complete(about, frame, names, leave_out=wish.leave_out)
    if asked.given is not None and len(asked.given) == len(frame.rows):
        asked = dataclasses.replace(asked, given=[asked.given[place] for place in places])
    frame = frame.kept(places)
    if wish.wanted.labels is not None and way.classes is None and not are_texts(about.classes):
        way = dataclasses.replace(way, classes=tuple(wish.wanted.labels))
    bound, rows, comparisons = _rounded(
        read,
        way,
        wish,
        lambda bits: draft(about, frame, names, wish.wanted, bits),
        lambda bound, rows: _compared(read, bound, frame, rows, way, asked),
    )
    asked.refuse(comparisons)
    notes = _notes(read, bound, rows, way)
    return Outcome(bound, rows, comparisons, (*notes, *(() if note is None else (note,))))


def _notes(read: Read, bound: Imported | ImportedScore, rows: Sequence[Row], way: Way) -> tuple[str, ...]:
    """Return what is said of a model that is bound, beside how it was compared."""
    if not isinstance(read, Source) or not isinstance(bound, Imported):
        return bound.notes
    return (*bound.notes, *narrow_notes(read, bound, rows, way.unused))


def _rounded(
    read: Read,
    way: Way,
    wish: Draft,
    drawn: Callable[[int], tuple[Spec, list[Row]]],
    compared: Callable[[Imported | ImportedScore, list[Row]], tuple[Compared, ...]],
) -> tuple[Imported | ImportedScore, list[Row], tuple[Compared, ...]]:
    """Bind a model to the spec that is drawn for some bits, and compare it, on the coarsest grid that will do.

    Where rounding alone decides rows otherwise, a draft has finer inputs, and then wider weights.
    """
    bits = wish.bits or INPUT_FRACTION_BITS
    may_widen = isinstance(read, Source) and not way.widen and "weight_bits" not in wish.changes
    while True:
        spec, rows = drawn(bits)
        spec = checked(msgspec.structs.replace(spec, **wish.changes))
        try:
            bound = _bound(read, spec, way, rows)
        except CoarseGridError as error:
            if wish.bits is not None or error.bits is None:
                raise
            bits = error.bits
            continue
        comparisons = compared(bound, rows)
        are_rounded = any(map(_is_rounding, comparisons))
        finer = min(bits + _FINER, most_fraction_bits(spec), _FINEST)
        if are_rounded and wish.bits is None and bits < finer:
            bits = finer
        elif may_widen and (are_rounded or _loses(bound)):
            way, may_widen = dataclasses.replace(way, widen=True), False
        else:
            return bound, rows, comparisons


def _loses(bound: Imported | ImportedScore) -> bool:
    """Return whether a network loses more of a sensitive column's weight than its folder may, unless it says so."""
    if not isinstance(bound, Imported) or bound.spec.allow_loss:
        return False
    return max(weight_loss(bound.network, bound.quantised, bound.spec).values()) > MAX_LOSS


def _is_rounding(compared: Compared) -> bool:
    """Return whether the integers decide more rows otherwise than the model as read."""
    return compared.counts.differing_integers > compared.counts.differing


def _bound(read: Read, spec: Spec, way: Way, rows: Sequence[Row]) -> Imported | ImportedScore:
    """Bind a model to a spec."""
    if isinstance(read, Source):
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
    return _bound_score(read, spec, way, rows)


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
    )


def _compared(
    read: Read,
    bound: Imported | ImportedScore,
    frame: Frame,
    rows: Sequence[Row],
    way: Way,
    asked: Asked,
) -> tuple[Compared, ...]:
    """Compare with the decisions of the object itself and with given ones; rows are those of the frame, as read."""
    if isinstance(bound, Imported):
        made = network_decided(bound.network, bound.quantised, bound.spec, rows)
    else:
        made = score_decided(bound.score, bound.model, bound.spec, rows)
    labels = bound.spec.labels
    others: list[OwnDecisions] = []
    if asked.model is not None:
        ranked = {} if isinstance(read, tuple) else read.ranked

        def inputs() -> Floats:
            """Return the inputs of the model."""
            return input_matrix(rows, bound.columns, bound.spec, units=bound.units, ranked=ranked, unused=way.unused)

        asked_frame = frame.spelled(way.values) if way.values else frame
        if is_card(asked.model) and way.card.cutoff is not None:
            others.append(card_decisions(asked.model, asked_frame, way.card.cutoff, bound.spec, way.classes))
        else:
            scale = scale_of(read)
            others.append(own_decisions(asked.model, asked_frame, inputs, bound.spec, way.classes, way.trees, scale))
    if asked.given is not None:
        others.append(read_decisions(asked.given, labels, asked.where, asked.cut))
    return tuple(compare(own, made, labels, asked.allowed) for own in others)
