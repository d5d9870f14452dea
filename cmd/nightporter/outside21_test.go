package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// hostile is what a name must not do to a terminal.
const hostile = "x\x1b[2J\x1b]0;t\a\u009b2J\u202e\u2066\r\nALERT forged\u2028"

// No command prints what a terminal would obey, nor a line that a name made up.
func TestOutside21NothingReachesTheTerminal(t *testing.T) {
	runScripts(t, "testdata/outside21")
}

// plain runs nightporter and fails where what it prints is more than text.
func plain(ts *testscript.TestScript, _ bool, args []string) {
	for i, arg := range args {
		args[i] = strings.ReplaceAll(arg, "@HOSTILE@", hostile)
	}
	exits(ts, false, append([]string{"any"}, args...))
	for _, name := range []string{"stdout", "stderr"} {
		text := ts.ReadFile(name)
		for i, r := range text {
			if obeyedByTerminals.MatchString(string(r)) {
				ts.Fatalf("nightporter %q: %U at %d of %s:\n%q", args, r, i, name, text)
			}
		}
		if strings.Contains("\n"+text, "\nALERT forged") {
			ts.Fatalf("nightporter %q: a forged line in %s:\n%s", args, name, text)
		}
	}
}

// obeyedByTerminals is written again, so that the program's own list is not what it is held to.
var obeyedByTerminals = regexp.MustCompile(`[\x00-\x08\x0b-\x1f\x7f-\x{9f}\x{061c}\x{200e}\x{200f}\x{2028}-\x{202e}\x{2066}-\x{2069}]`)

// Text of several bytes is printed as it is, and JSON stays what it was.
func TestOutside21TextStaysText(t *testing.T) {
	for in, want := range map[string]string{
		"Zoë Nuñez 李 😀\tx\n":               "Zoë Nuñez 李 😀\tx\n",
		"می\u200cخواهم 👩\u200d👧":           "می\u200cخواهم 👩\u200d👧", // joiners shape letters and pictures
		"a\x1b[31mb":                       `a\u001b[31mb`,
		"a\u009b31mb\u0085":                `a\u009b31mb\u0085`,
		"bytes \x9b that are \xff no text": "bytes \ufffd that are \ufffd no text",
		"tag \U000e0041":                   `tag \udb40\udc41`,
		"a\rb\u2028\u202ec\u2069\u200f":    `a\u000db\u2028\u202ec\u2069\u200f`,
	} {
		var out bytes.Buffer
		if n, err := (screen{&out}).Write([]byte(in)); err != nil || n != len(in) || out.String() != want {
			t.Errorf("%q: got %q, %d, %v, want %q", in, out.String(), n, err, want)
		}
	}
	var out bytes.Buffer
	c := &cli{out: screen{&out}}
	if err := c.printJSON([]string{hostile}); err != nil {
		t.Fatal(err)
	}
	var back []string
	if err := json.Unmarshal(out.Bytes(), &back); err != nil || len(back) != 1 || back[0] != hostile {
		t.Errorf("read back: got %q, %v, want %q; printed %q", back, err, hostile, out.String())
	}
	if obeyedByTerminals.MatchString(out.String()) {
		t.Errorf("printed %q", out.String())
	}
}

// An argument makes no line of its own, however it is formatted; errors that are joined
// are a line each.
func TestOutside21ArgumentsStayInTheirLine(t *testing.T) {
	type name string
	var out bytes.Buffer
	show(&out, "%s|%v|%q|%-6s|%d|%v|%v\n", "a\nb", name("c\nd"), "e\nf", "g", 7, errors.New("h\ni"), 90*time.Second)
	showln(&out, "j\nk", []string{"l\nm"}, ours("n\no"))
	want := "a\\u000ab|c\\u000ad|\"e\\nf\"|g     |7|h\\u000ai|1m30s\nj\\u000ak [l\\u000am] n\no\n"
	if out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
	err := errors.Join(errors.New("one\nALERT forged"), fmt.Errorf("two: %w", errors.Join(errors.New("three"), errors.New("four"))))
	if got := errorLines(err); len(got) != 2 || got[0] != `one\u000aALERT forged` {
		t.Errorf("lines of an error: got %q", got)
	}
}

// All that commands print goes through the screen: nothing else prints to the outside.
func TestOutside21OneFilter(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	past := regexp.MustCompile(`fmt\.Fprint(f|ln)?\((c\.(out|err)|os\.Std)|fmt\.Print|[^x]os\.Std(out|err)\b`)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || file == "main.go" {
			continue
		}
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(b), "\n") {
			if past.MatchString(line) && !strings.Contains(line, "fmt.Fprint(c.out, d.Config)") {
				t.Errorf("%s:%d prints past show and tell: %s", file, i+1, strings.TrimSpace(line))
			}
		}
	}
}
