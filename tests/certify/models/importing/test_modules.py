"""torch modules: same logits, and nothing that is not on the list."""

import math

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


GIVEN = [
    {"income": int(row[0]), "housing": "own" if row[1] else "rent", "years": int(row[3]), "sex": "fm"[int(row[4])]}
    for row in raw_rows(300)
]


def balanced(outputs):
    """Return a network that decides about half of the rows for either label."""
    torch.manual_seed(4)
    inner = seeded(nn.Linear(5, 4), nn.ReLU(), nn.Linear(4, outputs))
    with torch.no_grad():
        inner[2].weight *= 4
        logits = inner(torch.from_numpy(spec_columns(raw_rows(300))).float())
        inner[2].bias[-1] -= (logits[:, -1] - (logits[:, 0] if outputs > 1 else 0)).median() + 0.01
    return inner


@pytest.mark.parametrize("end", [nn.Sigmoid(), nn.Softmax(1), nn.LogSoftmax(-1)], ids=repr)
def test_probabilities_at_the_end_are_left_out_and_compared(end):
    """The same integers as of the logits; no row is decided otherwise than the module's own probabilities say."""
    outputs = 1 if type(end) is nn.Sigmoid else 2
    inner = balanced(outputs)
    whole = seeded(inner, end, nn.Identity())
    words = {"units": "spec", "columns": COLUMNS, "rows": GIVEN}
    imported = import_model(whole, SPEC, **words)
    assert imported.quantised == import_model(inner, SPEC, **words).quantised
    (compared,) = imported.comparisons
    assert (compared.counts.source, compared.counts.rows) == ("Sequential.forward", 300)
    assert (compared.counts.differing, compared.counts.differing_integers) == (0, 0)
    values = whole(torch.from_numpy(spec_columns(raw_rows(300))).float()).detach().numpy()
    above = (values[:, 0] > 0.5) if outputs == 1 else values.argmax(axis=1) == 1
    assert [one.own for one in compared.counts.labels] == [300 - above.sum(), above.sum()]
    assert 20 < above.sum() < 280


def test_a_threshold_on_the_probability_of_a_sigmoid_is_one_on_its_logit():
    """Above a probability of 0.6, as the module itself says."""
    whole = seeded(balanced(1), nn.Sigmoid())
    words = {"units": "spec", "columns": COLUMNS, "rows": GIVEN, "threshold": "probability=0.6"}
    imported = import_model(whole, SPEC, **words)
    values = whole(torch.from_numpy(spec_columns(raw_rows(300))).float()).detach().numpy()
    labels = imported.comparisons[0].counts.labels
    assert labels[1].own == labels[1].integers == int((values > 0.6).sum())
    assert 0 < labels[1].own < int((values > 0.5).sum())


def normalised(epsilon):
    """Return a network with a BatchNorm1d whose variances are squares when epsilon is 0."""
    torch.manual_seed(1)
    model = seeded(nn.Linear(5, 3), nn.BatchNorm1d(3, eps=epsilon), nn.ReLU(), nn.Linear(3, 1)).double()
    model[1].running_mean[:] = torch.tensor([0.5, -1.0, 2.0])
    model[1].running_var[:] = torch.tensor([4.0, 0.25, 2.25])
    model[1].weight.data[:] = torch.tensor([1.5, -2.0, 1.0])
    model[1].bias.data[:] = torch.tensor([0.25, 0.0, -1.0])
    return model


@pytest.mark.parametrize("epsilon", [0.0, 1e-5])
def test_a_normalisation_is_folded_and_a_root_that_is_not_exact_is_said(epsilon):
    """Batch normalisation is an affine map like any other; the list of folded steps says where a root is rounded."""
    model = normalised(epsilon)
    wanted = model(torch.from_numpy(ROWS)).detach().numpy()
    np.testing.assert_allclose(run(read_model(model), ROWS), wanted, rtol=1e-9, atol=1e-9)
    found = import_model(model, SPEC, units="spec", columns=COLUMNS)
    assert ("roots rounded by less than 2^-128 of themselves" in found.document()["folded"][0]) == bool(epsilon)


def test_trained_normalisations_decide_as_the_module():
    """Variances as training leaves them, in single precision, before and behind a layer: 0 of 500 rows differ."""
    torch.manual_seed(7)
    model = nn.Sequential(nn.BatchNorm1d(5), nn.Linear(5, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.BatchNorm1d(8),
                          nn.Linear(8, 1))  # fmt: skip
    rows = torch.from_numpy(np.random.default_rng(2).normal(size=(500, 5))).float()
    labels = (rows[:, 0] + rows[:, 1] * rows[:, 2] > 0.2).float()
    optimiser = torch.optim.Adam(model.parameters(), lr=0.02)
    for _ in range(60):
        optimiser.zero_grad()
        nn.functional.binary_cross_entropy_with_logits(model(rows)[:, 0], labels).backward()
        optimiser.step()
    wanted = model.eval()(rows).detach().numpy()
    found = import_model(model, SPEC, units="spec", columns=COLUMNS)
    logits = found.network.logits(rows.double().numpy())
    assert ((logits > 0) == (wanted > 0)).all()
    assert 50 < int((wanted > 0).sum()) < 450
    np.testing.assert_allclose(logits, wanted, rtol=1e-4, atol=1e-4)
    assert len([one for one in found.document()["folded"] if "roots rounded" in one]) == 2


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
    "a Sigmoid within": (
        lambda: seeded(nn.Linear(5, 2), nn.Sigmoid(), nn.Linear(2, 1)),
        "Linear '2': takes the probabilities of Sigmoid '1', which are read at the end only",
    ),
    "two Sigmoids": (
        lambda: seeded(nn.Linear(5, 1), nn.Sigmoid(), seeded(nn.Sigmoid())),
        r"Sigmoid '2\.0': takes the probabilities of Sigmoid '1'",
    ),
    "a Softmax of rows": (lambda: seeded(nn.Linear(5, 2), nn.Softmax(0)), "Softmax '1': dim=0 mixes rows"),
    "LogSigmoid": (lambda: seeded(nn.Linear(5, 1), nn.LogSigmoid()), "LogSigmoid '1' is not read"),
    "Tanh": (lambda: seeded(nn.Linear(5, 2), nn.Tanh(), nn.Linear(2, 1)), "Tanh '1'"),
    "ReLU6": (lambda: seeded(nn.Linear(5, 2), nn.ReLU6(), nn.Linear(2, 1)), "ReLU6 '1'"),
    "LeakyReLU": (lambda: seeded(nn.Linear(5, 2), nn.LeakyReLU(), nn.Linear(2, 1)), "LeakyReLU '1'"),
    "nested": (lambda: seeded(nn.Linear(5, 2), seeded(nn.ReLU(), nn.GELU())), "GELU '1.1'"),
    "derived Sequential": (lambda: Residual(nn.Linear(5, 1)).eval(), "Residual"),
    "own module": (lambda: Own().eval(), "Own"),
    "hook": (hooked, "Linear '0': remove its hooks"),
    "own forward": (overridden, "Linear '0': remove its hooks"),
    "parametrised": (
        lambda: seeded(nn.utils.parametrizations.weight_norm(nn.Linear(5, 1))), "ParametrizedLinear '0'"
    ),
    "dropout in training": (lambda: nn.Sequential(nn.Linear(5, 1), nn.Dropout()).train(), r"Dropout '1'.*eval\(\)"),
    "normalisation in training": (lambda: normalised(0.0).train(), r"BatchNorm1d '1'.*eval\(\)"),
    "no variance": (lambda: normalised(-4.0), r"BatchNorm1d '1': variance \+ epsilon is not above 0: train it again"),
    "variance is NaN": (lambda: normalised(math.nan), "BatchNorm1d '1': a number is not finite"),
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
