package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// folder is where the patches are, below the module's.
const folder = "internal/mutants"

// invariants is how many there are.
const invariants = 14

// mutant is one planted fault.
type mutant struct {
	Name       string // of its file, without the ending
	Invariants []int
	Fault      string
	Command    []string // of the test that kills it: go test ./package -run …
	Files      []change
}

// change is what a mutant does to one file.
type change struct {
	File  string // below the module's folder
	Hunks []hunk
}

// hunk is lines and what they become.
type hunk struct{ Old, New []string }

func (m *mutant) invariants() string {
	words := make([]string, len(m.Invariants))
	for i, n := range m.Invariants {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, " ")
}

func (m *mutant) pkg() string { return strings.TrimPrefix(m.Command[2], "./") }

// test is the pattern that -run is given, and test its name without anchors.
func (m *mutant) pattern() string { return m.Command[4] }

func (m *mutant) test() string { return strings.Trim(m.pattern(), "^$") }

// readAll reads every mutant, in the order of their names.
func readAll(root string) ([]*mutant, error) {
	files, err := filepath.Glob(filepath.Join(root, folder, "*.patch"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("there are no patches in %s", filepath.Join(root, folder))
	}
	slices.Sort(files)
	all := make([]*mutant, 0, len(files))
	for _, file := range files {
		text, err := os.ReadFile(file) //nolint:gosec // it was listed in our own folder
		if err != nil {
			return nil, err
		}
		m, err := parse(strings.TrimSuffix(filepath.Base(file), ".patch"), string(text))
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", file, err)
		}
		all = append(all, m)
	}
	return all, nil
}

// parse reads a patch with its head.
func parse(name, text string) (*mutant, error) {
	m := &mutant{Name: name}
	head, diff, ok := strings.Cut(text, "\n--- ")
	if !ok {
		return nil, errors.New("no diff in it")
	}
	for line := range strings.Lines(head) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok {
			continue
		}
		switch key {
		case "Invariants":
			for word := range strings.SplitSeq(value, ",") {
				n, err := strconv.Atoi(strings.TrimSpace(word))
				if err != nil || n < 1 || n > invariants {
					return nil, fmt.Errorf("invariant %q: they are numbered from 1 to %d", word, invariants)
				}
				m.Invariants = append(m.Invariants, n)
			}
		case "Fault":
			m.Fault = value
		case "Killed by":
			m.Command = strings.Fields(value)
		}
	}
	c := m.Command
	if len(m.Invariants) == 0 || m.Fault == "" || len(c) != 5 || c[0] != "go" || c[1] != "test" || !strings.HasPrefix(c[2], "./") || c[3] != "-run" {
		return nil, errors.New(`its head must say "Invariants: 1, 2", "Fault: …" and "Killed by: go test ./package -run ^TestName$"`)
	}
	var err error
	m.Files, err = parseDiff("--- " + diff)
	return m, err
}

// parseDiff reads a unified diff.
func parseDiff(text string) ([]change, error) {
	var files []change
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		last := len(files) - 1
		switch {
		case strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "diff "), strings.HasPrefix(line, "index "), strings.HasPrefix(line, `\`):
		case strings.HasPrefix(line, "+++ "):
			name, _, _ := strings.Cut(strings.TrimPrefix(line, "+++ "), "\t")
			files = append(files, change{File: strings.TrimPrefix(name, "b/")})
		case strings.HasPrefix(line, "@@") && last >= 0:
			files[last].Hunks = append(files[last].Hunks, hunk{})
		case last < 0 || len(files[last].Hunks) == 0:
			return nil, fmt.Errorf("a line that belongs to no hunk: %q", line)
		default:
			h := &files[last].Hunks[len(files[last].Hunks)-1]
			if err := h.add(line); err != nil {
				return nil, err
			}
		}
	}
	if len(files) == 0 || slices.ContainsFunc(files, func(c change) bool { return len(c.Hunks) == 0 }) {
		return nil, errors.New("a file without a hunk")
	}
	return files, nil
}

func (h *hunk) add(line string) error {
	kind, rest := " ", ""
	if line != "" {
		kind, rest = line[:1], line[1:]
	}
	switch kind {
	case " ":
		h.Old, h.New = append(h.Old, rest), append(h.New, rest)
	case "-":
		h.Old = append(h.Old, rest)
	case "+":
		h.New = append(h.New, rest)
	default:
		return fmt.Errorf("a line that is neither kept, taken out nor put in: %q", line)
	}
	return nil
}

// apply makes the change to a file's text. The old lines of each hunk must be there
// once, wherever.
func (c *change) apply(text string) (string, error) {
	lines := strings.Split(text, "\n")
	for _, h := range c.Hunks {
		at := -1
		for i := 0; i+len(h.Old) <= len(lines); i++ {
			if !slices.Equal(lines[i:i+len(h.Old)], h.Old) {
				continue
			}
			if at >= 0 {
				return "", fmt.Errorf("%s: the lines are there more than once, from %d and from %d on: %q", c.File, at+1, i+1, h.Old[0])
			}
			at = i
		}
		if at < 0 {
			return "", fmt.Errorf("%s: the lines to be changed are not there any more: write the patch anew: %q", c.File, strings.Join(h.Old, "\n"))
		}
		lines = slices.Concat(lines[:at], h.New, lines[at+len(h.Old):])
	}
	return strings.Join(lines, "\n"), nil
}
