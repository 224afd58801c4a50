"""What a log proof shows: the vectors, pins that mean nothing, and what a verification says of it."""

import json
from dataclasses import replace
from functools import cache

import pytest

from equiproof.circuits import tables
from equiproof.verifier import AllOf, AnyOf, UnsafeNoPolicy, Verifier
from equiproof.verifier.certificate import StatementFields, parse_certificate
from equiproof.verifier.documents import load_commitment
from equiproof.verifier.entries import parse_entry
from equiproof.verifier.errors import CertificateFormatError, PolicyError, VerificationError
from equiproof.verifier.facts import ABOUT_SAME
from equiproof.verifier.logged import (
    ABOUT_FORKS,
    ABOUT_RECEIPT,
    BoxDated,
    ForReceipt,
    Logged,
    LogPins,
    LogTerms,
    shown_time,
    standing,
)
from equiproof.verifier.policy import MinRadius
from equiproof.verifier.receipt import parse_receipt
from equiproof.verifier.tlog_proof import parse_tlog_proof
from equiproof.verifier.trust import TrustStore
from tests.support import ROOT, changed
from tests.vectors.generate import log as made
from tests.verifier.logs import ANNA, BEN, LOG, NOON, Log

VECTORS = json.loads((ROOT / "tests" / "vectors" / "log.json").read_text())
LOANS = ROOT / "tests" / "golden" / "loans"
GOOD = VECTORS["logged"][0]


def terms(pins):
    """Return the demands of a vector."""
    return LogTerms(
        pins["key"], pins["witnesses"], pins["least"], pins["smallest_tree"], pins["max_days"], pins["owner"]
    )


def verdict(check):
    """Return exception and reason of a check, None for none."""
    try:
        check()
    except (CertificateFormatError, VerificationError) as error:
        return type(error).__name__, str(error.reason)
    return None, None


def named(vector):
    """Name a vector in the list of tests."""
    return vector["what"]


@pytest.mark.parametrize("vector", VECTORS["logged"], ids=named)
def test_log_proofs(vector):
    """Every log proof has its verdict, and where it is accepted, what it shows."""
    policy = terms(vector["pins"]).policy(vector["proof"].encode(), vector["now"])
    assert verdict(lambda: policy.judge(vector["digest"])) == (vector["exception"], vector["reason"])
    if "found" in vector:
        found = policy.judge(vector["digest"])
        shown = {"owner": found.entry.owner, "index": found.index, "size": found.size}
        assert shown | {"witnesses": len(found.witnesses), "time": found.shown_time} == vector["found"]


@pytest.mark.parametrize("vector", VECTORS["receipts"], ids=named)
def test_receipts(vector):
    """Every receipt has its verdict about a statement, and of its log proof."""
    certificate = parse_certificate((LOANS / "certificate.json").read_bytes(), "certificate")
    stated = changed(certificate, statement=StatementFields(**vector["statement"])).to_statement()

    def check():
        receipt = parse_receipt(vector["receipt"].encode(), "receipt")
        receipt.refuse_other(stated)
        if "proof" in vector:
            pins = terms(vector["pins"]).pins()
            ForReceipt(receipt, pins=pins, proof=vector["proof"].encode(), now=vector["now"]).judge()

    assert verdict(check) == (vector["exception"], vector["reason"])


@pytest.mark.parametrize("vector", VECTORS["boxes"], ids=named)
def test_box_certificates(vector):
    """The log dates a file by the entry of its own kind alone."""
    dated = BoxDated(terms(vector["pins"]).pins(), vector["proof"].encode(), vector["now"])
    assert verdict(lambda: dated.judge(vector["file"].encode())) == (vector["exception"], vector["reason"])
    if "since" in vector:
        assert shown_time(dated.judge(vector["file"].encode()).since) == vector["since"]


def test_a_log_without_witnesses_dates_nothing():
    """It states no time, and whoever writes it could write any."""
    with pytest.raises(ValueError, match="a date needs witnesses"):
        BoxDated(LogPins(LOG.verifier), b"", NOON)


@pytest.mark.parametrize("vector", VECTORS["entries"], ids=named)
def test_entries(vector):
    """Every entry has its verdict and its name."""
    data = vector["entry"].encode()
    assert verdict(lambda: parse_entry(data, "entry")) == (vector["exception"], vector["reason"])
    if "name" in vector:
        assert parse_entry(data, "entry").name == vector["name"]


def test_the_vectors_are_those_of_their_program():
    """What is published is what is generated."""
    assert (ROOT / "tests" / "vectors" / "log.json").read_bytes() == made.document()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"least": 0}, "0 witnesses of 2"),
        ({"least": 3}, "3 witnesses of 2"),
        ({"witnesses": (), "least": 1}, "1 witnesses of 0"),
        ({"witnesses": (ANNA.verifier, ANNA.verifier)}, "twice"),
        ({"witnesses": (LOG.verifier, BEN.verifier)}, "twice"),
        ({"smallest": -1}, "a tree of -1"),
        ({"smallest": 2**63}, "a tree of"),
    ],
)
def test_pins_that_mean_nothing_are_refused(changes, said):
    """No witness of nobody's, none twice, and the log is no witness of its own."""
    values = {"log": LOG.verifier, "witnesses": (ANNA.verifier, BEN.verifier), "least": 1} | changes
    with pytest.raises(ValueError, match=said):
        LogPins(**values)


def test_a_log_alone_states_no_time():
    """An age needs witnesses."""
    for age in (5, -1):
        with pytest.raises(ValueError, match="needs witnesses"):
            Logged(LogPins(LOG.verifier), b"", NOON, age)


@cache
def verifier():
    """Return the verifier of the published certificate."""
    return Verifier(load_commitment(LOANS / "commitment.json"), TrustStore.open(LOANS / "keys"))


def open_of(policy):
    """Return what a verification of the published certificate leaves open, and what it made."""
    one = verifier().before_proof((LOANS / "certificate.json").read_bytes(), policy)
    return one.not_made, one.made


def lines_of(policy):
    """Return both lists, joined."""
    left, made_lines = open_of(policy)
    return "\n".join(left), "\n".join(made_lines)


def test_the_line_about_everybody_leaves_only_with_witnesses():
    """With witnesses it leaves, and what is said instead is until when they saw it; a log alone might show forks."""
    plain, _ = lines_of(MinRadius("0.1"))
    assert f"{ABOUT_SAME}, and decides with this model" in plain
    left, shown = lines_of(terms(GOOD["pins"]).policy(GOOD["proof"].encode(), NOON))
    assert ABOUT_SAME not in left
    assert "that the owner decides with this model" in left
    assert "has not retired the commitment, before 2026-03-03T12:00:00Z or since" in left
    assert 'that "Example Bank" is the owner that you know (--log-owner)' in left
    assert 'shows everybody this commitment and all others of "Example Bank"' in shown
    assert "entry 3 of 7, cosigned by anna.example, ben.example, carl.example" in shown
    alone = changed_terms(witnesses=[], least=0, max_days=None, owner="Example Bank")
    left, _ = lines_of(alone.policy(GOOD["proof"].encode(), NOON))
    assert f"{ABOUT_SAME}, and decides with this model" in left
    assert ABOUT_FORKS in left
    assert "--log-owner" not in left


def changed_terms(**changes):
    """Return the demands of the first vector with some changed."""
    return terms(GOOD["pins"] | changes)


def test_a_choice_among_policies_covers_nothing_of_a_log():
    """Where another policy would do, the line about everybody stays."""
    policy = AnyOf(terms(GOOD["pins"]).policy(b"", NOON), MinRadius("0.1"))
    left, _ = lines_of(AllOf(policy, MinRadius("0.1")))
    assert f"{ABOUT_SAME}, and decides" in left


def test_a_proof_of_another_commitment_is_refused():
    """The digest is that of the trusted commitment, and of nothing that the sender states."""
    other = made.REGISTER.proof(made.OTHERS, made.THREE).data
    with pytest.raises(PolicyError, match="another commitment") as refused:
        verifier().before_proof((LOANS / "certificate.json").read_bytes(), terms(GOOD["pins"]).policy(other, NOON))
    assert refused.value.reason == "other-entry"


def test_a_receipt_is_judged_with_the_certificate():
    """What was checked is said, and what stays open of it."""
    pins = terms(GOOD["pins"]).pins()
    _, shown = lines_of(ForReceipt(made.RECEIVED))
    assert "your receipt is the one that this certificate is about" in shown
    left, shown = lines_of(ForReceipt(made.RECEIVED, found=True, pins=pins))
    assert ABOUT_RECEIPT in left
    assert "the receipt that came with it is the one" in shown
    proof = made.REGISTER.proof(made.RECEIPTS, made.THREE).data
    left, shown = lines_of(ForReceipt(made.RECEIVED, pins=pins, proof=proof, now=NOON))
    assert ABOUT_RECEIPT not in left
    assert "(entry 6 of 7) holds that receipt" in shown
    with pytest.raises(PolicyError, match="other data than the receipt"):
        lines_of(ForReceipt(changed(made.RECEIVED, query_commitment="0" * 64)))
    with pytest.raises(ValueError, match="no log"):
        ForReceipt(made.RECEIVED).judge()


def test_a_policy_that_requires_nothing_says_nothing_of_a_log():
    """No policy leaves the whole line."""
    with pytest.warns(UserWarning, match="no policy"):
        left, _ = lines_of(UnsafeNoPolicy())
    assert f"{ABOUT_SAME}, and decides" in left


def test_a_kept_error_speaks_the_language_of_its_caller():
    """An outcome is kept for many certificates, and its message for one language alone."""
    pins = LogPins(LOG.verifier)
    said = {}
    for language in ("de", "en", "de"):
        with tables.speaking(language), pytest.raises(CertificateFormatError) as caught:
            standing(b"x", pins, NOON)
        assert said.setdefault(language, str(caught.value)) == str(caught.value)
    assert said["en"].startswith("log proof: not a log proof: want a first line ")
    assert said["de"].startswith("Registernachweis: kein Registernachweis: erwartet sind als erste Zeile ")


def test_witnesses_of_a_time_to_come_are_counted_apart():
    """The refusal says how many of them did not count; there are none where too few signed at all."""
    policy = terms(GOOD["pins"]).policy(GOOD["proof"].encode(), GOOD["now"] - 10**9)
    with pytest.raises(PolicyError, match="and 3 at a time that is not yet") as caught:
        policy.judge(GOOD["digest"])
    assert caught.value.reason == "too-few-witnesses"


def test_a_receipts_log_proof_is_named():
    """There are two log proofs: errors say which."""
    vector = next(one for one in VECTORS["receipts"] if one["exception"] is None and "pins" in one)
    receipt = parse_receipt(vector["receipt"].encode(), "receipt")
    policy = ForReceipt(receipt, pins=terms(vector["pins"]).pins(), proof=b"none", now=vector["now"])
    with pytest.raises(CertificateFormatError, match=r"^log proof of the receipt: "):
        policy.judge()


def test_a_log_without_witnesses_is_named_without_them():
    """The line says the log and the place, and nothing of who cosigned or when."""
    alone = changed_terms(witnesses=[], least=0, max_days=None)
    _, shown = lines_of(alone.policy(GOOD["proof"].encode(), NOON))
    assert "(entry 3 of 7)" in shown
    assert "cosigned" not in shown


def test_a_log_proof_without_its_entry_says_so():
    """It may be one of another program, which keeps the entry elsewhere."""
    proof = parse_tlog_proof(GOOD["proof"].encode())
    policy = terms(GOOD["pins"]).policy(replace(proof, extra=b"").data, GOOD["now"])
    with pytest.raises(CertificateFormatError, match="without the entry that it is about"):
        policy.judge(GOOD["digest"])


def test_times_past_the_last_year_are_shown_as_its_end():
    """A clock may say anything, and dates end with the year 9999."""
    last = 253402300799
    assert shown_time(last - 1) == "9999-12-31T23:59:58Z"
    for time in (last, last + 1, 2**63 - 1):
        assert shown_time(time) == "9999-12-31T23:59:59Z"


def test_witnesses_of_the_future_are_counted_where_there_are_some():
    """They follow the number of those that counted; of none nothing is said."""
    for cosigners, later in (
        (((ANNA, NOON),), ""),
        (((ANNA, NOON), (BEN, NOON + 10**6)), ", and 1 at a time that is not yet"),
    ):
        pins = LogPins(LOG.verifier, (ANNA.verifier, BEN.verifier), 2)
        proof = made.REGISTER.proof(made.AT, cosigners).data
        with pytest.raises(PolicyError) as refused:
            standing(proof, pins, NOON)
        assert f"1 of the 2 accepted witnesses cosigned the checkpoint{later}, the policy requires 2" in str(
            refused.value
        )


def test_without_more_words_a_log_of_one_entry_will_do():
    """Terms that state a key alone demand no witnesses, no age, no owner, and a tree of one entry."""
    pins = LogTerms(GOOD["pins"]["key"]).pins()
    assert (pins.witnesses, pins.least, pins.smallest, pins.owner) == ((), 0, 1, None)
    log = Log([made.REGISTER.entries[made.AT]])
    assert standing(log.proof(0).data, pins, NOON).size == 1
    Logged(pins, log.proof(0).data, NOON).judge(GOOD["digest"])
