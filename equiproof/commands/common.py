"""Options and loading that several commands share."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from circuits.schemes import Scheme
from equiproof.console import show, show_json
from equiproof.failures import ExhaustedError

if TYPE_CHECKING:
    from fractions import Fraction

    from certify.data.dataset import Dataset
    from certify.search import Counterexample, Search
    from circuits.spec import Spec
    from prover.opening import Opening
    from verifier.reading import Reading

T = TypeVar("T")

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite files that exist.")]
OpeningFile = Annotated[Path, typer.Option("--opening", help="The owner's secret opening file.")]
CommitmentFile = Annotated[Path, typer.Option("--commitment", help="The public commitment file.")]
KeysFolder = Annotated[Path, typer.Option("--keys", help="The folder of keys.")]
ContextFile = Annotated[
    Path | None,
    typer.Option("--context", help="What the certificate is for: a flat JSON object of texts (nonce, policy, date)."),
]
DataDir = Annotated[
    Path | None,
    typer.Option("--data-dir", envvar="EQUIPROOF_DATA", help="The folder of raw data sets; lending needs none."),
]
DatasetName = Annotated[
    str, typer.Option("--dataset", help="lending (generated, needs no file), or one of `equiproof data list`.")
]
Sensitive = Annotated[
    str | None,
    typer.Option("--sensitive", help="The sensitive features, such as sex,race; by default the data set's own."),
]
OneHot = Annotated[
    bool, typer.Option("--one-hot", help="Give every category that is not sensitive one column per value.")
]
Ranges = Annotated[
    str | None,
    typer.Option("--ranges", help="Ranges of numbers, both ends included, such as age=18:90,debt=0:60000."),
]
UseRanges = Annotated[
    bool,
    typer.Option(
        "--use-ranges", help="Only neighbors inside the features' ranges count: radii grow; scheme branch alone."
    ),
]
MaxSeconds = Annotated[float, typer.Option("--max-seconds", min=0.0, help="The budget of the search per applicant.")]

SchemeName = Annotated[
    Scheme,
    typer.Option("--scheme", help="The scheme: branch (leaves; exact, larger networks), or traversal (regions)."),
]

DEFAULT_DATASET = "lending"


def tell(*, as_json: bool, document: dict[str, Any], text: str) -> None:
    """Print a result in the form that was asked for."""
    if as_json:
        show_json(document)
    else:
        show(text)


def load(parse: Callable[[bytes, str], T], path: Path) -> T:
    """Read a file of ours with its parser, which names the file in its errors."""
    from circuits.canonical import read_limited

    return parse(read_limited(path), str(path))


def load_opening(path: Path) -> Opening:
    """Read an opening file."""
    from prover.opening import parse_opening

    return load(parse_opening, path)


def load_spec(path: Path) -> Spec:
    """Read a spec file."""
    from circuits.spec import parse_spec

    return load(parse_spec, path)


@contextmanager
def told_in_units(spec: Spec) -> Iterator[None]:
    """Turn the grid units of a search that ended too early into the spec's; raises ExhaustedError."""
    from certify.errors import CapacityError, SearchBudgetError

    try:
        yield
    except SearchBudgetError as error:
        raise ExhaustedError(
            f"the search ended at its budget after {error.regions} regions; "
            f"radius {radius_text(spec, max(0, error.radius_squared))} is certain so far, nothing is known beyond it"
        ) from None
    except CapacityError as error:
        raise ExhaustedError(
            f"{error.needed} {error.counted} are needed and there is room for {error.capacity}; {error.room} would do"
        ) from None


def load_data(
    name: str,
    data_dir: Path | None,
    sensitive: str | None = None,
    *,
    one_hot: bool = False,
    ranges: Mapping[str, tuple[str, str]] | None = None,
    use_ranges: bool = False,
) -> Dataset:
    """Load a data set by name, with sensitive features such as "sex,race" instead of its own.

    `ranges` are those of numbers instead of the data set's own; with `use_ranges`, neighbors keep to all of them.
    """
    from certify.data.dataset import load
    from certify.spec_builder import with_ranges

    data = load(name, data_dir, sensitive=split_names(sensitive), encoding="one-hot" if one_hot else "rank")
    if not ranges and not use_ranges:
        return data
    return dataclasses.replace(data, spec=with_ranges(data.spec, data.rows, ranges or {}, use_ranges=use_ranges))


def split_names(text: str | None) -> tuple[str, ...] | None:
    """Read names separated by commas; None stays None."""
    return None if text is None else tuple(part.strip() for part in text.split(",") if part.strip())


def by_name(option: str, text: str | None, example: str) -> dict[str, str]:
    """Read values by name such as "income=EUR,age=years"; raises typer's own error naming the option."""
    values = {}
    for part in split_names(text) or ():
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not name or not value or name in values:
            raise typer.BadParameter(f"{option}: {part[:40]!r} is not one value for one column, such as {example}")
        values[name] = value
    return values


def read_ranges(text: str | None) -> dict[str, tuple[str, str]]:
    """Read ranges such as "age=18:90"; raises typer's own error for anything else."""
    found = {}
    for name, ends in by_name("--ranges", text, "age=18:90").items():
        low, colon, high = (end.strip() for end in ends.partition(":"))
        if not colon or not low or not high:
            raise typer.BadParameter(f"--ranges: {name}={ends[:40]!r} has not two ends, such as age=18:90")
        found[name] = (low, high)
    return found


def sizes(text: str) -> tuple[int, ...]:
    """Read hidden layer sizes such as "4,2"; raises typer's own error for anything else."""
    parts = text.split(",")
    if not all(part.isascii() and part.isdigit() and len(part) <= 4 and 0 < int(part) <= 4096 for part in parts):
        raise typer.BadParameter(f"{text!r} is not a list of layer sizes such as 4,2")
    return tuple(int(part) for part in parts)


def radius_text(spec: Spec, radius_squared: int) -> str:
    """Write a squared radius as eps in the spec's units, the one that holds for real-valued neighbors."""
    from verifier.reading import Reading

    reading = Reading.of(spec, 0, radius_squared)
    return f"{'at least ' if reading.at_least else ''}{reading.radius_any}"


def moves(spec: Spec, radius_squared: int) -> list[str]:
    """Say how far each feature alone may move, as `verify` says it of the certificate of that radius."""
    from verifier.reading import Reading

    reading = Reading.of(spec, 0, radius_squared)
    if reading.radius_any == "0.000000":
        return ["  the applicant's own values only: the radius is too small to state in units"]
    width = max(map(len, reading.features))
    lines = [f"    {name:<{width}}  {moved}" for name, moved in reading.features.items()]
    if ranges := ranges_of(reading):
        lines += ["  only while each of them stays inside its range:"]
        lines += [f"    {name:<{width}}  {kept}" for name, kept in ranges.items()]
    return ["  each of these alone may move by less than:", *lines]


def ranges_of(reading: Reading) -> dict[str, str] | None:
    """Return the ranges that a statement keeps neighbors to, None where it speaks about all."""
    import msgspec

    return None if isinstance(reading.ranges, msgspec.UnsetType) else reading.ranges


def distance_text(spec: Spec, squared: int | Fraction, *, up: bool) -> str:
    """Write the root of a squared distance in the spec's units with six decimals, rounded down or up."""
    from circuits.units import length

    return f"{length(spec, squared, up=up):.6f}"


def explain(opening: Opening, counterexample: Counterexample) -> str:
    """Say in words how the model treats this applicant by the sensitive features."""
    lines = ["UNFAIR at this very applicant: the decision depends on the sensitive features alone."]
    if counterexample.kind == "tie":
        lines = ["UNDECIDED: for some value of the sensitive features the model decides neither way (a tie)."]
    for case in _cases(opening, counterexample):
        scores = ", ".join(f"{logit:+.4f}" for logit in case["logits"])
        lines.append(f"  {in_words(case['sensitive'])}: {case['label'] or 'no decision'} (logits {scores})")
    return "\n".join(lines)


def counterexample_json(opening: Opening, counterexample: Counterexample) -> dict[str, Any]:
    """Return a counterexample as data; exact logits are decimal text, they outgrow JSON numbers."""
    verdict = "unfair" if counterexample.kind == "flip" else "undecided"
    return {"verdict": verdict, "cases": _cases(opening, counterexample)}


def _cases(opening: Opening, counterexample: Counterexample) -> list[dict[str, Any]]:
    """Return each slice of a counterexample with its values, decision and logits."""
    spec, network = opening.spec, opening.network
    found = zip(counterexample.slices, counterexample.labels, counterexample.logits, strict=True)
    return [
        {
            "sensitive": sensitive_values(spec, number),
            "label": None if label is None else spec.labels[label],
            "logits": [logit / (1 << network.logit_fraction_bits) for logit in logits],
            "integer_logits": [str(logit) for logit in logits],
        }
        for number, label, logits in found
    ]


def capacities(spec: Spec, found: Search) -> list[dict[str, Any]]:
    """Return, for each capacity that the search decided, the radius that fits."""
    return [
        {"capacity": capacity, "radius_squared": radius, "radius": radius_text(spec, radius)}
        for capacity, radius in found.capacities()
    ]


def sensitive_values(spec: Spec, number: int) -> dict[str, str]:
    """Return the raw sensitive values of a slice by name."""
    names = (feature.name for feature in spec.sensitive_features)
    return dict(zip(names, spec.domain_values[number], strict=True))


def in_words(values: Mapping[str, str]) -> str:
    """Write sensitive values as "sex = female, race = white"."""
    return ", ".join(f"{name} = {value}" for name, value in values.items())
