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
	sound      map[string]error // by command, whether the test passes without a fault
}

// try says what became of a mutant, and why where it is not killed.
func (t *trial) try(ctx context.Context, m *mutant) (verdict, detail string) {
	overlay, err := t.overlay(m)
	if err != nil {
		return broken, err.Error()
	}
	key := strings.Join(m.Command, " ")
	if _, tried := t.sound[key]; !tried {
		out, err := t.test(ctx, m, "")
		if err != nil {
			err = fmt.Errorf("the test fails without the fault: %w\n%s", err, last(out))
		} else if strings.Contains(out, "[no tests to run]") {
			err = errors.New("there is no such test")
		}
		t.sound[key] = err
	}
	if err := t.sound[key]; err != nil {
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

// test runs a mutant's test, with the fault if there is an overlay. What is random in
// it is the same each time.
func (t *trial) test(ctx context.Context, m *mutant, overlay string) (string, error) {
	args := slices.Concat(m.Command[1:], []string{"-count=1", "-failfast", "-vet=off", "-ldflags=-s -w", "-timeout=5m"})
	if overlay != "" {
		args = slices.Insert(args, 1, "-overlay="+overlay)
	}
	if t.rapid(m) {
		args = append(args, "-rapid.seed=1", "-rapid.nofailfile", "-rapid.shrinktime=0s")
	}
	cmd := exec.CommandContext(ctx, "go", args...) //nolint:gosec // a patch of our own names the test
	cmd.Dir = t.root
	out, err := cmd.CombinedOutput()
	return string(out), err
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
