package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"nightporter/internal/config"
	"nightporter/state"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

func (c *cli) staged() *cobra.Command {
	all := false
	cmd := &cobra.Command{
		Use: "staged [DIGEST]", Short: "List the sets of changes that a guard holds, or show what is in one", Args: cobra.MaximumNArgs(1),
		Long: `staged lists sets of changes that were more than a guard lets go: none of them is
written, and everything else goes on. approve makes just these changes, reject keeps
what the other system has. What nobody answers in seven days is asked anew. A set of the
guard redone is what somebody rejected, and what was done again after it was put back.
One of the guard unreadable is records that would be created where others, that nobody can
read, may be the same.

Without a DIGEST it ends with exit code 3 while nobody has answered about a set.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return c.listSets(cmd.Context())
			}
			return c.showSet(cmd.Context(), args[0], all)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, fmt.Sprintf("print every change, not the first %d", most))
	return cmd
}

// setJSON is a set of changes that a guard holds.
type setJSON struct {
	Digest   string          `json:"digest"`
	Job      record.Binding  `json:"job"`
	System   record.System   `json:"system"` // that would be written
	Risk     string          `json:"risk"`
	Guard    string          `json:"guard"`
	Why      string          `json:"why"`
	Changes  int             `json:"changes"`
	Left     int             `json:"left"` // neither done nor dropped
	Since    instant         `json:"since"`
	Expires  instant         `json:"expires"`
	Decision record.Choice   `json:"decision,omitempty"`
	Who      string          `json:"who,omitempty"`
	Sample   []setChangeJSON `json:"sample,omitempty"`
	set      record.Stage
}

// setChangeJSON is one change of a set.
type setChangeJSON struct {
	Record record.Ref    `json:"record"`
	From   record.System `json:"from,omitempty"` // of a create: the system that has the record
	Why    string        `json:"why"`
	Writes record.Fields `json:"writes,omitempty"`
	Before record.Fields `json:"before,omitempty"` // what that replaces
	State  string        `json:"state,omitempty"`
}

func setOf(st record.Stage, systems [2]record.System) setJSON {
	return setJSON{
		Digest: st.Set, Job: st.Binding, System: systems[st.Side], Risk: st.Risk, Guard: string(st.Cause), Why: st.Why, Changes: st.Size,
		Left: st.Left, Since: timeJSON(st.Opened), Expires: timeJSON(st.Expires), Decision: st.Choice, Who: st.Who, set: st,
	}
}

// String is the set in a line, with what answers it.
func (x setJSON) String() string {
	switch x.Decision { //nolint:exhaustive // a held set has only these choices
	case record.Approved:
		return fmt.Sprintf("%s by %s: %s, %d of %d to do: %s", x.Decision, x.Who, x.Digest, x.Left, x.Changes, x.Why)
	case record.Refusal:
		return fmt.Sprintf("%s by %s: %s: %s", x.Decision, x.Who, x.Digest, x.Why)
	case record.Undecided:
	}
	return fmt.Sprintf("held: %s: nightporter staged %s shows them; approve %s or reject %s", x.Why, x.Digest, x.Digest, x.Digest)
}

// setsOf is the sets of a job, of all if b is empty, that nobody decided or that are not
// all done.
func setsOf(ctx context.Context, s *state.Store, cfg *config.Config, b record.Binding) ([]setJSON, error) {
	found, err := s.Stages(ctx, b, false)
	if err != nil {
		return nil, err
	}
	var out []setJSON
	for _, st := range found {
		if st.Choice != record.Refusal {
			out = append(out, setOf(st, systemsOf(cfg, st.Binding)))
		}
	}
	return out, nil
}

// heldJSON is what a plan would hold.
func heldJSON(rep engine.Report, job *engine.Job) []setJSON {
	var out []setJSON
	for _, x := range rep.Staged {
		out = append(out, setOf(x.Stage, [2]record.System{job.Sides[0].System, job.Sides[1].System}))
	}
	return out
}

// stagedIn is how many sets wait in all jobs.
func stagedIn(standing map[record.Binding]record.Counts) int64 {
	n := int64(0)
	for _, counts := range standing {
		n += counts["staged"]
	}
	return n
}

// printSets prints the sets of a job that wait.
func (c *cli) printSets(ctx context.Context, s *state.Store, b record.Binding, job *engine.Job) error {
	found, err := s.Stages(ctx, b, false)
	if err != nil {
		return err
	}
	for _, st := range found {
		if st.Choice == record.Undecided {
			show(c.out, "  %s\n", setOf(st, [2]record.System{job.Sides[0].System, job.Sides[1].System}))
		}
	}
	return nil
}

func (c *cli) listSets(ctx context.Context) error {
	cfg, s, err := c.look(ctx)
	if err != nil {
		return err
	}
	out := []setJSON{}
	if s != nil {
		defer s.Close()
		found, err := s.Stages(ctx, "", false)
		if err != nil {
			return err
		}
		for _, st := range found {
			out = append(out, setOf(st, systemsOf(cfg, st.Binding)))
		}
	}
	if err := c.printSetList(out); err != nil {
		return err
	}
	if undecided(out) {
		return errWaits
	}
	return nil
}

// undecided reports whether nobody has answered about one of some sets.
func undecided(sets []setJSON) bool {
	return slices.ContainsFunc(sets, func(x setJSON) bool { return x.Decision == record.Undecided })
}

func (c *cli) printSetList(out []setJSON) error {
	if c.json {
		return c.printJSON(out)
	}
	if len(out) == 0 {
		return tell(c.out, "no guard holds anything\n")
	}
	var rows [][]string
	for _, x := range out {
		decided := string(x.Decision)
		if decided == "" {
			decided = "until " + moment(x.set.Expires)
		}
		rows = append(rows, []string{x.Digest, string(x.Job), string(x.System), x.Guard, x.Why, moment(x.set.Opened), decided})
	}
	tableOf(c.out, []string{"digest", "job", "writes to", "guard", "why", "since", "decided"}, rows)
	return nil
}

func (c *cli) showSet(ctx context.Context, digest string, all bool) error {
	cfg, s, err := c.look(ctx)
	if err != nil {
		return err
	}
	if s != nil {
		defer s.Close()
	}
	st, err := findSet(ctx, s, digest)
	if err != nil {
		return err
	}
	systems := systemsOf(cfg, st.Binding)
	out := setOf(st, systems)
	n := most
	if all {
		n = 0
	}
	rows, err := s.StagedOf(ctx, st.Set, n)
	if err != nil {
		return err
	}
	for _, x := range rows {
		ch := setChangeJSON{Record: x.Ref, Why: x.Text, Writes: x.After, State: x.State}
		if x.Entry == 0 {
			ch.Before = x.Stood[st.Side].Only(x.After.Names())
		} else {
			ch.From = systems[st.Side.Other()]
		}
		out.Sample = append(out.Sample, ch)
	}
	if c.json {
		return c.printJSON(out)
	}
	c.printSet(out)
	return nil
}

func (c *cli) printSet(x setJSON) {
	show(c.out, "set %s, job %s: %s to %s\n", x.Digest, x.Job, count(x.Changes, "change", "changes"), x.System)
	show(c.out, "  held by:      guard %s: %s\n  since:        %s (run %d)\n", x.Guard, x.Why, moment(x.set.Opened), x.set.Run)
	for _, ch := range x.Sample {
		where, done := "", ""
		if ch.From != "" {
			where = " of " + string(ch.From)
		}
		if ch.State != "" {
			done = " (" + ch.State + ")"
		}
		show(c.out, "    %s%s: %s%s\n", ch.Record, where, ch.Why, done)
		for _, p := range ch.Writes.Names() {
			if v := ch.Before[p]; v.Observed() {
				show(c.out, "      - %s: %s\n", p, v)
			}
			show(c.out, "      + %s: %s\n", p, ch.Writes[p])
		}
	}
	if rest := x.Changes - len(x.Sample); rest > 0 {
		show(c.out, "    … and %d more (--all prints them)\n", rest)
	}
	if x.Decision != record.Undecided {
		show(c.out, "  decided:      %s by %s, %s\n", x.Decision, x.Who, moment(x.set.Chosen))
		return
	}
	show(c.out, "  decide:       nightporter approve %s makes just these changes, each verified again\n", x.Digest)
	show(c.out, "                nightporter reject %s keeps what %s has, and says first what it puts back\n", x.Digest, x.System)
	show(c.out, "  until:        %s, then it is asked anew\n", moment(x.set.Expires))
}

// findSet finds a set by the beginning of its digest.
func findSet(ctx context.Context, s *state.Store, digest string) (record.Stage, error) {
	none := usageError{fmt.Errorf("there is no set of changes %s: nightporter staged lists them", digest)}
	if s == nil || digest == "" {
		return record.Stage{}, none
	}
	all, err := s.Stages(ctx, "", true)
	if err != nil {
		return record.Stage{}, err
	}
	var found []record.Stage
	for _, st := range all {
		if st.Set == digest {
			return st, nil
		}
		if strings.HasPrefix(st.Set, digest) {
			found = append(found, st)
		}
	}
	switch len(found) {
	case 0:
		return record.Stage{}, none
	case 1:
		return found[0], nil
	}
	return record.Stage{}, usageError{fmt.Errorf("%d sets of changes begin with %s: type more of it", len(found), digest)}
}

// rejectFor is how long a rejection counts where the user does not say.
const rejectFor = 30 * 24 * time.Hour

// withSets adds sets that nobody decided to the questions that wait for a person.
func withSets(questions []conflictJSON, sets []setJSON) []conflictJSON {
	for _, x := range sets {
		if x.Decision == record.Undecided {
			questions = append(questions, conflictJSON{
				Kind: "set", Short: x.Digest, Job: x.Job, Field: x.Risk, Why: x.Why, Since: x.Since, Policy: "guards." + x.Guard,
			})
		}
	}
	return questions
}
