package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// realTime is the files of tests without a clock of their own that compare how long something
// took, and why no verdict depends on how fast the machine is.
var realTime = map[string]string{
	"connectors/pace/fuzz_test.go":           "a moment that was named comes nearer while the test runs, and is bounded from above",
	"connectors/rest/dialect_test.go":        "what the test took so far is added to the bar",
	"internal/e2e/kick_bench_test.go":        "it sends at a pace",
	"internal/e2e/rest_test.go":              "it waits a minute at most for a service to begin",
	"internal/e2e/room_test.go":              "what is asked for and what has passed are a second at least, whatever passes",
	"internal/e2e/subscription_kill_test.go": "it waits until a secret is old enough, and for as long as others do",
	"internal/e2e/subscription_test.go":      "it sends for nine seconds",
	"internal/histories/histories_test.go":   "it tells once a minute how far it is",
	"internal/histories/shrink_test.go":      "it looks for a shorter history for so long",
	"internal/month/timeline_test.go":        "it runs in a bubble of its caller's",
	"internal/month/world_test.go":           "it runs in a bubble of its caller's",
	"internal/week/looks_test.go":            "it runs in a bubble of its caller's",
	"internal/week/time_test.go":             "it runs in a bubble of its caller's",
	"sync/engine/asked_test.go":              "what the test took so far is added to the bar",
}

// No test has a verdict that depends on how fast the machine is: what compares the time that
// passed has a clock of its own, or counts something else, or is in the table. Speed is measured
// by benchmarks.
func TestOutside38NoBarOnTheWallClock(t *testing.T) {
	left := maps.Clone(realTime)
	testFiles(t, func(path string, f *ast.File, at func(ast.Node) token.Position) {
		if slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"testing/synctest"` }) {
			return
		}
		spent := spentTime(f)
		ast.Inspect(f, func(n ast.Node) bool {
			b, ok := n.(*ast.BinaryExpr)
			if !ok || !slices.Contains([]token.Token{token.LSS, token.GTR, token.LEQ, token.GEQ}, b.Op) || !tellsTime(b, spent) {
				return true
			}
			if delete(left, path); realTime[path] == "" {
				t.Errorf("%s: a bar on the clock on the wall: count something, or run it in a bubble of testing/synctest", at(n))
			}
			return true
		})
	})
	for path := range left {
		t.Errorf("the table has %s, and it compares no time", path)
	}
}

// No test only writes an error down that it should judge.
func TestOutside38NoErrorIsOnlyLogged(t *testing.T) {
	testFiles(t, func(_ string, f *ast.File, at func(ast.Node) token.Position) {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			s, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || s.Sel.Name != "Log" && s.Sel.Name != "Logf" {
				return true
			}
			for _, arg := range call.Args {
				if id, ok := arg.(*ast.Ident); ok && id.Name == "err" {
					t.Errorf("%s: say what the error is to be", at(n))
				}
			}
			return true
		})
	})
}

// testFiles calls see for each file of tests, by its path in the repository.
func testFiles(t *testing.T, see func(path string, f *ast.File, at func(ast.Node) token.Position)) {
	t.Helper()
	err := filepath.WalkDir("../..", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel("../..", path)
		see(filepath.ToSlash(rel), f, func(n ast.Node) token.Position { return files.Position(n.Pos()) })
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// spentTime is the names of what is set to a time that passed.
func spentTime(f *ast.File) map[string]bool {
	names := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if !ok || len(a.Lhs) != len(a.Rhs) {
			return true
		}
		for i, right := range a.Rhs {
			if id, ok := a.Lhs[i].(*ast.Ident); ok && tellsTime(right, nil) {
				names[id.Name] = true
			}
		}
		return true
	})
	return names
}

// tellsTime reports whether an expression holds a time that passed: by a call of time.Since or
// time.Until, or by the name of one.
func tellsTime(x ast.Expr, names map[string]bool) (tells bool) {
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			pkg, ok := n.X.(*ast.Ident)
			tells = tells || ok && pkg.Name == "time" && (n.Sel.Name == "Since" || n.Sel.Name == "Until")
		case *ast.Ident:
			tells = tells || names[n.Name]
		case *ast.FuncLit:
			return false
		}
		return !tells
	})
	return tells
}
