"""What torch really exports to ONNX is what is read."""

import warnings

import numpy as np
import pytest
import torch
from torch import nn

from equiproof import import_model
from equiproof.certify.models.importing import ModelImportError, read_model
from tests.certify.models.importing.samples import COLUMNS, SPEC, raw_rows, run, spec_columns

RAW = raw_rows(40)


class Standardised(nn.Module):
    """A network that scales its raw inputs itself, as deployed ones do."""

    def __init__(self):
        """Draw weights."""
        super().__init__()
        torch.manual_seed(2)
        self.register_buffer("mean", torch.tensor([2500.0, 0.5, 0.5, 14.0, 0.5]))
        self.register_buffer("scale", torch.tensor([2048.0, 0.5, 0.5, 8.0, 0.25]))
        self.layers = nn.Sequential(
            nn.Linear(5, 4), nn.ReLU(), nn.Dropout(0.1), nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 1)
        )

    def forward(self, rows):
        """Return the logits of raw rows."""
        return self.layers((rows - self.mean) / self.scale)


def export(model, path, *, dynamo, **options):
    """Export a model with either of torch's exporters."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(model.eval(), (torch.zeros(2, 5),), path, dynamo=dynamo, verbose=False, **options)


@pytest.mark.parametrize("dynamo", [True, False], ids=["torch.export", "TorchScript"])
def test_an_exported_network_imports_as_it_is(tmp_path, dynamo):
    """Scaling, layers and dropout of a torch module come back as the same logits on raw rows."""
    model, path = Standardised(), tmp_path / "net.onnx"
    options = {"external_data": False} if dynamo else {"dynamic_axes": {"rows": {0: "n"}}, "input_names": ["rows"]}
    export(model, path, dynamo=dynamo, **options)
    imported = import_model(path, SPEC, units="raw", columns=COLUMNS)
    wanted = model.double()(torch.from_numpy(RAW)).detach().numpy()
    np.testing.assert_allclose(imported.network.logits(spec_columns(RAW)), wanted, rtol=1e-9, atol=1e-9)
    assert imported.network.hidden == (4, 3)
    assert imported.bound.folded[0].startswith("layer 1: the columns in raw units, then Sub")


@pytest.mark.parametrize("dynamo", [True, False], ids=["torch.export", "TorchScript"])
def test_an_export_and_its_module_are_one_chain(tmp_path, dynamo):
    """An nn.Sequential gives the very same exact numbers as its export."""
    torch.manual_seed(3)
    model, path = nn.Sequential(nn.Linear(5, 3), nn.ReLU(), nn.Linear(3, 2)), tmp_path / "net.onnx"
    export(model, path, dynamo=dynamo, **({"external_data": False} if dynamo else {}))
    assert (run(read_model(path), RAW) == run(read_model(model), RAW)).all()


def test_an_export_in_two_files_is_refused(tmp_path):
    """Weights beside the file are not looked for; the line says how to export one file."""
    path = tmp_path / "net.onnx"
    export(nn.Sequential(nn.Linear(5, 64), nn.ReLU(), nn.Linear(64, 1)), path, dynamo=True, external_data=True)
    with pytest.raises(ModelImportError, match="external_data=False"):
        read_model(path)


@pytest.mark.parametrize("end", [nn.Sigmoid(), nn.Softmax(1), nn.LogSoftmax(1)])
def test_an_exported_probability_leaves_its_logits(tmp_path, end):
    """What stands at the end keeps the order of logits, so that they decide."""
    path = tmp_path / "net.onnx"
    linear = nn.Linear(5, 1 if isinstance(end, nn.Sigmoid) else 3)
    export(nn.Sequential(linear, end), path, dynamo=False)
    assert (run(read_model(path), RAW) == run(read_model(nn.Sequential(linear)), RAW)).all()
