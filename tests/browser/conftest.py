"""One browser for all tests of pages, and the pages that they look at."""

from collections.abc import Collection
from typing import Any

import msgspec
import pytest

from equiproof.audits.html import render
from tests.audits.html import sample
from tests.browser import boxes, checker
from tests.browser.browser import DESKTOP, Browser, refuse_or_skip
from tests.web import web


@pytest.fixture(scope="session")
def browser():
    """A real browser; without one the test is skipped, and in CI it fails."""
    refuse_or_skip()
    started = Browser()
    yield started
    started.close()


@pytest.fixture(scope="session")
def many_applicants(tmp_path_factory):
    """A file of a report on three hundred applicants."""
    context, run, results = sample.many()
    page = render(run, spec=context.spec, results=results, rows=context.rows)
    path = tmp_path_factory.mktemp("many") / "applicants.html"
    path.write_text(page, encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def many_audits(tmp_path_factory):
    """A file of a report of nine audits, each with long tables."""
    context, run, results = sample.many(60)
    several = [msgspec.structs.replace(run.reports[0], audit=f"flips{number}") for number in range(6)]
    run = msgspec.structs.replace(run, reports=(*run.reports, *several))
    path = tmp_path_factory.mktemp("many") / "audits.html"
    path.write_text(render(run, spec=context.spec, results=results, rows=context.rows), encoding="utf-8")
    return path


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


@pytest.fixture(scope="session")
def checking(browser):
    """The file of the checking page, built from the sources as they are."""
    web.refuse_or_skip()
    return checker.built()


@pytest.fixture(scope="session")
def lender(browser):
    """A function that opens a lender's page with this markup in it, and waits until the element has said something."""
    web.refuse_or_skip()
    site = checker.element() | boxes.site()

    def opened(markup: str, size: tuple[int, int] = DESKTOP, without: Collection[str] = (), **options: Any) -> None:
        page = ("text/html", checker.spelled((checker.LENDER % markup).encode()))
        files = {path: file for path, file in site.items() if path not in without} | {"/": page}
        browser.open(address=checker.SITE, width=size[0], height=size[1], files=files, **options)
        browser.js(
            "new Promise((done) => { const look = () => (said.length ? done() : setTimeout(look, 5)); look(); })"
        )

    return opened
