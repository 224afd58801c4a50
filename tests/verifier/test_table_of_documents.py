"""documents.json: the fields of the documents that verifiers read are those of the structures that Python reads.

A document is read by its fields' names and types; what else must hold of a value is the readers' own to check.
"""

from typing import Any

import msgspec
from msgspec import inspect

from equiproof.circuits import kinds, shape, spec, tables
from equiproof.register.lot import documents as lot
from equiproof.verifier import certificate, documents, gain, package, policy_file, receipt

READ = {
    documents.COMMITMENT: documents.CommitmentDocument,
    documents.QUERY: documents.QueryDocument,
    documents.KEY: documents.KeyDocument,
    certificate.CERTIFICATE: certificate.Certificate,
    gain.GAIN: gain.GainCertificate,
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
PLAIN = {
    inspect.StrType: "text",
    inspect.IntType: "integer",
    inspect.FloatType: "number",
    inspect.BoolType: "true or false",
    inspect.NoneType: "null",
    inspect.AnyType: "anything",
}


def in_words(kind, parts):
    """Return a type in words; a structure by its name, with its fields among `parts`."""
    if isinstance(kind, inspect.Metadata):
        return in_words(kind.type, parts)
    if isinstance(kind, inspect.StructType):
        if kind.cls.__name__ not in parts:
            parts[kind.cls.__name__] = {}
            parts[kind.cls.__name__].update(fields(kind, parts))
        return kind.cls.__name__
    if isinstance(kind, inspect.UnionType):
        return " or ".join(in_words(one, parts) for one in kind.types)
    if isinstance(kind, inspect.LiteralType):
        return "one of " + ", ".join(map(str, kind.values))
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
    return {"documents": whole, "parts": dict(sorted(parts.items()))}


def test_the_table_has_the_fields_of_the_structures():
    """Each document and each part has the same fields of the same types, required or not."""
    assert tables.table("documents", dict[str, Any]) == msgspec.to_builtins(described())


def test_documents_are_of_known_kinds():
    """Each document that is read has a name for errors about files of the wrong kind."""
    assert {mark for mark, _ in READ} <= set(kinds.KINDS)
