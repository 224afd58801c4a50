"""Benchmarks: the cost and the reach of certificates, measured the same way every time.

Each suite is a module or package with `run(...)`, which returns plain data, or with `plan(...)`, which lists the parts
that it is measured by, each kept as it ends; with `table(...)`, which turns the data into Markdown, and, where a figure
helps, `plot(...)`. `python -m bench` (`make bench`) measures the suites of the product and writes docs/benchmarks.md
and docs/benchmarks/. `python -m bench case` measures one line of the paper's table. The package `research` has
suites of its own, of the same form.
"""
