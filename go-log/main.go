// Command equiproof-log keeps a public log: a Merkle tree of entries as static files, with signed checkpoints.
package main

import (
	"os"
	"os/signal"
	"syscall"

	"equiproof-log/internal/command"
)

func main() {
	// A file that outgrows a limit is an error of the write, not the end of the process.
	signal.Ignore(syscall.SIGXFSZ)
	os.Exit(command.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
