// Command nightporter keeps a communications and booking platform in step with the
// system a business really runs on, both ways.
package main

import (
	"io"
	"log" //nolint:depguard // to silence it
	"os"
	"runtime"
	"runtime/debug"
	_ "time/tzdata" // Windows has no zone files
)

// collectAt lets the heap grow by half between two collections, not by all of it: the
// program is a guest on a machine that does something else, and collecting is a small
// part of what a pass costs. GOGC in the environment has the last word.
const collectAt = 50

// allowance is memory that is asked for and never touched, so that none is taken. The
// collector counts it as in use, and a heap of a few MiB, of which a half is little,
// may grow by 1.5 MiB more: a tenth of a small pass's CPU for 1 MiB of memory.
const allowance = 3 << 20

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(collectAt)
	}
	log.SetOutput(io.Discard) // net/http tells the log what a server sent unasked, which may be a guest's
	allowed := make([]byte, allowance)
	code := run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	runtime.KeepAlive(allowed)
	os.Exit(code)
}
