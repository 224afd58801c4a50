"""The TypeScript verifier and the Python one come to the same, whatever they are given: drawn specs, changed bytes.

Every run draws the same; `EQUIPROOF_FUZZ=n` draws n times as many from a fresh seed.
"""

import json
import os
import random
import re

import msgspec
import pytest

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.commitment import domain_digest
from equiproof.circuits.field import to_hex
from equiproof.circuits.shape import fits, shape_of
from equiproof.circuits.units import interval, radius_of_any
from equiproof.ffi import backend
from equiproof.ffi.errors import MalformedInputError
from equiproof.verifier import (
    CertificateFormatError,
    pairing,
    parse_certificate,
    parse_commitment,
    parse_context,
    parse_query,
    plonk,
)
from equiproof.verifier.documents import QueryDocument, parse_key
from equiproof.verifier.errors import Reason
from equiproof.verifier.reading import Reading
from equiproof.verifier.reasons import REASONS
from tests.change_cases import ROW, commitments
from tests.fuzz.mutator import mutated
from tests.support import ROOT
from tests.two_checks import verdict
from tests.vectors.vector import FOLDER, KEY, CertificateVector, proof_base, read
from tests.verifier.test_parts import SAID as PARTS
from tests.web.specs import drawn, raw_values
from tests.web.web import PACKAGE

GOLDEN = ROOT / "tests" / "golden"
TIMES = int(os.environ.get("EQUIPROOF_FUZZ", "0"))
PARSERS = {
    "parseCertificate": (parse_certificate, "*/certificate.json"),
    "parseCommitment": (parse_commitment, "*/commitment.json"),
    "parseQuery": (parse_query, "*/query.json"),
    "parseContext": (parse_context, "*/context.json"),
    "parseKey": (parse_key, "*/keys/key/key.json"),
}
CEREMONY = FOLDER / "accept" / "files-ceremony-by-transcript.json"
"""A vector with the key of a ceremony."""

TOKENS = (
    "null", "true", "0", "-0", "1", "-1", "2", "1.0", "1e2", "1.5", "1e400", "9007199254740992", "9" * 30, '""', '"x"',
    '"\\u0041"', '"\\ud800"', "[]", "{}", "[1,2]", '["a","b"]', '{"a":"b"}', "tru", "01", '"', "", '"4.5"', '"-0"',
)  # fmt: skip


def generator(name):
    """Return a source of random choices: the same in every run, unless more are asked for."""
    return random.Random(None if TIMES else name)


def written(spec):
    """Return a spec's JSON text."""
    return json.dumps(msgspec.to_builtins(spec))


def expected(spec, label, radius, query):
    """Return what follows from a spec, a label, a squared radius and a query, as Python has it."""
    reading = Reading.of(spec, label, radius)
    reach = radius_of_any(spec, radius)
    return {
        "spec_digest": to_hex(spec.digest),
        "domain_digest": to_hex(domain_digest(spec)),
        "query_commitment": to_hex(query.commitment(spec)),
        "reading": json.loads(canonical_bytes(reading)),
        "sentence": reading.sentence(),
        "intervals": {
            feature.name: interval(spec, feature, reach, query.features[feature.name])
            for feature in spec.plain_features
        },
    }


REPEATED = re.compile(r"""\\|"[^"]*'""")
"""A text with a quotation mark or an escape: Python repeats it as it writes texts, the page between two marks."""


def beginning(message):
    """Return what a message begins with: the file, and that it is about a feature; the rest is each program's own."""
    return str(message).partition("'")[0]


def test_what_follows_from_a_spec(package):
    """Digests, commitments, words and intervals of drawn specs are equal; rows that do not fit are refused by both."""
    rng, refused, ranges, padded, levelled = generator("specs"), 0, 0, 0, 0
    for _ in range(60 * (TIMES or 1)):
        spec = drawn(rng)
        largest = spec.max_radius_squared
        radius = rng.choice((0, 1, rng.randrange(10**4), rng.randrange(largest), largest))
        made = QueryDocument("equiproof-query", 2, raw_values(spec, rng), to_hex(rng.getrandbits(250)))
        document, text = written(spec), canonical_bytes(made).decode()
        query = parse_query(text.encode(), "query")
        answer = package.ask("call", name="facts", words=[document, len(spec.labels) - 1, str(radius), text])
        try:
            wanted = {"value": expected(spec, len(spec.labels) - 1, radius, query)}
            ranges += spec.use_ranges
            padded += spec.padding > 0
            levelled += spec.levels is not msgspec.UNSET
        except CertificateFormatError as error:
            wanted = {"exception": "CertificateFormatError", "reason": str(error.reason), "where": beginning(error)}
            answer["where"] = beginning(answer.pop("message"))
            refused += 1
        assert answer == wanted, (document, text)
    assert min(refused, ranges, padded, levelled) > 0
    assert TIMES or (refused > 2 and ranges > 10 and padded > 5)  # fresh seeds may draw fewer


def test_rules_of_change(package):
    """Both programs read the same specs with rules of change, with the same digests, and refuse the others so."""
    verdicts = []
    for spec, data in commitments():
        found = package.ask("read", kind="parseCommitment", data=data.hex())
        try:
            parse_commitment(data, "it")
            wanted = None
        except CertificateFormatError as error:
            wanted = str(error.reason)
        assert (found.get("exception"), found.get("reason")) == (wanted and "CertificateFormatError", wanted), data
        verdicts.append(wanted)
        if wanted:
            continue
        made = QueryDocument("equiproof-query", 2, {one.name: ROW[one.name] for one in spec.plain_features}, to_hex(5))
        facts = package.ask("call", name="facts", words=[written(spec), 0, "5", canonical_bytes(made).decode()])
        assert facts["value"]["spec_digest"] == to_hex(spec.digest)
    assert (verdicts.count(None), verdicts.count("bad-spec")) == (9, len(verdicts) - 9)


def test_shapes_that_fit(package):
    """A shape fits its spec, and with any number changed by one it fits where Python says so: the capacity is free."""
    rng, fitting = generator("shapes"), 0
    for _ in range(20 * (TIMES or 1)):
        spec, hidden = drawn(rng), tuple(rng.randint(1, 6) for _ in range(rng.randint(1, 4)))
        scheme = "branch" if spec.use_ranges else rng.choice(("branch", "traversal"))
        shape = shape_of(scheme, spec, hidden, 64)
        document, changed = written(spec), [msgspec.to_builtins(shape)]
        for place in [name for name, value in changed[0].items() if isinstance(value, int)]:
            changed.append(changed[0] | {place: changed[0][place] + 1})
        for place, value in changed[0]["architecture"].items():
            more = value + 1 if isinstance(value, int) else [*value[:-1], value[-1] + 1]
            changed.append(changed[0] | {"architecture": changed[0]["architecture"] | {place: more}})
        changed.append(changed[0] | {"scheme": "branch" if spec.use_ranges else "branch-ranges"})
        for one in changed:
            parsed = msgspec.convert(one, type(shape))
            wanted = len(parsed.architecture.bias_bits) > len(parsed.architecture.hidden) and fits(
                parsed, spec, parsed.architecture.hidden
            )
            assert package.call("fitting", document, json.dumps(one)) == wanted, one
            fitting += wanted
    assert fitting >= (20 if TIMES else 40)  # fresh seeds may draw fewer


def changed_document(text, rng):
    """Return a document after a change that keeps most of its form: another value, another name, another order."""
    places = [at for at, sign in enumerate(text) if sign in ":,["]
    at = rng.choice(places) + 1
    end = min((found for sign in ",}]" if (found := text.find(sign, at)) >= 0), default=len(text))
    match rng.randrange(4):
        case 0:
            return text[:at] + rng.choice(TOKENS) + text[end:]
        case 1:
            return text[:at] + text[end:]
        case 2:
            return text[:end] + text[at - 1 : end] + text[end:]
        case _:
            return text[:at] + " " * rng.randint(0, 1) + text[at:end].swapcase() + text[end:]


def ceremony_key():
    """Return the metadata of a key that a ceremony made."""
    vector = read(CEREMONY)
    assert isinstance(vector, CertificateVector)
    return vector.files()[KEY]


@pytest.mark.parametrize("kind", PARSERS)
def test_changed_documents(package, kind):
    """Both parsers read the same changed documents, and refuse the others for the same reason."""
    parse, pattern = PARSERS[kind]
    # This package refuses keys of kept models: it reads no links.
    seeds = [data for path in sorted(GOLDEN.glob(pattern)) if b'"kept"' not in (data := path.read_bytes())]
    assert len(seeds) >= 2
    if kind == "parseKey":
        seeds += [ceremony_key()] * len(seeds)
    rng, seen = generator(kind), set()
    for _ in range(300 * (TIMES or 1)):
        data = rng.choice(seeds)
        if rng.random() < 0.7:
            data = changed_document(data.decode(), rng).encode()
        else:
            data = mutated(data, rng.choice(seeds), rng)
        try:
            parse(data, kind)
            wanted = None
        except CertificateFormatError as error:
            wanted = str(error.reason)
        answer = package.ask("read", kind=kind, data=data.hex())
        assert (answer.get("exception"), answer.get("reason")) == (wanted and "CertificateFormatError", wanted), data
        seen.add(wanted)
    assert len(seen) >= 3


def test_changed_proofs_and_keys(package):
    """Keys, digests and proofs with a few bits changed have the verdict of the native check, and its reason."""
    if not backend.available():
        pytest.skip("the native library is not built")
    rng, seen = generator("proofs"), set()
    # Fresh draws are more: of 40 some lack one of the verdicts.
    for _ in range(160 * TIMES or 40):
        base, names = proof_base(rng.choice(("known", "published", "plonk"))), ("key", "digest", "proof")
        parts = {name: bytes.fromhex(base[name]) for name in names}
        name = rng.choice(names)
        at, mask = rng.randrange(len(parts[name])), 1 << rng.randrange(8)
        parts[name] = bytes(byte ^ (mask if place == at else 0) for place, byte in enumerate(parts[name]))
        system = base["proof_system"]
        answer = package.ask("proof", system=system, **{part: data.hex() for part, data in parts.items()})
        says = {None: "accepted", "RefusedError": "refused", "MalformedInputError": "malformed"}
        found = says[answer.get("exception")], answer.get("reason") or ""
        assert found == verdict("native", *parts.values(), system), parts
        seen.add(found)
    assert len(seen) >= 4


@pytest.mark.parametrize("name", ["known", "plonk"])
def test_parts_of_a_proof_are_named(package, name):
    """Each part of a proof, a key and a digest that is cut off or no point is refused in Python's words."""
    base, seen = proof_base(name), set()
    module = {"groth16-bn254": pairing, "plonk-bn254": plonk}[base["proof_system"]]
    parts = {part: bytes.fromhex(base[part]) for part in ("key", "digest", "proof")}
    for part, data in parts.items():
        damaged = [data[:length] for length in range(0, len(data), 32)]
        damaged += [data[:at] + b"\xff" * 32 + data[at + 32 :] for at in range(0, len(data), 32)]
        damaged += [data[:at] + b"\xff" * 4 + data[at + 4 :] for at in PARTS.get((name, part), ())]
        for one in damaged:
            changed = parts | {part: one}
            with pytest.raises(MalformedInputError) as caught:
                module.VerifyingKey(changed["key"]).verify(changed["digest"], changed["proof"])
            words = {of: content.hex() for of, content in changed.items()}
            answer = package.ask("proof", system=base["proof_system"], **words)
            assert answer["message"] == str(caught.value), (part, len(one))
            seen.add(answer["message"])
    assert len(seen) >= sum(len(parts) for (of, _), parts in PARTS.items() if of == name)


def test_reasons_are_those_of_the_table(bundle):
    """A build writes the type of reasons by the table, of which Python's are a part; no page reads a time stamp."""
    source = (PACKAGE / "src" / "reasons.ts").read_text()
    listed = re.findall(r'"([a-z0-9-]+)"', source.partition("export type Reason =")[2].partition(";")[0])
    assert listed == [name for name, row in REASONS.items() if row.kind != "stamp"]
    assert set(Reason) <= set(listed)
