"""Made-up raw files in the form that a table declares."""

from equiproof.certify.data.table import Column, RawFile, Table


def cell(column: Column, index: int) -> str:
    """Return a cell that is a value of the column; it varies with the row."""
    match column.kind:
        case "category":
            codes = column.codes or ("first", "second")
            return codes[index % len(codes)]
        case "count":
            return str(index % 23)
        case "integer":
            return str(index - 5)
        case "decimal":
            return f"{index / 4:.2f}"


def make_records(table: Table, file: RawFile, rows: int = 30) -> list[list[str]]:
    """Return headers and rows of one file as cells; fields that no feature needs come first where there is a header."""
    codes = list(table.label.codes)
    records = [
        [cell(column, index) for column in table.columns] + [codes[index % 3 % len(codes)] + file.label_suffix]
        for index in range(rows)
    ]
    if table.form.header:
        hidden = [*table.identifying, "days_b_screening_arrest", "is_recid", "score_text"]
        records = [[*(["secret"] * len(table.identifying)), "0", "1", "Low", *record] for record in records]
        header = [*hidden, *table.features, table.label.name]
        records = [["junk"] * len(header)] * (table.form.header - 1) + [header, *records]
    return [["|comment"]] * file.skip + records


def encode(table: Table, records: list[list[str]], ending: str = "\n") -> bytes:
    """Return records as the bytes of a file."""
    quote = '"' if table.form.quoted else ""
    lines = [table.form.separator.join(f"{quote}{value}{quote}" for value in record) for record in records]
    return "".join(line + ending for line in lines).encode()


def write_table(folder, table: Table, change=None, ending: str = "\n"):
    """Write all files of a table and return `folder`; `change` edits the records of the last one in place."""
    for file in table.files:
        records = make_records(table, file)
        if change is not None and file is table.files[-1]:
            change(records)
        (folder / file.name).write_bytes(encode(table, records, ending))
    return folder
