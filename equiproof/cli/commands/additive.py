"""Options that say which additive model or ensemble a key of scheme `trees` is for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from equiproof.circuits.schemes import DEFAULT_ROWS, DEFAULT_SCHEME, DEFAULT_SLOTS, DEFAULT_TREE_SLOTS, Scheme

if TYPE_CHECKING:
    from equiproof.circuits.shape import Shape
    from equiproof.circuits.spec import Spec
    from equiproof.circuits.standard_scores import StandardScore

Predicates = Annotated[
    str | None,
    typer.Option(
        "--predicates",
        help="Scheme trees: how many thresholds the model has, such as 40, or 40,2 with 2 of sensitive features.",
        metavar="P[,P_S]",
    ),
]
Slots = Annotated[
    int | None,
    typer.Option(
        "--slots",
        help="Scheme trees: how many thresholds near an applicant a proof can hold, at most P.",
        min=1,
        metavar="V",
    ),
]

Nodes = Annotated[
    str | None,
    typer.Option(
        "--nodes",
        help="Scheme trees: how many trees of several splits there are, and splits in all, such as 100,700.",
        metavar="T,N",
    ),
]
Rows = Annotated[
    int | None,
    typer.Option(
        "--rows",
        help="Scheme trees: how many splits near an applicant a proof can hold, at most N.",
        min=1,
        metavar="A",
    ),
]


Sets = Annotated[
    str | None,
    typer.Option(
        "--sets",
        help="Scheme trees: how many sets of values the trees ask of categories, such as purpose=16,work=8.",
        metavar="FEATURE=N,...",
    ),
]


class Sizes(NamedTuple):
    """(P_x, P_s), (T, N) or None for an additive model, V, and A (0 for an additive model).

    `sets` has how many sets of values are asked of a category, by its name or its first column.
    """

    predicates: tuple[int, int]
    nodes: tuple[int, int] | None
    slots: int
    rows: int
    sets: Mapping[str | int, int] = MappingProxyType({})


def additive_sizes(
    scheme: Scheme,
    predicates: str | None,
    nodes: str | None,
    slots: int | None,
    rows: int | None,
    sets: str | None = None,
) -> Sizes | None:
    """Return the sizes of a score by the options, None for a network; raises typer's own error."""
    if scheme != "trees":
        if (predicates, nodes, slots, rows, sets) != (None,) * 5:
            raise typer.BadParameter("--predicates, --nodes, --sets, --slots and --rows go with --scheme trees")
        return None
    if predicates is None or slots is None:
        raise typer.BadParameter("--scheme trees needs the sizes of an additive model: --predicates P[,P_S] --slots V")
    if sets is not None and nodes is None:
        raise typer.BadParameter("--sets is of models with trees of several splits: give --nodes as well")
    sizes = sizes_of(predicate_counts(predicates), None if nodes is None else node_counts(nodes), slots, rows)
    return sizes if sets is None else sizes._replace(sets=set_counts(sets))


def sizes_of(predicates: tuple[int, int], nodes: tuple[int, int] | None, slots: int | None, rows: int | None) -> Sizes:
    """Return sizes with room that is asked for or the default; raises typer's own error for room that is too large."""
    if nodes is None:
        if rows is not None:
            raise typer.BadParameter("--rows is of models with trees of several splits")
        return Sizes(predicates, None, slots_for(predicates[0], slots), 0)
    room = slots_for(predicates[0], slots, DEFAULT_TREE_SLOTS)
    if rows is not None and rows > nodes[1]:
        raise typer.BadParameter(f"--rows {rows}: want 1 to {nodes[1]}, the splits of the trees")
    return Sizes(predicates, nodes, room, min(DEFAULT_ROWS, nodes[1]) if rows is None else rows)


def standard_sizes(
    standard: StandardScore, scheme: Scheme, nodes: str | None, slots: int | None, rows: int | None
) -> Sizes:
    """Return the sizes of a standard shape with the room that is asked for, or its own; raises typer's own error."""
    if scheme not in (DEFAULT_SCHEME, "trees"):
        raise typer.BadParameter(f"--pad-to {standard.name} is of scheme trees, not of {scheme}")
    if nodes is not None:
        raise typer.BadParameter(f"--nodes does not go with --pad-to {standard.name}, which says how many there are")
    own = None if standard.nodes is None else rows or standard.rows
    return sizes_of(standard.predicates, standard.nodes, slots or standard.slots, rows if own is None else own)


def own_sizes(counts: Sequence[int], slots: int | None, rows: int | None) -> Sizes:
    """Return the sizes of an opened score, whose counts are P_x and P_s, and T and N of an ensemble; as `sizes_of`."""
    nodes = (counts[2], counts[3]) if len(counts) > 2 else None
    sets: dict[str | int, int] = dict(zip(counts[4::2], counts[5::2], strict=True))
    return sizes_of((counts[0], counts[1]), nodes, slots, rows)._replace(sets=sets)


def set_counts(text: str) -> dict[str | int, int]:
    """Read "purpose=16,work=8" as numbers of sets by feature; raises typer's own error for anything else."""
    counts: dict[str | int, int] = {}
    for part in text.split(","):
        name, mark, count = part.rpartition("=")
        if not mark or not name or name in counts or not (count.isascii() and count.isdigit() and 0 < len(count) <= 4):
            raise typer.BadParameter(f"--sets: {part[:40]!r} is not a feature and a number such as purpose=16")
        counts[name] = int(count)
    return counts


def node_counts(text: str) -> tuple[int, int]:
    """Read "100,700" as (T, N); raises typer's own error for anything else."""
    from equiproof.verifier.documents import MAX_NODES, MAX_TREES

    parts = text.split(",")
    if len(parts) != 2 or not all(part.isascii() and part.isdigit() and len(part) <= 6 for part in parts):
        raise typer.BadParameter(f"--nodes: {text[:40]!r} is not two numbers such as 100,700")
    trees, nodes = map(int, parts)
    if not 1 <= trees <= min(nodes, MAX_TREES) or nodes > MAX_NODES:
        raise typer.BadParameter(f"--nodes {text}: want at most {MAX_TREES} trees, and as many splits to {MAX_NODES}")
    return trees, nodes


def slots_for(most: int, slots: int | None, default: int = DEFAULT_SLOTS) -> int:
    """Return V for a model with so many thresholds of non-sensitive features; raises typer's own error."""
    if slots is not None and slots > most:
        raise typer.BadParameter(f"--slots {slots}: want 1 to {most}, the thresholds of non-sensitive features")
    return min(default, most) if slots is None else slots


def predicate_counts(text: str) -> tuple[int, int]:
    """Read "40" or "40,2" as (P_x, P_s); raises typer's own error for anything else."""
    from equiproof.verifier.documents import MAX_PREDICATES

    parts = text.split(",")
    if not 1 <= len(parts) <= 2 or not all(part.isascii() and part.isdigit() and len(part) <= 4 for part in parts):
        raise typer.BadParameter(f"--predicates: {text[:40]!r} is not one or two numbers such as 40 or 40,2")
    plain = int(parts[0])
    sensitive = int(parts[1]) if len(parts) == 2 else 0
    if plain < 1 or plain + sensitive > MAX_PREDICATES:
        raise typer.BadParameter(
            f"--predicates {text}: want at least 1 of non-sensitive features, and {MAX_PREDICATES} at most in all"
        )
    return plain, sensitive


def shape_for(spec: Spec, sizes: Sizes, capacity: int) -> Shape:
    """Return the shape of a score under a spec; raises typer's own error for a spec of several logits."""
    from equiproof.circuits.shape import additive_shape, ensemble_shape

    if spec.logits != 1:
        raise typer.BadParameter(
            f"scheme trees decides between two labels; spec {spec.name!r} has {len(spec.labels)}: want --scheme branch"
        )
    if sizes.nodes is None:
        return additive_shape(spec, sizes.predicates, sizes.slots, capacity)
    first = {name: column for column, name in _categories(spec)}
    if strangers := [name for name in sizes.sets if name not in {*first, *first.values()}]:
        raise typer.BadParameter(
            f"--sets: {str(strangers[0])[:40]!r} is no non-sensitive category of spec {spec.name!r} with one column a "
            "value"
        )
    sets = {first.get(str(name), name): count for name, count in sizes.sets.items()}
    return ensemble_shape(
        spec, sizes.predicates, sizes.nodes, sizes.slots, sizes.rows, capacity,
        {int(column): count for column, count in sets.items()},
    )  # fmt: skip


def _categories(spec: Spec) -> Iterator[tuple[int, str]]:
    """Yield the first column and the name of each category of which sets can be asked."""
    from equiproof.circuits.categories import categories_of

    firsts = {one.first for one in categories_of(spec)}
    column = 0
    for feature in spec.plain_features:
        if column in firsts:
            yield column, feature.name
        column += feature.width


def refuse_network(scheme: Scheme, opening: Path) -> None:
    """Raise typer's own error where scheme trees is meant for a network."""
    if scheme == "trees":
        raise typer.BadParameter(f"{opening} holds a network: --scheme branch (trees is for additive models and trees)")
