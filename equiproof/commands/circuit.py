"""`equiproof circuit`: one gadget of the proof alone, with a key of its own. Its proofs are no certificates."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from circuits.schemes import DEFAULT_SCHEME, SCHEMES, Scheme
from equiproof import failures
from equiproof.commands.common import (
    Force,
    Json,
    MaxSeconds,
    OpeningFile,
    counterexample_json,
    explain,
    in_words,
    load,
    load_opening,
    sensitive_values,
    tell,
    told_in_units,
)
from equiproof.console import spinner
from equiproof.rows import read_applicant

if TYPE_CHECKING:
    from certify.search import Counterexample
    from circuits.shape import Shape
    from circuits.subcircuit import SubCircuit
    from prover.opening import Opening
    from prover.subcircuits import SubProofDocument
    from prover.subvalues import Branched, Searched

app = typer.Typer(no_args_is_help=True, help="Prove one gadget of the proof alone; no certificate.")

Name = Annotated[str, typer.Argument(help="A sub-circuit that `equiproof circuit list` names.")]
CircuitKeys = Annotated[Path, typer.Option("--keys", help="The folder of the sub-circuits' own keys.")]
Out = Annotated[Path, typer.Option("--out", help="Where the proof goes, with the digest that it is about.")]
InstanceOut = Annotated[Path, typer.Option("--instance-out", help="Where the values behind the digest go (secret).")]
GadgetScheme = Annotated[
    Scheme | None,
    typer.Option("--scheme", help=f"The scheme of a gadget that every scheme has; {DEFAULT_SCHEME} by default."),
]
Place = Annotated[
    int,
    typer.Option(
        "--region",
        help="Which region of the search, the slices' centres first; of scheme branch, which slice or leaf.",
        min=0,
    ),
]
Room = Annotated[
    int, typer.Option("--capacity", help="How many regions or leaves there is room for, a power of two.", min=2)
]

NO_CERTIFICATE = (
    "This is no certificate: nothing ties the values to a committed model, and whoever made the key could forge proofs."
)

EXAMPLE = "18 plain and 2 sensitive columns, hidden layers 4,2, one logit, 2 slices, capacity 32"


@app.command("list")
def list_circuits(as_json: Json = False) -> None:
    """List the sub-circuits: the rules that each holds, and its constraints at an example shape."""
    from circuits.rules import RULES
    from circuits.subcircuit import GADGETS, scheme_of, subcircuit
    from ffi import backend

    entries: list[dict[str, Any]] = []
    for name in GADGETS:
        scheme = scheme_of(name)
        circuit = subcircuit(name, _example(scheme or DEFAULT_SCHEME))
        own = [rule for rule, found in RULES.items() if name in found.circuits and found.circuits != GADGETS]
        entries.append(
            {
                "name": name,
                "schemes": [scheme] if scheme else list(SCHEMES),
                "rules": own,
                "says": [RULES[rule].sentence for rule in own],
                "constraints": backend.describe(circuit.document).constraints,
            }
        )
    lines = [f"constraints at {EXAMPLE}"]
    for entry in entries:
        lines.append(f"{entry['name']:<13}{entry['constraints']:>7,}  {', '.join(entry['schemes'])}")
        lines += [f"  {rule}: {says}" for rule, says in zip(entry["rules"], entry["says"], strict=True)]
    tell(as_json=as_json, document={"example": EXAMPLE, "circuits": entries}, text="\n".join(lines))


@app.command()
def prove(
    name: Name,
    row: Annotated[Path, typer.Argument(help="One applicant: a JSON object of raw features, or a CSV of one row.")],
    opening: OpeningFile,
    keys: CircuitKeys,
    out: Out,
    instance_out: InstanceOut,
    scheme: GadgetScheme = None,
    region: Place = 0,
    capacity: Room = 32,
    max_seconds: MaxSeconds = 60.0,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Prove a gadget's rule for one part of an applicant's search; makes the sub-circuit's keys if there are none."""
    from certify.search import Counterexample
    from circuits import field
    from circuits.canonical import canonical_bytes
    from prover import subcircuits
    from prover.files import refuse_taken, write_files

    if out.resolve() == instance_out.resolve():
        raise typer.BadParameter("--out and --instance-out are one file")
    refuse_taken((out, instance_out), force=force)
    owned = load_opening(opening)
    circuit = _circuit(name, scheme, owned, capacity)
    with told_in_units(owned.spec), spinner("searching", quiet=as_json):
        searched = _search(owned, circuit.shape, row, max_seconds)
    if isinstance(searched, Counterexample):
        tell(as_json=as_json, document=counterexample_json(owned, searched), text=explain(owned, searched))
        raise typer.Exit(failures.UNFAIR)
    wires = searched.values(circuit, _within(region, searched.count(circuit)), field.random())
    with spinner("proving", quiet=as_json):
        key, made = subcircuits.find_or_make(keys, circuit)
        proof = subcircuits.prove(key, wires)
    files = {instance_out: canonical_bytes(subcircuits.instance(circuit, wires)), out: canonical_bytes(proof)}
    write_files(files, secret=(instance_out,), force=force)
    document = {
        **_rules_and_digest(proof),
        "region": region,
        "slice": sensitive_values(owned.spec, searched.slice_of(circuit, region)),
        "key": str(key.folder),
        "key_made": made,
        "constraints": key.document.constraints,
        "proof": str(out),
        "instance": str(instance_out),
    }
    tell(as_json=as_json, document=document, text=_proven(document))


@app.command()
def verify(
    name: Name,
    proof: Annotated[Path, typer.Argument(help="The proof that `circuit prove` wrote.")],
    keys: CircuitKeys,
    instance: Annotated[
        Path | None, typer.Option("--instance", help="The values behind the digest, to be held to it.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Verify a gadget's proof under a key of the folder, and the values behind its digest where they are given."""
    from prover import subcircuits
    from verifier.errors import ProofError

    document = load(subcircuits.parse_proof, proof)
    if document.circuit.gadget != name:
        raise ProofError(f"{proof}: a proof of {document.circuit.gadget}, not of {name}")
    subcircuits.verify(document, subcircuits.find(keys, document.key))
    values: dict[str, Any] | None = None
    if instance is not None:
        opened = load(subcircuits.parse_instance, instance)
        if opened.circuit != document.circuit or f"{opened.digest(str(instance)):064x}" != document.digest:
            raise ProofError(f"{instance}: not the values behind the proof's digest")
        values = {segment: list(found) for segment, found in opened.values.items() if segment != "blinding"}
    result = {**_rules_and_digest(document), "key": document.key, "values": values}
    text = [
        f"VERIFIED {name} alone: {' '.join(result['rules'].values())}",
        f"  for the values behind digest {document.digest}",
        *(f"  {segment} = {', '.join(found)}" for segment, found in (values or {}).items()),
        f"  {NO_CERTIFICATE}",
    ]
    tell(as_json=as_json, document=result, text="\n".join(text))


def _circuit(name: str, scheme: Scheme | None, owned: Opening, capacity: int) -> SubCircuit:
    """Return a gadget's circuit for a model; raises SubCircuitError for a name that its shape has none of."""
    from circuits.shape import shape_of
    from circuits.subcircuit import scheme_of, subcircuit

    chosen = scheme or scheme_of(name) or DEFAULT_SCHEME
    return subcircuit(name, shape_of(chosen, owned.spec, owned.network.hidden, capacity))


def _search(owned: Opening, shape: Shape, row: Path, max_seconds: float) -> Searched | Branched | Counterexample:
    """Search around an applicant, and state what was found."""
    from certify.evidence import Evidence
    from certify.search import Counterexample
    from prover.evidence import find
    from prover.subvalues import Branched, Searched

    integers = owned.spec.encode(read_applicant(row, owned.spec))
    found = find(owned, shape, integers, max_seconds, None)
    if isinstance(found, Counterexample):
        return found
    if isinstance(found.evidence, Evidence):
        return Searched.of(owned, shape, integers, found.evidence)
    return Branched.of(owned, shape, integers, found.evidence)


def _proven(document: dict[str, Any]) -> str:
    """Say what was proven, and where it went."""
    key = f"{document['key']}{' (made now)' if document['key_made'] else ''}"
    lines = [
        f"PROVEN {document['circuit']} alone: {' '.join(document['rules'].values())}",
        f"  region {document['region']}, where {in_words(document['slice'])}; digest {document['digest']}",
        f"  {document['constraints']} constraints, key {key}",
        f"  proof {document['proof']}",
        f"  values behind the digest {document['instance']}",
        f"  {NO_CERTIFICATE}",
    ]
    return "\n".join(lines)


def _within(region: int, count: int) -> int:
    """Return the number of a region, slice or leaf that there is; raises typer's own error for another."""
    if region >= count:
        raise typer.BadParameter(f"the search found {count} of them, so --region is at most {count - 1}")
    return region


def _rules_and_digest(proof: SubProofDocument) -> dict[str, Any]:
    """Return what a proof says: the gadget, its own rules with their sentences, and the digest."""
    from circuits.rules import RULES
    from circuits.subcircuit import GADGETS

    name = proof.circuit.gadget
    own = {rule: at.sentence for rule, at in RULES.items() if name in at.circuits and at.circuits != GADGETS}
    return {"circuit": name, "rules": own, "digest": proof.digest}


def _example(scheme: Scheme) -> Shape:
    """Return the shape of a scheme at which `list` counts."""
    from circuits.shape import FORMAT, VERSION, Architecture, Shape
    from circuits.spec import WEIGHT_BITS, bias_widths

    hidden, logits, bits = (4, 2), 1, 18
    return Shape(
        format=FORMAT,
        version=VERSION,
        scheme=scheme,
        architecture=Architecture(
            plain=18,
            sensitive=2,
            hidden=hidden,
            logits=logits,
            weight_bits=WEIGHT_BITS,
            bias_bits=bias_widths(20, bits, (*hidden, logits)),
        ),
        slices=2,
        input_bits=bits,
        input_fraction_bits=10,
        radius_bits=29,
        capacity=32,
    )
