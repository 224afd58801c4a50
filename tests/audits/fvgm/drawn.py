"""Random networks and classifiers, small enough to enumerate."""

from fractions import Fraction

from equiproof.audits.fvgm.linear import Linear
from equiproof.audits.fvgm.network import Chance, Choice, Network


def drawn_row(rng, size):
    """A random distribution over so many values; now and then a value is impossible."""
    parts = [rng.choice([0, 1, 2, 3, 5, 7]) for _ in range(size)]
    parts[rng.randrange(size)] += 1
    return tuple(Fraction(part, sum(parts)) for part in parts)


def drawn_network(rng, chances=(1, 7), largest=3):
    """A random network: up to two choices, chances of up to three values and three parents, in shuffled order."""
    choices = [Choice(f"a{i}", tuple(map(str, range(rng.randint(2, largest))))) for i in range(rng.randint(0, 2))]
    sizes = {choice.name: len(choice.values) for choice in choices}
    made = []
    for number in range(rng.randint(*chances)):
        parents = rng.sample(list(sizes), min(rng.choice([0, 0, 1, 1, 2, 3]), len(sizes)))
        size = rng.randint(2, largest)
        rows = 1
        for parent in parents:
            rows *= sizes[parent]
        name = f"x{number}"
        values = tuple(map(str, range(size)))
        made.append(Chance(name, values, tuple(parents), tuple(drawn_row(rng, size) for _ in range(rows))))
        sizes[name] = size
    rng.shuffle(made)
    return Network(tuple(choices), tuple(made))


def drawn_case(rng):
    """A random classifier over a random network, and now and then mediators with a favored group."""
    network = drawn_network(rng)
    weights = {
        name: tuple(rng.randint(-5, 5) for _ in values) for name, values in network.values.items() if rng.random() < 0.9
    }
    options = {}
    if rng.random() < 0.3:
        names = [chance.name for chance in network.chances]
        options = {
            "mediators": rng.sample(names, rng.randint(0, len(names))),
            "favored": rng.choice(list(network.groups())),
        }
    return Linear(weights, rng.randint(-6, 9)), network, options
