"""`equiproof export`: certificates in the forms of other programs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equiproof.circuits.tables import say, written
from equiproof.cli.answers import (
    LanguageText,
    answer_lines,
    everything_else,
    in_its_language,
    refused_in_words,
    shown,
    words_of,
)
from equiproof.cli.commands.common import ContextFile, Force, Json, load, naming_file, tell
from equiproof.cli.commands.demands import CheckerText, OwnLink, PolicyFile, own_link
from equiproof.cli.commands.identity import read_signer
from equiproof.cli.commands.stamp import OwnAuthority, OwnStamp, of_stamp, stamp_of, with_stamp
from equiproof.cli.commands.verify import OwnCommitment, OwnKeys, PresentedFile, VerboseFlag

if TYPE_CHECKING:
    from equiproof.verifier.certificate import Certificate
    from equiproof.verifier.documents import KeyDocument, QueryDocument
    from equiproof.verifier.export_forms import Form
    from equiproof.verifier.facts import Policy
    from equiproof.verifier.presented import Presented

app = typer.Typer(
    no_args_is_help=True, help="Write certificates in the forms of other programs. docs/exports.md describes them."
)

KeysFolder = Annotated[
    Path | None, typer.Option("--keys", help="The folder of keys. Default: the key beside the certificate.")
]
IdentityFile = Annotated[
    Path, typer.Option("--identity", help="Your secret signing key, from `equiproof identity new`.")
]
OutFile = Annotated[Path, typer.Option("--out", help="The file to write.")]
QueryFile = Annotated[Path | None, typer.Option("--query", help=written("option.query"))]
WithData = Annotated[
    bool,
    typer.Option(
        "--with-applicant-data",
        help="Keep the applicant's data that the certificate discloses. By default they are left out.",
    ),
]


@app.command()
def dsse(
    certificate: PresentedFile,
    identity: IdentityFile,
    out: OutFile,
    keys: KeysFolder = None,
    link: OwnLink = None,
    with_applicant_data: WithData = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Sign a certificate as an in-toto statement (DSSE).

    The signature says who hands the certificate out, and nothing about its truth.
    """
    _export("dsse", certificate, identity, out, keys, link, with_data=with_applicant_data, force=force, as_json=as_json)


@app.command()
def vc(
    certificate: PresentedFile,
    identity: IdentityFile,
    out: OutFile,
    keys: KeysFolder = None,
    link: OwnLink = None,
    with_applicant_data: WithData = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Sign a certificate as a W3C Verifiable Credential.

    The signature says who hands the certificate out, and nothing about its truth.
    """
    _export("vc", certificate, identity, out, keys, link, with_data=with_applicant_data, force=force, as_json=as_json)


@app.command()
@in_its_language
def check(
    file: Annotated[Path, typer.Argument(help="The file that `export dsse` or `export vc` wrote.")],
    identity_key: Annotated[
        str, typer.Option("--identity-key", help="The fingerprint of the signing key that you pin: its 64 digits.")
    ],
    commitment: OwnCommitment = None,
    keys: OwnKeys = None,
    query: QueryFile = None,
    context: ContextFile = None,
    policy: PolicyFile = None,
    link: OwnLink = None,
    stamp: OwnStamp = None,
    authority: OwnAuthority = None,
    checker: CheckerText = "auto",
    language: LanguageText = "en",
    verbose: VerboseFlag = False,
    as_json: Json = False,
) -> None:
    """Check who signed an export, and verify what is in it.

    The certificate inside is verified as by `equiproof verify`. Exits 0 if both hold, 1 if one is refused, and 2 for a
    malformed file or wrong usage.
    """
    from equiproof.circuits.canonical import read_limited
    from equiproof.verifier import TrustStore, parse_query
    from equiproof.verifier.answer import answer
    from equiproof.verifier.documents import load_commitment
    from equiproof.verifier.exports import parse_export
    from equiproof.verifier.findings import findings
    from equiproof.verifier.programs import known

    words = words_of(language)
    fingerprint = _fingerprint(identity_key)
    signed = parse_export(read_limited(file), str(file))
    certificate = signed.require(fingerprint)
    presented = _presented(
        file, certificate, {"commitment": commitment, "key": keys, "query": query, "context": context}, link
    )
    signed.require_link(presented.link)
    own = None if query is None else load(parse_query, query)
    required = _required(own, context, policy)
    trusted = None if keys is None else TrustStore.open(keys)
    own_commitment = None if commitment is None else load_commitment(commitment)
    try:
        program = known(checker)
    except ValueError as error:
        raise typer.BadParameter(f"--checker: {error}") from None
    with refused_in_words(file, words):
        verified = presented.verify(required, own_commitment, trusted, program)
    signed.require_name(verified)
    stamped = stamp_of(file, stamp, authority)
    document = verified.document(own or presented.query or presented.certificate.query)
    own_answer = with_stamp(answer(findings(verified, required, presented), language), stamped)
    lines = [*answer_lines(own_answer, words), "", say("technical.signed_by", digits=fingerprint)]
    lines += everything_else(verified, document, words) if verbose else [shown(words.say("label.more"))]
    document |= {"answer": own_answer, "signed_by": fingerprint} | of_stamp(stamped)
    tell(as_json=as_json, document=document, text="\n".join(lines))


@app.command()
def calldata(
    file: Annotated[Path, typer.Argument(help="The certificate file, of Groth16, or the link of a kept key.")],
    out: Annotated[
        Path | None, typer.Option("--out", help="Write the call and its parts to a JSON file instead.")
    ] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Print what a contract takes of a certificate or a link.

    That is a whole call of the contract's `verifyStatement`, or of `register`, which a link needs once, in hexadecimal
    digits. Only the points of the proof are checked here: the contract of `keys solidity` verifies it.
    """
    import msgspec

    from equiproof.circuits.canonical import canonical_bytes, read_limited
    from equiproof.circuits.files import write_file
    from equiproof.circuits.kinds import kind_of
    from equiproof.verifier import parse_certificate
    from equiproof.verifier.calldata import call_data, link_call_data
    from equiproof.verifier.link import LINK, LinkDocument, parse_link

    data = read_limited(file)
    parsed = (parse_link if kind_of(data) == LINK[0] else parse_certificate)(data, str(file))
    with naming_file(file):
        call = link_call_data(parsed) if isinstance(parsed, LinkDocument) else call_data(parsed)
    if out is None:
        tell(as_json=as_json, document=msgspec.to_builtins(call), text=call.call)
        return
    write_file(out, canonical_bytes(call), force=force)
    tell(as_json=as_json, document={"calldata": str(out), "key": call.key}, text=f"Call data: {out}\n  key {call.key}")


def _presented(
    file: Path, certificate: Certificate, options: Mapping[str, Path | None], link: Path | None
) -> Presented:
    """Return the certificate with what lies beside its export, but for the parts that options name.

    A link is looked for beside the commitment, too.
    """
    from equiproof.verifier.presented import Presented, beside

    own_fields = {name for name, path in options.items() if path is not None}
    commitment = options["commitment"]
    folders = [file.parent] if commitment is None else [file.parent, commitment.parent]
    own = own_link(link, certificate, *folders)
    if {"commitment", "key"} <= own_fields:
        return Presented(certificate, link=own)
    return beside(file, certificate, own_fields, own)


def _fingerprint(text: str) -> str:
    """Read a fingerprint as people type it, in groups and in any case; raises typer's own error for anything else."""
    from equiproof.verifier.identity import is_fingerprint

    digits = "".join(text.split()).lower()
    if not is_fingerprint(digits):
        raise typer.BadParameter("--identity-key: want the 64 digits that `equiproof identity new` printed")
    return digits


def _required(own: QueryDocument | None, context: Path | None, policy: Path | None) -> Policy:
    """Return the policy of the options: what the certificate is about, and what a policy file requires."""
    import warnings

    from equiproof.circuits.canonical import read_limited
    from equiproof.verifier import AllOf, Own, parse_context, parse_policy, policy_of

    made_for = None if context is None else load(parse_context, context)
    about = policy_of(query=own, context=made_for)
    if policy is None:
        return about
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what no policy requires is listed among what was not checked
        return AllOf(parse_policy(read_limited(policy), str(policy), Own(own, made_for)), about)


def _export(
    form: Form,
    path: Path,
    identity: Path,
    out: Path,
    keys: Path | None,
    link: Path | None,
    *,
    with_data: bool,
    force: bool,
    as_json: bool,
) -> None:
    """Write a signed export of a certificate."""
    from msgspec import UNSET

    from equiproof.circuits import field
    from equiproof.circuits.files import refuse_taken, write_file
    from equiproof.verifier.exports import make_export, without_data
    from equiproof.verifier.identity import Identity
    from equiproof.verifier.link import load_link
    from equiproof.verifier.presented import present

    refuse_taken([out], force=force)
    signer = read_signer(identity)
    presented = present(
        path,
        _OTHER_PARTS if keys is None else {*_OTHER_PARTS, "key"},
        link=None if link is None else load_link(link),
    )
    certificate = presented.certificate
    named = presented.link
    if named is None and certificate.statement.shown is not UNSET:
        raise typer.BadParameter(
            f"--link: name the link of this certificate, which an export names: {path} has none beside it"
        )
    if with_data and certificate.query is None:
        raise typer.BadParameter(f"--with-applicant-data: {path} discloses no data")
    if not with_data:
        certificate = without_data(certificate)
    name = field.to_hex(certificate.to_statement().digest(_key(presented, keys).shape))
    write_file(out, make_export(form, certificate, name, signer, named), secret=with_data, force=force)
    fingerprint = Identity(signer.verifier.public).fingerprint
    document = {"export": str(out), "form": form, "certificate": name, "fingerprint": fingerprint}
    text = f"EXPORTED {out}\n  certificate {name}\n  signed by {fingerprint}"
    tell(as_json=as_json, document=document, text=text)


_OTHER_PARTS = ("commitment", "query", "context", "log_proof", "receipt")
"""What an export takes nothing of."""


def _key(presented: Presented, keys: Path | None) -> KeyDocument:
    """Return the metadata of the certificate's key, which its name depends on."""
    from equiproof.verifier import CertificateFormatError, TrustStore
    from equiproof.verifier.errors import Reason

    named = presented.certificate.key.fingerprint
    if keys is not None:
        return TrustStore.open(keys).find(named).document
    if presented.key is None:
        raise CertificateFormatError(say("present.key_missing", fingerprint=named[:16]), Reason.NO_KEYS)
    return presented.key.document
