"""Fixtures and settings of the product's tests, for those of the research."""

from tests.conftest import (  # noqa: F401 -- pytest finds them by their names
    cramped,
    loans,
    public_data,
    pytest_addoption,
    pytest_configure,
    rates,
    shared,
)
