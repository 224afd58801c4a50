"""The file of wishes: what somebody does not want to change, beside what the rules of a spec do not allow.

It is the applicant's own, written by hand, and narrows the box for them alone.
"""

from __future__ import annotations

import json

from equiproof.circuits.allowed import Wish
from equiproof.circuits.tables import say
from equiproof.verifier.documents import Document, parse_document
from equiproof.verifier.errors import CertificateFormatError, Reason

WISHES = ("equiproof-wishes", 2)


class WishesDocument(Document, frozen=True, forbid_unknown_fields=True):
    """Wishes by feature."""

    wishes: dict[str, Wish]

    def __repr__(self) -> str:
        """Show the features' names; what is wished of them stays out of logs and tracebacks."""
        return f"WishesDocument(wishes={sorted(self.wishes)})"


def parse_wishes(data: bytes, where: str) -> WishesDocument:
    """Read wishes, in any spelling of JSON; raises CertificateFormatError naming `where` and the field."""
    _refuse_bare(data, where)
    document = parse_document(data, WishesDocument, WISHES, where)
    # Of a feature that stands there twice, the decoder keeps the last wish: the first may be the narrower one.
    pairs = dict(json.loads(data, object_pairs_hook=list))
    if len(pairs["wishes"]) != len(document.wishes):
        raise CertificateFormatError(say("format.name_twice", where=where), Reason.REPEATED_NAME)
    return document


def _refuse_bare(data: bytes, where: str) -> None:
    """Say what lacks around wishes that were written alone: what is no JSON at all, others say."""
    try:
        names = set(json.loads(data))
    except (ValueError, TypeError, RecursionError):
        return
    if names and names.isdisjoint(("format", "version", "wishes")):
        raise CertificateFormatError(say("wishes.bare", where=where), Reason.WRONG_FIELDS)
