"""The letter: one printable page beside a decision, made of the answer about its certificate.

The page holds no script, no style but its own, and nothing from elsewhere; its policy forbids all of them. Everything
of the owner's is escaped and isolated. It fits one sheet of A4: with many features the bars become text, and what does
not fit even then is refused.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol

from equiproof.circuits import field
from equiproof.circuits.exit_codes import MISUSED
from equiproof.circuits.names import complaint, escaped
from equiproof.circuits.statement import Statement
from equiproof.verifier import letter_room
from equiproof.verifier.answer import Findings, answer
from equiproof.verifier.letter_parts import bar, element, items, key_to_bars, qr_code, text, whole_page
from equiproof.verifier.lines import Item, Lines
from equiproof.verifier.words import NO_BREAK, Words, isolated, shown_name

MAX_BARS = 12
"""With more features, text takes the place of bars."""

LEAST_ROOM = 20.0
"""Millimetres; with less room for the details, nothing useful could be said of them."""

MAX_LINK = 200
Without = Literal["not-yet", "none", "person"]
"""Why there is no certificate: one may come, none could be made, or a person decided."""

_TOO_LONG = "the names and values of this spec are too long for a letter of one page"
_LINK = re.compile(r"https://[A-Za-z0-9._~:/?\[\]@!$()*+,;=%&#-]+")
_DIGITS_SHOWN = 16
_GROUP_LENGTH = 4


class LetterError(ValueError):
    """Something that cannot stand in a letter, in one line."""

    exit_code: ClassVar[int] = MISUSED


class Named(Protocol):
    """A certificate that was verified: by the caller just now, or by two programs before it was kept."""

    @property
    def identity(self) -> str:
        """Return its name."""

    @property
    def statement(self) -> Statement:
        """Return what it states."""


@dataclass(frozen=True)
class Sender:
    """What the owner writes of itself and of the decision: its name, the day, and the decision's reference.

    `link` leads the applicant to the file. It is an https address; one without a fragment gets the certificate's name
    as its fragment. `replaces` is the day of the decision that was made before details were put right, and
    `corrections` says where to ask for a correction. With `automated` letters say that the assessment was, and where to
    ask for a `review` by a person. LetterError for other links, and for words that could not stand in a spec either.
    """

    name: str
    day: date
    reference: str = ""
    link: str = ""
    replaces: date | None = None
    corrections: str = ""
    automated: bool = False
    review: str = ""

    def __post_init__(self) -> None:
        """Check what is shown."""
        words = {"reference": self.reference, "corrections": self.corrections, "review": self.review}
        shown_words = (("lender", self.name), *words.items())
        for what, shown in shown_words:
            if (shown or what == "lender") and (wrong := complaint(shown)):
                raise LetterError(f"{what} '{escaped(shown)}' {wrong.message}")
        if self.link and not (len(self.link) <= MAX_LINK and _LINK.fullmatch(self.link)):
            raise LetterError(f"link '{escaped(self.link)}': want an address that begins with https://")


def letter(verified: Named, findings: Findings, sender: Sender, language: str = "en") -> str:
    """Return the page about a certificate that was verified; equal arguments give equal pages.

    `findings` are its findings (:func:`equiproof.verifier.findings.findings`), with the applicant's details. Raises
    LetterError without these, and for words that are too long for one page; ValueError for an unknown language;
    ImportError without segno.
    """
    if findings.query is None:
        raise LetterError("a letter shows the applicant's details, and they are not known (--query)")
    words = Words(language)
    document = answer(findings, language, "letter")
    instructions = _how(verified, sender, words)
    limits = _not_said(findings, words)
    notes = _notes(sender, words)
    room = letter_room.rest(document["sentences"], instructions, limits, notes)
    if room < LEAST_ROOM:
        raise LetterError(_TOO_LONG)
    code = _code(verified, sender, words)
    body = (
        head(sender, words),
        element("h1", text(words.say("letter.title"))),
        element("p", text(words.say("letter.intro"))),
        element("ol", items(document["sentences"]), "answer"),
        *(element("p", text(note), "note") for note in notes),
        element("h2", text(document["bars_heading"])),
        element("p", text(document["bars_note"])) if document["bars_note"] else "",
        _bars(document["bars"], words, room),
        element("h2", text(words.say("letter.how"))),
        element("div", code + element("div", "".join(map(_paragraph, instructions))), "check"),
        element("h2", text(words.say("letter.not"))),
        element("ul", items(limits), "not"),
    )
    style = Path(__file__).with_name("letter.css")
    title = text(words.say("letter.title"))
    return whole_page(words.language, title, style, "\n".join(filter(None, body)), private=True)


def plain_letter(label: str, sender: Sender, language: str = "en", *, why: Without = "none") -> str:
    """Return the page about a decision that has no certificate: what was decided, and why there is none.

    Nothing on the page says what is known about the model: a person's decision has the same page, whatever it was
    that a person decided after, and is no automated one. Raises ValueError for an unknown language.
    """
    words = Words(language)
    title = text(words.say("letter.title_plain"))
    sentences = Lines("letter", words, {"why": why}, {"label": words.word(label)}).said("plain")
    sent = replace(sender, automated=False) if why == "person" else sender
    notes = (element("p", text(note), "note") for note in _notes(sent, words))
    body = (head(sender, words), element("h1", title), element("ol", items(sentences), "answer"), *notes)
    style = Path(__file__).with_name("letter.css")
    return whole_page(words.language, title, style, "\n".join(body), private=True)


def head(sender: Sender, words: Words) -> str:
    """Return who writes, when, and about which decision."""
    texts = {
        "day": str(sender.day.day),
        "month": words.say("letter.months").split()[sender.day.month - 1],
        "year": str(sender.day.year),
        "reference": isolated(sender.reference),
    }
    right = Lines("letter", words, {"reference": "given" if sender.reference else "none"}, texts).said("head")
    left = element("div", element("strong", text(isolated(sender.name))))
    return element("header", left + element("div", "<br>".join(map(text, right))))


def automated_notes(sender: Sender, words: Words) -> list[str]:
    """Return what a page that is about no new decision says of how the old one was made."""
    return _notes(replace(sender, replaces=None, corrections=""), words)


def _notes(sender: Sender, words: Words) -> list[str]:
    """Return what the owner adds: how it was assessed, that details were put right, and where to ask for more."""
    facts = {
        "automated": "no" if not sender.automated else "review" if sender.review else "yes",
        "replaces": "one" if sender.replaces else "none",
        "corrections": "given" if sender.corrections else "none",
    }
    texts = {
        "replaced": words.day(sender.replaces) if sender.replaces else "",
        "corrections": isolated(sender.corrections),
        "review": isolated(sender.review),
    }
    return Lines("letter", words, facts, texts).said("notes")


def _bars(bars: Sequence[dict[str, Any]], words: Words, room: float) -> str:
    """Return a bar for each feature and what the marks mean, or text where bars say nothing or lack the room."""
    own = [words.say("label.yours", value=one["own"]) for one in bars]
    drawn = all(one["kind"] != "none" for one in bars)
    if not drawn or len(bars) > MAX_BARS or letter_room.of_bars(bars, own) > room:
        details = [Item({"name": one["name"], "value": one["own"], "span": one["span"]}) for one in bars]
        return element("ul", items(_fitting(details, words, room, drawn=drawn)), "details")
    pictures = "".join(bar(one, value) for one, value in zip(bars, own, strict=True))
    listed = any(one["kind"] == "number" and one["limits"] for one in bars)
    meanings = Lines("letter", words, {"limits": "some" if listed else "none"}).of("legend")
    marks = key_to_bars([(line.row.say.removeprefix("letter."), line.text) for line in meanings])
    return element("ul", pictures, "bars") + "\n" + marks


def _fitting(details: Sequence[Item], words: Words, room: float, *, drawn: bool) -> list[str]:
    """Return the details, as many as there is room for; `drawn` says that each has a span."""

    def without(count: int) -> list[str]:
        facts = {"spans": "some" if drawn else "none", "omitted": "some" if count else "none"}
        kept = details[: len(details) - count]
        texts = {"n": words.number(Fraction(count))}
        return Lines("letter", words, facts, texts, {"details": kept}).said("details")

    # The more are omitted, the less room the rest takes: the least number that fits is found by halving.
    omitted = bisect_left(range(len(details)), 1, key=lambda count: letter_room.of_texts(without(count)) <= room)
    if omitted == len(details):
        raise LetterError(_TOO_LONG)
    return without(omitted)


def _code(verified: Named, sender: Sender, words: Words) -> str:
    """Return the QR code: the link with the certificate's name, or the name alone."""
    content = sender.link or verified.identity
    if sender.link and "#" not in sender.link:
        content = f"{sender.link}#{verified.identity}"
    return qr_code(content, words.say("letter.code", content=content))


def _how(verified: Named, sender: Sender, words: Words) -> list[str]:
    """Return how to check the certificate, with the beginnings of the two names."""
    texts = {
        "link": isolated(sender.link),
        "certificate": grouped(verified.identity),
        "model": grouped(field.to_hex(verified.statement.model_commitment)),
    }
    return Lines("letter", words, {"link": "given" if sender.link else "none"}, texts).said("how")


def _not_said(findings: Findings, words: Words) -> list[str]:
    """Return what the page does not say."""
    sensitive = [shown_name(findings.spec, feature, words.language) for feature in findings.spec.sensitive_features]
    texts = {
        "names": words.joined([words.word(name) for name in sensitive], "or"),
        "quoted_names": words.joined([words.quoted(name) for name in sensitive], "or"),
    }
    facts = {
        "setup": findings.key.setup,
        "loss": "yes" if findings.spec.allow_loss else "no",
        "missing": "yes" if findings.spec.has_missing else "no",
    }
    return Lines("letter", words, facts, texts).said("not_said")


def _paragraph(words: str) -> str:
    """Return a text as a paragraph."""
    return element("p", text(words))


def grouped(digits: str) -> str:
    """Return the first digits of a name in groups that do not break."""
    return NO_BREAK.join(digits[place : place + _GROUP_LENGTH] for place in range(0, _DIGITS_SHOWN, _GROUP_LENGTH))
