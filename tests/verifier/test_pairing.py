"""The plain-Python check and the native one come to the same verdict on everything, by the hand of whoever forges.

`Trapdoor` knows the secrets of its key and can make any proof: so acceptance is tested at the edges as well.
"""

import random

import pytest

from ffi.errors import MalformedInputError
from tests.pins import FOLDER
from tests.trapdoor import (
    INFINITY_G1,
    INFINITY_G2,
    KEY_COUNTS,
    KEY_PLACES,
    ORDER,
    PRIME,
    PROOF_COUNTS,
    PROOF_PLACES,
    Trapdoor,
    digest_bytes,
    g1,
    g2,
    hashed,
    outside_subgroup,
    placed,
    spell_g2,
    spelled,
)
from tests.two_checks import CHECKS, agreed, verdict
from verifier import pairing
from verifier.curve import add, multiply, read_g2

KNOWN = Trapdoor()
KEY = KNOWN.key()
DIGEST = 7
PROOF = KNOWN.forge(DIGEST)


def judged(proof, digest=DIGEST, key=KEY):
    """Return the one verdict of both checks on a proof under the known key."""
    return agreed(key, digest_bytes(digest), proof if isinstance(proof, bytes) else proof.data())


# -- accepted


@pytest.mark.parametrize("digest", [0, 1, ORDER - 1])
def test_every_digest_below_the_order_has_proofs(digest):
    """The smallest and the largest digest are digests like any other."""
    assert judged(KNOWN.forge(digest), digest) == "accepted"


def public_part_at_infinity():
    """Return a proof whose statement and commitment sum to infinity."""
    constant, statement, challenge = KNOWN.inputs
    commitment = 13
    digest = -(constant + hashed(commitment) * challenge + commitment) * pow(statement, -1, ORDER) % ORDER
    return KNOWN.forge(digest, commitment=commitment), digest


@pytest.mark.parametrize(
    ("proof", "digest"),
    [
        (KNOWN.forge(DIGEST, commitment=0), DIGEST),
        (KNOWN.forge(DIGEST, a=0), DIGEST),
        (KNOWN.forge(DIGEST, b=0), DIGEST),
        (PROOF.with_(a=-PROOF.a, b=-PROOF.b), DIGEST),
        public_part_at_infinity(),
    ],
    ids=["commitment at infinity", "A at infinity", "B at infinity", "A and B negated", "nothing for gamma"],
)
def test_proofs_at_the_edges_are_accepted_by_both(proof, digest):
    """A proof that satisfies the two equations holds, whichever of its points is infinity."""
    assert judged(proof, digest) == "accepted"


def test_a_ceremony_key_may_have_gamma_one():
    """Gamma is the generator in keys of ceremonies: sound, and accepted."""
    known = Trapdoor(gamma=1)
    assert judged(known.forge(DIGEST), key=known.key()) == "accepted"


# -- refused

CHANGES = {
    "another digest": lambda proof: (proof.data(), DIGEST + 1),
    "A negated": lambda proof: (proof.with_(a=-proof.a).data(), DIGEST),
    "C negated": lambda proof: (proof.with_(c=-proof.c).data(), DIGEST),
    "C at infinity": lambda proof: (proof.with_(c=0).data(), DIGEST),
    "A and C swapped": lambda proof: (proof.with_(a=proof.c, c=proof.a).data(), DIGEST),
    "B the generator": lambda proof: (proof.with_(b=1).data(), DIGEST),
    "another commitment": lambda proof: (proof.with_(commitment=14).data(), DIGEST),
    "a commitment that is known, and not the proof's": lambda proof: (
        proof.with_(commitment=14, knowledge=14 * KNOWN.sigma).data(),
        DIGEST,
    ),
    "knowledge negated": lambda proof: (proof.with_(knowledge=-proof.knowledge).data(), DIGEST),
    "knowledge at infinity": lambda proof: (proof.with_(knowledge=0).data(), DIGEST),
    "commitment at infinity": lambda proof: (proof.with_(commitment=0, knowledge=0).data(), DIGEST),
    "the commitment as its own knowledge": lambda proof: (proof.with_(knowledge=proof.commitment).data(), DIGEST),
    "nothing": lambda proof: (proof.with_(a=0, b=0, c=0, commitment=0, knowledge=0).data(), DIGEST),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_proof_of_something_else_is_refused_by_both(name):
    """A proof with one part changed, swapped or negated does not hold."""
    proof, digest = CHANGES[name](PROOF)
    assert judged(proof, digest) == "refused"


def test_what_refuses_is_named():
    """The message says whether the commitment or the proof itself does not hold."""
    digest = digest_bytes(DIGEST)
    kind, why = verdict("python", KEY, digest, PROOF.with_(knowledge=1).data())
    assert (kind, why) == ("refused", "the proof does not hold: nothing is known to open its commitment")
    kind, why = verdict("python", KEY, digest, PROOF.with_(c=1).data())
    assert (kind, why) == ("refused", "the proof does not hold: the pairings differ")


def test_a_proof_is_bound_to_its_key():
    """A proof does not hold under a key that differs in one secret of its set-up."""
    for other in (Trapdoor(inputs=(1005, 9, 1007)), Trapdoor(delta=99), Trapdoor(sigma=99)):
        assert judged(PROOF, key=other.key()) == "refused", other


# -- malformed proofs and digests


@pytest.mark.parametrize("length", [0, 1, 195, 197, 292])
def test_proofs_have_one_length(length):
    """A proof that is cut or goes on is malformed."""
    assert judged((PROOF.data() * 2)[:length]) == "malformed"


def twisted():
    """Return spellings of B outside the subgroup: a stranger, one of cofactor order, and B with such a part added."""
    stranger = outside_subgroup()
    torsion = multiply(stranger, ORDER)
    return [spell_g2(point) for point in (stranger, torsion, add(read_g2(g2(PROOF.b), "B"), torsion))]


@pytest.mark.parametrize("data", twisted(), ids=["stranger", "cofactor order", "B and cofactor order"])
def test_b_stands_in_its_subgroup(data):
    """B outside the subgroup is malformed: nothing holds of the pairing of such a point."""
    assert judged(placed(PROOF.data(), PROOF_PLACES["B"], data)) == "malformed"


def misspelled(place, data):
    """Yield wrong spellings of the point at a place, each with its name."""
    at, width = place
    good = data[at : at + width]
    yield "no flag", bytes([good[0] & 0x3F]) + good[1:]
    yield "infinity with digits", bytes([good[0] & 0x3F | 0x40]) + good[1:]
    yield "infinity with a loose bit", (INFINITY_G1 if width == 32 else INFINITY_G2)[:-1] + b"\x01"
    for part in range(0, width, 32):
        numbers = [0] * (width // 32)
        numbers[part // 32] = PRIME
        yield f"modulus at {part}", spelled(numbers, larger=False)
        yield f"all ones at {part}", placed(good, (part, 32), b"\xbf" + b"\xff" * 31)
    off = next(x for x in range(1, 50) if not square(x)) if width == 32 else None
    yield "off the curve", spelled([off], larger=False) if width == 32 else off_the_twist()


def square(x):
    """Tell whether x is the coordinate of a point of G1."""
    return pow(x**3 + 3, (PRIME - 1) // 2, PRIME) == 1


def off_the_twist():
    """Return the spelling of an x that no point of the twist has, as the native check says."""
    for x in range(1, 50):
        data = spelled([0, x], larger=False)
        if "square root" in verdict("native", placed(KEY, KEY_PLACES["beta"], data), bytes(32), PROOF.data())[1]:
            return data
    raise AssertionError("half of all x have no y")


@pytest.mark.parametrize("name", PROOF_PLACES)
def test_points_of_a_proof_have_one_spelling(name):
    """A point of a proof in another spelling, off its curve or beyond the modulus is malformed."""
    for kind, lie in misspelled(PROOF_PLACES[name], PROOF.data()):
        assert judged(placed(PROOF.data(), PROOF_PLACES[name], lie)) == "malformed", kind


@pytest.mark.parametrize("count", [b"\0\0\0\0", b"\0\0\0\x02", b"\x01\0\0\0", b"\xff\xff\xff\xff"])
def test_a_proof_has_one_commitment(count):
    """Another number of commitments is malformed."""
    (place,) = PROOF_COUNTS
    assert judged(placed(PROOF.data(), (place, 4), count)) == "malformed"


@pytest.mark.parametrize("digest", [b"", b"\x07", bytes(31), bytes(33), ORDER.to_bytes(32, "big"), b"\xff" * 32])
def test_digests_are_32_bytes_below_the_order(digest):
    """A digest of another length, or from the order up, is malformed: 7 + ORDER is no second digest 7."""
    assert agreed(KEY, digest, PROOF.data()) == "malformed"
    assert agreed(KEY, (DIGEST + ORDER).to_bytes(32, "big"), PROOF.data()) == "malformed"


@pytest.mark.parametrize("data", ["text", None, 5, [1]], ids=repr)
def test_what_is_no_bytes_is_a_type_error(data):
    """Only bytes are checked: anything else is a fault of the caller's, with both checks."""
    for check in CHECKS.values():
        with check(KEY) as loaded:
            for words in ((data, PROOF.data()), (digest_bytes(DIGEST), data)):
                with pytest.raises(TypeError):
                    loaded.verify(*words)


# -- keys


DEGENERATE = {
    "gamma equals delta": ({"gamma": 1004}, {}),
    "beta is the point at infinity or the generator": ({"beta": 1}, {}),
    "delta is the point at infinity or the generator": ({"delta": 1}, {}),
    "alpha is the point at infinity or the generator": ({"alpha": 1}, {}),
    "gamma is the point at infinity": ({}, {"gamma": INFINITY_G2}),
    "input point 0 is at infinity: nothing binds that input": ({"inputs": (0, 1, 2)}, {}),
    "input point 1 is at infinity: nothing binds that input": ({"inputs": (1, 0, 2)}, {}),
    "input point 2 is at infinity: nothing binds that input": ({"inputs": (1, 2, 0)}, {}),
    "the commitment's key is degenerate": ({"sigma": 1}, {}),
}


@pytest.mark.parametrize("weakness", DEGENERATE)
def test_degenerate_keys_are_refused_in_the_same_words(weakness):
    """A key under which somebody could prove anything is malformed, and both checks say why."""
    secrets, points = DEGENERATE[weakness]
    key = Trapdoor(**secrets).key()
    for name, data in points.items():
        key = placed(key, KEY_PLACES[name], data)
    for check in CHECKS:
        kind, why = verdict(check, key, digest_bytes(DIGEST), PROOF.data())
        assert (kind, weakness in why) == ("malformed", True), why


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("alpha", INFINITY_G1),
        ("beta", INFINITY_G2),
        ("delta", INFINITY_G2),
        ("G", INFINITY_G2),
        ("sigma_G", INFINITY_G2),
        ("sigma_G", g2(KNOWN.generator)),
        ("K_0", g1(0)),
    ],
)
def test_keys_with_points_at_infinity_or_a_known_sigma_are_refused(name, data):
    """Infinity in any place that verification uses, and sigma = -1, make a key degenerate."""
    assert judged(PROOF, key=placed(KEY, KEY_PLACES[name], data)) == "malformed"


@pytest.mark.parametrize("name", ["beta_g1", "delta_g1"])
def test_points_that_verification_does_not_use_are_read_all_the_same(name):
    """Beta and delta in G1 may be any points, infinity included, and nothing but points."""
    assert judged(PROOF, key=placed(KEY, KEY_PLACES[name], INFINITY_G1)) == "accepted"
    lie = placed(INFINITY_G1, (31, 1), b"\x01")
    assert judged(PROOF, key=placed(KEY, KEY_PLACES[name], lie)) == "malformed"


@pytest.mark.parametrize("name", ["alpha", "beta", "K_2", "sigma_G"])
def test_points_of_a_key_have_one_spelling(name):
    """A point of a key in another spelling, off its curve or beyond the modulus is malformed."""
    for kind, lie in misspelled(KEY_PLACES[name], KEY):
        assert judged(PROOF, key=placed(KEY, KEY_PLACES[name], lie)) == "malformed", kind


@pytest.mark.parametrize("name", [name for name, (_, width) in KEY_PLACES.items() if width == 64])
def test_points_of_a_key_stand_in_their_subgroup(name):
    """A G2 point of a key with a part of cofactor order is malformed."""
    at, width = KEY_PLACES[name]
    point = add(read_g2(KEY[at : at + width], name), multiply(outside_subgroup(), ORDER))
    assert judged(PROOF, key=placed(KEY, (at, width), spell_g2(point))) == "malformed"


@pytest.mark.parametrize("place", KEY_COUNTS)
def test_counts_of_a_key_are_fixed(place):
    """Any other number in the place of a count is malformed."""
    for count in (KEY_COUNTS[place] + 1, 1 << 31, (1 << 32) - 1):
        assert judged(PROOF, key=placed(KEY, (place, 4), count.to_bytes(4, "big"))) == "malformed"


@pytest.mark.parametrize("length", [0, 1, 527, 529, 1056])
def test_keys_have_one_length(length):
    """A key that is cut or goes on is malformed."""
    assert judged(PROOF, key=(KEY * 2)[:length]) == "malformed"


def test_a_refused_key_stays_refused():
    """A key is judged anew each time it is refused, and a good one is read again and again."""
    for _ in range(2):
        with pytest.raises(MalformedInputError):
            pairing.Verifier(KEY[:-1] + b"\0")
        pairing.Verifier(KEY)


# -- chance


def mutated(rng, data, places):
    """Return data with one bit, byte, flag or point changed at random."""
    changed = bytearray(data)
    kind = rng.randrange(5)
    at, width = rng.choice(list(places.values()))
    if kind == 0:
        changed[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    elif kind == 1:
        changed[rng.randrange(len(data))] = rng.choice((0, 0x40, 0x7F, 0x80, 0xBF, 0xC0, 0xFF))
    elif kind == 2:
        changed[at] ^= rng.choice((0x40, 0x80, 0xC0))
    elif kind == 3:
        changed[at : at + width] = INFINITY_G1 if width == 32 else INFINITY_G2
    else:
        other, size = rng.choice([place for place in places.values() if place[1] == width])
        changed[at : at + width] = data[other : other + size]
    return bytes(changed)


@pytest.fixture(scope="module")
def published():
    """A key and a proof of a real set-up, with the digest that it is about."""
    from verifier import parse_certificate
    from verifier.documents import KEY_FILE, VERIFYING_FILE, parse_key

    folder = FOLDER / "loans" / "keys" / "key"
    certificate = parse_certificate((FOLDER / "loans" / "certificate.json").read_bytes(), "certificate.json")
    shape = parse_key((folder / KEY_FILE).read_bytes(), KEY_FILE).shape
    digest = digest_bytes(certificate.to_statement().digest(shape))
    return (folder / VERIFYING_FILE).read_bytes(), digest, certificate.proof_bytes


def test_a_published_proof_is_accepted_by_both(published):
    """A proof of a real set-up holds for its digest and for no other."""
    key, digest, proof = published
    assert agreed(key, digest, proof) == "accepted"
    assert agreed(key, digest[:-1] + bytes([digest[-1] ^ 1]), proof) == "refused"


def chance(published, seed, proofs, keys):
    """Compare both checks on random changes of a real proof, its digest and its key, and count the verdicts."""
    rng = random.Random(seed)
    key, digest, proof = published
    counts = {"accepted": 0, "refused": 0, "malformed": 0}
    for number in range(proofs):
        if number % 10:
            counts[agreed(key, digest, mutated(rng, proof, PROOF_PLACES))] += 1
        else:
            counts[agreed(key, mutated(rng, digest, {"digest": (0, 32)}), proof)] += 1
    for _ in range(keys):
        counts[agreed(mutated(rng, key, KEY_PLACES), digest, proof)] += 1
    return counts


def test_random_changes_find_no_difference(published):
    """Whatever is changed in a proof, its digest or its key, both checks say the same."""
    counts = chance(published, 1, proofs=10, keys=6)
    assert min(counts["refused"], counts["malformed"]) > 1


@pytest.mark.slow
def test_thousands_of_random_changes_find_no_difference(published):
    """The same on 2,400 changes."""
    counts = chance(published, 2, proofs=1500, keys=900)
    assert min(counts["refused"], counts["malformed"]) > 500
