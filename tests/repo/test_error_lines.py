"""A test that expects an error of ours fails where its line says nothing, is none, or is too long."""

import pytest

from equiproof.circuits.spec import SpecError


@pytest.mark.parametrize(
    ("line", "wrong"),
    [((None,), "says nothing"), (("  ",), "says nothing"), (("a\nb",), "several lines"),
     (("x" * 401,), "401 characters")],
)  # fmt: skip
def test_a_line_that_nobody_can_read_fails_whoever_expects_it(line, wrong):
    """Errors of others are none of ours, a line of 400 characters is one, and what has no words is a signal."""
    with pytest.raises(pytest.fail.Exception, match=wrong), pytest.raises(SpecError):
        raise SpecError(*line)
    with pytest.raises(KeyError) as caught:
        raise KeyError(*line)
    assert caught.value.args == line
    with pytest.raises(SpecError):
        raise SpecError("x" * 400)
    with pytest.raises(SpecError):
        raise SpecError
