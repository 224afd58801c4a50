// Command equiproof-verify verifies certificates without Python: same verdicts, exit codes and words as `equiproof verify`.
package main

import (
	"os"

	"github.com/consensys/gnark/logger"

	"equiproof/verify/command"
)

func main() {
	logger.Disable()
	os.Exit(command.Run(os.Args[1:], os.Stdout, os.Stderr))
}
