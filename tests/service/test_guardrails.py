"""A guardrail of the policy: whom a rule stops goes to a person, and every receipt commits to the rules."""

import hashlib
import random
from fractions import Fraction

import msgspec
import pytest

from equiproof.certify.guardrail import FORMAT, VERSION, Condition, GuardrailError, GuardrailFile
from equiproof.certify.models.ensembles.gaps import Gap
from equiproof.certify.models.ensembles.rays import Ray
from equiproof.certify.traversal.search import Counterexample
from equiproof.circuits.shape import ensemble_shape
from equiproof.circuits.spec import decimal
from equiproof.circuits.statement import context_digest
from equiproof.prover.opening import Opening
from equiproof.prover.receipts import BETWEEN, GUARDRAIL
from equiproof.service.checking import check
from equiproof.service.console.officers import Role
from equiproof.service.decisions import opened
from equiproof.service.guardrails import Guardrails
from equiproof.service.leaving import at_once
from equiproof.service.models import Files, ModelError, Models, add_model
from equiproof.service.package import evidence, policy_file
from equiproof.service.settings import PolicySettings, load_settings
from equiproof.service.states import State
from equiproof.service.store.tables import Decision, Outgoing
from equiproof.service.vault import make_vault
from equiproof.service.worker.certifying import Certifying
from equiproof.service.worker.child import prove, ready
from equiproof.verifier import PolicyError, Verifier
from equiproof.verifier.documents import parse_commitment
from equiproof.verifier.package import parse_package
from equiproof.verifier.policy_file import Own, parse_policy
from tests.service import made
from tests.service.conftest import small
from tests.service.console.people import sign_in
from tests.service.console.test_additive import text
from tests.service.test_decisions import everything
from tests.service.test_ensemble import CAPACITY, MODEL, ROWS, SLOTS, found
from tests.support import LOANS, applicant, copied_key, trusting

REASON = "rule 2 of the guardrail"


def rules(row):
    """Return two rules, of which the second one holds for a row alone: its housing and its very income."""
    income = str(row["income"])
    return (
        (Condition("housing", values=(row["housing"],)), Condition("income", least=str(int(income) + 1))),
        (Condition("housing", values=(row["housing"],)), Condition("income", least=income, most=income)),
    )


def guardrail(row, **changes):
    """Return a guardrail of the service's model."""
    digests = small().digests()
    whole = GuardrailFile(
        FORMAT, VERSION, digests["model_commitment"], digests["spec_digest"], "refer", rules(row), "5a" * 32
    )
    return msgspec.structs.replace(whole, **changes)


def guarded(service, folder, *files):
    """Have the service decide behind guardrails, read from files as its processes read them."""
    paths = [folder / f"g{number}.json" for number, _ in enumerate(files)]
    for path, file in zip(paths, files, strict=True):
        path.write_bytes(file.to_bytes())
    policy = PolicySettings(guardrails=tuple(map(str, paths)))
    object.__setattr__(service.shared, "models", Models(Guardrails.load(policy)))
    return policy


def kept_of(service, identifier):
    """Return what the vault keeps of a decision."""
    with service.shared.database.reading() as session:
        return opened(session.get(Decision, identifier), service.shared.holders.vault)


def test_whom_a_rule_stops_goes_to_a_person(service, rows, tmp_path):
    """The model decides this applicant alike for both values, and all the same gives no label; nothing is proven."""
    before = service.post(rows[0]).json()
    made_of = guardrail(rows[0])
    guarded(service, tmp_path, made_of)
    body = service.post(rows[0], reference="a").json()
    assert (before["state"], body["state"]) == ("decided", "review")
    assert (body["label"], body["outcome"], body["history"][0]["reason"]) == (None, None, REASON)
    assert service.get(f"/v1/decisions/{body['id']}").json() == body
    assert [identifier for _, identifier in service.shared.holders.jobs.done] == [before["id"]]
    kept = kept_of(service, body["id"])
    assert (kept.receipt.label, kept.context[GUARDRAIL]) == (None, made_of.digest)
    assert len([row for row in everything(service, Outgoing) if row.kind == "receipt"]) == 2


def test_the_receipts_of_all_others_commit_to_the_rules_too(service, rows, tmp_path):
    """The file opens the digest in the context, which the receipt binds."""
    file = guardrail(rows[0])
    guarded(service, tmp_path, file)
    other = {**rows[0], "income": int(rows[0]["income"]) - 1}
    body = service.post(other).json()
    kept = kept_of(service, body["id"])
    assert body["history"][0]["reason"] == ""
    assert kept.context[GUARDRAIL] == hashlib.sha256((tmp_path / "g0.json").read_bytes()).hexdigest()
    assert kept.receipt.context_digest == f"{context_digest(kept.context):064x}"
    del kept.context[GUARDRAIL]
    assert kept.receipt.context_digest != f"{context_digest(kept.context):064x}"


def test_the_officer_sees_which_rule_and_decides(service, rows, tmp_path):
    """The page says whose rule it was, not that sensitive values disagree; the person's decision stands."""
    guarded(service, tmp_path, guardrail(rows[0]))
    identifier = service.post(rows[0]).json()["id"]
    officer = sign_in(service, Role.OFFICER)
    page = text(officer.get(f"decisions/{identifier}"))
    assert f"A person decides, whatever the model says: {REASON}." in page
    assert f"review: {REASON}" in page
    assert "does not decide alike" not in page
    assert officer.post(f"decisions/{identifier}", label="1", reason="Seen.").status_code == 303
    assert service.get(f"/v1/decisions/{identifier}").json()["outcome"] == LOANS.labels[1]


def test_a_decision_from_before_is_proven_as_it_was_made(service, rows, tmp_path):
    """Its context names no guardrail, and a later guardrail changes nothing of it."""
    before = service.post(rows[0]).json()["id"]
    guarded(service, tmp_path, guardrail(rows[0]))
    made.end(service, before, State.CERTIFIED)
    assert service.get(f"/v1/decisions/{before}").json()["outcome"] is not None
    assert GUARDRAIL not in kept_of(service, before).context


@pytest.mark.slow
def test_a_certificate_verifies_under_a_policy_that_demands_the_guardrail(service, rows, tmp_path):
    """With a real key: the package's own policy names the digest, and that of other rules is refused."""
    (tmp_path / "trees.json").write_bytes((owned := Opening.of(MODEL, LOANS, blinding=7)).secret())
    sizes = MODEL.predicates, MODEL.nodes.sizes, SLOTS, ROWS, CAPACITY
    key = copied_key(tmp_path / "keys", ensemble_shape(LOANS, *sizes))
    file = guardrail(rows[0], commitment=owned.digests()["model_commitment"])
    policy = guarded(service, tmp_path, file)
    with service.shared.database.transaction() as session:
        add_model(session, "loans", Files(tmp_path / "trees.json", tmp_path / "keys"), service.clock())
    rng = random.Random(1)
    drawn = (applicant(LOANS, rng) for _ in range(1000))
    row = next(row for row in drawn if file.stops(row) is None and not isinstance(found(row), Counterexample))
    body, said = service.post(row).json(), []
    Certifying(service.shared.database, service.shared.holders.vault, prove, service.clock, said.append)(body["id"])
    ready.cache_clear()
    assert said == []
    kept = kept_of(service, body["id"])
    verifier = Verifier(parse_commitment(owned.public(), "commitment"), trusting(key))
    certificate = service.get(f"/v1/decisions/{body['id']}/certificate").content
    own = Own(kept.query, kept.context)
    verifier.verify(certificate, parse_policy(policy_file(policy, file.digest), "policy", own))
    with pytest.raises(PolicyError, match="guardrail"):
        verifier.verify(certificate, parse_policy(policy_file(policy, "ab" * 32), "policy", own))
    with service.shared.database.transaction() as session:
        held, shared = session.get(Decision, body["id"]), service.shared
        model = shared.models.of(session, held.model_id)
        packed = parse_package(
            evidence(session, model, at_once(session, held), shared.holders.vault, shared.settings, 1), "package"
        )
    assert packed.policy == policy_file(policy, file.digest)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"action": "refuse"}, "field action: want refer"),
        ({"commitment": ""}, "field commitment: of no committed model"),
        ({"salt": ""}, "field salt: want 64"),
    ],
)
def test_a_guardrail_that_cannot_stand_in_front_of_decisions_is_refused(service, rows, tmp_path, changes, said):
    """In one line that names the file, before anything is decided."""
    with pytest.raises(GuardrailError, match=f"g0.json: {said}"):
        guarded(service, tmp_path, guardrail(rows[0], **changes))


def test_two_of_one_model_are_refused(service, rows, tmp_path):
    """Which of them holds would be anybody's guess."""
    with pytest.raises(GuardrailError, match=r"g1.json: for the model of .*g0.json already"):
        guarded(service, tmp_path, guardrail(rows[0]), guardrail(rows[0], salt="5b" * 32))


def test_behind_a_guardrail_that_does_not_fit_nothing_is_decided(service, rows, tmp_path):
    """Rules that name the model and cannot be judged stop everyone: 503, and no decision."""
    guarded(service, tmp_path, guardrail(rows[0], rules=((Condition("sex", values=("female",)),),)))
    refused = service.post(rows[0])
    assert (refused.status_code, refused.json()["type"]) == (503, "urn:equiproof:no-model")
    assert everything(service, Decision) == []
    with service.shared.database.reading() as session, pytest.raises(ModelError, match="rule 1: feature 'sex' is not"):
        service.shared.models.deciding(session, "loans")


def test_the_guardrail_of_another_model_waits_for_it(service, rows, tmp_path):
    """After the roll-over it stands in front of its own model, and no more in front of the earlier one."""
    other = Opening.of(small().network, LOANS, blinding=7)
    guarded(service, tmp_path, guardrail(rows[0], commitment=other.digests()["model_commitment"]))
    assert service.post(rows[0]).json()["state"] == "decided"
    (tmp_path / "other.json").write_bytes(other.secret())
    with service.shared.database.transaction() as session:
        add_model(session, "loans", Files(tmp_path / "other.json", tmp_path / "keys"), service.clock())
    assert service.post(rows[0]).json()["state"] == "review"


def test_check_says_which_guardrails_stand_and_which_wait(service, rows, tmp_path):
    """A file that cannot be used is named with what is wrong."""
    make_vault(tmp_path / "vault.keys", "first")
    settings = tmp_path / "service.toml"
    lines = f'vault = "vault.keys"\ndatabase = "{service.shared.database.engine.url}"\n[lender]\nname = "x"\n[policy]\n'
    for file, good, said in (
        (guardrail(rows[0]), True, "guardrails: 1 in front of a model"),
        (guardrail(rows[0], commitment="ab"), True, "0 in front of a model; of no model that is added here yet: "),
        (guardrail(rows[0], action="refuse"), False, "g.json: field action: want refer"),
    ):
        (tmp_path / "g.json").write_bytes(file.to_bytes())
        settings.write_text(lines + 'guardrails = ["g.json"]\n')
        (found,) = (one for one in check(load_settings(settings)) if one.text.startswith("guardrails: "))
        assert found.good == good
        assert said in found.text


def test_a_value_between_a_threshold_and_its_rounding_is_a_persons(service, rows, tmp_path):
    """An ensemble's own file says where the model that it was made of compares otherwise."""
    (feature, *_) = LOANS.plain_features
    row = dict(rows[0], income="41000.5")
    column = (decimal("41000.5", "income") - Fraction(feature.mean)) / Fraction(feature.scale)
    low = Ray(column - Fraction(1, 1000), closed=True)
    opening = Opening.of(MODEL, LOANS, 7, (Gap(0, low, Ray(column, closed=False)),))
    (tmp_path / "trees.json").write_bytes(opening.secret())
    with service.shared.database.transaction() as session:
        add_model(session, "loans", Files(tmp_path / "trees.json", tmp_path / "keys"), service.clock())
    body = service.post(row).json()
    assert (body["state"], body["label"], body["history"][0]["reason"]) == ("review", None, BETWEEN)
    assert service.post(dict(row, income="41000.6")).json()["history"][0]["reason"] == ""
