"""The static verifier of gain certificates says what Python says."""

import json

import msgspec

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.shape import fits_gain, gain_shape
from tests.gain_cases import HELD, drawn_gain, edges, expected_gain
from tests.vectors.vector import KEY, certificate_base
from tests.web.specs import drawn
from tests.web.test_agreement import TIMES, generator, written
from tests.web.test_gains import changed_shapes


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
