//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
	"testing"
)

// A SIGHUP that comes before anything can be reloaded ends nobody, and is not forgotten.
func TestHangupBeforeJobsRun(t *testing.T) {
	hangups := catchHangups()
	defer signal.Stop(hangups)
	if err := syscall.Kill(os.Getpid(), syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if got := <-hangups; got != syscall.SIGHUP {
		t.Errorf("got %v, want %v", got, syscall.SIGHUP)
	}
}
