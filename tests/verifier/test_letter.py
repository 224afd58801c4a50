"""The letter: what it says, that no word of the owner's is markup in it, and that it is refused without room."""

import base64
import hashlib
import html
import re
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import get_args

import pytest
import segno

from equiproof.verifier import letter_room
from equiproof.verifier.answer import KeyMaking
from equiproof.verifier.letter import LEAST_ROOM, MAX_BARS, LetterError, Sender, Without, plain_letter
from equiproof.verifier.letter_parts import QUIET, bar, qr_code, whole_page
from equiproof.verifier.recourse import Told
from equiproof.verifier.recourse import letter as about_recourse
from equiproof.verifier.words import table
from tests.support import INCOME, SEX, spec_of
from tests.verifier.letters import HOSTILE, NAME, SENDER, SPECS, made, number

ELEMENTS = re.compile("<(/?[A-Za-z][A-Za-z0-9]*)")


def read(page):
    """Return the words of a page's body."""
    body = page.partition("<body>")[2]
    return html.unescape(re.sub(r"\s+", " ", re.sub("<[^>]*>", "", re.sub("</(li|p|span|h1|h2|div)>", " ", body))))


def test_a_letter_says_the_three_sentences_in_the_lenders_voice():
    """The lender writes "our", and everything that a reader needs stands on the page."""
    words = read(made("ordinary"))
    for said in (
        "Example Lending 20 November 2026",
        "Application 2026-11-0398",
        "Our model decided: declined.",
        "the decision does not depend on sex (f, m): each of these values gives the same decision.",
        "monthly amount 0 yours: 55,000 49,004 to 60,996 EUR/month",
        "education yours: vocational none secondary vocational bachelor master this value only",
        "what we list as possible",
        "https://lender.example/a",
        "certificate 5be2 701f 9ac6 4d08",
        "That proofs cannot be forged: a single party made the key",
    ):
        assert said in words, said


def test_a_letter_about_logarithms():
    """A bar ends where the value does, and stands on a line of values."""
    words = read(made("logarithms"))
    assert "income yours: 55,000 36,296 to 83,342 EUR/month" in words
    assert "debt yours: 55,000 44,680 to 67,700 EUR/month" in words
    assert "36.296 bis 83.342" in read(made("logarithms", "de"))


def test_a_line_that_nobody_listed_is_not_explained_as_one():
    """Without ranges the line of a bar says nothing about what is possible."""
    words = read(made("unlisted"))
    assert "what we list as possible" not in words
    assert "the decision stays the same" in words


def test_a_letter_in_german():
    """Sentences, numbers and the date follow the language."""
    words = read(made("ordinary", "de"))
    for said in ("20. November 2026", "Antrag 2026-11-0398", "Unser Modell hat entschieden: declined.", "49.004 bis"):
        assert said in words, said


@pytest.mark.parametrize(
    ("language", "replaces", "asks"),
    [
        (
            "en",
            "This decision replaces the one of 3\u00a0March 2026: details were put right since.",
            f"If one of your details is wrong, you can ask for a correction: {HOSTILE}.",
        ),
        (
            "de",
            "Diese Entscheidung ersetzt die vom 3.\u00a0März 2026: Seitdem sind Angaben berichtigt worden.",
            f"Ist eine Ihrer Angaben falsch, können Sie eine Berichtigung verlangen: {HOSTILE}.",
        ),
    ],
)
def test_a_letter_says_what_it_replaces_and_where_to_ask_for_a_correction(language, replaces, asks):
    """With a certificate and without, in one sentence each, and nothing where the owner gives nothing."""
    sender = replace(SENDER, replaces=date(2026, 3, 3), corrections=HOSTILE)
    for page in (made("ordinary", language, sender=sender), plain_letter("declined", sender, language)):
        notes = [html.unescape(re.sub("<[^>]*>", "", note)) for note in re.findall('<p class="note">(.*?)</p>', page)]
        assert notes == [replaces, asks]
        assert HOSTILE not in page
    for page in (made("ordinary", language), plain_letter("declined", SENDER, language)):
        assert 'class="note"' not in page


@pytest.mark.parametrize(
    ("language", "said", "where"),
    [
        ("en", "Your application was assessed automatically.", f" You can ask for a review by a person: {HOSTILE}."),
        (
            "de",
            "Ihr Antrag wurde automatisiert bewertet.",
            f" Sie können eine Prüfung durch einen Menschen verlangen: {HOSTILE}.",
        ),
    ],
)
def test_a_letter_says_that_the_assessment_was_automated(language, said, where):
    """Where the owner says so, and where to ask for a person; not of a decision that a person made."""
    for review, wanted in (("", said), (HOSTILE, said + where)):
        sender = replace(SENDER, automated=True, review=review)
        pages = [made("ordinary", language, sender=sender), plain_letter("declined", sender, language)]
        pages.append(
            about_recourse(spec_of(INCOME, SEX), Told("undecided", {"income": 1}, "granted"), sender, language)
        )
        for page in pages:
            notes = [html.unescape(re.sub("<[^>]*>", "", one)) for one in re.findall('<p class="note">(.*?)</p>', page)]
            assert notes[0] == wanted
            assert HOSTILE not in page
        assert 'class="note"' not in plain_letter("declined", sender, language, why="person")


@pytest.mark.parametrize("reference", ["", "2026-17"])
def test_day_and_reference_stand_on_lines_of_their_own(reference):
    """In the head, without a reference on one line."""
    sender = replace(SENDER, reference=reference)
    head = plain_letter("declined", sender, "en").partition("<header>")[2].partition("</header>")[0]
    lines = re.search("</div><div>(.*)</div>", head)[1].split("<br>")
    assert len(lines) == (2 if reference else 1)
    assert not reference or reference in lines[1]


def test_equal_arguments_give_equal_pages():
    """Nothing on the page is drawn at random or taken from a clock."""
    assert made("ordinary") == made("ordinary")


@pytest.mark.parametrize("name", [name for name in SPECS if name != "longest"])
def test_the_page_is_of_our_own_elements(name):
    """Whatever a spec's words are, elements and classes are ours, none has a style, and a policy forbids all else."""
    page = made(name)
    tags = {tag.strip("/") for tag in ELEMENTS.findall(page)}
    ours = "html head meta title style body header div strong br h1 p ol li h2 ul span svg line rect path bdi"
    assert tags <= set(ours.split())
    assert not re.search(r"<[^>]* (style|on\w+|href|src)=", page)
    style = re.search("<style>(.*?)</style>", page, re.DOTALL)[1]
    classes = {name for names in re.findall(r'<[^>]* class="([^"]*)"', page) for name in names.split()}
    assert classes <= set(re.findall(r"\.([a-z]+)", style))
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'" in page


def test_hostile_words_are_shown_as_they_are():
    """Markup in names, values and labels is text, each inside <bdi>."""
    page = made("hostile")
    assert f"<bdi>{html.escape(HOSTILE)}</bdi>" in page
    assert "“<bdi>&lt;i&gt;refused</bdi>”" in page
    assert HOSTILE not in page


def test_few_features_have_bars_and_many_have_text():
    """Up to twelve features have a bar; more are a list, and what has no room there is counted."""
    assert made("twelve").count('class="track"') == MAX_BARS - 1 + 1  # eleven numbers, and the legend
    assert 'class="bars"' not in made("thirteen")
    assert "monthly amount 11: 49,004 to 60,996 EUR/month (yours: 55,000)" in read(made("thirteen"))
    shown = read(made("hundreds"))
    count = int(re.search(r"and (\d+) more, which the certificate lists", shown)[1])
    assert shown.count("monthly amount") == 400 - count
    assert "more, which" not in read(made("thirteen"))


@pytest.mark.parametrize(
    ("sign", "count"),
    [
        ("a", 19),
        ("A", 25),
        ("X", 25),
        ("M", 35),
        ("m", 29),
        ("i", 11),
        ("\u00e4", 29),
        ("\u6f22", 35),
        ("1", 19),
        ("\u2068", 1),
    ],
)
def test_lines_that_a_text_takes(sign, count):
    """A thousand characters in a column of 100 mm: wide ones take more lines, those that nobody sees take none."""
    assert letter_room.lines(sign * 1000, 9, 100.0) == count


def test_room_that_parts_of_a_page_take():
    """Millimetres, as the style sheet has them: each line of a part takes its height, and each part its distance."""
    whole = letter_room.rest([], [], [])
    assert whole == pytest.approx(263 - 71 - 31)
    assert whole - letter_room.rest(["a"] * 3, [], []) == pytest.approx(3 * (5.7 + 3.2))
    assert whole - letter_room.rest(["a" * 200], [], []) == pytest.approx(3 * 5.7 + 3.2)
    assert whole - letter_room.rest([], ["a"], []) == 0  # beside the code
    assert whole - letter_room.rest([], ["a"] * 20, []) == pytest.approx(20 * (4.7 + 1.5) - 31)
    assert whole - letter_room.rest([], ["a" * 89] * 20, []) == pytest.approx(20 * (2 * 4.7 + 1.5) - 31)
    assert whole - letter_room.rest([], [], ["a"] * 3) == pytest.approx(3 * (4.7 + 0.5))
    assert whole - letter_room.rest([], [], [], ["a"] * 2) == pytest.approx(2 * (4.7 + 1.5))
    assert letter_room.rest([], [], [], ["a" * 93]) == letter_room.rest([], [], [], ["a"])
    # The longest texts of one line, in the sizes of their parts.
    assert letter_room.rest(["a" * 77], [], []) == letter_room.rest(["a"], [], [])
    assert letter_room.rest([], ["a" * 74 + "i"] * 20, []) == letter_room.rest([], ["a"] * 20, [])
    assert letter_room.rest([], [], ["a" * 91]) == letter_room.rest([], [], ["a"])
    assert letter_room.of_texts(["a" * 50]) == letter_room.of_texts(["a"]) < letter_room.of_texts(["a" * 50 + "i"])
    assert letter_room.of_bars([{"name": "a", "span": "b"}] * 2, ["c"] * 2) == pytest.approx(2 * 6.4)
    for name, own, span, lines in (("a" * 50, "", "", 4), ("", "a" * 50, "", 4), ("", "", "a" * 50, 3)):
        assert letter_room.of_bars([{"name": name, "span": span}], [own]) == pytest.approx(lines * 3.9)
    for texts, lines in ((["a"], 1), (["a"] * 2, 1), (["a"] * 3, 2), (["a" * 200], 7), (["a" * 200] * 3, 12)):
        assert letter_room.of_texts(texts) == pytest.approx(lines * 4.7)


def test_without_any_room_the_details_are_listed():
    """Nothing is drawn where nothing may differ."""
    words = read(made("ordinary", radius=0))
    assert "This holds for exactly these details." in words
    assert "The details it holds for monthly amount 0: 55,000 monthly" in words


def test_details_without_room_are_refused(monkeypatch):
    """Where not one of the details has room, there is no letter."""
    monkeypatch.setattr(letter_room, "rest", lambda *_: 0.0)
    with pytest.raises(LetterError, match="too long for a letter of one page"):
        made("thirteen")


def test_a_single_detail_without_room_is_refused(monkeypatch):
    """Where the room that every letter has is too little for one detail, none is left out in its place."""
    monkeypatch.setattr(letter_room, "rest", lambda *_: LEAST_ROOM)
    monkeypatch.setitem(SPECS, "one", spec_of(number("income_" + "w" * 190), SEX))
    with pytest.raises(LetterError, match="too long for a letter of one page"):
        made("one")


def test_details_have_two_centimetres_at_least(monkeypatch):
    """With less there is no letter, even where the few details of a spec would fit."""
    monkeypatch.setattr(letter_room, "rest", lambda *_: LEAST_ROOM)
    assert made("logarithms").count('class="track"') == 3  # two numbers, and the legend
    monkeypatch.setattr(letter_room, "rest", lambda *_: LEAST_ROOM - 0.001)
    with pytest.raises(LetterError, match="too long for a letter of one page"):
        made("logarithms")


def test_other_keys_and_losses_are_said():
    """A key of several parties brings no warning of one, and a loss that the spec states is said."""
    assert "forge" in read(made("ordinary"))
    assert "forge" not in read(made("ordinary", key=KeyMaking("ceremony", 3)))
    assert "rounding may have changed it" in read(made("lossy"))


def test_words_without_room_are_refused():
    """Names that no page has room for are refused, and so is a certificate whose details are unknown."""
    with pytest.raises(LetterError, match="too long for a letter of one page"):
        made("longest")
    with pytest.raises(LetterError, match="--query"):
        made("ordinary", query=None)
    with pytest.raises(ValueError, match="not one of en, de"):
        made("ordinary", "fr")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"name": ""}, "lender '' must have 1 to 200 characters"),
        ({"name": "A\u202eB"}, r"lender 'A\\u202eB' holds U\+202E"),
        ({"reference": "a\nb"}, r"reference 'a\\nb' holds U\+000A"),
        ({"corrections": "a\u202eb"}, r"corrections 'a\\u202eb' holds U\+202E"),
        ({"link": "http://lender.example"}, "want an address that begins with https://"),
        ({"link": "javascript:alert(1)"}, "https://"),
        ({"link": 'https://a.example/"><script>'}, "https://"),
        ({"link": "https://a.example/" + "a" * 200}, "https://"),
    ],
)
def test_senders_that_cannot_be_shown_are_refused(fields, message):
    """A lender's name, reference and link are checked before anything is made."""
    known = {"name": "Example", "day": date(2026, 1, 31)}
    with pytest.raises(LetterError, match=message):
        Sender(**(known | fields))


def test_a_link_has_two_hundred_characters_at_most():
    """The code on the page can hold so many."""
    link = "https://a.example/".ljust(200, "a")
    assert Sender("Example", date(2026, 1, 31), link=link).link == link
    with pytest.raises(LetterError, match="https://"):
        Sender("Example", date(2026, 1, 31), link=f"{link}a")


def modules(page):
    """Return the dark modules of the QR code on a page, and the size with its border."""
    code = re.search('<svg class="code" viewBox="0 0 ([0-9]+) .*?<path d="([^"]*)"', page)
    return {(int(x), int(y)) for x, y in re.findall(r"M(\d+) (\d+)h1v1h-1z", code[2])}, int(code[1])


@pytest.mark.parametrize(
    ("link", "content"),
    [
        ("https://lender.example/a", f"https://lender.example/a#{NAME}"),
        ("https://lender.example/a#K7QM-2XRD", "https://lender.example/a#K7QM-2XRD"),
        ("", NAME),
    ],
)
def test_the_code_holds_link_and_name(link, content):
    """The QR code is the library's for the link with the certificate's name, with the blank border that it needs."""
    page = made("ordinary", sender=Sender("Example", date(2026, 1, 31), link=link))
    dark, size = modules(page)
    wanted = [list(row) for row in segno.make_qr(content, error="m").matrix]
    assert size == len(wanted) + 2 * QUIET
    assert dark == {(x + QUIET, y + QUIET) for y, row in enumerate(wanted) for x, one in enumerate(row) if one}
    assert f'aria-label="QR code: {content}"' in page


def test_bars_are_drawn_where_the_answer_says():
    """Places are percents of the track; a value that cannot differ is a mark without a band."""
    drawn = {
        "name": "age",
        "span": "39 to 41",
        "kind": "number",
        "low": 3685,
        "high": 4035,
        "you": 3860,
        "limits": None,
    }
    line = bar(drawn | {"caps": [True, False]}, "yours: 40")
    assert '<rect class="band" x="36.85%" y="8.5" width="3.50%" height="9"/>' in line
    assert line.count('class="cap"') == 1
    assert '<svg x="38.60%"' in line
    still = bar(drawn | {"low": 3860, "high": 3860, "caps": [True, True]}, "yours: 40")
    assert "band" not in still


def test_each_cell_of_a_bar_has_its_place():
    """Name, own value, picture and span, in this order; the name alone has a class of its own, as the style has it."""
    drawn = {"name": "age", "span": "39 to 41", "kind": "category", "values": []}
    assert bar(drawn, "yours: 40") == (
        '<li><span class="name">age</span><span>yours: 40</span>'
        '<span><ul class="values" aria-hidden="true"></ul></span><span>39 to 41</span></li>'
    )


def test_bars_and_their_own_values_are_as_many():
    """A bar without its own value would stand on the page with no room counted for it."""
    one = {"name": "a", "span": "b"}
    for bars, own in (([one, one], ["c"]), ([one], ["c", "d"])):
        with pytest.raises(ValueError, match="zip"):
            letter_room.of_bars(bars, own)
    with pytest.raises(ValueError, match="zip"):
        bar(one | {"kind": "number", "low": 0, "high": 1, "you": 0, "caps": [True]}, "c")


@pytest.mark.parametrize("private", [True, False])
def test_private_pages_ask_search_engines_to_leave_them_out(private):
    """Others do not, and all keep their address from the sites that they lead to."""
    page = whole_page("de", "T", Path(letter_room.__file__).with_name("letter.css"), "B", private=private)
    assert page.count('<meta name="robots" content="noindex">') == private
    assert page.count('<meta name="referrer" content="no-referrer">') == 1
    assert page.startswith('<!doctype html>\n<html lang="de">\n')
    assert "<title>T</title>" in page
    assert "<body>\nB\n</body>" in page


def test_codes_of_any_text_are_drawn():
    """The description of a code is escaped."""
    assert 'aria-label="&lt;&quot;"' in qr_code("x", '<"')


def test_values_of_a_category_are_marked():
    """Those that are certified, the applicant's own, and where it is both, with both names."""
    kinds = {"a": (True, True), "b": (True, False), "c": (False, True), "d": (False, False)}
    values = [{"text": name, "in": certified, "you": own} for name, (certified, own) in kinds.items()]
    drawn = bar({"name": "x", "span": "y", "kind": "category", "values": values}, "z")
    assert re.findall(r"<li([^>]*)>(\w)</li>", drawn) == [
        (' class="in you"', "a"), (' class="in"', "b"), (' class="you"', "c"), ("", "d")
    ]  # fmt: skip


def test_bars_stand_above_their_legend():
    """The list of bars ends where the legend begins, with nothing but a line break between."""
    page = made("twelve")
    assert page.count('<ul class="bars">') == 1
    assert re.search(r'</ul>\n<p class="legend">', page)


def test_long_lists_of_values_are_not_drawn():
    """A category whose values need more than a line has words only."""
    long = {"text": "\u2068" + "v" * 40 + "\u2069", "in": True, "you": False}
    assert "<ul" not in bar({"name": "a", "span": "b", "kind": "category", "values": [long, long]}, "c")


def test_the_sender_needs_no_link_or_reference():
    """Without a link the file is said to come with the letter."""
    words = read(made("ordinary", sender=Sender(SENDER.name, SENDER.day)))
    assert "Application" not in words
    assert "a file that comes with our letter" in words


def test_a_page_without_a_certificate_says_what_was_decided_and_why_there_is_none():
    """One may come, none could be made, or a person decided; the label is escaped."""
    page = plain_letter("<b>refused", SENDER, "de")
    assert "&lt;b&gt;refused" in page
    assert "konnte kein Zertifikat erstellt werden: Die Berechnung" in read(page)
    assert "noch kein" not in page
    assert "noch kein" in plain_letter("refused", SENDER, "de", why="not-yet")
    person = read(plain_letter("refused", SENDER, why="person"))
    assert "A person made this decision." in person
    assert "a certificate is about a decision that our model makes alone" in person
    assert "computation" not in person


def test_every_sentence_of_the_letter_is_used():
    """Each sentence of the table that is the letter's stands on one of these pages."""
    pages = [read(made(name)) for name in ("ordinary", "hundreds", "lossy", "thin")]
    pages += [read(made("ordinary", radius=0)), read(made("ordinary", sender=Sender("Example", SENDER.day)))]
    pages += [read(plain_letter("refused", SENDER, why=why)) for why in get_args(Without)]
    pages += [read(plain_letter("refused", replace(SENDER, replaces=SENDER.day, corrections="here")))]
    pages += [read(plain_letter("refused", replace(SENDER, automated=True, review=text))) for text in ("", "there")]
    whole = "\n".join(pages) + html.unescape(made("ordinary"))
    for name, sentence in table()["en"].items():
        if name.startswith("letter.") and name != "letter.months":
            assert re.search(".*?".join(map(re.escape, re.split(r"\{[a-z_]+\}", sentence))), whole), name
