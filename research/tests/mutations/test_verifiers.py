"""Mutants of the verifiers: what may be changed, which are drawn, and what their page says of them."""

import json
import math
from dataclasses import asdict

import pytest

from research.mutations import again as tried_again
from research.mutations import python_changes, python_mutants, typescript_mutants, verifiers, verifiers_page
from research.mutations.sample import Mutant, sampled, score, shares, wilson
from research.mutations.trial import COUNTED, HOWS, NOTICED, SURVIVES, UNTYPED, Outcome
from tests.support import ROOT

SOURCE = '''"""A docstring."""

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    LIMIT = 3
if not TYPE_CHECKING:
    LIMIT = 3


@cached
def checked(values: tuple[int, int], name: str = "one") -> bool:
    """Check values."""
    require(values)
    if values[0] < 8 and not name:
        raise ValueError(say("an.id", name=name), "two words")
    return cast("bool", [one for one in values if one])
'''


def changes(source=SOURCE):
    """Return the changes of a source: kind, before and after."""
    return [(one.kind, one.before, one.after) for one in python_changes.mutants("a.py", source)]


@pytest.mark.parametrize(
    "change",
    [
        ("statement left out", "require(values)", "pass"),
        ("statement left out", 'raise ValueError(say("an.id", name=name), "two words")', "pass"),
        ("condition turned", "if one", "if not (one)"),
        ("number one more", "8", "9"),
        ("other operator", "< 8", "<= 8"),
        ("other operator", "values[0] < 8 and not name", "values[0] < 8 or not name"),
        ("negation dropped", "not name", "name"),
        ("other string", '"one"', '"XXoneXX"'),
        ("argument dropped or none", "require(values)", "require(None)"),
    ],
)
def test_checks_are_weakened(change):
    """Each way in which a check may be weakened is among the changes, in decorated functions as in others."""
    assert change in changes()


def test_words_and_types_are_left_alone():
    """No change is of an annotation, a docstring, a sentence or its id, an import, or what is said of types."""
    places = {before for _, before, _ in changes()}
    assert places.isdisjoint({"3", '"bool"', '"an.id"', '"two words"', '"""A docstring."""', '"""Check values."""'})
    assert not any("TYPE_CHECKING" in place or "cast" in place for place in places)


def test_a_change_is_applied_where_it_is():
    """Each change gives another text than the others at its line, which is Python, and leaves all other lines alone."""
    before = SOURCE.splitlines()
    for one in python_changes.mutants("a.py", SOURCE):
        text = python_changes.applied(one, SOURCE)
        compile(text, "a.py", "exec")
        after = text.splitlines()
        assert [at for at, line in enumerate(before, start=1) if after[at - 1] != line] == [one.line], one
    with pytest.raises(LookupError, match=r"a\.py has no such change"):
        python_changes.applied(python_changes.mutants("a.py", SOURCE)[0], "one = two\n")


def test_a_place_runs_with_its_statement():
    """The lines of a place are those of its statement, of one with a block those of its head."""
    source = "def one(\n    two=2,\n):\n    return three(\n        4,\n    )\n"
    lines = {one.before: one.lines for one in python_changes.mutants("a.py", source)}
    assert (lines["2"], lines["4"]) == ((1, 3), (4, 6))


def mutants(file, number, variants=1):
    """Return mutants of a file, with several changes of each place."""
    return [
        Mutant(file, line, 0, "number one more", str(line), "1", variant, (line, line))
        for line in range(number)
        for variant in range(variants)
    ]


def test_a_sample_is_of_all_files():
    """Places are drawn in proportion, each once however many changes it has, and no file is left out."""
    whole = [*mutants("a", 60), *mutants("b", 30, variants=5), *mutants("c", 1)]
    chosen = sampled(whole, 30, "seed")
    count = {file: sum(one.file == file for one in chosen) for file in "abc"}
    assert count == {"a": 20, "b": 9, "c": 1} or count == {"a": 19, "b": 10, "c": 1}
    assert len({(one.file, one.line) for one in chosen}) == 30
    assert chosen == sampled(whole, 30, "seed") != sampled(whole, 30, "other")
    assert len(sampled(whole, 1000, "seed")) == 91


@pytest.mark.parametrize("number", [0, 1, 2, 3, 7, 50, 99, 100, 1000])
def test_shares_add_up(number):
    """Shares add up to the number wanted, or to all there are; a file with one place has no more."""
    sizes = {"a": 70, "b": 29, "c": 1}
    given = shares(sizes, number)
    assert sum(given.values()) == min(number, 100)
    assert all(0 <= given[file] <= sizes[file] for file in sizes)


@pytest.mark.parametrize(("noticed", "tried"), [(0, 10), (1, 2), (95, 100), (950, 1000), (10, 10)])
def test_the_interval_is_wilsons(noticed, tried):
    """Each end is a share from which what was seen is as far as the quantile allows; 0 and 1 are ends themselves."""
    share = noticed / tried
    for end in wilson(noticed, tried):
        true = end / 100
        assert math.isclose(
            (share - true) ** 2, 1.959963984540054**2 * true * (1 - true) / tried, rel_tol=1e-9, abs_tol=1e-12
        )
    assert wilson(0, 0) == (0, 100)


def test_a_score_has_its_interval():
    """Nineteen of twenty are 95 %, which says little about the others."""
    assert score([True] * 19 + [False]) == "95.0 % (76.4 to 99.1)"


def test_the_sources_of_both_languages():
    """The contract's files are mutated: the room of the verifier, five of the circuits, and the package's sources."""
    python, typescript = python_mutants.files(), typescript_mutants.files()
    assert {"equiproof/verifier/verify.py", "equiproof/circuits/statement.py"} < set(python)
    circuits = {file.removeprefix("equiproof/circuits/").partition("/")[0] for file in python if "circuits" in file}
    assert circuits == {"encodings", "reach.py", "spec.py", "statement.py", "units.py"}
    assert {"web/verifier/src/verify.ts", "web/verifier/src/encodings/log.ts"} < set(typescript)
    assert all((ROOT / file).is_file() for file in (*python, *typescript))
    assert not any(file.endswith((".d.ts", "/fields.ts", "/reasons.ts")) for file in typescript)


@pytest.mark.parametrize(
    ("since", "main", "commits", "base"),
    [
        ("v1", "refs/remotes/origin/main\n", "b\na\n", "v1"),
        ("", "refs/remotes/origin/main\n", "b\na\n", "refs/remotes/origin/main"),
        ("", "", "b\na\n", "a"),
        ("", "", "b\n", None),
    ],
)
def test_what_changed_is_seen_from_a_commit(monkeypatch, since, main, commits, base):
    """The commit that is named, else origin/main, else the last one but one; a checkout of one commit has no change."""
    told = {"for-each-ref": main, "rev-list": commits, "diff": "one.py\n"}
    asked = []
    monkeypatch.setattr(verifiers, "run", lambda folder, *words: asked.append(words) or told[words[1]])
    assert verifiers.changed(since) == ({"one.py"} if base else set())
    assert [words[3] for words in asked if words[1] == "diff"] == ([base] if base else [])


def test_mutants_of_typescript_are_at_their_lines():
    """Sentences are put in first, over several lines of the source; they and templates are no mutants."""
    file = typescript_mutants.files()[0].rpartition("/")[2]
    source = (ROOT / "web" / "verifier" / "src" / file).read_text(encoding="utf-8").split("\n")
    text = "\n".join([*source[:2], "`a sentence`", *source[5:]])
    rows = [
        {"id": str(number), "file": file, "kind": kind, "line": line, "at": 0, "before": before, "after": '""'}
        for number, (kind, line, before) in enumerate(
            [
                ("StringLiteral", 1, '"word"'),
                ("StringLiteral", 3, "`a sentence`"),
                ("StringLiteral", 4, '"two words"'),
                ("ConditionalExpression", 4, "one"),
                ("ConditionalExpression", 4, "one"),
            ]
        )
    ]
    switches = typescript_mutants._mutants({"texts": {file: text}, "mutants": rows})
    assert [(one.line, one.kind, one.variant, switch) for one, switch in switches.items()] == [
        (1, "other string", 0, "0"),
        (6, "condition fixed", 0, "3"),
        (6, "condition fixed", 1, "4"),
    ]


def result(how, line, language="python"):
    """Return a result of one mutant."""
    one = {"language": language, "file": f"{language}.x", "line": line, "at": 0, "kind": "number one more"}
    return one | {"variant": 0, "how": how, "before": str(line), "after": str(line + 1), "test": "", "lines": [1, 1]}


def test_the_page_is_of_the_results(tmp_path, monkeypatch):
    """A row counts each outcome; what a test notices, or what does not load, is in the score; the rest is listed."""
    arguments = tmp_path / "verifiers.toml"
    arguments.write_text(
        '[[survivor]]\nfile = "python.x"\nreason = "Twice as slow."\nmutants = [["number one more", "8", "9"]]\n'
    )
    monkeypatch.setattr(verifiers_page, "SURVIVORS", arguments)
    monkeypatch.setattr(verifiers_page, "RESULTS", tmp_path / "results.json")
    some = [*(result(how, line) for line, how in enumerate(HOWS)), result(SURVIVES, 8), result(NOTICED, 9)]
    verifiers_page.keep({"commit": "0" * 40, "seed": "1", "places": {"python": {"python.x": 50}}, "mutants": some})
    kept = json.loads(verifiers_page.RESULTS.read_text())
    assert [("before" in one) for one in kept["mutants"]] == [one["how"] not in COUNTED for one in some]
    text = verifiers_page.page(kept)
    assert "| `python.x` | 50 | 8 | 2 | 1 | 1 | 1 | 2 | 1 | 50.0 % (21.5 to 78.5) |" in text
    assert "\nTwice as slow.\n\n- `python.x`, line 8, survives: number one more, `8` becomes `9`\n" in text
    assert text.endswith("`5` becomes `6`\n")
    assert verifiers_page.argued() == {("python.x", "number one more", "8", "9")}


def test_the_page_tells_what_was_tried_again(tmp_path, monkeypatch):
    """What the sample says of all places is by its first try; the tables have what tests notice that were added."""
    monkeypatch.setattr(verifiers_page, "SURVIVORS", tmp_path / "none.toml")
    monkeypatch.setattr(verifiers_page, "RESULTS", tmp_path / "results.json")
    some = [result(how, line) for line, how in enumerate([NOTICED] * 6 + [SURVIVES] * 2)]
    results = {"commit": "0" * 40, "seed": "1", "places": {"python": {"python.x": 50}}}
    verifiers_page.keep({**results, "mutants": some})
    before = verifiers_page.page(json.loads(verifiers_page.RESULTS.read_text()))
    assert "Of 50 places 8 were tried; by this sample between 40.9 % and 92.9 % of all are noticed.\n" in before
    some[5] |= {"again": "a" * 40}
    some[6] |= {"again": "b" * 40}
    verifiers_page.keep({**results, "mutants": some})
    after = verifiers_page.page(json.loads(verifiers_page.RESULTS.read_text())).replace("\n", " ")
    assert "between 30.6 % and 86.3 % of all are noticed by the tests of that commit: 5 were, 62.5 %." in after
    assert "Of the 3 others, tests that were added since notice 1 (commits `aaaaaaaaaaaa`), so" in after
    assert "| all | 50 | 8 | 6 | 0 | 0 | 0 | 2 | 0 | 75.0 % (40.9 to 92.9) |" in after


def test_the_page_says_what_is_kept():
    """Where results are kept, the page is made from them; there is none without, and no argument without its mutant."""
    assert verifiers_page.PAGE.exists() == verifiers_page.RESULTS.exists()
    if verifiers_page.RESULTS.exists():
        kept = json.loads(verifiers_page.RESULTS.read_text(encoding="utf-8"))
        assert verifiers_page.PAGE.read_text(encoding="utf-8") == verifiers_page.page(kept)
        left = {verifiers_page.key(one) for one in kept["mutants"] if one["how"] not in COUNTED}
        assert verifiers_page.argued() <= left


class Tried:
    """A suite whose tests notice nothing but what they are told, and a type checker that knows one mutant."""

    def __init__(self, noticed=(), untyped=(), population=()):
        self.noticed, self.untyped, self.judged = noticed, untyped, []
        self.mutants = [*population] or mutants("a", 4)

    def ready(self, tests=()):
        """Stand for the module of a language too."""
        self.tests = [*tests]
        return self

    def files(self):
        """Name the source."""
        return ["a"]

    def population(self):
        """List the mutants, by default four."""
        return self.mutants

    def judge(self, mutant):
        """Try one."""
        self.judged.append(mutant.line)
        return Outcome(NOTICED if mutant.line in self.noticed else SURVIVES)

    def complaint(self, mutant):
        """Say what does not fit."""
        return "no type" if mutant.line in self.untyped else ""


@pytest.fixture
def argued(tmp_path, monkeypatch):
    """One mutant may survive."""
    arguments = tmp_path / "verifiers.toml"
    arguments.write_text('[[survivor]]\nfile = "a"\nreason = "Equal."\nmutants = [["number one more", "3", "1"]]\n')
    monkeypatch.setattr(verifiers_page, "SURVIVORS", arguments)


@pytest.fixture
def run_of(tmp_path, monkeypatch, argued):
    """Runs a suite: with the seed and the options of a run, under a commit."""

    def run(suite, *words, commit="c"):
        monkeypatch.setattr(verifiers, "LANGUAGES", {"python": suite})
        monkeypatch.setattr("sys.argv", ["verifiers", *words])
        options = verifiers.given()
        head = {"commit": commit, "state": commit, "seed": options.seed}
        journal = verifiers.Journal(tmp_path / "journal", head, options.resume)
        verifiers.tried("python", options, journal)
        return {one["line"]: one["how"] for one in journal.outcomes.values()}

    return run


def test_a_run_goes_on_where_it_was(run_of):
    """What tests do not notice is given to the type checker, and what was tried is not tried again."""
    outcomes = {0: NOTICED, 1: UNTYPED, 2: SURVIVES, 3: SURVIVES}
    first, resumed = Tried(noticed=[0], untyped=[1]), Tried()
    assert run_of(first) == run_of(resumed, "--resume") == outcomes
    assert (sorted(first.judged), resumed.judged) == ([0, 1, 2, 3], [])


@pytest.fixture
def again_of(tmp_path, monkeypatch, argued):
    """Tries again what results of four mutants call unnoticed, in files but those that changed; returns the results."""
    monkeypatch.setattr(verifiers_page, "RESULTS", tmp_path / "results.json")
    monkeypatch.setattr(verifiers_page, "PAGE", tmp_path / "page.md")
    rows = [{"language": "python", **asdict(one), "how": SURVIVES} for one in [*mutants("a", 4), *mutants("b", 1)]]
    rows[0]["how"] = NOTICED
    places = {"python": {"a": 4, "b": 1}}
    verifiers_page.keep({"commit": "old", "seed": "1", "places": places, "mutants": rows})

    def again(suite, *words, changed="", commit="c"):
        told = {"rev-parse": commit, "diff": changed}
        monkeypatch.setattr(tried_again, "run", lambda _, *words: told[words[1]])
        monkeypatch.setattr(verifiers, "LANGUAGES", {"python": suite})
        monkeypatch.setattr("sys.argv", ["verifiers", "--again", *words])
        with pytest.raises(SystemExit) as ended:
            verifiers.main()
        found = json.loads(verifiers_page.RESULTS.read_text())
        assert verifiers_page.PAGE.exists() == any("again" in one for one in found["mutants"])
        assert found["commit"] == "old"
        return {
            (one["file"], one["line"]): (one["how"], one.get("again")) for one in found["mutants"]
        }, ended.value.code

    return again


def test_what_no_test_notices_is_tried_again(again_of):
    """Not what was noticed, and not what is argued; each says which commit's tests tried it, and the rest stays."""
    whole = [*mutants("a", 4), *mutants("b", 1)]
    suite = Tried(noticed=[2], population=whole)
    outcomes, code = again_of(suite)
    assert suite.judged == [1, 2, 0]
    assert outcomes == {
        ("a", 0): (NOTICED, None), ("a", 1): (SURVIVES, "c"), ("a", 2): (NOTICED, "c"), ("a", 3): (SURVIVES, None),
        ("b", 0): (SURVIVES, "c"),
    }  # fmt: skip
    assert code == 1
    later = Tried(noticed=[0, 1, 2, 3], population=whole)
    outcomes, code = again_of(later, commit="d")
    assert (later.judged, code) == ([1, 0], 0)
    assert [outcomes["a", line][1] for line in range(4)] == [None, "d", "c", None]


def test_some_tests_alone_may_be_asked(again_of):
    """What they notice is noticed; of the rest they say nothing."""
    suite = Tried(noticed=[2])
    outcomes, code = again_of(suite, "--tests", "a.py::b", "c.py")
    assert (suite.tests, suite.judged, code) == (["a.py::b", "c.py"], [1, 2], 1)
    assert [outcomes["a", line] for line in (1, 2)] == [(SURVIVES, None), (NOTICED, "c")]


@pytest.mark.parametrize(
    ("words", "changed", "population", "judged"),
    [
        ([], "a\n", [*mutants("a", 4), *mutants("b", 1)], [0]),
        ([], "a\nb\n", [*mutants("a", 4), *mutants("b", 1)], []),
        (["--file", "b"], "", [*mutants("a", 4), *mutants("b", 1)], [0]),
        (["--minutes", "0"], "", [*mutants("a", 4), *mutants("b", 1)], []),
        ([], "", mutants("a", 2), [1]),
    ],
)
def test_only_what_stands_as_it_was_is_tried_again(again_of, words, changed, population, judged):
    """A file that has changed may have another mutant at the place; nor is one tried that is not there any more."""
    suite = Tried(population=population)
    again_of(suite, *words, changed=changed)
    assert suite.judged == judged


def test_a_seed_draws_places_and_their_order(run_of):
    """Equal seeds try the same places in the same order, and others others."""
    orders = set()
    for seed in ("1", "1", "2", "3", "4"):
        suite = Tried(noticed=[0, 1, 2, 3])
        run_of(suite, "--seed", seed, "--sample", "3")
        orders.add(tuple(suite.judged))
    assert {len(order) for order in orders} == {3}
    assert len(orders) > 1
    assert any(list(order) != sorted(order) for order in orders)
    assert len({tuple(sorted(order)) for order in orders}) > 1


def test_a_run_ends_with_its_minutes(run_of):
    """No mutant is begun when they are over; a later run goes on with the same sample."""
    assert run_of(Tried(), "--minutes", "0") == {}
    assert len(run_of(Tried(), "--minutes", "9", "--resume")) == 4


@pytest.mark.parametrize("words", [[], ["--seed", "2"]])
def test_other_runs_are_not_gone_on_with(run_of, words):
    """Outcomes are of one sample of sources that stand as they were."""
    run_of(Tried(), commit="old")
    with pytest.raises(
        SystemExit, match="the sources or the seed are not those of the last run: start without --resum"
    ):
        run_of(Tried(), "--resume", *words, commit="c" if not words else "old")


@pytest.mark.parametrize("other", ["--resume", "--since"])
def test_again_is_of_what_is_kept(run_of, capsys, other):
    """It goes on with no run, and asks for no commit."""
    with pytest.raises(SystemExit):
        run_of(Tried(), "--again", other)
    assert "--again is of the results that are kept" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        run_of(Tried(), "--tests", "a.py")
    assert "--tests goes with --again" in capsys.readouterr().err
