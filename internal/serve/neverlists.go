package serve

import (
	"fmt"
	"os"
	"sync"
	"time"
)

// neverLists is the files of those who are never written to, as they were when they were looked
// at last, and when each was found to be another.
type neverLists struct {
	mu      sync.Mutex
	signs   map[string]string
	changed map[string]time.Time
}

// look looks at a file. That it is looked at for the first time is no change of it.
func (n *neverLists) look(path string, now time.Time) {
	sign := ""
	if info, err := os.Stat(path); err == nil {
		sign = fmt.Sprint(info.Size(), info.ModTime().UnixNano())
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.signs == nil {
		n.signs, n.changed = map[string]string{}, map[string]time.Time{}
	}
	if was, known := n.signs[path]; known && was != sign {
		n.changed[path] = now
	}
	n.signs[path] = sign
}

// since reports whether a file was found to be another after a moment.
func (n *neverLists) since(path string, then time.Time) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.changed[path].After(then)
}
