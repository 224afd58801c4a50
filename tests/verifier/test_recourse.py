"""Recourse in words: each sentence is said, in both languages, and the owner's words end no sentence of ours."""

import json
import re
from datetime import date

import pytest

from equiproof.circuits.allowed import Wish
from equiproof.verifier.letter import Sender
from equiproof.verifier.reason_codes import Reason, ReasonCodes, ReasonCodesError, parse_reason_codes
from equiproof.verifier.recourse import Told, in_words, letter
from equiproof.verifier.words import Words, table
from tests.pins import assert_pinned
from tests.recourse_cases import ROW, RULED
from tests.support import changed, spec_of

SENDER = Sender("North Bank", date(2026, 11, 30))
WAYS = (
    (("income", "debt"), {"income": ("40", "60"), "debt": ("-3", "2.5")}),
    (("housing",), {"housing": ("own", "other")}),
    (("school", "years"), {"school": ("ba", "ba"), "years": ("15", "15")}),
)
NAMES = ("2802" + "0" * 60, "1ea2" + "0" * 60, "10d6" + "0" * 60)
STARTS = [name[:4] for name in NAMES]
WISHES = {
    "income": Wish(to="50"), "debt": Wish(by="1.5", start="1"), "housing": Wish(values=("own",)),
    "school": Wish(fixed=True),
}  # fmt: skip
PART = (25, {"income": (30, "37.5"), "debt": ("2.25", "5.25")})
TOLD = [
    Told("way", ROW, "granted", WAYS, proofs=NAMES, reasons=((1, "income, debts"), (2, "no home"), (3, "no degree"))),
    Told("way", ROW, "granted", WAYS[:1]),
    Told("none", ROW, "granted", proofs=NAMES[:1]),
    Told("none", ROW, "granted", wishes=WISHES),
    Told("dependent", ROW, "granted"),
    Told("undecided", ROW, "granted"),
    Told("undecided", ROW, "granted", part=PART, proofs=NAMES[:1]),
    Told("undecided", ROW, "granted", wishes=WISHES, part=PART),
]


def plain(text):
    """Return a text without what isolates the owner's words, and without blanks that do not break."""
    return re.sub("[\u2068\u2069]", "", text).replace("\u00a0", " ")


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_sentence_is_said(language):
    """Each sentence of the table is on some page."""
    pages = "\n".join(re.sub("</?bdi>", "", letter(RULED, told, SENDER, language)) for told in TOLD)
    for name, sentence in table()[language].items():
        if name.startswith("recourse."):
            pattern = ".*?".join(map(re.escape, re.split(r"\{[a-z_]+\}", sentence)))
            assert re.search(pattern, pages), name


def test_what_the_digits_are_is_said_once():
    """Below all ways, and only where a certificate is named."""
    digits = table()["en"]["recourse.proof_digits"]
    assert [letter(RULED, told, SENDER).count(digits) for told in TOLD] == [1, 0, 1, 0, 0, 0, 1, 0]


def test_what_a_way_says():
    """Numbers in their unit with today's, up and down; categories by their values; what moves together as it is."""
    said = in_words(RULED, TOLD[0])
    income = "income had been at least 40 EUR (up to 60 EUR) instead of 30 EUR"
    begin, end = "This model would have decided granted if ", ", with everything else as it is."
    assert [plain(one["sentence"]).removeprefix(begin).removesuffix(end) for one in said["ways"]] == [
        f"{income} and debt had been at most 2.5 EUR (down to \u22123 EUR) instead of 4 EUR",
        "housing had been own or other instead of rent",
        "school had been ba instead of none and years had been 15 instead of 13",
    ]  # fmt: skip
    assert plain(said["sentences"][0]) == "This holds whichever listed value sex (f or m) or age (25 or 60) has."


def test_the_page_says_how_to_check_what_is_proven():
    """By a command with what it was found with; a page without a certificate has none."""
    wished = Told("undecided", ROW, "granted", wishes=WISHES, part=PART, proofs=NAMES[:1])
    pages = [re.sub("</?bdi>", "", letter(RULED, told, SENDER)) for told in (TOLD[0], TOLD[1], wished)]
    ends = [re.search("equiproof box verify [^<]*", page) for page in pages]
    assert ends[0][0].endswith("--box opened.json --refusal refusal.json --query query.json")
    assert ends[1] is None
    assert ends[2][0].endswith("--query query.json --wishes wishes.json --within 25")


def test_several_values_of_a_wish_are_a_choice():
    """One of them is enough."""
    told = Told("none", ROW, "granted", wishes={"housing": Wish(values=("own", "rent"))})
    said = [plain(one) for one in in_words(RULED, told)["sentences"]]
    assert "Your wishes: housing stays or becomes own or rent." in said


def test_a_none_of_a_part_says_of_which_and_of_nothing_more():
    """The part and its numbers come first; what is beyond is not claimed; wishes are named."""
    said = [plain(one) for one in in_words(RULED, TOLD[-1])["sentences"]]
    assert said[0] == (
        "As long as each number changes by at most 25 % of what you and the lender’s rules allow (income 30 EUR to "
        "37.5 EUR and debt 2.25 EUR to 5.25 EUR), this model would not have decided granted, even with every other "
        "change that both allow."
    )
    assert said[1] == (
        "Your wishes: income stays at most 50 EUR, debt stays at least 1 EUR, debt changes by at most 1.5 EUR, housing "
        "stays or becomes own and school stays as it is."
    )
    assert said[-1].startswith("It could not be determined whether a larger change would have been enough")
    assert not any(one.startswith("Within the changes") for one in said)
    limits = [len(in_words(RULED, told)["limits"]) for told in TOLD[-2:]]
    assert limits == [2, 3], "without a certificate the page says that it is unproven"


def test_no_reason_is_given_that_no_certificate_backs():
    """Neither on a page nor in a document."""
    with pytest.raises(ValueError, match="each reason has a certificate"):
        Told("way", ROW, "granted", WAYS, proofs=NAMES[:1], reasons=((1, "one"), (2, "two")))
    assert in_words(RULED, TOLD[0])["reasons"][1] == "no home: sentence 2 above"


@pytest.mark.parametrize(
    ("ways", "reasons"),
    [
        ((("income",), ("debt",)), [(1, "income"), (2, "debt")]),
        ((("income", "debt"), ("income", "housing"), ("years",)), [(1, "income and debt"), (3, "school")]),
        ((("school", "years"), ("debt", "years"), ("housing", "debt")), [(1, "school"), (3, "housing and debt")]),
        ((("income",), ("debt",), ("housing",), ("years",), ("branch",)), [
            (1, "income"), (2, "debt"), (3, "housing"), (4, "school"),
        ]),
    ],
)  # fmt: skip
def test_a_feature_stands_in_one_reason(ways, reasons):
    """The cheapest way keeps a feature, and what is left of another one is no reason; equal words stand once."""
    names = ("income", "debt", "housing", "school", "years", "branch")
    table = {name: Reason("school" if name == "years" else name) for name in names}
    codes = ReasonCodes("equiproof-reason-codes", 1, table)
    assert [(number, plain(text)) for number, text in codes.of(ways, Words("en"))] == reasons


def test_bars_show_today_and_what_is_enough():
    """Places on a track that is the feature's range, in hundredths of a percent; of a category, each value."""
    (income, debt), (housing,), (school, years) = (one["bars"] for one in in_words(RULED, TOLD[0])["ways"])
    assert [income[part] for part in ("low", "high", "you")] == [6666, 10000, 5000]
    assert [debt[part] for part in ("low", "high", "you")] == [0, 4583, 5833]
    assert [(plain(one["text"]), one["in"], one["you"]) for one in housing["values"]] == [
        ("own", True, False), ("rent", False, True), ("other", True, False),
    ]  # fmt: skip
    assert plain(school["span"]) == "ba"
    assert plain(years["span"]) == "15"


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("told", TOLD)
def test_the_owners_words_are_isolated(told, language):
    """A name with markup stays a name."""
    name = "<b>x"
    features = tuple(changed(one, name=name) if one.name == "debt" else one for one in RULED.features)
    spec = spec_of(*features, bits=(4, 12), together=RULED.together)
    row = {name if one == "debt" else one: value for one, value in ROW.items()}
    ways = tuple(
        (
            tuple(name if one == "debt" else one for one in names),
            {name if k == "debt" else k: v for k, v in ends.items()},
        )
        for names, ends in told.ways
    )
    page = letter(spec, Told(told.outcome, row, "granted", ways, proofs=told.proofs), SENDER, language)
    assert "<b>" not in page
    assert page.count("<bdi>") == page.count("</bdi>")


def test_the_pages_are_pinned():
    """All that is between the body's tags, of each outcome: elements, classes, bars, and proofs below their own way."""
    bodies = [re.search("<body>\n(.*)\n</body>", letter(RULED, told, SENDER), re.DOTALL)[1] for told in TOLD]
    assert_pinned("recourse", {str(number): body.split("\n") for number, body in enumerate(bodies)})


def test_each_way_has_its_own_proof():
    """The line above a way's bars names its number, where there are several, and its certificate, where it has one."""
    lines = [
        [
            plain(re.sub("<[^>]*>", "", line))
            for line in re.findall('<p class="note">(.*?)</p>\n<ul class="bars">', page)
        ]
        for page in (letter(RULED, told, SENDER) for told in (TOLD[0], Told("way", ROW, "granted", WAYS), *TOLD[1:]))
    ]
    proven = [f"Sentence {n}. Box certificate {name} 0000 0000 0000 proves it." for n, name in enumerate(STARTS, 1)]
    assert lines == [proven, ["Sentence 1.", "Sentence 2.", "Sentence 3."], [""], [], [], [], [], [], []]


def test_titles_say_whether_there_is_a_way():
    """A page that claims no way is not headed as one that shows some."""
    titles = {told.outcome: in_words(RULED, told)["title"] for told in TOLD}
    words = table()["en"]
    assert titles.pop("way") == words["recourse.title"]
    assert set(titles.values()) == {words["recourse.title_without"]}


def test_numbers_have_caps_at_both_ends():
    """What would have been enough ends inside the track, and on no side goes on beyond it."""
    numbers = [bar for one in in_words(RULED, TOLD[0])["ways"] for bar in one["bars"] if bar["kind"] == "number"]
    assert [bar["name"] for bar in numbers] == ["\u2068income\u2069", "\u2068debt\u2069", "\u2068years\u2069"]
    assert all(bar["caps"] == [True, True] and bar["limits"] is None for bar in numbers)


@pytest.mark.parametrize("told", TOLD)
def test_logs_show_nothing_of_an_applicant(told):
    """Neither values nor wishes nor reasons are in what a traceback prints; outcome, label and certificates are."""
    assert repr(told) == f"Told(outcome={told.outcome!r}, wanted='granted', proofs={told.proofs!r})"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"version": 2}, "codes: want format 'equiproof-reason-codes', version 1"),
        ({"format": "equiproof-reasons"}, "codes: want format 'equiproof-reason-codes', version 1"),
        ({"reasons": {"i" * 41: {"en": "x"}}}, f"codes: take '{'i' * 40}' out: the spec has no such non-sensitive"),
        ({"reasons": {"income": {"en": ""}}}, "codes: income: give its reason words (en)"),
        ({"reasons": {"income": {"en": "x"}}}, "codes: add debt: the rules let it change, and it has no reason here"),
    ],
)
def test_a_table_of_reasons_that_does_not_fit_is_named(changes, said):
    """Each line has the file and what to write in it."""
    table = {"format": "equiproof-reason-codes", "version": 1, "reasons": {}} | changes
    with pytest.raises(ReasonCodesError) as refused:
        parse_reason_codes(json.dumps(table).encode(), "codes", RULED)
    assert str(refused.value).startswith(said)


MARKED = b'{"format":"equiproof-reason-codes","version":1,"reasons":{"income":{%s}}}'


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'{"format":"equiproof-commitment","version":2}', "codes: .*commitment"),
        (b"{", "codes: "),
        (MARKED % b'"en":"a\\u202eb"', "codes: income: .*202E"),
        (MARKED % b'"en":"a","de":"\\u202e"', "codes: income: .*202E"),
        (MARKED % b'"en":"a","code":"\\u0007"', "codes: income: .*0007"),
    ],
)
def test_a_file_that_is_no_table_of_reasons_is_named(data, said):
    """One of another kind as what it is; texts that do not print by their feature."""
    with pytest.raises(ReasonCodesError, match=f"^{said}"):
        parse_reason_codes(data, "codes", RULED)


def test_a_number_without_a_range_has_room_at_both_ends():
    """A tenth more than what is drawn, so that no bar ends at the edge."""
    income = changed(RULED.features[0], range=None)
    rows = changed(RULED, features=(income, *RULED.features[1:]))
    (bar, _) = in_words(rows, TOLD[0])["ways"][0]["bars"]
    assert 0 < bar["you"] < bar["low"] < bar["high"] < 10000
