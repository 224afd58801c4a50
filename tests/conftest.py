"""What tests share: keys, which are kept between runs, and provers and certificates, made once per run."""

from __future__ import annotations

import gc
import json
import os
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from equiproof.certify.traversal.search import Search
from equiproof.circuits import field, workers
from equiproof.circuits.shape import gain_shape
from equiproof.prover import Opening, Prover, import_levels
from equiproof.verifier import (
    Verifier,
    curve,  # noqa: F401 -- before any test imports py_ecc: it keeps Python's limit of recursion as it is
)
from tests import sampling, silent_errors
from tests.durations import DATA, costliest_first
from tests.kept import PLACE_VARIABLE, kept_keys, prepare
from tests.support import LOANS, RATES, Setting, key_for, key_of, network, trusting

# No test judges time; examples are the same in every run.
settings.register_profile("project", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("project")

HIDDEN = (2, 2)
CAPACITY = 8
LOANS_SEED, RATES_SEED = 14, 13
CONTEXT = {"nonce": "4f1c6a08e2b97d35", "date": "2026-01-31"}
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")
"""What libraries of matrices and of training read, when they are loaded, of how many threads to take."""
PROPOSED = import_levels.proposed
"""What an import does where nobody asks for levels."""


def pytest_addoption(pluginmanager):
    """Draw samples of cases; from here on, as the samples have options."""
    if not pluginmanager.is_registered(sampling):
        pluginmanager.register(sampling, "sampling")


def pytest_configure(config):
    """Train on one thread, judge errors' words, and keep the owner's secret of tests out of the user's settings."""
    # Workers have their cores already: threads that wait for others spend processor time, on a busy machine most of it.
    for name in THREADS:
        os.environ.setdefault(name, "1")
    config.own_place = prepare()
    pytest.RaisesExc.__exit__ = silent_errors.judging(pytest.RaisesExc.__exit__)


def pytest_unconfigure(config):
    """Remove what nobody takes over, with the process that made its folder; workers end before it."""
    if folder := getattr(config, "own_place", None):
        os.environ.pop(PLACE_VARIABLE)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.hookimpl(tryfirst=True)
def pytest_collection():
    """Collect thousands of tests without looking for garbage among them again and again."""
    gc.disable()


def pytest_collection_finish():
    """Look for garbage from now on, and never among what was collected: it stays to the end."""
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(config, items):
    """Let workers begin with the files that cost most."""
    if hasattr(config, "workerinput"):
        costliest_first(items, json.loads(DATA.read_text()))


@pytest.fixture(scope="session", autouse=True)
def exact_unless_asked():
    """Have imports of this process draft no levels unless a test asks for them: a draft takes some ten seconds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(import_levels, "proposed", lambda bound, _rows, _progress: (bound, ()))
        yield


@pytest.fixture
def levels_by_default(monkeypatch):
    """Have imports draft levels where nobody asks, as they do outside tests."""
    monkeypatch.setattr(import_levels, "proposed", PROPOSED)


@pytest.fixture
def started(monkeypatch):
    """Return the list of the worker processes that a run starts."""
    processes, start = [], workers._start

    def noted(count):
        link, process = start(count)
        processes.append(process)
        return link, process

    monkeypatch.setattr(workers, "_start", noted)
    return processes


@pytest.fixture(scope="session")
def public_data():
    """The folder of the public data sets, as a Path."""
    if not os.environ.get("EQUIPROOF_DATA"):
        pytest.skip("EQUIPROOF_DATA does not name the directory of the public data sets")
    return Path(os.environ["EQUIPROOF_DATA"])


@pytest.fixture(scope="session")
def shared(tmp_path_factory):
    """A folder that all workers of this run, and no other run, share."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture(scope="session")
def loans():
    """A model with one logit and one sensitive feature, two hidden layers, room for eight regions."""
    opening = Opening.of(network(LOANS, HIDDEN, LOANS_SEED), LOANS, blinding=5)
    return Setting(opening, key_for(kept_keys(), LOANS, HIDDEN, CAPACITY))


@pytest.fixture(scope="session")
def gains():
    """A model with one hidden layer under a key of gains, with room for four leaves."""
    opening = Opening.of(network(LOANS, (2,), LOANS_SEED), LOANS, blinding=5)
    return Setting(opening, key_of(kept_keys(), gain_shape(LOANS, (2,), 4)))


@pytest.fixture(scope="session")
def cramped(loans):
    """The same model under a key that has room for the slices' centres only."""
    return Setting(loans.opening, key_for(kept_keys(), LOANS, HIDDEN, 2))


@pytest.fixture(scope="session")
def loans_tree(loans):
    """The same model under a key of scheme `branch`, with room for eight leaves."""
    return Setting(loans.opening, key_for(kept_keys(), LOANS, HIDDEN, CAPACITY, "branch"))


@pytest.fixture(scope="session")
def rates():
    """A model with three logits and two sensitive features of six joint values."""
    opening = Opening.of(network(RATES, (2,), RATES_SEED), RATES, blinding=field.ORDER - 1)
    return Setting(opening, key_for(kept_keys(), RATES, (2,), CAPACITY))


@pytest.fixture(scope="session")
def foreign(loans):
    """The same model and shape under a key that only the owner made and nobody trusts."""
    return Setting(loans.opening, key_for(kept_keys() / "foreign", LOANS, HIDDEN, CAPACITY))


@pytest.fixture(scope="session")
def owner(loans):
    """The honest prover of the loans model."""
    with Prover(loans.opening, loans.key) as prover:
        yield prover


@pytest.fixture(scope="session")
def proven(loans, owner):
    """An honest certificate, made for CONTEXT: its ball crosses facets of both layers, and two rows are padding."""
    for row, found in loans.applicants(seed=1):
        if isinstance(found, Search) and found.needed == 6:
            return owner.prove(row, CONTEXT)
    raise AssertionError("applicants never end")


@pytest.fixture(scope="session")
def sceptic(loans, cramped, rates):
    """The verifier of the loans model, who trusts the keys of three shapes."""
    return Verifier(loans.commitment, trusting(loans.key, cramped.key, rates.key))
