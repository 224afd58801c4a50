"""A refusal names what mends it as its reader gives it: an argument in Python, an option on the command line."""

import ast
import re

import pytest

from equiproof.circuits.arguments import argument, as_options, not_texts
from tests.support import ROOT

OPTION = re.compile(r"(?<![\w-])--[a-z]")


@pytest.mark.parametrize(
    ("name", "value", "python", "option"),
    [
        ("classes", None, "classes=", "--classes"),
        ("trees", "best", "trees='best'", "--trees best"),
        ("input_fraction_bits", 16, "input_fraction_bits=16", "--input-fraction-bits 16"),
        ("sensitive", ["sex", "race"], "sensitive=['sex', 'race']", "--sensitive sex,race"),
        ("dates", {"opened on": "2000-01-01"}, "dates={'opened on': '2000-01-01'}", "--dates 'opened on=2000-01-01'"),
        ("allow_loss", True, "allow_loss=True", "--allow-loss"),
        ("values", {"sex": {"m": " m"}}, "values={'sex': {'m': ' m'}}", "--values 'sex:\" m\"=m'"),
    ],
)
def test_an_argument_is_an_option_while_a_command_runs(name, value, python, option):
    """Each caller gets its own spelling, and the next one too."""
    assert argument(name, value) == python
    with as_options():
        assert argument(name, value) == option
    assert argument(name, value) == python


def test_no_reader_of_models_or_tables_spells_an_option():
    """Python calls these modules as well: a remedy there is written with `argument`, or is a whole command."""
    spelled = []
    for room in ("data", "models"):
        for path in sorted((ROOT / "equiproof" / "certify" / room).rglob("*.py")):
            spelled += [f"{path.name}: {text}" for text in _texts(path) if OPTION.search(text.split("equiproof ")[0])]
    assert spelled == []


def _texts(path):
    """Return the texts of a module but for its documentation, what is inserted into them left out."""
    nodes = list(ast.walk(ast.parse(path.read_text())))
    said = [node.value for node in nodes if isinstance(node, ast.Expr)]
    joined = [node for node in nodes if isinstance(node, ast.JoinedStr)]
    parts = [[part for part in node.values if isinstance(part, ast.Constant)] for node in joined]
    left_out = {*map(id, said), *(id(part) for some in parts for part in some)}
    alone = [node for node in nodes if isinstance(node, ast.Constant) and id(node) not in left_out]
    texts = [node.value for node in alone if isinstance(node.value, str)]
    return ["".join(part.value for part in some) for some in parts] + texts


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (("sex", "race"), None),
        ([], None),
        ("sex", "write missing=['sex'], a list of texts: 'sex' is none"),
        (5, "write missing=['5'], a list of texts: 5 is none"),
        (["sex", 5], "write '5' in missing=, a list of texts: 5 is none"),
        ([None], "write texts in missing=, a list of texts: None is none"),
    ],
)
def test_a_list_of_texts_is_no_text_and_no_number(value, said):
    """A text alone would be a list of its letters."""
    assert not_texts("missing", value) == said
