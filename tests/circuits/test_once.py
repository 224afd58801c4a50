"""Work that is remembered while a block runs, and not behind it."""

from __future__ import annotations

from equiproof.circuits.once import once, remembered


def test_work_is_done_once_for_the_same_objects_and_again_behind_the_block() -> None:
    made: list[int] = []

    def make() -> int:
        made.append(len(made))
        return made[-1]

    row, other = ["a"], ["a"]
    with once():
        assert [remembered("x", make, row), remembered("x", make, row)] == [0, 0]
        with once():
            assert remembered("x", make, row) == 0
        # Equal objects are others, and so is another work on the same object.
        assert [remembered("x", make, other), remembered("y", make, row)] == [1, 2]
    assert [remembered("x", make, row), remembered("x", make, row)] == [3, 4]


def test_an_object_that_nobody_else_holds_keeps_its_place() -> None:
    with once():
        found = [remembered("x", lambda number=number: number, [number]) for number in range(100)]
    assert found == list(range(100))
