"""Policy files in TypeScript: what each requires, and what is refused and by which field, as in Python."""

import json
import re
import time
import warnings
from datetime import date, datetime, timedelta
from types import SimpleNamespace

import pytest

from equiproof.verifier import (
    CertificateFormatError,
    Own,
    PolicyError,
    TrustStore,
    VerificationError,
    Verifier,
    parse_commitment,
    parse_context,
    parse_policy,
    parse_query,
)
from equiproof.verifier import facts as checks
from equiproof.verifier.logged import DAY, ForReceipt, Logged
from equiproof.verifier.receipt import parse_receipt
from equiproof.verifier.verify_gain import _DECISION_POLICIES
from tests.fuzz.mutator import mutated
from tests.static.test_policies import LOANS, REQUIREMENTS, nested
from tests.support import ROOT
from tests.vectors.generate.log import AT, REGISTER
from tests.vectors.vector import CERTIFICATE, COMMITMENT, CONTEXT, QUERY, certificate_base
from tests.verifier.logs import ANNA as WITNESS
from tests.verifier.logs import BEN as OTHER_WITNESS
from tests.verifier.test_notes import ANNA, BEN, PUBLIC, SECRET
from tests.web.test_agreement import REPEATED, TIMES, generator

FILES = {name: data.hex() for name, data in certificate_base("loans").items()}
TODAY = "2026-02-10"
OTHERWISE = re.compile(r"\[\.\.\.\]|too large")
"""What the page says otherwise: names that a document chose, and the type before the size of a number."""

OPTION = re.compile(r" \(--[\w-]+\)")
SIGNERS = [
    {"keys": [ANNA.verifier.text, BEN.verifier.text], "least": least} for least in (0, 1, 2, 3, -1, 2**40)
] + [{"keys": keys, "least": 1} for keys in ([PUBLIC, PUBLIC], [SECRET], ["anna"], [], [PUBLIC[:-1]])]  # fmt: skip
LISTED = [
    *REQUIREMENTS,
    *({"signed_by": one} for one in SIGNERS),
    {"any_of": [{"signed_by": SIGNERS[1]}, {"setup": "single-party"}]},
    {"signed_by": {"keys": [PUBLIC]}},
    {"signed_by": [PUBLIC]},
    {"signed_by": {"keys": [PUBLIC], "least": 1.5}},
    {"min_radius": 0.1},
    {"no_ranges": None},
    {"any_of": None},
    {"context": {"has": None}},
    {"context": {"max_days": 10}},
    {"context": {"max_days": 9}},
    {"context": {"max_days": 0}},
    {"context": {"unknown": 9}},
    {"unknown": 1},
    # A digest has 64 digits: one more in front or behind is another text.
    *(
        {name: digits}
        for name in ("key_fingerprint", "link_key_fingerprint", "transcript", "link_transcript")
        for digits in ("0" * 64, "0" * 63, "0" * 65, "g" + "0" * 64, "0" * 64 + "g")
    ),
    nested(20, {"no_ranges": True}),
]


@pytest.fixture(scope="module")
def verifier():
    """Somebody who trusts the published key."""
    commitment = parse_commitment((LOANS / COMMITMENT).read_bytes(), COMMITMENT)
    return Verifier(commitment, TrustStore.open(LOANS / "keys"))


def written(requires):
    """Return the bytes of a policy file."""
    return json.dumps({"format": "equiproof-policy", "version": 2, "requires": requires}).encode()


def python(verifier, data, own):
    """Return what Python says of a policy file and the published certificate, in the form of an answer."""
    files = {"query": parse_query((LOANS / QUERY).read_bytes(), QUERY),
             "context": parse_context((LOANS / CONTEXT).read_bytes(), CONTEXT)} if own else {}  # fmt: skip
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            policy = parse_policy(data, "policy.json", Own(**files, today=date.fromisoformat(TODAY)))
        return {"value": list(verifier.verify((LOANS / CERTIFICATE).read_bytes(), policy).made)}
    except (CertificateFormatError, VerificationError) as error:
        return {"exception": type(error).__name__, "reason": str(error.reason), "message": str(error)}


def alike(found, wanted):
    """Fail unless both have the same verdict for the same reason, in the same words where they are Python's own."""
    assert (found.get("exception"), found.get("reason")) == (wanted.get("exception"), wanted.get("reason")), found
    if "value" in wanted:
        # Numbers beyond 2^53 are compared, and written with the digits that a number of JavaScript has.
        assert [line.replace(str(10**30), "1e+30") for line in wanted["value"]] == found["value"]
    elif found["reason"] not in ("not-json", "other-format") and not (
        OTHERWISE.search(wanted["message"]) or REPEATED.search(wanted["message"])
    ):
        assert found["message"] == OPTION.sub("", wanted["message"])


@pytest.mark.parametrize("requires", LISTED, ids=range(len(LISTED)))
@pytest.mark.parametrize("own", [False, True], ids=["alone", "with query and context"])
def test_policy_files(signing, verifier, requires, own):
    """A policy file has the same verdict for the same reason, and an answer names the same checks."""
    data = written(requires)
    given = {"today": TODAY} if own else None
    found = signing.ask("policy", files=FILES, data=data.hex(), own=given)
    alike(found, python(verifier, data, own))


def test_a_wrong_value_is_found_by_its_path(signing):
    """The names above it are joined by points, each as far as it can be read."""
    for name, shown in (("income", "income"), ("x" * 60, "x" * 40)):
        data = written({"ranges_within": {name: ["0"]}})
        message = signing.ask("policy", files=FILES, data=data.hex(), own=None)["message"]
        assert f"requires.ranges_within.{shown}: " in f"{message}: ", message


def test_a_long_value_is_cut(signing, verifier):
    """A message shows forty signs of what stands in place of a number, as Python's does."""
    for text in ("x" * 40, "x" * 41):
        data = written({"min_radius": text})
        found = signing.ask("policy", files=FILES, data=data.hex(), own=None)
        assert (found["message"], "x" * 41 in found["message"]) == (python(verifier, data, own=False)["message"], False)


def test_other_files_are_no_policy(signing, verifier):
    """Another format or version, no JSON, bytes that were changed, and a file that nests beyond any parser."""
    rng, seen = generator("policy files"), set()
    base = written(REQUIREMENTS[1] | {"signed_by": SIGNERS[1], "any_of": [{"no_ranges": True}]})
    deep = base.replace(b'"any_of": [', b'"any_of": [{' * 100_000)
    changed = [base.replace(b": 2", b": 1"), base.replace(b"policy", b"key"), b"", b"[]", b"\xef\xbb\xbf" + base]
    changed += [mutated(base, written(LISTED[-4]), rng) for _ in range(150 * (TIMES or 1))]
    for data in changed:
        wanted = python(verifier, data, own=True)
        alike(signing.ask("policy", files=FILES, data=data.hex(), own={"today": TODAY}), wanted)
        seen.add(wanted.get("reason"))
    assert len(seen) >= 3
    assert signing.ask("policy", files=FILES, data=deep.hex(), own=None)["exception"] == "CertificateFormatError"


def test_signatures_of_an_unpinned_key(signing):
    """A key without a transcript has nothing that anybody could have signed; PolicyError, not another error."""
    data = written({"signed_by": {"keys": [PUBLIC], "least": 1}})
    answer = signing.ask("policy", files=FILES, data=data.hex(), own=None)
    assert (answer["exception"], answer["reason"]) == (PolicyError.__name__, "too-few-signers")
    assert answer["message"] == "the key's set-up has no transcript that anybody could have checked"


LOG_PROOF = json.loads((ROOT / "tests" / "vectors" / "log.json").read_text())["logged"][0]
LOG = {"key": LOG_PROOF["pins"]["key"], "witnesses": LOG_PROOF["pins"]["witnesses"], "least": 2}
CHECKS = {
    "query": checks.ABOUT_QUERY, "context": checks.ABOUT_CONTEXT, "radius": checks.ABOUT_RADIUS,
    "ranges": checks.ABOUT_RANGES, "setup": checks.ABOUT_SETUP, "commitment": checks.ABOUT_COMMITMENT,
    "key": checks.ABOUT_KEY, "linkKey": checks.ABOUT_LINK_KEY, "transcript": checks.ABOUT_TRANSCRIPT,
    "linkTranscript": checks.ABOUT_LINK_TRANSCRIPT, "same": checks.ABOUT_SAME,
}  # fmt: skip
"""What Python calls the checks of TypeScript; there, "log" is that a log was looked at."""

EACH = (
    {"query": True}, {"context": {"has": {"date": "2026-01-31"}}}, {"context": {"max_days": 10}}, {"min_radius": "0"},
    {"min_radius": "0.1"}, {"covers": ["sex"]}, {"no_ranges": True}, {"ranges_within": {"income": ["0", "1"]}},
    {"setup": "ceremony"}, {"setup": "universal"}, {"setup": "single-party"}, {"proof_system": "plonk-bn254"},
    {"model_commitment": "0" * 64}, {"key_fingerprint": "0" * 64}, {"transcript": "0" * 64},
    {"link_key_fingerprint": "0" * 64}, {"link_transcript": "0" * 64},
    {"signed_by": {"keys": [PUBLIC], "least": 1}}, {"log": LOG}, {"log": {"key": LOG["key"]}},
)  # fmt: skip


def promises(policy):
    """Return which checks a policy of Python makes, and whether it is about decisions, as TypeScript says it."""
    return policy.covers, isinstance(policy, _DECISION_POLICIES)


def test_what_each_policy_promises(package):
    """Every field of a policy file makes the checks that it makes in Python, and is about decisions where it is there.

    What a policy covers leaves the list of what the reader has to check; one about decisions is refused of a gain.
    """
    texts = {"query": (LOANS / QUERY).read_text(), "context": (LOANS / CONTEXT).read_text()}
    own = Own(
        query=parse_query(texts["query"].encode(), QUERY),
        context=parse_context(texts["context"].encode(), CONTEXT),
        log_proof=b"",
        today=date.fromisoformat(TODAY),
    )
    seen = set()
    for requires in EACH:
        data = written(requires)
        policies = parse_policy(data, "policy.json", own).policies
        wanted = [(*promises(one), isinstance(one, Logged)) for one in policies]
        found = package.call("promised", data.decode(), texts | {"logProof": ""})
        assert [
            ({CHECKS[check] for check in covers if check != "log"}, decisions, "log" in covers)
            for covers, decisions in found
        ] == wanted, requires
        seen |= requires.keys()
    assert seen == {name for name, row in policy_fields().items() if row["kind"] != "policies"}


def policy_fields():
    """Return the rows of the table of policies that a policy file has a field for, by the outermost field's name."""
    rows = json.loads((ROOT / "go-gnark" / "verify" / "tables" / "policies.json").read_text()).values()
    return {row["field"].partition(".")[0]: row for row in rows if "field" in row}


def test_what_policies_about_receipts_promise(package):
    """They are about decisions, and take no check off the reader's list, as in Python."""
    vectors = json.loads((ROOT / "tests" / "vectors" / "log.json").read_text())["receipts"]
    receipt = next(one["receipt"] for one in vectors if one["exception"] is None)
    wanted = promises(ForReceipt(parse_receipt(receipt.encode(), "receipt")))
    found = package.call("receipts_promised", receipt, LOG["key"])
    assert [(frozenset(covers), decisions) for covers, decisions in found] == [wanted] * 2


LOGS = (
    LOG, LOG | {"max_days": 2}, LOG | {"max_days": 0}, LOG | {"owner": "Example Bank"}, LOG | {"owner": "Another"},
    LOG | {"smallest_tree": 7}, LOG | {"smallest_tree": 8}, LOG | {"least": None}, LOG | {"least": 0},
    LOG | {"least": 4}, {"key": LOG["key"]}, {"key": LOG["key"], "witnesses": []}, {"witnesses": LOG["witnesses"]},
    {"key": LOG["key"], "max_days": 1}, {name: LOG[name] for name in ("key", "witnesses")},
)  # fmt: skip


@pytest.mark.parametrize("proof", [LOG_PROOF["proof"], "", None], ids=["a proof", "none came", "none asked for"])
def test_logs(package, proof):
    """A log is required by each of its fields, with what they are where they are left out, in the words of Python."""
    own = {"now": LOG_PROOF["now"]} | ({} if proof is None else {"logProof": proof})
    commitment = parse_commitment((LOANS / COMMITMENT).read_bytes(), COMMITMENT)
    stated = SimpleNamespace(model_commitment=int(commitment.model_commitment, 16))
    facts = SimpleNamespace(statement=stated, spec=commitment.spec)
    for log in LOGS:
        data = written({"log": log})
        given = Own(log_proof=None if proof is None else proof.encode(), now=own["now"])
        try:
            (policy,) = parse_policy(data, "policy", given).policies
            wanted = {"value": list(policy.check(facts))}
        except (CertificateFormatError, PolicyError) as error:
            wanted = {"exception": type(error).__name__, "reason": str(error.reason), "message": str(error)}
        alike(package.ask("call", name="required", words=[data.decode(), own, LOG_PROOF["digest"]]), wanted)


def test_today_is_the_day_of_the_clock(package):
    """Where no other day is given; a context of three days ago is too old for two."""
    today = datetime.now().astimezone().date()
    days = [today - timedelta(days=back) for back in (0, 3)]
    asked = [({"nonce": "0123456789abcdef", "date": str(day)}, written({"context": {"max_days": 2}})) for day in days]
    found = [
        package.ask("call", name="required", words=[data.decode(), {"context": json.dumps(own)}, ""])
        for own, data in asked
    ]
    assert [one.get("reason", "met") for one in found] == ["met", "too-old"], found


@pytest.mark.parametrize(("ahead", "reason"), [(-DAY, "met"), (2 * DAY, "too-few-witnesses")])
def test_now_is_the_time_of_the_clock(package, ahead, reason):
    """Where no other time is given; what witnesses signed at a time that is not yet does not count."""
    now = int(time.time()) + ahead
    proof = REGISTER.proof(AT, [(witness, now) for witness in (WITNESS, OTHER_WITNESS)]).data.decode()
    words = [written({"log": LOG | {"max_days": 5}}).decode(), {"logProof": proof}, LOG_PROOF["digest"]]
    assert package.ask("call", name="required", words=words).get("reason", "met") == reason
