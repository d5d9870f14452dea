package archtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// mod is the prefix of every package of this module.
const mod = "nightporter/"

// allowed is the import graph, one line a package: what its non-test files may
// import of this module. "x/..." stands for everything below x, on the left
// for packages and on the right for imports. An exact line beats a pattern. A
// package without a line is an error; a line whose package does not exist yet
// is not.
var allowed = map[string][]string{
	// Level 0: the words.
	"sync/record": {},

	// Level 1: what knows the words only.
	"sync/mapping":     {"sync/record", "sync/mapping/..."},
	"sync/merge":       {"sync/record"},
	"sync/story":       {"sync/record"},
	"connectors":       {"sync/record"},
	"connectors/jsonx": {"sync/record"},
	"connectors/pace":  {},
	"state":            {"state/internal/...", "sync/record"},
	"state/migrations": {},

	// Below the store: one way, from the file up to what others are told.
	"state/internal/disk":      {},
	"state/internal/sqlite":    {"state/internal/disk", "state/migrations", "sync/record"},
	"state/internal/files":     {"state/internal/disk", "state/internal/sqlite", "sync/record"},
	"state/internal/asked":     {"state/internal/sqlite", "sync/record"},
	"state/internal/entries":   {"state/internal/sqlite", "sync/record"},
	"state/internal/journal":   {"state/internal/asked", "state/internal/entries", "state/internal/sqlite", "sync/record"},
	"state/internal/scans":     {"state/internal/entries", "state/internal/journal", "state/internal/sqlite", "sync/record"},
	"state/internal/links":     {"state/internal/asked", "state/internal/entries", "state/internal/journal", "state/internal/sqlite", "sync/record"},
	"state/internal/questions": {"state/internal/asked", "state/internal/entries", "state/internal/links", "state/internal/sqlite", "sync/record"},
	"state/internal/digests":   {"state/internal/entries", "state/internal/journal", "state/internal/sqlite", "sync/record"},
	"state/internal/systems":   {"state/internal/sqlite", "sync/record"},
	"state/internal/runs":      {"state/internal/digests", "state/internal/sqlite", "sync/record"},
	"state/internal/events":    {"state/internal/asked", "state/internal/journal", "state/internal/questions", "state/internal/runs", "state/internal/sqlite", "sync/record"},

	"state/statetest": {"state", "sync/record"},

	// Below the mapping: what reads a text, and knows nothing of fields and sides.
	"sync/mapping/email":      {},
	"sync/mapping/phone":      {},
	"sync/mapping/card":       {"sync/mapping/phone"},
	"sync/mapping/clock":      {"sync/record"},
	"sync/mapping/expression": {"sync/record", "sync/mapping/clock"},

	// Level 2: the decision, and what connectors share.
	"sync/plan":                {"sync/record", "sync/merge", "sync/mapping"},
	"sync/plan/away":           {"sync/record", "sync/plan"},
	"sync/plan/guard":          {"sync/record", "sync/plan"},
	"sync/plan/trial":          {"sync/record", "sync/mapping"},
	"sync/plan/undo":           {"sync/record", "sync/plan", "sync/mapping"},
	"connectors/internal/...":  {"connectors", "connectors/jsonx", "connectors/pace", "connectors/internal/...", "sync/record"},
	"connectors/connectortest": {"connectors", "sync/record"},
	"connectors/delivery":      {"connectors", "sync/record"},

	// Level 3: the two halves of a run that touch systems, and the systems.
	"sync/blank":        {"sync/record", "sync/mapping", "connectors"},
	"sync/pull":         {"sync/record", "sync/mapping", "connectors"},
	"sync/apply":        {"sync/record", "sync/mapping", "sync/plan", "connectors"},
	"connectors/memory": {"sync/record", "connectors", "connectors/jsonx", "connectors/internal/..."},
	"connectors/rest":   {"sync/record", "connectors", "connectors/delivery", "connectors/jsonx", "connectors/pace", "connectors/internal/..."},
	"connectors/sql":    {"sync/record", "connectors", "connectors/jsonx", "connectors/internal/..."},
	"connectors/folder": {"sync/record", "connectors", "connectors/jsonx", "connectors/internal/..."},
	"connectors/file":   {"sync/record", "connectors", "connectors/jsonx", "connectors/internal/..."},

	// Level 4: the list of connectors. One run of one job is beside it: see rooms.
	"connectors/all": {"connectors/..."},

	// Level 0 as well, though it stands beside the engine: it takes functions.
	"sync/schedule":            {},
	"sync/schedule/ledgertest": {"sync/schedule"},

	// Level 5: leaves. The simulator is a second reading of the platform's
	// API: sharing code with the connector would hide a misreading in both.
	"simulator":          {},
	"internal/config":    {"internal/signature", "sync/schedule"},
	"internal/secret":    {},
	"internal/signature": {},
	"internal/webhook":   {"connectors/delivery", "internal/signature", "sync/record"},
	"internal/requests":  {},
	"internal/outbox":    {"internal/signature", "sync/record"},
	"internal/subscribe": {"connectors", "sync/record"},
	"internal/doctor":    {"connectors", "connectors/jsonx", "connectors/pace", "connectors/rest"},
	"internal/discover":  {"sync/record", "sync/mapping"},
	"internal/trial":     {"connectors", "sync/record"},
	"internal/pgtest":    {},
	"internal/nettest":   {},
	"internal/archtest":  {},
	"internal/mutants":   {},
	"internal/rooms":     {},

	// Level 6 and 7: the composition root, and the commands on it.
	"internal/app":       {"connectors/...", "internal/...", "state", "sync/...", "simulator"},
	"internal/e2e/...":   {"cmd/...", "connectors/...", "internal/...", "simulator", "state/...", "sync/..."},
	"internal/histories": {},
	"internal/lives":     {"internal/serve"},
	"internal/week":      {"internal/app", "internal/config", "internal/lives", "internal/pgtest", "internal/serve", "simulator", "state", "sync/..."},
	"internal/month":     {"internal/app", "internal/config", "internal/lives", "internal/serve", "simulator", "state", "sync/record"},
	"internal/serve":     {"connectors", "connectors/pace", "internal/app", "internal/config", "internal/outbox", "internal/subscribe", "internal/webhook", "state", "sync/..."},
	"internal/demo":      {"internal/app", "internal/config", "simulator", "state", "sync/..."},
	// The commands print what runs report and what the state file holds; they open
	// systems and run jobs through internal/app alone.
	"cmd/...": {"connectors", "internal/app", "internal/config", "internal/demo", "internal/doctor", "internal/outbox", "internal/requests", "internal/secret", "internal/serve", "internal/trial", "simulator", "state", "sync/engine", "sync/plan/...", "sync/record", "sync/story"},
}

// rooms are what a run of a job is made of, from below to above: each may import those before it, and
// what is below them all.
var rooms = []string{
	"sync/run", "sync/findings", "sync/trust", "sync/observe", "sync/refer", "sync/match", "sync/proof", "sync/guards",
	"sync/trials", "sync/settle", "sync/links", "sync/gone", "sync/door", "sync/decide", "sync/takeback", "sync/engine",
}

var _ = func() bool { // each room may import what is below all rooms, and the rooms before it
	below := []string{"sync/record", "sync/mapping", "sync/merge", "sync/plan/...", "sync/pull", "sync/apply", "connectors"}
	for _, room := range rooms {
		allowed[room] = slices.Clone(below)
		below = append(below, room)
	}
	return true
}()

// pure are the packages that decide: they reach no clock service, disk, net,
// SQL or logging, directly or through what they import.
var pure = []string{
	"sync/record", "sync/mapping", "sync/mapping/card", "sync/mapping/clock", "sync/mapping/email", "sync/mapping/expression",
	"sync/mapping/phone",
	"sync/merge", "sync/plan", "sync/plan/away", "sync/plan/guard", "sync/plan/trial", "sync/plan/undo", "sync/story", "internal/discover",
}

// impure cannot hold "os", because fmt reaches it.
var impure = []string{"database/sql", "net", "net/http", "os/exec", "log/slog"}

// pkg is what `go list` tells about one package.
type pkg struct {
	ImportPath   string
	Dir          string
	GoFiles      []string
	CgoFiles     []string
	TestGoFiles  []string
	XTestGoFiles []string
	Imports      []string
	Deps         []string
	Error        *struct{ Err string }
}

// covers reports whether pattern names path: exactly, or as "x/..." for x and
// everything below it.
func covers(pattern, path string) bool {
	below, sub := strings.CutSuffix(pattern, "/...")
	return path == below || sub && strings.HasPrefix(path, below+"/")
}

// line finds what a package may import: its own line, else the longest pattern
// that covers it.
func line(lines map[string][]string, name string) (may []string, ok bool) {
	if may, ok := lines[name]; ok {
		return may, true
	}
	best := ""
	for pattern := range lines {
		if covers(pattern, name) && len(pattern) > len(best) {
			best = pattern
		}
	}
	may, ok = lines[best]
	return may, ok
}

// violations checks packages against the lines and the pure list, and returns
// one sentence for each break, in the order of the packages.
func violations(pkgs []pkg, lines map[string][]string) []string {
	var found []string
	for _, p := range pkgs {
		name, _ := strings.CutPrefix(p.ImportPath, mod)
		if p.Error != nil {
			found = append(found, fmt.Sprintf("%s cannot be read: %s", name, p.Error.Err))
			continue
		}
		may, ok := line(lines, name)
		if !ok {
			found = append(found, fmt.Sprintf("%s has no line in allowed", name))
			continue
		}
		for _, path := range p.Imports {
			imported, ours := strings.CutPrefix(path, mod)
			if ours && !slices.ContainsFunc(may, func(a string) bool { return covers(a, imported) }) {
				found = append(found, fmt.Sprintf("%s must not import %s", name, imported))
			}
		}
		if slices.Contains(pure, name) {
			for _, dep := range p.Deps {
				if slices.Contains(impure, dep) {
					found = append(found, fmt.Sprintf("%s must be pure but reaches %s", name, dep))
				}
			}
		}
	}
	return found
}

// breaches checks the text of one package: it needs a doc comment, and a
// non-test file outside cmd/ has no func init, whose order nobody can see.
func breaches(name string, files map[string]*ast.File) []string {
	var found []string
	documented := false
	for _, file := range slices.Sorted(maps.Keys(files)) {
		f := files[file]
		documented = documented || f.Doc != nil && strings.TrimSpace(f.Doc.Text()) != ""
		if covers("cmd/...", name) || strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, decl := range f.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
				found = append(found, fmt.Sprintf("%s/%s has a func init", name, file))
			}
		}
	}
	if !documented {
		found = append(found, fmt.Sprintf("%s has no package doc comment", name))
	}
	return found
}

// list asks the go command for every package of this module.
func list(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-e",
		"-json=ImportPath,Dir,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles,Imports,Deps,Error", mod+"...")
	out, err := cmd.Output()
	if err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			t.Fatalf("go list: %v\n%s", err, exit.Stderr)
		}
		t.Fatalf("go list: %v", err)
	}
	var pkgs []pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("read go list: %v", err)
		}
		pkgs = append(pkgs, p)
	}
	if !slices.ContainsFunc(pkgs, func(p pkg) bool { return p.ImportPath == mod+"internal/archtest" }) {
		t.Fatalf("go list named %d packages and not this one", len(pkgs))
	}
	return pkgs
}

func TestImportGraph(t *testing.T) {
	for _, v := range violations(list(t), allowed) {
		t.Error(v)
	}
}

func TestPackageText(t *testing.T) {
	for _, p := range list(t) {
		name, _ := strings.CutPrefix(p.ImportPath, mod)
		names := slices.Concat(p.GoFiles, p.CgoFiles)
		if len(names) == 0 {
			names = slices.Concat(p.TestGoFiles, p.XTestGoFiles)
		}
		files := map[string]*ast.File{}
		for _, file := range names {
			f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, file), nil, parser.ParseComments)
			if err != nil {
				t.Errorf("parse %s/%s: %v", name, file, err)
				continue
			}
			files[file] = f
		}
		for _, b := range breaches(name, files) {
			t.Error(b)
		}
	}
}

// The rules are seen to bite: each row plants one break.
func TestViolations(t *testing.T) {
	lines := map[string][]string{
		"sync/record":             {},
		"sync/merge":              {"sync/record"},
		"connectors/internal/...": {"connectors"},
		"connectors/memory":       {"connectors", "connectors/internal/..."},
		"cmd/...":                 {"internal/app"},
	}
	tests := map[string]struct {
		pkg  pkg
		want []string
	}{
		"nothing planted": {
			pkg: pkg{ImportPath: "nightporter/sync/merge", Imports: []string{"fmt", "nightporter/sync/record"}, Deps: []string{"fmt", "os"}},
		},
		"below a pattern": {
			pkg: pkg{ImportPath: "nightporter/connectors/memory", Imports: []string{"nightporter/connectors/internal/restkit"}},
		},
		"package named by a pattern": {
			pkg:  pkg{ImportPath: "nightporter/cmd/nightporter", Imports: []string{"nightporter/internal/app", "nightporter/state"}},
			want: []string{"cmd/nightporter must not import state"},
		},
		"a connector keeps state": {
			pkg:  pkg{ImportPath: "nightporter/connectors/memory", Imports: []string{"nightporter/connectors", "nightporter/state"}},
			want: []string{"connectors/memory must not import state"},
		},
		"a parent is not its children": {
			pkg:  pkg{ImportPath: "nightporter/connectors/internal/dbkit", Imports: []string{"nightporter/connectors/memory"}},
			want: []string{"connectors/internal/dbkit must not import connectors/memory"},
		},
		"an import upwards": {
			pkg:  pkg{ImportPath: "nightporter/sync/record", Imports: []string{"nightporter/sync/merge"}},
			want: []string{"sync/record must not import sync/merge"},
		},
		"the net, reached through a library": {
			pkg:  pkg{ImportPath: "nightporter/sync/merge", Imports: []string{"net/mail"}, Deps: []string{"net", "net/mail"}},
			want: []string{"sync/merge must be pure but reaches net"},
		},
		"the net, outside the pure packages": {
			pkg: pkg{ImportPath: "nightporter/connectors/memory", Imports: []string{"net/http"}, Deps: []string{"net", "net/http"}},
		},
		"no line": {
			pkg:  pkg{ImportPath: "nightporter/sync/gossip"},
			want: []string{"sync/gossip has no line in allowed"},
		},
		"a name that only begins like a line": {
			pkg:  pkg{ImportPath: "nightporter/sync/recorder"},
			want: []string{"sync/recorder has no line in allowed"},
		},
		"unreadable": {
			pkg:  pkg{ImportPath: "nightporter/sync/merge", Error: &struct{ Err string }{"expected 'package'"}},
			want: []string{"sync/merge cannot be read: expected 'package'"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, violations([]pkg{tt.pkg}, lines)); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEveryPurePackageHasALine(t *testing.T) {
	for _, p := range pure {
		if _, ok := allowed[p]; !ok {
			t.Errorf("pure package %s has no line in allowed", p)
		}
	}
}

func TestBreaches(t *testing.T) {
	tests := map[string]struct {
		pkg, file, text string
		want            []string
	}{
		"as it should be": {"state", "store.go", "// Package state keeps.\npackage state\nfunc Open() {}\n", nil},
		"a method named init is not one": {
			"state", "store.go", "// Package state keeps.\npackage state\ntype s struct{}\nfunc (s) init() {}\n", nil,
		},
		"no doc comment": {
			"state", "store.go", "package state\n", []string{"state has no package doc comment"},
		},
		"a directive is not a doc comment": {
			"state", "store.go", "//go:generate true\npackage state\n", []string{"state has no package doc comment"},
		},
		"func init": {
			"state", "store.go", "// Package state keeps.\npackage state\nfunc init() {}\n",
			[]string{"state/store.go has a func init"},
		},
		"func init in a test": {
			"state", "store_test.go", "// Package state keeps.\npackage state\nfunc init() {}\n", nil,
		},
		"func init in a command": {
			"cmd/nightporter", "main.go", "// Command nightporter runs.\npackage main\nfunc init() {}\n", nil,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f, err := parser.ParseFile(token.NewFileSet(), tt.file, tt.text, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			got := breaches(tt.pkg, map[string]*ast.File{tt.file: f})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("breaches (-want +got):\n%s", diff)
			}
		})
	}
}
