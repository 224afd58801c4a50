//go:build unix

package command

import (
	"io"
	"os"
	"syscall"
	"unsafe"
)

// width is how long lines may be.
func width(out io.Writer) int {
	file, ok := out.(*os.File)
	if !ok {
		return unbroken
	}
	var size struct{ rows, columns, x, y uint16 }
	_, _, failed := syscall.Syscall(syscall.SYS_IOCTL, file.Fd(), syscall.TIOCGWINSZ, uintptr(unsafe.Pointer(&size)))
	if failed != 0 {
		return unbroken
	}
	if size.columns == 0 {
		return widest
	}
	return min(int(size.columns), widest)
}
