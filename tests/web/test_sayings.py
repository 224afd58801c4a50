"""Sentences of the shared table in TypeScript: builds put them in place of their ids."""

import json
import re
import subprocess

import pytest

from tests import node
from tests.support import ROOT
from tests.web.web import PACKAGE

MESSAGES = {"a.plain": "it is so", "a.filled": "{first} of {second}, `quoted` for ${first_sum}"}
GERMAN = {"a.plain": "so ist es", "a.filled": "von {second} {first}, `zitiert` für ${first_sum}"}
WRITTEN = {"w.plain": "nothing but this", "w.filled": "all {count}"}

PROGRAM = """
import { inPlace, numbered } from "%s";
const [text, tables, numbers] = JSON.parse(process.argv[1]);
try { console.log(JSON.stringify(numbers ? numbered(text, tables) : { text: inPlace(text, tables) })); }
catch (error) { console.log(JSON.stringify({ error: error.message })); }
"""


def said(text, messages=MESSAGES, *, numbers=False):
    """Return what a build makes of a module, or of scripts that get numbers, or the error that ends it."""
    node.refuse_or_skip(None if (PACKAGE / "node_modules" / ".installed").exists() else "no packages of npm", "web")
    tables = {"messages": {"en": messages, "de": GERMAN}, "written": WRITTEN}
    program = PROGRAM % (PACKAGE / "sayings.mjs").as_uri()
    words = ["node", "--input-type=module", "-e", program, json.dumps([text, tables, numbers])]
    return json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)


def test_sentences_stand_in_place_of_ids():
    """Values stay expressions, with commas and brackets of their own; a sentence's own signs are escaped."""
    call = 'sentence("a.filled", { second: f(a, "}"), first: [1, 2].join(", "), first_sum })'
    more = 'const two = words.say("a.plain");\n'
    text = f'import {{ sentence }} from "../a/sentence.js";\nexport const one = {call};\n{more}'
    wanted = 'said("a.filled")`${[1, 2].join(", ")} of ${f(a, "}")}, \\`quoted\\` for \\$${first_sum}`'
    imported = 'import { said } from "../a/language.js";\n'
    assert said(text) == {"text": f"{imported}export const one = {wanted};\n{more}"}
    plain = 'said("a.plain")`it is so`'
    assert said('x = sentence("a.plain") + sentence( "a.plain" );') == {"text": f"x = {plain} + {plain};"}
    nested = 'sentence("a.filled", { first: sentence("a.plain"), second: 1, first_sum: 2 })'
    assert plain in said(nested)["text"]


def test_what_a_document_is_called_is_a_sentence():
    """It has the id of its kind's mark, whose number it gets."""
    messages = MESSAGES | {"kind.equiproof-box": "a box"}
    text = 'import { called, sentence } from "../a/sentence.js";\nz = called("equiproof-box") + sentence("a.plain");'
    wanted = 'z = said("kind.equiproof-box")`a box` + said("a.plain")`it is so`;'
    assert said(text, messages) == {"text": f'import {{ said }} from "../a/language.js";\n{wanted}'}
    assert said('called("equiproof-box")') == {"error": "messages.json has no sentence kind.equiproof-box"}


def test_a_sentence_of_a_document_has_one_language():
    """What is written stands there as it is, and nothing looks for it in another language."""
    assert said('y = written("w.plain") + written("w.filled", { count: n });') == {
        "text": "y = `nothing but this` + `all ${n}`;"
    }
    assert said('written("a.plain")') == {"error": "written.json has no sentence a.plain"}


def test_ids_become_numbers():
    """All scripts of a build have the same numbers; places of the German list are numbered as in English."""
    scripts = ['a("a.plain")`it is so`;b("a.filled")`${x}`', 'c("a.plain")`it is so`;d("a.plain")']
    assert said(scripts, numbers=True) == {
        "scripts": ["a(1)`it is so`;b(0)`${x}`", 'c(1)`it is so`;d("a.plain")'],
        "german": ["von {1} {0}, `zitiert` für ${2}", "so ist es"],
    }


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("that it is yours (give the file: --query)", "that it is yours"),
        ("name keys (--keys), or signers (--signed-by, or --transcript) of them", "name keys, or signers of them"),
        ("the key (set-up: ceremony) of --keys", "the key (set-up: ceremony) of --keys"),
    ],
)
def test_brackets_with_options_are_left_out(text, left):
    """Options are of a command line: what stands in brackets about them goes, and nothing else."""
    assert said('sentence("a.text")', {"a.text": text}) == {"text": f'said("a.text")`{left}`'}


@pytest.mark.parametrize(
    ("call", "error"),
    [
        ('sentence("a.unknown")', "messages.json has no sentence a.unknown"),
        ('sentence("a.filled", { first })', "a.filled: want first,second,first_sum"),
        ('sentence("a.plain", { first })', "a.plain: want "),
        ('sentence("a.filled", { ...values })', "not a value with a name: ...values"),
    ],
)
def test_a_build_refuses_what_the_table_lacks(call, error):
    """An unknown id, a missing or surplus value, and values without names end the build by name."""
    assert said(call) == {"error": error}


def test_every_call_names_its_sentence():
    """Each call in the sources has an id in quotation marks, so that builds find it."""
    sources = [path for path in (ROOT / "web").glob("*/src/**/*.ts") if path.name != "sentence.ts"]
    texts = [path.read_text(encoding="utf-8") for path in sources]
    calls = [call for text in texts for call in re.findall(r"(?<![.\w])(?:sentence|written)\((?:\s*.{3})?", text)]
    assert len(calls) > 200
    assert not [call for call in calls if not re.match(r'(?:sentence|written)\(\s*"[a-z]', call)]
