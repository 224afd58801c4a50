"""The console in two languages: every sentence has its German, pages hold no English in German, readers choose."""

import ast
import html
import re
from pathlib import Path

import pytest

from equiproof.circuits.tables import speaking
from equiproof.service import attempts, corrections, overrides, policy, recourses
from equiproof.service.console import pages, speech
from equiproof.service.console.officers import Role
from equiproof.service.console.speech import german, heard, preferred, say
from equiproof.service.states import State
from equiproof.service.web.cookies import LANGUAGE

ROOM = Path(pages.FOLDER)
TEMPLATES = sorted((ROOM / "templates").glob("*.html"))
MODULES = sorted(ROOM.rglob("*.py"))
LITERAL = r'"((?:[^"\\]|\\.)*)"'

IN_BOTH = {"sign-on-refused.html", "signed-on.html", "security-keys.html", "key.html", "key-parts.html", "trail.html"}
"""Pages whose words come as pairs (`sign_on_words`, `factor_words`, `trail_words`), in either language."""

OF_OTHERS = [
    *(str(state) for state in State),
    *(str(role) for role in Role),
    *attempts.WISHES.values(),
    policy.PENDING_REASON,
    policy.REVIEW_REASON,
]
"""What other rooms say, and the console translates."""


def of_templates():
    """Return every sentence that a template has translated."""
    found = set()
    for path in TEMPLATES:
        text = path.read_text(encoding="utf-8")
        for call in re.finditer(rf"(?<![\w.])(?:_|role)\(\s*((?:{LITERAL}(?:,\s*)?)+)", text):
            found |= set(re.findall(LITERAL, call[1]))
        for call in re.finditer(rf"counted\(\s*{LITERAL},\s*{LITERAL}", text):
            found |= set(call.groups())
        found |= set(re.findall(rf'\("[a-z]*", {LITERAL}\)', text))
    return found - {"JSON", "CSV", "defined"}


def of_modules():
    """Return every sentence that is said in the room's own modules, and those of its refusals."""
    found = set()
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            if node.func.id in ("say", "PageError"):
                texts = node.args if node.func.id == "PageError" else node.args[:1]
                found |= {one.value for one in texts if isinstance(one, ast.Constant) and isinstance(one.value, str)}
    return found - {""}


@pytest.mark.parametrize("sentence", sorted(of_templates() | of_modules() | set(OF_OTHERS)))
def test_every_sentence_has_its_german(sentence):
    """With the same places, and another text unless it is a name."""
    translated = german()[sentence]
    places = re.compile(r"\{[a-z_]+\}")
    assert sorted(places.findall(translated)) == sorted(places.findall(sentence))
    assert "\n" not in translated


def test_refusals_of_other_rooms_have_their_german():
    """Whatever a form can be refused for: sentences with places are known by what stands around them."""
    for module in (overrides, corrections, recourses):
        for node in ast.walk(ast.parse(Path(module.__file__).read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Raise) or not isinstance(node.exc, ast.Call) or not node.exc.args:
                continue
            text = node.exc.args[0]
            if isinstance(text, ast.Constant) and text.value not in ("this search has not ended",):
                with speaking("de"):
                    assert heard(text.value) != text.value, text.value
    with speaking("de"):
        assert heard("reason: want 1 to 2000 characters") == "Begründung: 1 bis 2000 Zeichen"
        assert heard(overrides.not_open(State.CERTIFIED)).startswith("eine Entscheidung, die ")
        assert heard("something that nobody translated") == "something that nobody translated"
    assert heard("reason: want 1 to 2000 characters") == "reason: want 1 to 2000 characters"


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_no_template_has_words_of_its_own(path):
    """What stands between tags and expressions has no letters, and attributes that are read aloud are translated."""
    text = path.read_text(encoding="utf-8")
    if path.name in IN_BOTH:
        return
    outside = re.sub(r"\{%.*?%\}|\{\{.*?\}\}|<code[^>]*>.*?</code>", "", text, flags=re.DOTALL)
    outside = re.sub(r"<(style|script).*?</\1>", "", outside, flags=re.DOTALL)
    words = [one for one in re.findall(r">([^<>]*)<", outside) if re.search("[A-Za-z]{2}", one)]
    assert [one for one in words if one.strip() != "Equiproof"] == []
    assert not re.findall(r'aria-label="[A-Z][a-z ]+"', outside)


def shown(answer):
    """Return a page's words, without tags, and what is read aloud."""
    labels = " ".join(re.findall('aria-label="([^"]*)"', answer.text))
    return " ".join(html.unescape(re.sub("<[^>]*>", " ", answer.text) + " " + labels).split())


ENGLISH_ALONE = sorted((key for key in german() if len(key) > 12 and "{" not in key and german()[key] != key), key=len)


@pytest.mark.parametrize("page", ["", "queue", "workers", "keys", "lots", "officers", "password", "sign-in", "trail"])
def test_pages_in_german_hold_no_english(service, people, rows, page):
    """For every role that may see it; the page says which language it is in, and leads to the other one."""
    service.post(rows[1], reference="2026-0431")
    for person in people.values():
        person.client.cookies.set(LANGUAGE, "de")
        answer = person.get(page)
        if answer.status_code == 403:
            continue
        said = shown(answer)
        assert '<html lang="de">' in answer.text
        assert f'lang="en" href="/console/language/en?next=/console/{page}"' in answer.text
        assert [one for one in ENGLISH_ALONE if re.search(rf"\b{re.escape(one)}\b", said)] == []


def test_a_decision_in_german(service, people, rows):
    """Its page, what a form is refused for, and a page that is not there."""
    identifier = service.post(rows[1], reference="2026-0431").json()["id"]
    officer = people[Role.OFFICER]
    officer.client.cookies.set(LANGUAGE, "de")
    said = shown(officer.get(f"decisions/{identifier}"))
    assert "Nur sex ist verschieden, und die Entscheidung auch" in said
    assert "Wartet auf einen Menschen" in said
    assert re.search("Punktwert [+−][0-9],[0-9]", said)
    assert [one for one in ENGLISH_ALONE if re.search(rf"\b{re.escape(one)}\b", said)] == []
    refused = officer.post(f"decisions/{identifier}", label="0", reason="")
    assert refused.status_code == 422
    assert "Begründung: 1 bis 2000 Zeichen" in shown(refused)
    assert "Diese Seite gibt es nicht" in shown(officer.get("decisions/" + "0" * 32))


def test_names_cannot_write_markup(service, people, rows):
    """A translated sentence escapes what is filled in."""
    identifier = service.post(rows[1], reference="<b>x</b>").json()["id"]
    officer = people[Role.OFFICER]
    for language in ("en", "de"):
        officer.client.cookies.set(LANGUAGE, language)
        assert "<b>x</b>" not in officer.get(f"decisions/{identifier}").text
    assert speech.mark("Model {name}", name="<i>") == "Model &lt;i&gt;"


def test_readers_choose(nobody):
    """The choice is a cookie of the console; it leads back inside alone, and to languages that there are."""
    answer = nobody.get("language/de", params={"next": "/console/sign-in"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/console/sign-in")
    assert f"{LANGUAGE}=de" in answer.headers["set-cookie"]
    assert "Path=/console/" in answer.headers["set-cookie"]
    assert "Anmelden" in shown(nobody.get("sign-in"))
    assert nobody.get("language/en", params={"next": "https://elsewhere.example/"}).headers["location"] == "/console/"
    assert nobody.get("language/fr").status_code == 404
    nobody.client.cookies.set(LANGUAGE, "xx")
    assert "Sign in" in shown(nobody.get("sign-in"))


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("", "en"),
        ("de", "de"),
        ("de-AT,de;q=0.9,en;q=0.5", "de"),
        ("en-GB,en;q=0.9,de;q=0.5", "en"),
        ("fr,de;q=0.2,en;q=0.1", "de"),
        ("fr,es", "en"),
        ("de;q=0,en", "en"),
        ("de;q=x", "en"),
        ("DE", "de"),
    ],
)
def test_browsers_prefer(nobody, accepted, language):
    """Without a choice, the language that the browser names first of those that there are."""
    assert preferred(accepted) == language
    nobody.client.cookies.clear()
    answer = nobody.get("sign-in", headers={"Accept-Language": accepted})
    assert f'<html lang="{language}">' in answer.text


def test_what_is_said_in_english_is_what_is_written():
    """Without a language, sentences are as they stand in the program."""
    assert say("waits {time}", time="2 s") == "waits 2 s"
    with speaking("de"):
        assert say("waits {time}", time="2 s") == "wartet 2 s"
