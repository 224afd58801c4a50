"""Mutations belong to today's circuit, and their published score to today's mutations; `make mutations` runs them."""

import re
import shutil
from collections import Counter

import pytest

from equiproof.circuits.rules import KEPT_RULES, RULES
from research.mutations import build, listed, page, suite, survivors
from research.mutations.journal import Journal
from research.mutations.judge import CIRCUIT, HONEST, LIE, NOTHING, OTHER, failure
from tests.support import ROOT

LIST = listed.mutations()
ROWS = re.findall(r"^\| (R-[\w-]+) \| (.+) \| (.+) \|$", page.LISTED.read_text(), re.MULTILINE)
COLUMN = page.HOWS.index(page.NOTHING) + 2


@pytest.fixture(scope="module")
def generated():
    """Return all mutants of the sources as they are."""
    toolchain = ROOT / ".venv" / "toolchain" / "go"
    program = str(toolchain) if toolchain.exists() else shutil.which("go")
    if program is None:
        pytest.skip("no go command on PATH")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GO", program)
        patch.setenv("GOWORK", "off")
        return build.mutants()


def test_the_table_is_of_these_files(generated):
    """mutations.md has a row for each file of the circuit, with as many mutants as there are."""
    counts = Counter(mutant.file for mutant in generated)
    assert {file: row[0] for file, row in page.rows().items()} == counts


def test_rows_add_up():
    """Each mutant was tried, but those of files that wait for it, and is noticed in one way, or not at all."""
    assert all(row[1] == sum(row[2:]) for row in page.rows().values())
    assert {file for file, row in page.rows().items() if row[1] < row[0]} == page.WAITING


def test_every_argument_has_its_mutants(generated):
    """What may survive is there, so that the argument is about the source as it is; and is argued once."""
    argued = [key for argument in survivors.arguments() for key in argument.keys]
    assert not set(argued) - {mutant.key for mutant in generated}
    assert len(set(argued)) == len(argued)


def test_every_survivor_is_argued(generated):
    """No file has more survivors than it has arguments."""
    argued = survivors.argued()
    allowed = Counter(mutant.file for mutant in generated if mutant.key in argued)
    assert {file: row[COLUMN] for file, row in page.rows().items() if row[COLUMN] > allowed[file]} == {}


def test_the_argued_page_is_of_these_arguments():
    """mutations-argued.md says what survivors.toml says."""
    assert page.ARGUED.read_text() == page.argued_page()


@pytest.mark.parametrize("mutation", LIST, ids=lambda mutation: mutation.name)
def test_every_edit_has_its_place(mutation):
    """The text that a mutation takes out stands in the sources exactly once, so that the mutation is what it says."""
    for name, old, new in mutation.edits:
        assert (ROOT / "go-gnark" / name).read_text().count(old) == 1, (name, old)
        assert old != new


def test_every_rule_is_mutated():
    """Each rule of the relation and of kept models loses a constraint in a mutation; mutations name no other rule."""
    assert {mutation.rule for mutation in LIST} == set(RULES) | set(KEPT_RULES)


def test_names_are_distinct():
    """A name stands for one mutation."""
    assert len({mutation.name for mutation in LIST}) == len(LIST)


def test_the_published_score_is_of_this_list():
    """mutations-listed.md has a row for each mutation, and survivors are those with an argument."""
    assert [(rule, name) for rule, name, _ in ROWS] == [(mutation.rule, mutation.name) for mutation in LIST]
    argued = {mutation.name for mutation in LIST if mutation.argued}
    assert {name for _, name, test in ROWS if test == "survives"} <= argued


def test_tests_that_notice_exist():
    """The tests that the page names as the first to fail are there."""
    sources = "\n".join(path.read_text() for path in (ROOT / "go-gnark").rglob("*_test.go"))
    for _, name, test in ROWS:
        if test != "survives":
            function = test.strip("`").partition("/")[0]
            assert f"func {function}(" in sources, (name, test)


@pytest.fixture(scope="module")
def stopped(tmp_path_factory):
    """Return the journal of a run that was stopped in the middle of its third line."""
    path = tmp_path_factory.mktemp("run") / "journal.jsonl"
    journal = Journal(resume=False, again=False, path=path)
    journal.add("noticed", [LIE, "TestOne"])
    journal.add("survivor", [NOTHING, ""])
    path.write_text(path.read_text() + '["third", ["fal')
    return path


@pytest.mark.parametrize("again", [True, False])
def test_what_a_run_goes_on_with(stopped, tmp_path, again):
    """The whole lines of a stopped run are known when it is resumed, and a new run begins with none."""
    copy = tmp_path / "journal.jsonl"
    shutil.copy(stopped, copy)
    assert set(Journal(resume=not again, again=again, path=copy).known) == {"noticed", "survivor"}
    assert len(copy.read_text().splitlines()) == 3
    assert Journal(resume=False, again=False, path=copy).known == {}


def test_outcomes_of_other_tests_need_to_be_asked_for(stopped, tmp_path):
    """After a change of the tests alone a run is not resumed; what it noticed counts with `--again`."""
    copy = tmp_path / "journal.jsonl"
    shutil.copy(stopped, copy)
    first, *rest = copy.read_text().splitlines(keepends=True)
    copy.write_text("".join([first.replace('"]', ' of other tests"]'), *rest]))
    with pytest.raises(SystemExit, match="the sources have changed"):
        Journal(resume=True, again=False, path=copy)
    assert set(Journal(resume=False, again=True, path=copy).known) == {"noticed", "survivor"}


def test_outcomes_of_other_sources_are_refused(stopped, tmp_path):
    """A journal of other sources is neither resumed nor added to."""
    copy = tmp_path / "journal.jsonl"
    copy.write_text("\n".join(['["", ""]', *stopped.read_text().splitlines()[1:]]))
    with pytest.raises(SystemExit, match="the sources have changed"):
        Journal(resume=True, again=False, path=copy)


@pytest.mark.parametrize(
    ("output", "how"),
    [
        ("    margin_test.go:40: one more: accepted\n", LIE),
        ("    margin_test.go:40: one more: every row holds\n", LIE),
        ("    margin_test.go:40: honest: refused: constraint #5 is not satisfied\n", HONEST),
        ("    margin_test.go:40: honest: refused: no\n    margin_test.go:41: a lie: accepted\n", LIE),
        ("panic: runtime error: index out of range [2] with length 2\n", CIRCUIT),
        ("    margin_test.go:40: a value lies in [0, 4], want [0, 3]\n", OTHER),
        ("--- FAIL: TestHonestIsAccepted\n    margin_test.go:40: 7 is not 8\n", OTHER),
    ],
)
def test_how_a_test_fails(output, how):
    """A false witness that passes counts before an honest one that is refused; a test's name says nothing."""
    assert failure(output) == how


@pytest.mark.parametrize(
    ("seconds", "output", "names"),
    [
        (3.0, "    --- PASS: TestX/a (1.40s)\n    --- PASS: TestX/b#01 (1.40s)\n", ["TestX", "TestX/a", "TestX/b#01"]),
        (0.9, "    --- PASS: TestX/a (0.45s)\n    --- PASS: TestX/b (0.45s)\n", ["TestX"]),
        (3.0, "    --- PASS: TestX/a (0.40s)\n    --- PASS: TestX/b (0.40s)\n", ["TestX"]),
        (3.0, "    --- PASS: TestX/a (2.50s)\n    --- PASS: TestX/b (0.40s)\n", ["TestX"]),
        (3.0, "--- PASS: TestX (3.00s)\n        --- PASS: TestX/a/inner (3.00s)\n", ["TestX"]),
    ],
)
def test_slow_tests_are_run_by_their_parts(monkeypatch, tmp_path, seconds, output, names):
    """A test has parts where these do its work, and none of them most of it."""

    def measured(package, program, name):
        return suite.Test(package, name, program, 0.1, frozenset([1])), ""

    monkeypatch.setattr(suite, "measured", measured)
    whole = suite.Test("equiproof/relation", "TestX", tmp_path, seconds, frozenset([1, 2]))
    assert [part.name for part in suite.parts(whole, output)] == names


def test_parts_take_what_they_meet_sooner(tmp_path):
    """A mutant meets the parts that reach it where all of them take less time than the test; else the test itself."""

    def of(name, seconds, *reaches):
        return suite.Test("equiproof/relation", name, tmp_path, seconds, frozenset(reaches))

    parts = [of("TestX/a", 0.7, 1, 2), of("TestX/b", 0.8, 2, 3)]
    split = suite.shared(of("TestX", 1.2, 1, 2, 3, 4), parts)
    assert [(part.name, part.reaches) for part in split] == [("TestX", {2, 4}), ("TestX/a", {1}), ("TestX/b", {3})]


def test_the_same_circuit_is_so_on_every_shape_that_reaches_it(monkeypatch, tmp_path):
    """One shape with another constraint system is a difference; a mutant that no shape reaches is not the same."""
    systems = [
        (suite.Test("equiproof/internal/same", "TestSystems", tmp_path, 0.1, frozenset(reaches)), text)
        for reaches, text in [({1, 2}, "first"), ({2}, "second")]
    ]
    monkeypatch.setattr(suite, "written", lambda test, shape, **_: "first")
    assert [suite.Suite([], systems).same(mutant) for mutant in (1, 2, 3)] == [True, False, False]
