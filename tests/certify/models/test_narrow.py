"""Networks of single floats on large raw numbers: rows that single precision decides otherwise are said."""

import numpy as np
import pytest

from equiproof import import_model
from equiproof.circuits.spec import Feature
from tests.support import changed, spec_of

torch = pytest.importorskip("torch")

SPEC = changed(
    spec_of(
        Feature("opened", "numeric", "scaled", False, mean="1600000000", scale="1000"),
        Feature("sex", "categorical", "rank", True, mean="0.5", scale="0.5", domain=("f", "m")),
    ),
    input_fraction_bits=10,
    input_bits=40,
)
ROWS = [{"opened": 1_600_000_000 + 16 * place, "sex": "fm"[place % 2]} for place in range(-40, 40)]


def network(shift):
    """Return a network that decides by the seconds since a day, of which single floats tell only each 128th apart."""
    model = torch.nn.Sequential(torch.nn.Linear(2, 1)).eval()
    with torch.no_grad():
        model[0].weight[:] = torch.tensor([[1.0, 1.0]])
        model[0].bias[:] = torch.tensor([shift])
    return model


def saved(model, path):
    """Write the arrays of a network as single floats."""
    weight, bias = model[0].weight.detach().numpy(), model[0].bias.detach().numpy()
    np.savez(path, W0=weight.T, b0=bias, columns=np.array(["opened", "sex"]))
    return path


def test_rows_that_single_precision_decides_otherwise_are_said(tmp_path):
    """The number of them is that of torch itself in both precisions."""
    model = network(-1_600_000_000.0)
    table = torch.tensor([[float(row["opened"]), float(row["sex"] == "m")] for row in ROWS], dtype=torch.float64)
    with torch.no_grad():
        narrow = model(table.float())[:, 0] > 0
        wide = model.double()(table)[:, 0] > 0
    differing = np.flatnonzero((narrow != wide).numpy())
    assert len(differing) > 0
    path = saved(network(-1_600_000_000.0), tmp_path / "net.npz")
    found = import_model(path, SPEC, units="raw", rows=ROWS, allow_loss=True)
    (note,) = found.notes
    assert note.startswith(
        f"{len(differing)} of 80 rows, row {differing[0] + 1} first, are decided otherwise in single"
    )


def test_a_network_of_doubles_or_on_small_numbers_has_no_such_note(tmp_path):
    """Weights that are no single floats are computed in double precision; small numbers have digits to spare."""
    path = tmp_path / "net.npz"
    np.savez(path, W0=np.array([[1.1], [1.0]]), b0=np.array([-1_760_000_000.0]), columns=np.array(["opened", "sex"]))
    assert import_model(path, SPEC, units="raw", rows=ROWS, allow_loss=True).notes == ()
    feature = Feature("opened", "numeric", "scaled", False, mean="0", scale="100")
    small = changed(SPEC, features=(feature, SPEC.features[1]))
    rows = [{"opened": place, "sex": "fm"[place % 2]} for place in range(-40, 40)]
    found = import_model(saved(network(0.5), tmp_path / "small.npz"), small, units="raw", rows=rows)
    assert found.notes == ()
