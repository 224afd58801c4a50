"""Research: what the audits and the searches behind the product find, and how well its tests watch the circuit.

`python -m research` measures the suites as `python -m bench` does those of the product, and writes research/pages;
`python -m research.mutations` changes the circuit. Nothing of the product imports this package.
"""
