package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"nightporter/internal/signature"
)

// hookKey finds the script's receiver.
type hookKey struct{}

// hook is a receiver of events.
type hook struct {
	mu     sync.Mutex
	secret string
	status int
	came   []string // a line each
	first  map[string]bool
}

func (h *hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, _ := io.ReadAll(r.Body)
	signed := "signed"
	err := signature.Presets["standard"].Verify(signature.Request{Header: r.Header, Body: text}, []string{h.secret}, time.Now())
	if err != nil {
		signed = "unsigned"
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	again := ""
	if id := r.Header.Get("webhook-id"); h.first[id] {
		again = "again "
	} else {
		h.first[id] = true
	}
	h.came = append(h.came, fmt.Sprintf("%s%s %s", again, signed, text))
	w.WriteHeader(h.status)
}

// hookCommand is:
//
//	hook                  a receiver ($HOOK_URL), and hook.secret with what it is signed by
//	hook answer STATUS    how it answers from now on
//	hook address PATH     puts its address, with a path, into hook.url
//	hook got              prints what came since it was asked last, a line each: whether it was
//	                      signed, and the body; "again" before an id that it knows
//	hook id TYPE          finds the id of the last event of a type ($EVENT) in what was printed as JSON
func hookCommand(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) == 0 {
		h := &hook{secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", status: http.StatusOK, first: map[string]bool{}}
		srv := httptest.NewServer(h)
		ts.Defer(srv.Close)
		ts.Value(hookKey{}).(*receiver).hook = h
		ts.Setenv("HOOK_URL", srv.URL)
		ts.Check(os.WriteFile(ts.MkAbs("hook.secret"), []byte(h.secret), 0o600))
		return
	}
	h := ts.Value(hookKey{}).(*receiver).hook
	h.mu.Lock()
	defer h.mu.Unlock()
	switch args[0] {
	case "answer":
		_, err := fmt.Sscan(args[1], &h.status)
		ts.Check(err)
	case "address":
		ts.Check(os.WriteFile(ts.MkAbs("hook.url"), []byte(ts.Getenv("HOOK_URL")+args[1]+"\n"), 0o600))
	case "got":
		for _, line := range h.came {
			fmt.Fprintln(ts.Stdout(), line)
		}
		fmt.Fprintf(ts.Stdout(), "%d came\n", len(h.came))
		h.came = nil
	case "id":
		var all eventsJSON
		ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &all))
		for _, e := range all.Events {
			if string(e.Type) == args[1] {
				ts.Setenv("EVENT", e.ID)
			}
		}
	default:
		ts.Fatalf("hook has no %s", args[0])
	}
}

type receiver struct{ hook *hook }
