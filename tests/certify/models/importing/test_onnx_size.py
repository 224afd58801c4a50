"""The outline of an ONNX file, counted on its bytes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import AttributeProto, GraphProto, ModelProto, NodeProto

from equiproof.certify.models.importing import onnx_size
from equiproof.certify.models.importing.errors import ModelImportError
from equiproof.certify.models.importing.onnx_size import refuse_large_graph

INTEGERS = st.lists(st.one_of(st.integers(0, 300), st.integers(-(1 << 63), (1 << 63) - 1)), max_size=40)
FLOATS = st.lists(st.floats(width=32, allow_nan=False), max_size=40)


def _bytes_of(integers: list[int], floats: list[float]) -> bytes:
    attribute = AttributeProto(name="a", ints=integers, floats=floats)
    return ModelProto(graph=GraphProto(node=[NodeProto(attribute=[attribute])])).SerializeToString()


@given(INTEGERS, FLOATS)
def test_numbers_of_lists_are_counted_one_by_one(integers: list[int], floats: list[float]) -> None:
    data = _bytes_of(integers, floats)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(onnx_size, "MAX_LISTED", len(integers) + len(floats))
        refuse_large_graph(data)
        patch.setattr(onnx_size, "MAX_LISTED", len(integers) + len(floats) - 1)
        with pytest.raises(ModelImportError, match="numbers"):
            refuse_large_graph(data)


@pytest.mark.parametrize("cut", [1, 3])
def test_a_list_that_ends_within_a_number_is_refused(cut: int) -> None:
    data = _bytes_of([1, 2, 1 << 40], [0.5, 0.25])
    with pytest.raises(ModelImportError, match="not an ONNX file"):
        refuse_large_graph(data[:-cut])
