"""The picture of a decision tree: a line for each node, those below it further right, as wide as a phone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from equiproof.audits.html import words
from equiproof.audits.hyfair.tables import TREE_COLUMNS
from equiproof.audits.records import Cell, Table
from equiproof.audits.report import AuditReport
from equiproof.certify.digits import number, percent

WIDTH = 340
LINE = 34
STEP = 14
LEFT = 14
MAX_DEPTH = 8
MAX_NODES = 255

PRINTED_NODES = 24
"""The most nodes of a tree on paper: about a third of a page."""

_LETTERS = 54
"""The characters that fit into the whole width; a line further right has fewer."""

_STEP_LETTERS = 2.4


@dataclass(frozen=True)
class Line:
    """A node: where its dot is, where that of the node above is, and two lines of text.

    `kind` is "rule" at the end of a rule, "low" where nothing below has a high k, "node" elsewhere.
    """

    x: int
    y: int
    above: tuple[int, int] | None
    where: str
    what: str
    kind: str


@dataclass(frozen=True)
class Picture:
    """A tree as lines of a drawing of this height, and the same in one sentence."""

    title: str
    description: str
    height: int
    lines: tuple[Line, ...]
    width: int = WIDTH

    @property
    def printed(self) -> bool:
        """Whether it is on paper, too: a taller one would take pages, and stays in the file."""
        return len(self.lines) <= PRINTED_NODES


@dataclass(frozen=True)
class _Node:
    """A row of the table of a tree."""

    depth: int
    where: str
    neighbors: int
    mean_k: float
    high: float
    rule: int | None


def picture(report: AuditReport) -> Picture | None:
    """Return the picture of a report's decision tree, None if it has none that can be drawn."""
    table = next((one for one in report.tables if one.columns == TREE_COLUMNS), None)
    nodes = [] if table is None else _nodes(table)
    if table is None or not nodes:
        return None
    lines = tuple(_lines(nodes))
    rules = sum(one.rule is not None for one in nodes)
    description = (
        f"A tree of {words.count(len(nodes), 'node')} with {words.count(rules, 'rule')}: at each node stands the mean "
        "k of the drawn neighbors that fulfil all conditions above it. Parts without a high k are drawn as one node."
    )
    return Picture(table.caption, description, LINE * len(lines) + 8, lines)


def _nodes(table: Table) -> list[_Node]:
    """Return the nodes of a table in preorder; nothing of a table that holds no tree."""
    if len(table.rows) > MAX_NODES:
        return []
    nodes: list[_Node] = []
    for row in table.rows:
        node = _node(row)
        if node is None or node.depth > (nodes[-1].depth + 1 if nodes else 0) or (nodes and not node.depth):
            return []
        nodes.append(node)
    return nodes


def _node(row: Sequence[Cell]) -> _Node | None:
    """Return the node of a row, None if the row is none."""
    _, depth, where, neighbors, mean_k, high, rule = row
    if type(depth) is not int or not 0 <= depth <= MAX_DEPTH or not isinstance(where, str):
        return None
    if type(neighbors) is not int or not (rule is None or type(rule) is int):
        return None
    if not isinstance(mean_k, int | float) or not isinstance(high, int | float) or not 0 <= high <= 1:
        return None
    return _Node(depth, where, neighbors, float(mean_k), float(high), rule)


def _lines(nodes: Sequence[_Node]) -> Iterator[Line]:
    """Yield the lines of nodes in preorder; below a node that leads to no high k nothing is drawn."""
    dots: list[tuple[int, int]] = []
    hidden = MAX_DEPTH + 1
    place = 0
    for node in nodes:
        if node.depth > hidden:
            continue
        is_low = not node.high and bool(node.depth)
        hidden = node.depth if is_low else MAX_DEPTH + 1
        dot = (LEFT + STEP * node.depth, 16 + LINE * place)
        del dots[node.depth :]
        above = dots[-1] if dots else None
        dots.append(dot)
        place += 1
        rule = "" if node.rule is None else f", rule {number(node.rule)}"
        kind = "low" if is_low else "node" if node.rule is None else "rule"
        yield Line(
            *dot,
            above,
            _cut(node.where, node.depth),
            f"mean k {number(node.mean_k)} of {number(node.neighbors)}, {percent(node.high)} high{rule}",
            kind,
        )


def _cut(text: str, depth: int) -> str:
    """Return a condition as far as there is room for it; the table has all of it."""
    room = int(_LETTERS - _STEP_LETTERS * depth)
    return text if len(text) <= room else f"{text[: room - 1]}…"
