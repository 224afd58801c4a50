package folder

import (
	"flag"
	"io"
	"log/slog"

	"k8s.io/klog/v2"
)

// What tessera tells its own log stays unsaid: what goes wrong comes back as an error, and is said once.
func init() {
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	klog.InitFlags(flags)
	for name, value := range map[string]string{"logtostderr": "false", "stderrthreshold": "FATAL"} {
		if err := flags.Set(name, value); err != nil {
			panic(err)
		}
	}
	klog.SetOutput(io.Discard)
	slog.SetDefault(slog.New(slog.DiscardHandler))
}
