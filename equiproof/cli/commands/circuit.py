"""`equiproof circuit`: one gadget of the proof alone, with a key of its own. Its proofs are no certificates."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from equiproof.circuits.exit_codes import UNFAIR
from equiproof.circuits.schemes import DEFAULT_SCHEME, NetworkScheme, Scheme
from equiproof.cli.commands.additive import Rows, Slots, additive_sizes, own_sizes, refuse_network, shape_for
from equiproof.cli.commands.common import (
    Force,
    Json,
    MaxSeconds,
    OpeningFile,
    OwnerSecret,
    counterexample_text,
    in_words,
    load,
    naming_file,
    tell,
)
from equiproof.cli.console import spinner

if TYPE_CHECKING:
    from equiproof.circuits.shape import Shape
    from equiproof.prover.opening import Opening

app = typer.Typer(
    no_args_is_help=True, help="List, prove and verify single gadgets of the proof. The result is not a certificate."
)

Name = Annotated[str, typer.Argument(help="A sub-circuit, by its name in `equiproof circuit list`.")]
CircuitKeys = Annotated[Path, typer.Option("--keys", help="The folder of sub-circuit keys.")]
Out = Annotated[Path, typer.Option("--out", help="Where to write the proof, with the digest that it proves.")]
InstanceOut = Annotated[
    Path, typer.Option("--instance-out", help="Where to write the values behind the digest (secret).")
]
GadgetScheme = Annotated[
    Scheme | None,
    typer.Option(
        "--scheme",
        help=f"The scheme, if several have this gadget. Default: that of the model, for networks {DEFAULT_SCHEME}.",
    ),
]
Place = Annotated[
    int,
    typer.Option(
        "--region",
        help="The number of the region, counted from 0, slice centres first; of other schemes, of the slice or leaf.",
        min=0,
    ),
]
BoxLabel = Annotated[
    str | None,
    typer.Option(
        "--label", help="Prove the gadget of a statement about a box: the label that everybody in it gets, by its name."
    ),
]
Room = Annotated[
    int, typer.Option("--capacity", help="How many regions or leaves the circuit has room for, a power of two.", min=2)
]

NO_CERTIFICATE = (
    "This is not a certificate: nothing ties the values to a committed model, and whoever made the key could forge "
    "proofs."
)


@app.command("list")
def list_circuits(as_json: Json = False) -> None:
    """List the sub-circuits with their rules and constraints."""
    from equiproof.prover.gadgets import listing

    document = listing()
    lines = [f"constraints at {document['example']};", f"of scheme trees at {document['score_example']}"]
    lines += _listed(document["circuits"])
    lines += ["", f"of statements about boxes, at {document['box_example']}", *_listed(document["box_circuits"])]
    tell(as_json=as_json, document=document, text="\n".join(lines))


def _listed(entries: list[dict[str, Any]]) -> list[str]:
    """Write sub-circuits with their constraints, schemes and rules."""
    lines = []
    for entry in entries:
        lines.append(f"{entry['name']:<13}{entry['constraints']:>7,}  {', '.join(entry['schemes'])}")
        lines += [f"  {rule}: {says}" for rule, says in zip(entry["rules"], entry["says"], strict=True)]
    return lines


@app.command()
def prove(
    name: Name,
    row: Annotated[
        Path,
        typer.Argument(
            help="One applicant: a JSON object of raw features, or a CSV of one row. With --label a box, as of "
            "`equiproof box prove`."
        ),
    ],
    opening: OpeningFile,
    keys: CircuitKeys,
    out: Out,
    instance_out: InstanceOut,
    label: BoxLabel = None,
    scheme: GadgetScheme = None,
    region: Place = 0,
    capacity: Room = 32,
    slots: Slots = None,
    rows: Rows = None,
    max_seconds: MaxSeconds = None,
    owner_secret: OwnerSecret = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Prove a rule for a part of an applicant's search, or of a box.

    Makes the sub-circuit's keys if the folder does not contain them. With --label, exits 4 where somebody in the box is
    decided otherwise.
    """
    from equiproof.certify.data.rows import read_applicant
    from equiproof.certify.documents import counterexample, in_spec_units
    from equiproof.certify.traversal.search import Counterexample
    from equiproof.circuits.canonical import canonical_bytes
    from equiproof.circuits.files import refuse_taken, write_files
    from equiproof.circuits.subcircuit import subcircuit
    from equiproof.prover import gadget_proofs
    from equiproof.prover.opening import load_opening
    from equiproof.verifier.opened_box import parse_ends

    refuse_taken((out, instance_out), force=force)
    owned = load_opening(opening)
    shape = _shape(name, owned, scheme, opening, (capacity, slots, rows))
    circuit = subcircuit(name, shape if label is None else _of_boxes(owned, shape, scheme))
    with in_spec_units(owned.spec), spinner("searching", quiet=as_json):
        if label is None:
            query = owned.encode(read_applicant(row, owned.spec))
            searched = gadget_proofs.search(owned, circuit.shape, query, max_seconds)
        else:
            with naming_file(row):
                searched = gadget_proofs.search_box(owned, circuit.shape, load(parse_ends, row), label)
    if isinstance(searched, Counterexample):
        document = counterexample(owned.spec, owned.model, searched)
        tell(as_json=as_json, document=document, text=counterexample_text(document))
        raise typer.Exit(UNFAIR)
    number = _within(region, searched.count(circuit))
    with spinner("proving", quiet=as_json):
        proof, values, document = gadget_proofs.prove(keys, owned.spec, circuit, searched, number, owner_secret)
    write_files(
        {instance_out: canonical_bytes(values), out: canonical_bytes(proof)}, secret=(instance_out,), force=force
    )
    document |= {"proof": str(out), "instance": str(instance_out)}
    tell(as_json=as_json, document=document, text=_proven(document))


@app.command()
def verify(
    name: Name,
    proof: Annotated[Path, typer.Argument(help="The proof that `circuit prove` wrote.")],
    keys: CircuitKeys,
    instance: Annotated[
        Path | None, typer.Option("--instance", help="The file of values behind the digest, to compare with it.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Verify a gadget's proof under a key of the folder.

    With --instance, also checks and shows the values behind the proof's digest.
    """
    from equiproof.prover import gadgets, subcircuits
    from equiproof.verifier.errors import ProofError, Reason

    document = load(subcircuits.parse_proof, proof)
    if document.circuit.gadget != name:
        raise ProofError(f"{proof}: a proof of {document.circuit.gadget}, not of {name}", Reason.CIRCUIT_DIFFERS)
    subcircuits.verify(document, subcircuits.find(keys, document.key))
    values: dict[str, Any] | None = None
    if instance is not None:
        instance_document = load(subcircuits.parse_instance, instance)
        if (
            instance_document.circuit != document.circuit
            or f"{instance_document.digest(str(instance)):064x}" != document.digest
        ):
            raise ProofError(f"{instance}: not the values behind the proof's digest", Reason.VALUES_DIFFER)
        values = {
            segment: list(numbers) for segment, numbers in instance_document.values.items() if segment != "blinding"
        }
    result = {**gadgets.describe_proof(document), "key": document.key, "values": values}
    text = [
        f"VERIFIED {name} alone: {' '.join(result['rules'].values())}",
        f"  for the values behind digest {document.digest}",
        *(f"  {segment} = {', '.join(numbers)}" for segment, numbers in (values or {}).items()),
        f"  {NO_CERTIFICATE}",
    ]
    tell(as_json=as_json, document=result, text="\n".join(text))


def _proven(document: dict[str, Any]) -> str:
    """Write what was proven, and where the files are."""
    key = f"{document['key']}{' (made now)' if document['key_made'] else ''}"
    number = document["region"]
    values = document["slice"]
    place = f"leaf {number}" if values is None else f"region {number}, where {in_words(values)}"
    if number is None:
        place = "the whole box"
    lines = [
        f"PROVEN {document['circuit']} alone: {' '.join(document['rules'].values())}",
        f"  {place}; digest {document['digest']}",
        f"  {document['constraints']} constraints, key {key}",
        f"  proof {document['proof']}",
        f"  values behind the digest {document['instance']}",
        f"  {NO_CERTIFICATE}",
    ]
    return "\n".join(lines)


def _shape(
    name: str, owned: Opening, scheme: Scheme | None, opening: Path, room: tuple[int, int | None, int | None]
) -> Shape:
    """Return the shape of a model at which a gadget is proven; `room` is --capacity, --slots and --rows.

    Raises typer's own error for options that the model does not go with.
    """
    from equiproof.prover.gadget_proofs import network_shape

    capacity, slots, rows = room
    if owned.own_scheme is None:
        if scheme == "trees":
            refuse_network(scheme, opening)
        additive_sizes(DEFAULT_SCHEME, None, None, slots, rows)
        return network_shape(name, cast("NetworkScheme | None", scheme), owned, capacity)
    if scheme not in (None, owned.own_scheme):
        raise typer.BadParameter(f"{opening} holds {owned.kind}, want --scheme trees, not {scheme}")
    return shape_for(owned.spec, own_sizes(owned.sizes, slots, rows), capacity)


def _of_boxes(owned: Opening, shape: Shape, scheme: Scheme | None) -> Shape:
    """Return the shape of boxes with the room of a shape of balls; raises typer's own error for another scheme."""
    from equiproof.circuits.shape import network_box_shape, of_boxes

    if owned.own_scheme is None:
        if scheme == "traversal":
            raise typer.BadParameter(
                "--label is of statements about boxes: leave out --scheme traversal, which has none"
            )
        return network_box_shape(owned.spec, owned.network.hidden, shape.capacity)
    return of_boxes(shape, owned.spec)


def _within(region: int, count: int) -> int:
    """Return the number of a region, slice or leaf; raises typer's own error for one that does not exist."""
    if region >= count:
        raise typer.BadParameter(f"the search found {count} of them, so --region is at most {count - 1}")
    return region
