"""TypeScript says sentences by the rows of answers.json: another row is another answer, a wrong one ends the build."""

import json
import shutil
import subprocess

import pytest

from equiproof.verifier.words import table
from tests.said import ROOT, TABLES
from tests.web.web import PACKAGE, refuse_or_skip, run

SENTENCES = table()["en"]

PROGRAM = """
import { readFileSync } from "node:fs";
import { build } from "esbuild";
import { sayings } from "./sayings.mjs";
import { tables } from "./tables.mjs";
const contents = 'export { answerOf, refusal } from "./answers.js"; export { parseCommitment } from "./index.js";';
const stdin = { contents, resolveDir: "src", loader: "ts" };
const options = { bundle: true, format: "esm", outfile: "said.mjs", logLevel: "silent", plugins: [sayings, tables] };
await build({ stdin, ...options });
const { answerOf, refusal, parseCommitment } = await import("./said.mjs");
const { spec } = parseCommitment(readFileSync(process.argv[2]));
const key = { setup: "ceremony", parties: 3, imported: false };
const of = (pins) => answerOf({ spec, label: 1, radiusSquared: 0n, key, pins }, "en");
const answers = { pinned: of({ model: "given", key: true }), open: of({ model: "given", key: false }) };
console.log(JSON.stringify({ ...answers, refused: refusal("model-differs", "", "en") }));
"""
MODULE = """
import { answersModule } from "%s";
const [table, words] = JSON.parse(process.argv[1]);
try { answersModule(table, words); } catch (error) { console.log(error.message); }
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """The sources and the tables, as they are."""
    refuse_or_skip()
    folder = tmp_path_factory.mktemp("lines")
    left = shutil.ignore_patterns("node_modules", "dist", "reasons.ts")
    shutil.copytree(PACKAGE, folder / "web" / "verifier", ignore=left)
    shutil.copytree(TABLES, folder / TABLES.relative_to(ROOT))
    (folder / "web" / "verifier" / "node_modules").symlink_to(PACKAGE / "node_modules")
    (folder / "web" / "verifier" / "program.mjs").write_text(PROGRAM)
    return folder


@pytest.fixture
def said(root):
    """A function that returns the answers where a part of a document has other rows."""

    def answers(kind="answer", part="checked", of=list):
        document = json.loads((TABLES / "answers.json").read_text(encoding="utf-8"))
        document[kind][part] = list(of(document[kind][part]))
        (root / TABLES.relative_to(ROOT) / "answers.json").write_text(json.dumps(document))
        return json.loads(
            run(
                "node",
                "program.mjs",
                ROOT / "tests" / "golden" / "loans" / "commitment.json",
                folder=root / "web" / "verifier",
            )
        )

    return answers


def test_a_changed_row_changes_the_answer(said):
    """What goes is not said, what turns is said in the other order, and a refusal reads the table too."""
    before = said()
    assert SENTENCES["checked.key"] in before["pinned"]["checked"]
    assert SENTENCES["checked.key"] not in before["open"]["checked"]
    after = said(of=lambda rows: [row for row in rows if row["say"] != "checked.key"])
    left = [line for line in before["pinned"]["checked"] if line != SENTENCES["checked.key"]]
    assert after["pinned"] == before["pinned"] | {"checked": left}
    turned = said("answer", "never_shown", reversed)["pinned"]["never_shown"]
    assert turned == before["pinned"]["never_shown"][::-1]
    after = said("refusal", "below", lambda rows: [rows[-1]])
    assert after["refused"]["below"] == [SENTENCES["below.do"]] != before["refused"]["below"]


@pytest.mark.parametrize(
    ("when", "pinned", "left_open"),
    [
        ({"key": ["ceremony"]}, 1, 0),
        ({"key": ["came"]}, 0, 1),
        ({"key": ["came", "ceremony"]}, 1, 1),
        ({"key": ["came"], "query": ["given"]}, 0, 0),
        ({}, 1, 1),
    ],
)
def test_a_condition_decides(said, when, pinned, left_open):
    """A sentence is said if each fact has one of the values."""
    found = said(of=lambda _: [{"say": "checked.key", "when": when}])
    assert found["pinned"]["checked"] == [SENTENCES["checked.key"]] * pinned
    assert found["open"]["checked"] == [SENTENCES["checked.key"]] * left_open


def test_the_other_fields_of_a_row(said):
    """Outcome and warning are the row's; a joined sentence goes on, one with a list is said for each entry."""
    before = said()["pinned"]
    found = said("answer", "heading", lambda rows: [row | {"outcome": "open"} for row in rows])["pinned"]
    assert (before["outcome"], found["outcome"], found["heading"]) == ("valid", "open", before["heading"])
    found = said("answer", "not_checked", lambda rows: [row | {"warning": True} for row in rows])["pinned"]
    assert all(line["warning"] for line in found["not_checked"])
    found = said("answer", "sentences", lambda rows: [rows[1], *(row | {"joined": True} for row in rows[2:])])["pinned"]
    assert found["sentences"] == [" ".join(before["sentences"])]
    found = said("answer", "about", lambda rows: [rows[-1], rows[-1]])["pinned"]
    assert found["below"] == ["It is about the model that you named and the model that you named."]
    found = said(of=lambda _: [{"say": "checked.values", "each": "sensitive"}] * 2)["pinned"]
    assert found["checked"] == [line for line in before["checked"] if line.startswith("It covers")] * 2 != []


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"say": "checked.other"}, "answers.json: checked: checked.other: no sentence checked.other in words.json"),
        ({"say": "checked.key", "when": {"color": ["red"]}}, "no fact color with the value red"),
        ({"say": "checked.key", "when": {"key": ["came", "gone"]}}, "no fact key with the value gone"),
        ({"say": "checked.key", "each": "others"}, "no list others"),
        ({"say": "below.about", "with": {"part": "about"}}, "no place part for a part about"),
        ({"say": "below.about", "with": {"parts": "plain"}}, "no place parts for a part plain"),
        ({"say": "outcome.valid", "outcome": "fine"}, "no outcome fine"),
        ({"say": "checked.key", "title of": "x"}, "answers.json: no plain names: checked.key title of:x"),
    ],
)
def test_a_row_that_names_what_is_not_there_ends_the_build(row, message):
    """The error names the row."""
    refuse_or_skip()
    document = json.loads((TABLES / "answers.json").read_text(encoding="utf-8"))
    document["answer"]["checked"].append(row)
    program = MODULE % (PACKAGE / "tables.mjs").as_uri()
    words = ["node", "--input-type=module", "-e", program, json.dumps([document, {"en": SENTENCES}])]
    assert message in subprocess.run(words, capture_output=True, text=True, check=True).stdout


def test_facts_are_those_of_the_table(package):
    """What is computed of each case of the vectors is a value that rows may ask for."""
    facts = json.loads((TABLES / "answers.json").read_text(encoding="utf-8"))["facts"]
    vectors = json.loads((ROOT / "tests" / "vectors" / "words.json").read_text(encoding="ascii"))
    for case in vectors["verified"]:
        computed = package.call("facts_of", json.dumps(vectors["specs"][case["spec"]]), case)
        assert {name: value for name, value in computed.items() if value not in facts.get(name, ())} == {}
