"""The table of normal forms, which programs in languages without normal forms read."""

from scripts import normal_forms


def test_the_table_is_what_the_script_writes():
    """Go has no normal forms by itself. Whatever Unicode this Python has, the characters of names are older."""
    assert normal_forms.TARGET.read_text(encoding="ascii") == normal_forms.written()
