package main

import (
	"bytes"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const root = "../.."

// Every patch still applies, gives Go, and names a test that there is; each invariant
// has one that breaks it.
func TestPatches(t *testing.T) {
	all, err := readAll(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 25 {
		t.Errorf("%d mutants, want at least 25", len(all))
	}
	covered := map[int]bool{}
	for _, m := range all {
		for _, n := range m.Invariants {
			covered[n] = true
		}
		for _, c := range m.Files {
			text, err := os.ReadFile(filepath.Join(root, c.File))
			if err != nil {
				t.Errorf("%s: %v", m.Name, err)
				continue
			}
			changed, err := c.apply(string(text))
			if err != nil {
				t.Errorf("%s: %v", m.Name, err)
				continue
			}
			if changed == string(text) {
				t.Errorf("%s changes nothing in %s", m.Name, c.File)
			}
			if _, err := parser.ParseFile(token.NewFileSet(), c.File, changed, 0); err != nil {
				t.Errorf("%s is no Go: %v", m.Name, err)
			}
		}
		if !exists(t, m) {
			t.Errorf("%s: %s has no test %s", m.Name, m.pkg(), m.test())
		}
	}
	for n := 1; n <= invariants; n++ {
		if !covered[n] {
			t.Errorf("no mutant breaks invariant %d", n)
		}
	}
}

// exists looks for the test in the files of its package.
func exists(t *testing.T, m *mutant) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, m.pkg(), "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	name, _, _ := strings.Cut(m.test(), "/")
	name = strings.Trim(name, "^$")
	is := regexp.MustCompile(`(?m)^func ` + regexp.QuoteMeta(name) + `\(`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if is.Match(text) {
			return true
		}
	}
	return false
}

func TestParse(t *testing.T) {
	const head = "Invariants: 2, 14\nFault: it does not\nKilled by: go test ./a -run ^TestA$\n"
	const diff = "--- a/a.go\n+++ b/a.go\n@@ -1,3 +1,2 @@\n one\n-two\n+zwei\n\n"
	m, err := parse("01-a", head+"\n"+diff)
	if err != nil {
		t.Fatal(err)
	}
	want := &mutant{
		Name: "01-a", Invariants: []int{2, 14}, Fault: "it does not", Command: []string{"go", "test", "./a", "-run", "^TestA$"},
		Files: []change{{"a.go", []hunk{{[]string{"one", "two", ""}, []string{"one", "zwei", ""}}}}},
	}
	if diff := cmp.Diff(want, m); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if m.pkg() != "a" || m.test() != "TestA" || m.invariants() != "2 14" {
		t.Errorf("got %s %s %s", m.pkg(), m.test(), m.invariants())
	}
	for name, text := range map[string]string{
		"no diff":               head,
		"no head":               "x\n" + diff,
		"an invariant too many": strings.Replace(head, "14", "15", 1) + diff,
		"no test":               strings.Replace(head, "go test ./a -run ^TestA$", "make test", 1) + diff,
		"a line of no hunk":     head + "--- a/a.go\n+++ b/a.go\n one\n",
		"no hunk":               head + "--- a/a.go\n+++ b/a.go\n",
		"an odd line":           head + diff + "*x\n",
	} {
		if m, err := parse("x", text); err == nil {
			t.Errorf("%s: read as %+v", name, m)
		}
	}
}

func TestApply(t *testing.T) {
	c := change{File: "a.go", Hunks: []hunk{{[]string{"b", "c"}, []string{"x"}}, {[]string{"e"}, []string{"e", "y"}}}}
	for _, tt := range []struct{ text, want, err string }{
		{"a\nb\nc\nd\ne\n", "a\nx\nd\ne\ny\n", ""},
		{"b\nc\ne", "x\ne\ny", ""},
		{"a\nb\nd\ne\n", "", "not there any more"},
		{"b\nc\nb\nc\ne\n", "", "more than once"},
	} {
		got, err := c.apply(tt.text)
		if got != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%q: got %q, %v, want %q, %q", tt.text, got, err, tt.want, tt.err)
		}
	}
}

// A mutant is killed by a test that fails, is alive where it passes, and is neither
// where it can't be built or the test fails by itself.
func TestTry(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module m\n", "a/a.go": "package a\n\nfunc One() int {\n\treturn 1\n}\n",
		"a/a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestOne(t *testing.T) {\n\tif One() != 1 {\n\t\tt.Error(\"no\")\n\t}\n}\n\nfunc TestNone(t *testing.T) {}\n\nfunc TestBad(t *testing.T) {\n\tt.Error(\"bad\")\n}\n",
	} {
		write(t, filepath.Join(dir, name), text)
	}
	patch := func(name, test, line string) {
		write(t, filepath.Join(dir, folder, name+".patch"), "Invariants: 1\nFault: one is another\nKilled by: go test ./a -run ^"+test+"$\n\n"+
			"--- a/a/a.go\n+++ b/a/a.go\n@@ -3,3 +3,3 @@\n func One() int {\n-\treturn 1\n+\t"+line+"\n }\n")
	}
	patch("01-killed", "TestOne", "return 2")
	patch("02-killed-by-a-panic", "TestOne", "panic(1)")
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-root", dir}, &out); err != nil || !strings.Contains(out.String(), "2 mutants, 2 killed, 0 not") {
		t.Errorf("got %v\n%s", err, out.String())
	}
	patch("03-alive", "TestNone", "return 2")
	patch("04-unbuilt", "TestOne", "return nothing")
	patch("05-bad-test", "TestBad", "return 2")
	patch("06-no-test", "TestThatIsNot", "return 2")
	write(t, filepath.Join(dir, folder, "07-old.patch"), "Invariants: 1\nFault: f\nKilled by: go test ./a -run ^TestOne$\n\n--- a/a/a.go\n+++ b/a/a.go\n@@ -1 +1 @@\n-gone\n+here\n")
	tr := trial{root: dir, temp: t.TempDir()}
	all, err := readAll(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct{ verdict, detail string }{
		{killed, ""},
		{killed, ""},
		{alive, "one is another"},
		{broken, "can't be built"},
		{broken, "fails without the fault"},
		{broken, "no such test"},
		{broken, "not there any more"},
	} {
		verdict, detail := tr.try(t.Context(), all[i])
		if verdict != want.verdict || !strings.Contains(detail, want.detail) || (detail == "") != (want.detail == "") {
			t.Errorf("%s: got %s (%s), want %s (%s)", all[i].Name, verdict, detail, want.verdict, want.detail)
		}
	}
	out.Reset()
	if err := run(t.Context(), []string{"-root", dir, "-only", "alive"}, &out); err == nil || !strings.Contains(out.String(), "1 mutants, 0 killed") {
		t.Errorf("got %v\n%s", err, out.String())
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
