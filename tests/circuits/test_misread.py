"""Wrong fields of documents are said in the sentences of the tables, each kind of message of the decoder."""

import importlib
import pkgutil
from decimal import Decimal
from typing import Annotated, Literal

import msgspec
import pytest
from msgspec import inspect

import equiproof.register
import equiproof.verifier
from equiproof.circuits import misread, tables
from equiproof.circuits.canonical import DocumentError, parse

TOOLS = Annotated[
    dict[Annotated[str, msgspec.Meta(min_length=1, max_length=3)], Annotated[str, msgspec.Meta(max_length=2)] | None],
    msgspec.Meta(max_length=2),
]


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A document with a value of each type."""

    whole: int | None = 0
    amount: float | None = 0.0
    exact: Decimal = Decimal(0)
    text: str = ""
    raw: float | int | str = 0
    value: bool | float | int | str | None = 0
    flag: bool = False
    many: tuple[int, ...] | None = ()
    pair: tuple[str, Literal["z", "a"]] = ("", "a")
    several: list[int] | str = ""
    kind: Literal["z", "b", "a"] | None = None
    number: Literal[3, 1] = 1
    named: str = msgspec.field(default="", name="@named")
    tools: TOOLS = {}
    parts: "tuple[Part, ...]" = ()
    by_name: "dict[str, Part] | None" = None

    def __post_init__(self):
        """Refuse a text of its own."""
        if self.text == "own":
            raise ValueError("want another text")


class Least(msgspec.Struct, frozen=True):
    """A document with a field that has to be there."""

    first: int


SAID = {
    ('{"whole":"1"}', "want an integer, not text"),
    ('{"whole":1.5}', "want an integer"),
    ('{"whole":[]}', "want an integer, not a list"),
    ('{"whole":1e400}', "want a smaller number: this one is too large"),
    ('{"amount":{}}', "want number, not an object"),
    ('{"exact":[]}', "want number, not a list"),
    ('{"exact":"x"}', "want number, not text"),
    ('{"text":null}', "want text, not null"),
    ('{"text":1}', "want text, not number"),
    ('{"text":2.5}', "want text, not number"),
    ('{"raw":true}', "want text or a number, not true or false"),
    ('{"value":[]}', "want true or false or number or text, not a list"),
    ('{"flag":0}', "want true or false, not number"),
    ('{"many":{}}', "want a list, not an object"),
    ('{"pair":["a"]}', "want a list of 2"),
    ('{"several":1}', "want text or a list, not number"),
    ('{"tools":{"a":"","b":"","c":""}}', "want at most 2 entries"),
    ('{"tools":[]}', "want an object, not a list"),
    ('{"kind":"c"}', "'c' is not one of z, b, a"),
    ('{"kind":1}', "want text, not number"),
    ('{"number":2}', "2 is not one of 3, 1"),
    ('{"@named":1}', "want text, not number"),
}


def refusal(text, kind=Part):
    """Return what is said of a document."""
    with pytest.raises(DocumentError) as caught:
        parse(text.encode(), kind, "where")
    assert caught.value.reason == "wrong-fields"
    return str(caught.value)


@pytest.mark.parametrize(("text", "said"), sorted(SAID))
def test_a_wrong_value_is_said_in_a_sentence_of_the_tables(text, said):
    """It names the field, wherever the document stands, and never the decoder's own words."""
    field = text.split('"')[1]
    assert refusal(text) == f"where: field {field}: {said}"
    assert refusal(f'{{"parts":[{{}},{text}]}}') == f"where: field parts[1].{field}: {said}"
    assert refusal(f'{{"by_name":{{"x":{text}}}}}') == f"where: field by_name[...].{field}: {said}"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", "where: want an object, not a list"),
        ('{"more":1}', "where: want no field 'more': it is unknown here"),
        ('{"parts":[{"more":1}]}', "where: field parts[0]: want no field 'more': it is unknown here"),
        ('{"' + "m" * 90 + '":1}', f"where: want no field '{'m' * 40}': it is unknown here"),
        ('{"x - at `$.y`":1}', "where: want no field 'x - at `$.y`': it is unknown here"),
        ('{"kind":"x - at `$.y`"}', "where: field kind: 'x - at `$.y`' is not one of z, b, a"),
        ("""{"kind":"it's\\n"}""", r"""where: field kind: "it's\n" is not one of z, b, a"""),
        ('{"kind":"' + "k" * 90 + '"}', f"where: field kind: '{'k' * 40}' is not one of z, b, a"),
        ('{"pair":["",""]}', "where: field pair[1]: '' is not one of z, a"),
        ('{"many":[null]}', "where: field many[0]: want an integer, not null"),
        ('{"tools":{"a":"abc"}}', "where: field tools[...]: want 0 to 2 characters"),
        ('{"tools":{"":"abc"}}', "where: field tools, a name in it: want 1 to 3 characters"),
        ('{"tools":{"abcd":""}}', "where: field tools, a name in it: want 1 to 3 characters"),
        ('{"text":"own"}', "where: want another text"),
    ],
)
def test_where_it_stands(text, said):
    """Of names as of values, whatever they look like; a struct says itself what is wrong with its fields together."""
    assert refusal(text) == said


def test_a_missing_field_is_named():
    """So it is inside a list."""
    assert refusal("{}", Least) == "where: want a field 'first': it is missing"
    assert refusal("[{}]", list[Least]) == "where: field [0]: want a field 'first': it is missing"


def test_it_is_said_in_the_language_that_is_spoken():
    """The types are named in it, too."""
    with tables.speaking("de"):
        assert refusal('{"whole":true}') == "where: Feld whole: erwartet ist eine ganze Zahl, nicht true oder false"
        assert refusal('{"more":1}') == "where: erwartet ist kein Feld 'more': es ist hier unbekannt"


def test_the_tables_name_each_type_that_documents_have():
    """No document of a verifier has a type, or a bound, whose refusal only the decoder has words for."""
    for room in (equiproof.verifier, equiproof.register):
        for module in pkgutil.walk_packages(room.__path__, f"{room.__name__}."):
            importlib.import_module(module.name)
    kinds = [kind for kind in subclasses(msgspec.Struct) if kind.__module__.startswith(ROOMS)]
    # What several documents have in common is read as each of them.
    kinds = [kind for kind in kinds if not getattr(kind, "__parameters__", ())]
    found = {one for kind in kinds for field in inspect.type_info(kind).fields for one in types(field.type)}
    assert len(kinds) > 50
    assert {name for name, _ in found} <= {
        "AnyType", "BoolType", "DecimalType", "DictType", "FloatType", "FrozenSetType", "IntType",
        "ListType", "LiteralType", "NoneType", "RawType", "StrType", "StructType", "TupleType", "UnionType",
        "VarTupleType",
    }  # fmt: skip
    bounded = {(name, bound) for name, bounds in found for bound in bounds}
    assert bounded == {("StrType", "min_length"), ("StrType", "max_length"), ("DictType", "max_length")}
    assert set(misread._NAMES) == {"array", "bool", "decimal", "float", "int", "null", "object", "str"}


ROOMS = ("equiproof.circuits.", "equiproof.register.", "equiproof.verifier.")
BOUNDS = ("gt", "ge", "lt", "le", "multiple_of", "min_length", "max_length", "pattern")


def subclasses(kind):
    """Yield the classes below a class."""
    for one in kind.__subclasses__():
        yield one
        yield from subclasses(one)


def types(kind):
    """Yield the name of a type and its bounds, and those of what is inside it; a struct is looked at by itself."""
    yield type(kind).__name__, tuple(name for name in BOUNDS if getattr(kind, name, None) is not None)
    inner = [getattr(kind, name, None) for name in ("item_type", "key_type", "value_type")]
    for one in (*inner, *getattr(kind, "item_types", ()), *getattr(kind, "types", ())):
        if one is not None:
            yield from types(one)
