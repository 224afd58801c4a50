"""Options that several commands share, the reading of their values, and lines that several commands print."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from equiproof.circuits.schemes import NetworkScheme, Scheme
from equiproof.circuits.tables import say, written
from equiproof.cli.console import remark, show, show_json

if TYPE_CHECKING:
    from equiproof.certify.data.dataset import Dataset
    from equiproof.circuits.spec import Spec
    from equiproof.circuits.standard import StandardShape
    from equiproof.circuits.standard_scores import StandardScore
    from equiproof.verifier.reading import Reading

T = TypeVar("T")

Json = Annotated[bool, typer.Option("--json", help=written("option.json"))]
Force = Annotated[bool, typer.Option("--force", help=written("option.force"))]
OpeningFile = Annotated[Path, typer.Option("--opening", help="The owner's secret opening file, from `commit`.")]
CommitmentFile = Annotated[Path, typer.Option("--commitment", help="The public commitment file, from `commit`.")]
KeysFolder = Annotated[Path, typer.Option("--keys", help="The folder of keys.")]
OwnerSecret = Annotated[
    Path | None,
    typer.Option(
        "--owner-secret",
        envvar="EQUIPROOF_OWNER_SECRET",
        help="The file of the secret that marks keys made by you; `setup` makes it. "
        "Default: equiproof/owner.secret in the folder of your settings.",
    ),
]
ContextFile = Annotated[
    Path | None,
    typer.Option("--context", help=written("option.context")),
]
DataDir = Annotated[
    Path | None,
    typer.Option("--data-dir", envvar="EQUIPROOF_DATA", help="The folder of raw data sets; not needed for lending."),
]
DatasetName = Annotated[
    str, typer.Option("--dataset", help="A name from `equiproof data list`; lending is generated, without files.")
]
Sensitive = Annotated[
    str | None,
    typer.Option("--sensitive", help="The sensitive features, such as sex,race. Default: the data set's own."),
]
OneHot = Annotated[bool, typer.Option("--one-hot", help="Encode non-sensitive categories with one column per value.")]
Logarithms = Annotated[
    str | None,
    typer.Option(
        "--logarithms", help="Numbers whose distances are factors, such as income, or savings=1 with what is added."
    ),
]
Ranges = Annotated[
    str | None,
    typer.Option("--ranges", help="Ranges of numeric features, both ends included, such as age=18:90,debt=0:60000."),
]
UseRanges = Annotated[
    bool,
    typer.Option(
        "--use-ranges",
        help="Cover only neighbors inside the features' ranges; radii may become larger. Schemes branch and trees.",
    ),
]
Separator = Annotated[
    str | None,
    typer.Option(
        "--sep",
        metavar="MARK",
        help="What separates the values of a CSV file: one character, or tab. By default its header shows it.",
    ),
]
MaxSeconds = Annotated[
    float | None,
    typer.Option(
        "--max-seconds",
        min=0.0,
        help="The time budget of the search per applicant, in seconds. Without it, scheme branch counts its work and "
        "scheme traversal its regions, however fast the machine is.",
    ),
]

SchemeName = Annotated[
    Scheme,
    typer.Option(
        "--scheme",
        help="How to search and prove: branch (exact, larger networks) or traversal (as in FairProof); trees for "
        "additive models and ensembles of trees.",
    ),
]
NetworkSchemeName = Annotated[
    NetworkScheme,
    typer.Option(
        "--scheme",
        help="How to search and prove: branch (exact, larger networks) or traversal (as in FairProof).",
    ),
]

PadTo = Annotated[
    str | None,
    typer.Option(
        "--pad-to",
        help="A standard shape, such as 16x16-8: 16 columns, hidden layers 16,8; of additive models 32p256, with 256 "
        "thresholds.",
        metavar="SHAPE",
    ),
]

DEFAULT_DATASET = "lending"


def tell(*, as_json: bool, document: dict[str, Any], text: str) -> None:
    """Print a result as one JSON object or as text."""
    if as_json:
        show_json(document)
    else:
        show(text)


def load(parse: Callable[[bytes, str], T], path: Path) -> T:
    """Read one of our files with its parser, which names the file in its errors."""
    from equiproof.circuits.canonical import read_limited

    return parse(read_limited(path), str(path))


def refuse_missing(*paths: Path | None) -> None:
    """Raise FileNotFoundError naming the first of some files that is not there; None is no file."""
    for path in paths:
        if path is not None and not path.exists():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))


@contextmanager
def naming_file(path: Path) -> Iterator[None]:
    """Name the file in errors about what is malformed in it."""
    from equiproof.verifier import CertificateFormatError

    try:
        yield
    except CertificateFormatError as error:
        raise CertificateFormatError(f"{path}: {error}", error.reason) from None


def load_data(
    name: str,
    data_dir: Path | None,
    sensitive: str | None = None,
    *,
    one_hot: bool = False,
    ranges: Mapping[str, tuple[str, str]] | None = None,
    use_ranges: bool = False,
    logs: Mapping[str, str | None] | None = None,
) -> Dataset:
    """Load a data set by the values of the options above; raises as :func:`equiproof.certify.data.load`."""
    from equiproof.certify.data import load

    return load(
        name,
        data_dir,
        sensitive=split_names(sensitive),
        encoding="one-hot" if one_hot else "rank",
        ranges=ranges,
        use_ranges=use_ranges,
        logs=logs,
    )


def split_names(text: str | None) -> tuple[str, ...] | None:
    """Read names separated by commas, one with a comma in quotation marks; None stays None."""
    import csv

    if text is None:
        return None
    lines = list(csv.reader([text], skipinitialspace=True))
    if text.count('"') % 2 or len(lines) > 1:
        raise typer.BadParameter(say("option.names_malformed", value=repr(text[:60])))
    parts = lines[0] if lines else []
    return tuple(part.strip() for part in parts if part.strip())


def by_name(option: str, text: str | None, example: str) -> dict[str, str]:
    """Read values by name such as "income=EUR,age=years"; raises typer's own error naming the option."""
    values = {}
    for part in split_names(text) or ():
        name, equals, value = (piece.strip() for piece in part.rpartition("="))
        if not equals or not name or not value or name in values:
            comma = "" if equals else "; a name with a comma stands in quotation marks, as in '\"a, b\"=c'"
            raise typer.BadParameter(
                f"{option}: {part[:40]!r} is not one value for one column, such as {example}{comma}"
            )
        values[name] = value
    return values


def separator(text: str | None) -> str | None:
    """Read the value of --sep; raises typer's own error for more than one character."""
    mark = {"tab": "\t", "\\t": "\t"}.get(text or "", text)
    if mark is not None and (len(mark) != 1 or mark in '"\r\n'):
        raise typer.BadParameter(f"--sep: {text!r}: want one character, or tab")
    return mark


def read_logarithms(text: str | None) -> dict[str, str | None]:
    """Read names such as income,savings=1; raises typer's own error for one that is missing or given twice."""
    logs: dict[str, str | None] = {}
    for part in split_names(text) or ():
        name, _, offset = (piece.strip() for piece in part.partition("="))
        if not name or name in logs:
            raise typer.BadParameter(f"--logarithms: {part[:40]!r}: want each column once, such as income or savings=1")
        logs[name] = offset or None
    return logs


def read_ranges(text: str | None) -> dict[str, tuple[str, str]]:
    """Read ranges such as "age=18:90"; raises typer's own error for anything else."""
    ranges = {}
    for name, ends in by_name("--ranges", text, "age=18:90").items():
        low, colon, high = (end.strip() for end in ends.partition(":"))
        if not colon or not low or not high:
            raise typer.BadParameter(f"--ranges: {name}={ends[:40]!r} does not have two ends, such as age=18:90")
        ranges[name] = (low, high)
    return ranges


def warn_of_sensitive(path: Path, spec: Spec, given: Collection[str]) -> None:
    """Say which of the features given for applicants are sensitive, as the service says it in a refusal."""
    from equiproof.circuits.spec import untaken

    if said := untaken(spec, given):
        remark(f"{said}; {path}")


def sizes(text: str) -> tuple[int, ...]:
    """Read hidden layer sizes such as "4,2"; raises typer's own error for anything else."""
    parts = text.split(",")
    if not all(part.isascii() and part.isdigit() and len(part) <= 4 and 0 < int(part) <= 4096 for part in parts):
        raise typer.BadParameter(f"{text!r} is not a list of layer sizes such as 4,2")
    return tuple(int(part) for part in parts)


def standard_shape(name: str) -> StandardShape | StandardScore:
    """Return a standard shape by the value of --pad-to; raises typer's own error with the names that there are."""
    from equiproof.circuits import standard, standard_scores

    shapes = (*standard.CATALOGUE, *standard_scores.CATALOGUE)
    for shape in shapes:
        if shape.name == name:
            return shape
    raise typer.BadParameter(f"--pad-to: {name[:40]!r} is none of {', '.join(shape.name for shape in shapes)}")


def moves(spec: Spec, radius_squared: int, query: Sequence[int]) -> list[str]:
    """Return lines on how far each feature alone may move, as `verify` prints them for a certificate of that radius.

    Of those that are missing in `query`, n_x integers, they say that they are.
    """
    from equiproof.verifier.reading import Reading

    reading = Reading.of(spec, 0, radius_squared)
    if reading.radius_any == "0.000000":
        return ["  the applicant's own values only: the radius is too small to state in units"]
    missing = dict.fromkeys(spec.missing(query), written("value.missing"))
    lines = below_each_other(reading.features | missing)
    if ranges := ranges_of(reading):
        lines += [say("reading.inside_ranges_only"), *below_each_other(ranges)]
    lines = [f"  {line}" for line in lines]
    return ["  each of these alone may move by less than:", *lines]


def below_each_other(texts: Mapping[str, str]) -> list[str]:
    """Return a line for each feature with what is stated of it, the texts below each other."""
    from equiproof.circuits.names import quoted

    names = {name: quoted(name) for name in texts}
    width = max(map(len, names.values()), default=0)
    return [f"  {names[name]:<{width}}  {text}" for name, text in texts.items()]


def ranges_of(reading: Reading) -> dict[str, str] | None:
    """Return the ranges that neighbors are kept to; None where a statement covers all neighbors."""
    import msgspec

    return None if isinstance(reading.ranges, msgspec.UnsetType) else reading.ranges


def counterexample_text(document: Mapping[str, Any]) -> str:
    """Write a counterexample (:func:`equiproof.certify.documents.counterexample`) as lines."""
    lines = ["UNFAIR at this very applicant: the decision depends on the sensitive features alone."]
    if document["verdict"] == "undecided":
        lines = ["UNDECIDED: for some value of the sensitive features the model decides neither way (a tie)."]
    for case in document["cases"]:
        scores = ", ".join(f"{logit:+.4f}" for logit in case["logits"])
        lines.append(f"  {in_words(case['sensitive'])}: {case['label'] or 'no decision'} (logits {scores})")
    return "\n".join(lines)


def in_words(values: Mapping[str, str]) -> str:
    """Write sensitive values as "sex = female, race = white"."""
    return ", ".join(f"{name} = {value}" for name, value in values.items())
