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
    return lists


def read(folder):
    """Return every row as TypeScript has it."""
    own = [name for name in imported() if name not in OWN]
    tables = ("messages", "written", "words")
    asked = {table: [(name, places(text)) for name, text in wanted()[table].items()] for table in tables}
    text = PROGRAM % {
        "source": PACKAGE / "src",
        "imports": "\n".join(f'import {name} from "{TABLES / name}.json";' for name in own),
        "asked": json.dumps(asked),
        "tables": ", ".join(own),
    }
    (folder / "said.ts").write_text(text, encoding="utf-8")
    program = folder / "said.mjs"
    options = ("--bundle", "--format=esm", "--platform=node", f"--outfile={program}", "--log-level=error")
    run(PACKAGE / "node_modules" / ".bin" / "esbuild", folder / "said.ts", *options)
    found = json.loads(run("node", program))
    return {**{name: rows(table) for name, table in found.pop("whole").items()}, **found}


def test_each_row_is_that_of_the_list(tmp_path):
    """A row that is gone or changed is listed, for each table that the sources import."""
    refuse_or_skip()
    refuse_differences(read(tmp_path), wanted())


def test_sources_import_tables():
    """The sentences are said by their ids."""
    assert {"messages", "written", "words"} <= set(imported())
    assert len(named()) > 150
