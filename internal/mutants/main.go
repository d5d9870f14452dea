// Command mutants plants faults in the program, one at a time, and shows which test
// notices each: a guard whose removal no test notices is a guard nobody would miss.
//
// A fault is a file NN-name.patch in this folder: a unified diff behind a head of
// three lines,
//
//	Invariants: 2, 7
//	Fault: what was sent is taken for what is there
//	Killed by: go test ./state -run ^TestInMemory$
//
// which names the invariants that the fault breaks, what it is, and the test that
// must fail with it. A patch applies where its lines are found, once, wherever in the
// file they have moved to; the numbers of its hunks are for other tools. Nothing in
// the tree is changed: the go command is given the changed files as an overlay.
//
// The invariants, which every history must keep:
//
//  1. Convergence: left alone, three runs later nothing is to be done, and both sides
//     hold the same, but for what waits for somebody.
//  2. No echo: a run after which nobody did anything is followed by no write.
//  3. No lost update: what somebody wrote is there, or a later edit replaced it, or
//     the journal or a conflict shows it as what lost.
//  4. No duplicate: no record is made twice, none has two links.
//  5. No unjustified delete: nothing is deleted or cleared without evidence that
//     somebody did.
//  6. Idempotence: what is done again changes nothing.
//  7. Crash equivalence: killed at any step, the next runs come to the same end with
//     the same writes.
//  8. Order independence: the order in which things became known is of no account.
//  9. Symmetry: with sides and policies swapped, all that happens is swapped.
//  10. Isolation: a record that can't be read or written changes nothing for others.
//  11. Cursors: none passes a row that was not stored.
//  12. Guards: no run does more than its guards allow without a person's yes.
//  13. Dry runs change nothing, and show what the real one does.
//  14. Termination: a run ends.
//
// A mutant that no test kills means that a test is missing.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"golang.org/x/sync/errgroup"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run tries the mutants whose names contain what -only says, and prints a line for
// each as soon as it is known.
func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("mutants", flag.ContinueOnError)
	root := flags.String("root", ".", "the module's folder")
	only := flags.String("only", "", "try only the mutants whose name contains this")
	side := flags.Int("side", runtime.NumCPU(), "try so many side by side")
	if err := flags.Parse(args); err != nil {
		return err
	}
	all, err := readAll(*root)
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	all = slices.DeleteFunc(all, func(m *mutant) bool { return !strings.Contains(m.Name, *only) })
	began := time.Now()
	wrong, err := tryAll(ctx, &trial{root: *root, temp: temp}, all, *side, out)
	if err != nil {
		return err
	}
	tried := len(all)
	fmt.Fprintf(out, "%d mutants, %d killed, %d not, in %s\n", tried, tried-wrong, wrong, time.Since(began).Round(time.Second))
	if wrong > 0 {
		return fmt.Errorf("%d of %d mutants are not killed by the test that is to kill them", wrong, tried)
	}
	return nil
}

// tryAll tries mutants, so many at a time, and counts those that are not killed.
func tryAll(ctx context.Context, tr *trial, all []*mutant, side int, out io.Writer) (wrong int, err error) {
	var one sync.Mutex // holds out, wrong and err
	g := new(errgroup.Group)
	g.SetLimit(side)
	for _, m := range all {
		g.Go(func() error {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			at := time.Now()
			verdict, detail := tr.try(ctx, m)
			if err := context.Cause(ctx); err != nil {
				return err
			}
			one.Lock()
			defer one.Unlock()
			if verdict != killed {
				wrong++
			}
			return report(out, m, verdict, detail, time.Since(at))
		})
	}
	err = g.Wait()
	return wrong, err
}

// report prints what became of a mutant.
func report(out io.Writer, m *mutant, verdict, detail string, took time.Duration) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%-36s\t%-10s\t%-52s\t%s\t%5.1f s\n", m.Name, m.invariants(), m.pkg()+" "+m.test(), verdict, took.Seconds())
	if err := w.Flush(); err != nil {
		return err
	}
	if detail != "" {
		fmt.Fprintln(out, indent(detail))
	}
	return nil
}

func indent(s string) string {
	return "    " + strings.ReplaceAll(strings.TrimSpace(s), "\n", "\n    ")
}
