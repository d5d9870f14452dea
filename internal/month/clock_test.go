package month

import (
	"syscall"
	"time"
)

// realClock is the clock on the wall outside of the bubble.
func realClock() time.Duration {
	var tv syscall.Timeval
	if err := syscall.Gettimeofday(&tv); err != nil {
		return 0
	}
	return time.Duration(tv.Nano())
}
