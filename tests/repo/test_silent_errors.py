"""A test that expects an error of ours fails where it says nothing."""

import pytest

from equiproof.circuits.spec import SpecError


@pytest.mark.parametrize("words", [(None,), ("  ",)])
def test_an_error_that_says_nothing_fails_whoever_expects_it(words):
    """Errors of others are none of ours, and what has no words is a signal."""
    with pytest.raises(pytest.fail.Exception, match="says nothing"), pytest.raises(SpecError):
        raise SpecError(*words)
    with pytest.raises(KeyError) as caught:
        raise KeyError(*words)
    assert caught.value.args == words
    with pytest.raises(SpecError):
        raise SpecError
