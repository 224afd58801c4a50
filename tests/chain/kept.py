"""Kept certificates on the chain: calls of a key's contract, and its verdict on a case of tests/linked_cases.py."""

from __future__ import annotations

from collections.abc import Iterable

from equiproof.verifier import CertificateFormatError, parse_certificate
from equiproof.verifier.calldata import VERIFY_KEPT_PROOF, VERIFY_KEPT_STATEMENT, call_data, link_call_data
from equiproof.verifier.certificate import Certificate
from equiproof.verifier.documents import parse_key, parse_link_key
from equiproof.verifier.link import LinkDocument, parse_link
from equiproof.verifier.trust import TrustedKey, TrustedLinkKey
from tests.chain.chain import Chain, Contract
from tests.linked_cases import KEY, LINK_FILE, LINK_KEY, LINK_VERIFYING, VERIFYING, LinkedCase
from tests.vectors.vector import CERTIFICATE

KEPT_DIGEST_OF, HEAD_OF = bytes.fromhex("3dd8cd56"), bytes.fromhex("5288057e")
NAME_OF, CHALLENGE_OF = bytes.fromhex("5dec0df0"), bytes.fromhex("ee9e9c4b")


def keys_of(case: LinkedCase) -> tuple[TrustedKey, TrustedLinkKey]:
    """Return the keys of a case; raises CertificateFormatError for malformed ones."""
    files = case.files
    key = TrustedKey.of(parse_key(files[KEY], KEY), files[VERIFYING], b"", VERIFYING, KEY)
    links = parse_link_key(files[LINK_KEY], LINK_KEY)
    return key, TrustedLinkKey.of(links, files[LINK_VERIFYING], b"", LINK_VERIFYING, LINK_KEY)


def link_of(case: LinkedCase) -> LinkDocument:
    """Return the link of a case."""
    return parse_link(case.files[LINK_FILE], LINK_FILE)


def certificate_of(case: LinkedCase) -> Certificate:
    """Return the certificate of a case."""
    return parse_certificate(case.files[CERTIFICATE], CERTIFICATE)


def deployed(chain: Chain, case: LinkedCase, *changes: tuple[str, str]) -> Contract:
    """Return a new contract of the keys of a case, with changes as :meth:`Chain.contract` takes them."""
    key, links = keys_of(case)
    return chain.contract(key, *changes, link_key=links)


def registering(link: LinkDocument) -> bytes:
    """Return the call that registers a link."""
    return bytes.fromhex(link_call_data(link).call[2:])


def verifying(certificate: Certificate) -> bytes:
    """Return the call that verifies a certificate."""
    return bytes.fromhex(call_data(certificate).call[2:])


def numbers_of(call: bytes) -> list[int]:
    """Return the numbers of a call behind its selector."""
    return [int.from_bytes(call[at : at + 32], "big") for at in range(4, len(call), 32)]


def called(selector: bytes, numbers: Iterable[int]) -> bytes:
    """Return a call of these numbers."""
    return selector + b"".join(number.to_bytes(32, "big") for number in numbers)


def head_call(contract: Contract, statement_call: bytes) -> bytes:
    """Return the call of `verifyProof` that says what a call of `verifyStatement` does."""
    numbers = numbers_of(statement_call)
    proof, stated = numbers[:14], numbers[14:]
    head = contract.call(called(HEAD_OF, stated))["output"]
    return called(VERIFY_KEPT_PROOF, [*proof, stated[0], stated[1], stated[7], int(head, 16)])


def judged(chain: Chain, case: LinkedCase) -> tuple[str, str | None]:
    """Return what is said of a case, by the contract or before, and the reason of what is malformed before.

    Its link is registered first, if there is one and it can be.
    """
    try:
        contract = deployed(chain, case)
        if LINK_FILE in case.files:
            contract.verdict(registering(link_of(case)))
        call = verifying(certificate_of(case))
    except CertificateFormatError as error:
        return "malformed", error.reason
    said = contract.verdict(call)
    if call.startswith(VERIFY_KEPT_STATEMENT):
        assert contract.verdict(head_call(contract, call)) == said
    return said, None
