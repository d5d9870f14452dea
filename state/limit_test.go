package state

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// bareLimit is a bound of a statement that is a parameter and nothing else.
var bareLimit = regexp.MustCompile(`\b(LIMIT|OFFSET)\s+\?\d*(\s*$|\s*[^\s\d+]|\s+[^+\s])`)

// SQLite's planner looks at the value of a LIMIT that is a parameter, and plans the
// statement anew each time another value is bound, although it was prepared before.
// That was a third of what a quiet run of a small house cost. Of an expression it
// does not look at the value.
func TestNoLimitIsABareParameter(t *testing.T) {
	for query, bare := range map[string]bool{
		"LIMIT ?3": true, "LIMIT ?3)": true, "OFFSET ?4) x": true, "LIMIT ?": true, "LIMIT ?3 ORDER": true,
		"LIMIT ?3 + 0": false, "LIMIT ?3 + 0)": false, "LIMIT 1": false, "LIMIT ?12 + 0 OFFSET ?4 + 0": false,
	} {
		if bareLimit.MatchString(query) != bare {
			t.Errorf("%q is taken for a bare parameter: %t", query, !bare)
		}
	}
	files, err := filepath.Glob("internal/*/*.go")
	if err != nil || len(files) < 60 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && bareLimit.MatchString(strings.Trim(lit.Value, "`\"")) {
				t.Errorf("%s: write LIMIT ?n + 0, or SQLite plans the statement anew at each call", set.Position(n.Pos()))
			}
			return true
		})
	}
}
