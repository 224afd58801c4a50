"""Mutants of functions are tried in processes that are forked after tests are collected."""

import importlib.util
import sys

import pytest

from research.mutations.swapped import RunsOnImportError, swap
from research.mutations.trial import ENDED, NOTICED, SURVIVES, Served, ordered

SOURCE = """
from functools import cache, wraps

LIMIT = 3


def twice(function):
    @wraps(function)
    def inner(value):
        return function(function(value))
    return inner


@twice
def plus(value):
    return value + 1


@cache
def under(value):
    return value < LIMIT


class Counter:
    first = 1

    def next(self):
        return [one + self.first for one in (0, 1)]
"""
TESTS = """
import time
import product

def test_plus():
    assert product.plus(1) == 3

def test_under():
    assert product.under(2)

def test_counter():
    assert product.Counter().next() == [1, 2]

def test_environment(monkeypatch):
    import os
    assert os.environ.get("SWITCH") != "on"
"""


@pytest.fixture
def product(tmp_path, monkeypatch):
    """The module of SOURCE, imported from a file."""
    path = tmp_path / "product.py"
    path.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location("product", path)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "product", module)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("before", "after", "asked", "becomes"),
    [
        ("value + 1", "value + 2", lambda product: product.plus(1), 5),
        ("function(function(value))", "function(value)", lambda product: product.plus(1), 2),
        ("value < LIMIT", "value <= LIMIT", lambda product: product.under(3), True),
        ("one + self.first", "one - self.first", lambda product: product.Counter().next(), [-1, 0]),
    ],
)
def test_functions_are_swapped(product, before, after, asked, becomes):
    """Decorated ones, those within others, those with a cache, methods and comprehensions."""
    assert asked(product) != becomes
    if hasattr(product.under, "cache_clear"):
        product.under.cache_clear()
    assert swap(product.__file__, SOURCE, SOURCE.replace(before, after))
    assert asked(product) == becomes


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("LIMIT = 3", "LIMIT = 4"),
        ("first = 1", "first = 2"),
        ("@cache\n", "\n"),
        ("def next(self)", "def next(self, by=1)"),
    ],
)
def test_what_runs_on_import_is_not(product, before, after):
    """Constants, bodies of classes, decorators, defaults."""
    assert not swap(product.__file__, SOURCE, SOURCE.replace(before, after))


def test_what_is_not_imported_is_not(product):
    """Nothing of it is there."""
    assert not swap(product.__file__ + ".other", SOURCE, SOURCE.replace("value + 1", "value + 2"))
    assert not swap(product.__file__, SOURCE, SOURCE)


def test_each_trial_is_anew(tmp_path):
    """A change and an environment are of one trial; what is endless is ended."""
    path = tmp_path / "product.py"
    path.write_text(SOURCE)
    (tmp_path / "test_product.py").write_text(TESTS)
    served = Served(tmp_path, ["test_product.py"])
    plus, under, counter, environment = (
        f"test_product.py::test_{name}" for name in ("plus", "under", "counter", "environment")
    )
    try:
        assert served.tests == {plus, under, counter, environment}

        def tried(*tests, before="", after="", limit=60, **settings):
            change = (path, SOURCE, SOURCE.replace(before, after)) if before else None
            outcome = served.outcome_of(tests, limit, settings, change)
            return outcome.how, outcome.failed

        assert tried(*served.tests) == (SURVIVES, ())
        assert tried(under, plus, counter, before="value + 1", after="value + 2") == (NOTICED, (plus,))
        assert tried(under, before="value + 1", after="value + 2") == (SURVIVES, ())
        assert tried(under, before="value < LIMIT", after="value > LIMIT") == (NOTICED, (under,))
        assert tried(environment, SWITCH="on") == (NOTICED, (environment,))
        endless = "time.sleep(60) or value + 1".replace("time", "__import__('time')")
        assert tried(plus, before="value + 1", after=endless, limit=1) == (ENDED, ())
        with pytest.raises(RunsOnImportError):
            tried(plus, before="LIMIT = 3", after="LIMIT = 4")
        assert tried(*served.tests) == (SURVIVES, ())
    finally:
        served.close()


def test_no_library_with_threads_is_forked(tmp_path):
    """A process that has loaded it would wait for ever in a fork."""
    (tmp_path / "test_early.py").write_text(
        "import sys\nsys.modules['equiproof.ffi._native'] = sys\ndef test(): pass\n"
    )
    with pytest.raises(SystemExit, match="a test loads the native library when it is collected"):
        Served(tmp_path, ["test_early.py"])


def test_the_order_of_tests():
    """The source's own file comes first, then files that take less time together, and quick tests within them."""
    seconds = {"b/test_own.py::slow": 9.0, "a.py::one": 1.0, "a.py::two": 0.5, "c.py::one": 1.2}
    assert ordered(seconds, seconds, "test_own.py") == ["b/test_own.py::slow", "c.py::one", "a.py::two", "a.py::one"]
    assert ordered(seconds, seconds)[0] == "c.py::one"
