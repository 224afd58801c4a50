"""Files that are none of ours: each parser refuses them, naming file and field, before anything is verified."""

from __future__ import annotations

import base64
import json
from typing import Any

from tests.trapdoor import ORDER, PROOF_PLACES, outside_subgroup, placed, spell_g2
from tests.vectors.generate.cases import (
    LOANS,
    Named,
    certificate_vector,
    document,
    edited,
    proof_of,
    with_proof,
    without,
)
from tests.vectors.vector import CERTIFICATE, COMMITMENT, CONTEXT, KEY, QUERY, VERIFYING, Policy, certificate_base

PLAIN = certificate_base(LOANS)[CERTIFICATE].decode()


def vectors() -> Named:
    """Yield every family."""
    yield from marks()
    yield from fields()
    yield from spellings()
    yield from proofs()
    yield from companions()
    yield from stores()


def malformed(name: str, what: str, reason: str, message: Any, data: Any, file: str = CERTIFICATE, **more: Any) -> Any:
    """Return a named vector of one file that is none."""
    return name, certificate_vector("malformed", what, reason, message, files={file: data}, **more)


def marks() -> Named:
    """Another format or version."""
    for name, path, value, message in (
        ("version-0", "version", 0, "version 0, not 'equiproof-certificate' version 1"),
        ("version-2", "version", 2, "version 2, not 'equiproof-certificate' version 1"),
        ("format", "format", "equiproof-query", "this is 'equiproof-query'"),
        ("proof-system", "proof_system", "plonk-bn254", "proof_system"),
        ("set-up", "key.setup", "trust-me", "field key.setup: Invalid enum value"),
    ):
        reason = "a version or system that is not known has no known meaning"
        yield malformed(f"certificate-{name}", f"another {name}", reason, message, edited(CERTIFICATE, path, value))


def fields() -> Named:
    """Fields that are missing, unknown, or of another type or range."""
    for path in (
        "format",
        "version",
        "statement",
        "reading",
        "key",
        "proof",
        "tools",
        "query",
        "statement.label",
        "key.setup",
    ):
        name = path.rpartition(".")[2]
        title = f"certificate-without-{path.replace('.', '-').replace('_', '-')}"
        yield malformed(
            title,
            f"no field {path}",
            "every field is needed",
            f"missing required field `{name}`",
            without(CERTIFICATE, path),
        )
    for where in ("", "statement.", "reading.", "key."):
        lie = edited(CERTIFICATE, f"{where}tolerance", 1)
        title = f"certificate-unknown-field-{where.rstrip('.') or 'top'}"
        yield malformed(
            title, "an unknown field", "what is not read could mean anything", "unknown field `tolerance`", lie
        )
    for path, value, message in (
        ("statement.label", "1", "statement.label"),
        ("statement.label", True, "statement.label"),
        ("statement.label", -1, "out of range"),
        ("statement.radius_squared", -1, "out of range"),
        ("statement.radius_squared", None, "statement.radius_squared"),
        ("reading.at_least", 1, "reading.at_least"),
        ("tools.gnark", 1, "tools"),
    ):
        title = f"certificate-{path.replace('.', '-').replace('_', '-')}-{str(value).lower()}"
        reason = "one type and one range for each field"
        yield malformed(title, f"{path} is {value!r}", reason, message, edited(CERTIFICATE, path, value))
    for name, value in (
        ("empty", ""),
        ("short", "0" * 63),
        ("long", "0" * 65),
        ("upper-case", "A" * 64),
        ("prefixed", "0x" + "0" * 62),
        ("order", f"{ORDER:064x}"),
        ("all-ones", "f" * 64),
    ):
        lie, reason = edited(CERTIFICATE, "statement.query_commitment", value), "one spelling for each field element"
        yield malformed(
            f"certificate-element-{name}", f"a field element: {name}", reason, "statement.query_commitment", lie
        )


def spellings() -> Named:
    """The very same certificate in another spelling."""
    reason, canonical = "one byte string for each certificate", "not in canonical form (RFC 8785)"
    whole = json.loads(PLAIN)
    for name, text, message in (
        ("spaces", PLAIN.replace(":", ": ", 1), canonical),
        ("newline", PLAIN + "\n", canonical),
        ("indented", json.dumps(whole, indent=1, sort_keys=True), canonical),
        (
            "other-order",
            PLAIN.replace('"version":1}', "}").replace(",}", "}").replace("{", '{"version":1,', 1),
            canonical,
        ),
        ("doubled-field", PLAIN.replace('"version":1}', '"version":1,"version":1}'), canonical),
        ("float", PLAIN.replace('"version":1}', '"version":1.0}'), "got `float`"),
        ("exponent", PLAIN.replace('"label":1', '"label":1e0'), "got `float`"),
        ("escape", PLAIN.replace("equiproof-certificate", "\\u0065quiproof-certificate"), canonical),
        ("byte-order-mark", "\ufeff" + PLAIN, "not valid JSON"),
        ("cut", PLAIN[:-1], "not valid JSON"),
        ("twice", PLAIN + PLAIN, "trailing characters"),
        ("comment", PLAIN + "//", "trailing characters"),
        ("no-bytes", "", "not valid JSON"),
        ("null", "null", "got `null`"),
        ("nested", '{"query":' + "[" * 3000, "field query"),
        ("huge-number", PLAIN.replace('"label":1', '"label":' + "9" * 400), canonical),
    ):
        yield malformed(f"certificate-{name}", f"spelling: {name}", reason, message, text)
    broken = PLAIN.encode().replace(b"granted", b"grant\xffed")
    yield malformed("certificate-not-utf-8", "bytes that are no text", reason, "not valid JSON", broken)
    yield malformed("certificate-utf-16", "another encoding", reason, "not valid JSON", PLAIN.encode("utf-16"))


def proofs() -> Named:
    """Proofs that are none, inside a certificate that is one."""
    proof = proof_of()
    text = base64.b64encode(proof).decode()
    reason = "one text for each proof, and 196 bytes"
    for name, value, message in (
        ("empty", "", "0 bytes, want 196"),
        ("cut", base64.b64encode(proof[:-1]).decode(), "195 bytes, want 196"),
        ("goes-on", base64.b64encode(proof + b"\0").decode(), "197 bytes, want 196"),
        ("without-padding", text.rstrip("="), "not base64"),
        ("url-alphabet", text.replace("+", "-").replace("/", "_"), "not base64"),
        ("newline", text[:76] + "\n" + text[76:], "not base64"),
        ("loose-bits", text[:-3] + chr(ord(text[-3]) + 1) + "==", "not canonical base64"),
        ("hexadecimal", proof.hex(), "294 bytes, want 196"),
    ):
        yield malformed(
            f"certificate-proof-{name}",
            f"proof text: {name}",
            reason,
            f"field proof: {message}",
            edited(CERTIFICATE, "proof", value),
        )
    outside = placed(proof, PROOF_PLACES["B"], spell_g2(outside_subgroup()))
    for name, lie, reason, message in (
        ("b-outside", outside, "the twist has a cofactor", ("subgroup", "B is not in the subgroup of prime order")),
        ("uncompressed", bytes([proof[0] & 0x3F]) + proof[1:], "points are compressed", "not in canonical form"),
        (
            "two-commitments",
            placed(proof, (128, 4), b"\0\0\0\x02"),
            "keys have one commitment",
            ("exactly one", "a length of 1"),
        ),
    ):
        yield malformed(f"certificate-proof-{name}", f"proof: {name}", reason, message, with_proof(lie))


def companions() -> Named:
    """Commitment, query and context files that are none."""
    reason = "files around a certificate are read as strictly"
    for name, path, value, message in (
        ("format", "format", "x", "this is 'x'"),
        ("version", "version", 2, "version 2"),
        ("element", "model_commitment", f"{ORDER:064x}", "model_commitment"),
        ("unknown-field", "more", 1, "unknown field `more`"),
        ("one-label", "spec.labels", ["a"], "label names do not fit"),
        ("no-sensitive-feature", "spec.features.2.sensitive", False, "no sensitive feature"),
        ("equal-values", "spec.features.2.domain", ["f", "f"], "domain names are not distinct"),
        ("scale-zero", "spec.features.0.scale", "0", "scale must be above 0"),
        ("threshold", "spec.threshold", "1e2", "is not a decimal number"),
    ):
        yield malformed(
            f"commitment-{name}",
            f"a commitment file: {name}",
            reason,
            message,
            edited(COMMITMENT, path, value),
            COMMITMENT,
        )
    policy = Policy(query=True)
    for name, path, value, message in (
        ("format", "format", "x", "this is 'x'"),
        ("version", "version", 9, "version 9"),
        ("blinding", "blinding", f"{ORDER:064x}", "field blinding: value is not below"),
        ("sensitive-value", "features.sex", "f", "'sex' is no non-sensitive feature"),
        ("unknown-category", "features.housing", "castle", "is not one of own, rent"),
        ("no-number", "features.income", "much", "is not a number"),
        ("beyond-the-width", "features.income", 10**15, "more than 18 bits hold"),
    ):
        yield malformed(
            f"query-{name}", f"a query file: {name}", reason, message, edited(QUERY, path, value), QUERY, policy=policy
        )
        if name not in ("beyond-the-width",):
            lie = edited(CERTIFICATE, "query", edited(QUERY, path, value))
            yield malformed(f"disclosed-{name}", f"a disclosed query: {name}", reason, message, lie)
    missing = document(QUERY)
    del missing["features"]["income"]
    yield malformed(
        "query-feature-missing",
        "a query without income",
        reason,
        "feature 'income' is missing",
        missing,
        QUERY,
        policy=policy,
    )
    policy = Policy(context=True)
    for name, text, message in (
        ("without-nonce", '{"date":"2026-01-31"}', "field nonce: want at least 16 characters"),
        ("short-nonce", '{"nonce":"012345678901234"}', "nonce: want at least 16 characters"),
        ("blank-nonce", '{"nonce":"' + " " * 40 + '"}', "nonce: want at least 16 characters"),
        ("padded-nonce", '{"nonce":"      0123456789      "}', "nonce: want at least 16 characters"),
        ("nested", '{"nonce":"0123456789abcdef","a":{}}', "context.json"),
        ("doubled", '{"nonce":"0123456789abcdef","a":"1","a":"2"}', "a name stands there twice"),
        ("list", "[]", "context.json"),
    ):
        yield malformed(f"context-{name}", f"a context: {name}", reason, message, text, CONTEXT, policy=policy)


def stores() -> Named:
    """Key folders whose files are none, or do not belong together."""
    reason = "a store that was damaged must not be read as another one"
    verifying = certificate_base(LOANS)[VERIFYING]
    message = "not the key that key.json names"
    for name, data in (("cut", verifying[:-1]), ("empty", b""), ("bit", verifying[:-1] + bytes([verifying[-1] ^ 1]))):
        yield malformed(f"store-verifying-key-{name}", f"a verifying key: {name}", reason, message, data, VERIFYING)
    for name, path, value, fragment in (
        ("format", "format", "x", "this is 'x'"),
        ("unknown-field", "more", 1, "unknown field `more`"),
        ("set-up", "setup", "trust-me", "field setup: Invalid enum value"),
        ("ceremony-without-transcript", "setup", "ceremony", "no transcript comes with this ceremony set-up"),
        ("scheme", "shape.scheme", "none", "field shape.scheme: Invalid enum value"),
        ("no-layer", "shape.architecture.hidden", [], "hidden: 0 layers, want 1 to 64"),
        ("many-layers", "shape.architecture.hidden", [1] * 65, "hidden: 65 layers, want 1 to 64"),
        ("endless-layers", "shape.architecture.hidden", [1] * 10_000, "hidden: 10000 layers, want 1 to 64"),
        ("wide-layers", "shape.architecture.hidden", [240, 1], "sum to at most 240"),
        ("huge-layer", "shape.architecture.hidden", [2**53 - 1], "sum to at most 240"),
        ("empty-layer", "shape.architecture.hidden", [4, 0], "sizes of at least 1"),
        ("biases-missing", "shape.architecture.bias_bits", [40], "1 widths, want"),
    ):
        yield malformed(f"store-{name}", f"key metadata: {name}", reason, fragment, edited(KEY, path, value), KEY)
    text = certificate_base(LOANS)[KEY].decode() + "\n"
    yield malformed("store-newline", "key metadata in another spelling", reason, "not in canonical form", text, KEY)
    gone = {KEY: None, VERIFYING: None}
    yield "store-empty", certificate_vector("malformed", "no key at all", reason, "no such folder of keys", files=gone)
