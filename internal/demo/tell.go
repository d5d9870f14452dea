package demo

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
)

// title begins a chapter.
func (s *story) title(text string) {
	s.chapter++
	head := fmt.Sprintf("%d. %s", s.chapter, text)
	fmt.Fprintf(s.w, "\n%s\n%s\n", head, strings.Repeat("─", len([]rune(head))))
}

// say prints a paragraph.
func (s *story) say(format string, args ...any) { fmt.Fprintf(s.w, format+"\n", args...) }

// table prints rows under a header.
func (s *story) table(header []string, rows [][]string) {
	t := tabwriter.NewWriter(s.w, 0, 0, 2, ' ', 0)
	for _, r := range append([][]string{header}, rows...) {
		fmt.Fprintf(t, "    %s\n", strings.Join(r, "\t"))
	}
	_ = t.Flush() // what can't be printed has no reader
}

// command runs one of the program's commands on the demo's configuration, prints it
// as the user would type it, and gives what it wrote. The exit codes that are no
// failure are 0 and those in also.
func (s *story) command(ctx context.Context, args []string, also ...int) (string, error) {
	s.prompt(args)
	var out, errw bytes.Buffer
	code := s.o.Command(ctx, append(slices.Clone(args), "-c", s.path(configFile)), &out, &errw)
	if code != 0 && !slices.Contains(also, code) {
		s.show(out.String() + errw.String())
		return "", fmt.Errorf("nightporter %s: exit code %d: %s", strings.Join(args, " "), code, strings.TrimSpace(errw.String()))
	}
	return out.String(), nil
}

// prompt prints a command as the user would type it.
func (s *story) prompt(args []string) { fmt.Fprintf(s.w, "  $ %s\n", s.typed(args...)) }

func (s *story) typed(args ...string) string {
	return fmt.Sprintf("%s %s -c %s", s.o.Name, strings.Join(args, " "), s.path(configFile))
}

// show prints what a command wrote.
func (s *story) show(text string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\n"); line != "" {
			fmt.Fprintf(s.w, "    %s\n", line)
		}
	}
}

// excerpt is a plan with the first few changes of each kind in each job, and how
// many more there are.
func excerpt(plan string, most int) string {
	var b strings.Builder
	kind, dropped, keeping := "", 0, true
	seen := map[string]int{}
	end := func() {
		if dropped > 0 {
			fmt.Fprintf(&b, "    … %d more like this\n", dropped)
		}
		kind, dropped, keeping = "", 0, true
	}
	for line := range strings.Lines(plan) {
		head := strings.HasPrefix(line, "  + ") || strings.HasPrefix(line, "  ~ ") || strings.HasPrefix(line, "  . ")
		switch {
		case head:
			k := changeKind(line)
			if k != kind {
				end()
				kind = k
			}
			seen[k]++
			if keeping = seen[k] <= most; !keeping {
				dropped++
			}
		case !strings.HasPrefix(line, "    "):
			end()
			if strings.HasPrefix(line, "job ") {
				clear(seen)
			}
		}
		if keeping && strings.TrimSpace(line) != "" {
			b.WriteString(line)
		}
	}
	end()
	return b.String()
}

// changeKind is the words of a change's first line that say what it does and where.
func changeKind(line string) string {
	if state, _, _ := strings.Cut(line, ":"); strings.HasPrefix(line, "  .") {
		if strings.TrimSpace(state) == ". left out" { // counted already
			return line
		}
		return state
	}
	words := strings.Fields(line)
	if len(words) > 4 {
		words = words[:4]
	}
	for i, w := range words { // an id is no kind
		words[i], _, _ = strings.Cut(w, ":")
	}
	return strings.Join(words, " ")
}
