"""What a decoder says of a document with wrong fields, in the sentences of the tables, which all verifiers say."""

from __future__ import annotations

import re
from ast import literal_eval
from collections.abc import Callable, Iterator, Mapping
from types import UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

import msgspec

from equiproof.circuits.tables import say
from equiproof.circuits.text import plain


class Place(NamedTuple):
    """Where a value stands: the type of the document, and the path in it, such as `.points[0].x`.

    `is_name`: it is a name in the object there.
    """

    kind: Any
    path: str
    is_name: bool = False


_NAMES: Mapping[str, Callable[[], str]] = {
    "array": lambda: say("type.list"),
    "bool": lambda: say("type.flag"),
    "decimal": lambda: say("type.number"),
    "float": lambda: say("type.number"),
    "int": lambda: say("type.integer"),
    "null": lambda: say("type.null"),
    "object": lambda: say("type.object"),
    "str": lambda: say("type.text"),
}
"""What is said of each type of JSON, by the decoder's name."""

_FLOATS = {"decimal", "float"}
_MOST_REPEATED = 40
"""The most characters of a name or a value that are repeated."""

_STEP = re.compile(r"\.([^.\[\]`]+)|\[([0-9]+|\.\.\.)\]")
"""A step of a path: the name of a field, or what stands in brackets: the place in a list, or dots for any name."""

_PATH = re.compile(rf" - at (`key` in )?`\$((?:{_STEP.pattern})*)`\Z")
"""The path behind a message. No name or text that the message repeats ends as a path does."""


def wrong_fields(where: str, message: str, kind: Any) -> str:
    """Return one line on what a decoder found wrong in the document `where` of a type, with the field before it.

    What a struct says itself of its fields stays as it is.
    """
    behind = _PATH.search(message)
    is_name, path = (behind[1] is not None, behind[2]) if behind else (False, "")
    text = message[: behind.start()] if behind else message
    problem = plain(_said(text, Place(kind, path, is_name)))
    parts = [path.lstrip("."), say("format.a_name_in_it") if is_name else ""]
    field = ", ".join(part for part in parts if part)
    if not field:
        return f"{where}: {problem}"
    return say("format.field_wrong", where=where, field=plain(field), problem=problem)


def _said(message: str, place: Place) -> str:
    """Return what a decoder says of a value in the words of the tables."""
    for pattern, sentence in _SENTENCES.items():
        if match := pattern.fullmatch(message):
            return sentence(match, place)
    return message


def _of_other_type(match: re.Match[str], _place: Place) -> str:
    """Say that a value is of another type than those that are wanted; null is not named beside others."""
    names, found = match[1].split(" | "), match[2]
    if found == "float" and "int" in names and not _FLOATS & {*names}:
        return say("value.want_integer")
    names = [name for name in names if name != "null"] or names
    # A number of any kind is one; to JSON, a number that was found is no more than that.
    names = list(dict.fromkeys("float" if _FLOATS & {*names} and name == "int" else name for name in names))
    if names == ["float", "str"]:
        wanted = say("type.text_or_number")
    else:
        wanted = f" {say('word.or')} ".join(_NAMES[name]() for name in names)
    return say("value.of_other_type", wanted=wanted, found=_NAMES["float" if found == "int" else found]())


def _not_one_of(match: re.Match[str], place: Place) -> str:
    """Say which texts or numbers are known."""
    known = [str(one) for hint in _hints(place) if get_origin(hint) is Literal for one in get_args(hint)]
    value = literal_eval(match[1])  # written as Python does
    value = value[:_MOST_REPEATED] if isinstance(value, str) else value
    return say("value.not_one_of", value=repr(value), known=", ".join(known))


def _length_wrong(_match: re.Match[str], place: Place) -> str:
    """Say how long a text may be."""
    bounds = [one for hint in _hints(place) for one in get_args(hint)[1:] if isinstance(one, msgspec.Meta)]
    least = max((one.min_length or 0 for one in bounds), default=0)
    most = max((one.max_length or 0 for one in bounds), default=0)
    return say("value.length_wrong", least=least, most=most)


_SENTENCES: Mapping[re.Pattern[str], Callable[[re.Match[str], Place], str]] = {
    re.compile(pattern, re.DOTALL): sentence
    for pattern, sentence in (
        (r"Expected `([^`]+)`, got `([^`]+)`", _of_other_type),
        (r"Object missing required field `(.*)`", lambda match, _: say("value.field_missing", field=f"'{match[1]}'")),
        (
            r"Object contains unknown field `(.*)`",
            lambda match, _: say("value.field_unknown", field=repr(match[1][:_MOST_REPEATED])),
        ),
        (r"Invalid enum value (.*)", _not_one_of),
        (r"Expected `array` of length ([0-9]+)", lambda match, _: say("value.list_length_wrong", length=match[1])),
        (r"Expected `object` of length <= ([0-9]+)", lambda match, _: say("value.too_many_entries", most=match[1])),
        (r"Expected `str` of length [<>]= [0-9]+", _length_wrong),
        (
            r"Invalid decimal string",
            lambda _match, _: say("value.of_other_type", wanted=say("type.number"), found=say("type.text")),
        ),
        (r"(?:Number|Integer value) out of range", lambda _match, _: say("value.too_large")),
    )
}
"""What is said of each message of the decoder."""


def _hints(place: Place) -> Iterator[Any]:
    """Yield the types that may stand at a place."""
    hints = [*_alternatives(place.kind)]
    for name, inside in _STEP.findall(place.path):
        hints = [one for hint in hints for inner in _inner(hint, name, inside) for one in _alternatives(inner)]
    if not place.is_name:
        return iter(hints)
    return (get_args(_bare(hint))[0] for hint in hints if get_origin(_bare(hint)) is dict)


def _inner(hint: Any, name: str, inside: str) -> Iterator[Any]:
    """Yield the types of the field of a name, or of what stands in brackets."""
    bare = _bare(hint)
    kind, inner = get_origin(bare), get_args(bare)
    if name and isinstance(bare, type) and issubclass(bare, msgspec.Struct):
        yield from (field.type for field in msgspec.structs.fields(bare) if field.encode_name == name)
    elif inside == "..." and kind is dict:
        yield inner[1]
    elif inside.isdigit() and kind in (tuple, list, frozenset):
        yield inner[int(inside) if kind is tuple and Ellipsis not in inner else 0]


def _alternatives(hint: Any) -> Iterator[Any]:
    """Yield the types of a union, and another type as it is."""
    if get_origin(hint) not in (Union, UnionType):
        yield hint
        return
    for one in get_args(hint):
        yield from _alternatives(one)


def _bare(hint: Any) -> Any:
    """Return a type without its bounds."""
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint
