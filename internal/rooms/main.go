// Rooms says how the core is built: of each package how long it is, its widest interface, its function
// with the most branches, and how many calls between its files go back up. ARCHITECTURE.md shows the table.
//
//	go run ./internal/rooms            the table
//	go run ./internal/rooms -more 20   and of each package the worst
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
)

func main() {
	more := flag.Int("more", 0, "show so many of the worst of each package")
	flag.Parse()
	where := flag.Args()
	if len(where) == 0 {
		where = []string{"./sync/...", "./state/..."}
	}
	rooms, err := Measure(".", where...)
	if err != nil {
		fmt.Fprintf(os.Stderr, "rooms: %v\n", err)
		os.Exit(1)
	}
	fmt.Println("| package | files | lines | code | widest interface | most branches | calls between files | go up |")
	fmt.Println("|---|---|---|---|---|---|---|---|")
	code := 0
	for _, r := range rooms {
		code += r.Code
		fmt.Printf("| %s | %d | %d | %d | %s | %s | %d | %.0f %% |\n", r.Path, r.Files, r.Lines, r.Code, first(r.Interfaces), first(r.Functions), r.Calls, 100*r.Share())
	}
	fmt.Printf("\n%d lines of code\n", code)
	for _, r := range rooms {
		if *more > 0 {
			fmt.Printf("\n%s\n  interfaces: %s\n  functions: %s\n  up: %s\n", r.Path, list(r.Interfaces, *more), list(r.Functions, *more), list(r.Ups, *more))
		}
	}
}

func first(all []Count) string {
	if len(all) == 0 {
		return ""
	}
	return all[0].String()
}

func list(all []Count, n int) string {
	var out []string
	for _, c := range all[:min(n, len(all))] {
		out = append(out, c.String())
	}
	return strings.Join(out, ", ")
}
