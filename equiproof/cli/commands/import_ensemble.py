"""The part of `equiproof import` for trees, scorecards and explainable boosting machines."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer

from equiproof.cli import steps
from equiproof.cli.commands.common import by_name, tell
from equiproof.cli.commands.meaning import Meaning, Options, find_meaning
from equiproof.cli.commands.own_decisions import OwnOptions, Standing, given, stand

if TYPE_CHECKING:
    from equiproof.certify.models.ensembles.cards import CardAnswers
    from equiproof.certify.models.ensembles.imported import ImportedScore
    from equiproof.certify.models.fidelity import Fidelity
    from equiproof.certify.models.importing import Imported
    from equiproof.circuits.spec import Spec

_REMEDY = "use more --input-fraction-bits, or accept it with --allow-loss, which the spec then says"


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
    rows: Path | None
    trees: Literal["best", "all"] | None
    own: OwnOptions
    unused: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    card: CardOptions = field(default_factory=CardOptions)
    score_is_logit: bool = False


def import_ensemble(model: Path, out: Path, options: Options, binding: Binding, *, force: bool, as_json: bool) -> None:
    """Import trees, a scorecard or an explainable boosting machine from a file, and write the folder."""
    from equiproof.certify.models.ensembles.decided import score_decided
    from equiproof.certify.models.ensembles.imported import bound_score, on_fine_grid
    from equiproof.certify.models.ensembles.reading import read_ensemble
    from equiproof.certify.models.ensembles.readings import by_decisions
    from equiproof.certify.models.fidelity import refuse_loss
    from equiproof.prover.ensemble_folder import measured_ensemble, refuse_imported, write_ensemble

    refuse_imported(out, force=force)
    if options.weight_bits is not None:
        raise typer.BadParameter("--weight-bits is for networks; thresholds have input_bits, jumps 16 bits")
    with steps.step("reading the model"):
        read = read_ensemble(model, binding.trees, is_logit=binding.score_is_logit)
    meaning = find_meaning(read if not isinstance(read, tuple) else read[0], options)
    own = None if isinstance(read, tuple) else read.columns
    named = (
        meaning.order if binding.columns is None and own is None and not isinstance(read, tuple) else binding.columns
    )
    there = given(binding.own, meaning.spec, binding.rows, meaning.data)

    def judged(reading: Any) -> tuple[ImportedScore, Standing]:
        """Bind a reading of the file on a grid that is fine enough, and compare it with the decisions given."""
        bind = partial(
            bound_score,
            reading,
            units=binding.units or "raw",
            columns=named,
            classes=binding.classes,
            rows=() if there is None else there.rows,
            unused=binding.unused,
            values=_values(binding.values, meaning.spec),
            card=binding.card.answers(compared=binding.own.column is not None),
            name=str(model),
        )
        bound = on_fine_grid(bind, meaning.spec, is_fixed=options.input_fraction_bits is not None)
        decide = partial(score_decided, bound.score, bound.model, bound.spec)
        return bound, stand(binding.own, bound.spec, there, decide)

    imported, standing = by_decisions(read, judged, given=binding.own.column is not None)
    meaning = meaning.under(imported.spec)
    with steps.step("comparing it with its integers"):
        report = measured_ensemble(imported.score, imported.model, imported.spec, rows=binding.rows, data=meaning.data)
    refuse_loss(imported.spec, report, _REMEDY, flips=True)
    write_ensemble(
        out, imported, source=model.name, measured_on=meaning.measured_on, compared=standing.kept, force=force
    )
    plain, sensitive = imported.model.predicates
    shape = f"{imported.trees} trees, predicates {plain}+{sensitive}"
    conclude(imported, report, standing, meaning, binding, (model, out), [shape], as_json=as_json)


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


def conclude(
    imported: Imported | ImportedScore,
    report: Fidelity,
    standing: Standing,
    meaning: Meaning,
    binding: Binding,
    paths: tuple[Path, Path],
    shape: Sequence[str],
    *,
    as_json: bool,
) -> None:
    """Print what was imported, from the first of two paths to the second, and how to continue.

    `shape` is what is said of the model's size, and in lines of their own what more there is to say of its layers.
    """
    from equiproof.prover.model_folder import SPEC_FILE

    model, out = paths
    notes = [*meaning.notes, *imported.notes]
    document = imported.document() | {
        "model": str(out),
        "notes": notes,
        "fidelity": dataclasses.asdict(report),
        **standing.document(),
    }
    spec = imported.spec
    names = ", ".join(feature.name for feature in spec.sensitive_features)
    lines = [
        f"sensitive: {names} ({len(spec.domain_table)} joint values); labels: {', '.join(spec.labels)}",
        *standing.lines(),
        *shape[1:],
        *(f"note: {note}" for note in notes),
        *report.summary().splitlines(),
        f"model {out}, its meaning {out / SPEC_FILE}",
        _next_command(out, binding),
    ]
    head = [*standing.missing(), f"IMPORTED {model}: {imported.kind}, {shape[0]}"]
    tell(as_json=as_json, document=document, text="\n".join([*head, *(f"  {line}" for line in lines)]))


def _next_command(out: Path, binding: Binding) -> str:
    """Return the next command, which measures on the same rows and takes labels as they are meant."""
    rows = "" if binding.rows is None else f" --rows {shlex.quote(str(binding.rows))}"
    accept = " --accept-labels" if binding.own.meant else ""
    return f"next: equiproof commit {out}{rows}{accept} --out FOLDER"
