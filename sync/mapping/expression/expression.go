// Package expression runs the expressions that read and write a field: small programs
// in the language of github.com/expr-lang/expr.
//
// Equal inputs give equal results, on any machine and on any day. The time and the memory that an
// expression may take are limited, whatever its text and its values are.
package expression

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/vm"

	"nightporter/sync/mapping/clock"
	"nightporter/sync/record"
)

const (
	nodesMost    = 500       // parts of an expression
	elementsMost = 1 << 17   // elements that one evaluation may make
	textMost     = 64 * 1024 // bytes of a text that is given to an expression
	depthMost    = 16        // levels of lists and maps that are given to an expression, or that it makes
)

// Why an expression gives no value. The messages contain nothing of the values.
var (
	ErrTooLarge = errors.New("too large for an expression")
	errFails    = errors.New("the expression fails on this value")
	errNoValue  = errors.New("the expression gives something that no field can hold")
)

// Expression is one compiled expression. It never changes.
type Expression struct {
	program *vm.Program
	paths   []string
}

// scope holds what a compiled expression can reach. The text of an expression can only name value and
// record.
type scope struct {
	Value  any            `expr:"value"`
	Record map[string]any `expr:"record"`
	Room   *allowance     `expr:"allowance of bytes"`
}

// Compile reads an expression. The expression can use the language itself, value, record["native path"]
// and two functions: local turns an instant in RFC 3339 into the zone's "YYYY-MM-DD HH:MM:SS", and
// instant turns that back.
func Compile(source string, zone *time.Location) (*Expression, error) {
	paths, err := recordPaths(source)
	if err != nil {
		return nil, err
	}
	opts := []expr.Option{
		expr.Env(scope{}),
		expr.MaxNodes(nodesMost),
		expr.Function("local", func(args ...any) (any, error) { return toLocal(args[0], zone) }, new(func(string) string)),
		expr.Function("instant", func(args ...any) (any, error) { return fromLocal(args[0], zone) }, new(func(string) string)),
	}
	// Functions that depend on the day, on the machine or on the order of a map are not available.
	for _, name := range []string{"now", "date", "duration", "timezone", "keys", "values", "toPairs"} {
		opts = append(opts, expr.DisableBuiltin(name))
	}
	if _, err := expr.Compile(source, opts...); err != nil {
		return nil, unreadable(err)
	}
	program, err := expr.Compile(source, append(opts, bounded()...)...)
	if err != nil {
		return nil, unreadable(err)
	}
	return &Expression{program: program, paths: paths}, nil
}

// unreadable returns an error with the first line of the library's message about a text that it can't
// read.
func unreadable(err error) error {
	first, _, _ := strings.Cut(err.Error(), "\n")
	return fmt.Errorf("it can't be read: %s", first)
}

// pathFinder notes which native paths an expression reads.
type pathFinder struct {
	paths  []string
	named  map[ast.Node]bool // uses of record that name a path
	others []ast.Node        // all uses of record
	env    bool              // $env is used
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

// recordPaths returns the native paths that an expression reads, sorted. The expression must name each of
// them, because paths that a mapping does not name are never read from a system.
func recordPaths(source string) ([]string, error) {
	tree, err := parser.Parse(source)
	if err != nil {
		return nil, unreadable(err)
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

// Paths returns the native paths that the expression reads with record, sorted. The caller must not
// change the slice.
func (e *Expression) Paths() []string { return e.paths }

// Run evaluates the expression. native needs only the values at Paths. The error is ErrTooLarge if a value
// is too large to be given to an expression. No error contains anything of the values.
func (e *Expression) Run(value record.Value, native record.Fields) (out record.Value, err error) {
	defer func() {
		if recover() != nil {
			out, err = record.Value{}, errFails
		}
	}()
	s := scope{Record: make(map[string]any, len(e.paths)), Room: &allowance{left: bytesMost}}
	var ok bool
	if s.Value, ok = plain(value, 0); !ok {
		return record.Value{}, ErrTooLarge
	}
	for _, p := range e.paths {
		if s.Record[p], ok = plain(native[p], 0); !ok {
			return record.Value{}, ErrTooLarge
		}
	}
	machine := vm.VM{MemoryBudget: elementsMost}
	result, err := machine.Run(e.program, s)
	if err != nil || !s.Room.weigh(result) {
		return record.Value{}, errFails
	}
	if out, ok = fromPlain(result, 0); !ok {
		return record.Value{}, errNoValue
	}
	return out, nil
}

// plain returns a value as expressions see it. ok is false if the value is too large.
func plain(v record.Value, depth int) (a any, ok bool) {
	if depth > depthMost || len(v.Text()) > textMost {
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
		return each(v.List(), func(e record.Value) (any, bool) { return plain(e, depth+1) })
	case record.Map, record.Content:
		return eachOf(v.Map(), func(e record.Value) (any, bool) { return plain(e, depth+1) })
	case record.Absent, record.Null:
	}
	return nil, true
}

// fromPlain returns the result of an expression as a value. ok is false if no field can hold it.
func fromPlain(a any, depth int) (v record.Value, ok bool) {
	if depth > depthMost {
		return record.Value{}, false
	}
	below := func(e any) (record.Value, bool) { return fromPlain(e, depth+1) }
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
	case float64: // OfNumber refuses NaN and the infinities
		v, err := record.OfNumber(strconv.FormatFloat(a, 'f', -1, 64))
		return v, err == nil
	case []any:
		list, ok := each(a, below)
		return record.OfList(list...), ok
	case []string:
		list, ok := each(a, func(s string) (record.Value, bool) { return record.OfText(s), true })
		return record.OfList(list...), ok
	case map[string]any:
		dict, ok := eachOf(a, below)
		return record.OfMap(dict), ok
	}
	return record.Value{}, false
}

// each turns all elements of a list. ok is false if one of them can't be turned.
func each[A, B any](list []A, turn func(A) (B, bool)) (out []B, ok bool) {
	out = make([]B, len(list))
	for i, a := range list {
		if out[i], ok = turn(a); !ok {
			return nil, false
		}
	}
	return out, true
}

// eachOf turns all values of a map, as each does for a list.
func eachOf[A, B any](dict map[string]A, turn func(A) (B, bool)) (out map[string]B, ok bool) {
	out = make(map[string]B, len(dict))
	for k, a := range dict {
		if out[k], ok = turn(a); !ok {
			return nil, false
		}
	}
	return out, true
}

// toLocal turns an instant into the time that the zone's clock shows.
func toLocal(a any, zone *time.Location) (any, error) {
	s, _ := a.(string)
	t, ok := clock.ParseOffset(s)
	if !ok {
		return nil, fmt.Errorf("local wants a time with an offset")
	}
	return t.In(zone).Format(time.DateTime), nil
}

// fromLocal turns a time that the zone's clock shows into an instant.
func fromLocal(a any, zone *time.Location) (any, error) {
	s, _ := a.(string)
	t, ok := clock.ParseWall(s)
	if !ok {
		return nil, fmt.Errorf("instant wants a time without an offset")
	}
	if t, ok = clock.Instant(t, zone); !ok {
		return nil, fmt.Errorf("instant wants a time that the clock showed")
	}
	return t.Format(time.RFC3339), nil
}
