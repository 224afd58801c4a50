"""The audit `fvgm` measured: accuracy against closed forms, scalability, cost curves, and the paper's applications."""
