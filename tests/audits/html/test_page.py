"""The page as a document: it names its model, says every verdict, escapes every text and needs nothing else."""

import base64
import hashlib
import re
import tomllib
from html.parser import HTMLParser
from types import SimpleNamespace

import pytest

from equiproof.audits.errors import AuditError
from equiproof.audits.html import page as html_page
from equiproof.audits.html import render
from equiproof.audits.html.sections import MAX_LISTED, PRINTED_CARDS, printed
from equiproof.audits.intervals import Counted, difference
from equiproof.audits.records import Finding, Table
from tests.audits.html import sample
from tests.support import KEPT, LOANS, ROOT, changed

VOID = {"meta", "input", "wbr"}


class Elements(HTMLParser):
    """Every element with its attributes, and the text outside of style and script."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []
        self.text = ""
        self.raw: dict[str, str] = {}
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        assert len(dict(attrs)) == len(attrs)
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag
        self.text += " " if tag in ("td", "th", "dt", "dd", "h3", "p") else ""

    def handle_data(self, data):
        if self.open and self.open[-1] in ("style", "script"):
            self.raw[self.open[-1]] = data
        else:
            self.text += data


def page_of(sampled, **fields) -> str:
    """Return the page of a sample with all that can be given."""
    context, run, results = sampled
    given = {"spec": context.spec, "results": results, "rows": context.rows, "date": "2026-01-31"}
    return render(run, **(given | fields))


@pytest.fixture(scope="module")
def rates():
    """Context, run and results of the model with two sensitive features."""
    return sample.rates()


@pytest.fixture(scope="module")
def hostile():
    """The same where every text is markup."""
    return sample.hostile()


def test_the_same_run_gives_the_same_page(rates):
    """Nothing of the moment, the machine or the order of a set is in the page."""
    assert page_of(rates) == page_of(rates)
    assert page_of(rates) == page_of(sample.rates(), date="2026-01-31")


def test_the_page_names_model_date_and_versions(rates):
    """Commitment, spec and its digest, date, versions, settings and seed are there in full."""
    _, run, _ = rates
    text = Elements(page_of(rates, versions={"Equiproof": "9.8.7"})).text
    for wanted in (run.model.commitment, run.model.spec_digest, run.model.spec_name, "2026-01-31", "9.8.7", "seed"):
        assert wanted in text
    assert "5 inputs → 2 → 3 logits" in text


def test_every_audit_is_shown_with_its_outcome(rates):
    """Each report and each failure stands at the top; the headline leaves none out."""
    text = " ".join(Elements(page_of(rates, about={"flips": "What it looks for."})).text.split())
    assert (
        "5 audits ran: 1 found such cases, 1 is undecided, 1 reports measurements only, 1 does not apply, 1 failed."
        in text
    )
    assert "failed What does the audit broken find? It has no result: ValueError: no" in text
    assert "not applicable What does the audit linear find? It does not apply here: needs a linear model." in text
    assert "cases found What it looks for People are treated otherwise because of" in text
    assert "See why the audit broken failed: ValueError: no such thing" in text


def test_the_first_screen_comes_before_everything_else(rates):
    """Claim, what to do next and the audits in short stand before the first section; steps lead to what they name."""
    _, _, results = rates
    text = " ".join(Elements(page_of(rates)).text.split())
    unfair = len(results.having("unfair"))
    claim = f"For {unfair} of the 24 people looked at, the decision changes with gender and age alone."
    places = [
        text.index(part)
        for part in (
            claim,
            "What to do next",
            "In brackets, intervals: shares of rows by Wilson at 95 %",
            "Audit flips",
        )
    ]
    assert places == sorted(places)
    page = page_of(rates)
    assert f'Let a person decide <a href="#people">the {unfair}</a>: they get no certificate.' in page
    assert 'Try a <a href="#repair">repair</a>' in page
    assert '<details id="repair">' in page


def test_paper_gets_the_worst_few(rates):
    """Cards and rows beyond the first ones are left to the file, and a line that only paper shows says so."""
    page = page_of(rates)
    cards = re.findall(r'<article class="([^"]*)" id="person-', page)
    assert [name.endswith("later") for name in cards] == [place >= PRINTED_CARDS for place in range(24)]
    assert f"The worst {PRINTED_CARDS} cases of 24 applicants; the file has the others." in page
    assert f"The worst {printed(3)} of 24 findings; the file has the others." in page
    assert printed(1) == 12 >= printed(5) >= printed(50) == 4


def test_nothing_is_loaded_and_no_text_becomes_an_element(hostile):
    """Of hostile names, no element, handler, style or address results: all of them are in the page as text."""
    page = Elements(page_of(hostile))
    tags = {tag for tag, _ in page.found}
    assert not tags & {"img", "b", "iframe", "object", "embed", "link", "base", "form"}
    assert [tag for tag, _ in page.found].count("script") == 1
    for tag, attributes in page.found:
        assert not [
            name for name in attributes if name.startswith("on") or name in ("style", "src", "srcset", "action")
        ]
        for name, value in attributes.items():
            if name == "href":
                assert tag in ("a", "use")
                assert re.fullmatch(r"#[\w-]+", value)
            assert "url(" not in (value or "") or re.fullmatch(r"url\(#[\w-]+\)", value)
    assert page.text.count(sample.HOSTILE) > 100
    assert "[U+202E]evil" in page.text
    assert "[U+001B][31m" in page.text
    assert "\u202e" not in page.text
    assert "\x1b" not in page.text


def test_the_policy_allows_the_pages_own_script_and_style_only(rates):
    """The policy names the digests of the style and the script that are there, and allows nothing else."""
    page = Elements(page_of(rates))
    (policy,) = (attributes["content"] for tag, attributes in page.found if "http-equiv" in attributes)
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert set(rules) == {"default-src", "style-src", "script-src", "base-uri", "form-action"}
    for kind in ("style", "script"):
        digest = base64.b64encode(hashlib.sha256(page.raw[kind].encode()).digest()).decode()
        assert rules[f"{kind}-src"] == f"'sha256-{digest}'"
    assert {rules["default-src"], rules["base-uri"], rules["form-action"]} == {"'none'"}
    assert "@import" not in page.raw["style"]
    assert "url(" not in page.raw["style"]


def test_every_link_has_its_target_and_every_id_is_one(hostile):
    """Links lead to ids of the page, ids are distinct, and labels point to ids."""
    page = Elements(page_of(hostile))
    ids = [attributes["id"] for _, attributes in page.found if "id" in attributes]
    assert len(ids) == len(set(ids))
    for _, attributes in page.found:
        wanted = attributes.get("aria-labelledby", "").split() + attributes.get("href", "").lstrip("#").split()
        assert set(wanted) <= set(ids)


def test_tables_have_captions_and_heads(rates):
    """Every table says what it is, and every head which way it goes."""
    page = Elements(page_of(rates))
    tags = [tag for tag, _ in page.found]
    assert tags.count("table") == tags.count("caption") > 10
    assert all(attributes.get("scope") in ("col", "row") for tag, attributes in page.found if tag == "th")


def test_the_ranges_that_neighbors_are_kept_to_stand_beside_the_radius(rates):
    """Where the spec restricts neighbors, a card with a radius lists their values; else nothing is said of ranges."""
    context = sample.context_of(KEPT, sample.rows_of(KEPT, 6), hidden=(2,))
    page = page_of((context, sample.run_of(context), sample.results_of(context)))
    words = "Only for people whose features are inside these ranges."
    assert words in Elements(page).text
    assert "0 to 60,000 EUR" in Elements(page).text
    assert words not in Elements(page_of(rates)).text


def test_a_run_alone_is_a_page(rates):
    """Without spec, results and rows there is a page all the same, with inputs in grid units."""
    _, run, _ = rates
    text = Elements(render(run)).text
    assert "Inputs are in grid units, because no spec was given" in text
    assert "Certified radii" not in text


def test_small_groups_are_marked_in_words(rates):
    """A group of three rows is called small beside its number of rows, whatever its color."""
    text = " ".join(Elements(page_of(rates)).text.split())
    assert "share of reduced gender = m, age = 40 33.3 % 6.1 to 79.3 % 3 ⚠ small Wilson, 95 %" in text


def test_a_model_that_is_not_committed_is_said_to_be(rates):
    """Before there is a commitment, the page does not leave its place empty."""
    context, run, results = rates
    model = changed(run.model, commitment="")
    assert "none: this model has no commitment yet" in page_of((context, changed(run, model=model), results))


def test_an_empty_run_says_so():
    """Without any audit the page says that none was run."""
    context = sample.context_of(LOANS, sample.rows_of(LOANS, 2))
    run = changed(sample.run_of(context), reports=(), failures=())
    assert "No audit was run." in Elements(render(run)).text


def test_what_is_left_out_is_said(rates):
    """Where lists are too long, the worst stay, and the page says how many of how many it shows."""
    context, run, results = rates
    many = tuple(Finding(subject=f"p{n}", verdict="fair") for n in range(MAX_LISTED))
    last = Finding(subject="the last", verdict="undecided", reason="why not")
    table = Table("T", ("a",), tuple((n,) for n in range(MAX_LISTED + 5)))
    report = changed(run.reports[1], findings=(*many, last), tables=(table,))
    text = Elements(page_of((context, changed(run, reports=(run.reports[0], report)), results), cards=7)).text
    assert "1,000 of 1,001 findings are listed" in text
    assert "the last" in text
    assert "The first 1,000 of 1,005 rows" in text
    assert "7 of 24 applicants have a card" in text


def test_another_models_documents_are_refused(rates):
    """A spec and results that are not of the audited spec are refused, and so are rows that it does not encode."""
    _, run, results = rates
    other = sample.context_of(LOANS, sample.rows_of(LOANS, 2))
    with pytest.raises(AuditError, match="spec: of another model: its spec 'loans'"):
        render(run, spec=LOANS)
    with pytest.raises(AuditError, match="results: of another model"):
        render(run, results=sample.results_of(other))
    with pytest.raises(AuditError, match="row 1: feature 'savings' is missing"):
        render(run, results=results, rows=[{"income": 1}])


def test_what_the_page_is_made_of_is_shipped():
    """Templates, style and script lie in the folder that the distribution takes along."""
    data = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]
    assert data["equiproof.audits.html"] == ["assets/*"]
    assets = {path.name for path in (ROOT / "equiproof" / "audits" / "html" / "assets").iterdir()}
    assert assets == {"parts.html", "report.css", "report.html", "report.js", "validation.css", "validation.html"}


def test_levels_of_confidence_are_not_rounded_to_others():
    """Intervals that hold together have levels such as 97.5 %, which is not 98 %."""
    given = [difference("gap", Counted(1, 1, 4), Counted(2, 2, 4), confidence=one) for one in (0.975, 0.95)]
    assert html_page._confidences(SimpleNamespace(reports=[SimpleNamespace(estimates=given)])) == ["95 %", "97.5 %"]
