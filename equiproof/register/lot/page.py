"""The page of a period: one screen, one file, for screen and paper; its policy forbids scripts and requests."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from equiproof.circuits import field
from equiproof.circuits.tables import say
from equiproof.register.lot.check import Judgement
from equiproof.register.lot.report import Report, shown_period
from equiproof.verifier.letter_parts import element, text, whole_page
from equiproof.verifier.words import isolated

_ROW = 30
_PITCH = 10
_LINE = 15
_MOST_DOTS = 1_200
"""More than so many drawn ones are counted, and not drawn as dots."""

_MINUS = '<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="M5 12h14"/></svg>'


def page(report: Report) -> str:
    """Return the page of a report, in its language; equal reports give equal pages."""
    period = report.found.period
    heading = say("page.heading", period=shown_period(period.name))
    body = "\n".join(
        (
            _head(report),
            "<main>" + element("h1", text(heading)),
            _claim(report),
            element("div", _dots(report) + _steps(report), "two"),
            element("div", _means(report) + _never(report), "two"),
            _groups(report),
            _own(report),
            _details(report) + "</main>",
        )
    )
    title = text(f"{say('page.heading', period=period.name)}: {say('page.title')}")
    style = Path(__file__).with_name("page.css")
    return whole_page(report.words.language, title, style, element("div", body, "wrap"), private=False)


def _head(report: Report) -> str:
    """Return whose page it is."""
    period = report.found.period
    model = report.found.commitment.spec.name
    whose = text(say("page.whose", owner=isolated(period.owner), model=report.words.quoted(model)))
    return element(
        "header",
        element("span", "Equiproof", "brand")
        + element("span", say("page.title"), "soft")
        + element("span", whose, "soft right"),
        "top",
    )


def _claim(report: Report) -> str:
    """Return the sentence, what was drawn, and what was promised."""
    promised, shown = report.promised
    promise = "" if report.found.kept else element("p", f"{text(promised)} {element('strong', text(shown))}")
    return element(
        "div", element("p", text(report.sentence), "claim") + element("p", text(report.drawn)) + promise, "panel"
    )


def _panel(heading: str, inner: str, name: str = "") -> str:
    """Return a section with a heading."""
    label = heading.lower().replace(" ", "-").replace("?", "").replace(".", "")
    return (
        f'<section class="panel{name}" aria-labelledby="{label}"><h2 id="{label}">{text(heading)}</h2>{inner}</section>'
    )


def _dots(report: Report) -> str:
    """Return one dot for each drawn receipt, in the order of the log, and the counts."""
    lot = report.found
    period = report.found.period
    missing = period.drawn - lot.certified
    legend = element(
        "p",
        element("span", _dot("hit") + text(say("page.valid_certificate", radius=report.radius)))
        + element("span", _dot("miss") + say("page.none")),
        "legend",
    )
    counts = (
        (say("page.decisions"), period.receipts),
        (say("page.drawn"), period.drawn),
        (say("page.certified"), lot.certified),
        (say("page.none"), missing),
    )
    figures = "".join(
        element("div", element("dt", name) + element("dd", report.count(count))) for name, count in counts
    )
    judgements = sorted(lot.judgements, key=lambda one: one.entry)
    picture = _picture(report, judgements, missing) + legend if len(judgements) <= _MOST_DOTS else ""
    return _panel(say("page.drawn_heading"), picture + element("dl", figures, "figures"))


def _picture(report: Report, judgements: Sequence[Judgement], missing: int) -> str:
    """Return the dots."""
    rows = -(-len(judgements) // _ROW)
    dots = "".join(
        f'<circle class="{"hit" if one.verdict == "certified" else "miss"}" '
        f'cx="{place % _ROW * _PITCH + 5}" cy="{place // _ROW * _LINE + 7.5}" r="3.6"/>'
        for place, one in enumerate(judgements)
    )
    label = say("page.picture", drawn=len(judgements), certified=report.found.certified, without=missing)
    return (
        f'<svg class="dots" viewBox="0 0 {_ROW * _PITCH} {rows * _LINE}" role="img" aria-label="{label}">{dots}</svg>'
    )


def _dot(name: str) -> str:
    return (
        f'<svg class="sign" viewBox="0 0 16 16" aria-hidden="true"><circle class="{name}" cx="8" cy="8" r="6"/></svg>'
    )


def _steps(report: Report) -> str:
    """Return how it was drawn."""
    items = (
        element("p", text(step)) + (element("p", text(detail), "small soft") if detail else "")
        for step, detail in report.steps
    )
    listed = "".join(element("li", element("div", item)) for item in items)
    return _panel(say("page.draw_heading"), element("ol", listed, "time"))


def _means(report: Report) -> str:
    """Return what the radius means in the spec's units."""
    sentence, facts = report.means
    heading = say("page.radius_heading", radius=report.radius)
    return _panel(heading, element("p", text(sentence)) + _facts(facts, "facts short"))


def _never(report: Report) -> str:
    """Return what this does not show."""
    items = "".join(element("li", _MINUS + element("p", text(one))) for one in report.never)
    return _panel(say("page.open_heading"), element("ul", items, "checks"))


def _groups(report: Report) -> str:
    """Return the drawn decisions by group, where the owner discloses groups."""
    rows = report.groups
    if not rows:
        return ""
    labels = report.found.commitment.spec.labels
    columns = (say("page.group"), say("page.drawn"), say("page.certified"), *labels)
    head = "".join(f'<th scope="col">{text(isolated(one))}</th>' for one in columns)
    body = "".join(
        f'<tr><th scope="row">{text(isolated(group))}</th>'
        + "".join(element("td", report.count(count)) for count in (drawn, certified, *(by[label] for label in labels)))
        + "</tr>"
        for group, drawn, certified, by in rows
    )
    note = say("page.groups_note", groups=isolated(str(report.found.period.groups)))
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return _panel(say("page.groups_heading"), element("p", text(note)) + table)


def _own(report: Report) -> str:
    """Return how an applicant finds the own receipt."""
    count = report.count(report.found.period.receipts)
    command = element("code", "equiproof lot check FOLDER LOG --receipt receipt.json")
    sentence = say("page.compare_receipt", receipts=count) + " "
    return _panel(say("page.receipt_heading"), element("p", text(sentence) + command), " noprint")


def _details(report: Report) -> str:
    """Return what is needed to check all of this, and what the reader has not checked."""
    lot = report.found
    period = report.found.period
    model = field.to_hex(int(lot.commitment.model_commitment, 16))
    entries = say("report.register_entries", first=report.count(period.first), last=report.count(period.last))
    facts = [
        (say("page.period"), entries),
        (say("page.model"), _grouped(model)),
        (say("page.close"), _grouped(period.digest.hex())),
        (say("page.draw"), _grouped(lot.drawn.seed.hex())),
    ]
    open_ = "".join(element("li", text(one)) for one in report.open)
    not_checked = element("p", say("page.unchecked_heading")) + element("ul", open_) if open_ else ""
    how = say(
        "page.what_check_does",
        command=element("code", "equiproof lot check FOLDER LOG"),
        receipts=report.count(period.receipts),
        certificates=report.count(lot.certified),
    )
    return element(
        "details",
        element("summary", say("page.check_yourself")) + element("p", how) + _facts(facts, "facts") + not_checked,
    )


def _facts(facts: Sequence[tuple[str, str]], name: str) -> str:
    """Return names with what is said of them."""
    return element("dl", "".join(element("dt", text(fact)) + element("dd", text(value)) for fact, value in facts), name)


def _grouped(digits: str) -> str:
    """Return digits in groups of four."""
    return " ".join(digits[place : place + 4] for place in range(0, len(digits), 4))
