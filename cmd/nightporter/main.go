// Command nightporter keeps a communications and booking platform in step with the
// system a business really runs on, both ways.
package main

import (
	"os"
	_ "time/tzdata" // Windows has no zone files
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
