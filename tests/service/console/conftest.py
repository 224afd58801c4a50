"""People of each role who are signed in to the console of the service."""

import shutil

import pytest
from argon2 import PasswordHasher

from equiproof.service.console import officers
from equiproof.service.console.officers import Role
from tests.service.console.people import Person, browser_of, sign_in


@pytest.fixture(autouse=True)
def cheap(monkeypatch):
    """Digests of passwords that cost little; one test looks at what they cost otherwise."""
    hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr(officers, "_hasher", hasher)
    monkeypatch.setattr(officers, "_nobody", hasher.hash("nobody"))


@pytest.fixture
def address(tmp_path, sqlite_template):
    """A fresh SQLite file; what the console asks of both kinds of database stands in tests/service/test_overview.py."""
    shutil.copy(sqlite_template, tmp_path / "service.db")
    return f"sqlite:///{tmp_path / 'service.db'}"


@pytest.fixture
def people(service):
    """Somebody of each role."""
    return {role: sign_in(service, role) for role in Role}


@pytest.fixture
def officer(service):
    """An officer."""
    return sign_in(service, Role.OFFICER)


@pytest.fixture
def admin(service):
    """An admin."""
    return sign_in(service, Role.ADMIN)


@pytest.fixture
def nobody(service):
    """Somebody without a session."""
    return Person(service, browser_of(service))
