"""Time stamps (RFC 3161): an authority's signed word of when a file was there, checked offline.

rfc3161-client reads the answer. It checks the signature, the chain to the named certificates as of the stamp's time,
and that the signer's certificate is for time stamps. Ours is which bytes are stamped, one signer without doubt, and the
lines. A revoked certificate is not noticed: lists of them are on networks.
"""

from __future__ import annotations

import hashlib
import warnings
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import rfc3161_client as rfc3161
from cryptography import x509
from cryptography.x509.oid import ExtendedKeyUsageOID

from equiproof.circuits.tables import say
from equiproof.circuits.text import plain
from equiproof.verifier.errors import CertificateFormatError, Reason, StampError, StampReason

MAX_STAMP_BYTES = 1 << 16
MAX_AUTHORITY_BYTES = 1 << 18

_DIGESTS = {
    "2.16.840.1.101.3.4.2.1": hashlib.sha256,
    "2.16.840.1.101.3.4.2.2": hashlib.sha384,
    "2.16.840.1.101.3.4.2.3": hashlib.sha512,
}
"""The digests that a stamp may have, by their object identifiers."""


@dataclass(frozen=True)
class Stamp:
    """A stamp that was accepted: the file was there by `time`, in UTC, says `authority`, the signer's subject.

    The time is the stamp's own, its stated accuracy added and rounded up to seconds: nothing was there later than that.
    """

    time: str
    authority: str

    def document(self) -> dict[str, str]:
        """Return it as a JSON document."""
        return {"time": self.time, "authority": self.authority}

    def sentence(self) -> str:
        """Return the line for people."""
        return say("technical.stamped", time=self.time, authority=self.authority)


def parse_authority(data: bytes, where: str) -> list[x509.Certificate]:
    """Read the certificates that are trusted to say the time, in PEM; raises CertificateFormatError naming `where`.

    At least one is a root. Others are those between it and the signer, where stamps do not bring them.
    """
    if len(data) > MAX_AUTHORITY_BYTES:
        raise CertificateFormatError(say("format.too_long", where=where, bytes=MAX_AUTHORITY_BYTES), Reason.TOO_LONG)
    try:
        return x509.load_pem_x509_certificates(data)
    except ValueError:
        raise CertificateFormatError(say("stamp.authority_unreadable", where=where), Reason.UNREADABLE) from None


def check_stamp(
    content: bytes, data: bytes, trusted: list[x509.Certificate], where: str, nonce: int | None = None
) -> Stamp:
    """Return what a stamp says of a file's bytes; `nonce` is that of the question, where it was just asked.

    `data` is an authority's whole answer (TimeStampResp in DER), with its certificate. Raises CertificateFormatError
    naming `where` for anything else, and StampError where it was not granted, is of other bytes or of another question,
    or does not come from an authority that the trusted certificates vouch for as of its time.
    """
    if len(data) > MAX_STAMP_BYTES:
        raise CertificateFormatError(say("format.too_long", where=where, bytes=MAX_STAMP_BYTES), Reason.TOO_LONG)
    answer, found, otherwise = _read(data, where)
    info = answer.tst_info
    digest = _DIGESTS.get(info.message_imprint.hash_algorithm.dotted_string)
    if digest is None:
        raise CertificateFormatError(say("stamp.digest_unknown", where=where), Reason.UNREADABLE)
    if info.message_imprint.message != digest(content).digest():
        raise StampError(say("stamp.other_bytes", where=where), StampReason.OTHER_STAMP)
    if nonce is not None and info.nonce != nonce:
        raise StampError(say("stamp.other_question", where=where), StampReason.OTHER_STAMP)
    try:
        verifier = rfc3161.VerifierBuilder(roots=trusted).build()
        verifier.verify(answer, info.message_imprint.message)
    except Exception:  # noqa: BLE001  # of many kinds, as in `_read`
        raise StampError(otherwise, StampReason.UNKNOWN_AUTHORITY) from None
    return found


def _read(data: bytes, where: str) -> tuple[rfc3161.TimeStampResponse, Stamp, str]:
    """Return an answer, what it says, and why where the library does not accept it; raises as `check_stamp` does."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of cryptography, about numbers that certificates should not have
            answer = rfc3161.decode_timestamp_response(data)
            if answer.status != rfc3161.PKIStatus.GRANTED:
                said = plain(", ".join(answer.status_string))[:100]
                raise StampError(
                    say("stamp.not_granted", where=where, status=answer.status, said=said), StampReason.NOT_STAMPED
                )
            signer = _signer(answer, where)
            found = Stamp(_latest(answer.tst_info), _name(signer))
            return answer, found, _why(signer, answer.tst_info.gen_time, where)
    except StampError:
        raise
    except Exception:  # noqa: BLE001  # both libraries raise errors of many kinds for names and numbers of their own
        raise CertificateFormatError(say("stamp.unreadable", where=where), Reason.UNREADABLE) from None


def _signer(answer: rfc3161.TimeStampResponse, where: str) -> x509.Certificate:
    """Return the signer's certificate; raises StampError unless there is one signer with one certificate.

    Of two with one issuer and number, one could be checked and the other shown.
    """
    signers = answer.signed_data.signer_infos
    found = [
        certificate
        for certificate in map(x509.load_der_x509_certificate, answer.signed_data.certificates)
        for signer in signers
        if (certificate.issuer, certificate.serial_number) == (signer.issuer, signer.serial_number)
    ]
    if len(signers) != 1 or len(found) != 1:
        raise StampError(say("stamp.no_signer", where=where), StampReason.UNKNOWN_AUTHORITY)
    return found[0]


def _latest(info: rfc3161.TimeStampTokenInfo) -> str:
    """Return the latest time that a stamp can mean; the library leaves fractions of its seconds out."""
    latest = info.gen_time.astimezone(UTC) + timedelta(seconds=1)
    if info.accuracy is not None:
        parts = info.accuracy.seconds, info.accuracy.millis, info.accuracy.micros
        seconds, millis, micros = (part or 0 for part in parts)
        latest += timedelta(seconds=seconds, milliseconds=millis, microseconds=micros)
    if latest.microsecond:
        latest += timedelta(seconds=1)
    return _shown(latest)


def _why(signer: x509.Certificate, time: datetime, where: str) -> str:
    """Return what to say where the library does not accept a signer, as far as its own certificate shows why."""
    begins, ends = signer.not_valid_before_utc, signer.not_valid_after_utc
    if not begins <= time <= ends:
        return say("stamp.signer_out_of_time", where=where, time=_shown(time), begins=_shown(begins), ends=_shown(ends))
    if not _stamps_time(signer):
        return say("stamp.signer_of_other_use", where=where, authority=_name(signer))
    return say("stamp.authority_unknown", where=where, authority=_name(signer))


def _stamps_time(signer: x509.Certificate) -> bool:
    """Return whether a certificate is for time stamps alone, as RFC 3161 wants it."""
    try:
        use = signer.extensions.get_extension_for_class(x509.ExtendedKeyUsage)
    except (ValueError, x509.ExtensionNotFound, x509.DuplicateExtension):
        return False
    return use.critical and list(use.value) == [ExtendedKeyUsageOID.TIME_STAMPING]


def _name(signer: x509.Certificate) -> str:
    """Return the subject of a certificate for people."""
    return plain(signer.subject.rfc4514_string())[:120]


def _shown(time: datetime) -> str:
    """Return a time in UTC, to the second."""
    return f"{time.replace(microsecond=0, tzinfo=None).isoformat()}Z"
