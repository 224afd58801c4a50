"""What the columns of an imported model mean: a spec file, a data set's spec, or declared domains."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import typer

from equiproof.cli.commands.common import load_data, split_names

if TYPE_CHECKING:
    from equiproof.certify.data.dataset import Dataset
    from equiproof.certify.models.drafting import Read as ReadModel
    from equiproof.circuits.spec import Spec
    from equiproof.prover.import_steps import Read
    from equiproof.prover.model_folder import MeasuredOn


@dataclass(frozen=True)
class Options:
    """The options of `import` that say what the columns mean, as they were given."""

    spec: Path | None
    dataset: str | None
    data_dir: Path | None
    one_hot: bool
    domains: Path | None
    domain: str | None
    sensitive: str | None
    labels: str | None
    threshold: str | None
    weight_bits: str | None = None
    allow_loss: bool = False
    input_fraction_bits: int | None = None
    dates: Mapping[str, str] = field(default_factory=dict)
    widen: bool = False


@dataclass(frozen=True)
class Meaning:
    """A spec, and what else its source gives: the order of the inputs, data to measure on, remarks.

    `widen`: the spec leaves open how wide the weights are. `is_domain`: it is that of a declared domain, whose numbers
    are raw.
    """

    spec: Spec
    order: tuple[str, ...] | None = None
    measured_on: MeasuredOn | None = None
    data: Dataset | None = None
    notes: tuple[str, ...] = ()
    widen: bool = False
    is_domain: bool = False


def check_options(options: Options) -> None:
    """Raise typer's own error unless there is one source of the spec, and for options of another source."""
    if [options.spec, options.dataset, options.domains].count(None) != 2:
        raise typer.BadParameter("say what the columns mean with one of --spec, --dataset and --domains")
    both = options.dataset or options.domains
    belonging = {
        "--one-hot": (options.one_hot or None, options.dataset),
        "--domain": (options.domain, options.domains),
        "--labels": (options.labels, options.domains),
        "--sensitive": (options.sensitive, both),
    }
    used = "--spec" if options.spec else "--dataset" if options.dataset else "--domains"
    for option, (value, owner_value) in belonging.items():
        if value is not None and owner_value is None:
            raise typer.BadParameter(f"{option} cannot be combined with {used}")
    if options.weight_bits is not None:
        _widths(options.weight_bits)


def find_meaning(read: Read, options: Options) -> Meaning:
    """Return what the columns of a model mean; a spec that is made here has the model's own number of logits.

    Widths of weights, the grid of inputs and the leave to lose some are those of the options, where they are given.
    """
    from equiproof.certify.data.dates import counted_from
    from equiproof.prover.import_steps import changed, changes_of

    changes = changes_of(
        read,
        threshold=options.threshold,
        weight_bits=None if options.weight_bits is None else _widths(options.weight_bits),
        allow_loss=options.allow_loss,
    )
    meaning = _meaning(read[0] if isinstance(read, tuple) else read, options)
    spec = counted_from(meaning.spec, options.dates)
    spec = changed(spec, changes, options.input_fraction_bits)
    return dataclasses.replace(meaning, spec=spec, widen=meaning.widen or options.widen)


def _widths(text: str) -> tuple[int, int]:
    """Read the widths of weights such as "24,20"; the spec limits them."""
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 2 or not all(part.isascii() and part.isdigit() and len(part) <= 4 for part in parts):
        raise typer.BadParameter(
            f"--weight-bits: {text[:40]!r} is not two widths such as 24,20: of layer 1, and others"
        )
    return int(parts[0]), int(parts[1])


def _meaning(source: ReadModel, options: Options) -> Meaning:
    """Return what the source of the spec says."""
    if options.spec is not None:
        from equiproof.circuits.spec import load_spec

        return Meaning(load_spec(options.spec))
    if options.dataset is not None:
        return _of_dataset(source, options.dataset, options)
    if options.domains is not None:
        return _of_domain(source, options.domains, options)
    raise ValueError("check_options has not been called")


def _of_dataset(source: ReadModel, name: str, options: Options) -> Meaning:
    """Take the spec of a data set, on which the model is then measured."""
    from equiproof.circuits.spec import checked

    data = load_data(name, options.data_dir, options.sensitive, one_hot=options.one_hot)
    spec = checked(msgspec.structs.replace(data.spec, logits=source.outputs))
    chosen = [feature.name for feature in spec.sensitive_features]
    return Meaning(spec, measured_on={"dataset": name, "sensitive": chosen, "one_hot": options.one_hot}, data=data)


def _of_domain(source: ReadModel, path: Path, options: Options) -> Meaning:
    """Make the spec of a declared domain, which names the inputs in order."""
    from equiproof.certify.models.importing.domains import beyond_range, read_domain
    from equiproof.circuits.canonical import read_limited

    spec, domain = read_domain(
        read_limited(path),
        str(path),
        options.domain,
        labels=split_names(options.labels) or (),
        logits=source.outputs,
        sensitive=split_names(options.sensitive),
    )
    return Meaning(spec, domain.order, notes=beyond_range(domain), widen=options.weight_bits is None, is_domain=True)
