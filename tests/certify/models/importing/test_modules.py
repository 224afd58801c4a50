"""torch modules: same logits, and nothing that is not on the list."""

import numpy as np
import pytest
import torch
from torch import nn

from equiproof import import_model
from equiproof.certify.models.importing import ModelImportError, read_model
from tests.certify.models.importing.samples import COLUMNS, SPEC, raw_rows, run, spec_columns

ROWS = spec_columns(raw_rows(30))


def seeded(*modules):
    """Return an nn.Sequential in eval mode."""
    return nn.Sequential(*modules).eval()


def build():
    """Return modules of every kind that is read."""
    torch.manual_seed(0)
    relu = nn.ReLU()
    return {
        "plain": seeded(nn.Linear(5, 4), nn.ReLU(), nn.Linear(4, 1)),
        "without bias": seeded(nn.Linear(5, 4, bias=False), nn.ReLU(), nn.Linear(4, 1, bias=False)),
        "one module in two places": seeded(nn.Linear(5, 3), relu, nn.Linear(3, 3), relu, nn.Linear(3, 1)),
        "nested": seeded(seeded(nn.Linear(5, 4), nn.ReLU()), seeded(seeded(nn.Linear(4, 1)))),
        "linear after linear": seeded(nn.Linear(5, 4), nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 1)),
        "does nothing": seeded(nn.Flatten(), nn.Identity(), nn.Linear(5, 4), nn.ReLU(), nn.Dropout(), nn.Linear(4, 1)),
        "linear": seeded(nn.Linear(5, 1)),
        "a Linear alone": nn.Linear(5, 1),
        "a ReLU first": seeded(nn.ReLU(), nn.Linear(5, 1)),
        "doubles": seeded(nn.Linear(5, 4), nn.ReLU(), nn.Linear(4, 1)).double(),
        "bfloat16": seeded(nn.Linear(5, 4), nn.ReLU(), nn.Linear(4, 1)).bfloat16(),
        "halves": seeded(nn.Linear(5, 4), nn.ReLU(), nn.Linear(4, 1)).half(),
    }


MODELS = build()


@pytest.mark.parametrize("kind", MODELS)
def test_an_imported_module_gives_the_same_logits(kind):
    """The imported network on the spec's columns is the module in doubles, weights taken exactly."""
    model = MODELS[kind]
    found = import_model(model, SPEC, units="spec", columns=COLUMNS).network.logits(ROWS)
    state = {name: value.double() for name, value in model.state_dict().items()}
    wanted = torch.func.functional_call(model, state, torch.from_numpy(ROWS)).detach().numpy()
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9)


def normalised(epsilon):
    """Return a network with a BatchNorm1d whose variances are squares when epsilon is 0."""
    torch.manual_seed(1)
    model = seeded(nn.Linear(5, 3), nn.BatchNorm1d(3, eps=epsilon), nn.ReLU(), nn.Linear(3, 1)).double()
    model[1].running_mean[:] = torch.tensor([0.5, -1.0, 2.0])
    model[1].running_var[:] = torch.tensor([4.0, 0.25, 2.25])
    model[1].weight.data[:] = torch.tensor([1.5, -2.0, 1.0])
    model[1].bias.data[:] = torch.tensor([0.25, 0.0, -1.0])
    return model


def test_a_normalisation_is_folded_where_its_root_is_exact():
    """With variance + epsilon a square, batch normalisation is an affine map like any other."""
    model = normalised(0.0)
    wanted = model(torch.from_numpy(ROWS)).detach().numpy()
    np.testing.assert_allclose(run(read_model(model), ROWS), wanted, rtol=1e-9, atol=1e-9)


class Residual(nn.Sequential):
    """A class that computes something else than its modules in order."""


class Own(nn.Module):
    """A module of the user's own."""


def hooked():
    """Return a model whose output a hook changes."""
    model = seeded(nn.Linear(5, 1))
    model[0].register_forward_hook(lambda module, inputs, output: -output)
    return model


def overridden():
    """Return a model with a forward of its own."""
    model = seeded(nn.Linear(5, 1))
    model[0].forward = lambda values: -values
    return model


REFUSED = {
    "Sigmoid": (lambda: seeded(nn.Linear(5, 1), nn.Sigmoid()), r"Sigmoid '1'.*ln\(t / \(1 - t\)\)"),
    "Softmax": (lambda: seeded(nn.Linear(5, 2), nn.Softmax(1)), "Softmax '1'"),
    "Tanh": (lambda: seeded(nn.Linear(5, 2), nn.Tanh(), nn.Linear(2, 1)), "Tanh '1'"),
    "ReLU6": (lambda: seeded(nn.Linear(5, 2), nn.ReLU6(), nn.Linear(2, 1)), "ReLU6 '1'"),
    "LeakyReLU": (lambda: seeded(nn.Linear(5, 2), nn.LeakyReLU(), nn.Linear(2, 1)), "LeakyReLU '1'"),
    "nested": (lambda: seeded(nn.Linear(5, 2), seeded(nn.ReLU(), nn.GELU())), "GELU '1.1'"),
    "derived Sequential": (lambda: Residual(nn.Linear(5, 1)).eval(), "Residual"),
    "own module": (lambda: Own().eval(), "Own"),
    "hook": (hooked, "Linear '0': has hooks"),
    "own forward": (overridden, "Linear '0': has hooks"),
    "parametrised": (
        lambda: seeded(nn.utils.parametrizations.weight_norm(nn.Linear(5, 1))), "ParametrizedLinear '0'"
    ),
    "dropout in training": (lambda: nn.Sequential(nn.Linear(5, 1), nn.Dropout()).train(), r"Dropout '1'.*eval\(\)"),
    "normalisation in training": (lambda: normalised(0.0).train(), r"BatchNorm1d '1'.*eval\(\)"),
    "irrational root": (lambda: normalised(1e-5), "BatchNorm1d '1': the square root"),
    "flattening rows": (lambda: seeded(nn.Flatten(0), nn.Linear(5, 1)), "Flatten '0'"),
    "no layer": (lambda: seeded(nn.ReLU()), "Sequential"),
    "a parameter": (lambda: nn.Parameter(torch.zeros(3)), "Parameter"),
}  # fmt: skip


@pytest.mark.parametrize("kind", REFUSED)
def test_what_has_no_exact_place_is_refused_by_name_and_place(kind):
    """Every other module is refused by its class and where it stands, saying how to mend it where that is known."""
    make, named = REFUSED[kind]
    with pytest.raises(ModelImportError, match=named):
        read_model(make())


def test_a_last_relu_is_refused():
    """A network that ends in a ReLU has no logit that could be below zero."""
    with pytest.raises(ModelImportError, match="ReLU '1'"):
        import_model(seeded(nn.Linear(5, 1), nn.ReLU()), SPEC, units="raw", columns=COLUMNS)
