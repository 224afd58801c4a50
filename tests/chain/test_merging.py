"""Both equations are checked as one: proofs in which their errors cancel out are refused.

Each lie is made against a contract that lacks one thing, with secrets that no owner has, and that contract accepts it.
So the test shows what each part of the weight, and each check beside it, is there for.
"""

import pytest

from equiproof.verifier.calldata import points_of
from scripts.poseidon2_parameters import keccak_256
from tests.chain.chain import call_of, key_of
from tests.trapdoor import ORDER, Trapdoor, digest_bytes, hashed
from tests.two_checks import verdict
from tests.vectors.vector import FOLDER, read

KEYS = {"known": Trapdoor(), "ceremony": Trapdoor(gamma=1, generator=1)}
DIGEST = 7
PARTS = ("KEY", "digest", "proof.a", "proof.b", "proof.c", "proof.knowledge")
WEIGHT = "uint256 weight = uint256(keccak256(abi.encode(KEY, digest, proof)));"
WHOLE = ("KEY", "digest", "proof.a", "proof.b", "proof.c", "proof.commitment", "proof.knowledge")


def first(key, digest, proof):
    """Return by how much the main equation fails, as a logarithm: 0 where it holds."""
    constant, statement, challenge = key.inputs
    public = constant + digest * statement + hashed(proof.commitment) * challenge + proof.commitment
    return (proof.a * proof.b - key.alpha * key.beta - key.gamma * public - key.delta * proof.c) % ORDER


def second(key, proof):
    """Return the same of the equation of the commitment."""
    return key.generator * (key.sigma * proof.commitment - proof.knowledge) % ORDER


def weight(key, digest, proof, without=()):
    """Return the weight, or that of a contract whose hash leaves parts out."""
    a, b, c, commitment, knowledge = points_of(proof.data())
    name = bytes.fromhex(key_of(key.key()).document.fingerprint)
    values = dict(zip(WHOLE, (name, digest_bytes(digest), a, b, c, commitment, knowledge), strict=True))
    return int.from_bytes(keccak_256(b"".join(value for part, value in values.items() if part not in without)), "big")


def lie(key, part):
    """Return key, digest and proof that fail both equations and cancel out if the weight leaves this part out.

    The commitment is left out here: its hash stands in the first equation, so no algebra leads back to it.
    """
    honest, inverse = key.forge(DIGEST), lambda number: pow(number, -1, ORDER)
    broken = honest.with_(knowledge=honest.knowledge + 1)
    if part == "proof.knowledge":
        broken = honest.with_(c=honest.c + 1)
    by = weight(key, DIGEST, broken, without=(part,))
    if part == "proof.knowledge":
        return (
            key,
            DIGEST,
            broken.with_(
                knowledge=(key.sigma * broken.commitment + first(key, DIGEST, broken) * inverse(by * key.generator))
                % ORDER
            ),
        )
    error = first(key, DIGEST, broken) + by * second(key, broken)
    if part == "proof.c":
        return key, DIGEST, broken.with_(c=(broken.c + error * inverse(key.delta)) % ORDER)
    if part == "proof.a":
        return key, DIGEST, broken.with_(a=(broken.a - error * inverse(broken.b)) % ORDER)
    if part == "proof.b":
        return key, DIGEST, broken.with_(b=(broken.b - error * inverse(broken.a)) % ORDER)
    if part == "digest":
        return key, (DIGEST + error * inverse(key.gamma * key.inputs[1])) % ORDER, broken
    made = Trapdoor(**(vars(key) | {"alpha": (key.alpha + error * inverse(key.beta)) % ORDER}))
    return made, DIGEST, broken


def weaker(part):
    """Return what makes a contract leave a part out of its weight."""
    left = ", ".join(name for name in WHOLE if name != part)
    return WEIGHT, f"uint256 weight = uint256(keccak256(abi.encode({left})));"


@pytest.mark.parametrize(
    ("name", "part"),
    [
        pytest.param(name, part, marks=() if (name, part) == ("ceremony", "proof.c") else pytest.mark.slow)
        for name, part in (*(("ceremony", part) for part in PARTS), ("known", "proof.b"))
    ],
)
def test_every_part_of_the_weight_is_needed(chain, name, part):
    """Where the weight leaves a part out, that part can be chosen after it so that two errors cancel out."""
    key, digest, proof = lie(KEYS[name], part)
    assert first(key, digest, proof) != 0
    assert second(key, proof) != 0
    assert verdict("python", key.key(), digest_bytes(digest), proof.data())[0] == "refused"
    call = call_of(points_of(proof.data()), digest)
    assert chain.contract(key_of(key.key()), weaker(part)).verdict(call) == "accepted"
    assert chain.contract(key_of(key.key())).verdict(call) == "refused"


VECTORS = {"known": "errors-cancel-out", "ceremony": "errors-cancel-out-in-a-ceremony"}


@pytest.mark.parametrize("name", [pytest.param("known", marks=pytest.mark.slow), "ceremony"])
def test_the_vectors_cancel_out(chain, name):
    """The vectors that every verifier refuses are accepted by a contract that multiplies both equations as they are."""
    key, digest, proof = read(FOLDER / "reject" / f"groth16-{VECTORS[name]}.json").parts()
    change = WEIGHT, "uint256 weight = 1;"
    assert chain.contract(key_of(key), change).verdict(call_of(points_of(proof), digest)) == "accepted"


@pytest.mark.slow
@pytest.mark.parametrize(("name", "fixed"), [("known", 2), ("ceremony", (1 << 128) - 1)])
def test_a_weight_that_is_known_cancels_nothing(chain, name, fixed):
    """A contract with a weight that everybody knows accepts errors that cancel out under it; this one does not."""
    key = KEYS[name]
    honest = key.forge(DIGEST)
    broken = honest.with_(knowledge=honest.knowledge + 1)
    error = first(key, DIGEST, broken) + fixed * second(key, broken)
    proof = broken.with_(c=(broken.c + error * pow(key.delta, -1, ORDER)) % ORDER)
    call = call_of(points_of(proof.data()), DIGEST)
    change = WEIGHT, f"uint256 weight = {fixed};"
    assert chain.contract(key_of(key.key()), change).verdict(call) == "accepted"
    assert chain.contract(key_of(key.key())).verdict(call) == "refused"


@pytest.mark.slow
@pytest.mark.parametrize("name", KEYS)
def test_the_weight_is_what_this_test_takes_it_for(chain, name):
    """With the weight of the contract itself, errors would cancel out only if a proof contained its own hash."""
    key = KEYS[name]
    honest = key.forge(DIGEST)
    by = weight(key, DIGEST, honest)
    change = WEIGHT, f"if (uint256(keccak256(abi.encode(KEY, digest, proof))) != {by}) revert Refused(); {WEIGHT}"
    call = call_of(points_of(honest.data()), DIGEST)
    assert chain.contract(key_of(key.key()), change).verdict(call) == "accepted"


CHECKS = {
    "digest >= ORDER": (
        (" || digest >= ORDER", ""),
        lambda points: call_of(points, (DIGEST + ORDER).to_bytes(32, "big")),
        "malformed",
    ),
    "the length of a call": (
        ("msg.data.length != 4 + 13 * 32 || ", ""),
        lambda points: call_of(points, DIGEST) + b"\0",
        "malformed",
    ),
    "product != 1": (
        ("if (product != 1) revert Refused();", "product;"),
        lambda points: call_of(points, DIGEST + 1),
        "refused",
    ),
    "the domain of the hash": (
        ('"bsb22-commitment\\x10"', '"bsb22-commitments"'),
        lambda points: None,
        "accepted",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("check", CHECKS)
def test_every_check_is_needed(chain, check):
    """Without a check, the contract says otherwise of one call."""
    key = KEYS["known"]
    change, made, expected = CHECKS[check]
    points = points_of(key.forge(DIGEST).data())
    call = made(points) or call_of(points, DIGEST)
    assert chain.contract(key_of(key.key())).verdict(call) == expected
    assert chain.contract(key_of(key.key()), change).verdict(call) != expected
