"""Options of commands that compare a model with the decisions of its owner's own system, and what they print."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from equiproof.cli import steps

if TYPE_CHECKING:
    from equiproof.certify.data.dataset import Dataset, Row
    from equiproof.certify.models.comparison import Comparison, LabelCount
    from equiproof.certify.models.decisions_compared import Compared, Decided, Judged
    from equiproof.certify.models.own_decisions import OwnDecisions
    from equiproof.circuits.spec import Spec
    from equiproof.prover.import_steps import Asked, GivenRows

Decisions = Annotated[
    str | None,
    typer.Option(
        "--decisions",
        help="The column of --rows with the decisions of your own system: labels, or scores with --cut. Rows on which "
        "the model decides otherwise are shown, and refused.",
        metavar="COLUMN",
    ),
]
Cut = Annotated[
    str | None,
    typer.Option("--cut", help="With --decisions: scores above it are the second label.", metavar="NUMBER"),
]
AllowDiffering = Annotated[
    str | None,
    typer.Option(
        "--allow-differing",
        help="With --decisions: the share of rows that may differ, besides those within half a step of a threshold. "
        "Default: 0.001 for networks, 0 for other models.",
        metavar="SHARE",
    ),
]
AcceptLabels = Annotated[
    bool,
    typer.Option(
        "--accept-labels",
        help="Accept one label for all rows. With --decisions: accept that more than half of the rows are decided "
        "otherwise, as far as --allow-differing allows it.",
    ),
]


@dataclass(frozen=True)
class OwnOptions:
    """The options above, as they were given; `known`: named classes or earlier rows say what the labels mean."""

    column: str | None
    cut: str | None
    allow: str | None
    accept: bool
    known: bool = False

    def refuse_misfits(self, rows: Path | None) -> None:
        """Raise typer's own error for options that do not go together, DecisionsError for what is not a share."""
        if self.column is not None and rows is None:
            raise typer.BadParameter("--decisions names a column of --rows: add --rows FILE")
        for option, value in (("--cut", self.cut), ("--allow-differing", self.allow)):
            if value is not None and self.column is None:
                raise typer.BadParameter(f"{option} belongs to --decisions: add --decisions COLUMN")
        _ = self.allowed

    @property
    def allowed(self) -> Fraction | None:
        """The share of rows that may differ, None for that of the model's kind; raises DecisionsError for no share."""
        from equiproof.certify.models.own_decisions import read_share

        return None if self.allow is None else read_share(self.allow)

    @property
    def meant(self) -> bool:
        """Whether one label for everybody, or labels that look exchanged, are meant."""
        return self.accept or self.known

    def asked(self) -> Asked:
        """Return what may differ, for the steps of an import; no object is asked."""
        from equiproof.prover.import_steps import Asked

        return Asked(allowed=self.allowed, meant=self.meant)


@dataclass(frozen=True)
class Standing:
    """How a model decides rows: counts by label, none without rows, and the comparison with its owner's decisions.

    `earlier` is the comparison that the folder keeps, `trained` that the model was not made elsewhere.
    """

    counts: Sequence[LabelCount] = ()
    compared: Compared | None = None
    earlier: Comparison | None = None
    trained: bool = False

    @classmethod
    def of(cls, judged: Judged) -> Standing:
        """Return how a model decides rows, compared with the last of others' decisions."""
        return cls(judged.counts, judged.comparisons[-1] if judged.comparisons else None)

    @property
    def kept(self) -> Comparison | None:
        """The counts that folder and opening keep: those of now, else of the import."""
        return self.earlier if self.compared is None else self.compared.counts

    def missing(self, options: str = "--rows FILE --decisions COLUMN") -> list[str]:
        """Return the line that stands first where nothing was compared; it names what the command takes for that."""
        from equiproof.certify.models.comparison import NOT_COMPARED

        return [] if self.trained or self.kept is not None else [f"{NOT_COMPARED}: {options}"]

    def lines(self) -> list[str]:
        """Return the counts, and the first differing rows, as lines of text."""
        from equiproof.certify.models.comparison import by_label

        if self.compared is not None:
            return self.compared.lines()
        earlier = [] if self.earlier is None else self.earlier.summary()
        return [*earlier[:1], *by_label(self.counts)] if self.counts else earlier

    def document(self) -> dict[str, Any]:
        """Return what JSON output says of labels and of the comparison, None where nothing was compared.

        `differing_rows` are the first ones of a comparison that was made now; nothing else has rows.
        """
        return {
            "labels": msgspec.to_builtins(self.counts),
            "compared": None if self.kept is None else msgspec.to_builtins(self.kept),
            "differing_rows": [] if self.compared is None else msgspec.to_builtins(self.compared.examples),
        }


def from_folder(folder: Path) -> Standing:
    """Return what a model folder says of itself; raises DocumentError for a report that cannot be read."""
    from equiproof.prover.model_folder import compared_of, is_imported

    return Standing(earlier=compared_of(folder), trained=not is_imported(folder))


def given(options: OwnOptions, spec: Spec, rows: Path | None, data: Dataset | None) -> GivenRows | None:
    """Read the rows of a file, or take those of a data set; None where there is neither.

    Raises RowsError naming file and row, and DecisionsError for a column that has no decisions.
    """
    from equiproof.certify.models.own_decisions import read_decided_rows
    from equiproof.prover.import_steps import GivenRows, rows_of

    if rows is not None:
        raw, own = read_decided_rows(rows, spec, options.column, options.cut)
        return GivenRows(raw, str(rows), rows.name, own)
    return None if data is None else rows_of(data)


def stand(
    options: OwnOptions, spec: Spec, there: GivenRows | None, decide: Callable[[Sequence[Row]], Decided]
) -> Standing:
    """Decide rows, and compare them with the owner's decisions if there are any.

    Raises RowsError naming file and row, and DecisionsError for rows that differ and for labels that look exchanged.
    """
    from equiproof.certify.data.dataset import DataError
    from equiproof.certify.data.rows import RowsError

    if there is None:
        return Standing()
    with steps.step("comparing it with your own decisions" if there.own else "deciding the rows"):
        try:
            made = decide(there.rows)
        except DataError as error:
            raise RowsError.within(there.where, error) from None
    return compared_with(options, there.own, made, spec)


def compared_with(options: OwnOptions, own: OwnDecisions | None, made: Decided, spec: Spec) -> Standing:
    """Count labels, and compare them with the owner's decisions, if any; raises DecisionsError as :func:`stand`."""
    from equiproof.certify.models.decisions_compared import judge

    judged = judge(made, spec.labels, [] if own is None else [own], options.allowed)
    judged.refuse(meant=options.meant)
    return Standing.of(judged)
