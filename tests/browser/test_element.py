"""`<equiproof-certificate>` in a lender's page under a strict policy: what it takes, shows and tells."""

import gzip
import json
import re

import pytest

from equiproof.verifier.presented import of_bundle, parse_bundle
from tests.browser import checker
from tests.browser.browser import PHONE
from tests.browser.test_page import told, wanted
from tests.support import ROOT
from tests.vectors.vector import CERTIFICATE, bundle_base, certificate_base
from tests.web.web import PACKAGE, refuse_or_skip, run

TABLES = ROOT / "go-gnark" / "verify" / "tables"

FOLDER = checker.WEB / "element"
MANIFEST = json.loads((FOLDER / "custom-elements.json").read_text(encoding="utf-8"))
(CLASS,) = MANIFEST["modules"][0]["declarations"]
SOURCES = {path.name: path.read_text(encoding="utf-8") for path in (FOLDER / "src").glob("*.ts")}
MOST, MOST_GZIPPED = 176_400, 63_200

ONE = "<equiproof-certificate%s></equiproof-certificate>"
INSIDE = "document.querySelector('equiproof-certificate').shadowRoot"
SENTENCES = f"[...{INSIDE}.querySelectorAll('.answer li')].map((one) => one.textContent)"
OUTCOME = f"{INSIDE}.querySelector('[role=status]').textContent"


def loans():
    """Return the fingerprint of the published model."""
    return json.loads(certificate_base("loans")[CERTIFICATE])["statement"]["model_commitment"]


def named(key):
    """Return the names that the manifest lists."""
    return {one["name"] for one in CLASS[key]}


def test_a_certificate_is_checked_where_it_stands(browser, lender):
    """It says what Python says, tells the page, asks for its file alone, and the page's policy has no complaint."""
    lender(ONE % ' src="mine.equiproof"')
    ((kind, detail),) = browser.js("said")
    assert (kind, detail["answer"]) == ("verified", wanted("loans"))
    assert detail["model"] == loans()
    assert browser.js(SENTENCES) == told(wanted("loans")["sentences"])
    assert browser.js(OUTCOME).startswith("The proof holds. The model is not confirmed yet.")
    log = browser.log()
    assert log["said"] == []
    assert [address.removeprefix(checker.SITE) for address in log["asked"]] == [
        "", "said.js", "equiproof-certificate.js", "mine.equiproof",
    ]  # fmt: skip


@pytest.mark.parametrize("language", ["en", "de"])
def test_logarithms_on_a_phone(browser, lender, language):
    """Ends of bars that are factors away are said as in Python, and nothing stands outside of the window."""
    lender(ONE % f' src="mine.equiproof" lang="{language}"', PHONE)
    browser.js(
        "new Promise((done) => { const one = document.querySelector('equiproof-certificate');"
        f"one.addEventListener('verified', () => done(0), {{ once: true }});"
        f"one.bytes = Uint8Array.from({list(checker.bundle('logarithms'))}); }})"
    )
    spans = browser.js(f"[...{INSIDE}.querySelectorAll('.bars .span')].map((one) => one.textContent)")
    assert spans == told(bar["span"] for bar in wanted("logarithms", language)["bars"])
    assert browser.js("document.documentElement.scrollWidth") == PHONE[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("attributes", "kind", "outcome"),
    [
        (' src="mine.equiproof" commitment="{model}"', "verified", "The proof holds. Who made the key is open."),
        (' src="mine.equiproof" commitment="{other}"', "refused", "This certificate is not valid."),
        (
            ' src="certificate.json" commitment="commitment.json" keys="keys/key/"',
            "verified",
            "The proof holds. Who made the key is open.",
        ),
        (' src="mine.equiproof" keys="{other}"', "refused", "This certificate is not enough."),
        (' src="mine.equiproof" minimum="1.5"', "refused", "This certificate is not enough."),
        (' src="forged.equiproof"', "refused", "This certificate is not valid."),
        (' src="said.js"', "refused", "This file is not a certificate."),
        (' src="certificate.json"', "unavailable", "The certificate could not be loaded."),
        (' src="missing.equiproof"', "unavailable", "The certificate could not be loaded."),
        (' src="mine.equiproof" minimum="much"', "unavailable", "The certificate could not be loaded."),
        (' src="mine.equiproof" lang="de"', "verified", "Der Beweis stimmt. Das Modell ist noch nicht bestätigt."),
    ],
)  # fmt: skip
def test_attributes(browser, lender, attributes, kind, outcome):
    """Each attribute does what the README says; what it names is pinned."""
    lender(ONE % attributes.format(model=loans(), other="0" * 63 + "1"))
    assert [one[0] for one in browser.js("said")] == [kind]
    assert browser.js(OUTCOME).startswith(outcome)
    if kind == "refused":
        assert "granted" not in browser.js(f"{INSIDE}.querySelector('.box').textContent")


def test_a_ceremonys_key_and_a_model_are_pinned(browser, lender):
    """With digits of both from elsewhere, nothing is open."""
    presented = of_bundle(parse_bundle(bundle_base("ceremony"), "ceremony"), "ceremony")
    pins = presented.commitment.model_commitment, presented.key.document.transcript
    lender(ONE % ' src="ceremony.equiproof" commitment="{}" keys="{}"'.format(*pins))
    ((kind, detail),) = browser.js("said")
    assert (kind, detail["answer"]["outcome"]) == ("verified", "valid")
    assert browser.js(OUTCOME).startswith("The certificate is valid.")


def test_bytes_take_the_place_of_an_address(browser, lender):
    """Bytes of a bundle, or loose files by their names, are checked; what is set last counts; nothing is no check.

    A gain certificate is refused.
    """
    lender(ONE % ' src="missing.equiproof"')
    files = {name: list(data) for name, data in certificate_base("loans").items()}
    browser.js("window.one = document.querySelector('equiproof-certificate'); said.length = 0")
    browser.js("window.next = (kind) => new Promise((done) => "
               "one.addEventListener(kind, () => done(one.answer.heading), { once: true })); 0")  # fmt: skip
    assert browser.js("one.answer") is None
    loose = f"Object.fromEntries(Object.entries({json.dumps(files)}).map(([n, d]) => [n, Uint8Array.from(d)]))"
    for kind, value, heading in (
        ("refused", f"Uint8Array.from({list(checker.forged())})", "This certificate is not valid."),
        ("refused", f"Uint8Array.from({list(checker.gain())})", "This file is not a certificate."),
        ("verified", f"Uint8Array.from({list(checker.bundle())})", "The proof holds. The model is not confirmed yet."),
        ("verified", loose, "The proof holds. The model is not confirmed yet."),
    ):
        browser.js(f"window.waiting = next('{kind}'); one.bytes = {value}; 0")
        assert browser.js("waiting") == heading
    browser.js("said.length = 0; one.src = 1; one.setAttribute('src', 'mine.equiproof');"
               "one.bytes = Uint8Array.from([1]); one.bytes = undefined; 0")  # fmt: skip
    browser.js("new Promise((done) => setTimeout(done, 300))")
    assert [one[0] for one in browser.js("said")] == ["verified"]


def test_german_is_loaded_where_it_is_spoken(browser, lender):
    """Its sentences are one more file of the same place; without it the answer is in English."""
    german = ONE % ' src="mine.equiproof" lang="de"'
    lender(german)
    assert browser.js(OUTCOME).startswith("Der Beweis stimmt.")
    assert browser.js("said")[0][1]["answer"]["language"] == "de"
    assert f"{checker.SITE}equiproof-certificate.de.js" in browser.log()["asked"]
    lender(german, without=["/equiproof-certificate.de.js"])
    assert browser.js(OUTCOME).startswith("The proof holds.")
    assert browser.js("said")[0][0] == "verified"


def test_the_technical_reason_is_german_too(browser, lender):
    """It comes with the German sentences, and without them it is English like the answer."""
    for without, reason in (
        ([], "not-json: : kein gültiges JSON: "),
        (["/equiproof-certificate.de.js"], "not-json: : not valid JSON: "),
    ):
        lender(ONE % ' src="mine.equiproof" lang="de"', without=without)
        browser.js("document.querySelector('equiproof-certificate').bytes = Uint8Array.from([1]); 0")
        browser.js("new Promise((done) => setTimeout(done, 500))")
        assert browser.js(f"{INSIDE}.querySelector('[part=technical] p').textContent").startswith(reason)


@pytest.mark.slow
def test_language_and_headings_follow_the_page(browser, lender):
    """The language is that of its place, headings have the level that is set, and nothing is checked again."""
    lender('<section lang="de">' + ONE % ' src="mine.equiproof" heading="3"' + "</section>")
    assert browser.js(OUTCOME).startswith("Der Beweis stimmt.")
    levels = f"[...new Set([...{INSIDE}.querySelectorAll('h1,h2,h3,h4,h5,h6')].map((one) => one.localName))].sort()"
    assert browser.js(levels) == ["h3", "h4"]
    browser.js("document.querySelector('equiproof-certificate').setAttribute('lang', 'en')")
    assert browser.js(OUTCOME).startswith("The proof holds.")
    assert len(browser.js("said")) == 1


def test_its_width_is_that_of_its_place(browser, lender):
    """In a narrow column of a wide window it looks as on a phone, and nothing stands outside of it."""
    lender('<div id="column">' + ONE % ' src="mine.equiproof"' + "</div>")
    browser.js("document.querySelector('#column').style.width = '300px'")
    browser.js(f"{INSIDE}.querySelectorAll('details').forEach((one) => {{ one.open = true; }})")
    assert (
        browser.js(f"getComputedStyle({INSIDE}.querySelector('.bars > li')).gridTemplateColumns.split(' ').length") == 2
    )
    right = browser.js("document.querySelector('#column').getBoundingClientRect().right")
    beyond = f"[...{INSIDE}.querySelectorAll('*')].filter((one) => one.getBoundingClientRect().right > {right + 1}"
    assert browser.js(f"{beyond} && !one.closest('svg, .unseen')).length") == 0


def test_a_page_changes_its_looks_by_parts_and_properties_alone(browser, lender):
    """Custom properties and parts reach inside, and rules for plain elements do not."""
    lender(ONE % ' src="mine.equiproof"')
    browser.js("""(() => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync("p, li { color: rgb(1, 2, 3) !important; } equiproof-certificate { --ink: rgb(4, 5, 6); }"
        + "equiproof-certificate::part(sentences) { font-style: italic; }");
      document.adoptedStyleSheets = [sheet];
    })()""")
    line = f"getComputedStyle({INSIDE}.querySelector('.answer li'))"
    assert browser.js(f"[{line}.color, {line}.fontStyle]") == ["rgb(4, 5, 6)", "italic"]


@pytest.mark.slow
def test_a_light_page_may_keep_it_light(browser, lender):
    """Where the reader prefers the dark, the element is dark unless the page says that it has no dark looks."""
    ground = "getComputedStyle(document.querySelector('equiproof-certificate')).backgroundColor"
    seen = []
    for scheme in ("", ' scheme="light"'):
        lender(ONE % f' src="mine.equiproof"{scheme}', scheme="dark")
        seen.append(browser.js(ground))
    assert seen == ["rgb(22, 28, 35)", "rgb(255, 255, 255)"]


@pytest.mark.slow
def test_its_pieces_have_the_parts_of_the_manifest(browser, lender):
    """Every part of the manifest is there in one state or another, and no other."""
    seen = set()
    for name in ("mine", "forged", "recourse"):
        lender(ONE % f' src="{name}.equiproof"')
        seen |= set(browser.js(f"[...{INSIDE}.querySelectorAll('[part]')].map((one) => one.getAttribute('part'))"))
    assert seen == named("cssParts")


def test_the_manifest_is_that_of_the_source():
    """Attributes, members, events and properties of the manifest are those of the source, and the README's."""
    source = SOURCES["element.ts"]
    (listed,) = re.findall(r"const ATTRIBUTES = \[(.+?)\] as const;", source, re.DOTALL)
    assert named("attributes") == set(re.findall(r'"([\w-]+)"', listed))
    assert {one["name"] for one in CLASS["members"]} == set(re.findall(r"^  get (\w+)\(\)", source, re.MULTILINE))
    (events,) = re.findall(r"#tell\(name: (.+?), detail", source)
    assert named("events") == set(re.findall(r'"(\w+)"', events))
    styles = "".join(path.read_text() for path in (FOLDER / "src").glob("*.css"))
    assert named("cssProperties") <= set(re.findall(r"(--[a-z-]+):", styles))
    readme = (FOLDER / "README.md").read_text()
    assert set(re.findall(r"^\| `([\w-]+)` \|", readme, re.MULTILINE)) == named("attributes") | named("events")
    assert (CLASS["tagName"], CLASS["name"]) == ("equiproof-certificate", "EquiproofCertificate")


def test_it_is_one_small_module():
    """One file holds everything but German, style too, and evaluates nothing; its licences are beside it."""
    refuse_or_skip()
    folder = checker.module()
    data = (folder / "equiproof-certificate.js").read_bytes()
    assert len(data) <= MOST
    assert len(gzip.compress(data, 9)) <= MOST_GZIPPED
    text = data.decode().replace('import("./equiproof-certificate.de.js")', "", 1)
    german = (folder / "equiproof-certificate.de.js").read_text()
    assert re.fullmatch(r"/\*.*?\*/\nexport default (\[.*\]);\nexport const sentences = (\[.*\]);\n", german)
    assert not re.search(
        r"\bimport\b|\brequire\(|XMLHttpRequest|WebSocket|\beval\(|new Function|localStorage|innerHTML", text
    )
    assert text.count("fetch(") == 1
    assert {path.name for path in folder.iterdir()} == {
        "equiproof-certificate.js", "equiproof-certificate.de.js", "equiproof-certificate.d.ts",
        "LICENSE", "others.LICENSE",
    }  # fmt: skip


@pytest.mark.slow
def test_its_types_are_those_of_the_source(tmp_path):
    """A strict program compiles against the declarations, which are those of the class."""
    (tmp_path / "use.ts").write_text(
        f'import type {{ EquiproofCertificate as Declared, Answer, Found }} from "{FOLDER}/src/types.js";\n'
        f'import type {{ EquiproofCertificate as Made, Found as Told }} from "{FOLDER}/src/element.js";\n'
        "export const one = (made: Made): Declared => made;\n"
        "export const two = (told: Told): Found => told;\n"
        "export const three = (answer: Answer): Told['answer'] => answer;\n"
        'document.createElement("equiproof-certificate").addEventListener("verified", ({ detail }) => detail.model);\n'
    )
    config = {"extends": f"{FOLDER}/tsconfig.json", "compilerOptions": {"rootDir": "/"}}
    (tmp_path / "tsconfig.json").write_text(
        json.dumps(config | {"include": ["use.ts", f"{FOLDER}/src", f"{PACKAGE}/src"]})
    )
    run("node", PACKAGE / "node_modules" / "typescript" / "bin" / "tsc", "-p", tmp_path)


@pytest.mark.slow
def test_on_a_phone(browser, lender):
    """On a phone nothing of the lender's page stands outside of the window."""
    lender(ONE % ' src="mine.equiproof"', PHONE)
    browser.js(f"{INSIDE}.querySelectorAll('details').forEach((one) => {{ one.open = true; }})")
    assert browser.js("document.documentElement.scrollWidth") == PHONE[0]


def test_the_packed_table_of_names_is_the_table():
    """Page and element hold the table of names in fewer bytes: each range and each look is that of the format."""
    script = f"""import {{ tableOfNames }} from "{FOLDER / "building.mjs"}";
import {{ readFileSync }} from "node:fs";
const text = tableOfNames(readFileSync("{TABLES / "names.json"}", "utf8"));
const {{ default: table }} = await import("data:text/javascript," + encodeURIComponent(text));
console.log(JSON.stringify(table));"""
    refuse_or_skip()
    found = json.loads(run("node", "--input-type=module", "-e", script))
    wanted = json.loads((TABLES / "names.json").read_text(encoding="utf-8"))
    assert {**wanted, "what": None} == {**spelled_out(found), "what": None}


def spelled_out(table):
    """Return a table with its ranges as the format writes them."""

    def ranges(text):
        ends = [[int(end, 16) for end in one.split("-")] for one in text.split(" ")]
        return " ".join("-".join(f"{end:04X}" for end in sorted(set(pair))) for pair in ends)

    whole = {name: ranges(table[name]) for name in ("marks_of_any_script", "signs", "signs_from_right")}
    by_script = {name: {script: ranges(one) for script, one in table[name].items()} for name in ("letters", "marks")}
    return table | whole | by_script
