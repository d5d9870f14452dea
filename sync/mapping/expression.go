package mapping

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/vm"

	"nightporter/sync/record"
)

const (
	expressionNodes  = 500       // parts that an expression may have
	expressionMemory = 1 << 17   // elements that evaluating one may make
	expressionText   = 64 * 1024 // bytes of a text that one is given
	expressionDepth  = 16
)

// expression is one compiled expression. Equal inputs give equal results, on any
// machine and on any day.
type expression struct {
	program *vm.Program
	paths   []string // of the record, sorted
}

// scope is what an expression can name.
type scope struct {
	Value  any            `expr:"value"`
	Record map[string]any `expr:"record"`
	Room   *allowance     `expr:"allowance of bytes"`
}

// newExpression compiles an expression. Beside the language itself it knows value,
// record["native path"], local(instant) and instant(local), which turn RFC 3339
// into the house's "YYYY-MM-DD HH:MM:SS" and back.
func newExpression(source string, zone *time.Location) (*expression, error) {
	paths, err := recordPaths(source)
	if err != nil {
		return nil, err
	}
	opts := []expr.Option{
		expr.Env(scope{}),
		expr.MaxNodes(expressionNodes),
		expr.Function("local", func(args ...any) (any, error) { return toLocal(args[0], zone) }, new(func(string) string)),
		expr.Function("instant", func(args ...any) (any, error) { return fromLocal(args[0], zone) }, new(func(string) string)),
	}
	// What depends on the day, on the machine or on the order of a map.
	for _, name := range []string{"now", "date", "duration", "timezone", "keys", "values", "toPairs"} {
		opts = append(opts, expr.DisableBuiltin(name))
	}
	if _, err := expr.Compile(source, opts...); err != nil {
		return nil, fmt.Errorf("it can't be read: %s", firstLine(err))
	}
	program, err := expr.Compile(source, append(opts, bounded()...)...)
	if err != nil {
		return nil, fmt.Errorf("it can't be read: %s", firstLine(err))
	}
	return &expression{program: program, paths: paths}, nil
}

func firstLine(err error) string {
	s, _, _ := strings.Cut(err.Error(), "\n")
	return s
}

// pathFinder notes which native paths an expression reads.
type pathFinder struct {
	paths  []string
	named  map[ast.Node]bool // uses of record that name a path
	others []ast.Node        // all uses of record
	env    bool
}

// Visit looks at one node.
func (p *pathFinder) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IdentifierNode:
		p.env = p.env || n.Value == "$env"
		if n.Value == "record" {
			p.others = append(p.others, n)
		}
	case *ast.MemberNode:
		id, isID := n.Node.(*ast.IdentifierNode)
		key, isKey := n.Property.(*ast.StringNode)
		if isID && isKey && id.Value == "record" {
			p.paths = append(p.paths, key.Value)
			p.named[id] = true
		}
	}
}

// recordPaths is the native paths an expression reads. It must name them: what a
// mapping does not name is never selected.
func recordPaths(source string) ([]string, error) {
	tree, err := parser.Parse(source)
	if err != nil {
		return nil, fmt.Errorf("it can't be read: %s", firstLine(err))
	}
	p := &pathFinder{named: map[ast.Node]bool{}}
	ast.Walk(&tree.Node, p)
	for _, n := range p.others {
		if !p.named[n] {
			return nil, fmt.Errorf(`record is only read by name, as record["path"]`)
		}
	}
	if p.env {
		return nil, fmt.Errorf(`$env is not available; name what is read, as record["path"]`)
	}
	slices.Sort(p.paths)
	return slices.Compact(p.paths), nil
}

// run evaluates the expression. The note tells nothing of the values.
func (e *expression) run(value record.Value, native record.Fields) (out record.Value, n note) {
	failed := note{code: BadExpression, text: "the expression fails on this value"}
	defer func() {
		if recover() != nil {
			out, n = record.Value{}, failed
		}
	}()
	s := scope{Record: make(map[string]any, len(e.paths)), Room: &allowance{left: expressionBytes}}
	var ok bool
	if s.Value, ok = plain(value, 0); !ok {
		return record.Value{}, note{code: TooLong, text: "too large for an expression"}
	}
	for _, p := range e.paths {
		if s.Record[p], ok = plain(native[p], 0); !ok {
			return record.Value{}, note{code: TooLong, text: "too large for an expression"}
		}
	}
	machine := vm.VM{MemoryBudget: expressionMemory}
	result, err := machine.Run(e.program, s)
	if err != nil {
		return record.Value{}, failed
	}
	if !s.Room.weigh(result) {
		return record.Value{}, failed
	}
	if out, ok = fromPlain(result, 0); !ok {
		return record.Value{}, note{code: BadExpression, text: "the expression gives something that no field can hold"}
	}
	return out, note{}
}

// plain is a value as expressions see it. ok is false for what is too large.
func plain(v record.Value, depth int) (a any, ok bool) {
	if depth > expressionDepth || len(v.Text()) > expressionText {
		return nil, false
	}
	switch v.Type() {
	case record.Text:
		return v.Text(), true
	case record.Bool:
		return v.Bool(), true
	case record.Number:
		if n, whole := v.Int(); whole {
			return int(n), true
		}
		f, err := strconv.ParseFloat(v.Text(), 64)
		return f, err == nil
	case record.List:
		list := make([]any, len(v.List()))
		for i, e := range v.List() {
			if list[i], ok = plain(e, depth+1); !ok {
				return nil, false
			}
		}
		return list, true
	case record.Map, record.Content:
		dict := make(map[string]any, len(v.Map()))
		for k, e := range v.Map() {
			if dict[k], ok = plain(e, depth+1); !ok {
				return nil, false
			}
		}
		return dict, true
	case record.Absent, record.Null:
	}
	return nil, true
}

// fromPlain is what an expression gave, as a value.
func fromPlain(a any, depth int) (v record.Value, ok bool) {
	if depth > expressionDepth {
		return record.Value{}, false
	}
	switch a := a.(type) {
	case nil:
		return record.Nothing(), true
	case string:
		return record.OfText(a), true
	case bool:
		return record.OfBool(a), true
	case int:
		return record.OfInt(int64(a)), true
	case int64:
		return record.OfInt(a), true
	case float64:
		if math.IsNaN(a) || math.IsInf(a, 0) {
			return record.Value{}, false
		}
		v, err := record.OfNumber(strconv.FormatFloat(a, 'f', -1, 64))
		return v, err == nil
	case []any:
		list := make([]record.Value, len(a))
		for i := range a {
			if list[i], ok = fromPlain(a[i], depth+1); !ok {
				return record.Value{}, false
			}
		}
		return record.OfList(list...), true
	case []string:
		list := make([]record.Value, len(a))
		for i := range a {
			list[i] = record.OfText(a[i])
		}
		return record.OfList(list...), true
	case map[string]any:
		dict := make(map[string]record.Value, len(a))
		for k, e := range a {
			if dict[k], ok = fromPlain(e, depth+1); !ok {
				return record.Value{}, false
			}
		}
		return record.OfMap(dict), true
	}
	return record.Value{}, false
}

// toLocal turns an instant into the house's clock.
func toLocal(a any, zone *time.Location) (any, error) {
	s, _ := a.(string)
	t, ok := parseOffset(s)
	if !ok {
		return nil, fmt.Errorf("local wants a time with an offset")
	}
	return t.In(zone).Format(time.DateTime), nil
}

// fromLocal turns a time on the house's clock into an instant.
func fromLocal(a any, zone *time.Location) (any, error) {
	s, _ := a.(string)
	t, ok := parseWall(s)
	if !ok {
		return nil, fmt.Errorf("instant wants a time without an offset")
	}
	if t, ok = onClock(t, zone); !ok {
		return nil, fmt.Errorf("instant wants a time that the clock showed")
	}
	return t.Format(time.RFC3339), nil
}
