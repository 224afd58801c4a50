"""TypeScript reads each row of the tables that it uses as tests/golden/tables.json has it."""

import json
import re

from tests.said import ROOT, TABLES, listed, places, refuse_differences, rows
from tests.web.web import PACKAGE, refuse_or_skip, run

SOURCES = [path for path in (ROOT / "web").glob("*/src/**/*.ts") if "node_modules" not in path.parts]
OWN = ("messages", "written", "words", "names", "normal")
"""Tables that are not read as they stand: the sentences are asked for, and characters have tests of their own."""

OPTIONS = re.compile(r" \([^()]*--[^()]*\)")
"""Brackets with options of a command line, which TypeScript leaves out."""

PROGRAM = """
import { GERMAN } from "%(source)s/german.ts";
import { speak } from "%(source)s/language.ts";
import { sentence, written } from "%(source)s/sentence.ts";
import { Words } from "%(source)s/words.ts";
%(imports)s
const attempt = (say) => { try { return say(); } catch (error) { return String(error); } };
const asked = %(asked)s;
const messages = asked.messages.map(([row, values]) => {
  const [language, id] = row.split(" ");
  speak(language === "de" ? GERMAN : []);
  return [row, attempt(() => sentence(id, values))];
});
const texts = asked.written.map(([id, values]) => [id, attempt(() => written(id, values))]);
const words = asked.words.map(([id, values]) => {
  const [language, name] = id.split(" ");
  return [id, attempt(() => new Words(language).say(name, values))];
});
const said = { messages: Object.fromEntries(messages), words: Object.fromEntries(words) };
said.written = Object.fromEntries(texts);
console.log(JSON.stringify({ ...said, whole: { %(tables)s } }));
"""


FIELDS = """
import * as fields from "%(source)s/fields.ts";
import { Reader } from "%(source)s/reader.ts";
const { VALUES, ...documents } = fields;
const names = [...new Set(Object.values(documents).flatMap(Object.keys))].sort();
const asked = (kind) => (text) => {
  try {
    kind.read(new Reader(new TextEncoder().encode(text), ""), "field");
    return "";
  } catch (error) {
    return error.message;
  }
};
const inWords = (says) => {
  if (says("null") === "") return `${inWords((text) => (text === "null" ? "no" : says(text)))} or null`;
  const [, begins] = /want (.*), not/.exec(says("true") || says("[]"));
  if (begins === "text or a number") return "text or integer or number";
  if (begins === "an integer") return "integer";
  if (begins === "true or false") return begins;
  if (begins === "text") return says('"?"').replace(/^.* is not (?=one of )/, "") || begins;
  if (begins === "a list") {
    if (says("[]") === "") return `list of ${inWords((text) => says(`[${text}]`))}`;
    const each = inWords((text) => says(`[${text},${text}]`));
    return `list of 2: ${each}, ${each}`;
  }
  const within = (name) => (text) => says(`{"${name}":${text}}`).replace(/^.* want a field .*/, "");
  const has = (name) => !says(`{"${name}":`).includes("want no field");
  if (has("?")) return `object of ${inWords(within("?"))}`;
  return `{${names.filter(has).map((name) => `${name}: ${inWords(within(name))}`).join(", ")}}`;
};
const described = (kind) => ({ type: inWords(asked(kind)), required: kind.absent === undefined });
const each = (all, call) => Object.fromEntries(Object.entries(all).map(([name, one]) => [name, call(one)]));
const values = each(VALUES, (kind) => inWords(asked(kind)));
console.log(JSON.stringify({ documents: each(documents, (all) => each(all, described)), values }));
"""
"""Says in words what each field reads, by what is said of texts of other types."""

HEADS = re.compile(r"(list of 2: |list of |object of )(.+)")


def imported():
    """Return the names of the tables that sources import."""
    texts = "".join(path.read_text(encoding="utf-8") for path in SOURCES)
    return sorted(set(re.findall(r'from "[./]+/go-gnark/verify/tables/(\w+)\.json"', texts)))


def named(function="sentence"):
    """Return the sentences that sources say by a function, by their ids."""
    texts = "".join(path.read_text(encoding="utf-8") for path in SOURCES if path.name != "sentence.ts")
    return sorted(set(re.findall(rf'(?<![.\w]){function}\(\s*"([a-z0-9_.]+)"', texts)))


def wanted():
    """Return the list, of the sentences those that the sources say, without brackets that name options."""
    lists = listed()
    rows_of = {"messages": [f"{language} {name}" for language in ("en", "de") for name in named()]}
    for table, names in (rows_of | {"written": named("written")}).items():
        lists[table] = {name: OPTIONS.sub("", lists[table].get(name, "")) for name in names}
    parts = {}
    for name, row in listed()["documents"].items():
        if not name.startswith("values ") and not name.endswith(" since"):
            parts.setdefault(name.split(" ")[1], {})[name.split(" ")[-1]] = row["type"]
    # Since when there is a document decides nothing here.
    lists["documents"] = {
        name: row | {"type": written_out(row["type"], parts)} if isinstance(row, dict) else written_out(row, parts)
        for name, row in lists["documents"].items()
        if not name.endswith(" since")
    }
    return lists


def written_out(words, parts):
    """Return a type in words with the fields of each part in place of its name; those of policies are elsewhere."""
    base, null, _ = words.partition(" or null")
    head = HEADS.fullmatch(base)
    if head and head[1] == "list of 2: ":
        first, second = (written_out(one, parts) for one in head[2].split(", "))
        base = f"{head[1]}{first}, {second}"
    elif head:
        base = head[1] + written_out(head[2], parts)
    elif base in (*parts, "Requirements", "ContextRequirement"):
        fields = sorted(parts.get(base, {}).items())
        base = f"{{{', '.join(f'{name}: {written_out(kind, parts)}' for name, kind in fields)}}}"
    return base + null


def constant(name):
    """Return what has the fields of a document or of a part in TypeScript."""
    return re.sub("(?<=[a-z])(?=[A-Z])", "_", name.removeprefix("equiproof-")).replace("-", "_").upper()


def fields(folder):
    """Return the rows of documents as the package reads them; a build writes what does so by the table."""
    # A build ends at a row of another form: the test lists them.
    table = rows(json.loads((TABLES / "documents.json").read_text(encoding="utf-8")))
    formless = {
        name: row
        for name, row in table.items()
        if isinstance(row, dict) and len(row.keys() & {"type", "required"}) == 1
    }
    if formless:
        return wanted()["documents"] | formless
    tables = {row.rsplit(" ", 1)[0] for row in wanted()["documents"]} - {"values"}
    owners = {constant(table.split(" ")[1]): table for table in tables}
    run("node", "tables.mjs")
    found = asked(folder, FIELDS % {"source": PACKAGE / "src"})
    said = {f"values {kind}": words for kind, words in found["values"].items()}
    for name, own in found["documents"].items():
        said |= {f"{owners.get(name, name)} {field}": row for field, row in own.items()}
    return said


def asked(folder, text):
    """Return what a program prints as JSON."""
    (folder / "said.ts").write_text(text, encoding="utf-8")
    program = folder / "said.mjs"
    options = ("--bundle", "--format=esm", "--platform=node", f"--outfile={program}", "--log-level=error")
    run(PACKAGE / "node_modules" / ".bin" / "esbuild", folder / "said.ts", *options)
    return json.loads(run("node", program))


def read(folder):
    """Return every row as TypeScript has it."""
    own = [name for name in imported() if name not in OWN]
    tables = ("messages", "written", "words")
    said = {table: [(name, places(text)) for name, text in wanted()[table].items()] for table in tables}
    text = PROGRAM % {
        "source": PACKAGE / "src",
        "imports": "\n".join(f'import {name} from "{TABLES / name}.json";' for name in own),
        "asked": json.dumps(said),
        "tables": ", ".join(own),
    }
    found = asked(folder, text)
    whole = {name: rows(table) for name, table in found.pop("whole").items()}
    return {**whole, **found, "documents": fields(folder)}


def test_each_row_is_that_of_the_list(tmp_path):
    """A row that is gone or changed is listed, for each table that the sources import."""
    refuse_or_skip()
    refuse_differences(read(tmp_path), wanted())


def test_sources_import_tables():
    """The sentences are said by their ids."""
    assert {"messages", "written", "words"} <= set(imported())
    assert len(named()) > 150
