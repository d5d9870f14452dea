package histories

import (
	"fmt"
	"strings"
	"time"
)

// shrink leaves out steps for as long as a history still goes wrong, and gives what is
// left. fails plays a history; shrink ends when it has taken too long.
func shrink(steps []step, most time.Duration, fails func([]step) bool) []step {
	begun := time.Now()
	for size := len(steps) / 2; size > 0; {
		shorter := false
		for from := 0; from < len(steps) && time.Since(begun) < most; {
			to := min(len(steps), from+size)
			without := append(append([]step{}, steps[:from]...), steps[to:]...)
			if fails(without) {
				steps, shorter = without, true
			} else {
				from = to
			}
		}
		if !shorter || size > 1 {
			if size == 1 {
				break
			}
			size /= 2
		}
		if time.Since(begun) >= most {
			break
		}
	}
	return steps
}

// differing is the first line in which two traces differ.
func differing(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("line %d\n%s\n%s", i+1, x[i], y[i])
		}
	}
	return fmt.Sprintf("one has %d lines, the other %d", len(x), len(y))
}
