"""Log proofs and receipts on the command line: what is asked of a log, found beside a certificate, put into bundles."""

import json

import pytest

from tests.support import changed
from tests.vectors.generate.log import RECEIVED
from tests.verifier.logged_folder import policy, witnessed, write
from tests.verifier.logs import LOG

SAME = "that the owner shows the same commitment to everybody"


@pytest.fixture
def own(tmp_path):
    """The folder of an applicant."""
    return write(tmp_path / "own")


def test_a_log_with_witnesses_takes_the_line_away(cli, own):
    """The line about everybody leaves, and what was seen until when is said in its place."""
    found = cli("verify", own, *witnessed(own), "--max-log-age", 1, "--log-owner", "Example Bank", "--json").document
    left, made = "\n".join(found["checks_not_made"]), "\n".join(found["checks_made"])
    assert SAME not in left
    assert "the owner has not retired the commitment, before 20" in left
    assert "shows everybody this commitment and all others of" in made
    assert "the receipt that came with it is the one that this certificate is about" in made
    assert "(entry 6 of 7) holds that receipt" in made
    said = cli("verify", own, *witnessed(own)).out
    assert "sees this model, and all others of “Example Bank”" in " ".join(said.split())


def test_a_log_without_witnesses_does_not(cli, own):
    """A log alone could show everybody something else, and one that is not pinned shows nothing."""
    for words in ([], ["--log-key", LOG.verifier.text]):
        left = "\n".join(cli("verify", own, *words, "--json").document["checks_not_made"])
        assert f"{SAME}, and decides with this model" in left
        assert ("a log proof came with it, and was not checked" in left) == (not words)
        assert ("no witness is asked" in left) == bool(words)


def test_a_certificate_without_a_log_proof_is_refused(cli, own):
    """Who pins a log wants to see the proof; the same by a policy file."""
    (own / "certificate.tlog-proof").unlink()
    cli("verify", own, *witnessed(own)).complaint(1, "no log proof came with the certificate (--log-proof)")
    cli("verify", own, "--policy", policy(own)).complaint(1, "no log proof came with the certificate (--log-proof)")


def test_a_proof_bears_the_certificates_name(cli, own):
    """With commitment and keys given, nothing else is looked for beside a certificate."""
    words = [own / "certificate.json", "--commitment", own / "commitment.json", "--keys", own / "keys", *witnessed(own)]
    made = cli("verify", *words, "--json").document["checks_made"]
    assert not any("receipt" in line for line in made)
    made = cli("verify", *words, "--receipt", own / "receipt.json", "--json").document["checks_made"]
    assert any(line.startswith("your receipt is the one that this certificate is about") for line in made)


def test_a_receipt_of_another_certificate_is_refused(cli, own):
    """Found or given, it must be about this certificate; so must its entry, where a log is pinned."""
    other = write(own.parent / "other", changed(RECEIVED, context_digest="0" * 64))
    cli("verify", other).complaint(1, "Your receipt is about another certificate", "another context than the receipt")
    cli("verify", own, "--receipt", other / "receipt.json").complaint(1, "another context than the receipt")
    salted = write(own.parent / "salted", changed(RECEIVED, salt="00" * 32))
    assert cli("verify", salted).code == 0
    cli("verify", salted, *witnessed(salted)).complaint(1, "the log proof of the receipt is another one")


def test_receipts_are_for_own_bundles_alone(cli, own):
    """A public bundle holds the log proof and no receipt; the applicant's own holds both, and is checked with them."""
    out = own.parent / "public.equiproof"
    public = cli("bundle", own, "--out", out, "--json").document
    assert "certificate.tlog-proof" in public["files"]
    assert not [name for name in public["files"] if name.startswith("receipt")]
    assert b"5a5a5a" not in out.read_bytes()
    cli("bundle", own, "--receipt", own / "receipt.json", "--out", out, "--force").complaint(2, "--for-applicant")
    mine = own.parent / "mine.equiproof"
    words = ["bundle", own, "--for-applicant", own / "query.json", "--out", mine]
    files = cli(*words, "--json").document["files"]
    assert files[-3:-1] == ["receipt.json", "receipt.tlog-proof"]
    assert mine.stat().st_mode & 0o777 == 0o600
    made = cli("verify", mine, *witnessed(own), "--json").document["checks_made"]
    assert any("holds that receipt" in line for line in made)
    given = ["--receipt", own / "receipt.json"]
    again = own.parent / "again.equiproof"
    assert cli(*words[:-1], again, *given).code == 0
    assert again.read_bytes() == mine.read_bytes()
    other = write(own.parent / "other", changed(RECEIVED, label=1 - RECEIVED.label))
    cli(*words, "--receipt", other / "receipt.json", "--force").complaint(1, "another decision than the receipt")


def test_the_answer_names_receipt_and_log(cli, own):
    """In words for people, in both languages."""
    for language, said in (("en", "The receipt that came with it is the one"), ("de", "Der Beleg, der dabei lag")):
        answer = cli("verify", own, *witnessed(own), "--language", language, "--json").document["answer"]
        assert any(said in line for line in answer["checked"]), json.dumps(answer)
