"""`equiproof setup`: the keys of a model's shape at one capacity."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from equiproof.circuits.proof_systems import DEFAULT_PROOF_SYSTEM, ProofSystem
from equiproof.circuits.schemes import DEFAULT_SCHEME, Scheme
from equiproof.cli.commands.additive import (
    Nodes,
    Predicates,
    Rows,
    Sets,
    Sizes,
    Slots,
    additive_sizes,
    node_counts,
    own_sizes,
    predicate_counts,
    refuse_network,
    set_counts,
    shape_for,
    sizes_of,
    standard_sizes,
)
from equiproof.cli.commands.common import (
    Force,
    Json,
    KeysFolder,
    OwnerSecret,
    PadTo,
    SchemeName,
    refuse_missing,
    sizes,
    standard_shape,
    tell,
)
from equiproof.cli.commands.forms import OF_BOXES, Chosen, Kept, SelfContained, chosen, refuse_kept
from equiproof.cli.commands.inspect import OF_TWO_CORES
from equiproof.cli.console import on_terminal, remark, spinner, stages

if TYPE_CHECKING:
    from equiproof.circuits.shape import Shape
    from equiproof.circuits.spec import Spec
    from equiproof.circuits.standard import StandardShape
    from equiproof.circuits.standard_scores import StandardScore
    from equiproof.prover import KeyStore, StoredKey

_LONG = 2
"""From so many seconds on, how long counting takes is said."""

Capacity = Annotated[
    int | None,
    typer.Option(
        help="How many leaves or regions a proof can hold, a power of two. Default: 32, or the least that fits.",
        min=1,
    ),
]
ProofSystemName = Annotated[
    ProofSystem,
    typer.Option(help="How to prove: groth16-bn254 is faster and smaller, plonk-bn254 takes universal powers."),
]
Committed = Annotated[
    Path | None, typer.Option("--commitment", help="The public commitment file; then say which sizes the model has.")
]
Opened = Annotated[
    Path | None, typer.Option("--opening", help="The owner's secret opening file: the sizes are those of its model.")
]
Powers = Annotated[
    Path | None,
    typer.Option(
        help="For plonk-bn254: powers of tau that others made, the folder of a phase 1 or of an import, or a .ptau "
        "file. They are checked first, and this machine learns no secret."
    ),
]


_OF_PLONK = (
    "that is of groth16-bn254; plonk-bn254 takes much the same for its keys, for each proof 6 to 8 times as long and "
    "up to 3 times the memory (docs/benchmarks/plonk.md)"
)

Gain = Annotated[
    bool, typer.Option("--gain", help="Keys for gain certificates (`equiproof gain prove`) of a network instead.")
]

Box = Annotated[
    bool,
    typer.Option("--box", help="Keys for box certificates (`equiproof box prove`) instead."),
]

Passed = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="With --kept, of trees: prove only the nodes that a ball reaches, with room for so many on the way to it "
        "whose threshold nobody in the ball crosses. Large ensembles prove faster.",
    ),
]

Hidden = Annotated[
    str | None, typer.Option(help="Sizes of the model's hidden layers, such as 4,2; `commit` prints them.")
]


def setup(
    keys: KeysFolder,
    opening: Opened = None,
    commitment: Committed = None,
    hidden: Hidden = None,
    predicates: Predicates = None,
    nodes: Nodes = None,
    slots: Slots = None,
    rows: Rows = None,
    sets: Sets = None,
    pad_to: PadTo = None,
    catalogue: Annotated[
        bool, typer.Option("--catalogue", help="Show what the keys of every standard shape cost; --yes makes them.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="With --catalogue: make the keys that are missing.")] = False,
    scheme: SchemeName = DEFAULT_SCHEME,
    gain: Gain = False,
    box: Box = False,
    kept: Kept = False,
    self_contained: SelfContained = False,
    passed: Passed = None,
    capacity: Capacity = None,
    proof_system: ProofSystemName = DEFAULT_PROOF_SYSTEM,
    powers: Powers = None,
    owner_secret: OwnerSecret = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Make the proving and verifying keys for a model's shape.

    The shape is that of the model in --opening. With --commitment alone, which needs no secret, it is that of --hidden,
    a standard shape, or that of --predicates and --slots (trees: also --nodes, --rows and --sets). Whoever runs it
    could forge proofs under these keys, unless they are made from --powers of others. `prove` accepts keys only with
    the mark that this command leaves under your owner's secret, since whoever makes a proving key could also read the
    model. Where a link makes proofs a fifth smaller or more, the keys are kept ones, with those for links.
    """
    from equiproof.prover import KeyStore

    store = KeyStore(keys, owner_secret)
    if kept:
        refuse_kept(proof_system, self_contained=self_contained, catalogue=catalogue, box=box)
    if box:
        _check_powers(powers, proof_system)
        others = (catalogue, yes, gain, pad_to, passed, scheme not in (DEFAULT_SCHEME, "trees"))
        options = (predicates, nodes, slots, rows, sets)
        shape = _box_shape(others, opening, commitment, hidden, options, capacity)
        _make(store, Chosen(shape, OF_BOXES), proof_system, powers, owner_secret, force=force, as_json=as_json)
        return
    _check_options((opening, hidden, pad_to, predicates), proof_system, catalogue=catalogue, yes=yes, gain=gain)
    _check_powers(powers, proof_system)
    if passed is not None and not kept:
        raise typer.BadParameter("--passed is of models that are kept: name --kept, too")
    standard = None if pad_to is None else standard_shape(pad_to)
    if opening is None or commitment is not None:
        scheme, additive = _named(scheme, standard, (predicates, nodes, slots, rows, sets), catalogue=catalogue)
        spec, layers = _public(opening, commitment, hidden)
    else:
        scheme, spec, layers, additive = _opened(opening, scheme, slots, rows)
    room = capacity_for(scheme, trees_of(scheme, spec, gain=gain), capacity)
    if catalogue:
        _catalogue(spec, store, scheme, room, yes=yes, force=force, as_json=as_json)
        return
    shape = _shape(scheme, spec, additive or layers, standard, room, gain=gain)
    with spinner(counting(shape), quiet=as_json):
        made = chosen(shape, spec, proof_system, kept=kept, passed=passed, self_contained=self_contained)
    _make(store, made, proof_system, powers, owner_secret, force=force, as_json=as_json)


def _make(
    store: KeyStore,
    made: Chosen,
    system: ProofSystem,
    powers: Path | None,
    owner_secret: Path | None,
    *,
    force: bool,
    as_json: bool,
) -> None:
    """Make the keys of a shape, from powers of others or on this machine; on a terminal, say how long that takes."""
    from equiproof.circuits.link_shape import link_shape

    shape = made.shape
    if powers is not None:
        _set_up_universal(store, made, powers, force=force, as_json=as_json)
        return
    store.place(shape, system, force=force)  # before constraints are counted, which can take half a minute
    _say_forecast(shape, system, quiet=as_json)
    with spinner(f"making keys for {shape.name}", quiet=as_json):
        key = store.setup(shape, proof_system=system, force=force)
    link = store.find_link_key(link_shape(shape)).summary() if shape.kept else None
    document = key.summary() | {"form": made.form} | ({} if link is None else {"link": link})
    tell(as_json=as_json, document=document, text=_text(key, made, link, owner_secret))


def _say_forecast(shape: Shape, system: ProofSystem, *, quiet: bool) -> None:
    """Say on a terminal what the keys of a shape cost."""
    if quiet or not on_terminal(sys.stderr):
        return
    with spinner(counting(shape), quiet=quiet):
        told = forecast(shape)
    more = "" if system == DEFAULT_PROOF_SYSTEM else f"; {_OF_PLONK}"
    remark(told + more)


def counting(shape: Shape) -> str:
    """Return what stands there while constraints of a shape are counted: how long that takes, where it takes long."""
    from equiproof.prover.estimate import TooLargeError, counting_seconds

    try:
        seconds = counting_seconds(shape)
    except TooLargeError:
        return "counting constraints"  # the forecast says why it is none
    return "counting constraints" + (f", about {seconds:,.0f} s" if seconds >= _LONG else "")


def forecast(shape: Shape) -> str:
    """Return what the keys of a shape and its proofs cost, as `inspect` does; for a large shape why that is unknown.

    Of a kept shape also what the key for links costs. Raises as :func:`equiproof.prover.estimate.estimate`, but for
    TooLargeError.
    """
    from equiproof.circuits.link_shape import link_shape
    from equiproof.prover.estimate import TooLargeError, estimate, estimate_link

    try:
        cost = estimate(shape)
        link = estimate_link(link_shape(shape)) if shape.kept else None
    except TooLargeError as error:
        return f"how long this takes is not forecast: {error}"
    links = (
        ""
        if link is None
        else f"; once for the model, the key for links, about {link.setup_seconds:,.0f} s for {link.constraints:,} "
        "constraints"
    )
    return (
        f"about {cost.setup_seconds:,.0f} s for {cost.constraints:,} constraints, and a key of "
        f"{max(1, cost.key_megabytes):,.0f} MB; each proof about {cost.prove_seconds:,.1f} s and "
        f"{cost.prove_megabytes:,.0f} MB of memory{links} ({OF_TWO_CORES})"
    )


def _catalogue(spec: Spec, store: KeyStore, scheme: Scheme, room: int, **how: bool) -> None:
    """Show the keys of every standard shape, or make them."""
    from equiproof.cli.commands.catalogue import set_up_catalogue

    set_up_catalogue(spec, store, scheme, room, **how)


def _check_options(
    sizes: tuple[object, ...], proof_system: ProofSystem, *, catalogue: bool, yes: bool, gain: bool
) -> None:
    """Raise typer's own error unless exactly one option says which shapes are meant; `sizes` are those of one model.

    The first is the opening, whose spec serves --catalogue, too.
    """
    if gain and catalogue:
        raise typer.BadParameter("--gain goes with no --catalogue")
    named = sizes[1:] if catalogue else sizes
    if sum(one is not None for one in named) + catalogue != 1:
        raise typer.BadParameter(
            "name one shape: --opening FILE takes the model's own; with --commitment it is --hidden 4,2, "
            "--pad-to SHAPE or --predicates 40; --catalogue shows all"
        )
    if yes and not catalogue:
        raise typer.BadParameter("--yes goes with --catalogue")
    if catalogue and proof_system != DEFAULT_PROOF_SYSTEM:
        raise typer.BadParameter(f"--catalogue is of keys of {DEFAULT_PROOF_SYSTEM}: use --pad-to for one of others")


def _box_shape(
    others: tuple[object, ...],
    opening: Path | None,
    commitment: Path | None,
    hidden: str | None,
    options: tuple[str | None, str | None, int | None, int | None, str | None],
    capacity: int | None,
) -> Shape:
    """Return the shape of boxes of a model; raises typer's own error for another option, and for another model.

    `options` are --predicates, --nodes, --slots, --rows and --sets. Of trees one leaf is nearly always enough.
    """
    from equiproof.circuits.shape import of_boxes
    from equiproof.prover.opening import load_opening

    predicates, nodes, slots, rows, sets = options
    named_by_sizes = opening is None and commitment is not None and (predicates is None) != (hidden is None)
    named_by_opening = opening is not None and commitment is None and (predicates, nodes, hidden) == (None, None, None)
    if any(other not in (None, False) for other in others) or not (named_by_sizes or named_by_opening):
        raise typer.BadParameter(
            "--box: name the model by --opening FILE, or by --commitment FILE with --hidden, or with --predicates, and "
            "--nodes of trees"
        )
    if hidden is not None:
        refuse_of_trees("--hidden", nodes, slots, rows, sets)
        return network_box(*_public(opening, commitment, hidden), capacity)
    if opening is not None:
        opened = load_opening(opening)
        if opened.own_scheme is None:
            refuse_of_trees("a network", slots, rows, sets)
            return network_box(opened.spec, opened.sizes, capacity)
        return of_boxes(shape_for(opened.spec, own_sizes(opened.sizes, slots, rows), capacity or 1), opened.spec)
    spec, _ = _public(opening, commitment, None)
    sized = sizes_of(predicate_counts(predicates or ""), None if nodes is None else node_counts(nodes), slots, rows)
    sized = sized if sets is None else sized._replace(sets=set_counts(sets))
    return of_boxes(shape_for(spec, sized, capacity or 1), spec)


def network_box(spec: Spec, hidden: tuple[int, ...], capacity: int | None) -> Shape:
    """Return the shape of boxes of a network; raises typer's own error for a capacity that has no circuit.

    A box takes fewer leaves than a ball: by default there is room for 16, or as many as a split of each slice takes.
    """
    from equiproof.circuits.schemes import leaves_of_boxes
    from equiproof.circuits.shape import network_box_shape

    slices = len(spec.domain_table)
    return network_box_shape(spec, hidden, capacity_for("branch", slices, capacity or leaves_of_boxes(slices)))


def refuse_of_trees(named: str, *options: object) -> None:
    """Raise typer's own error where an option of trees stands beside a network."""
    if any(option is not None for option in options):
        raise typer.BadParameter(f"{named} goes with no --nodes, --slots, --rows and --sets: those are of trees")


def _check_powers(powers: Path | None, proof_system: ProofSystem) -> None:
    """Raise typer's own error for powers that make no key, and for a missing file."""
    if powers is not None and proof_system != "plonk-bn254":
        raise typer.BadParameter(
            "begin phase 2 of the key with `equiproof ceremony new --powers`, or add --proof-system plonk-bn254: "
            f"--powers alone make no key of {proof_system}"
        )
    refuse_missing(powers)


def _set_up_universal(store: KeyStore, made: Chosen, powers: Path, *, force: bool, as_json: bool) -> None:
    """Check powers of others from their origin on, make the keys from them, and tell what could not be checked."""
    from equiproof.prover.ceremony.origin import followed, universal_power

    shape = made.shape
    store.place(shape, "plonk-bn254", force=force)  # before phase 1 is checked, which can take minutes
    _say_forecast(shape, "plonk-bn254", quiet=as_json)
    with stages("compiling the circuit", quiet=as_json) as report:
        power = universal_power(shape)
        origin = followed(powers, power, report)
        report(f"making keys for {shape.name}")
        key = store.setup(shape, proof_system="plonk-bn254", powers=origin.given(power), force=force)
    unchecked = [*origin.not_made, "that the contributors to the powers of tau forgot their secrets"]
    document = key.summary() | {"form": made.form, "transcript": key.document.transcript, "checks_not_made": unchecked}
    lines = [f"KEYS {key.folder}", f"  {key.document.constraints} constraints, proof system: plonk-bn254"]
    lines += [f"  form: {made.form}, {made.why}"]
    lines += [f"  fingerprint {key.document.fingerprint}", f"  transcript {key.document.transcript}"]
    lines += [f"  set-up: universal, from powers of tau ({origin.kind}, {origin.source})", "Not checked:"]
    tell(as_json=as_json, document=document, text="\n".join([*lines, *(f"  - {line}" for line in unchecked)]))


def _public(opening: Path | None, commitment: Path | None, hidden: str | None) -> tuple[Spec, tuple[int, ...]]:
    """Return the spec of a commitment and the sizes of hidden layers, none where no option says them."""
    from equiproof.verifier.documents import load_commitment

    if opening is not None or commitment is None:
        raise typer.BadParameter("name the model: --opening FILE, or --commitment FILE with the model's sizes")
    return load_commitment(commitment).spec, sizes(hidden) if hidden is not None else ()


def _opened(
    opening: Path, scheme: Scheme, slots: int | None, rows: int | None
) -> tuple[Scheme, Spec, tuple[int, ...], Sizes | None]:
    """Return the scheme of an opened model, its spec, and its sizes: hidden layers, or those of a score with its room.

    A score is of scheme trees, which need not be named.
    """
    from equiproof.prover.opening import load_opening

    opened = load_opening(opening)
    if opened.own_scheme is None:
        refuse_network(scheme, opening)
        additive_sizes(scheme, None, None, slots, rows)
        return scheme, opened.spec, opened.sizes, None
    if scheme not in (DEFAULT_SCHEME, opened.own_scheme):
        raise typer.BadParameter(f"{opening} holds {opened.kind}, want --scheme trees, not {scheme}")
    return opened.own_scheme, opened.spec, (), own_sizes(opened.sizes, slots, rows)


def _named(
    scheme: Scheme,
    standard: StandardShape | StandardScore | None,
    options: tuple[str | None, str | None, int | None, int | None, str | None],
    *,
    catalogue: bool,
) -> tuple[Scheme, Sizes | None]:
    """Return the scheme and the sizes of a score that options name, None for a network and for --catalogue.

    `options` are --predicates, --nodes, --slots, --rows and --sets. A standard shape of scores is of scheme trees,
    which need not be named.
    """
    from equiproof.circuits.standard_scores import StandardScore

    if isinstance(standard, StandardScore):
        if options[4] is not None:
            raise typer.BadParameter(f"--sets does not go with --pad-to {standard.name}, which has none")
        return "trees", standard_sizes(standard, scheme, *options[1:4])
    if scheme == "trees" and standard is not None:
        raise typer.BadParameter(f"--pad-to {standard.name} is a shape of networks, which scheme trees does not prove")
    if scheme == "trees" and catalogue and options == (None,) * 5:
        return scheme, None
    return scheme, additive_sizes(scheme, *options)


def _shape(
    scheme: Scheme,
    spec: Spec,
    sized: tuple[int, ...] | Sizes,
    standard: StandardShape | StandardScore | None,
    capacity: int,
    *,
    gain: bool,
) -> Shape:
    """Return the one shape that an option names: by hidden layers, by predicates and slots, or a standard one."""
    from equiproof.circuits.shape import gain_shape, shape_of
    from equiproof.circuits.standard import StandardShape, unpadded

    if gain and isinstance(standard, StandardShape):
        return gain_shape(standard.spec(unpadded(spec)), standard.hidden, capacity)
    if gain:
        return gain_shape(spec, cast("tuple[int, ...]", sized), capacity)
    if isinstance(standard, StandardShape):
        return standard.shape(scheme, spec, capacity)
    if scheme == "trees":
        padded = spec if standard is None else standard.spec(unpadded(spec))
        return shape_for(padded, cast("Sizes", sized), capacity)
    return shape_of(scheme, spec, cast("tuple[int, ...]", sized), capacity)


def trees_of(scheme: Scheme, spec: Spec, *, gain: bool) -> int:
    """Return how many trees a proof has; raises typer's own error for a scheme that does not go with --gain."""
    if not gain:
        return len(spec.domain_table)
    if scheme == "trees":
        raise typer.BadParameter("--gain: networks only, and this model is of scheme trees")
    if scheme != DEFAULT_SCHEME:
        raise typer.BadParameter(f"--gain goes with --scheme {DEFAULT_SCHEME}")
    return 1


def _text(key: StoredKey, made: Chosen, link: dict[str, Any] | None, owner_secret: Path | None) -> str:
    """Write where the keys are, in which form, who can misuse them, and what is published."""
    from equiproof.prover.owner import default_secret

    public = "publish key.json and verifying.key"
    lines = [
        f"KEYS {key.folder}",
        f"  {key.document.constraints} constraints, fingerprint {key.document.fingerprint}",
        f"  proof system: {key.document.proof_system}",
        f"  form: {made.form}, {made.why}",
        f"  marked as yours under {owner_secret or default_secret()}: `prove` accepts no other keys",
        "  set-up: single-party. Whoever ran it could forge proofs under these keys; verification says so.",
    ]
    if link is None:
        return "\n".join([*lines, f"  {public}"])
    lines += [
        f"  key for links: {link['key']}, {link['constraints']} constraints",
        f"  {public}, link-key.json and verifying.key of the key for links, and link.json,",
        "  which the first `prove` makes beside the commitment: without it nobody can verify a certificate",
    ]
    return "\n".join(lines)


def capacity_for(scheme: Scheme, slices: int, requested: int | None) -> int:
    """Return the requested capacity, or the default one; raises typer's own error for one that has no circuit."""
    from equiproof.circuits.shape import default_capacity, least_capacity

    if requested is None:
        return default_capacity(scheme, slices)
    if requested & (requested - 1):
        power = 1 << (requested.bit_length() - 1)
        raise typer.BadParameter(f"--capacity {requested} is not a power of two: use {power} or {2 * power}")
    if requested < (least := max(1 if scheme == "trees" else 2, least_capacity(scheme, slices))):
        raise typer.BadParameter(f"{slices} values of the sensitive features need --capacity {least} or more")
    return requested
