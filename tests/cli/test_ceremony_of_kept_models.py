"""Ceremonies of a kept key and of the key of its links, from powers of tau to a certificate under a policy on both."""

from __future__ import annotations

import json
import shutil

import pytest

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.link_shape import link_shape
from equiproof.circuits.shape import kept_shape, shape_of
from equiproof.prover import KeyStore, KeyStoreError, Opening
from equiproof.prover.ceremony import conduct
from equiproof.prover.ceremony.checked import CACHE_VARIABLE
from equiproof.prover.ceremony.documents import CEREMONY_FILE, parse_ceremony
from equiproof.prover.ceremony.errors import Refusal, TranscriptError
from equiproof.prover.ceremony.folder import CeremonyFolder
from equiproof.prover.ceremony.key_check import check_key
from equiproof.verifier import (
    AllOf,
    LinkTranscriptIs,
    PolicyError,
    SetupIs,
    SignedBy,
    TranscriptIs,
    UntrustedKeyError,
    Verifier,
)
from equiproof.verifier.documents import KEY_FILE, LINK_KEY_FILE, SIGNATURES_FILE
from equiproof.verifier.errors import CertificateFormatError, Reason
from tests.linked_case import KeptSetting
from tests.prover.ceremony.parties import ANNA, BEACON, BEN, CAROL, SIGNERS, VALUE, powers_ceremony, rewritten
from tests.support import LOANS, network, no_policy

HIDDEN = (1,)
SHAPE = kept_shape(shape_of("branch", LOANS, HIDDEN, 4))
LINKS = link_shape(SHAPE)
POWER = 12
"""Both circuits have this domain, and share a phase 1."""
POLICY = AllOf(SetupIs("ceremony"), SignedBy((BEN.verifier.text,), 1))


@pytest.mark.slow
def test_a_kept_key_and_its_links_by_ceremonies(cli, tmp_path, monkeypatch):
    """Two parties make each key; certificates hold beside their link where Ben has checked both transcripts."""
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "checked"))
    first = powers_ceremony(tmp_path / "powers", ANNA, power=POWER, closed=True)
    conduct.finish_powers(first)
    setting = KeptSetting(
        Opening.of(network(LOANS, HIDDEN, 14), LOANS, blinding=5), tmp_path / "keys", tmp_path / "published"
    )
    setting.published.mkdir()
    (tmp_path / "commitment.json").write_bytes(setting.opening.public())
    (tmp_path / "signers.txt").write_text("".join(f"{signer.verifier.text}\n" for signer in SIGNERS))
    terms = ("--beacon-source", BEACON.source, "--beacon-round", BEACON.round, "--signers", tmp_path / "signers.txt")
    model = ("--commitment", tmp_path / "commitment.json", "--hidden", 1, "--scheme", "branch", "--capacity", 4)
    places, transcripts = {}, {}
    for shape, name, option in ((SHAPE, KEY_FILE, "--kept"), (LINKS, LINK_KEY_FILE, "--links")):
        begun = cli("ceremony", "new", tmp_path / name, *terms, "--powers", first.path, *model, option, "--json")
        assert begun.document["shape"] == shape.name
        folder = CeremonyFolder.open(tmp_path / name)
        for signer in (CAROL, ANNA):
            conduct.contribute(folder, signer)
        if shape is LINKS:
            honest = folder.step(2).read_bytes()
            rewritten(folder.step(2), ANNA, shape=SHAPE)
            with pytest.raises(TranscriptError, match="the header's shape is not that") as refused:
                conduct.close(folder, VALUE)
            assert refused.value.reason == Refusal.WRONG_HEADER
            folder.step(2).write_bytes(honest)
        conduct.close(folder, VALUE)
        places[name], document = conduct.finish_key(folder, setting.store)
        with pytest.raises(KeyStoreError, match=r"keys check --accept"):
            KeyStore(setting.store).find_link_key(LINKS) if shape is LINKS else setting.keys[0].require_mark()
        found = check_key(places[name], folder.path, first.path)
        assert found.document == document
        transcripts[name] = found.document.transcript
        assert any("the same byte for byte" in line for line in found.made)
        found.accept(None)
        found.sign(BEN)

    link, (proven,) = setting.prove()
    certificate = proven.certificate.to_bytes()
    assert (link.link_key.setup, proven.certificate.key.setup) == ("ceremony", "ceremony")

    def verify(policy):
        return Verifier(setting.commitment, setting.trusted, link=link).verify(certificate, policy)

    verified = verify(POLICY)
    assert verified.document()["link"]["setup"] == "ceremony"
    assert sum("ben" in line for line in verified.made) == len(places)
    with pytest.raises(UntrustedKeyError) as untrusted:
        verify(no_policy())
    assert untrusted.value.reason == Reason.NO_TRANSCRIPT
    for place, name in ((places[KEY_FILE], KEY_FILE), (places[LINK_KEY_FILE], LINK_KEY_FILE)):
        with pytest.raises(PolicyError) as other:
            verify(TranscriptIs(transcripts[name]))
        assert other.value.reason == "other-transcript"
        note = (place / SIGNATURES_FILE).read_bytes()
        (place / SIGNATURES_FILE).unlink()
        with pytest.raises(PolicyError) as few:
            verify(POLICY)
        assert few.value.reason == "too-few-signers"
        (place / SIGNATURES_FILE).write_bytes(note)
    verify(POLICY)

    own, links = transcripts[KEY_FILE], transcripts[LINK_KEY_FILE]
    (setting.published / "certificate.json").write_bytes(certificate)
    words = ("verify", setting.published / "certificate.json", "--commitment", tmp_path / "commitment.json")
    words += ("--link", setting.published / "link.json", "--keys")
    both = ("--transcript", own, "--link-transcript", links)
    document = cli(*words, setting.store, *both, "--setup", "ceremony", "--json").document
    assert document["pinned"] == {"commitment": True, "key": True}
    assert (document["setup"], document["link"]["setup"]) == ("ceremony", "ceremony")
    cli(*words, setting.store, "--transcript", own).complaint(1, "transcripts of both keys")
    cli(*words, setting.store, "--link-transcript", links).complaint(1, "name the digest of the transcript")
    cli(*words, setting.store, "--transcript", links, "--link-transcript", own).complaint(1, f"requires {links[:16]}")
    required = {"transcript": own, "link_transcript": links, "setup": "ceremony"}
    policy = {"format": "equiproof-policy", "version": 2, "requires": required}
    (tmp_path / "policy.json").write_text(json.dumps(policy))
    assert cli(*words, setting.store, "--policy", tmp_path / "policy.json").code == 0

    # weakest-key: the owner makes a link key alone, and proves the same model to the ceremony's key with it.
    alone = KeptSetting(setting.opening, tmp_path / "alone", tmp_path / "other")
    alone.published.mkdir()
    place = KeyStore(alone.store).setup(SHAPE).folder
    shutil.rmtree(place)
    shutil.copytree(places[KEY_FILE], place)
    weak, (other_proven,) = alone.prove()
    assert (weak.link_key.setup, other_proven.certificate.key) == ("single-party", proven.certificate.key)
    weakest = Verifier(alone.commitment, alone.trusted, link=weak)
    for policy in (
        AllOf(TranscriptIs(own), LinkTranscriptIs(links)),
        AllOf(TranscriptIs(own), LinkTranscriptIs("")),
        TranscriptIs(own),
        POLICY,
    ):
        with pytest.raises(PolicyError) as refused:
            weakest.verify(other_proven.certificate, policy)
        assert refused.value.reason == ("other-setup" if policy is POLICY else "other-transcript")
    shutil.copy(alone.published / "link.json", setting.published / "link.json")
    (setting.published / "certificate.json").write_bytes(other_proven.certificate.to_bytes())
    cli(*words, alone.store, *both).complaint(1, "a single party made the link's key")


def test_a_ceremony_is_of_one_key(tmp_path):
    """Its file names the shape of one key, in phase 2 alone; one for links must have a circuit, as any other."""
    folder = powers_ceremony(tmp_path / "powers")
    document = json.loads((folder.path / CEREMONY_FILE).read_bytes())
    powers = {"origin": "imported", "source": "0" * 64, "digest": "0" * 64}

    def target(shape):
        return {"shape": json.loads(shape.document), "system_digest": "0" * 64, "powers": powers}

    both = {"key": target(SHAPE), "link_key": target(LINKS)}
    for phase, fields in (("powers", {"link_key": both["link_key"]}), ("key", {}), ("key", both)):
        with pytest.raises(CertificateFormatError, match="field key: want it or `link_key`") as refused:
            parse_ceremony(canonical_bytes(document | {"phase": phase} | fields), "ceremony.json")
        assert refused.value.reason == Reason.WRONG_FIELDS
    whole = document | {"phase": "key", "link_key": both["link_key"]}
    assert parse_ceremony(canonical_bytes(whole), "ceremony.json").target.shape == LINKS
    for edit in ({"shape": json.loads(SHAPE.document)}, {"system_digest": "x"}):
        spoilt = whole | {"link_key": both["link_key"] | edit}
        with pytest.raises(CertificateFormatError, match="link_key"):
            parse_ceremony(canonical_bytes(spoilt), "ceremony.json")
