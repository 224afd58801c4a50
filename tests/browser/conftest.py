"""One browser for all tests of pages, and the pages that they look at."""

import pytest

from equiproof.audits.html import render
from tests.audits.html import sample
from tests.browser.browser import Browser, refuse_or_skip


@pytest.fixture(scope="session")
def browser():
    """A real browser; without one the test is skipped, and in CI it fails."""
    refuse_or_skip()
    started = Browser()
    yield started
    started.close()


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    """Files of the sample's report and of one where every text is markup, by name."""
    folder, files = tmp_path_factory.mktemp("pages"), {}
    for name in ("rates", "hostile"):
        context, run, results = getattr(sample, name)()
        page = render(run, spec=context.spec, results=results, rows=context.rows, date="2026-01-31")
        files[name] = folder / f"{name}.html"
        files[name].write_text(page, encoding="utf-8")
    return files
