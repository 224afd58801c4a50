"""The columns of the tables of rules and of the tree that they are paths of, which the page draws."""

from __future__ import annotations

RULE_COLUMNS = (
    "rule",
    "where",
    "mean k",
    "mean k else",
    "share of the domain",
    "share of the rows stopped",
    "mean k of these rows",
    "share of the other rows",
    "mean k of the other rows",
    "holds on the rows",
)

TREE_CAPTION = "The decision tree that the rules are paths of, on drawn neighbors"
TREE_COLUMNS = ("node", "depth", "where", "neighbors", "mean k", "share of high k", "rule")
