//go:build !unix

package command

import "io"

// width is how long lines may be: a terminal that cannot be asked breaks them by itself.
func width(io.Writer) int { return unbroken }
