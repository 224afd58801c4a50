"""The page about mutants of tables is about the tables as they are; `make mutations-tables` tries the mutants."""

import re

import pytest

from research.mutations import rows, tables
from tests.said import NAMES
from tests.web.test_said import imported, named

ROW = re.compile(r"^\| `(\w+)\.json` \| (\w+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", re.MULTILINE)
ROWS = {
    (table, language): list(map(int, numbers)) for table, language, *numbers in ROW.findall(tables.PAGE.read_text())
}


def test_the_page_is_of_these_tables():
    """Each table has a row for each language that uses it, with as many rows and mutants as there are."""
    wanted = {
        (table, name): list(counts)
        for language, name in tables.LANGUAGES.items()
        for table, counts in tables.counted(language).items()
    }
    assert {key: numbers[:2] for key, numbers in ROWS.items()} == wanted


def test_no_mutant_survives():
    """Every mutant is noticed in every language that uses its table."""
    assert {key: numbers for key, numbers in ROWS.items() if numbers[1:] != [numbers[1], numbers[1], 0]} == {}


def test_the_page_is_the_programs():
    """The page says what the program that writes it says."""
    found = {
        language: {table: ROWS[table, name][2] for table in tables.tables_of(language)}
        for language, name in tables.LANGUAGES.items()
    }
    assert tables.PAGE.read_text(encoding="utf-8") == tables.page(found)


def test_languages_use_these_tables():
    """Every table of the list is tried in Python, and in TypeScript those that its test reads."""
    assert list(tables.tables_of("python")) == list(NAMES)
    assert set(tables.tables_of("typescript")) == set(imported()) & set(NAMES) | {"documents"}
    said = {name.split(" ")[1] for name in tables.tables_of("typescript")["messages"]}
    assert (said, set(tables.tables_of("typescript")["written"])) == (set(named()), set(named("written")))


def test_changes_of_a_sentence():
    """A sentence changes by a character, and by each of its places."""
    found = list(rows.of_sentence("{part} of {whole}"))
    assert found == [
        ("another character", "{part} ox {whole}"),
        ("two places swapped", "{whole} of {part}"),
        ("a place renamed", "{part_other} of {whole}"),
        ("a place dropped", "of {whole}"),
        ("a place renamed", "{part} of {whole_other}"),
        ("a place dropped", "{part} of"),
        ("row removed", None),
    ]


def test_changes_of_a_part():
    """A sentence of an answer changes by each fact of its condition, by its other fields, and by its place."""
    first = {"say": "a.first", "when": {"key": ["came"]}}
    table = {"facts key": ["came", "given"], "facts model": ["none"], "answer one": [first, {"say": "a.second"}]}
    second = table["answer one"][1]
    assert list(rows.of_part(table["answer one"], table)) == [
        ("another say", [{"say": "a.second", "when": {"key": ["came"]}}, second]),
        ("without when", [{"say": "a.first"}, second]),
        ("a fact dropped", [{"say": "a.first", "when": {}}, second]),
        ("another fact", [{"say": "a.first", "when": {"model": ["none"]}}, second]),
        ("another value", [{"say": "a.first", "when": {"key": ["given"]}}, second]),
        ("a row dropped", [second]),
        ("two rows swapped", [second, first]),
        ("another say", [first, {"say": "a.first"}]),
        ("a row dropped", [first]),
        ("row removed", None),
    ]


@pytest.mark.parametrize("table", rows.listed())
def test_each_row_has_mutants(table):
    """Every row is changed and removed, no mutant is the row itself, and none of a batch are of one row."""
    whole = rows.listed()[table]
    found = rows.mutants(table, whole)
    for name in whole:
        own = [one.becomes for one in found if one.row == name]
        assert None in own, name
        assert len(own) > 1, name
        assert whole[name] not in own, name
    for batch in rows.batches(found):
        assert len({one.row for one in batch}) == len(batch)
    assert sum(map(len, rows.batches(found))) == len(found)


@pytest.mark.parametrize("language", ["python", "typescript"])
def test_a_copy_has_what_its_test_needs(language, tmp_path):
    """The test of a language passes in its copy, before any mutant."""
    copy = tables.Copy(language, tmp_path)
    try:
        tables.require_pass(copy)
    finally:
        copy.close()
