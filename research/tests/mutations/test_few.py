"""A sample of mutants is judged by all tests, of which the slow ones are measured for the mutants that come to them."""

import pytest

from research.mutations import build, few, suite
from research.mutations.judge import CIRCUIT, HONEST, NOTHING, SAME

OWN, OTHER, SLOW, LATE = "gadget/one: TestOwn", "relation: TestOther", "gadget/one: TestSlow", "relation: TestLate"
REACHES = {OWN: {1, 2}, OTHER: {1, 2, 3, 4, 5}, SLOW: {3, 4}, LATE: {3, 4, 5}}
NOTICE = {OWN: {1}, OTHER: {2}, SLOW: {3}, LATE: {4}}
SAYS = "    one_test.go:40: honest: refused: constraint #5 is not satisfied\n"


@pytest.fixture
def tests(monkeypatch, tmp_path):
    """Two quick tests and two slow ones, of a gadget's package and another; returns them, and what was measured."""
    begun = []

    def named(_programs):
        names = [tuple(name.split(": ")) for name in [*NOTICE, "internal/same: TestSystems"]]
        return [(f"equiproof/{package}", tmp_path, name) for package, name in names]

    def measured(package, program, name, **_):
        begun.append(name)
        return suite.Test(package, name, program, 3.0, frozenset(REACHES.get(f"{package[10:]}: {name}", ()))), ""

    def within(limit, package, program, name, **_):
        assert limit == few.QUICK
        reaches = frozenset(REACHES[f"{package[10:]}: {name}"])
        return None if name in ("TestSlow", "TestLate") else (suite.Test(package, name, program, 0.1, reaches), "")

    def execute(package, _program, name, _limit, *, EQUIPROOF_MUTANT):
        key = f"{package[10:]}: {name}"
        if EQUIPROOF_MUTANT == "6" and name == "TestOwn":
            return None, "the time is over"
        failed = int(EQUIPROOF_MUTANT) in NOTICE[key]
        return int(failed), SAYS if failed else ""

    def systems(of):
        return [(suite.Test(of.package, of.name, of.program, 1.0, frozenset({3, 4, 5, 7})), "a digest")]

    for name, stand_in in [(f.__name__, f) for f in (named, measured, within, execute, systems)]:
        monkeypatch.setattr(suite, name, stand_in)
    # Of mutant 7 alone the constraint systems are the same.
    monkeypatch.setattr(
        suite, "written", lambda _test, _shape, **mutant: "a digest" if mutant["EQUIPROOF_MUTANT"] == "7" else "another"
    )
    return few.Few({}, workers=2), begun


@pytest.mark.parametrize(
    ("number", "outcome", "measured"),
    [
        (1, [HONEST, OWN], []),
        (2, [HONEST, OTHER], []),
        (3, [HONEST, SLOW], ["TestSystems", "TestSlow"]),
        (4, [HONEST, LATE], ["TestSystems", "TestSlow", "TestLate"]),
        (5, [NOTHING, ""], ["TestSystems", "TestSlow", "TestLate"]),
        (7, [SAME, ""], ["TestSystems"]),
    ],
)
def test_a_slow_test_is_measured_for_the_mutant_that_comes_to_it(tests, number, outcome, measured):
    """What quick tests notice takes no slow one; what they do not meets all of them, until one fails."""
    some, begun = tests
    mutant = build.Mutant(number, "gadget/one/one.go", "f", "kind", 1, "place", "change")
    assert few.judge(mutant, some) == outcome
    assert begun == measured
    assert few.judge(mutant, some) == outcome
    assert begun == measured, "each is measured once"


def test_a_test_that_does_not_end_has_noticed(tests, monkeypatch):
    """A circuit that compiles for ever is none."""
    monkeypatch.setitem(REACHES, OWN, {6})
    some, _ = tests
    some.quick = [suite.Test(one.package, one.name, one.program, 0.1, frozenset({6})) for one in some.quick]
    mutant = build.Mutant(6, "gadget/one/one.go", "f", "kind", 1, "place", "change")
    assert few.judge(mutant, some) == [CIRCUIT, OWN]


def test_a_test_that_fails_without_a_mutant_ends_the_program(monkeypatch, tmp_path):
    """It would notice every mutant; one that does not end in time is left for later."""
    monkeypatch.setattr(suite, "WORK", tmp_path)
    outcomes = iter([(1, "it fails"), (None, "the time is over")])
    monkeypatch.setattr(suite, "execute", lambda *_, **__: next(outcomes))
    with pytest.raises(SystemExit, match="TestOne fails without a mutant: it fails"):
        suite.within(2.0, "equiproof/relation", tmp_path, "TestOne")
    assert suite.within(2.0, "equiproof/relation", tmp_path, "TestOne") is None
