"""The static verifier of gain certificates says what Python says."""

import json

import msgspec

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.shape import fits_gain, gain_shape
from tests.forged_gains import cases, judged, published
from tests.gain_cases import HELD, drawn_gain, edges, expected_gain
from tests.vectors.vector import CERTIFICATE, GAIN, KEY, certificate_base
from tests.web.specs import drawn
from tests.web.test_agreement import TIMES, generator, written
from tests.web.test_gains import changed_gain, changed_shapes


def key_of(shape):
    """Return the text of a key's metadata, of this shape (as plain values)."""
    return canonical_bytes(json.loads(certificate_base("loans")[KEY]) | {"shape": shape}).decode()


def test_what_follows_from_a_spec(packages):
    """Digests, words and sentences of drawn statements are equal, of large gains, small ones and losses."""
    rng = generator("static gains")
    for _ in range(15 * (TIMES or 1)):
        spec = drawn(rng)
        shape = gain_shape(spec, (3, 2), 8)
        asked = drawn_gain(spec, shape, rng)
        words = asked | {"spec": written(spec), "data": key_of(msgspec.to_builtins(shape))}
        assert packages.value("holds_gain", data=words["data"], texts=edges(shape)) == HELD
        assert packages.value("gain_facts", **words) == expected_gain(spec, asked, shape), (spec, asked)


def test_shapes_that_fit(packages):
    """A shape of gains fits its spec, and with any number changed where Python says so; it never fits a certificate."""
    rng, fitting = generator("static shapes of gains"), 0
    for _ in range(5 * (TIMES or 1)):
        spec, hidden = drawn(rng), tuple(rng.randint(1, 6) for _ in range(rng.randint(1, 4)))
        shape = gain_shape(spec, hidden, 64)
        for one in changed_shapes(msgspec.to_builtins(shape)):
            parsed = msgspec.convert(one, type(shape))
            wanted = fits_gain(parsed, spec, parsed.architecture.hidden)
            asked = {"spec": written(spec), "data": key_of(one)}
            found = packages.ask("fitting_gain", **asked)
            assert found.get("value", False) == wanted, (one, found)
            assert not (parsed.gains and packages.ask("fitting", **asked).get("value", False)), one
            fitting += wanted
    assert fitting >= 5


def test_every_case(packages):
    """Each case is verified, with the same words, or refused for the same reason in the same line."""
    for name, case in cases().items():
        wanted = judged(case)
        assert wanted.get("reason") == case.reason, name
        found = packages.ask("gain", files=case.hex, policy=case.policy)
        if case.reason == "wrong-fields":  # of fields of a wrong type each parser has words of its own
            found["message"] = wanted["message"]
        assert found == wanted, name


def test_a_gain_is_no_certificate(packages):
    """What takes a certificate refuses a gain certificate, and the other way round, whatever its mark says."""
    gain, loans = published()[GAIN], certificate_base("loans")[CERTIFICATE]
    for kind, data in (("certificate", gain), ("gain", loans)):
        for one in (data, data.replace(b"equiproof-gain", b"equiproof-certificate")):
            answer = packages.ask("read", kind=kind, data=one.hex())
            assert (answer["exception"], answer["reason"]) == ("CertificateFormatError", "wrong-fields")


def test_changed_documents(packages):
    """Both parsers read the same changed documents, and refuse the others for the same reason."""
    rng, seen = generator("static changed gains"), set()
    seeds = [published(name)[GAIN] for name in ("gain", "gain-lower")]
    for _ in range(300 * (TIMES or 1)):
        data, wanted = changed_gain(seeds, rng)
        found = packages.ask("read", kind="gain", data=data.hex())
        assert (found.get("exception"), found.get("reason")) == (wanted and "CertificateFormatError", wanted), data
        seen.add(wanted)
    assert len(seen) >= 3
