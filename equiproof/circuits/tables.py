"""The tables of go-gnark/verify/tables: names, types and sentences that every program that verifies has in common.

Go can embed no file outside its module, so the tables stand there; a wheel has them beside this module. A table that
is not as its reader expects is a :class:`TableError`, which names the file and the row: a fault of the program, found
where the table is first read. docs/adr/0031-tables-for-what-verifiers-say.md says what a table may hold.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

FOLDER = "go-gnark/verify/tables"
"""Where a checkout has the tables."""

LANGUAGES = ("en", "de")
"""The languages of words.json and messages.json."""

ENGLISH = LANGUAGES[0]

_ID = re.compile(r"[a-z]+(_[a-z]+)*\.[a-z0-9]+(_[a-z0-9]+)*")
_PLACE = re.compile(r"\{([a-z]+(?:_[a-z]+)*)\}")


_language: ContextVar[str] = ContextVar("language", default=ENGLISH)
"""What :func:`say` speaks: of a thread or a task, so that one caller's language is no other's."""


class TableError(LookupError):
    """A table lacks what a program reads in it, or a sentence is given other values than it has places for."""


def path_of(name: str) -> Path:
    """Return where the table `name` is: beside this module in an installation, in the Go module of a checkout."""
    here = Path(__file__).resolve()
    installed = here.with_name("tables")
    folder = installed if installed.is_dir() else here.parents[2] / FOLDER
    return folder / f"{name}.json"


def table(name: str, kind: type[T]) -> T:
    """Return the table `name` as `kind`; raises TableError, which names what is missing or of another type."""
    import msgspec

    path = path_of(name)
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise TableError(f"{path.name}: {error}") from error


def read(name: str) -> dict[str, Any]:
    """Return the table `name` by Python's own reader, for what is needed before any package is loaded."""
    path = path_of(name)
    try:
        document: Any = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise TableError(f"{path.name}: {error}") from error
    if not isinstance(document, dict):
        raise TableError(f"{path.name}: want an object")
    return document


def say(sentence: str, /, **values: str | int) -> str:
    """Return a sentence of messages.json by its id, each place filled in with the value of its name.

    It is in the language of this context, which :func:`speaking` chooses. A value is a text or a whole number, as it is
    to be shown: filled-in text is not read again. Raises TableError for an unknown id, and unless every place has its
    value and every value its place.
    """
    return _filled("messages", messages(_language.get()), sentence, values)


def english(sentence: str, /, **values: str | int) -> str:
    """Return a sentence of messages.json in English whatever is spoken: for what a sentence names, as checks do."""
    return _filled("messages", messages(), sentence, values)


def in_language(text: str) -> str:
    """Return a sentence without places, given in English, in the language of this context; another text as it is.

    Checks go by their English sentences, whatever language they are then listed in.
    """
    sentence = _by_text().get(text)
    return text if sentence is None else messages(_language.get())[sentence]


def written(sentence: str, /, **values: str | int) -> str:
    """Return a sentence of written.json, which is a part of a document or a help: it has no other language.

    Verifiers compute the words of a certificate again and compare them, so that these never depend on a reader.
    """
    return _filled("written", written_sentences(), sentence, values)


def spoken() -> str:
    """Return the language of this context."""
    return _language.get()


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Say the sentences of this context in a language; raises TableError for one that messages.json lacks."""
    messages(language)
    token = _language.set(language)
    try:
        yield
    finally:
        _language.reset(token)


def filled(sentence: str, values: Mapping[str, str | int]) -> str:
    """Return a sentence by its id, with those of the values that it has places for; TableError where one is missing."""
    return say(sentence, **{name: values[name] for name in places_of(sentence) if name in values})


def places_of(sentence: str) -> tuple[str, ...]:
    """Return the places of a sentence in their order, which is the order of values in Go; TableError for no such id."""
    table = "written" if sentence in written_sentences() else "messages"
    sentences = written_sentences() if table == "written" else messages()
    return tuple(_PLACE.findall(_of(table, sentences, sentence)))


def messages(language: str = ENGLISH) -> dict[str, str]:
    """Return the sentences for technical readers in a language, by id; raises TableError for an unknown language."""
    try:
        return every_message()[language]
    except KeyError:
        raise TableError(f"messages.json: no language {language[:20]!r}") from None


@cache
def every_message() -> dict[str, dict[str, str]]:
    """Return the sentences for technical readers by language and id, read once.

    Raises TableError for an id or a text that is malformed, and where a language lacks a sentence or a place.
    """
    languages = read("messages")
    if languages.keys() != set(LANGUAGES):
        raise TableError(
            f"messages.json: the languages are {', '.join(languages) or 'none'}, want {', '.join(LANGUAGES)}"
        )
    for name, sentences in languages.items():
        try:
            _check("messages", sentences)
            for sentence in sorted(languages[ENGLISH].keys() ^ sentences.keys()):
                raise TableError(f"messages.json: {sentence}: only one language has it")
            for sentence, text in sentences.items():
                if _places(text) != _places(languages[ENGLISH][sentence]):
                    raise TableError(f"messages.json: {sentence}: other places than in English")
        except TableError as error:
            raise TableError(f"{error} (language {name})") from None
    return languages


@cache
def _by_text() -> dict[str, str]:
    """Return the ids of sentences without places by their English texts."""
    return {text: sentence for sentence, text in messages().items() if not _places(text)}


@cache
def written_sentences() -> dict[str, str]:
    """Return the sentences of documents and of help by id; raises TableError for a malformed one."""
    sentences = read("written")
    _check("written", sentences)
    return sentences


def _filled(table: str, sentences: Mapping[str, str], sentence: str, values: Mapping[str, str | int]) -> str:
    """Return a sentence of a table with its places filled in."""
    text = _of(table, sentences, sentence)
    places = _places(text)
    if values.keys() != places:
        wanted, given = (", ".join(sorted(names)) or "none" for names in (places, values))
        raise TableError(f"{table}.json: {sentence}: the places are {wanted}; values are given for {given}")
    return text.format(**values)


def _of(table: str, sentences: Mapping[str, str], sentence: str) -> str:
    """Return the text of a sentence."""
    try:
        return sentences[sentence]
    except KeyError:
        raise TableError(f"{table}.json: no sentence {sentence!r}") from None


def _check(table: str, sentences: Any) -> None:
    """Raise TableError for sentences that cannot be filled in: options have theirs before any package is loaded."""
    if not isinstance(sentences, dict) or not all(isinstance(text, str) for text in sentences.values()):
        raise TableError(f"{table}.json: want an object of texts")
    for sentence, text in sentences.items():
        if not _ID.fullmatch(sentence):
            raise TableError(f"{table}.json: {sentence!r}: want an id such as policy.radius_too_small")
        if not text or text != text.strip():
            raise TableError(f"{table}.json: {sentence}: want a text without blanks at its ends")
        places = _PLACE.findall(text)
        if (text.count("{"), text.count("}")) != (len(places), len(places)):
            raise TableError(f"{table}.json: {sentence}: a brace that belongs to no place, such as {{radius}}")
        if len({*places}) < len(places):
            raise TableError(f"{table}.json: {sentence}: two places have the same name")


@cache
def _places(text: str) -> frozenset[str]:
    """Return the places of a text."""
    return frozenset(_PLACE.findall(text))
