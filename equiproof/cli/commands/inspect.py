"""`equiproof inspect`: what a model is, what proving it will cost, and the capacity its applicants need."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from equiproof.circuits.schemes import DEFAULT_SCHEME, Scheme, counted
from equiproof.cli.commands.common import DataDir, Force, Json, SchemeName, in_words, refuse_missing, tell
from equiproof.cli.commands.own_decisions import from_folder
from equiproof.cli.console import bars, remark, spinner
from equiproof.cli.cost_picture import of_largest_room

if TYPE_CHECKING:
    from equiproof.certify.models.fidelity import Fidelity
    from equiproof.circuits.spec import Spec

T = TypeVar("T")

COST_HEADER = f"{'constraints':>13}{'set-up':>9}{'prove':>9}{'memory':>9}{'key':>9}"
OF_TWO_CORES = "times and memory are those of two cores, an order of magnitude elsewhere"
MEASURED = f"constraints are counted; {OF_TWO_CORES}"

_COUNTING = "counting constraints"

_MANY_SLICES = 64
"""From so many combinations of sensitive values on, these are what makes a search slow, and it is said."""

_CAPACITIES = 8
"""For how many capacities, the last ones, constraints are shown by gadget."""


def inspect(
    model: Annotated[Path, typer.Argument(help="The model folder that `train` or `import` wrote.")],
    rows: Annotated[
        Path | None, typer.Option("--rows", help="Raw rows (JSON or CSV) to sample from, instead of the data set.")
    ] = None,
    sample: Annotated[
        int, typer.Option(help="How many applicants to search; 0 skips the search.", min=0, max=10000)
    ] = 20,
    max_seconds: Annotated[
        float, typer.Option(help="The time budget of the search per applicant, in seconds.", min=0.0)
    ] = 2.0,
    scheme: SchemeName = DEFAULT_SCHEME,
    plot: Annotated[Path | None, typer.Option(help="Where to draw cost and certified radii by capacity (PNG).")] = None,
    data_dir: DataDir = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Show a model's sizes and rounding, and what proofs will cost.

    Run it before `setup`: the table shows time, memory and radius for each capacity. Writes no file but the picture.
    """
    from equiproof.circuits.files import refuse_taken
    from equiproof.prover.ensemble_folder import holds_ensemble

    refuse_taken([] if plot is None else [plot], force=force)
    refuse_missing(model, rows)
    if plot is not None:
        import_module("matplotlib.figure")  # where it is not installed, that is said now
    look = _score if holds_ensemble(model) else _network
    document, report = look(model, rows, data_dir, sample, scheme=scheme, max_seconds=max_seconds, quiet=as_json)
    standing = from_folder(model)
    document["compared"] = standing.document()["compared"]
    text = "\n".join(
        [*standing.missing("commit --rows FILE --decisions COLUMN"), *standing.lines(), _text(document, report)]
    )
    if plot is not None:
        text = f"{text}\n{_drawn(document, plot, force=force)}"
    tell(as_json=as_json, document=document, text=text)


Found = tuple[dict[str, Any], "Fidelity"]
"""What is printed of a model, and what rounding changes."""


def _network(
    model: Path,
    rows: Path | None,
    data_dir: Path | None,
    sample: int,
    *,
    scheme: Scheme,
    max_seconds: float,
    quiet: bool,
) -> Found:
    """Inspect a network."""
    from equiproof.prover.inspection import inspect as inspect_model
    from equiproof.prover.model_folder import load_model, measure_model

    if scheme == "trees":
        raise typer.BadParameter(f"{model} holds a network: --scheme branch (trees is for additive models and trees)")
    with spinner("reading the model", quiet=quiet):
        owned = load_model(model)
    _say_slices(owned.spec, sample, max_seconds)
    with spinner("comparing it with its integers", quiet=quiet):
        report = measure_model(model, owned, rows=rows, data_dir=data_dir)
    queries = _sampled(model, owned.spec, rows, data_dir, sample)
    with bars(quiet=quiet) as begin:
        document = inspect_model(
            owned.quantised,
            owned.spec,
            queries,
            scheme=scheme,
            max_seconds=max_seconds,
            measured=report,
            progress=_from_first(begin, "searching"),
            counting=_from_first(begin, _COUNTING),
        )
    return document, report


def _score(
    model: Path,
    rows: Path | None,
    data_dir: Path | None,
    sample: int,
    *,
    scheme: Scheme,
    max_seconds: float,
    quiet: bool,
) -> Found:
    """Inspect an additive model or an ensemble."""
    from equiproof.prover.ensemble_folder import load_ensemble, measure_ensemble
    from equiproof.prover.score_inspection import inspect_score

    if scheme not in (DEFAULT_SCHEME, "trees"):
        raise typer.BadParameter(f"{model} holds an additive model or trees, want --scheme trees, not {scheme}")
    with spinner("reading the model", quiet=quiet):
        owned = load_ensemble(model)
    _say_slices(owned.spec, sample, max_seconds)
    with spinner("comparing it with its integers", quiet=quiet):
        report = measure_ensemble(model, owned, rows=rows, data_dir=data_dir)
    queries = _sampled(model, owned.spec, rows, data_dir, sample)
    with bars(quiet=quiet) as begin:
        document = inspect_score(
            owned.quantised,
            owned.spec,
            queries,
            max_seconds=max_seconds,
            measured=report,
            progress=_from_first(begin, "searching"),
            counting=_from_first(begin, _COUNTING),
        )
    return document, report


def _from_first(begin: Callable[[str], Callable[[int, int], None]], label: str) -> Callable[[int, int], None]:
    """Return what begins a bar when it is first called, and moves it as (done, total)."""
    moves: list[Callable[[int, int], None]] = []

    def move(done: int, total: int) -> None:
        if not moves:
            moves.append(begin(label))
        moves[0](done, total)

    return move


def _say_slices(spec: Spec, sample: int, max_seconds: float) -> None:
    """Say on standard error that combinations of sensitive values take long, how long, and what takes less."""
    if sample and len(spec.domain_table) >= _MANY_SLICES:
        remark(slices_line(spec, sample, max_seconds))


def slices_line(spec: Spec, sample: int, max_seconds: float) -> str:
    """Return how long a sample of applicants is searched at most, and which feature has most of the combinations."""
    slices = len(spec.domain_table)
    most = max(spec.sensitive_features, key=lambda feature: len(feature.domain))
    fewer = max(1, sample // 4)
    shorter = f": --sample {fewer} takes up to {fewer * max_seconds:,.0f} s" if fewer < sample else ""
    return (
        f"up to {sample * max_seconds:,.0f} s of searching, besides comparing and counting constraints, since {slices} "
        f"combinations of sensitive values are searched for each of {sample} applicants{shorter}; {most.name!r} has "
        f"{len(most.domain)} values, of which bands would be fewer"
    )


def _drawn(document: dict[str, Any], plot: Path, *, force: bool) -> str:
    """Draw the capacities, and say where; where no capacity fits there is nothing to draw."""
    from equiproof.circuits.files import write_file
    from equiproof.cli.cost_picture import costs_drawn

    if not document["capacities"]:
        return f"nothing was drawn: {document['beyond']}"
    write_file(plot, costs_drawn(document), force=force)
    return f"the picture is {plot}"


def _sampled(
    model: Path, spec: Spec, rows: Path | None, data_dir: Path | None, count: int
) -> Sequence[tuple[int, ...]]:
    """Return some rows of a file as queries, or some test rows of the model's data set, if it has one."""
    from equiproof.certify.data.rows import read_queries
    from equiproof.prover.model_folder import load_model_data

    if rows is not None:
        return _spread(read_queries(rows, spec), count)
    data = load_model_data(model, spec, data_dir)
    tested = () if data is None else _spread(data.test, count)
    return [] if data is None else [spec.encode(data.rows[number]) for number in tested]


def _spread(items: Sequence[T], count: int) -> list[T]:
    """Return at most `count` items, evenly spread: the same ones every time."""
    count = min(count, len(items))
    return [items[number * len(items) // count] for number in range(count)]


def _text(document: dict[str, Any], report: Fidelity) -> str:
    """Say what was found, part by part."""
    parts = {
        "model": _model(document["model"]),
        "spec": _spec(document["spec"]),
        "rounding": report.summary().splitlines(),
        "bits": _bits(document["widths"]),
        "sample": _sample(document["sample"], counted(document["scheme"])),
        f"cost of scheme {document['scheme']}": _cost(document),
        "constraints by gadget": _parts(document["capacities"]),
        "kept model": [*_kept(document["kept"]), *_visiting(document)],
        "standard shape": _standard(document["standard"]),
    }
    shown = {name: lines for name, lines in parts.items() if lines}
    return "\n".join(line for name, lines in shown.items() for line in (name, *(f"  {line}" for line in lines)))


def _model(model: dict[str, Any]) -> list[str]:
    """Describe the committed model."""
    if "predicates" in model:
        plain, sensitive = model["predicates"]
        step = f"steps of 2^-{model['value_fraction_bits']}"
        thresholds = f"{plain} thresholds of non-sensitive and {sensitive} of sensitive features"
        where = f"{thresholds}, in {model['columns']} of {model['inputs']} columns"
        ways = one_way(model["monotone"])
        if model["trees"] is None:
            return [f"additive: {where}; jumps in {step}", *ways]
        return [f"ensemble: {model['trees']} trees with {model['splits']} splits; values in {step}", where, *ways]
    sizes = " - ".join(map(str, (model["inputs"], *model["hidden"], model["logits"])))
    scales = ", ".join(f"2^-{bits}" for bits in model["weight_fraction_bits"])
    return [f"{sizes}: {model['neurons']} hidden neurons, {model['weights']} weights in steps of {scales}"]


def one_way(monotone: Mapping[str, str]) -> list[str]:
    """Say which features move the score one way only, "+" or "-" by name."""
    moves = {"+": "never lowers the score", "-": "never raises the score"}
    named = {sign: [name for name, way in monotone.items() if way == sign] for sign in moves}
    return [f"more {does}: {', '.join(named[sign])}" for sign, does in moves.items() if named[sign]]


def _spec(spec: dict[str, Any]) -> list[str]:
    """Describe the features."""
    from equiproof.circuits.units import in_short

    shown = in_words({name: in_short(domain) for name, domain in spec["sensitive"].items()})
    labels = " or ".join(spec["labels"])
    return [
        f"{spec['name']}: {len(spec['features'])} features in {spec['columns']} columns, decides {labels}",
        f"sensitive: {shown}; {spec['slices']} joint values",
    ]


def _bits(widths: dict[str, Any]) -> list[str]:
    """Describe the widths of what is committed and of the circuit's integers."""
    biases = ", ".join(map(str, widths["bias"]))
    radius = widths["radius_squared"]
    lines = [f"input {widths['input']}, weight {widths['weight']}, biases {biases}, squared radius {radius}"]
    derived = {place: bits for place, bits in widths["places"].items() if place.startswith(("layer", "inference"))}
    return lines + [f"{place}: {bits} of 250" for place, bits in derived.items()]


def _sample(sample: dict[str, Any], rows: str) -> list[str]:
    """Describe the sample."""
    if not sample["applicants"]:
        return ["none searched"]
    counts = ", ".join(
        f"{sample[kind]} {kind}" for kind in ("fair", "unfair", "undecided", "unfinished") if sample[kind]
    )
    lines = [f"{sample['applicants']} applicants: {counts}"]
    if needed := sample[rows]:
        lines.append(f"the full radius needs {needed['median']} {rows} (median), {needed['largest']} at most")
    lines += [
        f"and {some['median']} {name} (median), {some['largest']} at most"
        for name in ("slots", "rows")
        if (some := sample.get(name))
    ]
    if unknown := sample["fair"] - sample["full_radius"]:
        lines.append(f"of {unknown} the search ended before the full radius was known")
    return lines


def _cost(document: dict[str, Any]) -> list[str]:
    """Describe what each capacity costs and gives."""
    fair = document["sample"]["fair"]
    entries = document["capacities"]
    lines = []
    roomy = bool(entries) and "slots" in entries[0]
    if entries:
        header = room_header(rows=entries[0]["rows"] is not None) if roomy else f"{'K':>6}"
        lines.append(f"{header}{COST_HEADER}  full radius  median radius")
    for entry in entries:
        share = f"{entry['full_radius']} of {fair}" if fair else "-"
        own = room_cells(entry) if roomy else f"{entry['capacity']:>6}"
        lines.append(f"{own}{cost_cells(entry)}  {share:<11}  {entry['median_radius'] or '-'}")
    if document["beyond"]:
        lines.append(f"no further: {document['beyond']}")
    if roomy:
        lines.append("V is slots, A rows and K leaves" if entries[0]["rows"] is not None else "V is slots, K leaves")
    return [*lines, MEASURED] if entries else lines


def _kept(kept: dict[str, Any] | None) -> list[str]:
    """Describe what a kept key costs beside the exact shape, and its link; nothing for models without one."""
    if kept is None:
        return []
    from equiproof.prover.forms import Forms

    cost = kept["cost"]
    rows = f"A = {kept['rows']}, " if kept.get("rows") else ""
    room = f"V = {kept['slots']}, {rows}" if "slots" in kept else ""
    taken_away = Forms(kept["self_contained"], cost["constraints"]).taken_away()
    made = "kept keys" if kept["worthwhile"] else "self-contained keys: less than a fifth is not worth a link"
    return [
        f"{'K = ' + str(cost['capacity']):<14}{COST_HEADER}",
        f"{'kept':<14}{cost_cells(cost)}",
        f"{'link, once':<14}{cost_cells(kept['link'])}",
        f"it takes away {taken_away} at {room}K = {cost['capacity']}",
        f"`setup` makes {made}",
    ]


def _visiting(document: dict[str, Any]) -> list[str]:
    """Describe what a kept key costs whose certificates visit nodes, where this takes away another fifth."""
    kept, visiting = document["kept"], document.get("visiting")
    if not (kept and visiting) or 5 * visiting["cost"]["constraints"] > 4 * kept["cost"]["constraints"]:
        return []
    from equiproof.prover.forms import Forms

    cost, middle, most = visiting["cost"], visiting["passed"]["median"], visiting["passed"]["largest"]
    taken_away = Forms(kept["self_contained"], cost["constraints"]).taken_away()
    return [
        f"{'visiting':<14}{cost_cells(cost)}",
        f"{'link, once':<14}{cost_cells(visiting['link'])}",
        f"it takes away {taken_away}: splits that no neighbor reaches are left out. Balls of the sample",
        f"pass {middle:,} splits at the median, and {most:,} at most; `setup --kept --passed {most}` makes such keys.",
        "An applicant whose ball would pass more gets a smaller radius; one whose own cell does gets no certificate",
    ]


def _standard(standard: dict[str, Any]) -> list[str]:
    """Describe the smallest standard shape that a model fits, beside the exact shape."""
    if standard["cost"] is None:
        return [f"none: {standard['reason']}"]
    cost = standard["cost"]
    exact = standard["exact"]
    lines = [f"{'K = ' + str(standard['capacity']):<15}{COST_HEADER}", f"{standard['name']:<14} {cost_cells(cost)}"]
    if exact is not None:
        more = cost["constraints"] / exact["constraints"]
        lines.append(f"{'exact':<15}{cost_cells(exact)}")
        lines.append(
            f"{more:.2f} times the constraints; keys serve other models too: commit --pad-to {standard['name']}"
        )
    return lines


def room_header(*, rows: bool) -> str:
    """Write the letters over the cells of rooms, that of rows for ensembles only."""
    return f"{'V':>5}{'A' if rows else '':>{5 * rows}}{'K':>6}"


def room_cells(room: dict[str, Any]) -> str:
    """Write a room under its letters."""
    rows = "" if room["rows"] is None else f"{room['rows']:>5}"
    return f"{room['slots']:>5}{rows}{room['capacity']:>6}"


def cost_cells(cost: dict[str, Any]) -> str:
    """Write a capacity's cost under COST_HEADER."""
    return (
        f"{cost['constraints']:>13,}{cost['setup_seconds']:>7} s{cost['prove_seconds']:>7.2f} s"
        f"{cost['prove_megabytes']:>6} MB{cost['key_megabytes']:>6} MB"
    )


def _parts(entries: list[dict[str, Any]]) -> list[str]:
    """Describe what constraints are for, the largest part of the last capacity first; none where nothing compiles.

    Of a score these are the capacities of the most slots and rows.
    """
    shown = of_largest_room(entries)[-_CAPACITIES:]
    if not shown:
        return []
    names = sorted(shown[-1]["parts"], key=shown[-1]["parts"].__getitem__, reverse=True)
    lines = [f"{'K':<12}" + "".join(f"{entry['capacity']:>11,}" for entry in shown)]
    lines += [f"{name:<12}" + "".join(f"{entry['parts'].get(name, 0):>11,}" for entry in shown) for name in names]
    return lines
