//go:build !unix

package main

import "os"

// hangup is the signals that have serve read its configuration again: there are none
// here, and nightporter reload does it.
var hangup = []os.Signal{}
