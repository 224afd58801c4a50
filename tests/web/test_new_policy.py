"""What a new policy takes in TypeScript: a row of the table, its sentences, its reason, and one class."""

import json

import pytest

from tests.support import ROOT
from tests.web.web import modules, run

ROW = {"NamesSensitive": {"argument": "sensitive", "field": "sensitive", "kind": "names", "fact": "spec",
                          "reasons": ["name-not-sensitive"], "covers": []}}  # fmt: skip
REASON = {"name-not-sensitive": {"class": "policy", "shown": "minimum"}}
SENTENCES = {
    "policy.name_not_sensitive": "{feature} is not sensitive, the policy requires that it is",
    "checked.sensitive_names": "{features} are sensitive",
}
CLASS = """
/** Require that the spec lists these features as sensitive. */
export class NamesSensitive implements Policy {
  readonly names: readonly string[];
  readonly covers = NOTHING;

  constructor(names: readonly string[]) {
    if (new Set(names).size < names.length) throw new SpecError("a name stands there twice");
    this.names = names;
  }

  check({ spec }: Facts): readonly string[] {
    const known = new Set(spec.sensitiveFeatures.map(({ name }) => name));
    const [feature] = this.names.filter((name) => !known.has(name));
    if (feature === undefined) return [sentence("checked.sensitive_names", { features: this.names.join(", ") })];
    throw refused(sentence("policy.name_not_sensitive", { feature }), "name-not-sensitive");
  }
}
"""
PROGRAM = """
import { NamesSensitive } from "./built/index.js";
import { refusal } from "./built/answers.js";
import { parsePolicy } from "./built/signers.js";
const facts = { spec: { sensitiveFeatures: [{ name: "sex" }] }, pins: {} };
const answers = JSON.parse(process.argv[2]).map((requires) => {
  const file = JSON.stringify({ format: "equiproof-policy", version: 2, requires });
  try {
    const { policies } = parsePolicy(new TextEncoder().encode(file), "policy.json");
    if (!(policies[0] instanceof NamesSensitive)) throw new Error(`${policies[0].constructor.name}`);
    return policies[0].check(facts);
  } catch (error) {
    return [error.name, error.reason, error.message, refusal(error.reason, "", "en", error.kind).outcome];
  }
});
console.log(JSON.stringify(answers));
"""
ASKED = {
    "nobody": ({"sensitive": []}, [" are sensitive"]),
    "met": ({"sensitive": ["sex"]}, ["sex are sensitive"]),
    "not met": (
        {"sensitive": ["sex", "age"]},
        ["PolicyError", "name-not-sensitive", "age is not sensitive, the policy requires that it is", "not-enough"],
    ),
    "no list": (
        {"sensitive": "sex"},
        ["CertificateFormatError", "wrong-fields", "policy.json: field requires.sensitive: want a list, not text",
         "not-a-certificate"],
    ),
    "means nothing": (
        {"sensitive": ["sex", "sex"]},
        ["CertificateFormatError", "wrong-fields", "policy.json: field requires.sensitive: a name stands there twice",
         "not-a-certificate"],
    ),
}  # fmt: skip


def add(file, rows):
    """Add rows to a table, or to the parts of it that have reasons or the sentences of a language."""
    table = json.loads(file.read_text())
    parts = {"reasons.json": ["reasons"], "messages.json": ["en", "de"]}.get(file.name)
    for part in [table] if parts is None else [table[name] for name in parts]:
        part.update(rows)
    file.write_text(json.dumps(table))


def test_a_policy_takes_a_row_and_a_class(copied):
    """Its field, its exports, its reason and how that is shown come into being without another change."""
    tables, package = copied / "go-gnark" / "verify" / "tables", copied / "web" / "verifier"
    for name, rows in (("policies", ROW), ("reasons", REASON), ("messages", SENTENCES)):
        add(tables / f"{name}.json", rows)
    with (package / "src" / "policy.ts").open("a") as source:
        source.write(CLASS)
    run("npm", "run", "check", folder=package)
    modules(package)
    (package / "asked.mjs").write_text(PROGRAM)
    asked = json.dumps([requires for requires, _ in ASKED.values()])
    assert json.loads(run("node", "asked.mjs", asked, folder=package)) == [said for _, said in ASKED.values()]


@pytest.mark.parametrize(
    ("row", "error"),
    [
        (ROW, "policies.json: no class NamesSensitive"),
        ({"KeyIs": {"field": "key", "kind": "hexes"}}, "policies.json: KeyIs: no kind of value hexes"),
    ],
)
def test_a_row_that_nothing_reads(copied, row, error):
    """A class or a kind of value that is missing here is named when the module is loaded."""
    add(copied / "go-gnark" / "verify" / "tables" / "policies.json", row)
    package = copied / "web" / "verifier"
    modules(package)
    with pytest.raises(AssertionError, match=f"RangeError: {error}"):
        run("node", "--input-type=module", "-e", 'import "./built/signers.js";', folder=package)


def test_every_policy_of_the_table_is_exported(package, signing):
    """TypeScript has each class of the table; one that it lacks would be listed here and in docs/verifiers.md."""
    lacking = set()
    table = json.loads((ROOT / "go-gnark" / "verify" / "tables" / "policies.json").read_text())
    assert set(table) - set(signing.ask("names")["value"]) == lacking
    ours = {name for name, row in table.items() if row["kind"] not in ("signers", "log") and row["fact"] != "gain"}
    assert ours <= set(package.ask("names")["value"])
