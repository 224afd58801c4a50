"""A rule stands under one id in the text, the table, the plaintext check, the reference, the gate and a sub-circuit."""

import ast
import re
import sys
from pathlib import Path

import pytest

from equiproof.certify.branch import evidence_check as branch_check
from equiproof.certify.traversal import evidence_check as traversal_check
from equiproof.certify.trees import ensemble_check
from equiproof.certify.trees import evidence_check as additive_check
from equiproof.circuits import reference
from equiproof.circuits.canonical import digest
from equiproof.circuits.commitment import pack, query_commitment, tag
from equiproof.circuits.poseidon2 import hash_elements
from equiproof.circuits.rules import (
    BOX_RULES,
    ENSEMBLE_RULES,
    EVERY_RULE,
    GAIN_RULES,
    KEPT_RULES,
    RULES,
    TABLE_RULES,
    TREES_RULES,
)
from equiproof.circuits.subcircuit import GADGETS

ROOT = Path(__file__).resolve().parents[2]
PAGE = "\n".join(
    (ROOT / "docs" / name).read_text(encoding="utf-8")
    for name in ("relation.md", "sub-circuits.md", "relation-branch.md")
)
RULE_ID = re.compile(r"\bR-[A-Z]+(?:-[A-Z]+)*\b")


def go_comments() -> dict[str, str]:
    """Return the comments of each Go package under go-gnark, tests left out, by its folder."""
    comments: dict[str, str] = {}
    for path in sorted((ROOT / "go-gnark").rglob("*.go")):
        if not path.name.endswith("_test.go"):
            package = path.parent.relative_to(ROOT / "go-gnark").as_posix()
            found = re.findall(r"//.*$", path.read_text(encoding="utf-8"), re.MULTILINE)
            comments[package] = "\n".join([comments.get(package, ""), *found])
    return comments


GO_COMMENTS = go_comments()


@pytest.mark.parametrize("rule", RULES)
def test_rule_has_a_section(rule: str) -> None:
    """The relations' pages have one section per rule, headed by its id, with a constraint table that names it."""
    sections = re.split(r"^### ", PAGE, flags=re.MULTILINE)
    mine = [section for section in sections if RULE_ID.findall(section.partition("\n")[0]) == [rule]]
    assert len(mine) == 1
    assert re.search(rf"^\| {rule} \|", mine[0], re.MULTILINE)


def test_the_page_lists_every_sub_circuit_with_its_rules() -> None:
    """The table of sub-circuits has one row each, in their order, with the rules that it proves and others do not."""
    rows = re.findall(r"^\| `(\w+)` \| ([^|]*R-[^|]*) \|", PAGE.partition("# Sub-circuits")[2], re.MULTILINE)
    assert [name for name, _ in rows] == list(GADGETS)
    for name, said in rows:
        own = {rule for rule, at in EVERY_RULE.items() if name in at.circuits and tuple(at.circuits) != tuple(GADGETS)}
        assert set(RULE_ID.findall(said)) == own, name


@pytest.mark.parametrize("rule", RULES)
def test_rule_has_a_gate(rule: str) -> None:
    """The Go package that the table names speaks of the rule in a comment."""
    assert rule in RULE_ID.findall(GO_COMMENTS.get(RULES[rule].gate, ""))


@pytest.mark.parametrize("rule", RULES)
def test_rule_has_the_check_that_the_table_names(rule: str) -> None:
    """Where the table names an evidence function, a checker registers that very function, and no other one."""
    check = (traversal_check.RULES | branch_check.RULES).get(rule)
    assert (check.__name__ if check else None) == RULES[rule].evidence
    if check:
        assert (check.__doc__ or "").startswith(f"{rule}:")


@pytest.mark.parametrize("rule", RULES)
def test_rule_has_a_reference(rule: str) -> None:
    """The function of circuits/reference that the table names has a module of its name that speaks of the rule."""
    function = getattr(reference, RULES[rule].reference)
    assert function.__name__ == RULES[rule].reference
    assert function.__module__ == f"equiproof.circuits.reference.{function.__name__}"
    assert rule in RULE_ID.findall(sys.modules[function.__module__].__doc__ or "")


@pytest.mark.parametrize("rule", EVERY_RULE)
def test_rule_has_a_sub_circuit(rule: str) -> None:
    """Every rule is held by a sub-circuit that there is, and the Go package of sub-circuits speaks of it."""
    assert EVERY_RULE[rule].circuits
    assert set(EVERY_RULE[rule].circuits) <= set(GADGETS)
    assert rule in RULE_ID.findall(GO_COMMENTS["subcircuit"])


def test_every_sub_circuit_has_a_rule_of_its_own() -> None:
    """Widths and the public input are every sub-circuit's; besides these each holds at least one rule."""
    shared = [rule for rule in RULES if RULES[rule].circuits == GADGETS]
    assert shared == ["R-RANGE", "R-INSTANCE"]
    own = {name for rule, at in EVERY_RULE.items() if rule not in shared for name in at.circuits}
    assert own == set(GADGETS)


def test_no_reference_is_left_over() -> None:
    """What circuits/reference offers is its error, the rules' functions, and those of whole relations."""
    named = {rule.reference for rule in RULES.values()}
    assert set(reference.__all__) == named | {
        "RuleError",
        "check",
        "traversal",
        "branch",
        "gain",
        "trees",
        "box",
        "link",
        "table",
    }


@pytest.mark.parametrize("rule", GAIN_RULES)
def test_a_rule_of_gains_has_a_row_a_gate_and_a_reference(rule: str) -> None:
    """Its page has a row for it, the relation's gate speaks of it, and so does its reference over the field."""
    assert re.search(rf"^\| {rule} \|", (ROOT / "docs" / "relation-gain.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert rule in RULE_ID.findall(GO_COMMENTS["relation"])
    assert rule in RULE_ID.findall(sys.modules[reference.gain.__module__].__doc__ or "")


@pytest.mark.parametrize("rule", KEPT_RULES)
def test_a_rule_of_kept_models_has_a_row_a_gate_and_a_reference(rule: str) -> None:
    """Its page has a row for it, a gate speaks of it, and so does its reference over the field."""
    assert re.search(rf"^\| {rule} \|", (ROOT / "docs" / "relation-kept.md").read_text(encoding="utf-8"), re.MULTILINE)
    gates = " ".join(GO_COMMENTS[gate] for gate in ("relation", "gadget/kept", "gadget/commitment"))
    assert rule in RULE_ID.findall(gates)
    places = ("kept.py", "link.py")
    reference_of = "".join(
        (ROOT / "equiproof/circuits/reference" / name).read_text(encoding="utf-8") for name in places
    )
    assert rule in RULE_ID.findall(reference_of)


@pytest.mark.parametrize("rule", TABLE_RULES)
def test_a_rule_of_tables_has_a_row_a_gate_and_a_reference(rule: str) -> None:
    """Its page has a row for it, a gate speaks of it, and so does its reference over the field."""
    assert re.search(rf"^\| {rule} \|", (ROOT / "docs" / "relation-table.md").read_text(encoding="utf-8"), re.MULTILINE)
    gates = " ".join(GO_COMMENTS[gate] for gate in ("relation", "gadget/table", "gadget/commitment"))
    assert rule in RULE_ID.findall(gates)
    reference_of = (ROOT / "equiproof/circuits/reference/table.py").read_text(encoding="utf-8")
    assert rule in RULE_ID.findall(reference_of)


@pytest.mark.parametrize("rule", BOX_RULES)
def test_a_rule_of_boxes_has_a_row_a_gate_and_a_reference(rule: str) -> None:
    """Its page has a row for it, a gate speaks of it, and so does its reference over the field."""
    assert re.search(rf"^\| {rule} \|", (ROOT / "docs" / "relation-box.md").read_text(encoding="utf-8"), re.MULTILINE)
    gates = " ".join(GO_COMMENTS[gate] for gate in ("relation", "gadget/additive", "gadget/commitment"))
    assert rule in RULE_ID.findall(gates)
    places = ("box.py", "falls.py", "commitment.py")
    reference_of = "".join(
        (ROOT / "equiproof/circuits/reference" / name).read_text(encoding="utf-8") for name in places
    )
    assert rule in RULE_ID.findall(reference_of)


def test_no_unknown_rule_is_mentioned() -> None:
    """No page under docs or research, no Go comment, no check and no Python comment names an unknown rule.

    There are those of the tables, and those of the checkers of schemes `branch` and `trees`.
    """
    places = {"certify.traversal.evidence_check.RULES": " ".join(traversal_check.RULES)} | GO_COMMENTS
    for path in sorted([*(ROOT / "docs").rglob("*.md"), *(ROOT / "research").rglob("*.md")]):
        places[path.relative_to(ROOT).as_posix()] = path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "equiproof").rglob("*.py")):
        places[path.relative_to(ROOT).as_posix()] = path.read_text(encoding="utf-8")
    known = set(RULES) | set(branch_check.RULES) | set(TREES_RULES) | set(ENSEMBLE_RULES)
    known |= (
        set(GAIN_RULES)
        | set(BOX_RULES)
        | set(KEPT_RULES)
        | set(TABLE_RULES)
        | set(additive_check.RULES)
        | set(ensemble_check.RULES)
    )
    unknown = {place: found for place, text in places.items() if (found := set(RULE_ID.findall(text)) - known)}
    assert not unknown


@pytest.mark.parametrize("rule", ENSEMBLE_RULES)
def test_rules_of_ensembles_have_a_section_and_a_gate(rule: str) -> None:
    """A table line of their page, and a comment of their Go package."""
    page = (ROOT / "docs" / "relation-ensembles.md").read_text(encoding="utf-8")
    assert re.search(rf"^\| {rule} \|", page, re.MULTILINE)
    assert rule in RULE_ID.findall(GO_COMMENTS["gadget/trees"])


def test_table_imports_nothing_heavy() -> None:
    """The table is text: it imports from the standard library's typing helpers only."""
    module = ast.parse((ROOT / "equiproof" / "circuits" / "rules.py").read_text(encoding="utf-8"))
    imported = {node.module for node in ast.walk(module) if isinstance(node, ast.ImportFrom)}
    assert not [node for node in ast.walk(module) if isinstance(node, ast.Import)]
    assert imported <= {"__future__", "collections.abc", "dataclasses", "types"}


def test_vectors_of_the_text_hold() -> None:
    """The numbers by which docs/relation.md lets a third party check hashing and packing are the code's."""
    vectors = {
        "Poseidon2(1, 2)": f"{hash_elements([1, 2]):064x}",
        'tag("equiproof.query")': f"{tag('equiproof.query'):x}",
        "pack": str(pack([(-131072, 18), (0, 18), (131071, 18)])[0]),
        "query commitment": f"{query_commitment(18, 5, [1, -1]):064x}",
        "context digest": f"{digest('equiproof.context.v2', b'{}'):062x}",
    }
    assert not {name: value for name, value in vectors.items() if f"`{value}`" not in PAGE}
    assert hash_elements([]) == 0


@pytest.mark.parametrize("rule", branch_check.RULES)
def test_rule_of_branch_and_bound_has_a_paragraph(rule: str) -> None:
    """The decision pages of scheme `branch` say each of its rules; the function that checks it begins with its id."""
    pages = [*(ROOT / "docs" / "adr").glob("0008-*.md"), *(ROOT / "docs" / "adr").glob("0010-*.md")]
    assert any(rule in RULE_ID.findall(page.read_text(encoding="utf-8")) for page in pages)
    assert (branch_check.RULES[rule].__doc__ or "").startswith(f"{rule}:")
