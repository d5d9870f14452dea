package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"nightporter/sync/engine"
)

// progress shows how far a run is: one line that changes on a terminal, a line now
// and then elsewhere.
type progress struct {
	w     io.Writer
	mu    sync.Mutex
	tty   bool
	phase string
	last  time.Time
	shown bool
}

const (
	ttyEvery   = 100 * time.Millisecond
	plainEvery = 10 * time.Second
)

func (c *cli) progress() *progress {
	p := &progress{w: c.terminal}
	if f, ok := c.terminal.(*os.File); ok {
		if st, err := f.Stat(); err == nil {
			p.tty = st.Mode()&os.ModeCharDevice != 0
		}
	}
	return p
}

var phases = map[string]string{"left": "reading", "right": "reading", "apply": "writing"}

func (p *progress) show(g engine.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	every := plainEvery
	if p.tty {
		every = ttyEvery
	}
	if g.Phase != p.phase {
		p.clear()
		p.phase, p.last = g.Phase, now
		if !p.tty {
			return
		}
	} else if now.Sub(p.last) < every {
		return
	}
	p.last = now
	line := oneLine(fmt.Sprintf("nightporter: %s: %d", label(g), g.Done))
	if g.Total >= 0 {
		line += fmt.Sprintf(" of %d", g.Total)
	}
	if !p.tty {
		fmt.Fprintln(p.w, line)
		return
	}
	fmt.Fprintf(p.w, "\r\x1b[K%s", line)
	p.shown = true
}

func label(g engine.Progress) string {
	if g.Name != "" {
		return phases[g.Phase] + " " + g.Name
	}
	return phases[g.Phase]
}

// say prints a line of its own.
func (p *progress) say(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	show(screen{p.w}, "nightporter: "+format+"\n", args...)
}

// end clears the line.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}

func (p *progress) clear() {
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
}
