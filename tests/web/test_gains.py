"""The TypeScript verifier of gain certificates comes to what Python comes to, and is a module of its own."""

import json

import msgspec

from equiproof.circuits.shape import fits_gain, gain_shape
from tests.gain_cases import HELD, drawn_gain, edges, expected_gain
from tests.web.specs import drawn
from tests.web.test_agreement import TIMES, generator, written


def test_what_follows_from_a_spec(package):
    """Digests, words and sentences of drawn statements are equal, of large gains, small ones and losses."""
    rng = generator("gains")
    for _ in range(15 * (TIMES or 1)):
        spec = drawn(rng)
        shape = gain_shape(spec, (3, 2), 8)
        asked = drawn_gain(spec, shape, rng)
        words = asked | {"radius": str(asked["radius"]), "shape": shape.document.decode()}
        assert package.call("holds_gain", words["shape"], edges(shape)) == HELD
        assert package.call("gain_facts", written(spec), words) == expected_gain(spec, asked, shape), (spec, asked)


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
