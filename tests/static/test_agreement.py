"""The Go verifier and Python agree where no vector stands: drawn specs, names, changed documents, and their words.

`EQUIPROOF_FUZZ` multiplies the number of tries, from fresh seeds; `make fuzz` sets it.
"""

import json
import unicodedata

import msgspec
import pytest

from equiproof.circuits import names
from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.field import to_hex
from equiproof.circuits.shape import fits, shape_of
from equiproof.verifier import CertificateFormatError, Own, parse_policy
from equiproof.verifier.answer import Findings, KeyMaking, Pinned, answer
from equiproof.verifier.archive import archived, entries
from equiproof.verifier.bundle import parse_bundle
from equiproof.verifier.documents import QueryDocument, parse_commitment, parse_key, parse_link_key, parse_query
from equiproof.verifier.link import parse_link
from equiproof.verifier.presented import present
from tests.change_cases import ROW, commitments
from tests.fuzz.mutator import mutated
from tests.vectors.vector import KEY, certificate_base
from tests.web.specs import drawn, raw_values
from tests.web.test_agreement import (
    GOLDEN,
    PARSERS,
    TIMES,
    ceremony_key,
    changed_document,
    expected,
    generator,
    written,
)
from tests.web.test_ceremonies import KEYS

POLICY = json.dumps(
    {
        "format": "equiproof-policy",
        "version": 2,
        "requires": {
            "min_radius": "0.1",
            "setup": "ceremony",
            "key_fingerprint": "0" * 64,
            "ranges_within": {"income": ["0", "90000.5"]},
            "any_of": [{"no_ranges": True}, {"proof_system": "plonk-bn254", "any_of": [{"transcript": "a" * 64}]}],
        },
    }
)
DOCUMENTS = {
    **{name.removeprefix("parse").lower(): parser for name, parser in PARSERS.items()},
    "policy": (lambda data, where: parse_policy(data, where, Own()), None),
    "link": (parse_link, "*/link.json"),
    "link-key": (parse_link_key, "*/keys/link/link-key.json"),
}


def verdict(parse, data):
    """Return the reason for which Python refuses data, None for none."""
    try:
        parse(data, "it")
    except CertificateFormatError as error:
        return str(error.reason)
    return None


def test_what_follows_from_a_spec(packages):
    """Digests, commitments, words and intervals of drawn specs are equal; rows that do not fit are refused by both."""
    rng, refused = generator("static"), 0
    for at in range(40 * (TIMES or 1)):
        spec = drawn(rng)
        largest = spec.max_radius_squared
        radius = rng.choice((0, 1, rng.randrange(10**4), rng.randrange(largest), largest))
        made = QueryDocument("equiproof-query", 2, raw_values(spec, rng), to_hex(rng.getrandbits(250)))
        text = canonical_bytes(made).decode()
        query, label, language = parse_query(text.encode(), "query"), len(spec.labels) - 1, ("en", "de")[at % 2]
        asked = {"spec": written(spec), "query": text, "label": label, "radius": radius, "language": language}
        facts, said = packages.ask("facts", **asked), packages.ask("answer", **asked)
        try:
            wanted = {"value": expected(spec, label, radius, query)}
            found = Findings(spec, label, radius, KeyMaking("single-party"), Pinned(None, key=False), query.features)
            words = {"value": answer(found, language)}
        except CertificateFormatError as error:
            wanted = words = {"exception": "CertificateFormatError", "reason": str(error.reason), "message": str(error)}
            refused += 1
        assert facts == wanted, asked
        assert said == words, asked
    assert refused > 0


def test_rules_of_change(packages):
    """Both programs read the same specs with rules of change, with the same digests, and refuse the others so."""
    verdicts = []
    for spec, data in commitments():
        found = packages.ask("read", kind="commitment", data=data.hex())
        try:
            parse_commitment(data, "it")
        except CertificateFormatError as error:
            wanted = {"exception": "CertificateFormatError", "reason": str(error.reason), "message": str(error)}
            assert found == wanted
            verdicts.append(wanted["reason"])
            continue
        assert "value" in found, (found, data)
        query = {feature.name: ROW[feature.name] for feature in spec.plain_features}
        made = canonical_bytes(QueryDocument("equiproof-query", 2, query, to_hex(5))).decode()
        facts = packages.value("facts", spec=written(spec), query=made, label=0, radius=5, language="en")
        assert facts["spec_digest"] == to_hex(spec.digest)
        verdicts.append(None)
    assert (verdicts.count(None), verdicts.count("bad-spec")) == (9, len(verdicts) - 9)


def test_shapes_that_fit(packages):
    """A shape fits its spec, and with any number changed by one it fits where Python says so: the capacity is free."""
    rng, fitting = generator("shapes"), 0
    document = json.loads(certificate_base("loans")[KEY])
    for _ in range(15 * (TIMES or 1)):
        spec, hidden = drawn(rng), tuple(rng.randint(1, 6) for _ in range(rng.randint(1, 4)))
        shape = shape_of("branch" if spec.use_ranges else rng.choice(("branch", "traversal")), spec, hidden, 64)
        own = msgspec.to_builtins(shape)
        changed = [own, *(own | {name: own[name] + 1} for name, value in own.items() if isinstance(value, int))]
        for name, value in own["architecture"].items():
            more = value + 1 if isinstance(value, int) else [*value[:-1], value[-1] + 1]
            changed.append(own | {"architecture": own["architecture"] | {name: more}})
        changed.append(own | {"scheme": "branch" if spec.use_ranges else "branch-ranges"})
        for one in changed:
            parsed = msgspec.convert(one, type(shape))
            wanted = fits(parsed, spec, parsed.architecture.hidden)
            key = canonical_bytes(document | {"shape": one}).decode()
            assert packages.value("fitting", spec=written(spec), data=key) == wanted, one
            fitting += wanted
    assert fitting >= 15


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_changed_documents(packages, kind):
    """Both parsers read the same changed documents, and refuse the others for the same reason."""
    parse, pattern = DOCUMENTS[kind]
    seeds = [POLICY.encode()] if pattern is None else [path.read_bytes() for path in sorted(GOLDEN.glob(pattern))]
    if kind == "key":
        seeds += [ceremony_key()] * len(seeds)
    rng, seen = generator(kind), set()
    for _ in range(400 * (TIMES or 1)):
        data = rng.choice(seeds)
        if rng.random() < 0.7:
            data = changed_document(data.decode(), rng).encode()
        else:
            data = mutated(data, rng.choice(seeds), rng)
        wanted = verdict(parse, data)
        found = packages.ask("read", kind=kind, data=data.hex())
        assert (found.get("exception"), found.get("reason")) == (wanted and "CertificateFormatError", wanted), data
        seen.add(wanted)
    assert len(seen) >= 3


def changed_files(files, rng):
    """Return an archive after a change that its form survives: of a file, a name, the order, or the manifest."""
    files, at = list(files), rng.randrange(len(files))
    name, content = files[at]
    match rng.randrange(6):
        case 0:
            del files[at]
        case 1:
            files.insert(rng.randrange(len(files)), (name, content))
        case 2:
            files[at] = (rng.choice([other for other, _ in files] + ["x", "key.json", ""]), content)
        case 3:
            files[at] = (name, content + rng.choice((b"", b"x", b"x" * 5000)))
        case 4:
            files[0] = (files[0][0], changed_document(files[0][1].decode(), rng).encode())
        case _:
            rng.shuffle(files)
    return archived(files)


def test_changed_bundles(packages):
    """Both read a bundle, and refuse one that was changed, in its form or in what it holds, for the same reason."""
    data = present(GOLDEN / "loans").bundle().to_bytes()
    other = present(GOLDEN / "loans-plonk").public().bundle().to_bytes()
    assert packages.value("read", kind="bundle", data=data.hex()) is None
    rng, seen = generator("bundles"), set()
    for at in range(200 * (TIMES or 1)):
        changed = mutated(data, other, rng) if at % 2 else changed_files(entries(data, "it"), rng)
        # Drawn changes seldom hit the four bytes that say which kind of file it is.
        changed = changed if at else data[1:]
        wanted = verdict(parse_bundle, changed)
        found = packages.ask("read", kind="bundle", data=changed.hex())
        assert found.get("reason") == wanted, changed
        seen.add(wanted)
    # Changes from a fresh seed may miss one of the reasons.
    assert TIMES or seen >= {"not-a-bundle", "not-canonical", "wrong-files", "file-differs"}


@pytest.mark.parametrize("document", KEYS, ids=range(len(KEYS)))
def test_keys_of_ceremonies(packages, document):
    """A key is read, with the same transcript digest, or refused for the same reason."""
    data = canonical_bytes(document)
    try:
        wanted = {"value": parse_key(data, "key").transcript}
    except CertificateFormatError as error:
        wanted = {"exception": "CertificateFormatError", "reason": str(error.reason)}
    found = packages.ask("transcript", data=data.decode())
    found.pop("message", None)
    assert found == wanted


def test_names_of_the_basic_plane(packages):
    """Every character, and every pair of a letter and a mark, is judged as by Python, whatever its normal form is."""
    spans = names._characters().script._spans
    known = [chr(code) for first, last, _ in spans for code in range(first, last + 1)]
    marks = sorted(sign for sign in known if unicodedata.combining(sign))
    texts = [chr(code) for code in range(0x10000) if not 0xD800 <= code < 0xE000]
    rng = generator("names")
    letters = rng.sample(sorted(known), 300)
    texts += [letter + mark for letter in letters for mark in marks]
    texts += ["a" + "".join(rng.sample(marks, 2)) for _ in range(3000)]
    found = packages.value("rules", texts=texts)
    wanted = [complaint.rule if (complaint := names.complaint(text)) else "" for text in texts]
    differ = [(ascii(text), *both) for text, *both in zip(texts, found, wanted, strict=True) if both[0] != both[1]]
    assert differ == []
    assert len(set(wanted)) >= 5
