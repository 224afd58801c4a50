"""Time stamps: what is accepted, and each way in which one is refused."""

import random
import shutil
from datetime import UTC, datetime, timedelta

import pytest
import rfc3161_client as rfc3161
from cryptography.x509.oid import ExtendedKeyUsageOID as Use

from equiproof.verifier.errors import CertificateFormatError, Reason, StampError, StampReason
from equiproof.verifier.stamps import MAX_AUTHORITY_BYTES, MAX_STAMP_BYTES, check_stamp, parse_authority
from tests.support import ROOT
from tests.verifier.authorities import DAY, Authority, authority

FILE = b"evidence"

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="needs the program openssl")


@pytest.fixture(scope="module")
def stamp():
    """A stamp of FILE."""
    return authority().stamp(FILE)


def refused(reason, data, content=FILE, trusted=None, nonce=None):
    """Return the line with which a stamp is refused."""
    with pytest.raises(StampError) as caught:
        check_stamp(content, data, trusted or authority().trusted, "x.tsr", nonce)
    assert caught.value.reason == reason
    assert str(caught.value).startswith("x.tsr: ")
    assert len(str(caught.value)) <= 400
    return str(caught.value)


@pytest.mark.parametrize("digest", ["sha256", "sha384"])
def test_a_stamp_is_accepted(digest):
    """It says who signed, and a time that is not before the stamp's own with its accuracy of two seconds."""
    before = datetime.now(UTC).replace(microsecond=0)
    found = check_stamp(FILE, authority().stamp(FILE, digest), authority().trusted, "x.tsr")
    assert found.authority == "CN=Hour"
    late = datetime.fromisoformat(found.time) - before
    assert timedelta(seconds=3) <= late <= timedelta(seconds=60)


@pytest.mark.parametrize(
    ("accuracy", "seconds"),
    [("secs:2", 3), ("secs:1, millisecs:500", 3), ("secs:1, microsecs:1", 3), ("millisecs:999", 2), ("secs:60", 61)],
)
def test_the_accuracy_is_added_and_rounded_up(accuracy, seconds):
    """To the second in which the stamp was made at the latest: nothing was there later than what is shown."""
    exact = Authority(accuracy=accuracy)
    data = exact.stamp(FILE)
    latest = rfc3161.decode_timestamp_response(data).tst_info.gen_time + timedelta(seconds=seconds)
    assert datetime.fromisoformat(check_stamp(FILE, data, exact.trusted, "x.tsr").time) == latest


def test_certificates_count_as_of_the_time_of_the_stamp():
    """One that ended yesterday refuses a stamp of today, by its dates."""
    ended = Authority(ends=-DAY)
    line = refused(StampReason.UNKNOWN_AUTHORITY, ended.stamp(FILE), trusted=ended.trusted)
    assert "its authority's certificate was valid from" in line


def test_a_stamp_of_another_file_is_refused(stamp):
    """Another byte, or another nonce than that of the question."""
    assert refused(StampReason.OTHER_STAMP, stamp, FILE + b"!").endswith("the stamp is of another file")
    assert "another question" in refused(StampReason.OTHER_STAMP, stamp, nonce=1)


def test_another_authority_is_refused(stamp):
    """Also one that calls itself alike; of several that are trusted, any will do."""
    namesake = Authority()
    assert "CN=Hour" in refused(StampReason.UNKNOWN_AUTHORITY, stamp, trusted=namesake.trusted)
    check_stamp(FILE, stamp, [*namesake.trusted, *authority().trusted], "x.tsr")


@pytest.mark.parametrize("use", [(Use.SERVER_AUTH,), (Use.TIME_STAMPING, Use.SERVER_AUTH)])
def test_a_certificate_for_other_uses_is_refused(use):
    """Whoever has a certificate of the trusted root for a web server stamps no time with it."""
    genuine = Authority()
    check_stamp(FILE, genuine.stamp_by_hand(FILE), genuine.trusted, "x.tsr")
    server = Authority(use=use)
    line = refused(StampReason.UNKNOWN_AUTHORITY, server.stamp_by_hand(FILE), trusted=server.trusted)
    assert line.endswith("the certificate of CN=Hour is not for time stamps alone")


def test_a_stamp_without_its_signers_certificate_is_refused():
    """Nobody could say offline who made it."""
    line = refused(StampReason.UNKNOWN_AUTHORITY, authority().stamp(FILE, words=()))
    assert "one signer and one certificate" in line


def test_a_stamp_that_was_not_granted_is_refused():
    """A digest that the authority takes none of."""
    assert "granted no stamp: status 2" in refused(StampReason.NOT_STAMPED, authority().stamp(FILE, "sha512"))


def malformed(data, content=FILE):
    """Return the reason and the line with which a file is malformed."""
    with pytest.raises(CertificateFormatError) as caught:
        check_stamp(content, data, authority().trusted, "x.tsr")
    return caught.value.reason, str(caught.value)


def test_weak_digests_and_long_files_are_malformed(stamp):
    """MD5 stamps nothing; a byte more than the most is not read; a certificate is no stamp."""
    assert malformed(authority().stamp(FILE, "md5"))[1].endswith("SHA-256, SHA-384 or SHA-512")
    assert malformed(bytes(MAX_STAMP_BYTES + 1))[0] == Reason.TOO_LONG
    assert malformed(bytes(MAX_STAMP_BYTES))[0] == Reason.UNREADABLE
    at = stamp.rindex(b"\x0c\x09Hour Root")
    unknown_string = stamp[:at] + b"\xa7" + stamp[at + 1 :]
    unknown_version = stamp.replace(bytes.fromhex("a003020102"), bytes.fromhex("a003020120"))
    for data in (b"", authority().pem, stamp[:-1], stamp + b"\0", unknown_string, unknown_version):
        reason, line = malformed(data)
        assert (reason, "TimeStampResp in DER" in line) == (Reason.UNREADABLE, True)


def test_authorities_are_read_from_pem():
    """Several in one file; none, and what is no certificate, are malformed."""
    assert len(parse_authority(authority().pem * 2, "x.pem")) == 2
    for data in (b"", b"x", authority().pem[:-40], authority().pem.replace(b"M", b"N")):
        with pytest.raises(CertificateFormatError, match=r"x\.pem: want certificates in PEM"):
            parse_authority(data, "x.pem")
    with pytest.raises(CertificateFormatError, match=f"want at most {MAX_AUTHORITY_BYTES} bytes: it is longer"):
        parse_authority(bytes(MAX_AUTHORITY_BYTES + 1), "x.pem")


def test_changed_stamps_say_the_same_or_are_refused(stamp):
    """Whatever is changed in a stamp: an error of ours, or the same time and authority of the same bytes."""
    genuine = check_stamp(FILE, stamp, authority().trusted, "x.tsr")
    drawn = random.Random(3161)
    refusals = 0
    for _ in range(600):
        data = bytearray(stamp)
        data[drawn.randrange(len(data))] = drawn.randrange(256)
        try:
            assert check_stamp(FILE, bytes(data), authority().trusted, "x.tsr") == genuine
        except (CertificateFormatError, StampError):
            refusals += 1
    assert refusals > 500


def test_reasons_are_documented():
    """docs/exports.md explains each reason."""
    page = (ROOT / "docs" / "exports.md").read_text()
    for reason in StampReason:
        assert f"| `{reason}` |" in page


def test_a_stamp_has_a_document_and_a_sentence(stamp):
    """Both say when and by whom."""
    found = check_stamp(FILE, stamp, authority().trusted, "x.tsr")
    assert found.document() == {"time": found.time, "authority": "CN=Hour"}
    assert found.time in found.sentence()
    assert "CN=Hour" in found.sentence()
