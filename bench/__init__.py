"""Benchmarks: what the product costs and reaches, measured the same way every time.

Each suite is a module or package with `run(...)`, which returns plain data, or with `plan(...)`, which names the parts
that it is measured by, each kept as it ends; with `table(...)`, which turns the data into Markdown, and, where there is
something to see, `plot(...)`. `equiproof bench` runs one case for a reader who wants to check a
line; `python -m bench` (`make bench`) runs everything and writes docs/benchmarks.md.
"""
