//go:build unix

package main

import (
	"os"
	"syscall"
)

// hangup is the signals that have serve read its configuration again.
var hangup = []os.Signal{syscall.SIGHUP}
