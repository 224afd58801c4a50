"""The TypeScript verifier of gain certificates comes to what Python comes to, and is a module of its own."""

import json
import re

import msgspec
import pytest

from equiproof.circuits.shape import fits_gain, gain_shape
from equiproof.verifier import CertificateFormatError, parse_gain
from tests.fuzz.mutator import mutated
from tests.gain_cases import CASES, HELD, asked, drawn_gain, edges, expected_gain, judged, of_a_gains_key
from tests.vectors.vector import CERTIFICATE, GAIN, certificate_base
from tests.web.specs import drawn
from tests.web.test_agreement import REPEATED, TIMES, changed_document, generator, written
from tests.web.test_said import OPTIONS

OTHERWISE = re.compile(": want (64|a) |below the field's order|pairing doesn't match|JSON|: this is a ")
"""What the other verifier says in words of its own: of bytes, a value's form, other documents, and pairings."""

SYSTEM = re.compile("(?<=-k8)-[0-9a-f]{8}(?= proves)")
"""What ends the name of a shape there alone."""

PAIRED = (None, "pairings-differ")
"""The reasons of verdicts that take a pairing, some 0.2 s each."""


def test_what_follows_from_a_spec(package):
    """Digests, words and sentences of drawn statements are equal, of large gains, small ones and losses."""
    rng = generator("gains")
    for _ in range(15 * (TIMES or 1)):
        spec = drawn(rng)
        shape = gain_shape(spec, (3, 2), 8)
        asked = drawn_gain(spec, shape, rng)
        words = asked | {"radius": str(asked["radius"]), "shape": shape.document.decode()}
        assert package.call("holds_gain", words["shape"], edges(shape)) == HELD
        for least in (asked["least_gain"], "0", "-1"):
            one = {"least_gain": least}
            wanted = expected_gain(spec, asked | one, shape)
            assert package.call("gain_facts", written(spec), words | one) == wanted, (spec, asked)


def test_shapes_that_fit(package):
    """A shape of gains fits its spec, and with any number changed where Python says so; it never fits a certificate."""
    rng, fitting = generator("shapes of gains"), 0
    for _ in range(5 * (TIMES or 1)):
        spec, hidden = drawn(rng), tuple(rng.randint(1, 6) for _ in range(rng.randint(1, 4)))
        own = msgspec.to_builtins(gain_shape(spec, hidden, 64))
        for one in changed_shapes(own):
            parsed = msgspec.convert(one, type(gain_shape(spec, hidden, 64)))
            wanted = fits_gain(parsed, spec, parsed.architecture.hidden)
            assert package.call("fitting_gain", written(spec), json.dumps(one)) == wanted, one
            assert not (parsed.gains and package.call("fitting", written(spec), json.dumps(one))), one
            fitting += wanted
    assert fitting >= 5


def changed_shapes(own):
    """Return a shape, and ones with a number or the relation changed."""
    changed = [own, *(own | {name: own[name] + 1} for name, value in own.items() if isinstance(value, int))]
    for name, value in own["architecture"].items():
        more = value + 1 if isinstance(value, int) else [*value[:-1], value[-1] + 1]
        changed.append(own | {"architecture": own["architecture"] | {name: more}})
    return [*changed, *(own | {"scheme": scheme} for scheme in ("branch", "branch-ranges", "traversal"))]


def same(signing, chosen):
    """Assert that cases are verified, with the same words, or refused for the same reason in the same line."""
    for case in chosen:
        wanted, found = judged(case), signing.ask("gain", **asked(case))
        judgement = (found.get("exception"), found.get("reason"))
        assert judgement == (wanted.get("exception"), wanted.get("reason")) == (case.exception, case.reason), found
        if case.reason is not None and not (OTHERWISE.search(wanted["message"]) or REPEATED.search(wanted["message"])):
            assert found["message"] == SYSTEM.sub("", wanted["message"]), case.name
        if case.reason is None:
            for part in ("identity", "sentence", "made"):
                assert found["value"][part] == wanted["value"][part], case.name
            # What is open is named without the options of a command.
            open_ones = [OPTIONS.sub("", line) for line in wanted["value"]["notMade"]]
            assert found["value"]["notMade"] == open_ones, case.name


def test_cases(signing):
    """Every case that is refused before its proof is checked, and one that is verified."""
    chosen = [case for case in CASES.values() if case.reason not in PAIRED]
    same(signing, [CASES["under-policies-gain"], *chosen])
    assert len(chosen) > 60


@pytest.mark.parametrize(
    "gain_of",
    [
        ("granted", {"sex": "m"}, {"sex": "f"}),
        ("d" * 60, {"sex": "m"}, {"sex": "f"}),
        ("declined", {"sex": "f"}, {"sex": "m"}),
        ("declined", {"sex": "m"}, {"sex": "x" * 60}),
        ("declined", {"sex": "m"}, {"s" * 60: "f"}),
        ("declined", {"sex": "m"}, {}),
    ],
)
def test_gains_of_others(signing, gain_of):
    """A policy that names another label, other values, or what the spec lacks, is not met: in Python's words."""
    case = CASES["published-gain"]
    case = msgspec.structs.replace(case, policy=msgspec.structs.replace(case.policy, gain_of=gain_of))
    wanted = judged(case)
    assert wanted["reason"] == "other-gain"
    assert signing.ask("gain", **asked(case)) == wanted


@pytest.mark.slow
def test_cases_with_a_pairing(signing):
    """Every case whose proof is checked."""
    same(signing, [case for case in CASES.values() if case.reason in PAIRED])


def test_what_is_left_open(signing):
    """Each policy removes its line; no policy removes that of the unit."""
    words = asked(CASES["published-gain"])
    left = signing.ask("gain", **words)["value"]["notMade"]
    for policy, lines in (
        ({"min_gain": "0.1"}, {"gain is large"}),
        ({"min_gain": "0"}, {"gain is large"}),
        ({"min_radius": "0.1"}, {"radius is large"}),
        ({"gain_of": ["declined", {"sex": "m"}, {"sex": "f"}]}, {"label and the values"}),
    ):
        found = signing.ask("gain", **words | {"policy": policy})["value"]["notMade"]
        assert found == [line for line in left if not any(part in line for part in lines)], policy
        assert len(left) - len(found) == len(lines), policy


def test_policies_about_decisions(signing):
    """Ranges are about certificates, alone and in other policies; and a gain is required of gain certificates only."""
    files = asked(CASES["published-gain"])["files"]
    for policy in ({"no_ranges": True}, {"any_of": [{"min_gain": "0"}, {"all_of": [{"no_ranges": True}]}]}):
        assert signing.ask("gain", files=files, policy=policy)["exception"] == "TypeError"
    loans = {file: data.hex() for file, data in certificate_base("loans").items()}
    for policy in ({"min_gain": "0"}, {"gain_of": ["granted", {"sex": "m"}, {"sex": "f"}]}):
        assert signing.ask("certificate", files=loans, policy=policy)["exception"] == "TypeError"


def test_a_key_of_gains_verifies_no_certificate(signing):
    """A certificate whose proof holds under a key of gains is refused for the key's shape."""
    files = {name: data.hex() for name, data in of_a_gains_key().items()}
    answer = signing.ask("certificate", files=files, policy={})
    assert (answer["exception"], answer["reason"]) == ("ProofError", "shape-differs")


def test_a_gain_is_no_certificate(signing):
    """What takes a certificate refuses a gain certificate, and the other way round, whatever its mark says."""
    gain, loans = CASES["published-gain"].file(GAIN), certificate_base("loans")[CERTIFICATE]
    for kind, data in (("parseCertificate", gain), ("parseGain", loans)):
        for one in (data, data.replace(b"equiproof-gain", b"equiproof-certificate")):
            answer = signing.ask("read", kind=kind, data=one.hex())
            assert (answer["exception"], answer["reason"]) == ("CertificateFormatError", "wrong-fields")


def test_changed_documents(signing):
    """Both parsers read the same changed documents, and refuse the others for the same reason."""
    rng, seen = generator("changed gains"), set()
    for _ in range(200 * (TIMES or 1)):
        data, wanted = changed_gain(rng)
        answer = signing.ask("read", kind="parseGain", data=data.hex())
        assert (answer.get("exception"), answer.get("reason")) == (wanted and "CertificateFormatError", wanted), data
        seen.add(wanted)
    assert len(seen) >= 3


def changed_gain(rng):
    """Return a changed gain certificate, and the reason for which Python refuses it, None for none."""
    seeds = [CASES[f"published-{name}"].file(GAIN) for name in ("gain", "gain-lower")]
    data = rng.choice(seeds)
    data = (
        changed_document(data.decode(), rng).encode() if rng.random() < 0.7 else mutated(data, rng.choice(seeds), rng)
    )
    try:
        parse_gain(data, "it")
    except CertificateFormatError as error:
        return data, str(error.reason)
    return data, None
