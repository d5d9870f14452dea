// Command nightporter keeps a communications and booking platform in step with the
// system a business really runs on, both ways.
package main

import (
	"os"
	"runtime/debug"
	_ "time/tzdata" // Windows has no zone files
)

// collectAt lets the heap grow by half between two collections, not by all of it: the
// program is a guest on a machine that does something else, and collecting is a small
// part of what a pass costs. GOGC in the environment has the last word.
const collectAt = 50

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(collectAt)
	}
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
