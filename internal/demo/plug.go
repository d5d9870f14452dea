package demo

import (
	"net/http"
	"os/exec"
	"strings"
	"sync"
)

// plug serves the platform, and once, when it is told to, pulls the plug of a
// process: the platform has done what the process asked for, and before it answers
// the process is dead.
type plug struct {
	next http.Handler

	mu     sync.Mutex
	method string // of the request to die at; "" is none
	path   string // how its path ends
	victim *exec.Cmd
	dead   chan struct{}
	pulled bool
}

// start starts cmd and kills it at the first request of that method to a path that
// ends so. It returns when the process has ended, and reports whether it was killed.
func (p *plug) start(cmd *exec.Cmd, method, path string) (killed bool, err error) {
	p.mu.Lock() // no request of its is served before all this stands
	p.method, p.path, p.victim, p.dead, p.pulled = method, path, cmd, make(chan struct{}), false
	err = cmd.Start()
	dead := p.dead
	p.mu.Unlock()
	if err != nil {
		return false, err
	}
	_ = cmd.Wait() // how it ended stands in cmd.ProcessState
	close(dead)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.method, p.victim = "", nil
	return p.pulled, nil
}

// ServeHTTP serves a request.
func (p *plug) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	victim, dead := p.victim, p.dead
	now := p.method != "" && r.Method == p.method && strings.HasSuffix(r.URL.Path, p.path)
	if now {
		p.method = ""
	}
	p.mu.Unlock()
	if !now {
		p.next.ServeHTTP(w, r)
		return
	}
	p.next.ServeHTTP(&unheard{header: http.Header{}}, r)
	p.mu.Lock() // start hears of the death at once, and asks only after this
	p.pulled = victim.Process.Kill() == nil
	p.mu.Unlock()
	<-dead
	panic(http.ErrAbortHandler) // there is nobody to answer
}

// unheard is an answer that nobody gets.
type unheard struct{ header http.Header }

// Header is what nobody reads.
func (u *unheard) Header() http.Header { return u.header }

// WriteHeader drops the status.
func (u *unheard) WriteHeader(int) {}

// Write drops the body.
func (u *unheard) Write(b []byte) (int, error) { return len(b), nil }
