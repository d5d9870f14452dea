package main

import (
	"os"
	"strconv"
	"sync/atomic"
	"syscall"
)

// failpoint kills the process, as a power cut would, at the step whose number
// NIGHTPORTER_KILL_AT names. It is for tests; without the variable it is nothing.
func failpoint() func(string) {
	at, err := strconv.ParseInt(os.Getenv("NIGHTPORTER_KILL_AT"), 10, 64)
	if err != nil || at <= 0 {
		return nil
	}
	var steps atomic.Int64
	return func(string) {
		if steps.Add(1) != at {
			return
		}
		if p, err := os.FindProcess(os.Getpid()); err == nil {
			_ = p.Signal(syscall.SIGKILL)
		}
		select {} // until the signal arrives
	}
}
