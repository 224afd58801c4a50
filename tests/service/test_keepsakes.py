"""Letters and evidence packages of decisions, and certificates in the public log."""

import base64
import hashlib
import html
import json
import re
from dataclasses import replace

import pytest

from equiproof.circuits.canonical import canonical_bytes
from equiproof.service import letters, package
from equiproof.service.dated import REFRESH_INTERVAL
from equiproof.service.leaving import at_once
from equiproof.service.links import decision_of
from equiproof.service.package import EvidenceError, RefusedEvidenceError, evidence, policy_file
from equiproof.service.policy import HeldError
from equiproof.service.settings import LenderSettings, PolicySettings
from equiproof.service.states import State
from equiproof.service.store.tables import Certificate, Correction, CorrectionRequest, Decision, Letter, Link, Model
from equiproof.verifier import MinRadius, TrustStore, parse_bundle
from equiproof.verifier.entries import certificate_entry
from equiproof.verifier.logged import LogPins, standing
from equiproof.verifier.package import parse_package
from equiproof.verifier.package_check import Reader, check_package
from equiproof.verifier.report import REPORT, Report
from tests.service import made
from tests.service.test_decisions import everything
from tests.service.test_outbox import MICROSECONDS, log, sending, settled  # noqa: F401 -- fixtures
from tests.support import ROOT, changed
from tests.verifier.packages import own_bundle

pytestmark = pytest.mark.parametrize("address", ["sqlite"], indirect=True)

KEYS = ROOT / "tests" / "golden" / "loans" / "keys"
SECURE = {"public_url": "https://bank.example/", "lender": LenderSettings("North Bank & Sons")}


@pytest.fixture
def key(monkeypatch):
    """The key of all certificates: a published one, since those here have a proof of zeros."""
    (found,) = TrustStore.open(KEYS)._keys.values()
    monkeypatch.setattr(letters, "key_of", lambda *_: found)


def written(service, decision_id, language="en", **settings):
    """Return a decision's letter."""
    shared = service.shared
    with shared.database.transaction() as session:
        decision = session.get(Decision, decision_id)
        model, known = shared.models.of(session, decision.model_id), changed(shared.settings, **settings)
        return letters.letter_of(session, model, at_once(session, decision), shared.holders.vault, language, known)


def test_a_letter_is_made_once_and_sealed(service, rows, key):
    """The second time it has the same bytes; its digest is kept, and its words are in no table."""
    decision = service.post(rows[0], reference="2026-0431").json()["id"]
    made.end(service, decision, State.CERTIFIED)
    page = written(service, decision, **SECURE)
    assert written(service, decision, **SECURE) == page
    assert written(service, decision, "de", **SECURE) != page
    row = next(one for one in everything(service, Letter) if one.language == "en")
    assert row.digest == hashlib.sha256(page).hexdigest()
    assert b"North Bank" not in row.sealed
    text = page.decode()
    assert "North Bank &amp; Sons" in text
    assert "2026-0431" in text
    assert "style-src &#x27;sha256-" in text or "style-src 'sha256-" in text


def test_a_letters_link_opens_its_decision(service, rows, key):
    """The whole token stands in the letter and its code; without https there is none."""
    decision = service.post(rows[0]).json()["id"]
    made.end(service, decision, State.CERTIFIED)
    page = html.unescape(written(service, decision, **SECURE).decode())
    tokens = set(re.findall(r"https://bank\.example/a#([0-9A-Z-]{32})", page))
    assert len(tokens) == 1
    with service.shared.database.transaction() as session:
        assert decision_of(session, tokens.pop(), service.clock()).id == decision
    other = service.post(rows[0]).json()["id"]
    made.end(service, other, State.CERTIFIED)
    assert "a#" not in written(service, other).decode()
    assert {link.decision_id for link in everything(service, Link)} == {decision}


def test_letters_are_held_as_the_policy_says(service, rows, key):
    """Nothing before the certificate, nothing for a review; one that need not wait says that there is none yet."""
    waiting, review = (service.post(row).json()["id"] for row in rows)
    for decision in (waiting, review):
        with pytest.raises(HeldError):
            written(service, decision)
    free = {"policy": PolicySettings(hold_letter_until_certified=False)}
    assert b"has been made for this decision yet" in written(service, waiting, **free)
    with pytest.raises(HeldError):
        written(service, review, **free)
    assert not everything(service, Letter)


def kept_of(service, rows, monkeypatch):
    """Return a certified decision whose bundle is a published one, and what makes its package."""
    decision = service.post(rows[0]).json()["id"]
    made.end(service, decision, State.CERTIFIED)
    monkeypatch.setattr(package, "bundle_of", lambda *_: parse_bundle(own_bundle(), "own"))
    return decision


def packaged(service, decision_id, now=None):
    """Return the package of a decision."""
    shared = service.shared
    with shared.database.reading() as session:
        decision = session.get(Decision, decision_id)
        model = shared.models.of(session, decision.model_id)
        view = at_once(session, decision)
        return evidence(session, model, view, shared.holders.vault, shared.settings, now or service.clock())


@pytest.mark.slow
def test_a_package_verifies_without_the_service(service, rows, monkeypatch):
    """Both programs' reports are in it, the policy, the day until which it is kept; and the check accepts it."""
    decision = kept_of(service, rows, monkeypatch)
    found = parse_package(packaged(service, decision), "package")
    checked = check_package(found, "package", Reader(MinRadius("0"), service.clock() // MICROSECONDS))
    assert [(one.checker, one.verdict) for one in checked.reports] == [("native", "verified"), ("python", "verified")]
    assert found.policy == policy_file(PolicySettings())
    assert (found.decision, found.keep_until) == (decision, "2028-11-04")


def test_a_package_has_the_corrections_of_its_decision(service, rows, monkeypatch):
    """As the record has them, in the place of this decision, with the receipt of the other one; none that is open."""
    decision = kept_of(service, rows, monkeypatch)
    monkeypatch.setattr(package, "_reported", lambda data: data)
    assert parse_package(packaged(service, decision), "package").corrections == ()
    others = [service.post(rows[1]).json() for _ in range(2)]
    with service.shared.database.transaction() as session:
        for first, second in ((others[0]["id"], decision), (decision, others[1]["id"])):
            said = {"name": "Ada Marsh", "at": 1_790_000_000_000_000, "channel": "session", "actor": "0" * 32}
            session.add(CorrectionRequest(decision_id=first, asked="2026-09-21", request="so", **said))
            session.flush()
            session.add(Correction(decision_id=first, second_id=second, changed='["income"]', **said))
        session.add(CorrectionRequest(decision_id=others[1]["id"], asked="2026-09-21", request="so", **said))
    found = parse_package(packaged(service, decision), "package").corrections
    assert [(one.place, one.other, one.other_receipt) for one in found] == [
        ("second", others[0]["id"], others[0]["receipt"]), ("first", others[1]["id"], others[1]["receipt"]),
    ]  # fmt: skip
    assert (found[0].changed, found[0].recorded) == (("income",), "2026-09-21T14:13:20Z")


def spoilt(body):
    """Return a certificate's file whose proof has another byte."""
    certificate = json.loads(body)
    proof = base64.b64decode(certificate["proof"])
    certificate["proof"] = base64.b64encode(proof[:-1] + bytes([proof[-1] ^ 1])).decode()
    return canonical_bytes(certificate)


@pytest.mark.slow
def test_a_certificate_that_was_changed_in_the_store_has_no_package(service, rows, monkeypatch):
    """Both programs would say so in it: one line with the state, which stays; the right bytes have one again."""
    decision, published = kept_of(service, rows, monkeypatch), parse_bundle(own_bundle(), "own")
    monkeypatch.setattr(package, "bundle_of", lambda *given: replace(published, certificate=given[3].body))
    found = {}
    for name, body in (("spoilt", spoilt(published.certificate)), ("right", published.certificate)):
        with service.shared.database.transaction() as session:
            session.get(Certificate, decision).body = body
        found[name] = service.get(f"/v1/decisions/{decision}/package")
    assert (found["spoilt"].status_code, found["spoilt"].json()["type"]) == (409, "urn:equiproof:refused")
    detail = "the native verifier refuses the certificate that is kept (off-curve); the decision stays certified"
    assert found["spoilt"].json()["detail"] == detail
    assert service.get(f"/v1/decisions/{decision}").json()["state"] == "certified"
    assert parse_package(found["right"].content, "package").bundle


@pytest.mark.parametrize("checker", ["native", "python"])
def test_a_report_that_refuses_makes_no_package(service, rows, monkeypatch, checker):
    """One of the two is enough; one program that is not there is none that refuses."""
    decision = kept_of(service, rows, monkeypatch)

    def reported(verdict):
        report = Report(
            *REPORT, checker, "2026-03-04T12:00:00Z", "a" * 64, "b" * 64, verdict, "min-radius", "too small"
        )
        whole = {f"{checker}_report": canonical_bytes(report)}
        return lambda data: replace(parse_package(data, "package"), **whole).to_bytes()

    monkeypatch.setattr(package, "_reported", reported("verified"))
    assert packaged(service, decision)
    monkeypatch.setattr(package, "_reported", reported("refused"))
    with pytest.raises(RefusedEvidenceError, match=rf"^the {checker} verifier .* \(min-radius\); .* stays certified$"):
        packaged(service, decision)


def test_a_package_names_letters_and_the_certificates_proof(service, rows, monkeypatch):
    """By digest, in their order; the log proof is the certificate's own."""
    decision = kept_of(service, rows, monkeypatch)
    monkeypatch.setattr(package, "_reported", lambda data: data)
    with service.shared.database.transaction() as session:
        session.get(Certificate, decision).proof = b"proof"
        for language, digest in (("en", "e1" * 32), ("de", "de" * 32)):
            session.add(Letter(decision_id=decision, language=language, sealed=None, digest=digest, made=1))
    found = parse_package(packaged(service, decision), "package")
    assert found.letters == (("de", "de" * 32), ("en", "e1" * 32))
    assert found.certificate_proof == b"proof"


def test_there_is_no_package_without_a_certificate(service, rows):
    """A decision that waits, and one of a person's."""
    for row in rows:
        with pytest.raises(EvidenceError, match="no certificate"):
            packaged(service, service.post(row).json()["id"])


def test_certificates_and_models_are_proven_in_the_log(service, rows, log, sending):  # noqa: F811
    """One entry for each certificate, whoever is interrupted; the proof shows its file; the model's is kept fresh."""
    decision = service.post(rows[0]).json()["id"]
    made.end(service, decision, State.CERTIFIED)
    log.away = 1
    settled(sending(), service.clock)
    settled(sending(), service.clock)
    (row,) = everything(service, Certificate)
    found = standing(row.proof, log.pins, service.clock() // MICROSECONDS)
    assert (found.entry.data, found.index) == (certificate_entry(row.body).data, row.entry)
    assert log.folder.entries.count(found.entry.data) == 1
    (model,) = everything(service, Model)
    first = standing(model.proof, LogPins(log.pins.log), service.clock() // MICROSECONDS)
    assert first.entry.kind == "commitment"
    settled(sending(), service.clock)
    assert everything(service, Model)[0].proven == model.proven
    service.clock.now += REFRESH_INTERVAL
    settled(sending(), service.clock)
    assert everything(service, Model)[0].proven > model.proven
