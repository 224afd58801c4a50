"""What may be changed in Python sources: mutmut's operators, and three more that weaken a check.

mutmut leaves out decorated functions, since it swaps functions while the program runs. Here the file itself is changed,
so they are mutated too, and so is what runs on import.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider
from mutmut.mutation import mutators

from research.mutations.sample import Mutant

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


@dataclass(frozen=True)
class Operator:
    """A kind of change: its name, the nodes it is for, and what such a node becomes."""

    kind: str
    nodes: type[cst.CSTNode] | tuple[type[cst.CSTNode], ...]
    becomes: Callable[[Any], Iterable[cst.CSTNode]]


def _left_out(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Leave out a statement that only calls something, such as a check, or that raises."""
    if isinstance(node, cst.Raise) or (isinstance(node, cst.Expr) and isinstance(node.value, cst.Call)):
        yield cst.Pass()


def _turned(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Turn the condition of a statement, or of what is kept in a comprehension."""
    if isinstance(node, cst.If | cst.CompIf):
        inner = node.test.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
        yield node.with_changes(test=cst.UnaryOperation(cst.Not(), inner))


def _name_changed(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Change a string that is a name and no sentence; sentences are judged by mutants of the tables."""
    if isinstance(node, cst.SimpleString) and " " not in node.value:
        yield from list(mutators.operator_string(node))[:1]


_KINDS = {
    mutators.operator_number: "number one more",
    mutators.operator_name: "other truth value",
    mutators.operator_assignment: "nothing assigned",
    mutators.operator_augmented_assignment: "assigned, not added",
    mutators.operator_remove_unary_ops: "negation dropped",
    mutators.operator_dict_arguments: "other name of a field",
    mutators.operator_arg_removal: "argument dropped or none",
    mutators.operator_symmetric_string_methods_swap: "opposite method",
    mutators.operator_unsymmetrical_string_methods_swap: "opposite method",
    mutators.operator_lambda: "function gives nothing",
    mutators.operator_keywords: "opposite keyword",
    mutators.operator_swap_op: "other operator",
    mutators.operator_match: "case dropped",
    mutators.operator_if_exp: "condition fixed",
}
OPERATORS = (
    *(Operator(_KINDS[becomes], nodes, becomes) for nodes, becomes in mutators.mutation_operators if becomes in _KINDS),
    Operator("statement left out", (cst.Expr, cst.Raise), _left_out),
    Operator("condition turned", (cst.If, cst.CompIf), _turned),
    Operator("other string", cst.SimpleString, _name_changed),
)

_TYPING = {"TypeVar", "NewType", "ParamSpec"}
"""Calls that say something to the type checker alone."""

_NAMED = {"cast", "say"}
"""Calls whose first argument is a type, or names a sentence."""


def _called(node: cst.CSTNode) -> str:
    return node.func.value if isinstance(node, cst.Call) and isinstance(node.func, cst.Name) else ""


def _is_named(node: cst.CSTNode, name: str) -> bool:
    return isinstance(node, cst.Name) and node.value == name


class _Visitor(cst.CSTVisitor):
    """Collects changes of a module: mutants, and for each the node with what it becomes."""

    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(self, file: str) -> None:
        super().__init__()
        self.changes: list[tuple[Mutant, cst.CSTNode, cst.CSTNode]] = []
        self._file = file
        self._statement: list[tuple[int, int]] = [(1, 1)]
        self._skipped: set[cst.CSTNode] = set()

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Add the changes of a node, unless nothing runs there."""
        if node in self._skipped or self._only_said(node):
            return False
        if isinstance(node, cst.SimpleStatementLine | cst.BaseCompoundStatement):
            self._statement.append(self._span(node))
        if _called(node) in _NAMED and isinstance(node, cst.Call):
            self._skipped.add(node.args[0])
        if _called(node) == "cast":
            return True
        for operator in OPERATORS:
            if isinstance(node, operator.nodes):
                for variant, becomes in enumerate(operator.becomes(node)):
                    self._add(operator.kind, node, becomes, variant)
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        """Leave a statement."""
        if isinstance(original_node, cst.SimpleStatementLine | cst.BaseCompoundStatement) and not self._only_said(
            original_node
        ):
            self._statement.pop()

    def _only_said(self, node: cst.CSTNode) -> bool:
        """Whether a node is only for the type checker or a reader: annotations, imports, docstrings."""
        if isinstance(node, cst.Annotation | cst.Import | cst.ImportFrom | cst.Decorator):
            return True
        if isinstance(node, cst.If):
            return any(_is_named(one, "TYPE_CHECKING") for one in (node.test, *node.test.children))
        if isinstance(node, cst.SimpleStatementLine) and isinstance(node.body[0], cst.Expr):
            return isinstance(node.body[0].value, cst.SimpleString | cst.ConcatenatedString)
        if isinstance(node, cst.Assign) and _is_named(node.targets[0].target, "__all__"):
            return True
        return _called(node) in _TYPING

    def _span(self, node: cst.CSTNode) -> tuple[int, int]:
        """Return the lines of a statement; of one with a block those of its head."""
        whole = self.get_metadata(PositionProvider, node)
        body = getattr(node, "body", None)
        if isinstance(node, cst.BaseCompoundStatement) and isinstance(body, cst.BaseSuite):
            return whole.start.line, max(whole.start.line, self.get_metadata(PositionProvider, body).start.line - 1)
        return whole.start.line, whole.end.line

    def _add(self, kind: str, node: cst.CSTNode, becomes: cst.CSTNode, variant: int) -> None:
        start = self.get_metadata(PositionProvider, node).start
        code = cst.Module(body=[]).code_for_node
        before, after = _short(code(node)), _short(code(becomes))
        mutant = Mutant(self._file, start.line, start.column, kind, before, after, variant, self._statement[-1])
        self.changes.append((mutant, node, becomes))


def _short(text: str) -> str:
    """Return code in one line, of a statement with a block only its head."""
    head = " ".join(text.strip().split())
    return head if len(head) <= 100 else head[:97] + "..."


def _visited(file: str, source: str) -> tuple[cst.Module, _Visitor]:
    wrapper = MetadataWrapper(cst.parse_module(source))
    visitor = _Visitor(file)
    wrapper.visit(visitor)
    return wrapper.module, visitor


def mutants(file: str, source: str) -> list[Mutant]:
    """List every change of a file."""
    return [mutant for mutant, _, _ in _visited(file, source)[1].changes]


def applied(mutant: Mutant, source: str) -> str:
    """Return a file's text with one change.

    Raises:
        LookupError: the text has no such change.
    """
    module, visitor = _visited(mutant.file, source)
    for one, node, becomes in visitor.changes:
        if one == mutant:
            changed = module.deep_replace(node, becomes)
            if isinstance(changed, cst.Module):
                return changed.code
    raise LookupError(f"{mutant.file} has no such change: {mutant}")
