"""`setup --scheme trees`: which options say the sizes of an additive model, and what is refused in one line."""

import pytest

from equiproof.cli.commands.additive import additive_sizes, predicate_counts, shape_for
from equiproof.cli.main import run
from tests.support import ROOT
from tests.vectors.generate.cases import spec_of

COMMITMENT = ROOT / "tests" / "golden" / "loans" / "commitment.json"


def test_the_shape_that_options_name():
    """P, P_S and V come into the shape and its name; the relation follows from the spec."""
    sizes = additive_sizes("trees", "40,2", None, 16, None)
    shape = shape_for(spec_of(), sizes, 8)
    assert (shape.scheme, shape.architecture.predicates, shape.slots, shape.capacity) == ("additive", (40, 2), 16, 8)
    assert shape.name.startswith("additive-3+1-p40+2-v16-s2-k8-")
    assert predicate_counts("40") == (40, 0)
    assert additive_sizes("branch", None, None, None, None) is None


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--predicates", "40", "--slots", "8"], "go with --scheme trees"),
        (["--scheme", "trees", "--predicates", "40"], "--slots V"),
        (["--scheme", "trees", "--hidden", "4,2"], "--predicates P[,P_S]"),
        (["--scheme", "trees", "--predicates", "40", "--slots", "41"], "want 1 to 40"),
        (["--scheme", "trees", "--predicates", "0", "--slots", "1"], "at least 1"),
        (["--scheme", "trees", "--predicates", "4096,1", "--slots", "1"], "4096 at most"),
        (["--scheme", "trees", "--predicates", "4,x", "--slots", "1"], "is not one or two numbers"),
        (["--scheme", "trees", "--predicates", "4", "--slots", "1", "--capacity", "12"], "not a power of two"),
    ],
)
def test_wrong_sizes_are_refused(options, says, tmp_path, capsys):
    """Nothing is written, and one line says what to write."""
    code = run(["setup", "--commitment", str(COMMITMENT), "--keys", str(tmp_path / "keys"), *options])
    lines = capsys.readouterr().err.splitlines()
    assert (code, len(lines)) == (2, 1)
    assert says in lines[0]
    assert not (tmp_path / "keys").exists()
