"""The tables that programs share: what a reader refuses, and that each call says a sentence that is there."""

import ast
import inspect
import json
import re
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, get_args

import pytest

from equiproof.circuits import proof_systems, schemes, tables
from equiproof.circuits.tables import TableError, say
from equiproof.circuits.text import LONGEST_LINE, LONGEST_VALUE
from equiproof.cli.main import _commands
from equiproof.verifier import combined, gain_policy, logged, policy, transcripts, words
from equiproof.verifier.documents import SetupKind
from equiproof.verifier.policy_file import ContextRequirement, Requirements
from equiproof.verifier.reasons import REASONS
from equiproof.verifier.requirements import policy_of
from tests.support import ROOT

SENTENCES = json.loads((ROOT / "tests" / "golden" / "sentences-112d0a1.json").read_text(encoding="utf-8"))
"""The sentences that Python's sources held before the table, by their ids, with `{}` for what is filled in."""

REPLACED = (
    dict.fromkeys(
        (
            *("archive.not_a_zip", "archive.too_many_files", "archive.use_as_received"),
            *("beacon.signature_length_wrong", "beacon.signature_not_in_subgroup", "beacon.signature_not_point"),
            *("beacon.signature_of_other_round", "draw.more_than_receipts", "format.not_canonical", "format.too_long"),
            *("gain.feature_not_sensitive", "gain.value_unknown", "key.folder_empty", "key.name_differs"),
            *("listed.begins_wrong", "listed.digest_differs", "listed.file_misplaced", "listed.file_too_long"),
            *("listed.files_differ", "listed.unknown_file", "lot.answer_missing", "lot.checkpoint_differs"),
            *("lot.commitment_differs", "lot.document_of_other_party", "lot.document_of_other_period"),
            *("lot.keys_differ", "lot.log_entries_differ", "lot.log_key_differs", "lot.nonce_differs"),
            *("lot.nonce_where_nonces", "lot.not_an_auditor", "lot.not_in_log", "lot.opened_too_early"),
            *("lot.other_seals", "lot.receipt_twice", "lot.receipts_differ", "lot.round_where_beacon"),
            *("lot.sealed_too_late", "lot.signature_wrong", "lot.witnesses_missing", "lot.witnesses_too_few"),
            *("many.bundle_in_lines", "name.scripts_look_alike", "note.secret_key", "option.step_log_of_others"),
            *("policy.key_of_others", "policy.range_reversed", "policy.setup_of_key_that_came"),
            *("present.too_many_files", "present.two_of_kind", "query.raw_features", "spec.domain_misplaced"),
            *("entry.too_long", "log_proof.too_long", "merkle.path_between_too_long", "merkle.path_too_long"),
            *("note.too_long", "source.too_long", "spec.values_coincide"),
        ),
        "the remedy stands first",
    )
    | dict.fromkeys(
        ("format.a_name_in_it", "name.holds_forbidden", "name.looks_like", "present.folder_empty"),
        "programs added words of their own language, or a comma",
    )
    | dict.fromkeys(
        (
            "lot.receipt_not_counted",
            "unproven.key_that_came",
            "source.compressed",
        ),
        "it was read twice to be understood",
    )
)
"""Ids of sentences that were replaced since, and why."""

SAYING = ("say", "english", "written")
"""The functions that fill in a sentence of a table."""

ENGLISH = {
    *("the", "of", "is", "are", "and", "not", "want", "than", "with", "from", "no", "that"),
    *("by", "which", "has", "have", "were", "it", "its", "or"),
}
"""Words of English that are none of German."""

POLICIES = tables.table("policies", dict[str, dict[str, Any]])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder whose tables are read in place of the project's own."""
    monkeypatch.setattr(tables, "path_of", lambda name: tmp_path / f"{name}.json")
    tables.every_message.cache_clear()
    yield tmp_path
    tables.every_message.cache_clear()


def test_a_sentence_is_filled_in():
    """Values are texts or whole numbers, and what is filled in is not read again."""
    assert say("note.too_long", bytes=5) == "want at most 5 bytes: the note is longer"
    assert say("point.not_on_curve", point="{x}") == "{x} is not on the curve"
    assert tables.places_of("merkle.no_such_entry") == ("index", "size")


@pytest.mark.parametrize(
    ("sentence", "values", "message"),
    [
        ("note.too_lonk", {}, "messages.json: no sentence 'note.too_lonk'"),
        ("note.too_long", {}, "messages.json: note.too_long: the places are bytes; values are given for none"),
        (
            "note.too_long",
            {"bytes": 1, "more": 2},
            "note.too_long: the places are bytes; values are given for bytes, more",
        ),
        ("note.not_utf8", {"bytes": 1}, "note.not_utf8: the places are none; values are given for bytes"),
    ],
)
def test_a_call_that_does_not_fit_is_an_error(sentence, values, message):
    """An unknown id, a missing value and a surplus one are errors that name the sentence."""
    with pytest.raises(TableError, match=message):
        say(sentence, **values)


@pytest.mark.parametrize(
    ("found", "message"),
    [
        ("{", "messages.json: "),
        ("[]", "messages.json: want an object"),
        ('{"en": {}}', "messages.json: the languages are en, want en, de"),
        ('{"en": {"a.b": 1}, "de": {}}', "messages.json: want an object of texts"),
        ('{"en": {}, "de": {"Radius": "a b c"}}', "'Radius': want an id such as policy.radius_too_small"),
        ('{"en": {"a.b": " padded"}, "de": {}}', "a.b: want a text without blanks at its ends"),
        ('{"en": {"a.b": "the {0} byte"}, "de": {}}', "a.b: a brace that belongs to no place"),
        ('{"en": {"a.b": "{x} and {x}"}, "de": {}}', "a.b: two places have the same name"),
        ('{"en": {"a.b": "x", "a.c": "y"}, "de": {"a.b": "x"}}', "a.c: only one language has it .language de."),
        ('{"en": {"a.b": "{x}"}, "de": {"a.b": "{y}"}}', "a.b: other places than in English .language de."),
    ],
)
def test_a_malformed_table_of_sentences_is_an_error(folder, found, message):
    """Text that could not be filled in is found when the table is read, and the row is named."""
    (folder / "messages.json").write_text(found)
    with pytest.raises(TableError, match=message):
        tables.messages()


def test_a_table_that_lacks_something_is_an_error(folder):
    """A missing file, a missing field and a missing language are named."""
    with pytest.raises(TableError, match=r"kinds\.json"):
        tables.table("kinds", dict[str, str])
    (folder / "kinds.json").write_text('{"equiproof-key": {}}')
    with pytest.raises(TableError, match=r"kinds\.json: Object missing required field `name`"):
        tables.table("kinds", dict[str, tables_row()])
    (folder / "words.json").write_text('{"en": {"a": "x", "b": "y"}, "de": {"a": "x"}}')
    with pytest.raises(TableError, match=r"words\.json: language de lacks b"):
        words.table.__wrapped__()


def tables_row():
    """Return the type of a row of kinds.json."""
    from equiproof.circuits.kinds import KindRow

    return KindRow


def test_sentences_are_sorted():
    """A new sentence has one place in the file."""
    for sentences in (*map(tables.messages, tables.LANGUAGES), tables.written_sentences()):
        assert list(sentences) == sorted(sentences)


def test_no_sentence_is_longer_than_a_line():
    """With a value as long as values are shown at each place, every sentence of each language fits uncut."""
    for language in tables.LANGUAGES:
        with tables.speaking(language):
            for sentence in tables.messages():
                values = dict.fromkeys(tables.places_of(sentence), "x" * LONGEST_VALUE)
                assert len(say(sentence, **values)) <= LONGEST_LINE, (language, sentence)


def test_a_sentence_has_one_table():
    """An id names a sentence for readers, or one of documents and help."""
    assert not set(tables.messages()) & set(tables.written_sentences())


def test_no_english_is_left_in_german():
    """Each sentence is translated, and quotes as German does."""
    for sentence, text in tables.messages("de").items():
        assert text != tables.messages()[sentence], sentence
        words = set(re.findall(r"[A-Za-z_]+", re.sub(r"`[^`]*`|--[a-z-]+|\{[a-z_]+\}", "", text)))
        assert not words & ENGLISH, (sentence, words & ENGLISH)
        assert not set("“”") & set(text) or "„" in text, sentence


def test_the_language_is_that_of_a_context():
    """One thread's language is no other's, and it ends with its block; an unknown one is an error."""
    with ThreadPoolExecutor(1) as pool, tables.speaking("de"):
        assert say("note.not_utf8") == "ein Vermerk, der kein UTF-8-Text ist"
        assert pool.submit(say, "note.not_utf8").result() == "a note that is not UTF-8 text"
        assert tables.english("note.not_utf8") == "a note that is not UTF-8 text"
        assert tables.in_language("a note that is not UTF-8 text") == say("note.not_utf8")
        assert tables.in_language("a text of somebody else") == "a text of somebody else"
        assert tables.written("value.this_only") == "this value only"
    assert say("note.not_utf8") == "a note that is not UTF-8 text"
    with pytest.raises(TableError, match=r"messages.json: no language 'fr'"), tables.speaking("fr"):
        pass


def test_nothing_is_said_when_a_module_is_loaded():
    """A sentence that a module or a class keeps would have the language of whoever loaded it."""
    for path, tree in trees().items():
        assert not list(_at_loading(tree)), path


@cache
def trees():
    """Return the syntax trees of the package's files, of those that name a function which says a sentence."""
    sources = {path: path.read_text(encoding="utf-8") for path in sorted((ROOT / "equiproof").rglob("*.py"))}
    return {path: ast.parse(text) for path, text in sources.items() if any(name in text for name in SAYING)}


def called(node):
    """Return what a node calls, where that is a name or an attribute of one; an empty text otherwise."""
    match node:
        case ast.Call(func=ast.Name(id=name)):
            return name
        case ast.Call(func=ast.Attribute(value=ast.Name(id=of), attr=name)):
            return f"{of}.{name}"
    return ""


def _at_loading(node):
    """Yield the calls of `say` that run when a module is loaded: none of a body of a function."""
    if called(node) in ("say", "tables.say"):
        yield node
    for name, inner in ast.iter_fields(node):
        later = name == "body" and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for one in () if later else inner if isinstance(inner, list) else [inner]:
            if isinstance(one, ast.AST):
                yield from _at_loading(one)


def test_no_sentence_has_changed():
    """Each sentence is as it was when programs had their own copies, or is listed as replaced."""
    for sentence, text in SENTENCES.items():
        if sentence not in REPLACED:
            now = tables.written_sentences() | tables.messages()
            assert now[sentence].format_map(_Empty()) == text, sentence
    assert set(REPLACED) <= set(SENTENCES)


class _Empty(dict):
    """Fills in `{}` for each place."""

    def __missing__(self, key):
        return "{}"


def calls():
    """Yield every call that says a sentence of a table in the package: the file, and the syntax tree of the call."""
    for path, tree in trees().items():
        imported = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        own = {
            name.name
            for node in imported
            if node.module == "equiproof.circuits.tables"
            for name in node.names
            if name.name in SAYING
        }
        for node in ast.walk(tree):
            if called(node) in own | {f"tables.{name}" for name in SAYING}:
                yield path.relative_to(ROOT), node


def test_each_call_says_a_sentence_of_the_table():
    """Each call names its sentence in the source, and gives a value to each place by its name."""
    for path, call in calls():
        where = f"{path}:{call.lineno}"
        assert len(call.args) == 1, where
        assert isinstance(call.args[0], ast.Constant), where
        table = tables.written_sentences() if called(call).endswith("written") else tables.messages()
        assert call.args[0].value in table, where
        assert sorted(tables.places_of(call.args[0].value)) == sorted(str(word.arg) for word in call.keywords), where


def test_the_table_of_policies_is_that_of_the_classes():
    """Each policy is a row: its reasons, its argument, its field of a policy file, and what it covers."""
    kinds = {
        name: kind
        for module in (policy, transcripts, combined, logged, gain_policy)
        for name, kind in vars(module).items()
        if inspect.isclass(kind) and kind.__module__ == module.__name__ and hasattr(kind, "covers")
    }
    assert set(POLICIES) == set(kinds) - {"AllOf", "UnsafeNoPolicy"}
    arguments, own = inspect.signature(policy_of).parameters, {"required": Requirements, "context": ContextRequirement}
    fields = {*own["required"].__struct_fields__, *(f"context.{name}" for name in own["context"].__struct_fields__)}
    for name, row in POLICIES.items():
        kind = kinds[name]
        assert row["reasons"] == list(getattr(kind, "reasons", None) or (kind.reason,)), name
        assert all(REASONS[reason].kind == "policy" for reason in row["reasons"]), name
        if not isinstance(inspect.getattr_static(kind, "covers"), property):
            assert {say(sentence) for sentence in row["covers"]} == kind.covers, name
        assert {row.get("argument")} <= {None, *arguments}, name
        assert {row.get("field")} <= {None, *fields}, name
        assert {row.get("help"), row.get("python_help")} <= {None, *tables.written_sentences()}, name
    assert {row["argument"] for row in POLICIES.values() if "argument" in row} == set(arguments)
    assert {row["field"] for row in POLICIES.values() if "field" in row} == fields


def test_options_of_policies_are_options_of_commands():
    """Each option that a policy comes from is one of the commands of its row."""
    program = _commands()
    for row in POLICIES.values():
        for line in row.get("commands", ()):
            command = program
            for word in line.split():
                command = command.commands[word]
            assert row["option"] in {option for one in command.params for option in one.opts}, (row, line)
    assert all(("option" in row) == ("commands" in row) for row in POLICIES.values())


def test_the_table_of_systems_is_that_of_the_types():
    """Names of proof systems, schemes, relations and set-ups are those that Python's types have."""
    found = tables.table("systems", dict[str, Any])
    assert found == {
        "proof_systems": list(proof_systems.PROOF_SYSTEMS),
        "schemes": list(get_args(schemes.Scheme)),
        "relations": {relation: schemes.scheme_of(relation) for relation in get_args(schemes.Relation)},
        "setups": list(get_args(SetupKind)),
    }


def test_each_language_has_every_word():
    """words.json and messages.json have the languages that programs offer."""
    assert list(words.table()) == list(tables.LANGUAGES) == list(get_args(words.Language))
