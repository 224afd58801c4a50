"""`equiproof keys`: what a finished key rests on, and the contract that accepts its certificates."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equiproof.cli.commands.common import Force, Json, OwnerSecret, naming_file, tell
from equiproof.cli.commands.identity import read_signer
from equiproof.cli.console import stages

if TYPE_CHECKING:
    from equiproof.verifier.documents import SetupKind
    from equiproof.verifier.trust import TrustedKey

app = typer.Typer(no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Check keys of others, and make contracts of keys."""


@app.command()
def check(
    key: Annotated[Path, typer.Argument(help="The folder of the key.")],
    transcript: Annotated[
        Path | None,
        typer.Option("--transcript", help="The folder of its ceremony (phase 2); a universal key has none."),
    ] = None,
    powers: Annotated[
        Path | None,
        typer.Option("--powers", help="Where its powers of tau come from: the folder of phase 1, or the .ptau file."),
    ] = None,
    accept: Annotated[
        bool, typer.Option("--accept", help="Leave your mark on the key, so that `prove` proves under it.")
    ] = False,
    owner_secret: OwnerSecret = None,
    sign: Annotated[
        Path | None,
        typer.Option("--sign", help="Sign that you checked it, with this signing key, for those who trust you."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Verify a key's transcripts, and compute the key again from them.

    The circuit is compiled, and the key compared byte for byte. Lists what was checked and what could not be. --accept
    and --sign need --powers.
    """
    from equiproof.prover.ceremony.key_check import check_key, refuse_unusable

    if (accept or sign is not None) and powers is None:
        raise typer.BadParameter("--accept and --sign need --powers, where its powers of tau come from")
    signer = None if sign is None else read_signer(sign)
    if accept:
        refuse_unusable(key, owner_secret)
    with stages("checking", quiet=as_json) as report:
        key_check = check_key(key, transcript, powers, report)
    marked = key_check.accept(owner_secret) if accept else None
    note = None if signer is None else key_check.sign(signer)
    document = {
        "verdict": "verified",
        "key": str(key),
        "fingerprint": key_check.document.fingerprint,
        "transcript": key_check.document.transcript,
        "checks_made": list(key_check.made),
        "checks_not_made": list(key_check.not_made),
        "accepted": None if marked is None else str(marked),
        "signed": None if note is None else str(note),
    }
    tell(as_json=as_json, document=document, text="\n".join(_checked(document)))


def _checked(document: dict[str, Any]) -> list[str]:
    """Write what was checked of a key, and what was not."""
    lines = [f"CHECKED {document['key']}", f"  fingerprint {document['fingerprint']}"]
    lines += [
        f"  transcript {document['transcript']}",
        "Checked:",
        *(f"  + {line}" for line in document["checks_made"]),
    ]
    lines += ["Not checked:", *(f"  - {line}" for line in document["checks_not_made"])]
    lines += [f"Accepted as yours: {document['accepted']}"] * (document["accepted"] is not None)
    return lines + [f"Signed: {document['signed']}"] * (document["signed"] is not None)


@app.command()
def solidity(
    key: Annotated[Path, typer.Argument(help="The folder of the key, of Groth16.")],
    out: Annotated[
        Path | None,
        typer.Option("--out", help="A folder, or a file that ends in .sol. Default: the folder of the key."),
    ] = None,
    link_key: Annotated[
        Path | None,
        typer.Option("--link-key", help="Of a kept key: the folder of its key for links. Default: the one beside it."),
    ] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Write the contract that accepts a key's certificates on a chain.

    Beside the Solidity source, a JSON file has its name, its digest, and the compiler with its settings. A key has one
    source, byte for byte; a kept key has one with its key for links.
    """
    from equiproof.circuits.files import write_files
    from equiproof.verifier.contract import contract_of, name_of
    from equiproof.verifier.trust import TrustedKey, TrustedLinkKey

    trusted = TrustedKey.read(key)
    if link_key is None and trusted.document.shape.kept:
        link_key = _link_key_beside(key, trusted)
    links = None if link_key is None else TrustedLinkKey.read(link_key)
    source, metadata = _places(key if out is None else out, name_of(trusted))
    with naming_file(key):
        contract = contract_of(trusted, links, source.name)
    write_files({source: contract.source, metadata: contract.metadata}, force=force)
    setups = [trusted.document.setup] + ([] if links is None else [links.document.setup])
    open_points = _open_points(setups)
    document = {
        "contract": str(source),
        "metadata": str(metadata),
        "key": trusted.document.fingerprint,
        "setup": trusted.document.setup,
        "link": None if links is None else {"key": links.document.fingerprint, "setup": links.document.setup},
        "compiler": contract.document.compiler,
        "source_digest": contract.document.source_digest,
        "checks_not_made": open_points,
    }
    lines = [f"Contract: {source}", f"Metadata: {metadata}", f"  key {trusted.document.fingerprint}"]
    lines += [] if links is None else [f"  key for links {links.document.fingerprint}"]
    lines += [f"  compile it with solc {contract.document.compiler} and the settings of {metadata.name}"]
    lines += ["Not checked:", *(f"  - {line}" for line in open_points)]
    tell(as_json=as_json, document=document, text="\n".join(lines))


def _places(out: Path, name: str) -> tuple[Path, Path]:
    """Return where the source and its metadata are written, for a folder or for the source's own path."""
    from equiproof.verifier.contract import CONTRACT_FILE

    return (out, out.with_suffix(".json")) if out.suffix == ".sol" else (out / f"{name}.sol", out / CONTRACT_FILE)


def _link_key_beside(key: Path, trusted: TrustedKey) -> Path:
    """Return the one folder beside a kept key that has a key for its links; raises typer's own error for any other."""
    from equiproof.circuits.link_shape import link_shape
    from equiproof.verifier.documents import LINK_KEY_FILE, key_folders
    from equiproof.verifier.trust import TrustedLinkKey

    shape = link_shape(trusted.document.shape)
    found = [
        folder
        for folder in key_folders(key.resolve().parent, LINK_KEY_FILE)
        if TrustedLinkKey.read(folder).document.shape == shape
    ]
    if len(found) != 1:
        several = f"beside {key} are {len(found)}, such as {found[0].name} and {found[1].name}" if found else ""
        lacking = f"no key for {shape.name} lies beside {key}"
        raise typer.BadParameter(f"--link-key: name the key for links: {several or lacking}")
    return found[0]


def _open_points(setups: list[SetupKind]) -> list[str]:
    """List what a contract's deployer has to know of its keys."""
    made = "that the ceremony took place: see `equiproof keys check`"
    if "single-party" in setups:
        made = "who made the key: whoever made it alone can forge proofs that the contract accepts"
    return [made, "what callers of the contract compare a statement with: see docs/chain.md"]
