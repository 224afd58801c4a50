"""`equiproof ceremony`: keys made by several parties, none of whom has to be trusted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equiproof.circuits.schemes import DEFAULT_SCHEME, Scheme
from equiproof.cli.commands.additive import Nodes, Predicates, Rows, Sets, Slots, additive_sizes, shape_for
from equiproof.cli.commands.common import Json, SchemeName, sizes, tell
from equiproof.cli.commands.identity import read_signer
from equiproof.cli.commands.setup import Box, Gain, capacity_for, network_box, trees_of
from equiproof.cli.console import spinner, stages

if TYPE_CHECKING:
    from equiproof.circuits.link_shape import LinkShape
    from equiproof.circuits.shape import Shape
    from equiproof.cli.commands.additive import Sizes
    from equiproof.prover.ceremony.chain import Transcript
    from equiproof.verifier.notes import VerifierKey

app = typer.Typer(
    no_args_is_help=True,
    help="Make keys together, so that nobody has to be trusted. docs/ceremony.md leads through it.",
)

Folder = Annotated[Path, typer.Argument(help="The folder of the ceremony.")]
Kept = Annotated[
    bool,
    typer.Option(
        "--kept",
        help="Proofs leave it to a link that the model is the committed one, whose key has its own ceremony.",
    ),
]
SigningKey = Annotated[
    Path, typer.Option("--signing-key", help="Your secret signing key, from `equiproof identity new`.")
]

Power = Annotated[
    int | None, typer.Option("--power", help="Phase 1: powers of tau for circuits of up to 2^POWER constraints.")
]
Powers = Annotated[
    Path | None, typer.Option("--powers", help="Phase 2: the folder of powers of tau, from phase 1 or `import`.")
]
Committed = Annotated[
    Path | None, typer.Option("--commitment", help="Phase 2: the model's commitment file, as for `setup`.")
]
Hidden = Annotated[
    str | None, typer.Option("--hidden", help="Phase 2: sizes of the model's hidden layers, such as 4,2.")
]
Links = Annotated[
    bool, typer.Option("--links", help="Phase 2: the key of the links of kept keys instead, one for an architecture.")
]
Capacity = Annotated[int | None, typer.Option("--capacity", min=1, help="Phase 2: as for `equiproof setup`.")]


@app.command()
def new(
    folder: Annotated[Path, typer.Argument(help="The folder to write; it must not exist yet.")],
    signers: Annotated[
        Path, typer.Option("--signers", help="The verifier keys of those who may contribute, one a line.")
    ],
    beacon_source: Annotated[
        str,
        typer.Option("--beacon-source", help="The public random value that closes it, such as 'drand quicknet'."),
    ],
    beacon_round: Annotated[
        int, typer.Option("--beacon-round", min=0, help="Its round, drawn only after the last contribution.")
    ],
    power: Power = None,
    powers: Powers = None,
    commitment: Committed = None,
    hidden: Hidden = None,
    predicates: Predicates = None,
    nodes: Nodes = None,
    slots: Slots = None,
    rows: Rows = None,
    sets: Sets = None,
    scheme: SchemeName = DEFAULT_SCHEME,
    capacity: Capacity = None,
    gain: Gain = False,
    box: Box = False,
    kept: Kept = False,
    links: Links = False,
    as_json: Json = False,
) -> None:
    """Begin a ceremony: phase 1, or phase 2 of one circuit.

    Phase 1 needs --power. Phase 2 needs --powers, and the circuit's --commitment and sizes: --hidden of a network;
    --scheme trees, --predicates and --slots of an additive model, with --nodes, --rows and --sets of trees. A kept key
    (--kept) needs that of its links as well (--links, another phase 2), which serves every capacity of the model.
    """
    from equiproof.prover.ceremony import conduct
    from equiproof.prover.ceremony.documents import NamedBeacon
    from equiproof.prover.ceremony.powers import read_powers

    terms = conduct.Terms(_keys(signers), NamedBeacon(beacon_source, beacon_round))
    additive = additive_sizes(scheme, predicates, nodes, slots, rows, sets)
    sized = hidden is not None or additive is not None
    if power is not None and (powers, commitment) == (None, None) and not sized:
        conduct.begin_powers(folder, power, terms)
    elif power is None and powers is not None and commitment is not None and sized:
        shape = _shape(commitment, hidden, additive, scheme, capacity, gain=gain, box=box)
        circuit = _kept(shape, links=links) if kept or links else shape
        with stages("checking the powers of tau", quiet=as_json) as report:
            conduct.begin_key(folder, circuit, read_powers(powers), terms, report)
    else:
        raise typer.BadParameter(
            "give --power for phase 1, or --powers, --commitment and the model's sizes for phase 2: --hidden, or "
            "--scheme trees with --predicates and --slots"
        )
    _tell_status(folder, as_json=as_json)


@app.command()
def status(folder: Folder, as_json: Json = False) -> None:
    """Show who has contributed, who is next, and what is missing."""
    _tell_status(folder, as_json=as_json)


@app.command()
def contribute(folder: Folder, signing_key: SigningKey, as_json: Json = False) -> None:
    """Check every step so far, add your contribution, and sign it.

    Its secrets are drawn, used and forgotten inside this command. Send the new file to the others.
    """
    from equiproof.prover.ceremony import conduct
    from equiproof.prover.ceremony.folder import CeremonyFolder

    mine = read_signer(signing_key)
    with stages("checking", quiet=as_json) as report:
        path, before = conduct.contribute(CeremonyFolder.open(folder), mine, report)
    text = f"CONTRIBUTED {path}\n  behind {len(before.steps)} checked; send this file to the others"
    tell(as_json=as_json, document={"step": str(path), "before": _names(before)}, text=text)


@app.command()
def verify(
    folder: Folder,
    files: Annotated[
        list[Path] | None, typer.Argument(help="Step files that are not in the folder yet, in their order.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Check every step, and name the first that is wrong.

    A ceremony that is still open can be checked too. Exits 0 if all is right, 1 if a step is refused, and 2 for a file
    that is not one of a ceremony.
    """
    from equiproof.prover.ceremony.chain import check_folder
    from equiproof.prover.ceremony.folder import CeremonyFolder

    with stages("checking", quiet=as_json) as report:
        transcript = check_folder(CeremonyFolder.open(folder), files or (), report)
    tell(as_json=as_json, document=_document(transcript), text=_verified(transcript))


@app.command()
def beacon(
    folder: Folder,
    value: Annotated[str, typer.Option("--value", help="The value of the round that was named, in hexadecimal.")],
    as_json: Json = False,
) -> None:
    """Close the ceremony with the random value that was named."""
    from equiproof.prover.ceremony import conduct
    from equiproof.prover.ceremony.folder import CeremonyFolder

    opened = CeremonyFolder.open(folder)
    with stages("checking", quiet=as_json) as report:
        path, transcript = conduct.close(opened, value, report)
    named = transcript.ceremony.beacon
    text = f"CLOSED {path}\n  stated as round {named.round} of {named.source}: everybody looks it up there"
    tell(as_json=as_json, document={"beacon": str(path), "contributed": _names(transcript)}, text=text)


@app.command()
def finish(
    folder: Folder,
    keys: Annotated[Path | None, typer.Option("--keys", help="Phase 2: the folder of keys to write to.")] = None,
    as_json: Json = False,
) -> None:
    """Make what the ceremony is for: powers of tau, or the key.

    Everybody who runs it on the same files gets the same result.
    """
    from equiproof.prover.ceremony import conduct
    from equiproof.prover.ceremony.folder import CeremonyFolder

    opened = CeremonyFolder.open(folder)
    if (opened.ceremony.phase == "key") != (keys is not None):
        wrong = "name --keys FOLDER: phase 2 writes a key" if keys is None else "leave out --keys: phase 1 makes no key"
        raise typer.BadParameter(wrong)
    with stages("checking", quiet=as_json) as report:
        if keys is None:
            made = conduct.finish_powers(opened, report).document
            document = {"powers": str(folder), "power": made.power, "origin": made.origin, "source": made.source}
            text = f"POWERS OF TAU {folder}, up to 2^{made.power}\n  chain digest {made.source}"
        else:
            place, key = conduct.finish_key(opened, keys, report)
            document = {"key": str(place), "fingerprint": key.fingerprint, "transcript": key.transcript}
            text = (
                f"KEYS {place}\n  fingerprint {key.fingerprint}\n  transcript {key.transcript}\n"
                "  before proving: `equiproof keys check` with --accept"
            )
    tell(as_json=as_json, document=document, text=text)


@app.command("import")
def import_powers(
    file: Annotated[Path, typer.Argument(help="Powers of tau in the format .ptau.")],
    out: Annotated[Path, typer.Option("--out", help="The folder to write.")],
    power: Annotated[
        int | None, typer.Option("--power", help="Cut them to circuits of up to 2^POWER constraints.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Import powers of tau from others, and check every point.

    The check shows that they are consistent, not that anybody contributed: compare the printed digest of the file with
    the one that its publisher states.
    """
    from equiproof.circuits.files import FileExistsRefusedError, write_folder
    from equiproof.prover.ceremony.powers import imported

    if out.exists():
        raise FileExistsRefusedError(out)
    with spinner("reading and checking every point", quiet=as_json):
        made = imported(file, power)
    write_folder(out, made.files)
    document = {"powers": str(out), "power": made.power, "origin": "imported", "source": made.document.source}
    text = (
        f"POWERS OF TAU {out}, up to 2^{made.power}\n  imported from a file with SHA-256 {made.document.source}\n"
        "  Nothing here shows that anybody contributed: compare this digest with what the file's publisher states."
    )
    tell(as_json=as_json, document=document, text=text)


def _keys(path: Path) -> tuple[VerifierKey, ...]:
    """Read a file of verifier keys."""
    from equiproof.circuits.canonical import read_limited
    from equiproof.verifier.notes import MAX_NOTE_BYTES, parse_keys

    return parse_keys(read_limited(path, MAX_NOTE_BYTES).decode("utf-8", "replace"), str(path))


def _shape(
    commitment: Path,
    hidden: str | None,
    additive: Sizes | None,
    scheme: Scheme,
    capacity: int | None,
    *,
    gain: bool,
    box: bool,
) -> Shape:
    """Return the shape of a phase 2, as `setup` chooses it; raises typer's own error for sizes of two models."""
    from equiproof.circuits.shape import gain_shape, of_boxes, shape_of
    from equiproof.verifier.documents import load_commitment

    spec = load_commitment(commitment).spec
    if box:
        if gain or (additive is None) == (hidden is None) or (additive is None and scheme != DEFAULT_SCHEME):
            raise typer.BadParameter(
                "--box goes with --hidden of networks, or with --scheme trees, --predicates and --slots, and --nodes"
            )
        if additive is None:
            return network_box(spec, sizes(hidden or ""), capacity)
        return of_boxes(shape_for(spec, additive, capacity or 1), spec)
    room = capacity_for(scheme, trees_of(scheme, spec, gain=gain), capacity)
    if gain:
        return gain_shape(spec, sizes(hidden or ""), room)
    if additive is None:
        return shape_of(scheme, spec, sizes(hidden or ""), room)
    if hidden is not None:
        raise typer.BadParameter("name one model: --hidden is of networks, and --scheme trees takes --predicates")
    return shape_for(spec, additive, room)


def _kept(shape: Shape, *, links: bool) -> Shape | LinkShape:
    """Return the kept form of a shape, or the shape of its links."""
    from equiproof.circuits.link_shape import link_shape
    from equiproof.circuits.shape import kept_shape

    kept = kept_shape(shape)
    return link_shape(kept) if links else kept


def _tell_status(folder: Path, *, as_json: bool) -> None:
    """Print where a ceremony stands."""
    from equiproof.prover.ceremony.folder import CeremonyFolder
    from equiproof.prover.ceremony.status import Status

    status = Status.of(CeremonyFolder.open(folder))
    tell(as_json=as_json, document=status.document(), text=status.text())


def _names(transcript: Transcript) -> list[str]:
    return [step.signer.name for step in transcript.steps]


def _document(transcript: Transcript) -> dict[str, Any]:
    """Return what was checked, as JSON data."""
    ceremony = transcript.ceremony
    closed = transcript.beacon is not None
    return {
        "verdict": "verified",
        "phase": ceremony.phase,
        "power": ceremony.power,
        "steps": [{"name": step.signer.name, "digest": step.digest} for step in transcript.steps],
        "beacon": None if transcript.beacon is None else transcript.beacon.value,
        "chain": transcript.digest if closed else None,
    }


def _verified(transcript: Transcript) -> str:
    """Write what was checked, for people."""
    lines = [f"VERIFIED {len(transcript.steps)} of {len(transcript.ceremony.signers)} contributions"]
    lines += [f"  {number}. {step.signer.name}  {step.digest}" for number, step in enumerate(transcript.steps, 1)]
    if transcript.beacon is None:
        lines.append("  still open: no beacon yet")
        return "\n".join(lines)
    named = transcript.ceremony.beacon
    lines += [
        f"  closed with {transcript.beacon.value}",
        f"  Not checked: that this is round {named.round} of {named.source}. Look it up there.",
        f"  chain digest {transcript.digest}",
    ]
    return "\n".join(lines)
