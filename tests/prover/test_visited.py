"""Certificates of a kept ensemble that visit nodes, end to end: keys, link, proof, and who verifies."""

import pytest

from equiproof.circuits.link_shape import link_shape
from equiproof.circuits.shape import ensemble_shape, kept_shape, visiting_shape
from equiproof.prover.key_choice import rank
from equiproof.prover.opening import Opening
from equiproof.verifier import TrustStore, Verifier
from equiproof.verifier.errors import ProofError
from tests.linked_case import KeptSetting, store_of
from tests.prover.test_ensembles import SPEC, scaled
from tests.support import changed, no_policy

MODEL = scaled(3)
WHOLE = kept_shape(
    ensemble_shape(SPEC, MODEL.predicates, MODEL.nodes.sizes, MODEL.predicates[0], MODEL.nodes.sizes[1], 4)
)
VISITING = visiting_shape(WHOLE, MODEL.nodes.sizes[1])


@pytest.fixture(scope="module")
def settings(tmp_path_factory):
    """The same model under a key that resolves every node, and under one that visits nodes."""
    opening = Opening.of(MODEL, SPEC, 7)
    return [KeptSetting(opening, store_of(shape), tmp_path_factory.mktemp("published")) for shape in (WHOLE, VISITING)]


def test_certificates_that_visit_nodes_hold_beside_their_link(settings):
    """Both programs verify them; the link has a key of its own, and the name says how many nodes may be passed."""
    owner = settings[1]
    link, proven = owner.prove(2)
    assert owner.keys[0].document.shape == VISITING
    assert f"-kept-d{MODEL.nodes.sizes[1]}-" in VISITING.name
    assert link_shape(VISITING).name != link_shape(WHOLE).name
    for checker in ("native", "python"):
        verifier = Verifier(owner.commitment, owner.trusted, checker, link=link)
        for one in proven:
            assert verifier.verify(one.certificate.to_bytes(), no_policy()).link_key is not None


@pytest.mark.parametrize("place", [0, 1])
def test_a_link_of_other_words_is_refused(settings, place):
    """A link key of the other form is for other words of the model, although the architecture is the same."""
    owner, other = settings[place], settings[1 - place]
    link, (proven,) = owner.prove()
    foreign, _ = other.prove()
    told = changed(link, link_key=foreign.link_key, proof=foreign.proof)
    keys = [owner.trusted.find(link.key)]
    trusted = TrustStore(keys, [other.trusted.find_link_key(foreign.link_key.fingerprint)])
    with pytest.raises(ProofError, match="another architecture"):
        Verifier(owner.commitment, trusted, "native", link=told).verify(proven.certificate.to_bytes(), no_policy())


def test_the_form_that_proves_as_much_and_faster_is_taken(settings):
    """A key that visits nodes is taken where it has room for all; more room comes first."""
    whole, visiting = (setting.keys[0].document for setting in settings)
    assert rank(visiting) > rank(whole)
    assert rank(changed(visiting, shape=visiting_shape(WHOLE, 1))) < rank(whole)
