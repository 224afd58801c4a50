"""The tables of go-gnark/verify/tables: names, types and sentences that every program that verifies has in common.

Go can embed no file outside its module, so the tables stand there; a wheel has them beside this module. A table that
is not as its reader expects is a :class:`TableError`, which names the file and the row: a fault of the program, found
where the table is first read. docs/adr/0031-tables-for-what-verifiers-say.md says what a table may hold.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

FOLDER = "go-gnark/verify/tables"
"""Where a checkout has the tables."""

_ID = re.compile(r"[a-z]+(_[a-z]+)*\.[a-z0-9]+(_[a-z0-9]+)*")
_PLACE = re.compile(r"\{([a-z]+(?:_[a-z]+)*)\}")


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

    A value is a text or a whole number, as it is to be shown: filled-in text is not read again. Raises TableError for
    an unknown id, and unless every place has its value and every value its place.
    """
    text, places = _message(sentence)
    if values.keys() != places:
        wanted, given = (", ".join(sorted(names)) or "none" for names in (places, values))
        raise TableError(f"messages.json: {sentence}: the places are {wanted}; values are given for {given}")
    return text.format(**values)


def filled(sentence: str, values: Mapping[str, str | int]) -> str:
    """Return a sentence by its id, with those of the values that it has places for; TableError where one is missing."""
    return say(sentence, **{name: values[name] for name in places_of(sentence) if name in values})


def places_of(sentence: str) -> tuple[str, ...]:
    """Return the places of a sentence in their order, which is the order of values in Go; TableError for no such id."""
    return tuple(_PLACE.findall(_message(sentence)[0]))


def messages() -> dict[str, str]:
    """Return every sentence by id; raises TableError for an id or a text that is malformed."""
    return {sentence: text for sentence, (text, _) in _messages().items()}


def _message(sentence: str) -> tuple[str, frozenset[str]]:
    """Return the text and the places of a sentence."""
    try:
        return _messages()[sentence]
    except KeyError:
        raise TableError(f"messages.json: no sentence {sentence!r}") from None


@cache
def _messages() -> dict[str, tuple[str, frozenset[str]]]:
    """Read the sentences: options of commands have theirs before any package is loaded."""
    sentences = read("messages")
    if not all(isinstance(text, str) for text in sentences.values()):
        raise TableError("messages.json: want an object of texts")
    return {sentence: (text, _places(sentence, text)) for sentence, text in sentences.items()}


def _places(sentence: str, text: str) -> frozenset[str]:
    """Return the places of a text; TableError where it is not a sentence to fill in."""
    places = _PLACE.findall(text)
    if not _ID.fullmatch(sentence):
        raise TableError(f"messages.json: {sentence!r}: want an id such as policy.radius_too_small")
    if not text or text != text.strip():
        raise TableError(f"messages.json: {sentence}: want a text without blanks at its ends")
    if {"{", "}"} & set(_PLACE.sub("", text)):
        raise TableError(f"messages.json: {sentence}: a brace that belongs to no place, such as {{radius}}")
    if len(set(places)) < len(places):
        raise TableError(f"messages.json: {sentence}: two places have the same name")
    return frozenset(places)
