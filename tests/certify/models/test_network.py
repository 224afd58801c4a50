"""The float network shows its sizes and none of its numbers."""

import numpy as np

from equiproof.certify.models.network import Network


def test_a_repr_shows_sizes_and_no_weight():
    """Arrays would print their numbers, and a long traceback with them."""
    network = Network((np.full((3, 4), 0.1234567), np.full((2, 3), 0.7654321)), (np.full(3, 0.25), np.full(2, 0.75)))
    assert repr(network) == str(network) == "<Network 4-3-2>"
    assert repr({"model": network}) == "{'model': <Network 4-3-2>}"
