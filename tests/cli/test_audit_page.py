"""`equiproof audit run --html` and `equiproof audit report`: one page, for its owner only, of one model's documents."""

import json

import pytest

from equiproof.certify.data import load
from equiproof.certify.many.results import Results
from equiproof.circuits import exit_codes
from equiproof.cli.main import run
from tests.cli.world import listing

FEW = ("--option", "groups.people=2", "--option", "groups.draws=20")
DATED = ("--date", "31 January 2026")


@pytest.fixture(scope="module")
def portfolio(tmp_path_factory):
    """A file of thirty test rows with their sensitive values."""
    data = load("lending")
    path = tmp_path_factory.mktemp("portfolio") / "rows.json"
    path.write_text(json.dumps([dict(data.rows[number]) for number in data.test[:30]]))
    return path


@pytest.fixture(scope="module")
def made(world, portfolio):
    """Results, reports and the page that were made of the same thirty rows."""
    results, out, html = (portfolio.with_name(name) for name in ("results.json", "reports.json", "page.html"))
    opening = ["--opening", str(world.opening)]
    assert run(["certify", str(portfolio), *opening, "--out", str(results)]) in (exit_codes.OK, exit_codes.UNFAIR)
    words = ["audit", "run", "groups", *opening, "--rows", portfolio, *FEW, "--out", out, "--html", html, *DATED]
    assert run([*map(str, words), "--results", str(results)]) in (exit_codes.OK, exit_codes.UNFAIR)
    return results, out, html


def test_a_run_writes_its_page(world, made):
    """The page names commitment, date, audit and what it looks for, has a card of every row, and is the owner's."""
    results, _, html = made
    page = html.read_text()
    assert f"{world.owned.commitment:064x}" in page.replace('</span><wbr><span class="four">', "")
    for wanted in (
        "31 January 2026",
        "Group metrics with intervals",
        "Certified radii",
    ):
        assert wanted in page
    assert page.count('<article class="card') == len(Results.from_json(results.read_bytes())) == 30
    assert html.stat().st_mode & 0o077 == 0


def test_a_run_says_where_everything_is(world, cli, portfolio, tmp_path):
    """The last lines name the files that were written."""
    out, html = tmp_path / "reports.json", tmp_path / "page.html"
    words = ["audit", "run", "groups", "--opening", world.opening, "--rows", portfolio, *FEW, "--sample", 3]
    said = cli(*words, "--out", out, "--html", html).out.splitlines()
    assert said[-2:] == [f"every finding is in {out}", f"the page is {html}"]


def test_the_page_is_written_again_from_the_documents(made, portfolio, cli, tmp_path):
    """From the kept reports, results and rows, the same page is made again, to the byte."""
    results, out, html = made
    again = tmp_path / "again.html"
    words = ["audit", "report", out, "--html", again, "--results", results, "--rows", portfolio]
    outcome = cli(*words, *DATED, "--json")
    assert outcome.document == {"html": str(again), "audits": 1}
    assert (outcome.code, outcome.err) == (0, "")
    assert again.read_bytes() == html.read_bytes()
    fewer = cli(*words[:3], "--html", tmp_path / "few.html", "--results", results, "--cards", 3)
    assert fewer.out == f"the page is {tmp_path / 'few.html'}\n"
    assert (tmp_path / "few.html").read_text().count('<article class="card') == 3


def test_reports_alone_are_a_page(made, world, cli, tmp_path):
    """Without results there are no radii; with the spec, inputs are raw values, and without it grid units."""
    _, out, _ = made
    bare, named = tmp_path / "bare.html", tmp_path / "named.html"
    assert cli("audit", "report", out, "--html", bare).code == 0
    assert cli("audit", "report", out, "--html", named, "--spec", world.model / "spec.json").code == 0
    assert "Certified radii" not in bare.read_text()
    assert "column 1, grid units" in bare.read_text()
    assert "column 1, grid units" not in named.read_text()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["{results}", "--html", "{new}"],
            "results.json: give the file as the audit wrote it: not a valid equiproof-audits: ",
        ),
        (["{out}", "--html", "{new}", "--results", "{out}"], "no document of results"),
        (["{out}", "--html", "{new}", "--rows", "{rows}"], "rows: the spec is needed to read them"),
        (["{out}", "--html", "{html}"], "exists"),
        (["{missing}", "--html", "{new}"], "No such file"),
        (["{out}"], "Missing option '--html'"),
        (["{out}", "--html", "{new}", "--cards", "-1"], "--cards"),
    ],
)
def test_a_mistake_is_one_line(made, portfolio, cli, tmp_path, words, said):
    """An invalid document is reported in one line, and no page is written."""
    results, out, html = made
    places = {"results": results, "out": out, "html": html, "rows": portfolio, "new": tmp_path / "new.html"}
    before = listing(tmp_path)
    cli("audit", "report", *(word.format(missing=tmp_path / "missing", **places) for word in words)).complaint(2, said)
    assert listing(tmp_path) == before


def test_results_of_another_model_are_refused_before_anything_runs(made, world, cli, portfolio, tmp_path, monkeypatch):
    """An hour of audits is not lost to results that do not fit, nor to a page that was not asked for."""
    results, _, _ = made
    monkeypatch.setattr("equiproof.audits.groups.plugin.Groups.run", lambda *_: pytest.fail("it ran"))
    other = json.loads(results.read_bytes())
    other["spec"]["name"] = "other"
    (tmp_path / "other.json").write_text(json.dumps(other))
    words = ["audit", "run", "groups", "--opening", world.opening, "--rows", portfolio]
    page = ["--html", tmp_path / "new.html"]
    cli(*words, *page, "--results", tmp_path / "other.json").complaint(2, "results: of another model: its spec 'other'")
    cli(*words, "--results", results).complaint(2, "--results is for the page: add --html FILE")
    few = tmp_path / "few.json"
    few.write_text(json.dumps(json.loads(portfolio.read_text())[:9]))
    words[-1] = few
    cli(*words, *page, "--results", results).complaint(2, "row 10 is certified, but there are only 9 rows")
    words[-1] = turned = tmp_path / "turned.json"
    turned.write_text(json.dumps(json.loads(portfolio.read_text())[::-1]))
    cli(*words, *page, "--results", results).complaint(2, "certify the same rows, in the same order")
    assert not (tmp_path / "new.html").exists()
