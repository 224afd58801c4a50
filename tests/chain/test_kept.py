"""Certificates of kept models on the chain: a link is registered once, and nothing is accepted without one.

The lies are those of tests/vectors/linked.json, and others that only a contract could fall for. The proofs of most are
made with the secrets of the set-up, so that what the contract computes decides. For the checks of the contract, and for
what its hashes are of, the change is made that lets a lie pass.
"""

import json
import random
import re

import pytest

from equiproof.circuits.field import ORDER
from equiproof.circuits.kept import key_element, link_start
from equiproof.circuits.poseidon2 import hash_elements
from equiproof.ffi import backend
from equiproof.ffi.errors import RefusedError
from equiproof.verifier.calldata import REGISTER, VERIFY_KEPT_PROOF, VERIFY_KEPT_STATEMENT, points_of
from equiproof.verifier.curve import read_g1, uncompressed
from equiproof.verifier.errors import Reason
from equiproof.verifier.hashing import hash_to_field
from equiproof.verifier.linked import Linked
from equiproof.verifier.pairing import challenges
from scripts.poseidon2_parameters import keccak_256
from tests.chain.chain import Chain
from tests.chain.kept import (
    CHALLENGE_OF,
    KEPT_DIGEST_OF,
    NAME_OF,
    called,
    certificate_of,
    deployed,
    head_call,
    judged,
    keys_of,
    link_of,
    numbers_of,
    registering,
    verifying,
)
from tests.linked_cases import FIRST, KEPT, SHOWN, honest, made, published
from tests.trapdoor import PRIME, KeptTrapdoor, Trapdoor, digest_bytes, folded, hashed
from tests.vectors.generate.cases import KNOWN
from tests.vectors.generate.linked import cases
from tests.vectors.vector import FOLDER, GAIN

CEREMONY = KeptTrapdoor(gamma=1, generator=1)
MALFORMED, REFUSED, NO_LINK, ACCEPTED = "malformed", "refused", "no link", "accepted"

BY_THE_CONTRACT = {
    None: ACCEPTED,
    **dict.fromkeys(
        (
            Reason.NO_LINK, Reason.LINK_FAILS, Reason.FIRST_COMMITMENT_DIFFERS, Reason.SHOWN_DIFFERS,
            Reason.LINK_OF_ANOTHER_KEY, Reason.LINK_OF_ANOTHER_MODEL, Reason.LINK_OF_ANOTHER_SPEC,
        ),
        NO_LINK,
    ),
    **dict.fromkeys((Reason.PAIRINGS_DIFFER, Reason.COMMITMENT_NOT_OPENED), REFUSED),
}  # fmt: skip
"""What the contract says of a case, by its reason."""

TO_THE_CALLER = (
    "other-key",
    "other-link-key",
    "other-setup",
    "other-transcript",
    "too-few-signers",
    "no-transcript",
    "key-not-trusted",
    "setup-differs",
)
"""The reasons that are about trust in keys, which is the caller's to have."""

NOT_JUDGED = {"nothing-of-a-link", "link-key-missing", "published-link-of-another-key"}
"""Two cases without a key for links, of which there is no contract; and a link that is of the contract's key, whatever
its file says: what is registered has no word of that."""

QUICK = ("honest-loans-branch", "no-link", "points-exchanged", "link-of-another-spec", "certificate-of-another-value",
         "count-3", "sigma-shared", "key-hash-without-the-first", "link-key-degenerate")  # fmt: skip
"""The cases that every run tries: the contract of one key serves them."""


def listed():
    """Parametrise a test by the cases of certificates that a contract, or what makes it, has a verdict on."""
    names = [
        name
        for name, case in cases().items()
        if GAIN not in case.files and case.reason not in TO_THE_CALLER and name not in NOT_JUDGED
    ]
    slow = (pytest.mark.slow, pytest.mark.sampled(10))
    return pytest.mark.parametrize("name", [pytest.param(name, marks=() if name in QUICK else slow) for name in names])


@listed()
def test_the_contract_agrees(chain, name):
    """Each case has the verdict of the other verifiers, by the contract, or before it is asked for the same reason."""
    case = cases()[name]
    verdict, reason = judged(chain, case)
    if verdict == MALFORMED and reason is not None:
        assert reason == case.reason
    else:
        assert verdict == (MALFORMED if case.reason == Reason.FORM_DIFFERS else BY_THE_CONTRACT[case.reason])


@pytest.fixture(scope="module")
def linked(chain):
    """A contract of the honest case in which its link is registered, with the call that verifies its certificate."""
    contract = deployed(chain, honest())
    assert contract.verdict(registering(link_of(honest()))) == ACCEPTED
    return contract, verifying(certificate_of(honest()))


def words(*numbers):
    """Return numbers as they stand in a call."""
    return b"".join(number.to_bytes(32, "big") for number in numbers)


def link_words(call):
    """Return the numbers of a link from the call that registers it."""
    return numbers_of(call)[12:]


def challenge_of(contract, call):
    """Return the hash of a link's point if the link is registered, 0 otherwise."""
    name = contract.call(called(NAME_OF, link_words(call)))["output"]
    return int(contract.call(CHALLENGE_OF + bytes.fromhex(name))["output"], 16)


@pytest.mark.parametrize("case", [published, pytest.param(honest, marks=pytest.mark.slow)])
def test_a_link_is_registered_once(chain, case):
    """Certificates are refused before, and accepted ever after; the event names the model, and both keys are told."""
    contract, (key, links) = deployed(chain, case()), keys_of(case())
    link, certificate = link_of(case()), certificate_of(case())
    call, register = verifying(certificate), registering(link)
    for check in (call, head_call(contract, call)):
        assert contract.verdict(check) == NO_LINK
    assert challenge_of(contract, register) == 0
    made = contract.call(register)
    own = bytes.fromhex(key.document.fingerprint + links.document.fingerprint)
    name = keccak_256(own + words(*link_words(register)))
    topics = keccak_256(b"Registered(uint256,bytes32)").hex(), link.model_commitment, name.hex()
    assert (made["failed"], made["output"], made["events"]) == (None, "", [list(topics)])
    assert challenge_of(contract, register) == hash_of(link.point)
    for check in (call, head_call(contract, call), call):
        assert contract.verdict(check) == ACCEPTED
    assert contract.verdict(register) == ACCEPTED
    assert contract.call(bytes.fromhex("2dc387b3"))["output"] == key.document.fingerprint
    assert contract.call(bytes.fromhex("f9a2d094"))["output"] == links.document.fingerprint
    digest = contract.call(called(KEPT_DIGEST_OF, numbers_of(call)[14:]))["output"]
    assert int(digest, 16) == certificate.to_statement().digest(key.document.shape)


def hash_of(point):
    """Return the hash of a compressed point in hexadecimal."""
    return challenges([read_g1(bytes.fromhex(point), "point")])[0]


FOLDING = json.loads((FOLDER / "kept.json").read_text())["folding"]


def test_fold_is_gnarks(chain):
    """Hashes of two commitments, and the factor of the second in the proof of knowledge, are those of gnark."""
    own = "function _hashes(uint256[4] calldata both, uint256 challenge) "
    changes = (own + "private", own.replace("_", "") + "public"), ("= _hashes(both", "= hashes(both")
    contract = deployed(chain, honest(), *changes)
    hashes = keccak_256(b"hashes(uint256[4],uint256)")[:4]
    for vector in FOLDING:
        points = b"".join(uncompressed(read_g1(bytes.fromhex(text), "D")) for text in vector["commitments"])
        challenge, other = vector["challenges"]
        answer = contract.call(hashes + points + bytes.fromhex(challenge))
        assert answer["output"] == other + vector["factor"]
        assert hash_of(vector["commitments"][0]) == int(challenge, 16)


WEIGHT = "uint256 weight = uint256(keccak256(abi.encode(KEY, digest, proof)));"
NAME = "abi.encode(KEY, LINK_KEY, x, y, modelCommitment, specDigest, shown)"
WHOLE_NAME = "abi.encode(KEY, LINK_KEY, link)"
OF_A_LINK = "link.point[0], link.point[1], link.modelCommitment, link.specDigest, link.shown"
NAMED = {
    "point": r"\b(x|y|link\.point\[\d\])",
    "model": r"((?:link\.)?modelCommitment)",
    "spec": r"((?:link\.)?specDigest)",
    "shown": r"((?:link\.)?shown)",
}
"""The parts of a link's name beside the keys."""


def nameless(part):
    """Return what makes a contract put zeros in the place of a part of the names of links."""
    of_link = f"abi.encode(KEY, LINK_KEY, {OF_A_LINK})"
    return tuple((old, re.sub(NAMED[part], r"0 * \1", new)) for old, new in ((NAME, NAME), (WHOLE_NAME, of_link)))


def renamed(part):
    """Return a case whose certificate is not of what its link states, and holds in all other ways."""
    if part == "spec":
        return made(link={"spec_digest": f"{5:064x}"})
    if part == "model":
        return made(link={"model_commitment": f"{5:064x}"})
    return made(shown=SHOWN + 1) if part == "shown" else honest()


def statement_of(case):
    """Return the digest and the numbers of a certificate's statement."""
    key, stated = keys_of(case)[0], certificate_of(case).to_statement()
    return stated.digest(key.document.shape), stated.elements()


def statement_call(proof, elements):
    """Return a call of `verifyStatement` with a proof of known secrets."""
    return VERIFY_KEPT_STATEMENT + b"".join(points_of(proof.data(), 2)) + words(*elements)


@pytest.mark.parametrize(
    "part", [pytest.param(part, marks=() if part == "spec" else pytest.mark.slow) for part in NAMED]
)
def test_every_part_of_a_name_is_needed(chain, part):
    """spec-of-another-link-on-chain, and its kin: a link says nothing of certificates that differ in a part."""
    case = renamed(part)
    digest, elements = statement_of(case)
    call = verifying(certificate_of(case))
    if part == "point":
        call = statement_call(KEPT.proof(digest, first=17, challenge=hashed(FIRST)), elements)
    for changes, verdict in (((), NO_LINK), (nameless(part), ACCEPTED)):
        contract = deployed(chain, case, *changes)
        assert contract.verdict(registering(link_of(case))) == ACCEPTED
        assert contract.verdict(call) == verdict


def test_what_is_shown_is_the_links(linked, chain):
    """A proof that holds for a statement with another value is refused, beside links of either value."""
    contract, call = linked
    proof_call, other = head_call(contract, call), made(shown=SHOWN + 1, link_shown=SHOWN + 1)
    second = deployed(chain, other)
    for case in (honest(), other):
        assert second.verdict(registering(link_of(case))) == ACCEPTED
    assert second.verdict(verifying(certificate_of(other))) == ACCEPTED
    assert second.verdict(proof_call) == ACCEPTED
    swapped = numbers_of(proof_call)
    swapped[16] = SHOWN + 1
    assert second.verdict(called(VERIFY_KEPT_PROOF, swapped)) == REFUSED
    assert contract.verdict(called(VERIFY_KEPT_PROOF, swapped)) == NO_LINK


PROOF = ("A.x", "A.y", "B.xi", "B.x", "B.yi", "B.y", "C.x", "C.y")
CALL = (*PROOF, "D1.x", "D1.y", "D2.x", "D2.y", "k.x", "k.y", "model", "spec", "domain", "query", "label", "radius",
        "context", "shown")  # fmt: skip
REGISTRATION = (*PROOF, "D.x", "D.y", "k.x", "k.y", "point.x", "point.y", "model", "spec", "shown")
OF_A_NAME = ("D1.x", "D1.y", "model", "spec", "shown")


def altered(numbers, place, value):
    """Return numbers with another one at a place."""
    return [*numbers[:place], value, *numbers[place + 1 :]]


@pytest.mark.parametrize("place", range(22), ids=CALL)
def test_no_word_of_a_call_can_be_changed(linked, place):
    """One more or less, either modulus more, and numbers of no point: of what names the link, there is no such link."""
    contract, call = linked
    numbers, named = numbers_of(call), CALL[place] in OF_A_NAME
    wrong = NO_LINK if named else MALFORMED if place < 14 else REFUSED
    for value in (numbers[place] + 1, numbers[place] - 1):
        if value >= 0:
            assert contract.verdict(called(call[:4], altered(numbers, place, value))) == wrong
    for value in (numbers[place] + PRIME, numbers[place] + ORDER, (1 << 256) - 1):
        if value < 1 << 256:
            assert contract.verdict(called(call[:4], altered(numbers, place, value))) == (
                NO_LINK if named else MALFORMED
            )
    if CALL[place] in ("A.y", "C.y", "D2.y", "k.y"):
        assert contract.verdict(called(call[:4], altered(numbers, place, PRIME - numbers[place]))) == REFUSED


@pytest.mark.parametrize("place", range(17), ids=REGISTRATION)
def test_no_word_of_a_registration_can_be_changed(linked, place):
    """Points off the curve and numbers above their modulus are malformed, others refused, and nothing is registered."""
    contract, _ = linked
    register = registering(link_of(honest()))
    numbers = numbers_of(register)
    wrong = MALFORMED if place < 14 else REFUSED
    modulus = PRIME if place < 14 else ORDER
    for value, verdict in ((1, wrong), (modulus, MALFORMED), ((1 << 255), MALFORMED)):
        if numbers[place] + value < 1 << 256:
            other = called(REGISTER, altered(numbers, place, numbers[place] + value))
            assert contract.verdict(other) == verdict
            assert place < 12 or challenge_of(contract, other) == 0
    if REGISTRATION[place].endswith(".y") and REGISTRATION[place] != "B.y":
        assert contract.verdict(called(REGISTER, altered(numbers, place, PRIME - numbers[place]))) == REFUSED


def test_points_cannot_change_places(linked):
    """points-exchanged: the second commitment is no first one; nor can any two others be exchanged."""
    contract, call = linked
    numbers = numbers_of(call)
    places = {"A": 0, "C": 6, "D1": 8, "D2": 10, "k": 12}
    for name, at in places.items():
        for other, to in places.items():
            if name < other:
                swapped = list(numbers)
                swapped[at : at + 2], swapped[to : to + 2] = numbers[to : to + 2], numbers[at : at + 2]
                wanted = NO_LINK if "D1" in (name, other) else REFUSED
                assert contract.verdict(called(call[:4], swapped)) == wanted, (name, other)
        infinite = [*numbers[:at], 0, 0, *numbers[at + 2 :]]
        assert contract.verdict(called(call[:4], infinite)) == (NO_LINK if name == "D1" else REFUSED), name


def test_calls_have_one_length(linked):
    """A call that is cut or goes on is malformed, of each function; so is a call of an ordinary contract."""
    contract, call = linked
    register, proof_call = registering(link_of(honest())), head_call(contract, call)
    for one in (call, proof_call, register):
        assert contract.verdict(one) == ACCEPTED
        for other in (one[:4], one[:-1], one[:-32], one + b"\0", one + bytes(32)):
            assert contract.verdict(other) == MALFORMED
    above = numbers_of(proof_call)
    above[-1] += ORDER
    assert contract.verdict(called(VERIFY_KEPT_PROOF, above)) == MALFORMED
    above[-1] = numbers_of(proof_call)[-1] + 1
    assert contract.verdict(called(VERIFY_KEPT_PROOF, above)) == REFUSED
    assert contract.verdict(bytes.fromhex("8811c28b") + call[4:616]) == MALFORMED


def test_little_gas_registers_and_accepts_nothing(chain):
    """With less gas than it takes, no link is registered, and no certificate accepted."""
    contract, case = deployed(chain, honest()), honest()
    register, call = registering(link_of(case)), verifying(certificate_of(case))
    needed = 380_000
    for part in range(8):
        assert contract.call(register, needed * part // 8)["failed"] is not None
        assert challenge_of(contract, register) == 0
    assert contract.verdict(register) == ACCEPTED
    for part in range(8):
        assert contract.call(call, 430_000 * part // 8)["failed"] is not None


@pytest.mark.slow
def test_a_chain_without_a_precompiled_contract_accepts_nothing(chain):
    """A call of an address without a contract succeeds and returns nothing: that is no answer."""
    key, links = keys_of(honest())
    code, register = chain.code(key, link_key=links), registering(link_of(honest()))
    for address in ("0x02", "0x06", "0x07", "0x08"):
        lacking = Chain(address)
        try:
            contract = lacking.deployed(code)
            assert contract.verdict(register) == MALFORMED, address
            assert challenge_of(contract, register) == 0
        finally:
            lacking.close()


@pytest.mark.slow
def test_in_the_form_of_a_ceremony(chain):
    """Where gamma is the commitments' G, in both keys, two pairings are one, with the same verdicts."""
    secrets = Trapdoor(gamma=1, generator=1)
    case = made(kept=CEREMONY, link_verifying=secrets.key())
    contract, call = deployed(chain, case), verifying(certificate_of(case))
    register = registering(link_of(case))
    assert contract.verdict(register) == REFUSED
    proof = secrets.forge(link_digest(case))
    assert contract.verdict(REGISTER + b"".join(points_of(proof.data())) + register[388:]) == ACCEPTED
    assert contract.verdict(call) == ACCEPTED
    numbers = numbers_of(call)
    assert contract.verdict(called(call[:4], altered(numbers, 17, numbers[17] + 1))) == REFUSED
    assert contract.verdict(called(call[:4], altered(numbers, 13, PRIME - numbers[13]))) == REFUSED


def link_digest(case, *, without=None):
    """Return the digest of what a link states, or that of a contract that leaves out the part at a place."""
    link = link_of(case)
    parts = [int(link.model_commitment, 16), int(link.spec_digest, 16), key_element(link.key), hash_of(link.point)]
    parts.append(link.shown_element)
    if without is not None:
        del parts[without]
    return hash_elements(parts, link_start(keys_of(case)[1].document.shape))


STEPS = (
    ("_compress(keys, LINK_START, link.modelCommitment);", "LINK_START;"),
    ("digest = _compress(keys, digest, link.specDigest);", ""),
    ("digest = _compress(keys, digest, KEY_ELEMENT);", ""),
    ("digest = _compress(keys, digest, challenge);", ""),
    ("digest = _compress(keys, digest, link.shown);", ""),
)


@pytest.mark.slow
@pytest.mark.parametrize("place", range(5), ids=("model", "spec", "key", "point", "shown"))
def test_every_part_of_a_links_digest_is_needed(chain, place):
    """A proof of what a link states but for one part is refused: that part could be anybody's word."""
    register = registering(link_of(honest()))
    proof = KNOWN.forge(link_digest(honest(), without=place)).data()
    call = REGISTER + b"".join(points_of(proof)) + register[388:]
    assert deployed(chain, honest()).verdict(call) == REFUSED
    assert deployed(chain, honest(), STEPS[place]).verdict(call) == ACCEPTED


def lacks_hash(digest):
    """Return a proof whose second hash does not take the first one."""
    return KEPT.proof(digest, other=hashed(14))


CHECKS = {
    "no-link": (
        ("if (challenge == 0) revert NoLink();", ""),
        lambda digest: KEPT.proof(digest, challenge=0),
        NO_LINK,
    ),
    "second-hash-without-c1": (
        ("abi.encodePacked(both[2], both[3], challenge)", "abi.encodePacked(both[2], both[3])"),
        lacks_hash,
        REFUSED,
    ),
    "no-folding": (
        ("mulmod(weight, fold, ORDER)", "mulmod(weight, 1 + 0 * fold, ORDER)"),
        lambda digest: KEPT.proof(digest, factor=1),
        REFUSED,
    ),
    "folding-without-the-second": (
        ("abi.encodePacked(challenge, second)", "abi.encodePacked(challenge)"),
        lambda digest: KEPT.proof(digest, factor=hash_of_one(hashed(FIRST))),
        REFUSED,
    ),
    "product": (
        ("7 * 192, 32);\n        if (product != 1) revert Refused();", "7 * 192, 32);\n        product;"),
        lambda digest: KEPT.proof(digest + 1),
        REFUSED,
    ),
}


def hash_of_one(challenge):
    """Return the factor that the first hash alone would decide."""
    return hash_to_field(digest_bytes(challenge), b"G16-BSB22")


@pytest.mark.slow
@pytest.mark.parametrize("name", CHECKS)
def test_every_check_is_needed(chain, name):
    """Without a check, the contract accepts a proof that it refuses; the first has no link, all others have."""
    change, forged, verdict = CHECKS[name]
    digest, elements = statement_of(honest())
    call = statement_call(forged(digest), elements)
    for changes, wanted in (((), verdict), ((change,), ACCEPTED)):
        contract = deployed(chain, honest(), *changes)
        if verdict != NO_LINK:
            assert contract.verdict(registering(link_of(honest()))) == ACCEPTED
        assert contract.verdict(call) == wanted


@pytest.mark.slow
def test_without_its_proof_any_link_is_registered(chain):
    """Whoever registers a link without a proof has certificates of any model under the honest one's commitment."""
    case = made(Reason.LINK_FAILS, about={"shown": SHOWN + 1})
    call = verifying(certificate_of(case))
    for changes, verdict in (((), NO_LINK), ((("_checkLink(proof, digest);", "digest; proof;"),), ACCEPTED)):
        contract = deployed(chain, case, *changes)
        contract.verdict(registering(link_of(case)))
        assert contract.verdict(call) == verdict


def drawn(rng):
    """Return a proof and the head of its statement: often true, often with one part of another."""
    head = rng.choice((0, 1, ORDER - 1, rng.randrange(ORDER)))
    digest = hash_elements([SHOWN], head)
    proof = KEPT.proof(digest, second=rng.choice((0, 1, FIRST, -FIRST, rng.randrange(ORDER))))
    if rng.random() < 0.6:
        name = rng.choice(("a", "b", "c", "first", "second", "knowledge"))
        value = rng.choice((0, 1, ORDER - 1, proof.a, proof.second, proof.knowledge, -getattr(proof, name)))
        proof = proof.with_(**{name: value})
    return proof, head if rng.random() < 0.8 else (head + 1) % ORDER


@pytest.mark.slow
@pytest.mark.skipif(not backend.available(), reason="the native library is not built")
def test_drawn_proofs_have_the_verdict_of_the_native_check(linked):
    """Proofs with drawn points at their edges are accepted by the contract where the native check accepts them."""
    contract, _ = linked
    key, links = keys_of(honest())
    statement, link, seen = statement_of(honest())[1], link_of(honest()), set()
    claim = Linked(link, links, key).claim
    with backend.VerifyingKey(links.verifying) as of_links, backend.KeptVerifyingKey(key.verifying) as kept:
        opened = kept.open(of_links, claim.point, digest_bytes(SHOWN), claim.proof, claim.parts)
    rng = random.Random("kept proofs")
    with opened:
        for _ in range(24):
            proof, head = drawn(rng)
            try:
                opened.verify(digest_bytes(hash_elements([SHOWN], head)), proof.data())
                said = {ACCEPTED}
            except RefusedError as error:
                said = {NO_LINK} if error.reason == Reason.FIRST_COMMITMENT_DIFFERS else {REFUSED}
            call = VERIFY_KEPT_PROOF + b"".join(points_of(proof.data(), 2)) + words(*statement[:2], SHOWN, head)
            assert {contract.verdict(call)} == said, (proof, head)
            seen |= said
    assert seen == {ACCEPTED, REFUSED, NO_LINK}


PARTS = ("KEY", "digest", "proof.a", "proof.b", "proof.c", "proof.knowledge")
WHOLE = (*PARTS[:5], "proof.commitment", "proof.knowledge")


def second_error(key, proof, factor):
    """Return by how much the equation of the commitments fails, as a logarithm."""
    opened = key.sigmas[0] * proof.first + key.sigmas[1] * factor * proof.second
    return key.generator * (opened - proof.knowledge) % ORDER


def weight(case, digest, proof, without=None):
    """Return the weight, or that of a contract whose hash leaves a part out."""
    name = bytes.fromhex(keys_of(case)[0].document.fingerprint)
    values = dict(zip(WHOLE, (name, digest_bytes(digest), *points_of(proof.data(), 2)), strict=True))
    return int.from_bytes(keccak_256(b"".join(value for part, value in values.items() if part != without)), "big")


def cancelling(case, key, digest, part):
    """Return a proof that fails both equations, whose errors cancel out if the weight leaves this part out."""
    challenge = hashed(FIRST)
    other = hashed(14, digest_bytes(challenge))
    factor, whole = folded(challenge, other), key.proof(digest)

    def inverse(number):
        return pow(number, -1, ORDER)

    if part == "proof.knowledge":
        broken = whole.with_(c=whole.c + 1)
        by = weight(case, digest, broken, part) * key.generator
        opened = key.sigmas[0] * broken.first + key.sigmas[1] * factor * broken.second
        found = broken.with_(knowledge=(opened + key.error(digest, broken, challenge, other) * inverse(by)) % ORDER)
    else:
        broken = whole.with_(knowledge=whole.knowledge + 1)
        by = weight(case, digest, broken, part)
        error = key.error(digest, broken, challenge, other) + by * second_error(key, broken, factor)
        moved = {"proof.a": -error * inverse(broken.b), "proof.b": -error * inverse(broken.a)}
        moved["proof.c"] = error * inverse(key.delta)
        name = part.removeprefix("proof.")
        found = broken.with_(**{name: (getattr(broken, name) + moved[part]) % ORDER})
    assert key.error(digest, found, challenge, other) != 0
    assert second_error(key, found, factor) != 0
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", ["proof.a", "proof.b", "proof.c", "proof.knowledge"])
def test_every_point_in_the_weight_is_needed(chain, name):
    """Where the weight leaves a point out, that point can be chosen after it so that two errors cancel out."""
    digest, elements = statement_of(honest())
    call = statement_call(cancelling(honest(), KEPT, digest, name), elements)
    left = ", ".join(part for part in WHOLE if part != name)
    weaker = WEIGHT, f"uint256 weight = uint256(keccak256(abi.encode({left})));"
    for changes, verdict in (((), REFUSED), ((weaker,), ACCEPTED)):
        contract = deployed(chain, honest(), *changes)
        assert contract.verdict(registering(link_of(honest()))) == ACCEPTED
        assert contract.verdict(call) == verdict


@pytest.mark.slow
@pytest.mark.parametrize("without", ["digest", "proof.commitment", "KEY"])
def test_the_weight_is_a_hash_of_everything(chain, without):
    """Of the key, the digest and both commitments, too: with the weight that a test computes, and with no other."""
    digest, elements = statement_of(honest())
    proof = KEPT.proof(digest)
    call = statement_call(proof, elements)
    for left, verdict in ((None, ACCEPTED), (without, REFUSED)):
        number = weight(honest(), digest, proof, left)
        contract = deployed(chain, honest(), (WEIGHT, f"{WEIGHT} if (weight != {number}) revert Refused();"))
        assert contract.verdict(registering(link_of(honest()))) == ACCEPTED
        assert contract.verdict(call) == verdict
