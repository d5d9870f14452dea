package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// The verdicts.
const (
	killed = "killed"
	alive  = "ALIVE"
	broken = "BROKEN" // nothing is known of it: the patch, the build or the test without it is bad
)

// trial tries mutants on one tree.
type trial struct {
	root, temp string

	once sync.Map // *once by key: the tests of a package are built once, and each is run once, without a fault
}

// once is what came of something that is done once for all mutants.
type once struct {
	sync.Once
	err error
}

// only does something for a key once, and says what came of it.
func (t *trial) only(key string, do func() error) error {
	v, _ := t.once.LoadOrStore(key, new(once))
	o := v.(*once)
	o.Do(func() { o.err = do() })
	return o.err
}

// try says what became of a mutant, and why where it is not killed.
func (t *trial) try(ctx context.Context, m *mutant) (verdict, detail string) {
	overlay, err := t.overlay(m)
	if err != nil {
		return broken, err.Error()
	}
	if err := t.passes(ctx, m); err != nil {
		return broken, err.Error()
	}
	out, err := t.test(ctx, m, overlay)
	switch {
	case err == nil:
		return alive, m.Fault
	case strings.Contains(out, "[build failed]") || strings.Contains(out, "[setup failed]"):
		return broken, "it can't be built:\n" + last(out)
	case !strings.Contains(out, "--- FAIL: "+m.test()) && !strings.Contains(out, "panic: "):
		return broken, "the test did not run:\n" + last(out)
	}
	return killed, ""
}

// overlay writes the changed files, and the file that tells the go command of them.
func (t *trial) overlay(m *mutant) (string, error) {
	replace := map[string]string{}
	for i, c := range m.Files {
		file, err := filepath.Abs(filepath.Join(t.root, c.File))
		if err != nil {
			return "", err
		}
		text, err := os.ReadFile(file) //nolint:gosec // a patch of our own names it
		if err != nil {
			return "", err
		}
		changed, err := c.apply(string(text))
		if err != nil {
			return "", err
		}
		replace[file] = filepath.Join(t.temp, fmt.Sprintf("%s-%d.go", m.Name, i))
		if err := os.WriteFile(replace[file], []byte(changed), 0o600); err != nil { //nolint:gosec // a name of ours in a folder of ours
			return "", err
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	name := filepath.Join(t.temp, m.Name+".json")
	return name, os.WriteFile(name, text, 0o600)
}

// passes runs a mutant's test without the fault.
func (t *trial) passes(ctx context.Context, m *mutant) error {
	program := filepath.Join(t.temp, strings.ReplaceAll(m.pkg(), "/", "-")+".test")
	build := func() error {
		cmd := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-o", program, m.Command[2]) //nolint:gosec // a patch of our own names the package
		cmd.Dir = t.root
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("the tests of %s can't be built: %w\n%s", m.pkg(), err, last(string(out)))
		}
		return nil
	}
	return t.only(strings.Join(m.Command, " "), func() error {
		if err := t.only(m.pkg(), build); err != nil {
			return err
		}
		args := []string{"-test.run=" + m.pattern(), "-test.failfast", "-test.timeout=5m"}
		cmd := exec.CommandContext(ctx, program, append(args, t.draws(m)...)...) //nolint:gosec // it was built from our own tree
		cmd.Dir = filepath.Join(t.root, m.pkg())
		out, err := cmd.CombinedOutput()
		switch {
		case err != nil:
			return fmt.Errorf("the test fails without the fault: %w\n%s", err, last(string(out)))
		case strings.Contains(string(out), "no tests to run"):
			return errors.New("there is no such test")
		}
		return nil
	})
}

// test runs a mutant's test with the fault.
func (t *trial) test(ctx context.Context, m *mutant, overlay string) (string, error) {
	args := slices.Concat([]string{"test", "-overlay=" + overlay}, m.Command[2:],
		[]string{"-count=1", "-failfast", "-vet=off", "-ldflags=-s -w", "-timeout=5m"}, t.draws(m))
	cmd := exec.CommandContext(ctx, "go", args...) //nolint:gosec // a patch of our own names the test
	cmd.Dir = t.root
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// draws has what is random in a mutant's test the same each time.
func (t *trial) draws(m *mutant) []string {
	if !t.rapid(m) {
		return nil
	}
	return []string{"-rapid.seed=1", "-rapid.nofailfile", "-rapid.shrinktime=0s"}
}

// rapid reports whether the tests of a mutant's package draw what they are tried on.
func (t *trial) rapid(m *mutant) bool {
	files, err := filepath.Glob(filepath.Join(t.root, m.pkg(), "*_test.go"))
	return err == nil && slices.ContainsFunc(files, func(file string) bool {
		text, err := os.ReadFile(file) //nolint:gosec // it was listed in our own tree
		return err == nil && strings.Contains(string(text), `"pgregory.net/rapid"`)
	})
}

// last is the end of a long text.
func last(s string) string {
	const most = 2000
	s = strings.TrimSpace(s)
	return s[max(0, len(s)-most):]
}
