"""The tables that the Go verifier has: copies of those that all programs share, and one of normal forms."""

import pytest

from scripts import normal_forms
from tests.support import ROOT


def test_the_table_is_what_the_script_writes():
    """Go has no normal forms by itself. Whatever Unicode this Python has, the characters of names are older."""
    assert normal_forms.TARGET.read_text(encoding="ascii") == normal_forms.written()


@pytest.mark.parametrize(
    ("own", "copied"),
    [
        ("circuits/names.json", "names/names.json"),
        ("circuits/names.LICENSE", "names/names.LICENSE"),
        ("verifier/words.json", "words/words.json"),
    ],
)
def test_the_tables_are_the_same(own, copied):
    """Go embeds no file outside its module, so it has copies. Its own tests may be cached where another changed."""
    source, copy = ROOT / "equiproof" / own, ROOT / "go-gnark" / "verify" / copied
    assert copy.read_bytes() == source.read_bytes(), f"copy {own} to {copy.relative_to(ROOT)}"
