"""What a cheating owner tries against a sceptical user: certificates whose statement is false or another one."""

import base64
import hashlib
import shutil

import msgspec
import pytest

from equiproof.certify.traversal.evidence import Evidence, Region
from equiproof.circuits import field
from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.commitment import domain_digest, query_commitment
from equiproof.circuits.field import ORDER
from equiproof.circuits.statement import Statement, context_digest
from equiproof.ffi import backend
from equiproof.ffi.errors import MalformedInputError, RefusedError
from equiproof.prover import Opening, Prover
from equiproof.prover.version import tools
from equiproof.verifier import (
    AllOf,
    CertificateFormatError,
    ForContext,
    ForQuery,
    MinRadius,
    PolicyError,
    ProofError,
    TrustStore,
    UnsafeNoPolicy,
    UntrustedKeyError,
    VerificationError,
    Verifier,
    parse_certificate,
    parse_commitment,
)
from equiproof.verifier.certificate import KeyReference, make_certificate
from equiproof.verifier.documents import KEY_FILE, VERIFYING_FILE
from equiproof.verifier.reading import Reading
from equiproof.verifier.trust import TrustedKey
from tests.conftest import CONTEXT
from tests.soundness.cheating_owner import implied
from tests.support import HOUSING, INCOME, LOANS, SEX, changed, spec_of, trusting


@pytest.fixture
def anything():
    """The policy that demands nothing."""
    with pytest.warns(UserWarning, match="no policy"):
        return UnsafeNoPolicy()


def statement_changed(certificate, **fields):
    """Return a certificate with other statement fields, and the words that go with them."""
    statement = changed(certificate.statement, **fields)
    edited = changed(certificate, statement=statement)
    if {"label", "radius_squared"} & set(fields):
        edited = changed(edited, reading=Reading.of(LOANS, statement.label, statement.radius_squared))
    return edited


def reference(key):
    """Return how a certificate names a key."""
    return KeyReference(key.document.fingerprint, key.document.setup)


# -- the control


def test_the_honest_certificate_convinces(sceptic, proven):
    """The honest certificate passes a policy on applicant, context and radius, read back from its bytes."""
    policy = AllOf(ForQuery(proven.query), ForContext(CONTEXT), MinRadius("0.01"))
    verified = sceptic.verify(proven.certificate.to_bytes(), policy)
    assert verified.statement == proven.certificate.to_statement()


# -- edited fields


HEX_FIELDS = ("model_commitment", "spec_digest", "domain_digest", "query_commitment", "context_digest")


@pytest.mark.parametrize("name", HEX_FIELDS)
@pytest.mark.parametrize("lie", [0, 1, ORDER - 1])
def test_no_field_of_the_statement_can_be_edited(sceptic, proven, anything, name, lie):
    """A certificate with any digest of its statement replaced is refused, whatever the policy."""
    edited = statement_changed(proven.certificate, **{name: field.to_hex(lie)})
    with pytest.raises(ProofError):
        sceptic.verify(edited.to_bytes(), anything)


@pytest.mark.parametrize("change", [1, -1, 1000, 1 << 27])
def test_radius_cannot_be_edited(sceptic, proven, anything, change):
    """Another radius, smaller or larger, is another statement: the proof does not hold for it, words edited or not."""
    radius = proven.certificate.statement.radius_squared + change
    with pytest.raises(ProofError):
        sceptic.verify(statement_changed(proven.certificate, radius_squared=radius).to_bytes(), anything)


def test_label_cannot_be_edited(sceptic, proven, anything):
    """The other label is another statement."""
    label = 1 - proven.certificate.statement.label
    with pytest.raises(ProofError, match="does not hold"):
        sceptic.verify(statement_changed(proven.certificate, label=label).to_bytes(), anything)


@pytest.mark.parametrize("label", [2, 3, (1 << 14) - 1])
def test_label_without_a_name_is_refused(sceptic, proven, anything, label):
    """A label beyond the spec's names is refused before anything is said about it."""
    edited = changed(proven.certificate, statement=changed(proven.certificate.statement, label=label))
    with pytest.raises(ProofError, match=f"label {label} is unknown: the spec has 2 labels"):
        sceptic.verify(edited.to_bytes(), anything)


def test_radius_beyond_the_cap_is_refused(loans, sceptic, liar, anything):
    """A radius above the cap is refused even where the circuit proves it."""
    radius = LOANS.max_radius_squared + 1
    certificate, _ = forged(loans, liar, radius=radius)
    with pytest.raises(ProofError, match="above the largest one under this spec"):
        Verifier(commitment_of(certificate, LOANS), trusting(loans.key)).verify(certificate, anything)
    at_cap, _ = forged(loans, liar, radius=radius - 1)
    verified = Verifier(commitment_of(at_cap, LOANS), trusting(loans.key)).verify(at_cap, anything)
    assert verified.reading.at_least
    assert verified.reading.radius == "16.000000"


READING_LIES = (
    {"label": "declined"},
    {"label": "granted!"},
    {"sensitive": ()},
    {"sensitive": ("sex", "age")},
    {"radius": "9.000000"},
    {"radius_any": "9.000000"},
    {"at_least": True},
    {"features": {}},
    {"features": {"income": "+- 1,000,000 EUR", "housing": "any value"}},
)


@pytest.mark.parametrize("lie", READING_LIES, ids=str)
def test_words_cannot_be_edited(sceptic, proven, anything, lie):
    """Words and units that are not those of the numbers are refused."""
    reading = proven.certificate.reading
    if lie == {"label": "declined"} and reading.label == "declined":
        lie = {"label": "granted"}
    edited = changed(proven.certificate, reading=changed(reading, **lie))
    with pytest.raises(ProofError, match="words"):
        sceptic.verify(edited.to_bytes(), anything)


def test_tool_versions_are_not_covered_and_change_nothing(sceptic, proven, anything):
    """Tool versions are a record outside the statement: editing them changes neither the verdict nor the identity."""
    edited = changed(proven.certificate, tools={"equiproof": "another"})
    first, second = (sceptic.verify(document.to_bytes(), anything) for document in (proven.certificate, edited))
    assert first.identity == second.identity


# -- other applicants, other contexts


def test_another_applicants_certificate_is_refused(sceptic, proven):
    """A certificate about other data, or about the same data under another blinding, is not about the applicant."""
    query = proven.query
    other_data = changed(query, features=query.features | {"income": query.features["income"] + 5000})
    other_blinding = changed(query, blinding=field.to_hex(1))
    for other in (other_data, other_blinding):
        with pytest.raises(PolicyError, match="other data than the query file"):
            sceptic.verify(proven.certificate, ForQuery(other))


def test_a_replayed_certificate_is_refused(sceptic, proven):
    """A certificate made for another nonce, or for fewer names, is refused by who demands his own."""
    for context in (CONTEXT | {"nonce": "4f1c6a08e2b97d36"}, CONTEXT | {"more": ""}):
        with pytest.raises(PolicyError, match="another context"):
            sceptic.verify(proven.certificate, ForContext(context))


def test_disclosed_data_are_held_to_the_commitment(sceptic, proven, anything):
    """A certificate that shows other data than it commits to is refused, though nobody asked for the data."""
    for lie in ({"income": 1}, {"income": 1, "housing": "rent"}):
        features = dict(proven.query.features) | lie
        edited = changed(proven.certificate, query=changed(proven.query, features=features))
        with pytest.raises(PolicyError, match="other data than the certificate itself"):
            sceptic.verify(edited.to_bytes(), anything)


# -- other specs, other tables


def forged(setting, liar, *, radius=0, table=None):
    """Return a certificate by a lying owner about a flat network that always grants, and the statement it makes."""
    spec = setting.spec
    evidence = Evidence(1, radius, (Region(0, 0b1111), Region(1, 0b1111)))
    wires = liar.wires(
        setting.opening.network,
        (0, 1024, 0),
        table or spec.domain_table,
        evidence,
        spec_digest=spec.digest,
        context_digest=context_digest({}),
    )
    for name in wires:
        if name.startswith(("weights", "biases")):
            wires[name] = [0] * len(wires[name])
    wires["biases.3"] = [1]
    statement = implied(liar.shape, wires)
    words = Statement(**(vars(statement) | {"radius_squared": min(radius, spec.max_radius_squared)}))
    certificate = make_certificate(
        words, spec, reference(setting.key), "groth16-bn254", liar.prove(wires), tools(), None
    )
    return changed(certificate, statement=changed(certificate.statement, radius_squared=radius)), statement


def commitment_of(certificate, spec):
    """Return the commitment document that an owner publishes for a certificate's model under a spec."""
    document = {
        "format": "equiproof-commitment",
        "version": 2,
        "model_commitment": certificate.statement.model_commitment,
        "spec": msgspec.to_builtins(spec),
    }
    return parse_commitment(canonical_bytes(document), "commitment.json")


OTHER_SPECS = {
    "sex declared harmless": spec_of(
        INCOME, changed(SEX, sensitive=False, name="sex"), HOUSING, changed(SEX, name="x")
    ),
    "other table": spec_of(INCOME, HOUSING, changed(SEX, scale="0.25")),
    "other domain": spec_of(INCOME, HOUSING, changed(SEX, domain=("m", "f"))),
    "other units": spec_of(changed(INCOME, scale="1200000", unit="EUR"), HOUSING, SEX),
    "other unit names": spec_of(changed(INCOME, unit="cents"), HOUSING, SEX),
    "other label names": changed(LOANS, labels=("granted", "declined")),
    "other threshold": changed(LOANS, threshold="0.75"),
    "other feature names": spec_of(changed(INCOME, name="age"), HOUSING, SEX),
    "other scale": changed(LOANS, input_fraction_bits=9),
    "other width": changed(LOANS, input_bits=19),
}


@pytest.mark.parametrize("name", OTHER_SPECS)
def test_a_proof_under_another_spec_is_refused(loans, sceptic, proven, anything, name):
    """The honest proof, with spec digest and words of another spec, convinces nobody who holds the true spec."""
    spec = OTHER_SPECS[name]
    statement = proven.certificate.to_statement()
    lie = Statement(**(vars(statement) | {"spec_digest": spec.digest, "domain_digest": domain_digest(spec)}))
    lied = make_certificate(
        lie, spec, reference(loans.key), "groth16-bn254", proven.certificate.proof_bytes, tools(), None
    )
    with pytest.raises(ProofError, match="another spec"):
        sceptic.verify(lied.to_bytes(), anything)


@pytest.mark.parametrize("name", OTHER_SPECS)
def test_a_commitment_has_one_spec(loans, proven, anything, name):
    """A commitment file that pairs the model's commitment with another spec convinces nobody of the honest proof."""
    spec = OTHER_SPECS[name]
    statement = proven.certificate.to_statement()
    lie = Statement(**(vars(statement) | {"spec_digest": spec.digest, "domain_digest": domain_digest(spec)}))
    lied = make_certificate(
        lie, spec, reference(loans.key), "groth16-bn254", proven.certificate.proof_bytes, tools(), None
    )
    verifier = Verifier(commitment_of(lied, spec), trusting(loans.key))
    with pytest.raises(ProofError, match=r"does not hold|does not fit this spec"):
        verifier.verify(lied.to_bytes(), anything)


@pytest.mark.parametrize("name", OTHER_SPECS)
def test_a_commitment_opens_under_its_own_spec_only(loans, liar, honest, proven, name):
    """The prover makes no proof that the honest commitment holds another spec."""
    spec = OTHER_SPECS[name]
    statement = proven.certificate.to_statement()
    lie = Statement(**(vars(statement) | {"spec_digest": spec.digest}))
    honest["spec_digest"] = [spec.digest]
    with pytest.raises(backend.UnsatisfiedError):
        liar.prove(honest, lie.digest(liar.shape))


@pytest.mark.parametrize("table", [((-1024,), (-1024,)), ((1024,), (1024,)), ((1024,), (-1024,)), ((0,), (1,))])
def test_a_slice_cannot_be_left_out(loans, liar, anything, table):
    """A proof over a table that repeats a row, or lists other values, exists; the verifier's own table refutes it."""
    certificate, statement = forged(loans, liar, table=table)
    with backend.VerifyingKey(loans.key.verifying) as native:
        native.verify(field.to_bytes(statement.digest(loans.shape)), certificate.proof_bytes)
    verifier = Verifier(commitment_of(certificate, LOANS), trusting(loans.key))
    with pytest.raises(ProofError, match="other values of the sensitive features"):
        verifier.verify(certificate.to_bytes(), anything)
    hidden = statement_changed(certificate, domain_digest=field.to_hex(domain_digest(LOANS)))
    with pytest.raises(ProofError, match="does not hold"):
        verifier.verify(hidden.to_bytes(), anything)


def test_an_unfair_model_gets_no_certificate_by_leaving_a_slice_out(loans, liar, anything):
    """Where sex decides, a proof over one sex only is a proof, and no certificate."""
    row, found = loans.unfair(4)
    model, query = loans.opening.network, loans.spec.encode(row)
    table = (loans.spec.domain_table[0],) * 2
    label = found.labels[found.slices.index(0)]
    pattern = model.pattern((*query, *table[0]))
    wires = liar.wires(
        model,
        query,
        table,
        Evidence(label, 0, (Region(0, pattern), Region(1, pattern))),
        spec_digest=loans.spec.digest,
        model_blinding=loans.opening.blinding,
        context_digest=context_digest({}),
    )
    statement = implied(liar.shape, wires)
    assert statement.model_commitment == loans.opening.commitment
    certificate = make_certificate(
        statement, loans.spec, reference(loans.key), "groth16-bn254", liar.prove(wires), tools(), None
    )
    verifier = Verifier(loans.commitment, trusting(loans.key))
    with pytest.raises(ProofError, match="other values of the sensitive features"):
        verifier.verify(certificate.to_bytes(), anything)


@pytest.mark.parametrize(
    "spec",
    [
        changed(LOANS, features=(INCOME, HOUSING, changed(SEX, scale="4096"))),
        changed(LOANS, features=(INCOME, HOUSING, changed(SEX, domain=("f",)))),
        changed(LOANS, features=(INCOME, HOUSING)),
    ],
    ids=["rows coincide after rounding", "one value", "no sensitive feature"],
)
def test_specs_that_prove_nothing_are_no_commitments(proven, spec):
    """A commitment file whose spec has fewer than two distinct slices is not read."""
    with pytest.raises(CertificateFormatError, match=r"^commitment.json: field spec"):
        commitment_of(proven.certificate, spec)


# -- keys


def test_a_key_of_the_owners_own_is_not_trusted(sceptic, foreign, anything):
    """A proof under a key that the owner made for himself is refused, whatever it proves."""
    row, _ = foreign.fair(9)
    with Prover(foreign.opening, foreign.key) as prover:
        certificate = prover.prove(row).certificate
    with pytest.raises(UntrustedKeyError, match="not among the"):
        sceptic.verify(certificate.to_bytes(), anything)


def test_a_trusted_keys_name_on_a_foreign_proof_is_refused(sceptic, loans, foreign, anything):
    """A proof under the owner's own key does not hold under the trusted key that it names."""
    row, _ = foreign.fair(9)
    with Prover(foreign.opening, foreign.key) as prover:
        certificate = prover.prove(row).certificate
    renamed = changed(certificate, key=reference(loans.key))
    with pytest.raises(ProofError, match="does not hold"):
        sceptic.verify(renamed.to_bytes(), anything)


def test_a_certificate_of_another_capacity_is_another_statement(sceptic, cramped, proven, anything):
    """A proof under one capacity does not hold under the trusted key of another capacity."""
    edited = changed(proven.certificate, key=reference(cramped.key))
    with pytest.raises(ProofError, match="does not hold"):
        sceptic.verify(edited.to_bytes(), anything)


def test_a_certificate_of_another_shape_is_refused(sceptic, rates, proven, anything):
    """A trusted key of another spec's shape verifies nothing about this model."""
    edited = changed(proven.certificate, key=reference(rates.key))
    with pytest.raises(ProofError, match="does not fit this spec"):
        sceptic.verify(edited.to_bytes(), anything)


def test_set_up_kind_cannot_be_overstated(sceptic, proven, anything):
    """A certificate that states a better set-up than its key's is refused."""
    for setup in ("ceremony", "universal"):
        edited = changed(proven.certificate, key=changed(proven.certificate.key, setup=setup))
        with pytest.raises(UntrustedKeyError, match="set-up"):
            sceptic.verify(edited.to_bytes(), anything)


G2_AT = {"beta": 64, "gamma": 128, "delta": 224}
"""Where the points of G2 stand in a verifying key: behind alpha and beta of G1, and before delta, delta of G1."""

INFINITY_G1 = b"\x40" + b"\0" * 31
INFINITY_G2 = b"\x40" + b"\0" * 63


def degenerate_keys(verifying):
    """Yield named degenerate verifying keys."""
    gamma = verifying[G2_AT["gamma"] : G2_AT["gamma"] + 64]

    def put(at, data):
        return verifying[:at] + data + verifying[at + len(data) :]

    yield "gamma equals delta", put(G2_AT["delta"], gamma)
    for name, at in G2_AT.items():
        yield f"{name} is the point at infinity", put(at, INFINITY_G2)
    yield "alpha is the point at infinity", put(0, INFINITY_G1)
    for number in range(3):
        yield f"input point {number} is the point at infinity", put(292 + 32 * number, INFINITY_G1)


def test_degenerate_keys_are_refused(loans):
    """A verifying key with gamma = delta or a point at infinity is refused: with it anything verifies."""
    for message, key in degenerate_keys(loans.key.verifying):
        with pytest.raises(MalformedInputError, match=message):
            backend.VerifyingKey(key)


def test_trusting_a_degenerate_key_is_refused(loans, proven, tmp_path, anything):
    """A degenerate key that found its way into the trust store is still not used."""
    _, key = next(degenerate_keys(loans.key.verifying))
    document = changed(loans.key.document, verifying_key=hashlib.sha256(key).hexdigest())
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / KEY_FILE).write_bytes(canonical_bytes(document))
    (tmp_path / "bad" / VERIFYING_FILE).write_bytes(key)
    edited = changed(proven.certificate, key=KeyReference(document.fingerprint, document.setup))
    verifier = Verifier(loans.commitment, TrustStore.open(tmp_path))
    with pytest.raises(UntrustedKeyError, match="gamma equals delta"):
        verifier.verify(edited, anything)


@pytest.mark.parametrize("name", ["setup", "constraints", "system_digest", "proving_key", "tools", "shape"])
def test_every_field_of_a_keys_metadata_is_covered_by_its_fingerprint(loans, proven, anything, name):
    """A trust store whose key.json was edited in any field no longer knows the certificate's key."""
    document = loans.key.document
    edits = {
        "setup": "ceremony",
        "constraints": document.constraints + 1,
        "system_digest": "0" * 64,
        "proving_key": "0" * 64,
        "tools": {},
        "shape": changed(document.shape, radius_bits=30),
    }
    edited = TrustedKey(changed(document, **{name: edits[name]}), loans.key.verifying)
    with pytest.raises(UntrustedKeyError, match="not among the 1 trusted keys"):
        Verifier(loans.commitment, TrustStore([edited])).verify(proven.certificate, anything)


@pytest.mark.parametrize("setup", ["ceremony", "universal"])
def test_a_set_up_is_not_better_than_its_transcript(loans, tmp_path, setup):
    """A key folder that claims a ceremony or a universal set-up without a transcript is not trusted."""
    folder = tmp_path / "key"
    shutil.copytree(loans.key.folder, folder)
    (folder / KEY_FILE).write_bytes(canonical_bytes(changed(loans.key.document, setup=setup)))
    with pytest.raises(CertificateFormatError, match="no transcript"):
        TrustStore.open(tmp_path)


# -- proof bytes


def with_proof(certificate, proof):
    """Return the certificate with other proof bytes."""
    return changed(certificate, proof=base64.b64encode(proof).decode())


@pytest.mark.slow
def test_every_byte_of_the_proof_counts(sceptic, proven, anything):
    """Flipping any one bit pattern of a proof byte makes it malformed or refused, and never another error."""
    proof = proven.certificate.proof_bytes
    for place in range(len(proof)):
        for mask in (0x01, 0x80, 0xFF):
            edited = proof[:place] + bytes([proof[place] ^ mask]) + proof[place + 1 :]
            with pytest.raises((VerificationError, CertificateFormatError)):
                sceptic.verify(with_proof(proven.certificate, edited), anything)


def test_proofs_can_be_re_randomised_and_keep_their_identity(sceptic, proven, anything):
    """Negating A and B gives other bytes that verify: a certificate is known by its statement digest."""
    proof = bytearray(proven.certificate.proof_bytes)
    for sign in (0, 32):
        proof[sign] ^= 0x40
    other = sceptic.verify(with_proof(proven.certificate, bytes(proof)).to_bytes(), anything)
    assert other.identity == sceptic.verify(proven.certificate, anything).identity


def test_points_at_infinity_are_no_proof(sceptic, proven, anything):
    """A proof of points at infinity is refused."""
    proof = INFINITY_G1 + INFINITY_G2 + INFINITY_G1 + (1).to_bytes(4, "big") + INFINITY_G1 + INFINITY_G1
    with pytest.raises((VerificationError, CertificateFormatError)):
        sceptic.verify(with_proof(proven.certificate, proof), anything)


def test_proofs_of_two_statements_cannot_be_mixed(sceptic, owner, loans, proven, anything):
    """Parts of two honest proofs make no proof of either statement."""
    row, _ = loans.fair(12)
    first, second = proven.certificate, owner.prove(row).certificate
    for cut in (32, 96, 128, 164):
        mixed = first.proof_bytes[:cut] + second.proof_bytes[cut:]
        for certificate in (first, second):
            with pytest.raises(ProofError):
                sceptic.verify(with_proof(certificate, mixed), anything)


def test_statement_digests_from_the_order_up_are_malformed(loans, proven):
    """The native verifier takes canonical digests only: digest + order is not the digest."""
    digest = proven.certificate.to_statement().digest(loans.shape)
    with backend.VerifyingKey(loans.key.verifying) as native:
        native.verify(field.to_bytes(digest), proven.certificate.proof_bytes)
        for lie in ((digest + ORDER).to_bytes(32, "big"), b"\xff" * 32, b"", b"\0" * 31):
            with pytest.raises(MalformedInputError, match="statement digest"):
                native.verify(lie, proven.certificate.proof_bytes)
        with pytest.raises(RefusedError):
            native.verify(bytes(32), proven.certificate.proof_bytes)


# -- other models


def test_a_certificate_of_another_model_is_refused(loans, proven, anything):
    """A model that differs in one weight has another commitment, and the certificate does not speak of it."""
    layers = list(loans.opening.network.layers)
    biases = (layers[0].biases[0] + 1, *layers[0].biases[1:])
    layers[0] = type(layers[0])(layers[0].weights, biases)
    model = type(loans.opening.network)(tuple(layers), 10, (10, 10, 10))
    other = Opening.of(model, LOANS, loans.opening.blinding)
    verifier = Verifier(parse_commitment(other.public(), "c"), trusting(loans.key))
    with pytest.raises(ProofError, match="another model"):
        verifier.verify(proven.certificate, anything)


def test_query_commitments_do_not_cross_models(loans, proven):
    """A query commitment binds integers and width alone; the statement ties it to one model."""
    query = loans.spec.encode(proven.query.features)
    blinding = int(proven.query.blinding, 16)
    assert query_commitment(18, blinding, query) == proven.certificate.to_statement().query_commitment


def test_certificates_carry_no_tolerance(proven):
    """An extra field, such as a tolerance of the prover's choice, makes a file no certificate."""
    document = msgspec.to_builtins(proven.certificate)
    for where in (document, document["statement"], document["key"], document["reading"]):
        where["tolerance"] = 1
        with pytest.raises(CertificateFormatError, match="want no field 'tolerance': it is unknown here"):
            parse_certificate(canonical_bytes(document), "certificate.json")
        del where["tolerance"]
