"""Several sensitive features at once, on the real data sets, from the raw file to a verified certificate."""

import pytest

from equiproof.certify.data import load
from equiproof.certify.models.quantise import quantise
from equiproof.certify.models.training import Settings, train
from equiproof.circuits.shape import traversal_shape
from equiproof.prover import KeyStore, Proven, Prover, commit
from equiproof.verifier import AllOf, ForQuery, TrustStore, Verifier, parse_commitment

HIDDEN = (4, 2)


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "sensitive", "slices", "capacity"),
    [
        pytest.param("adult", ("sex", "race"), 10, 32, marks=pytest.mark.slow),
        pytest.param("german", ("age",), 53, 64, marks=pytest.mark.slow),
        pytest.param("compas", ("race", "sex"), 12, 32, marks=pytest.mark.slow),
    ],
)
def test_every_joint_value_is_covered_by_one_proof(tmp_path, public_data, name, sensitive, slices, capacity):
    """The first test row that every joint value decides alike gets a certificate that covers all of them."""
    data = load(name, public_data, sensitive=sensitive)
    assert len(data.spec.domain_table) == slices
    network, _ = train(data, HIDDEN, decay=0.01, settings=Settings(epochs=5))
    opening = commit(quantise(network, data.spec), data.spec)
    key = KeyStore(tmp_path).setup(traversal_shape(data.spec, HIDDEN, capacity))
    verifier = Verifier(parse_commitment(opening.public(), "commitment"), TrustStore.open(tmp_path))
    with Prover(opening, key) as prover:
        proofs = (prover.prove(data.rows[index]) for index in data.test[:200])
        proven = next(proof for proof in proofs if isinstance(proof, Proven))
    verified = verifier.verify(proven.certificate.to_bytes(), AllOf(ForQuery(proven.query)))
    assert verified.reading.sensitive == tuple(feature.name for feature in data.spec.sensitive_features)
    assert set(verified.reading.sensitive) == set(sensitive)
    assert any(f"all {slices} joint values" in check for check in verified.made)
