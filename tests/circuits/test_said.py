"""Python reads each row of the tables as tests/golden/tables.json has it."""

import json
import os
from typing import Any

import msgspec

from equiproof.circuits import tables
from tests.said import LIST, NAMES, TABLES, listed, places, refuse_differences, row_of, rows


def written(value):
    """Return a row as JSON has it, without what is left out."""
    return {key: inner for key, inner in msgspec.to_builtins(value).items() if inner not in (None, "")}


def message(language, sentence, text):
    """Return a sentence in a language with the name of each place in it, or the error that it is."""
    try:
        with tables.speaking(language):
            return tables.say(sentence, **places(text))
    except tables.TableError as error:
        return str(error)


def written_text(sentence, text):
    """Return a sentence of documents with the name of each place in it, or the error that it is."""
    try:
        return tables.written(sentence, **places(text))
    except tables.TableError as error:
        return str(error)


def word(language, sentence, text):
    """Return a sentence for people with the name of each place in it, or what it lacks."""
    from equiproof.verifier.words import Words

    try:
        return Words(language).say(sentence, **places(text))
    except KeyError as error:
        return f"lacks {error}"


def read_first():
    """Return the rows of tables that no module says or reads when it is loaded."""
    wanted = listed()
    spoken = {f"{language} {name}": "" for language in tables.LANGUAGES for name in tables.messages(language)}
    unspoken = dict.fromkeys(tables.written_sentences(), "")
    found = {name: rows(tables.table(name, dict[str, Any])) for name in ("policies", "documents", "systems")}
    return found | {
        "messages": {name: message(*name.split(" "), text) for name, text in (spoken | wanted["messages"]).items()},
        "written": {name: written_text(name, text) for name, text in (unspoken | wanted["written"]).items()},
    }


def read_then():
    """Return the rows of the other tables; loading what reads them says sentences, which are in order by now."""
    from equiproof.circuits import kinds
    from equiproof.verifier import lines, reasons, reports, words

    table = {
        "classes": {name: written(row) for name, row in reasons.CLASSES.items()},
        "shown": reasons.OUTCOMES,
        "reasons": {name: written(row) for name, row in reasons.REASONS.items()},
    }
    wanted = dict.fromkeys(rows(words.table()), "") | listed()["words"]
    return {
        "kinds": {mark: written(row) for mark, row in kinds._ROWS.items()},
        "reasons": rows(table),
        "answers": rows(json.loads(msgspec.json.encode(lines.TABLE))),
        "reports": rows(json.loads(msgspec.json.encode(reports.table()))),
        "words": {name: word(*name.split(" "), text) for name, text in wanted.items()},
    }


def test_each_row_is_that_of_the_list():
    """A row that is new, gone or changed is listed; EQUIPROOF_REGENERATE=golden writes what is on purpose."""
    if os.environ.get("EQUIPROOF_REGENERATE") == "golden":
        made = {name: rows(json.loads((TABLES / f"{name}.json").read_text(encoding="utf-8"))) for name in NAMES}
        LIST.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    refuse_differences(read_first(), listed())
    refuse_differences(read_then(), listed())


def test_every_row_is_found_by_its_name():
    """The name of a row leads to it, in any language."""
    for name, table in listed().items():
        whole = json.loads((TABLES / f"{name}.json").read_text(encoding="utf-8"))
        assert {row: row_of(whole, row) for row in table} == table


def test_policies_are_in_their_order():
    """Of several reasons, a refused certificate gets that of the first policy."""
    assert list(tables.table("policies", dict[str, Any])) == list(listed()["policies"])
