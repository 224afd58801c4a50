"""Boxes open as what they are about, under a key of the file, and as nothing else."""

import pytest

from equiproof.service.vault import Vault, VaultError, load_vault, make_vault, new_line, parse_vault


def test_a_box_is_about_one_thing():
    """It opens about that, and not about another; two boxes of one text differ."""
    vault = parse_vault(new_line("a"), "keys")
    box = vault.seal(b"income 4", "decision 1")
    assert vault.open(box, "decision 1") == b"income 4"
    assert vault.seal(b"income 4", "decision 1") != box
    with pytest.raises(VaultError, match="about something else"):
        vault.open(box, "decision 2")


def test_every_changed_byte_is_noticed():
    """The key's name, the nonce, the text and the tag."""
    vault = Vault({"a": b"1" * 32, "b": b"2" * 32})
    box = vault.seal(b"income", "x")
    for place in range(len(box)):
        for bit in (1, 128):
            changed = bytearray(box)
            changed[place] ^= bit
            with pytest.raises(VaultError):
                vault.open(bytes(changed), "x")
    for length in range(len(box)):
        with pytest.raises(VaultError):
            vault.open(box[:length], "x")


def test_a_new_key_seals_and_the_old_one_opens():
    """`renewed` moves a box to the newest key; without the old key what it sealed is gone."""
    old = parse_vault(new_line("old"), "keys")
    both = Vault({"new": b"n" * 32, **old.keys})
    box = old.seal(b"x", "1")
    assert both.open(box, "1") == b"x"
    moved = both.renewed(box, "1")
    assert moved is not None
    assert both.renewed(moved, "1") is None
    only = Vault({"new": b"n" * 32})
    assert only.open(moved, "1") == b"x"
    with pytest.raises(VaultError, match="does not have"):
        only.open(box, "1")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no key"),
        ("a", "line 1"),
        ("# x\na AAAA", "line 2"),
        ("A " + "A" * 44, "line 1"),
        (f"{'a ' + 'A' * 43 + '='}\n{'a ' + 'A' * 43 + '='}", "leave out the second of the two keys"),
    ],
)
def test_a_file_that_is_none(text, said):
    """The line is named, nothing of a key is repeated."""
    with pytest.raises(VaultError, match=said) as refused:
        parse_vault(text, "keys")
    assert "AAAA" not in str(refused.value)


def test_a_file_is_the_owners_alone(tmp_path):
    """It is made so, and refused otherwise."""
    path = tmp_path / "keys"
    make_vault(path, "first")
    assert load_vault(path).newest == "first"
    path.chmod(0o640)
    with pytest.raises(VaultError, match="chmod 600"):
        load_vault(path)
