"""What the commands that read a table and a model take, Python takes too, under the same names."""

from __future__ import annotations

import dataclasses
import inspect

import pytest

from equiproof import import_model
from equiproof.certify.data.spec_draft import draft_file
from equiproof.certify.data.wishes import Wishes
from equiproof.cli.everyday import COMMON, _tree
from equiproof.cli.main import _commands

TABLE = {"spec", "dataset", "data_dir", "domains", "domain", "one_hot"}
"""Options that name a spec, which Python has as an object: the second argument."""

PRINTED = {"json"}

DRAFTED = {"ranges", "use_ranges", "leave_out_missing", "missing"}
"""Arguments about a table that a spec is drafted from, which the command has in `spec`."""


def options(command: str) -> set[str]:
    """Return the long options of a command, as Python writes names."""
    (one,) = [one for words, one in _tree(_commands()) if words == command]
    long = {word for parameter in one.params for word in parameter.opts if word.startswith("--")}
    return {word.removeprefix("--").replace("-", "_") for word in long - COMMON - {"--help"}}


def test_import_has_the_arguments_of_the_command() -> None:
    """Each option is an argument, but those that name a spec; and each argument is an option of `import` or `spec`."""
    arguments = set(inspect.signature(import_model).parameters) - {"model", "table"}
    assert options("import") - arguments == TABLE | PRINTED
    assert arguments - options("import") == DRAFTED
    assert options("spec") >= DRAFTED


def test_a_draft_has_the_wishes_of_the_command() -> None:
    """What a model has besides its table, its threshold and its levels, is an argument of the import."""
    names = {"categories": "categories", "drop": "dropped", "logarithms": "logs"}
    wishes = {one.name for one in dataclasses.fields(Wishes)}
    of_models = {"threshold", "levels", "gain_levels"}
    taken = {names.get(name, name) for name in options("spec")} - {"out", "force", *PRINTED}
    assert taken - wishes == of_models | {"sep"}
    assert wishes <= taken
    assert of_models <= set(inspect.signature(import_model).parameters)
    assert "separator" in inspect.signature(draft_file).parameters


@pytest.mark.parametrize("command", ["import", "spec"])
def test_the_options_are_found(command: str) -> None:
    """The marks of numbers are among them, which every command that reads rows gets elsewhere."""
    assert {"decimal", "thousands", "dates"} <= options(command)
