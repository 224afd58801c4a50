"""An imported network is committed as its exact rationals are, or not at all."""

import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from torch import nn

from equiproof import import_model
from equiproof.certify.models.importing import ModelImportError
from equiproof.certify.models.importing.chain import layers_of
from equiproof.certify.models.importing.npz import from_arrays
from equiproof.certify.models.network import Network
from equiproof.certify.models.quantise import ExactLayer, quantise, quantise_exact
from equiproof.certify.network import NetworkError
from tests.certify.models.importing.samples import (
    COLUMNS,
    SHUFFLED,
    SIZES,
    SPEC,
    forward,
    raw_rows,
    spec_columns,
    weights,
)
from tests.support import ROOT, changed


@settings(max_examples=25)
@given(
    seed=st.integers(0, 10**6), units=st.sampled_from(["raw", "spec"]), kind=st.sampled_from([np.float32, np.float64])
)
def test_the_network_that_is_kept_gives_the_integers_of_the_rationals(seed, units, kind):
    """Floats that are saved and read again quantise to the integers that the import computed from fractions."""
    imported = import_model(weights(SIZES, seed, kind), SPEC, units=units, columns=SHUFFLED)
    assert quantise(imported.network, SPEC) == imported.quantised


def test_quantising_fractions_is_quantising_floats():
    """A float network and the fractions it stands for are committed as the same integers."""
    arrays = weights(SIZES)
    layers = layers_of(from_arrays(arrays).steps, 5)
    exact = [
        ExactLayer(
            tuple(tuple(row.get(i, Fraction(0)) for i in range(layer.inputs)) for row in layer.rows), layer.biases
        )
        for layer in layers
    ]
    network = Network(
        tuple(arrays[f"W{index}"].T.astype(float) for index in range(3)),
        tuple(arrays[f"b{index}"].astype(float) for index in range(3)),
    )
    assert quantise_exact(exact, SPEC) == quantise(network, SPEC)


def test_a_number_that_floats_cannot_hold_is_refused_by_its_place():
    """Deep biases of multiplied doubles need more digits than a float has; the first that would differ is named."""
    torch.manual_seed(0)
    double = {"dtype": torch.float64}
    below = (module for _ in range(4) for module in (nn.Linear(5, 5, **double), nn.ReLU()))
    deep = nn.Sequential(*below, nn.Linear(5, 5, **double), nn.Linear(5, 1, **double)).eval()
    with pytest.raises(ModelImportError, match=r"layer 5 \(Linear '8', then Linear '9'\): the bias of output 1"):
        import_model(deep, SPEC, units="spec", columns=COLUMNS)


def test_a_scaler_in_doubles_is_no_obstacle():
    """Division by a scale that no float holds rounds to the same committed integers."""
    rows = raw_rows(100)
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(rows, (rows[:, 0] > 4000).astype(int))
    imported = import_model(model, SPEC, units="raw", columns=COLUMNS)
    assert imported.network.hidden == (2,)
    (folded,) = imported.bound.folded
    assert folded.startswith("layer 1: the columns in raw units, then step 'standardscaler' (StandardScaler), then ")
    assert folded.endswith(", then LogisticRegression, then both signs of each logit")


@pytest.mark.parametrize("factor", [1e6, 1e200])
def test_weights_that_no_integer_holds_are_refused(factor):
    """A weight past 16 bits is refused by its layer, before and after it leaves the range of floats."""
    arrays = weights(SIZES, kind=np.float64)
    arrays["W1"] = arrays["W1"] * factor
    with pytest.raises(NetworkError, match="layer 2: a weight of"):
        import_model(arrays, SPEC, units="spec", columns=COLUMNS)


def test_a_product_past_all_floats_is_refused():
    """Two layers whose product no float holds are refused like any weight that is too large."""
    arrays = {"W0": np.full((5, 1), 1e300), "b0": np.zeros(1)}
    model = nn.Sequential(nn.Linear(5, 1), nn.Linear(1, 1)).double().eval()
    model[0].weight.data[:] = torch.from_numpy(arrays["W0"].T)
    model[1].weight.data[:] = 1e300
    with pytest.raises(NetworkError, match=r"layer 1: a weight of 1e\+600"):
        import_model(model, SPEC, units="spec", columns=COLUMNS)


@pytest.mark.parametrize("threshold", ["-0.5", "0", "0.3", "4"])
def test_a_threshold_may_stand_anywhere(threshold):
    """The committed integers decide for the second label where the model's logit is above the spec's threshold."""
    spec = changed(SPEC, threshold=threshold)
    imported = import_model(weights(SIZES, 4), spec, units="spec", columns=COLUMNS)
    grid = np.round(spec_columns(raw_rows(300)) * spec.scale_unit).astype(int)
    logits = forward(weights(SIZES, 4), grid / spec.scale_unit)[:, 0] - float(threshold)
    clear = np.abs(logits) > 0.01
    decided = [imported.quantised.decide(row) for row in grid[clear].tolist()]
    assert decided == (logits[clear] > 0).astype(int).tolist()
    assert len(set(decided)) == 2


def test_libraries_are_loaded_only_for_models_of_theirs():
    """Importing an .npz file needs neither torch nor scikit-learn nor onnx."""
    code = (
        "import sys, numpy; from equiproof.certify.models.importing import read_model; "
        "read_model({'W0': numpy.ones((2, 1)), 'b0': numpy.ones(1)}); "
        "assert not {'torch', 'onnx', 'sklearn'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_without_the_package_that_parses_it_an_onnx_file_is_refused(tmp_path, monkeypatch):
    """On a machine without onnx the line says what to install."""
    (tmp_path / "net.onnx").write_bytes(b"")
    monkeypatch.delitem(sys.modules, "equiproof.certify.models.importing.onnx_graph", raising=False)
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ModelImportError, match=r"net\.onnx: the package onnx is missing; install"):
        import_model(tmp_path / "net.onnx", SPEC, units="raw")


def test_an_import_shows_no_weight():
    """Neither the import nor what a reader finds prints a number of the model."""
    arrays = {name: np.full_like(array, 0.1234567) for name, array in weights(SIZES).items()}
    imported = import_model(arrays, SPEC, units="spec", columns=COLUMNS)
    source = from_arrays(arrays)
    assert repr(imported).startswith("<ImportedModel npz 5-4-3-1 of 4 features: ")
    assert "<Affine 5-4: " in repr(source)
    exact = ExactLayer(((Fraction(1234567, 10**7),),), (Fraction(0),))
    assert repr(exact) == "<ExactLayer of 1 outputs>"
    wholes = {str(weight) for layer in imported.quantised.layers for row in layer.weights for weight in row}
    for shown in (repr(imported), repr(source)):
        assert "0.123" not in shown
        assert not any(weight in shown for weight in wholes)
