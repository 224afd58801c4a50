package canonical

import "equiproof/verify/tables"

// TableOfRows is the table of a document with these fields.
func TableOfRows[T any](rows []tables.FieldRow, own ...Own) Table[T] { return tableOf[T](rows, own) }
