"""`equiproof mitigate`: rules in front of a model, and a network retrained, where sensitive values split applicants."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from equiproof.cli.auditing import Subject
from equiproof.cli.commands.audit import DataSet, Model, OpeningFile, Rows, Sample
from equiproof.cli.commands.common import DataDir, Force, Json, refuse_missing, tell
from equiproof.cli.console import spinner

if TYPE_CHECKING:
    from equiproof.audits.hyfair.mitigation import Mitigated, Mitigation, State

Out = Annotated[Path, typer.Option("--out", help="The file for the guardrail (JSON, secret).")]
Action = Annotated[
    Literal["refer", "refuse"],
    typer.Option(help="What happens to those who fulfil a rule: a person decides, or no automatic answer is given."),
]
Seconds = Annotated[float, typer.Option(help="The time of each search, in seconds.", min=0.1)]
Rounds = Annotated[int, typer.Option(help="How often rules are learned from what the last search found.", min=1)]
MostStopped = Annotated[
    float, typer.Option("--most-stopped", help="The largest share of the rows that rules may stop.", min=0.0, max=1.0)
]
Retrain = Annotated[
    Path | None,
    typer.Option(help="Also retrain the network of --model on what searches find, and write it to this folder."),
]
Epochs = Annotated[int, typer.Option(help="Passes over the training rows in each of two rounds of retraining.", min=1)]
Seed = Annotated[int, typer.Option(help="The seed of every random choice.", min=0)]


def mitigate(
    out: Out,
    opening: OpeningFile = None,
    model: Model = None,
    rows: Rows = None,
    dataset: DataSet = None,
    sample: Sample = None,
    action: Action = "refer",
    seconds: Seconds = 5.0,
    rounds: Rounds = 4,
    most_stopped: MostStopped = 0.1,
    retrain: Retrain = None,
    epochs: Epochs = 2,
    seed: Seed = 0,
    data_dir: DataDir = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Write rules for whom a person decides; retrain the network.

    A guardrail is rules for where sensitive values split applicants most. It names the model's commitment. A retrained
    network is another model: commit to it and audit it anew.
    """
    from equiproof.audits.hyfair.mitigation import Effort, Mitigation
    from equiproof.circuits.files import refuse_taken, write_file
    from equiproof.prover.model_folder import refuse_trained

    subject = Subject(opening, model, rows, None, dataset, "test", sample, False, data_dir)
    subject.refuse_misfits()
    if retrain is not None and model is None:
        raise typer.BadParameter("--retrain needs the float network and its data: add --model FOLDER")
    refuse_missing(opening, model, rows)
    refuse_taken((out,), force=force)
    if retrain is not None:
        refuse_trained(retrain, force=force)
    context = subject.context((), seed, None)
    with spinner("searching", quiet=as_json):
        work = Mitigation(context, Effort(seconds, rounds, most_stopped))
        made = work.guardrail(action)
    document, text = _guarded(made, out)
    if retrain is not None and model is not None:
        with spinner("retraining", quiet=as_json):
            more = _retrained(work, model, retrain, epochs, data_dir, force=force)
        document = document | {"retrained": more[0]}
        text = f"{text}\n{more[1]}"
    write_file(out, made.file.to_bytes(), secret=True, force=force)
    tell(as_json=as_json, document=document, text=text)


def _guarded(made: Mitigated, out: Path) -> tuple[dict[str, Any], str]:
    """Return the guardrail as a document and as text."""
    from equiproof.audits.hyfair.mitigation import as_data
    from equiproof.certify.digits import percent

    document = {
        "guardrail": str(out),
        "digest": made.file.digest,
        "action": made.file.action,
        "rules": list(made.rules),
        "rows_stopped": made.stopped,
        "before": as_data(made.before),
        "after": as_data(made.after),
    }
    if not made.rules:
        return document, f"no rule lowers k enough within the allowed share of rows\n  guardrail without rules {out}"
    stopped = "" if made.stopped is None else f", which stop {percent(made.stopped)} of the rows"
    count = len(made.rules)
    lines = [f"{count} rule{'s' * (count > 1)}{stopped}", *_rules(made)]
    lines += _compared("with the guardrail", made.before, made.after)
    return document, "\n".join([*lines, f"  guardrail {out}, digest {made.file.digest}"])


def _rules(made: Mitigated) -> list[str]:
    """Return each rule, below it the share and the mean k of the rows that it stops, beside those of the others."""
    from equiproof.certify.digits import number, percent

    lines = []
    for place, rule in enumerate(made.rules):
        lines.append(f"  {rule}")
        if made.on_rows:
            one = made.on_rows[place]
            sides = (("stops", one.stopped, one.mean_k), ("leaves", 1 - one.stopped, one.others_k))
            means = (
                f"{verb} {percent(share)} of the rows" + ("" if k is None else f", mean k {number(k)}")
                for verb, share, k in sides
            )
            lines.append(f"    {'; '.join(means)}")
    return lines


def _compared(when: str, before: State, after: State) -> list[str]:
    """Return what searches and rows show before and after."""
    from equiproof.certify.digits import percent

    lines = [
        f"largest k found {before.largest_k}, {when} {after.largest_k}",
        f"mean k of applicants with scores apart {before.mean_k:.1f}, {when} {after.mean_k:.1f}",
    ]
    for what, one, other in (
        ("scores apart", before.rows_apart, after.rows_apart),
        ("another label", before.rows_flipped, after.rows_flipped),
    ):
        if one is not None and other is not None:
            lines.append(f"rows with {what} {percent(one)}, {when} {percent(other)}")
    return lines


def _retrained(
    work: Mitigation, model: Path, folder: Path, epochs: int, data_dir: Path | None, *, force: bool
) -> tuple[dict[str, Any], str]:
    """Retrain the network of a model folder, write it to another, and return document and text."""
    import msgspec

    from equiproof.audits.hyfair.mitigation import as_data
    from equiproof.certify.data.dataset import column_values
    from equiproof.certify.models.network import judge
    from equiproof.prover.model_folder import load_model, load_trained_data, trained_on, write_trained

    own = load_model(model)
    data = load_trained_data(model, data_dir)
    columns = column_values(data.spec, data.rows)[list(data.train)]
    labels = data.label_array()[list(data.train)].astype(float)
    network, before, after = work.retrained(own.network, (columns, labels), epochs)
    reports = [judge(one, data, seed=work.context.seed, epochs=epochs, decay=0.0) for one in (own.network, network)]
    figures = {"report": msgspec.to_builtins(reports[1]), "notes": ["retrained by mitigate"], "paper": []}
    write_trained(folder, network, own.spec, trained_on(model), figures, force=force)
    document = {
        "model": str(folder),
        "test_accuracy": [one.accuracy[1] for one in reports],
        "before": as_data(before),
        "after": as_data(after),
    }
    return document, "\n".join(["", *_accuracies(reports), *_compared("retrained", before, after), f"  model {folder}"])


def _accuracies(reports: list[Any]) -> list[str]:
    """Return the accuracy on the test rows before and after."""
    from equiproof.certify.digits import percent

    before, after = (percent(one.accuracy[1]) for one in reports)
    return [f"accuracy on test rows {before}, retrained {after}"]
