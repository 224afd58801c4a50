"""Files that are none of ours: each parser refuses them, naming file and field, before anything is verified."""

from __future__ import annotations

import base64
import json
from typing import Any

from equiproof.verifier.errors import Reason
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
    yield from tools()
    yield from spellings()
    yield from proofs()
    yield from companions()
    yield from stores()


def malformed(name: str, what: str, why: str, reason: Reason, data: Any, file: str = CERTIFICATE, **more: Any) -> Any:
    """Return a named vector of one file that is malformed."""
    return name, certificate_vector("malformed", what, why, reason, files={file: data}, **more)


def marks() -> Named:
    """Another format or version."""
    for name, path, value, reason in (
        ("version-0", "version", 0, Reason.OTHER_FORMAT),
        ("version-1", "version", 1, Reason.OTHER_FORMAT),
        ("version-3", "version", 3, Reason.OTHER_FORMAT),
        ("format", "format", "equiproof-query", Reason.OTHER_FORMAT),
        ("proof-system", "proof_system", "plonk-bls12-381", Reason.WRONG_FIELDS),
        ("set-up", "key.setup", "trust-me", Reason.WRONG_FIELDS),
    ):
        why = "a version or system that is not known has no known meaning"
        field = path if reason == Reason.WRONG_FIELDS else None
        lie = edited(CERTIFICATE, path, value)
        yield malformed(f"certificate-{name}", f"another {name}", why, reason, lie, field=field)


def tools() -> Named:
    """More text than there is room for where nothing is checked."""
    for name, value in (
        ("many", {f"t{number}": "1" for number in range(17)}),
        ("long-name", {"t" * 65: "1"}),
        ("no-name", {"": "1"}),
        ("long-text", {"t": "1" * 129}),
    ):
        why = "nothing checks these texts, so there is little room for them"
        lie = edited(CERTIFICATE, "tools", value)
        yield malformed(f"certificate-tools-{name}", f"tools: {name}", why, Reason.WRONG_FIELDS, lie, field="tools")


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
            Reason.WRONG_FIELDS,
            without(CERTIFICATE, path),
            field=name,
        )
    for where in ("", "statement.", "reading.", "key."):
        lie = edited(CERTIFICATE, f"{where}tolerance", 1)
        title = f"certificate-unknown-field-{where.rstrip('.') or 'top'}"
        why = "what is not read could mean anything"
        yield malformed(title, "an unknown field", why, Reason.WRONG_FIELDS, lie, field="tolerance")
    for path, value, reason, field in (
        ("statement.label", "1", Reason.WRONG_FIELDS, "statement.label"),
        ("statement.label", True, Reason.WRONG_FIELDS, "statement.label"),
        ("statement.label", -1, Reason.OUT_OF_RANGE, "statement"),
        ("statement.radius_squared", -1, Reason.OUT_OF_RANGE, "statement"),
        ("statement.radius_squared", None, Reason.WRONG_FIELDS, "statement.radius_squared"),
        ("reading.at_least", 1, Reason.WRONG_FIELDS, "reading.at_least"),
        ("tools.gnark", 1, Reason.WRONG_FIELDS, "tools"),
    ):
        title = f"certificate-{path.replace('.', '-').replace('_', '-')}-{str(value).lower()}"
        why = "one type and one range for each field"
        yield malformed(title, f"{path} is {value!r}", why, reason, edited(CERTIFICATE, path, value), field=field)
    for name, value in (
        ("empty", ""),
        ("short", "0" * 63),
        ("long", "0" * 65),
        ("upper-case", "A" * 64),
        ("prefixed", "0x" + "0" * 62),
        ("order", f"{ORDER:064x}"),
        ("all-ones", "f" * 64),
    ):
        lie, why = edited(CERTIFICATE, "statement.query_commitment", value), "one spelling for each field element"
        title, what, at = f"certificate-element-{name}", f"a field element: {name}", "statement.query_commitment"
        yield malformed(title, what, why, Reason.BAD_ELEMENT, lie, field=at)


def spellings() -> Named:
    """The very same certificate in another spelling."""
    why, canonical = "one byte string for each certificate", Reason.NOT_CANONICAL
    whole = json.loads(PLAIN)
    for name, text, reason in (
        ("spaces", PLAIN.replace(":", ": ", 1), canonical),
        ("newline", PLAIN + "\n", canonical),
        ("indented", json.dumps(whole, indent=1, sort_keys=True), canonical),
        (
            "other-order",
            PLAIN.replace('"version":2}', "}").replace(",}", "}").replace("{", '{"version":2,', 1),
            canonical,
        ),
        ("doubled-field", PLAIN.replace('"version":2}', '"version":2,"version":2}'), canonical),
        ("float", PLAIN.replace('"version":2}', '"version":2.0}'), Reason.WRONG_FIELDS),
        ("exponent", PLAIN.replace('"label":1', '"label":1e0'), Reason.WRONG_FIELDS),
        ("escape", PLAIN.replace("equiproof-certificate", "\\u0065quiproof-certificate"), canonical),
        ("byte-order-mark", "\ufeff" + PLAIN, Reason.NOT_JSON),
        ("cut", PLAIN[:-1], Reason.NOT_JSON),
        ("twice", PLAIN + PLAIN, Reason.NOT_JSON),
        ("comment", PLAIN + "//", Reason.NOT_JSON),
        ("no-bytes", "", Reason.NOT_JSON),
        ("null", "null", Reason.WRONG_FIELDS),
        ("nested", '{"query":' + "[" * 3000, Reason.WRONG_FIELDS),
        ("huge-number", PLAIN.replace('"label":1', '"label":' + "9" * 400), canonical),
    ):
        yield malformed(f"certificate-{name}", f"spelling: {name}", why, reason, text)
    broken = PLAIN.encode().replace(b"granted", b"grant\xffed")
    yield malformed("certificate-not-utf-8", "bytes that are no text", why, Reason.NOT_JSON, broken)
    yield malformed("certificate-utf-16", "another encoding", why, Reason.NOT_JSON, PLAIN.encode("utf-16"))


def proofs() -> Named:
    """Proofs that are none, inside a certificate that is one."""
    proof = proof_of()
    text = base64.b64encode(proof).decode()
    why = "one text for each proof, and 196 bytes"
    for name, value, reason in (
        ("empty", "", Reason.WRONG_LENGTH),
        ("cut", base64.b64encode(proof[:-1]).decode(), Reason.WRONG_LENGTH),
        ("goes-on", base64.b64encode(proof + b"\0").decode(), Reason.WRONG_LENGTH),
        ("without-padding", text.rstrip("="), Reason.NOT_BASE64),
        ("padding-of-nothing", base64.b64encode(proof[:-1]).decode() + "=", Reason.NOT_BASE64),
        ("url-alphabet", text.replace("+", "-").replace("/", "_"), Reason.NOT_BASE64),
        ("newline", text[:76] + "\n" + text[76:], Reason.NOT_BASE64),
        ("loose-bits", text[:-3] + chr(ord(text[-3]) + 1) + "==", Reason.NOT_CANONICAL),
        ("hexadecimal", proof.hex(), Reason.WRONG_LENGTH),
    ):
        yield malformed(
            f"certificate-proof-{name}",
            f"proof text: {name}",
            why,
            reason,
            edited(CERTIFICATE, "proof", value),
            field="proof",
        )
    outside = placed(proof, PROOF_PLACES["B"], spell_g2(outside_subgroup()))
    for name, lie, why, reason in (
        ("b-outside", outside, "the twist has a cofactor", Reason.OUTSIDE_SUBGROUP),
        ("uncompressed", bytes([proof[0] & 0x3F]) + proof[1:], "points are compressed", Reason.POINT_NOT_CANONICAL),
        (
            "two-commitments",
            placed(proof, (128, 4), b"\0\0\0\x02"),
            "keys have one commitment",
            Reason.WRONG_COUNT,
        ),
    ):
        yield malformed(f"certificate-proof-{name}", f"proof: {name}", why, reason, with_proof(lie), field="proof")


def companions() -> Named:
    """Commitment, query and context files that are none."""
    why = "files around a certificate are read as strictly"
    for name, path, value, reason, field in (
        ("format", "format", "x", Reason.OTHER_FORMAT, None),
        ("version", "version", 1, Reason.OTHER_FORMAT, None),
        ("element", "model_commitment", f"{ORDER:064x}", Reason.BAD_ELEMENT, "model_commitment"),
        ("unknown-field", "more", 1, Reason.WRONG_FIELDS, "more"),
        ("one-label", "spec.labels", ["a"], Reason.BAD_SPEC, "spec"),
        ("no-sensitive-feature", "spec.features.2.sensitive", False, Reason.BAD_SPEC, "spec"),
        ("equal-values", "spec.features.2.domain", ["f", "f"], Reason.BAD_SPEC, "spec"),
        ("labels-alike", "spec.labels", ["1", "l"], Reason.BAD_SPEC, "spec"),
        ("strange-letter", "spec.features.2.name", "a\u0261e", Reason.BAD_SPEC, "spec"),
        ("scale-zero", "spec.features.0.scale", "0", Reason.BAD_SPEC, "spec"),
        ("threshold", "spec.threshold", "1e2", Reason.BAD_SPEC, "spec"),
        ("monotone-category", "spec.features.1.monotone", "increasing", Reason.BAD_SPEC, "spec"),
        ("monotone-sensitive", "spec.features.2.monotone", "increasing", Reason.BAD_SPEC, "spec"),
        ("monotone-word", "spec.features.0.monotone", "rising", Reason.WRONG_FIELDS, "spec.features[0].monotone"),
        ("monotone-null", "spec.features.0.monotone", None, Reason.WRONG_FIELDS, "spec.features[0].monotone"),
        ("missing-sensitive", "spec.features.2.missing", {}, Reason.BAD_SPEC, "spec"),
        ("missing-number", "spec.features.0.missing", {"en": "0"}, Reason.BAD_SPEC, "spec"),
        (
            "missing-language",
            "spec.features.0.missing",
            {"fr": "inconnu"},
            Reason.WRONG_FIELDS,
            "spec.features[0].missing",
        ),
        ("missing-null", "spec.features.0.missing", None, Reason.WRONG_FIELDS, "spec.features[0].missing"),
        ("levels-falling", "spec.levels", ["0.5", "0.25"], Reason.BAD_SPEC, "spec"),
        ("levels-equal", "spec.levels", ["0.5", "0.50"], Reason.BAD_SPEC, "spec"),
        ("levels-zero", "spec.levels", ["0", "0.25"], Reason.BAD_SPEC, "spec"),
        ("levels-below-zero", "spec.levels", ["-0.5"], Reason.BAD_SPEC, "spec"),
        ("levels-none", "spec.levels", [], Reason.BAD_SPEC, "spec"),
        ("levels-null", "spec.levels", None, Reason.WRONG_FIELDS, "spec.levels"),
        ("levels-numbers", "spec.levels", [1], Reason.WRONG_FIELDS, "spec.levels[0]"),
        ("levels-words", "spec.levels", ["1e-1"], Reason.BAD_SPEC, "spec"),
        ("levels-many", "spec.levels", [f"0.{part}" for part in range(11, 28)], Reason.BAD_SPEC, "spec"),
        ("levels-beyond-the-largest", "spec.levels", ["1", "16.1"], Reason.BAD_SPEC, "spec"),
        ("levels-finer-than-the-grid", "spec.levels", ["0.5", f"0.5{'0' * 30}1"], Reason.BAD_SPEC, "spec"),
        ("gain-levels-alone", "spec.gain_levels", ["0.5"], Reason.BAD_SPEC, "spec"),
        ("offset-scaled", "spec.features.0.offset", "0", Reason.BAD_SPEC, "spec"),
        ("offset-null", "spec.features.0.offset", None, Reason.WRONG_FIELDS, "spec.features[0].offset"),
        ("offset-number", "spec.features.0.offset", 1, Reason.WRONG_FIELDS, "spec.features[0].offset"),
        ("start-category", "spec.features.1.start", "2000-01-01", Reason.BAD_SPEC, "spec"),
        ("start-notation", "spec.features.0.start", "01.01.2000", Reason.BAD_SPEC, "spec"),
        ("start-null", "spec.features.0.start", None, Reason.WRONG_FIELDS, "spec.features[0].start"),
        ("start-number", "spec.features.0.start", 0, Reason.WRONG_FIELDS, "spec.features[0].start"),
        ("logarithm-without-offset", "spec.features.0.encoding", "log", Reason.BAD_SPEC, "spec"),
        ("encoding-unknown", "spec.features.0.encoding", "log2", Reason.WRONG_FIELDS, "spec.features[0].encoding"),
    ):
        yield malformed(
            f"commitment-{name}",
            f"a commitment file: {name}",
            why,
            reason,
            edited(COMMITMENT, path, value),
            COMMITMENT,
            field=field,
        )
    policy = Policy(query=True)
    for name, path, value, reason, field in (
        ("format", "format", "x", Reason.OTHER_FORMAT, None),
        ("version", "version", 9, Reason.OTHER_FORMAT, None),
        ("blinding", "blinding", f"{ORDER:064x}", Reason.BAD_ELEMENT, "blinding"),
        ("sensitive-value", "features.sex", "f", Reason.BAD_QUERY, "sex"),
        ("unknown-category", "features.housing", "castle", Reason.BAD_QUERY, "housing"),
        ("no-number", "features.income", "much", Reason.BAD_QUERY, "income"),
        ("beyond-the-width", "features.income", 10**15, Reason.BAD_QUERY, "income"),
    ):
        query = edited(QUERY, path, value)
        what = f"a query file: {name}"
        yield malformed(f"query-{name}", what, why, reason, query, QUERY, policy=policy, field=field)
        if name not in ("beyond-the-width",):
            lie = edited(CERTIFICATE, "query", query)
            yield malformed(f"disclosed-{name}", f"a disclosed query: {name}", why, reason, lie, field=field)
    missing = document(QUERY)
    del missing["features"]["income"]
    yield malformed(
        "query-feature-missing",
        "a query without income",
        why,
        Reason.BAD_QUERY,
        missing,
        QUERY,
        policy=policy,
        field="income",
    )
    policy = Policy(context=True)
    for name, text, reason in (
        ("without-nonce", '{"date":"2026-01-31"}', Reason.WEAK_NONCE),
        ("short-nonce", '{"nonce":"012345678901234"}', Reason.WEAK_NONCE),
        ("blank-nonce", '{"nonce":"' + " " * 40 + '"}', Reason.WEAK_NONCE),
        ("padded-nonce", '{"nonce":"      0123456789      "}', Reason.WEAK_NONCE),
        ("nested", '{"nonce":"0123456789abcdef","a":{}}', Reason.WRONG_FIELDS),
        ("doubled", '{"nonce":"0123456789abcdef","a":"1","a":"2"}', Reason.REPEATED_NAME),
        ("list", "[]", Reason.WRONG_FIELDS),
    ):
        yield malformed(f"context-{name}", f"a context: {name}", why, reason, text, CONTEXT, policy=policy)


def stores() -> Named:
    """Key folders whose files are none, or do not belong together."""
    why = "a store that was damaged must not be read as another one"
    verifying = certificate_base(LOANS)[VERIFYING]
    reason = Reason.KEY_BYTES_DIFFER
    for name, data in (("cut", verifying[:-1]), ("empty", b""), ("bit", verifying[:-1] + bytes([verifying[-1] ^ 1]))):
        yield malformed(f"store-verifying-key-{name}", f"a verifying key: {name}", why, reason, data, VERIFYING)
    for name, path, value, reason in (
        ("format", "format", "x", Reason.OTHER_FORMAT),
        ("unknown-field", "more", 1, Reason.WRONG_FIELDS),
        ("set-up", "setup", "trust-me", Reason.WRONG_FIELDS),
        ("ceremony-without-transcript", "setup", "ceremony", Reason.NO_TRANSCRIPT),
        ("scheme", "shape.scheme", "none", Reason.WRONG_FIELDS),
        ("no-layer", "shape.architecture.hidden", [], Reason.BAD_SHAPE),
        ("many-layers", "shape.architecture.hidden", [1] * 65, Reason.BAD_SHAPE),
        ("endless-layers", "shape.architecture.hidden", [1] * 10_000, Reason.BAD_SHAPE),
        ("wide-layers", "shape.architecture.hidden", [240, 1], Reason.BAD_SHAPE),
        ("huge-layer", "shape.architecture.hidden", [2**53 - 1], Reason.BAD_SHAPE),
        ("empty-layer", "shape.architecture.hidden", [4, 0], Reason.BAD_SHAPE),
        ("biases-missing", "shape.architecture.bias_bits", [40], Reason.BAD_SHAPE),
    ):
        field = path if reason in (Reason.WRONG_FIELDS, Reason.BAD_SHAPE) else None
        lie = edited(KEY, path, value)
        yield malformed(f"store-{name}", f"key metadata: {name}", why, reason, lie, KEY, field=field)
    text = certificate_base(LOANS)[KEY].decode() + "\n"
    yield malformed("store-newline", "key metadata in another spelling", why, Reason.NOT_CANONICAL, text, KEY)
    gone = {KEY: None, VERIFYING: None}
    yield "store-empty", certificate_vector("malformed", "no key at all", why, Reason.NO_KEYS, files=gone)
