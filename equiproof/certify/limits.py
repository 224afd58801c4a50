"""How much of a file is read: bounds under which any file, of whatever content, is refused or read within 512 MiB.

A small file can need a lot of memory, so a file's size alone bounds little: what it consists of is counted before it is
parsed. docs/limits.md lists these numbers, tests/certify/test_limits.py measures what files at and past them take.
"""

from __future__ import annotations

MAX_ROWS_BYTES = 32 << 20
"""The longest file of rows."""

MAX_ROW_BYTES = 4 << 20
"""The longest row, and the longest file of which one row is wanted."""

MAX_ROWS = 250_000
"""The most rows of a file."""

MAX_VALUES = 2_000_000
"""The most values of all rows of a file."""

MAX_NAMES = 10_000
"""The most different names of features in a file of rows."""

MAX_UNPACKED_BYTES = 64 << 20
"""The most bytes that a workbook or a Parquet file of rows unpacks to."""

MAX_MODEL_BYTES = 64 << 20
"""The longest file of a model."""

MAX_NUMBERS = 1 << 20
"""The largest number of weights of a network."""

MAX_DENSE_NUMBERS = 1 << 21
"""The most numbers of a model folder's network, zeros and biases included."""

MAX_ARRAY_BYTES = 8 * MAX_DENSE_NUMBERS + (1 << 16)
"""The most bytes that an archive of arrays unpacks to, with the arrays' headers."""

MAX_DIRECTORY_BYTES = 1 << 16
"""The longest list of members of an archive: about a thousand."""

MAX_OUTPUTS = 1 << 18
"""The most outputs of all steps of a model together: a scaling of one number has as many as the layer it scales."""

MAX_WORK = 1 << 22
"""The most work of multiplying a model's steps exactly: a product of short numbers is one, some eight microseconds."""

MAX_FIELDS = 1 << 18
"""The most texts, messages and other fields of bytes of an ONNX file, in all its messages."""

MAX_LISTED = 1 << 21
"""The most numbers of an ONNX file that stand in lists one by one: a split of trees takes about two dozen."""

MAX_PACKED_BYTES = 16 << 20
"""The most bytes of packed integers in an ONNX file: each byte may become an integer of eight."""

MAX_JSON_MARKS = 1 << 22
"""The most commas, braces and brackets of a CatBoost file: behind each stands a value, of dozens of bytes in memory."""
