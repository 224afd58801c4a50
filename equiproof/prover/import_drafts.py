"""An import under a spec that is drafted from a table, on a grid as fine as the model and the rows demand."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from equiproof.certify.data.dataset import DataError, Row
from equiproof.certify.data.dates import first_day
from equiproof.certify.data.frames import Frame
from equiproof.certify.data.rows import as_spec
from equiproof.certify.data.spec_builder import INPUT_FRACTION_BITS, most_fraction_bits
from equiproof.certify.models.decisions_compared import Compared
from equiproof.certify.models.drafting import Wanted, are_texts, draft, known, label_names, read_columns, taken
from equiproof.certify.models.fidelity import MAX_LOSS, weight_loss
from equiproof.certify.models.importing.errors import CoarseGridError
from equiproof.certify.models.importing.imported import Imported
from equiproof.certify.models.importing.source import Source
from equiproof.certify.models.own_decisions import read_decisions
from equiproof.circuits.spec import Spec
from equiproof.prover.import_steps import (
    Asked,
    Bound,
    GivenRows,
    Outcome,
    Read,
    Way,
    bind,
    changed,
    judge_rows,
    notes_of,
    refuse_lacking,
)

_FINER = 4
"""By how many bits inputs become finer while rows are decided otherwise for their rounding alone."""

_FINEST = 18
"""Finer inputs are not tried: rounding then decides a row otherwise only where it is next to a tie."""


class Decisions(NamedTuple):
    """Decisions that were given, one a row, None without any: what messages call them, and the cut of scores."""

    values: Sequence[Any] | None
    where: str = ""
    cut: str | None = None

    def kept(self, places: Sequence[int], rows: int) -> Decisions:
        """Return those at some places of so many rows; another number of decisions is refused where they are read."""
        if self.values is None or len(self.values) != rows:
            return self
        return self._replace(values=[self.values[place] for place in places])

    def under(self, spec: Spec, frame: Frame) -> GivenRows:
        """Return the rows of a table as they are read under a spec that is there before them, with their decisions."""
        try:
            rows = as_spec(frame.rows, spec, frame.notation, semicolons=frame.semicolons)
        except DataError as error:
            raise error.within(frame.name) from None
        starts = {one.name: start.isoformat() for one in spec.features if (start := first_day(one)) is not None}
        frame = frame.counted(starts).in_plain([one.name for one in spec.features if one.kind == "numeric"])
        return self.beside(frame, rows, spec)

    def beside(self, frame: Frame, rows: Sequence[Row], spec: Spec) -> GivenRows:
        """Return the rows of a table as a spec reads them, with their decisions."""
        own = None if self.values is None else read_decisions(self.values, spec.labels, self.where, self.cut)
        return GivenRows(rows, frame.name, own=own, frame=frame)


@dataclass(frozen=True)
class Draft:
    """What a spec is drafted from; `changes` are made to it afterwards."""

    wanted: Wanted
    changes: Mapping[str, Any]
    bits: int | None
    leave_out: bool


def drafted(read: Read, frame: Frame, wish: Draft, way: Way, asked: Asked, decisions: Decisions) -> Outcome:
    """Import a model under a spec that is drafted from a table; raises as :func:`~.import_steps.under`."""
    about = known(read[0] if isinstance(read, tuple) else read, way.columns, frame)
    label_names(about, wish.wanted.labels)
    table = read_columns(about, frame, taken(about, frame, wish.wanted), wish.wanted, leave_out=wish.leave_out)
    decisions = decisions.kept(table.places, len(frame.rows))
    if wish.wanted.labels is not None and way.classes is None and not are_texts(about.classes):
        way = dataclasses.replace(way, classes=tuple(wish.wanted.labels))

    def drawn(bits: int) -> tuple[Spec, GivenRows]:
        """Return the spec for so many bits, and the rows as it reads them."""
        spec = draft(about, table, wish.wanted, bits)
        return spec, decisions.beside(table.frame, table.rows, spec)

    outcome = _rounded(read, way, wish, drawn, asked)
    outcome.judged.refuse(meant=asked.meant)
    if outcome.rows is not None:
        refuse_lacking(read, outcome.bound, outcome.rows, way, asked)
    return outcome._replace(notes=(*outcome.notes, *table.notes))


def _rounded(
    read: Read, way: Way, wish: Draft, drawn: Callable[[int], tuple[Spec, GivenRows]], asked: Asked
) -> Outcome:
    """Bind a model to the spec that is drawn for some bits, and let it decide, on the coarsest grid that will do.

    Where rounding alone decides rows otherwise, a draft has finer inputs, and then wider weights.
    """
    bits = wish.bits or INPUT_FRACTION_BITS
    may_widen = isinstance(read, Source) and not way.widen and "weight_bits" not in wish.changes
    while True:
        spec, rows = drawn(bits)
        spec = changed(spec, wish.changes, wish.bits)
        try:
            bound = bind(read, spec, way, rows.rows)
        except CoarseGridError as error:
            if wish.bits is not None or error.bits is None:
                raise
            bits = error.bits
            continue
        judged = judge_rows(read, bound, rows, way, asked)
        are_rounded = any(map(_is_rounding, judged.comparisons))
        finer = min(bits + _FINER, most_fraction_bits(spec), _FINEST)
        if are_rounded and wish.bits is None and bits < finer:
            bits = finer
        elif may_widen and (are_rounded or _loses(bound)):
            way, may_widen = dataclasses.replace(way, widen=True), False
        else:
            return Outcome(bound, rows, judged, notes_of(read, bound, rows.rows, way))


def _loses(bound: Bound) -> bool:
    """Return whether a network loses more of a sensitive column's weight than its folder may, unless it says so."""
    if not isinstance(bound, Imported) or bound.spec.allow_loss:
        return False
    return max(weight_loss(bound.network, bound.quantised, bound.spec).values()) > MAX_LOSS


def _is_rounding(compared: Compared) -> bool:
    """Return whether the integers decide more rows otherwise than the model as read."""
    return compared.counts.differing_integers > compared.counts.differing
