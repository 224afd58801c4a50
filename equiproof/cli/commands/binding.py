"""Options of `import` that bind the inputs and outputs of a model to its spec."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from equiproof.cli.commands.common import by_name
from equiproof.cli.commands.meaning import Meaning, Options

if TYPE_CHECKING:
    from equiproof.certify.models.ensembles.cards import CardAnswers
    from equiproof.circuits.spec import Spec
    from equiproof.prover.import_steps import Read, Way


@dataclass(frozen=True)
class CardOptions:
    """The options of `import` that say about a scorecard what its table does not, as they were given."""

    cutoff: str | None = None
    base_points: str | None = None
    unlisted: str | None = None

    def answers(self, *, compared: bool) -> CardAnswers:
        """Read the options; raises typer's own error for a pair without a number."""
        from equiproof.certify.models.ensembles.cards import read_answers

        unlisted = by_name("--unlisted", self.unlisted, "purpose=12")
        return read_answers(self.cutoff, self.base_points, unlisted, compared=compared)


@dataclass(frozen=True)
class Binding:
    """The options of `import` that bind a model to its spec, as they were given."""

    units: Literal["raw", "spec"] | None
    columns: tuple[str, ...] | None
    classes: tuple[str, ...] | None
    trees: Literal["best", "all"] | None
    unused: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    card: CardOptions = field(default_factory=CardOptions)
    score_is_logit: bool = False

    def refuse_misfits(self, read: Read, options: Options) -> None:
        """Raise ModelImportError for the first of all options that the model does not take, by its name."""
        from equiproof.prover.import_options import refuse_options

        given = {
            "units": self.units,
            "columns": self.columns,
            "threshold": options.threshold,
            "trees": self.trees,
            "score_is_logit": self.score_is_logit,
            "values": self.values,
            **dataclasses.asdict(self.card),
            "weight_bits": options.weight_bits,
            "widen": options.widen,
        }
        refuse_options(read, given)

    def way(self, read: Read, model: Path, meaning: Meaning, *, compared: bool) -> Way:
        """Return how a model is bound to its meaning; `compared`: the owner's decisions are given.

        Raises typer's own error where nothing says what a network takes.
        """
        from equiproof.certify.models.importing.source import Source
        from equiproof.prover.import_steps import Way

        names_inputs = isinstance(read, tuple) or read.columns is not None
        columns = meaning.order if self.columns is None and not names_inputs else self.columns
        if isinstance(read, Source) and self.units is None and not meaning.is_domain:
            raise typer.BadParameter("--units: say whether the model takes raw numbers or the spec's scaled columns")
        values = _values(self.values, meaning.spec)
        card = self.card.answers(compared=compared)
        units = self.units or "raw"
        return Way(units, columns, self.classes, self.trees, self.unused, meaning.widen, values, card, str(model))


def _values(texts: Sequence[str], spec: Spec) -> dict[str, dict[str, str]]:
    """Read --values such as sex:" male"=male under a spec, whose names and values may hold the marks themselves."""
    values: dict[str, dict[str, str]] = {}
    for text in texts:
        ways = [
            (feature.name, value, text[len(feature.name) + 1 : -len(value) - 1])
            for feature in spec.features
            for value in map(str, feature.domain)
            if text.startswith(f"{feature.name}:") and text.endswith(f"={value}")
            if len(text) >= len(feature.name) + len(value) + 2
        ]
        if len(ways) != 1 or ways[0][1] in values.get(ways[0][0], {}):
            raise typer.BadParameter(
                f"--values: {text[:60]!r} is not FEATURE:THEIRS=OURS with a value of the spec, such as "
                "'sex:\" male\"=male', once for each value"
            )
        name, value, theirs = ways[0]
        quoted = len(theirs) > 1 and theirs[0] == theirs[-1] == '"'
        values.setdefault(name, {})[value] = theirs[1:-1] if quoted else theirs
    return values
