"""The most trees and splits of a committed model: one more of either is refused, wherever a model comes from."""

import pytest
import typer

from equiproof.certify.additive import EnsembleError
from equiproof.certify.ensemble import NodeTable
from equiproof.certify.models.ensembles.quantise import table_of
from equiproof.circuits.schemes import MAX_NODES, MAX_TREES
from equiproof.cli.commands.additive import node_counts

STUMP = (0, 5, 1, 2, False)
"""A nested tree of one split: column, threshold, both leaves, and where a missing value goes."""

DEPTH = 16


def full(depth):
    """Return a nested tree with 2^depth - 1 splits, all of the same threshold; subtrees are shared."""
    tree = STUMP
    for _ in range(depth - 1):
        tree = (0, 5, tree, tree, False)
    return tree


def table(roots, nodes):
    """Return trees of one split each, but the last, which is a chain with the other splits."""
    chain = [(0, 1)] * (nodes - roots) + [(0, 0)]
    return NodeTable(roots, (0,) * nodes, tuple([(0, 0)] * (roots - 1) + chain), (1,) * (nodes + roots))


def test_the_most_trees():
    """4,096 stumps are a table, and 4,097 are not, as a table and from an import."""
    assert table_of([STUMP] * MAX_TREES, [(0, 5)]).sizes == (4096, 4096)
    with pytest.raises(
        EnsembleError, match=r"train with fewer .*: 4097 trees with 4097 splits; at most 4096 with 65536"
    ):
        table_of([STUMP] * (MAX_TREES + 1), [(0, 5)])
    with pytest.raises(EnsembleError, match=r"4097 trees with 4097 nodes; want 1 to 4096, with up to 65536"):
        table(MAX_TREES + 1, MAX_TREES + 1)


def test_the_most_splits():
    """65,536 splits are a table, and 65,537 are not."""
    most = [full(DEPTH), STUMP]
    assert table_of(most, [(0, 5)]).sizes == (2, MAX_NODES)
    with pytest.raises(EnsembleError, match=r"3 trees with 65537 splits; at most 4096 with 65536"):
        table_of([*most, STUMP], [(0, 5)])
    assert table(1, MAX_NODES).sizes == (1, MAX_NODES)
    with pytest.raises(EnsembleError, match=r"1 trees with 65537 nodes; want 1 to 4096, with up to 65536"):
        table(1, MAX_NODES + 1)


def test_the_option_of_a_set_up():
    """`--nodes` takes both limits, and nothing above."""
    assert node_counts("4096,65536") == (MAX_TREES, MAX_NODES)
    for text in ("4097,65536", "4096,65537", "4096,4095", "0,5"):
        with pytest.raises(typer.BadParameter, match=f"--nodes {text}: want at most 4096 trees, and as many splits to"):
            node_counts(text)
