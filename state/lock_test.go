package state_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"nightporter/state"
	"nightporter/state/statetest"
	"nightporter/sync/record"
)

// childEnv makes this test's binary play a process of its own that runs jobs on the
// state file that it names.
const childEnv = "NIGHTPORTER_TEST_STATE"

func TestMain(m *testing.M) {
	if path := os.Getenv(childEnv); path != "" {
		if err := child(path); err != nil {
			fmt.Println("ended:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child holds the file, begins a run, and then does what it reads, line by line.
func child(path string) error {
	ctx := context.Background()
	s, err := state.Open(ctx, path, state.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	if err := s.Lock(ctx, "nightporter serve", time.Now()); err != nil {
		return err
	}
	l, err := s.Begin(ctx, "guests", false, time.Now())
	if err != nil {
		return err
	}
	fmt.Println("runs")
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		var err error
		switch word, rest, _ := strings.Cut(in.Text(), " "); word {
		case "write":
			err = s.See(ctx, l, guests, "m", seen(rest, 10))
		case "send":
			err = s.Holds(ctx, l)
		case "begin":
			_, err = s.Begin(ctx, "guests", false, time.Now())
		case "beat":
			err = s.Beat(ctx, time.Now())
		case "take":
			_, err = s.Request(ctx, record.Request{Asked: time.Now()})
			if err == nil {
				_, err = s.TakeRequests(ctx, time.Now())
			}
		}
		fmt.Println(in.Text(), "fenced:", errors.Is(err, state.ErrFenced), "error:", err)
	}
	return nil
}

// process is a child that runs.
type process struct {
	t   *testing.T
	cmd *exec.Cmd
	in  *os.File
	out *bufio.Scanner
}

func start(t *testing.T, path string) *process {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{t: t, cmd: exec.CommandContext(t.Context(), exe), in: w}
	p.cmd.Env = append(os.Environ(), childEnv+"="+path)
	p.cmd.Stdin = r
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.out = bufio.NewScanner(out)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r.Close()
	t.Cleanup(func() { w.Close(); _ = p.cmd.Wait() })
	return p
}

// line is what the child says next.
func (p *process) line() string {
	p.t.Helper()
	if !p.out.Scan() {
		p.t.Fatalf("the process ended: %v", p.out.Err())
	}
	return p.out.Text()
}

func (p *process) tell(what string) {
	p.t.Helper()
	if _, err := fmt.Fprintln(p.in, what); err != nil {
		p.t.Fatal(err)
	}
}

// Another process is refused and told who holds the file.
func TestSecondIsTold(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s := open(t, path, state.Options{})
	register(t, s)
	begun := time.Now().Truncate(time.Second)
	p := start(t, path)
	if got := p.line(); got != "runs" {
		t.Fatal(got)
	}
	err := s.Lock(t.Context(), "nightporter sync", noon)
	held, ok := errors.AsType[*state.HeldError](err)
	if !ok || !errors.Is(err, state.ErrInUse) {
		t.Fatalf("got error %v, want a HeldError", err)
	}
	host, _ := os.Hostname()
	h := held.Holder
	if h.PID != p.cmd.Process.Pid || h.Host != host || h.Command != "nightporter serve" || h.Since.Before(begun) || h.Since.After(time.Now()) {
		t.Errorf("got holder %+v, want process %d on %s", h, p.cmd.Process.Pid, host)
	}
	for _, part := range []string{fmt.Sprint(h.PID), host, "nightporter serve", h.Since.Format(time.RFC3339)} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("got %q, want %s in it", err, part)
		}
	}
	row, ok, err := s.Holder(t.Context())
	if err != nil || !ok || row.PID != h.PID || row.Command != h.Command || row.Term != h.Term || row.Beat.IsZero() {
		t.Errorf("got holder %+v, %v, %v; want %+v", row, ok, err, h)
	}
	wantHeld(t, s, true)
	if err := s.Pause(t.Context(), record.Pause{Scope: record.PauseAll, Since: noon}); err != nil {
		t.Errorf("pause beside it: %v", err)
	}
	p.in.Close()
	if err := p.cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	wantHeld(t, s, false)
	if err := s.Lock(t.Context(), "nightporter sync", noon); err != nil {
		t.Errorf("after it ended: %v", err)
	}
}

func wantHeld(t *testing.T, s *state.Store, want bool) {
	t.Helper()
	if got, err := s.Held(t.Context()); err != nil || got != want {
		t.Errorf("got held %v, %v; want %v", got, err, want)
	}
}

// A holder that is taken over in the same process, for all systems.
func TestTakeOver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	ctx := t.Context()
	a, b, c := open(t, path, state.Options{}), open(t, path, state.Options{}), open(t, path, state.Options{})
	register(t, a)
	if err := a.Lock(ctx, "a", noon); err != nil {
		t.Fatal(err)
	}
	l, err := a.Begin(ctx, "guests", false, noon)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Beat(ctx, noon.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	err = b.TakeOver(ctx, "b", 5*time.Minute, noon.Add(4*time.Minute))
	if held, ok := errors.AsType[*state.HeldError](err); !ok || held.Holder.Command != "a" {
		t.Fatalf("got error %v, want that a gave a sign of life", err)
	}
	if err := a.Holds(ctx, l); err != nil {
		t.Fatalf("after a take-over that was refused: %v", err)
	}
	if err := b.TakeOver(ctx, "b", 5*time.Minute, noon.Add(6*time.Minute)); err != nil {
		t.Fatal(err)
	}
	_, began := a.Begin(ctx, "guests", false, noon)
	for name, err := range map[string]error{
		"commit": a.See(ctx, l, guests, "m", seen("1", 3)), "send": a.Holds(ctx, l), "begin": began, "beat": a.Beat(ctx, noon),
		"settle a slot": a.Ledger().Ran(ctx, "guests", 1, state.Slot{Civil: "2026-11-20T12:00", At: noon}, 0),
	} {
		if !errors.Is(err, state.ErrFenced) {
			t.Errorf("%s by the first holder: got error %v, want %v", name, err, state.ErrFenced)
		}
	}
	if _, err := b.Begin(ctx, "guests", false, noon); err != nil {
		t.Errorf("begin by the second: %v", err)
	}
	for range 2 { // the first lets go of its lock, which is not the one that counts
		err = c.Lock(ctx, "c", noon)
		if held, ok := errors.AsType[*state.HeldError](err); !ok || held.Holder.Command != "b" {
			t.Errorf("got error %v, want that b holds it", err)
		}
		a.Close()
	}
	b.Close()
	if err := c.Lock(ctx, "c", noon); err != nil {
		t.Errorf("after the second closed: %v", err)
	}
}

// A holder that died within the minute is nobody to wait for.
func TestTakeOverFromTheDead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	a, b := open(t, path, state.Options{}), open(t, path, state.Options{})
	if err := a.Lock(t.Context(), "a", noon); err != nil {
		t.Fatal(err)
	}
	a.Close()
	if err := b.TakeOver(t.Context(), "b", time.Hour, noon); err != nil {
		t.Errorf("got error %v, want that the lock is free", err)
	}
}

// Every method that takes a lease fails under one that was taken over, also one that
// is added later: it is called with arguments that say nothing.
func TestEveryLeaseIsChecked(t *testing.T) {
	s := inMemory(t)
	h := statetest.NewHouse(t, s)
	old := h.Lease
	if _, err := s.Begin(t.Context(), old.Binding, false, noon); err != nil {
		t.Fatal(err)
	}
	lease, called := reflect.TypeFor[record.Lease](), 0
	v := reflect.ValueOf(s)
	for i := range v.NumMethod() {
		name, m := v.Type().Method(i).Name, v.Method(i)
		args := []reflect.Value{reflect.ValueOf(t.Context())}
		leased := false
		for a := 1; a < m.Type().NumIn(); a++ {
			arg := reflect.New(m.Type().In(a)).Elem()
			switch {
			case arg.Type() == lease:
				leased = true
				arg.Set(reflect.ValueOf(old))
			case arg.Kind() == reflect.String:
				arg.SetString("x")
			}
			args = append(args, arg)
		}
		if !leased {
			continue
		}
		called++
		out := m.Call(args)
		err, _ := reflect.TypeAssert[error](out[len(out)-1])
		if !errors.Is(err, state.ErrFenced) {
			t.Errorf("%s under an old lease: got error %v, want %v", name, err, state.ErrFenced)
		}
	}
	if called < 20 {
		t.Errorf("%d methods take a lease, want at least 20", called)
	}
}
