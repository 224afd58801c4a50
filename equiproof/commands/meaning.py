"""What the columns of an imported model mean: a spec file, a data set's spec, or declared domains."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import typer

from equiproof.commands.common import load_data, load_spec, split_names

if TYPE_CHECKING:
    from certify.importing import Source
    from circuits.spec import Spec
    from prover.model_folder import MeasuredOn


@dataclass(frozen=True)
class Options:
    """The options of the command line that speak of the meaning, as they were given."""

    spec: Path | None
    dataset: str | None
    data_dir: Path | None
    one_hot: bool
    domains: Path | None
    domain: str | None
    sensitive: str | None
    labels: str | None
    threshold: str | None


@dataclass(frozen=True)
class Meaning:
    """A spec, and what else its source knows: the order of the inputs, data to measure on, remarks."""

    spec: Spec
    order: tuple[str, ...] | None = None
    measured_on: MeasuredOn | None = None
    notes: tuple[str, ...] = ()


def check_options(options: Options) -> None:
    """Refuse anything but one source of the spec, and options that belong to another one."""
    if [options.spec, options.dataset, options.domains].count(None) != 2:
        raise typer.BadParameter("say what the columns mean with one of --spec, --dataset and --domains")
    both = options.dataset or options.domains
    belonging = {
        "--one-hot": (options.one_hot or None, options.dataset),
        "--domain": (options.domain, options.domains),
        "--labels": (options.labels, options.domains),
        "--sensitive": (options.sensitive, both),
        "--threshold": (options.threshold, both),
    }
    used = "--spec" if options.spec else "--dataset" if options.dataset else "--domains"
    for option, (given, wanted) in belonging.items():
        if given is not None and wanted is None:
            raise typer.BadParameter(f"{option} does not go with {used}")


def find_meaning(source: Source, options: Options) -> Meaning:
    """Return what the columns of a model mean; a spec that is made here has the model's own number of logits."""
    if options.spec is not None:
        return Meaning(load_spec(options.spec))
    if options.dataset is not None:
        return _of_dataset(source, options.dataset, options)
    if options.domains is not None:
        return _of_domain(source, options.domains, options)
    raise ValueError("check_options lets no such options pass")


def _of_dataset(source: Source, name: str, options: Options) -> Meaning:
    """Take the spec of a data set, on which the model is measured then."""
    from circuits.spec import checked

    data = load_data(name, options.data_dir, options.sensitive, one_hot=options.one_hot)
    threshold = options.threshold or data.spec.threshold
    spec = checked(msgspec.structs.replace(data.spec, logits=source.outputs, threshold=threshold))
    chosen = [feature.name for feature in spec.sensitive_features]
    return Meaning(spec, measured_on={"dataset": name, "sensitive": chosen, "one_hot": options.one_hot})


def _of_domain(source: Source, path: Path, options: Options) -> Meaning:
    """Make the spec of a declared domain, which names the inputs in order."""
    from certify.importing.domains import beyond_range, read_domain
    from circuits.canonical import read_limited

    spec, domain = read_domain(
        read_limited(path),
        str(path),
        options.domain,
        labels=split_names(options.labels) or (),
        logits=source.outputs,
        threshold=options.threshold or "0",
        sensitive=split_names(options.sensitive),
    )
    return Meaning(spec, domain.order, notes=beyond_range(domain))
