from equiproof.certify.traversal.flip import nearest_flip
from equiproof.certify.traversal.search import Search, search
from tests.certify.tiny import larger, tiny


def test_a_flip_is_real_and_never_inside_the_certified_radius():
    """The returned grid point is decided otherwise on its slice, at the stated distance, outside the open ball."""
    flips = 0
    for case in [*map(tiny, range(500)), *(larger(seed, 10, (6, 3)) for seed in range(20))]:
        found = search(case.network, case.query, case.table, max_radius_squared=1 << 28, max_regions=200)
        if not isinstance(found, Search):
            continue
        flip = nearest_flip(case.network, case.query, case.table, found)
        if flip is None:
            continue
        flips += 1
        assert flip.label == case.network.decide((*flip.point, *case.table[flip.slice])) != found.label
        assert flip.distance_squared == sum((p - q) ** 2 for p, q in zip(flip.point, case.query, strict=True))
        assert flip.distance_squared >= found.radius_squared
    assert flips > 100


def test_a_flip_at_the_certified_radius_is_found_where_the_decision_hyperplane_is_real():
    """On (4, 2) networks the flip found touches the certified radius at least sometimes: neither bound is slack."""
    ratios = []
    for seed in range(40):
        case = larger(seed, 20, (4, 2))
        found = search(case.network, case.query, case.table, max_radius_squared=1 << 28, max_regions=1000)
        flip = nearest_flip(case.network, case.query, case.table, found) if isinstance(found, Search) else None
        if flip is not None:
            ratios.append(flip.distance_squared / found.radius_squared)
    assert min(ratios) < 1.02
    assert len(ratios) > 10
