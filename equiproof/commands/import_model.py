"""`equiproof import`: a model that was made elsewhere, bound to a spec."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from equiproof.commands.common import DataDir, Force, Json, OneHot, Sensitive, split_names, tell
from equiproof.commands.meaning import Meaning, Options, check_options, find_meaning

if TYPE_CHECKING:
    from certify.importing import Imported

ModelFile = Annotated[Path, typer.Argument(help="The model: .onnx, or .npz with W0, b0, W1, b1, ... (x @ W + b).")]
SpecFile = Annotated[Path | None, typer.Option("--spec", help="What the columns mean: a spec file.")]
SpecOf = Annotated[str | None, typer.Option("--dataset", help="Or: the spec of a data set of `equiproof data list`.")]
DomainsFile = Annotated[
    Path | None, typer.Option("--domains", help="Or: a JSON file of declared inputs, ranges and codes.")
]
DomainName = Annotated[str | None, typer.Option("--domain", help="Which domain of that file.")]
Labels = Annotated[str | None, typer.Option("--labels", help="With --domains: the decisions, such as refused,granted.")]
Columns = Annotated[
    str | None,
    typer.Option("--columns", help="The model's inputs by name, in its order: a,b,c, or @FILE with one a line."),
]
Units = Annotated[
    Literal["raw", "spec"] | None,
    typer.Option(help="What the model takes: raw numbers (the default with --domains), or the spec's columns."),
]
Classes = Annotated[
    str | None, typer.Option("--classes", help="What the logits stand for, where not the labels in order.")
]
Threshold = Annotated[
    str | None, typer.Option("--threshold", help="Of a single logit, with --dataset or --domains; 0 by default.")
]


def import_model(
    model: ModelFile,
    out: Annotated[Path, typer.Option("--out", help="The folder of the model.")],
    spec: SpecFile = None,
    dataset: SpecOf = None,
    domains: DomainsFile = None,
    domain: DomainName = None,
    sensitive: Sensitive = None,
    one_hot: OneHot = False,
    labels: Labels = None,
    threshold: Threshold = None,
    columns: Columns = None,
    units: Units = None,
    classes: Classes = None,
    data_dir: DataDir = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Import a model made elsewhere. Its inputs are bound to a spec by name; it is taken over exactly or refused."""
    from certify.importing import import_model as import_read
    from certify.importing import read_model
    from prover.model_folder import refuse_model, write_model

    refuse_model(out, force=force)
    options = Options(spec, dataset, data_dir, one_hot, domains, domain, sensitive, labels, threshold)
    check_options(options)
    source, named = read_model(model), _names(columns)
    meaning = find_meaning(source, options)
    if named is None and source.columns is None:
        named = meaning.order
    if units is None and domains is None:
        raise typer.BadParameter("--units: say whether the model takes raw numbers or the spec's scaled columns")
    imported = import_read(source, meaning.spec, units=units or "raw", columns=named, classes=split_names(classes))
    write_model(out, imported, source=model.name, measured_on=meaning.measured_on, force=force)
    document = _document(imported, out) | {"notes": list(meaning.notes)}
    tell(as_json=as_json, document=document, text=_text(imported, model, out, meaning))


def _names(text: str | None) -> tuple[str, ...] | None:
    """Read the names of the inputs, from a file where the text begins with @."""
    from circuits.canonical import read_limited
    from equiproof.rows import RowsError

    if text is None or not text.startswith("@"):
        return split_names(text)
    path = Path(text[1:])
    try:
        lines = read_limited(path).decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise RowsError(f"{path}: not UTF-8 at byte {error.start}") from None
    return tuple(line.strip() for line in lines if line.strip())


def _document(imported: Imported, out: Path) -> dict[str, Any]:
    """Return an import as data."""
    return {
        "kind": imported.kind,
        "columns": list(imported.columns),
        "units": imported.units,
        "hidden": list(imported.network.hidden),
        "logits": imported.network.logit_count,
        "sensitive": [feature.name for feature in imported.spec.sensitive_features],
        "slices": len(imported.spec.domain_table),
        "folded": list(imported.folded),
        "model": str(out),
    }


def _text(imported: Imported, model: Path, out: Path, meaning: Meaning) -> str:
    """Say what was imported, and how to go on."""
    from prover.model_folder import SPEC_FILE

    spec, network = imported.spec, imported.network
    hidden = ",".join(map(str, network.hidden))
    sensitive = ", ".join(feature.name for feature in spec.sensitive_features)
    shape = f"{len(imported.columns)} inputs, hidden layers {hidden}, {network.logit_count} logit(s)"
    lines = [
        f"IMPORTED {model}: {imported.kind}, {shape}",
        f"  sensitive: {sensitive} ({len(spec.domain_table)} joint values); labels: {', '.join(spec.labels)}",
        *(f"  folded into {line}" for line in imported.folded),
        *(f"  note: {note}" for note in meaning.notes),
        f"  model {out}, its meaning {out / SPEC_FILE}; set up its keys with --hidden {hidden}",
    ]
    if meaning.measured_on is None:
        lines.append("  commit it with --rows FILE to measure what rounding to integers changes")
    return "\n".join(lines)
