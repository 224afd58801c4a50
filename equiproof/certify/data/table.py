"""The declaration of a data set in delimited text files, which one shared reader loads.

A data set's module holds one :class:`Table` and no code: its files and their known edition, their format, the columns
that are features with their values, and the column of the label.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["category", "count", "integer", "decimal"]


@dataclass(frozen=True)
class Column:
    """One feature: a category, or a number with its unit.

    `codes` are the documented values of a category in alphabetical order; where there are none, the values are those in
    the files. Codes in `merged` are read as the value that they are mapped to. A count is a whole number from 0, an
    integer may be negative, a decimal may have a fraction. `note` explains values that are not self-explanatory, and
    `meanings` has the words of the data set's own description for codes that say nothing, and occur in no other column.
    """

    name: str
    kind: Kind
    codes: tuple[str, ...] = ()
    unit: str = ""
    note: str = ""
    merged: Mapping[str, str] = field(default_factory=dict)
    meanings: Mapping[str, str] = field(default_factory=dict)

    @property
    def values(self) -> tuple[str, ...]:
        """What the documented codes are read as, in alphabetical order."""
        return tuple(sorted({self.merged.get(code, code) for code in self.codes}))


def category(name: str, codes: Sequence[str] = (), note: str = "") -> Column:
    """Declare a category with its documented codes, in any order; without codes the values are those in the files."""
    return Column(name, "category", tuple(sorted(codes)), note=note)


def coded(name: str, meanings: Mapping[str, str]) -> Column:
    """Declare a category whose codes say nothing, by the meaning of each."""
    note = "; ".join(f"{code} {text}" for code, text in meanings.items())
    return Column(name, "category", tuple(sorted(meanings)), note=note, meanings=meanings)


def count(name: str, unit: str = "", note: str = "") -> Column:
    """Declare a whole number from 0."""
    return Column(name, "count", unit=unit, note=note)


def integer(name: str, unit: str = "", note: str = "") -> Column:
    """Declare a whole number of either sign."""
    return Column(name, "integer", unit=unit, note=note)


def decimal(name: str, unit: str = "", note: str = "") -> Column:
    """Declare a decimal number, which is kept exactly."""
    return Column(name, "decimal", unit=unit, note=note)


@dataclass(frozen=True)
class Form:
    """The format of the files.

    A separator of one space stands for any white space. Without `header` lines the fields are the features in order and
    the label last; with them, the last one names the fields, and features and label are found by name, the first of
    each name. `quoted` fields may stand in double quotes.
    """

    separator: Literal[" ", ",", ";"]
    header: int = 0
    quoted: bool = False
    charset: Literal["ascii", "latin-1"] = "ascii"


@dataclass(frozen=True)
class Label:
    """The column of the label: cell -> label; `meanings` are words for cells that need them."""

    name: str
    codes: Mapping[str, int]
    meanings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class RawFile:
    """One file of the known edition.

    `sha256` is taken over the file with LF line ends and without identifying columns. `url` is its public source;
    `members` leads from there to the file through archives. `skip` lines precede everything; the cells of the label
    end in `label_suffix`.
    """

    name: str
    sha256: str
    url: str
    members: tuple[str, ...] = ()
    skip: int = 0
    label_suffix: str = ""


@dataclass(frozen=True)
class Table:
    """A data set in delimited text files, read in the order of `files` from the subfolder `folder`.

    `labels` names label 0 and label 1, `sensitive` the features that are sensitive by default, `rows` the number of
    rows of the known edition. Fields named `identifying` are emptied as soon as a file is read, and no message shows a
    cell of such a file. Rows for which `keep` is false, given the cells by field, are left out.
    """

    name: str
    title: str
    folder: str
    files: tuple[RawFile, ...]
    form: Form
    columns: tuple[Column, ...]
    label: Label
    labels: tuple[str, str]
    sensitive: tuple[str, ...]
    rows: int
    identifying: tuple[str, ...] = ()
    keep: Callable[[Mapping[str, str]], bool] | None = None

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the features, in their order."""
        return tuple(column.name for column in self.columns)
