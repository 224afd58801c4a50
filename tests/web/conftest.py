"""One process of the package for all of its tests."""

import shutil

import pytest

from tests.support import ROOT
from tests.web.web import PACKAGE, SIGNING, Verifier, kept_package, refuse_or_skip


@pytest.fixture(scope="session")
def bundle():
    """The file that pages load, built from the sources as they are."""
    refuse_or_skip()
    return kept_package()


@pytest.fixture(scope="session")
def package(bundle):
    """The package, built and running."""
    started = Verifier(bundle)
    yield started
    started.close()


@pytest.fixture(scope="session")
def signing(bundle):
    """The package's modules with those about signers, gains and boxes, running."""
    started = Verifier(bundle.with_name(SIGNING))
    yield started
    started.close()


@pytest.fixture
def copied(tmp_path):
    """The sources and the tables, as they are."""
    refuse_or_skip()
    root = tmp_path / "copied"
    left = shutil.ignore_patterns("node_modules", "dist", "reasons.ts", "fields.ts")
    shutil.copytree(PACKAGE, root / "web" / "verifier", ignore=left)
    shutil.copytree(ROOT / "go-gnark" / "verify" / "tables", root / "go-gnark" / "verify" / "tables")
    shutil.copy(ROOT / "LICENSE", root / "LICENSE")
    (root / "web" / "verifier" / "node_modules").symlink_to(PACKAGE / "node_modules")
    return root
