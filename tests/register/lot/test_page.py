"""The page of a period: the sentence, cut and never rounded up; nothing from elsewhere; names that are only names."""

import base64
import hashlib
import html
import re
from fractions import Fraction

import msgspec
import pytest

from equiproof.register.lot.bound import at_least
from equiproof.register.lot.check import Found, Judgement, Pins
from equiproof.register.lot.documents import Demanded, PeriodDocument
from equiproof.register.lot.lottery import Drawn
from equiproof.register.lot.page import page
from equiproof.register.lot.report import Report, plain, tenths
from tests.register.lot.world import AUDITOR, LENDER, LOG, OWNER, commitment, key
from tests.support import changed


def found(receipts=48_211, drawn=300, bad=0, spec=None, **fields):
    """Return what a check finds, without files: the last drawn ones are bad."""
    known = {
        "name": "March 2026", "owner": OWNER, "log": LOG.verifier.text, "size": 144_715, "root": "00" * 32,
        "first": 96_504, "last": 144_714, "receipts": receipts, "drawn": drawn, "by": "nonces",
        "policy": Demanded("11" * 32, (key().document.fingerprint,), "0.1", "0.99", "0.95"),
        "parties": (LENDER.verifier.text, AUDITOR.verifier.text),
    }  # fmt: skip
    period = PeriodDocument("equiproof-lot-period", 1, **(known | fields))
    judgements = tuple(
        Judgement(96_504 + place, f"{place:064x}", "none" if place >= drawn - bad else "certified", label="granted")
        for place in range(drawn)
    )
    shown = commitment() if spec is None else changed(commitment(), spec=spec)
    times = {"sealed": ("2026-04-01T09:00:00Z",) * 2, "opened": ("2026-04-02T09:00:00Z",) * 2, "answered": ()}
    lot = Drawn(bytes(32), tuple(one.entry for one in judgements))
    bound = at_least(receipts, drawn, bad, Fraction("0.95"))
    return Found(period, shown, lot, judgements, bound, {}, times, False)


def report(pins=Pins(), **fields):  # noqa: B008  # frozen
    return Report.of(found(**fields), pins)


@pytest.mark.parametrize(("bad", "share"), [(0, "99.0"), (3, "97.4")])
def test_the_sentence_of_the_mock_up(bad, share):
    """The mock-up's numbers, with blanks that do not break."""
    assert plain(report(bad=bad).sentence) == (
        f"At least {share} % of the 48,211 decisions of March 2026 carry a certificate of radius 0.1 or more, with "
        "95 % confidence."
    )


@pytest.mark.parametrize(
    ("part", "whole", "shown"), [(9999, 10000, "99.9"), (9900, 10000, "99.0"), (0, 3, "0.0"), (3, 3, "100.0")]
)
def test_shares_are_cut(part, whole, shown):
    """99.99 % is no 100 %."""
    assert tenths(part, whole) == shown


def test_what_was_promised_is_said_where_it_is_not_shown():
    """In bold; with all certified, the page says nothing of it."""
    assert "<strong>That is not shown.</strong>" in page(report(bad=3))
    assert "promised" not in page(report())
    assert "For 3, the lender had none." in page(report(bad=3))


def test_every_drawn_receipt_is_a_dot():
    """In the order of the log; more than some are only counted."""
    shown = page(report(bad=3))
    assert (shown.count('class="hit" cx='), shown.count('class="miss" cx=')) == (297 + 1, 3 + 1)  # with the legend's
    assert 'aria-label="300 drawn decisions: 297 with a certificate, 3 without"' in shown
    assert page(report(receipts=100_000, drawn=3_000)).count("<circle") == 0


def test_what_it_does_not_show_is_always_said():
    """Groups too, unless the owner discloses them; then they are its word."""
    shown = html.unescape(page(report()))
    for said in (
        "Decisions that left no receipt.", "Receipts of people who never applied.",
        "Whether the details in a certificate are the true ones.", "Whether the letters said what the model decided.",
        "How often each group was refused. The lender discloses no groups.", "Whether other details stand in for",
    ):  # fmt: skip
        assert said in shown


def test_groups():
    """Counts of those drawn by group and decision."""
    one = found(drawn=6, groups="sex as stated")
    some = tuple(
        changed_group(judgement, "women" if place % 2 else "men") for place, judgement in enumerate(one.judgements)
    )
    shown = page(Report.of(Found(**{**vars(one), "judgements": some}), Pins()))
    assert re.findall("<td>([0-9]+)</td>", shown) == ["3", "3", "0", "3"] * 2
    assert "nothing here checks them" in shown
    assert "discloses no groups" not in shown


def changed_group(judgement, group):
    return Judgement(**{**vars(judgement), "group": group})


def test_a_draw_by_beacon():
    """The page says which round, and that it was named before it came out."""
    shown = page(report(by="beacon", round=1000))
    assert "round 1,000 of drand’s quicknet" in html.unescape(shown)
    assert "Auditor and lender sealed the period before a public random value came out" in shown


def test_what_is_not_pinned_is_said():
    """Each with the option that mends it."""
    assert len(report().open) == 3
    assert report(Pins(LOG.verifier, (AUDITOR.verifier,), 1, (AUDITOR.verifier,))).open == []


def test_its_policy_allows_its_own_style_only():
    """No script, no request, and no style but the one whose digest stands in the policy."""
    shown = page(report())
    style = shown.partition("<style>")[2].partition("</style>")[0]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'" in shown
    assert not re.search(r"<script|<img|<link|\bstyle=|\bon[a-z]+=|url\(|@import|https?:", shown)


def test_names_are_only_names():
    """Markup in the owner's words is shown and does nothing."""
    spec = commitment().spec
    features = tuple(changed(one, name="<b>sex") if one.sensitive else one for one in spec.features)
    hostile = changed(spec, name="<i>loans", features=features)
    shown = page(report(spec=hostile, name='"><script>', owner="<img>"))
    assert not re.search("<script|<img|<i>|<b>", shown)
    for text in ("&lt;b&gt;sex", "&lt;i&gt;loans", "&lt;img&gt;", "&quot;&gt;&lt;script&gt;"):
        assert text in shown


@pytest.mark.parametrize(
    "name", ["March. At least 100 % of all", "March 2026 and all before", "M\u00e4rz", "2026 2027"]
)
def test_a_name_is_no_part_of_the_sentence(name):
    """A period's name that could be read on as a promise stands in quotation marks; a month with its year does not."""
    made = report(bad=200, name=name)
    assert f"decisions of \u201c{name}\u201d carry" in plain(made.sentence)
    assert f"Decisions of \u201c{name}\u201d" in html.unescape(re.sub("<[^>]*>", "", page(made)))
    for known in ("March", "March 2026", "2026-03", "Q1 2026"):
        assert f"decisions of {known} carry" in plain(report(name=known).sentence)


def test_the_document_has_everything():
    """A program reads the same; it is plain text."""
    document = report(bad=3).document
    assert document["share_percent"] == "97.4"
    assert document["promise_shown"] is False
    assert msgspec.json.encode(document)
    assert "\u2068" not in str(document)
