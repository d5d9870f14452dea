package main

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	room := map[string]string{}
	f, _ := os.Open(os.Args[1])
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		p := strings.Fields(sc.Text())
		if len(p) < 2 {
			continue
		}
		for _, x := range p[1:] {
			room[x+".go"] = p[0]
		}
	}
	ps, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports}, "nightporter/sync/engine")
	if err != nil {
		panic(err)
	}
	p := ps[0]
	runT := p.Types.Scope().Lookup("run").Type().Underlying().(*types.Struct)
	fieldOf := map[*types.Var]string{}
	var walk func(s *types.Struct)
	walk = func(s *types.Struct) {
		for i := range s.NumFields() {
			v := s.Field(i)
			if v.Embedded() {
				if st, is := v.Type().Underlying().(*types.Struct); is {
					walk(st)
					continue
				}
			}
			fieldOf[v] = v.Name()
		}
	}
	walk(runT)
	base := func(pos interface{}) string { return "" }
	_ = base
	out := map[string]map[string]map[string]bool{} // room -> other room -> funcs
	fields := map[string]map[string]bool{}         // field -> rooms
	store := map[string]map[string]bool{}          // room -> store methods
	lines := map[string]int{}
	in := map[string]map[string]bool{}
	for _, file := range p.Syntax {
		name := filepath.Base(p.Fset.File(file.FileStart).Name())
		from := room[name]
		if from == "" {
			from = "?" + name
		}
		lines[from] += p.Fset.File(file.FileStart).LineCount()
		ast.Inspect(file, func(n ast.Node) bool {
			id, is := n.(*ast.Ident)
			if !is {
				return true
			}
			switch o := p.TypesInfo.Uses[id].(type) {
			case *types.Func:
				if o.Pkg() != p.Types {
					return true
				}
				at := filepath.Base(p.Fset.Position(o.Pos()).Filename)
				if sig := o.Type().(*types.Signature); sig.Recv() != nil {
					if _, is := sig.Recv().Type().Underlying().(*types.Interface); is {
						if store[from] == nil {
							store[from] = map[string]bool{}
						}
						store[from][o.Name()] = true
						return true
					}
				}
				to := room[at]
				if to == "" {
					to = "?" + at
				}
				if to != from {
					if out[from] == nil {
						out[from] = map[string]map[string]bool{}
					}
					if out[from][to] == nil {
						out[from][to] = map[string]bool{}
					}
					out[from][to][o.Name()] = true
					if in[to] == nil {
						in[to] = map[string]bool{}
					}
					in[to][o.Name()] = true
				}
			case *types.Var:
				if n, is := fieldOf[o]; is {
					if fields[n] == nil {
						fields[n] = map[string]bool{}
					}
					fields[n][from] = true
				}
			}
			return true
		})
	}
	order := map[string]int{}
	if len(os.Args) > 2 {
		for i, r := range strings.Split(os.Args[2], ",") {
			order[r] = i
		}
	}
	if len(order) > 0 {
		fn := map[string]string{} // func override
		_ = fn
		ups := map[string]map[string][]string{}
		for _, file := range p.Syntax {
			name := filepath.Base(p.Fset.File(file.FileStart).Name())
			for _, d := range file.Decls {
				fd, is := d.(*ast.FuncDecl)
				if !is {
					continue
				}
				from := room[name]
				if x, ok := room[fd.Name.Name+"().go"]; ok {
					from = x
				}
				ast.Inspect(fd, func(n ast.Node) bool {
					id, is := n.(*ast.Ident)
					if !is {
						return true
					}
					o, is := p.TypesInfo.Uses[id].(*types.Func)
					if !is || o.Pkg() != p.Types {
						return true
					}
					if sig := o.Type().(*types.Signature); sig.Recv() != nil {
						if _, is := sig.Recv().Type().Underlying().(*types.Interface); is {
							return true
						}
					}
					at := filepath.Base(p.Fset.Position(o.Pos()).Filename)
					to := room[at]
					if x, ok := room[o.Name()+"().go"]; ok {
						to = x
					}
					if to != from && order[to] < order[from] {
						k := from + " -> " + to
						if ups[k] == nil {
							ups[k] = map[string][]string{}
						}
						c := name[:len(name)-3] + "." + fd.Name.Name
						if !slices.Contains(ups[k][o.Name()+"@"+at[:len(at)-3]], c) {
							ups[k][o.Name()+"@"+at[:len(at)-3]] = append(ups[k][o.Name()+"@"+at[:len(at)-3]], c)
						}
					}
					return true
				})
			}
		}
		var ks []string
		total := 0
		for k := range ups {
			ks = append(ks, k)
		}
		slices.Sort(ks)
		for _, k := range ks {
			fmt.Println(k)
			var fs []string
			for f := range ups[k] {
				fs = append(fs, f)
			}
			slices.Sort(fs)
			for _, f := range fs {
				total += len(ups[k][f])
				fmt.Printf("    %s <- %s\n", f, strings.Join(ups[k][f], " "))
			}
		}
		fmt.Println("total upward", total)
		return
	}
	keys := func(m map[string]bool) []string {
		var ks []string
		for k := range m {
			ks = append(ks, k)
		}
		slices.Sort(ks)
		return ks
	}
	var rooms []string
	for r := range lines {
		rooms = append(rooms, r)
	}
	slices.Sort(rooms)
	for _, r := range rooms {
		fmt.Printf("\n== %s: %d lines, store %d: %s\n", r, lines[r], len(store[r]), strings.Join(keys(store[r]), " "))
		for _, to := range rooms {
			if fs := out[r][to]; len(fs) > 0 {
				fmt.Printf("   -> %s (%d): %s\n", to, len(fs), strings.Join(keys(fs), " "))
			}
		}
	}
	fmt.Println("\nfields")
	var fs []string
	for f := range fields {
		fs = append(fs, f)
	}
	slices.Sort(fs)
	for _, f := range fs {
		fmt.Printf("   %s: %s\n", f, strings.Join(keys(fields[f]), " "))
	}
}
