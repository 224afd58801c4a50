"""Names, order and lengths of the private wires; the mirror of go-gnark/relation/layout.go."""

from __future__ import annotations

from circuits.shape import Shape


def layout(shape: Shape) -> tuple[tuple[str, int], ...]:
    """Return (name, length) of every run of private wires of a shape, in order.

    slice: of rows S..K-1. pattern: K rows of N bits. crossed_first: S rows, the first layer's crossed facets.
    crossed_deeper: K rows, those of the other layers. neighbor: K rows of N row indices.
    """
    a = shape.architecture
    segments: list[tuple[str, int]] = []
    for number, (outputs, inputs) in enumerate(a.layers, start=1):
        segments += [(f"weights.{number}", outputs * inputs), (f"biases.{number}", outputs)]
    first = a.hidden[0]
    segments += [
        ("model_blinding", 1),
        ("spec_digest", 1),
        ("table", shape.slices * a.sensitive),
        ("query", a.plain),
        ("query_blinding", 1),
        ("label", a.logits),
        ("radius_squared", 1),
        ("context_digest", 1),
        ("slice", shape.capacity - shape.slices),
        ("pattern", shape.capacity * a.neurons),
        ("crossed_first", shape.slices * first),
        ("crossed_deeper", shape.capacity * (a.neurons - first)),
        ("neighbor", shape.capacity * a.neurons),
    ]
    return tuple(segments)
