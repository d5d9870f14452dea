package expression

import (
	"errors"
	"reflect"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/vm/runtime"
)

// bytesMost is the most bytes for the texts and lists that one evaluation makes. The library only counts
// elements, and only after they are made. For the library, the result of repeat(value, 1000000) is one
// element.
const bytesMost = 8 << 20

var errTooMuch = errors.New("the expression makes too much")

// allowance counts how many bytes are left for one evaluation.
type allowance struct{ left int }

// spend takes n bytes from the allowance. It returns false if fewer are left.
func (a *allowance) spend(n int) bool {
	if n < 0 || n > a.left {
		a.left = 0
		return false
	}
	a.left -= n
	return true
}

// weigh takes the bytes of a value from the allowance. It returns false if fewer are left. If a list holds
// the same value twice, weigh counts the value twice, because the result is written out in full.
func (a *allowance) weigh(v any) bool {
	const each = 16
	switch v := v.(type) {
	case string:
		return a.spend(each + len(v))
	case map[string]any:
		for k, e := range v {
			if !a.spend(each+len(k)) || !a.weigh(e) {
				return false
			}
		}
		return a.spend(each)
	}
	list := reflect.ValueOf(v)
	if list.Kind() == reflect.Slice || list.Kind() == reflect.Array {
		for i := range list.Len() {
			if !a.weigh(list.Index(i).Interface()) {
				return false
			}
		}
	}
	return a.spend(each)
}

// makers are the functions of the language that make texts and lists.
var makers = []string{
	"string", "upper", "lower", "split", "splitAfter", "replace", "repeat", "join", "toJSON", "fromJSON", "toBase64", "fromBase64",
	"fromPairs", "reverse", "uniq", "concat", "flatten", "sort",
}

// allowanceName is the name by which a compiled expression reaches the allowance. The text of an
// expression can't use it: a name of the language has no blanks.
const allowanceName = "allowance of bytes"

// bounded returns the options for a compiled expression in which + and each of the makers first takes the
// bytes that it needs from the allowance. The expression fails if too few are left.
func bounded() []expr.Option {
	opts := []expr.Option{
		expr.Patch(asking{}),
		expr.Function(withRoom("+"), func(args ...any) (any, error) {
			a, list := args[0].(*allowance), args[1:]
			if _, text := list[0].(string); text && !a.weigh(list[0]) || !a.weigh(list[1]) {
				return nil, errTooMuch
			}
			return runtime.Add(list[0], list[1]), nil
		}),
	}
	for _, name := range makers {
		maker := builtin.Builtins[builtin.Index[name]]
		opts = append(opts, expr.Function(withRoom(name), func(args ...any) (any, error) {
			a, list := args[0].(*allowance), args[1:]
			for _, arg := range list {
				if !a.weigh(arg) {
					return nil, errTooMuch
				}
			}
			if !a.spend(more(name, list)) {
				return nil, errTooMuch
			}
			return call(maker, list)
		}))
	}
	return opts
}

// more returns how many bytes a function makes beyond the bytes of its arguments, -1 for too many.
func more(name string, args []any) int {
	text := func(i int) int {
		s, _ := args[i].(string)
		return len(s)
	}
	switch {
	case name == "repeat" && len(args) == 2:
		n, _ := args[1].(int)
		if n > bytesMost {
			return -1
		}
		return max(n, 0) * text(0)
	case name == "replace" && len(args) >= 3:
		return (text(0)/max(text(1), 1) + 1) * text(2)
	case name == "join" && len(args) == 2:
		if list := reflect.ValueOf(args[0]); list.Kind() == reflect.Slice {
			return list.Len() * text(1)
		}
	case (name == "split" || name == "splitAfter") && len(args) >= 2:
		const header = 16
		return (text(0)/max(text(1), 1) + 1) * header
	}
	return 0
}

func call(f *builtin.Function, args []any) (any, error) {
	switch {
	case f.Fast != nil:
		return f.Fast(args[0]), nil
	case f.Safe != nil:
		out, _, err := f.Safe(args...)
		return out, err
	}
	return f.Func(args...)
}

func withRoom(name string) string { return name + " with room" }

// asking changes each + and each maker of an expression into a call that takes bytes from the allowance
// first.
type asking struct{}

// Visit changes one node.
func (asking) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.BinaryNode:
		if n.Operator == "+" {
			ask(node, "+", n.Left, n.Right)
		}
	case *ast.BuiltinNode:
		for _, name := range makers {
			if n.Name == name {
				ask(node, name, n.Arguments...)
				return
			}
		}
	}
}

func ask(node *ast.Node, name string, args ...ast.Node) {
	ast.Patch(node, &ast.CallNode{
		Callee:    &ast.IdentifierNode{Value: withRoom(name)},
		Arguments: append([]ast.Node{&ast.IdentifierNode{Value: allowanceName}}, args...),
	})
}
