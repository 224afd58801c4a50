"""`equiproof identity`: a signing key is its owner's only, and what others know it by is printed as often as wanted."""

import stat

import pytest

from equiproof.verifier.identity import Identity
from equiproof.verifier.notes import VerifierKey


@pytest.fixture
def made(tmp_path, cli):
    """A signing key, and how the command that made it ended."""
    path = tmp_path / "dora.key"
    return path, cli("identity", "new", "dora", "--out", path)


def test_a_key_has_a_secret_and_a_public_half(made, cli):
    """The secret is readable by its owner only; verifier key and fingerprint are printed, and printed again."""
    path, outcome = made
    key = VerifierKey.parse(outcome.out.splitlines()[-1])
    assert (outcome.code, outcome.err, key.name) == (0, "", "dora")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_text().strip() not in outcome.out
    assert Identity(key.public).fingerprint in outcome.out
    assert cli("identity", "show", path).out == outcome.out
    shown = cli("identity", "show", path, "--json").document
    assert shown == {
        "signing_key": str(path), "verifier_key": key.text, "fingerprint": Identity(key.public).fingerprint,
    }  # fmt: skip


def test_a_key_is_never_overwritten(made, cli):
    """A second key in its place is refused, and so is a name that no key can have."""
    path, _ = made
    before = path.read_bytes()
    cli("identity", "new", "dora", "--out", path).complaint(2, path, "exists")
    cli("identity", "new", "d d", "--out", path.with_name("other")).complaint(2, "a signer's name is")
    assert path.read_bytes() == before
    assert not path.with_name("other").exists()


@pytest.mark.parametrize("text", ["", "x", "PRIVATE+KEY+dora+00000000+AY=="])
def test_what_is_no_signing_key_is_refused(tmp_path, cli, text):
    """Another file is refused in one line that repeats nothing of it."""
    path = tmp_path / "other.key"
    path.write_text(text)
    line = cli("identity", "show", path).complaint(2, path)
    assert "AY==" not in line


def test_a_verifier_key_is_no_signing_key(tmp_path, made, cli):
    """The public line in place of the secret is refused with the command that makes one."""
    path = tmp_path / "public"
    path.write_text(made[1].out.splitlines()[-1])
    cli("identity", "show", path).complaint(2, "not a signing key; `equiproof identity new` makes one")
