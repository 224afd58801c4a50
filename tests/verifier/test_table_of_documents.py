"""documents.json: the fields of the documents that verifiers read are those of the structures that Python reads.

A document is read by its fields' names and types; what else must hold of a value is the readers' own to check. The
fields of a policy file are rows of policies.json: here is the type of each kind of their values.
"""

import json
from typing import Any, get_args

import msgspec
from msgspec import inspect

from equiproof.circuits import kinds, shape, spec, tables
from equiproof.register.lot import documents as lot
from equiproof.verifier import (
    box,
    bundle,
    certificate,
    documents,
    entries,
    gain,
    link,
    opened_box,
    package,
    policy_file,
    receipt,
    wishes,
)

READ = {
    documents.COMMITMENT: documents.CommitmentDocument,
    documents.QUERY: documents.QueryDocument,
    documents.KEY: documents.KeyDocument,
    certificate.CERTIFICATE: certificate.Certificate,
    gain.GAIN: gain.GainCertificate,
    box.BOX: box.BoxCertificate,
    link.LINK: link.LinkDocument,
    opened_box.OPENED_BOX: opened_box.OpenedBox,
    wishes.WISHES: wishes.WishesDocument,
    bundle.MANIFEST: bundle.Manifest,
    receipt.RECEIPT: receipt.Receipt,
    package.PACKAGE: package.PackageManifest,
    policy_file.POLICY: policy_file.PolicyDocument,
    (spec.FORMAT, spec.VERSION): spec.Spec,
    (shape.FORMAT, shape.VERSION): shape.Shape,
    lot.PERIOD: lot.PeriodDocument,
    lot.SEAL: lot.Seal,
    lot.OPENING: lot.Opening,
    lot.BEACON: lot.Beacon,
    lot.ANSWER: lot.Answer,
    lot.NONCE: lot.NonceDocument,
}
ENTRIES = get_args(entries.Entry)
"""An entry of a register is one of these, by its kind."""

OTHER_KEYS = (documents.LinkKeyDocument,)
"""Metadata of keys have one mark, and are read as those that are wanted."""

NAMED = {kind.__name__: mark for (mark, _), kind in READ.items()}
"""A document that stands in another has its mark as the name of its type."""

OF_POLICIES = (policy_file.Requirements.__name__, policy_file.ContextRequirement.__name__)
PLAIN = {
    inspect.StrType: "text",
    inspect.IntType: "integer",
    inspect.FloatType: "number",
    inspect.BoolType: "true or false",
    inspect.NoneType: "null",
    inspect.AnyType: "anything",
}


def in_words(kind, parts):
    """Return a type in words; a structure by its name, with its fields among `parts` where it is no document."""
    if isinstance(kind, inspect.Metadata):
        return in_words(kind.type, parts)
    if isinstance(kind, inspect.StructType):
        name = kind.cls.__name__
        if name not in (*parts, *NAMED, *OF_POLICIES):
            parts[name] = fields(kind, parts)
        return NAMED.get(name, name)
    if isinstance(kind, inspect.UnionType):
        return " or ".join(in_words(one, parts) for one in kind.types)
    if isinstance(kind, inspect.LiteralType):
        return "one of " + ", ".join(sorted(map(str, kind.values)))
    if isinstance(kind, inspect.DictType):
        return f"object of {in_words(kind.value_type, parts)}"
    if isinstance(kind, inspect.ListType | inspect.VarTupleType):
        return f"list of {in_words(kind.item_type, parts)}"
    if isinstance(kind, inspect.TupleType):
        return f"list of {len(kind.item_types)}: " + ", ".join(in_words(one, parts) for one in kind.item_types)
    return PLAIN[type(kind)]


def fields(kind, parts):
    """Return the fields of a structure: the type of each, and whether a document must have it."""
    return {
        field.encode_name: {"type": in_words(field.type, parts), "required": field.required} for field in kind.fields
    }


def described():
    """Return the table as the structures have it. Only one version of each document is read, so each field is its."""
    parts = {}
    whole = {
        mark: {"since": version, "fields": fields(inspect.type_info(kind), parts)}
        for (mark, version), kind in READ.items()
    }
    parts |= {kind.__name__: fields(inspect.type_info(kind), parts) for kind in (*ENTRIES, *OTHER_KEYS)}
    return {"values": values(parts), "documents": whole, "parts": dict(sorted(parts.items()))}


def values(parts):
    """Return the type of each kind of value, by the fields of a policy file that have it; none is required."""
    required = fields(inspect.type_info(policy_file.Requirements), parts)
    context = fields(inspect.type_info(policy_file.ContextRequirement), parts)
    required |= {f"context.{name}": row for name, row in context.items()}
    found = {}
    for row in tables.table("policies", dict[str, dict[str, Any]]).values():
        if "field" in row:
            field = required.pop(row["field"])
            assert not field["required"], row
            assert found.setdefault(row["kind"], field["type"]) == field["type"], row
    assert not required
    return found


def in_order(value):
    """Return part of the table with names of one list in the order of the alphabet, which is that of `inspect`."""
    if isinstance(value, dict):
        return {name: in_order(inner) for name, inner in value.items()}
    if not (isinstance(value, str) and value.startswith("one of ")):
        return value
    names, null, _ = value.removeprefix("one of ").partition(" or null")
    return "one of " + ", ".join(sorted(names.split(", "))) + null


def test_the_table_has_the_fields_of_the_structures():
    """Each document and each part has the same fields of the same types, required or not."""
    assert in_order(tables.table("documents", dict[str, Any])) == msgspec.to_builtins(described())


def test_fields_are_in_the_order_of_the_structures():
    """Of several fields that a document lacks, each program names the first."""
    described_fields, table = described(), json.loads(tables.path_of("documents").read_text(encoding="utf-8"))
    for mark, document in described_fields["documents"].items():
        assert list(table["documents"][mark]["fields"]) == list(document["fields"]), mark
    for name, part in described_fields["parts"].items():
        assert list(table["parts"][name]) == list(part), name


def test_documents_are_of_known_kinds():
    """Each document that is read has a name for errors about files of the wrong kind."""
    assert {mark for mark, _ in READ} <= set(kinds.KINDS)
