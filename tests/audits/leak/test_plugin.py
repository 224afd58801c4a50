"""The audit `leak`: curves, sentences in two languages, the picture, options, and models that it does not apply to."""

import dataclasses
import re

import msgspec
import pytest

from equiproof.audits.brief import brief, head
from equiproof.audits.context import AuditContext
from equiproof.audits.errors import AuditError, NotApplicableError
from equiproof.audits.leak import measured
from equiproof.audits.leak.plugin import Leak
from equiproof.audits.leak.told import COLUMNS, CURVES, WAYS, curves, said
from equiproof.audits.plugin import Audit
from equiproof.audits.report import AuditReport
from equiproof.audits.runner import AuditRun
from equiproof.certify.branch import WidthError
from equiproof.certify.leak import copies, curve
from tests.audits.made import report as made_report
from tests.certify.leak.made import UNIT, additive, drawn, linear, ruled, spec

COLUMNS_OF_MODEL = 5


def rows(count):
    """Return raw rows of the made spec."""
    return [
        {f"p{place}": value / UNIT for place, value in enumerate(query)} | {"s": "1" if number % 2 else "-1"}
        for number, query in enumerate(drawn(COLUMNS_OF_MODEL, count, seed=8))
    ]


def context(**changes):
    given = {
        "network": linear(COLUMNS_OF_MODEL),
        "spec": spec(COLUMNS_OF_MODEL),
        "commitment": "0x" + "1" * 64,
        "rows": rows(120),
        "options": {"counts": "6,30", "people": "40", "draws": "1"},
    }
    return AuditContext(**given | changes)


@pytest.fixture(scope="module")
def report():
    return Leak().run(context())


def test_it_is_an_audit_that_only_measures(report):
    """The plug-in fits the protocol; its report judges nothing and reads back as it was written."""
    assert isinstance(Leak(), Audit)
    assert report.verdict is None
    assert AuditReport.from_json(report.to_json()) == report
    assert "leak: made: measures only" in report.summary()


def test_curves_of_rows_and_of_chosen_applications(report):
    """Each source has a curve of labels alone, of levels and of exact radii; these copy a linear model best."""
    found = curves(report)
    assert [source for source, _ in found] == ["rows"] * 3 + ["chosen applications"] * 3
    for source in ("rows", "chosen applications"):
        labels, levels, exact = (dict(points) for (of, _), points in found.items() if of == source)
        assert set(labels) == set(levels) == set(exact) == {6, 30}
        assert min(exact.values()) > 0.98
        assert exact[6] > labels[6]
        assert exact[30] >= levels[30] >= labels[30] - 0.02


def test_sentences_say_the_numbers_of_the_table_in_two_languages(report):
    """The answer is in English, the first note in German, both about the largest count up to a hundred."""
    words = said(report)
    assert words.count == 30
    short = brief(report)
    assert short.answer == words.english
    assert [one.what.rpartition(" (")[0] for one in short.figures] == [
        f"of 80: a copy from 30 certificates agrees, {shown}" for shown in ("exact radii", words.levels, "labels alone")
    ]
    assert [one.estimate.value for one in short.figures] == [words.exact, words.shown, words.labels]
    assert short.answer.startswith("Whoever knows 30 certificates with exact radii can make a copy that decides ")
    assert report.notes[0] == words.german
    assert report.notes[0].startswith("Wer 30 Zertifikate mit genauen Radien kennt, kann eine Kopie machen, die über ")
    assert re.search(r" Zeigen die Zertifikate nur die Stufen? 0,[0-9]+( und [0-9,]+)*, sind es ", report.notes[0])
    assert dataclasses.replace(words, levels="levels 0.1, 0.5").german.count("nur die Stufen 0,1 und 0,5, sind") == 1
    assert {one.value for one in report.estimates} >= {words.exact, words.shown, words.labels}
    assert all(one.lower <= one.value <= one.upper and one.n == 80 for one in report.estimates)
    assert any(note.startswith("drafted levels: ") for note in report.notes)
    assert said(made_report()) is None
    other = msgspec.structs.replace(report, tables=())
    assert brief(other).question == "What does the audit leak find?"


def test_the_picture_shows_the_curves(report):
    """A line for each curve, over a logarithmic axis of certificates."""
    (axes,) = report.plot().axes
    assert len(axes.lines) == 6
    assert axes.get_xscale() == "log"
    assert [line.get_linestyle() for line in axes.lines] == ["-"] * 3 + ["--"] * 3


def test_given_levels_are_measured_without_a_draft():
    """Levels of the reader's are those of the curve; of an additive model, the table counts thresholds."""
    options = {"counts": "20", "people": "40", "draws": "1", "levels": "0.05,0.5"}
    report = Leak().run(context(network=linear(COLUMNS_OF_MODEL), score=additive(COLUMNS_OF_MODEL, 9), options=options))
    (table,) = report.tables
    assert (table.caption, table.columns) == (CURVES, COLUMNS)
    assert [row[1] for row in table.rows[:3]] == ["labels alone", "levels 0.05, 0.5", "exact radii"]
    assert all(row[4] is not None for row in table.rows)
    assert not any("drafted" in note for note in report.notes)


def test_levels_of_the_spec_are_those_that_are_measured():
    """A spec with levels needs no draft, and its exact radii are measured all the same."""
    levelled = msgspec.structs.replace(spec(COLUMNS_OF_MODEL), levels=("0.1", "0.7"))
    report = Leak().run(context(spec=levelled, options={"counts": "8", "people": "40", "draws": "1"}))
    rows = report.tables[0].rows
    assert [row[1] for row in rows[:3]] == ["labels alone", "levels 0.1, 0.7", "exact radii"]
    assert rows[2][3] > 0.98


def test_time_that_ends_leaves_counts_out():
    """Without any second there is no certificate, and one line says what a draft needs."""
    with pytest.raises(
        AuditError, match=r"leak: give it more time: .*: levels: 0 fair applicants, and a draft needs 20"
    ):
        Leak().run(context(max_seconds=0.0))
    with pytest.raises(AuditError, match=r"^leak: levels: [0-9]+ fair applicants, and a draft needs 20"):
        Leak().run(context(rows=rows(10)))
    options = {"counts": "6", "people": "40", "draws": "1", "levels": "0.1"}
    report = Leak().run(context(spec=ruled(COLUMNS_OF_MODEL), max_seconds=0.0, options=options))
    assert report.tables[0].rows == ()
    assert "0 of the rows that applied have a way, and 0 a none" in report.notes
    assert said(report) is None
    short = brief(report)
    assert (short.tag, short.question) == ("undecided", "What do certificates give away about the model?")
    assert short.answer == "Not known: the time limit was reached before a copy was made."
    steps = [str(step) for step in head(AuditRun(model=report.model, reports=(report,))).steps]
    assert "Give the audit leak more time: nothing is known yet." in steps


def test_time_that_ends_among_the_copies_is_told(report):
    """Copies from labels alone say nothing about radii: the answer is that it is not known."""
    (own,) = report.tables
    labels = msgspec.structs.replace(own, rows=tuple(row for row in own.rows if row[1] == "labels alone"))
    short = brief(msgspec.structs.replace(report, tables=(labels,)))
    assert short.tag == "undecided"
    assert short.answer.startswith("Not known: the time limit was reached before there were copies from radii")


def test_a_draft_ends_with_the_time(monkeypatch):
    """Copies of 10 seconds each: a draft makes no more than it must past its half of a minute, curves none past it."""
    passed, made, real = [0.0], [], curve.attack

    def slow(*args, **how):
        made.append(passed[0])
        passed[0] += 10
        return real(*args, **how)

    monkeypatch.setattr(curve, "attack", slow)
    monkeypatch.setattr(copies, "attack", slow)
    monkeypatch.setattr("time.monotonic", lambda: passed[0])
    Leak().run(context(max_seconds=60.0, options={"counts": "6,30", "people": "80", "draws": "3"}))
    assert [begun for begun in made if begun >= 60] == []
    assert len(made) == 6


@pytest.fixture(scope="module")
def of_rules():
    """A report under a spec with rules of change, and the steps of its progress."""
    steps = []
    options = {"counts": "4,9,45", "people": "50", "draws": "1", "levels": "0.1"}
    given = context(spec=ruled(COLUMNS_OF_MODEL), options=options)
    return Leak().run(dataclasses.replace(given, progress=lambda *step: steps.append(step))), steps


def test_rules_of_change_add_a_curve_of_ways_and_nones(of_rules):
    """Each source has it last; a linear model is copied by it, and the note counts who has what."""
    report, steps = of_rules
    found = curves(report)
    assert [shown for _, shown in found] == ["labels alone", "levels 0.1", "exact radii", WAYS] * 2
    for source in ("rows", "chosen applications"):
        ways, labels = (dict(found[source, shown]) for shown in (WAYS, "labels alone"))
        assert set(labels) == {4, 9, 45}
        assert set(ways) == {4, 9}
        assert ways[9] > 0.98 > labels[9]
    (note,) = [re.fullmatch(r"([0-9]+) of the rows that applied have a way, and ([0-9]+) a none", one) or one
               for one in report.notes if "a way" in one]  # fmt: skip
    assert 9 <= int(note[1]) + int(note[2]) < 45
    assert steps == [(done, 200) for done in range(1, 201)]


def test_sentences_are_about_certificates(of_rules):
    """Their count is that of radii, though fewer have ways; ways that have it are a figure more."""
    report, _ = of_rules
    assert said(report).count == 45
    assert not any(WAYS in one.what for one in brief(report).figures)
    options = {"counts": "9", "people": "50", "draws": "1", "levels": "0.1"}
    few = Leak().run(context(spec=ruled(COLUMNS_OF_MODEL), options=options))
    assert [one.what.rpartition(" (")[0] for one in brief(few).figures if WAYS in one.what] == [
        "of 70: a copy from 9 certificates agrees, ways and nones"
    ]
    assert len(few.plot().axes[0].lines) == 8


def test_thresholds_that_ways_name_are_in_the_table():
    """Of an additive model they are counted as those that radii name."""
    options = {"counts": "12", "people": "60", "draws": "1", "levels": "0.1"}
    score, given = additive(COLUMNS_OF_MODEL, 9), ruled(COLUMNS_OF_MODEL)
    report = Leak().run(context(network=linear(COLUMNS_OF_MODEL), score=score, spec=given, options=options))
    (row,) = [row for row in report.tables[0].rows if row[:2] == ("rows", WAYS)]
    assert row[4] == row[5] >= 3


def test_where_nobody_has_a_way_a_note_says_why(report, monkeypatch):
    """A spec without rules of change, and a network whose boxes are too wide."""
    assert "nobody has a way or a none: the spec has no rules of change" in report.notes

    def wide(*_args, **_how):
        raise WidthError("layer 1: too wide")

    monkeypatch.setattr(measured, "answered", wide)
    options = {"counts": "6", "people": "40", "draws": "1", "levels": "0.1"}
    other = Leak().run(context(spec=ruled(COLUMNS_OF_MODEL), options=options))
    assert "nobody has a way or a none: layer 1: too wide" in other.notes
    assert len(curves(other)) == 6


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"counts": "0"}, "leak: option counts: want a whole number of 1 at least, not '0'"),
        ({"counts": "3,x"}, "leak: option counts: want a whole number of 1 at least, not 'x'"),
        ({"draws": "0"}, "leak: option draws: want a whole number of 1 at least, not '0'"),
        ({"people": "-3"}, "leak: option people: want a whole number of 1 at least, not '-3'"),
        ({"levels": "0.5,0.25"}, "leak: option levels: levels: list levels above 0, least first"),
        ({"levels": "0"}, "above 0"),
        ({"levels": "0.1,"}, "leak: option levels: levels: "),
        ({"levels": "17"}, "levels are at most 16"),
        ({"levels": "NaN"}, "leak: option levels: levels: "),
        ({"levels": "a quarter"}, "leak: option levels: levels: "),
        ({"levels": "0.0000001"}, "leak: option levels: levels: list fewer levels, or enlarge input_fraction_bits"),
        ({"levels": ",".join(f"{n}.5" for n in range(1, 18))}, "levels: list 1 to 16 levels"),
    ],
)
def test_wrong_options_are_one_line(options, message):
    """Each names the option and what it wants."""
    with pytest.raises(AuditError) as refused:
        Leak().run(context(options=options))
    assert message in str(refused.value)


def test_more_than_two_labels_do_not_apply():
    """Copies are of two labels."""
    three = msgspec.structs.replace(spec(COLUMNS_OF_MODEL), labels=("a", "b", "c"), logits=3)
    with pytest.raises(NotApplicableError, match="copies are of two labels, and the model has 3"):
        Leak().run(context(spec=three))


def test_a_single_row_is_too_few():
    """Somebody must be left to compare with."""
    with pytest.raises(AuditError, match="leak: levels: 0 fair applicants"):
        Leak().run(context(rows=rows(1)))
