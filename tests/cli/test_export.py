"""`equiproof export`: signed files for other programs, without the applicant's data unless they are asked for."""

import base64
import json
import shutil
import stat

import pytest

from equiproof.verifier.identity import from_base64url
from tests.support import changed
from tests.verifier.exported import CERTIFICATE, LOANS, NAME, QUERY

KEYS = ("--keys", LOANS / "keys")
TRUSTED = ("--commitment", LOANS / "commitment.json", *KEYS)
FORMS = ("dsse", "vc")


@pytest.fixture
def pin(tmp_path, cli):
    """The fingerprint of the signing key `identity.key`."""
    return cli("identity", "new", "bank", "--out", tmp_path / "identity.key", "--json").document["fingerprint"]


@pytest.fixture
def disclosing(tmp_path):
    """A certificate that discloses the applicant's data."""
    path = tmp_path / "disclosing.json"
    path.write_bytes(changed(CERTIFICATE, query=QUERY).to_bytes())
    return path


def words(form, folder, certificate=LOANS / "certificate.json", **changes):
    """Return the words of an export into a folder."""
    at = {"keys": LOANS / "keys", "identity": folder / "identity.key", "out": folder / f"out.{form}"} | changes
    return ["export", form, certificate, *(part for name, path in at.items() for part in (f"--{name}", path))]


def payload(data):
    """Return the signed payload of an export."""
    if data.startswith(b"{"):
        return base64.b64decode(json.loads(data)["payload"])
    return from_base64url(data.decode().split(".")[1], "export")


@pytest.mark.parametrize("form", FORMS)
def test_an_export_is_checked(tmp_path, cli, pin, form):
    """What is written is read back under the pinned fingerprint, and the certificate in it is verified."""
    made = cli(*words(form, tmp_path), "--json").document
    out = tmp_path / f"out.{form}"
    assert made == {"export": str(out), "form": form, "certificate": NAME, "fingerprint": pin}
    asked = ("--query", LOANS / "query.json", "--context", LOANS / "context.json")
    checked = cli("export", "check", out, "--identity-key", pin, *TRUSTED, *asked, "--json").document
    assert (checked["verdict"], checked["certificate"], checked["signed_by"]) == ("verified", NAME, pin)
    assert checked["intervals"]
    # As it is read out from paper: in groups, in any case.
    spoken = " ".join(pin[at : at + 8].upper() for at in range(0, 64, 8))
    shown = cli("export", "check", out, "--identity-key", spoken, *TRUSTED)
    assert shown.code == 0
    assert f"\nSigned by {pin}, the key that you pinned.\n" in shown.out
    assert shown.out.splitlines()[:5] == cli("verify", LOANS / "certificate.json", *TRUSTED).out.splitlines()[:5]


@pytest.mark.parametrize("form", FORMS)
def test_data_are_exported_on_request_only(tmp_path, cli, pin, disclosing, form):
    """The applicant's data stay out; with the option they go along, in a file that only its owner reads."""
    assert cli(*words(form, tmp_path, disclosing)).code == 0
    out = tmp_path / f"out.{form}"
    assert QUERY.blinding.encode() not in payload(out.read_bytes())
    secret = tmp_path / "secret"
    assert cli(*words(form, tmp_path, disclosing, out=secret), "--with-applicant-data").code == 0
    assert QUERY.blinding.encode() in payload(secret.read_bytes())
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    for path in (out, secret):
        assert cli("export", "check", path, "--identity-key", pin, *TRUSTED).code == 0


def test_data_that_are_not_there_cannot_be_exported(tmp_path, cli, pin):
    """A certificate without data is refused with the option, and nothing is written."""
    cli(*words("vc", tmp_path), "--with-applicant-data").complaint(2, "--with-applicant-data", "discloses no data")
    assert not (tmp_path / "out.vc").exists()


def test_a_policy_file_is_demanded(tmp_path, cli, pin):
    """The certificate in an export meets a policy file, or is refused."""
    assert cli(*words("vc", tmp_path)).code == 0
    policy = tmp_path / "policy.json"
    check = ("export", "check", tmp_path / "out.vc", "--identity-key", pin, *TRUSTED, "--policy", policy)
    for radius, code in (("0.1", 0), ("100", 1)):
        requires = {"min_radius": radius}
        policy.write_text(json.dumps({"format": "equiproof-policy", "version": 2, "requires": requires}))
        assert cli(*check).code == code


def test_refusals_are_one_line(tmp_path, cli, pin):
    """Another key, another file and words that are no fingerprint each end in one line with its exit code."""
    assert cli(*words("dsse", tmp_path)).code == 0
    out = tmp_path / "out.dsse"
    check = ("export", "check")
    cli(*check, out, "--identity-key", "0" * 64, *TRUSTED).complaint(1, "refused: the export is signed by", pin[:16])
    cli(*check, out, "--identity-key", "bank", *TRUSTED).complaint(2, "--identity-key: want the 64 digits")
    certificate = LOANS / "certificate.json"
    cli(*check, certificate, "--identity-key", pin, *TRUSTED).complaint(2, certificate, "want a signed export")
    cli(*check, LOANS / "keys", "--identity-key", pin, *TRUSTED).complaint(2, LOANS / "keys")
    cli(*check, out, "--identity-key", pin, *TRUSTED, "--checker", "x").complaint(2, "--checker")
    foreign = ("--commitment", LOANS / "commitment.json", "--keys", LOANS.parent / "rates" / "keys")
    cli(*check, out, "--identity-key", pin, *foreign).complaint(1, "is not among the 1 trusted keys")


def test_nothing_is_overwritten_or_signed_by_accident(tmp_path, cli, pin):
    """A file in the way stays without --force; a public key, another certificate's key and a wrong file are refused."""
    out = tmp_path / "out.vc"
    assert cli(*words("vc", tmp_path)).code == 0
    before = out.read_bytes()
    cli(*words("vc", tmp_path)).complaint(2, out, "exists")
    assert cli(*words("vc", tmp_path), "--force").code == 0
    assert out.read_bytes() == before
    public = tmp_path / "public"
    public.write_text(cli("identity", "show", tmp_path / "identity.key").out.splitlines()[-1])
    other = {"out": tmp_path / "other"}
    cli(*words("vc", tmp_path, **other, identity=public)).complaint(2, public, "not a signing key")
    cli(*words("vc", tmp_path, **other, keys=LOANS.parent / "rates" / "keys")).complaint(1, "not among the 1 trusted")
    cli(*words("vc", tmp_path, LOANS / "query.json", **other)).complaint(2, "this is a query file")
    assert not (tmp_path / "other").exists()


def test_what_lies_beside_is_found(tmp_path, cli, pin):
    """The key beside a certificate is found, and beside an export what belongs to it; it is listed as not pinned."""
    folder = tmp_path / "mail"
    shutil.copytree(LOANS, folder)
    words = ("export", "vc", folder, "--identity", tmp_path / "identity.key", "--out", folder / "certificate.jwt")
    assert cli(*words).code == 0
    checked = cli("export", "check", folder / "certificate.jwt", "--identity-key", pin, "--json").document
    assert (checked["certificate"], checked["answer"]["outcome"]) == (NAME, "open")
    shutil.rmtree(folder / "keys")
    cli(*words, "--force").complaint(2, "no key", "beside the certificate (--keys)")
