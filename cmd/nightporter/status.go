package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"nightporter/internal/config"
	"nightporter/state"
	"nightporter/sync/record"
)

// recent is how far back alerts are shown.
const recent = 7 * 24 * time.Hour

func (c *cli) status() *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "Say how things stand; asks no system", Args: cobra.NoArgs,
		Long: `status says for each job when it ran last and how that ended, how many records are
in step, and what waits. It ends with exit code 3 if something waits for a person.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.runStatus(cmd.Context()) },
	}
}

type statusJSON struct {
	Jobs   []jobStatus `json:"jobs"`
	Alerts []alertJSON `json:"alerts"`
	Waits  int64       `json:"waits"` // for a person
}

type jobStatus struct {
	Job     record.Binding   `json:"job"`
	Systems [2]record.System `json:"systems"`
	Last    *runLine         `json:"last,omitempty"`
	Links   int64            `json:"links"`
	Counts  record.Counts    `json:"counts"`
	Held    []lostJSON       `json:"unknown,omitempty"` // changes of which nobody can know what became
}

// lostJSON is a change of which nobody can know what became.
type lostJSON struct {
	ID     string        `json:"id"`
	Op     string        `json:"op"`
	System record.System `json:"system"`
	Record record.Ref    `json:"record"`
	At     string        `json:"at"`
	Short  string        `json:"short"` // names it in nightporter conflicts
}

func (c *cli) runStatus(ctx context.Context) error {
	cfg, s, err := c.look(ctx)
	if err != nil {
		return err
	}
	out := statusJSON{Jobs: []jobStatus{}, Alerts: []alertJSON{}}
	if s != nil {
		defer s.Close()
		if out, err = statusOf(ctx, cfg, s); err != nil {
			return err
		}
	}
	if c.json {
		err = c.printJSON(out)
	} else {
		c.printStatus(out)
	}
	if err == nil && out.Waits > 0 {
		err = errWaits
	}
	return err
}

func statusOf(ctx context.Context, cfg *config.Config, s *state.Store) (statusJSON, error) {
	out := statusJSON{Jobs: []jobStatus{}}
	for i := range cfg.Jobs {
		b := record.Binding(cfg.Jobs[i].Name)
		j := jobStatus{Job: b, Systems: systemsOf(cfg, b)}
		runs, err := s.Runs(ctx, b, 1)
		if err != nil {
			return out, err
		}
		if len(runs) > 0 {
			l := runLineOf(runs[0])
			j.Last = &l
		}
		if j.Counts, err = s.Counts(ctx, b); err != nil {
			return out, err
		}
		j.Links = j.Counts["links"]
		lost, err := s.Lost(ctx, b)
		if err != nil {
			return out, err
		}
		for _, in := range lost {
			j.Held = append(j.Held, lostJSON{
				ID: in.ID, Short: shortOf(in.ID, lost), Op: in.Change.Op.String(), System: j.Systems[in.Place.Side], Record: in.Change.Ref, At: timeJSON(in.SentAt),
			})
		}
		out.Waits += forPerson(j.Counts)
		out.Jobs = append(out.Jobs, j)
	}
	alerts, err := s.Alerts(ctx, time.Now().Add(-recent), most)
	out.Alerts = alertsJSON(alerts)
	return out, err
}

func (c *cli) printStatus(out statusJSON) {
	for _, j := range out.Jobs {
		fmt.Fprintf(c.out, "%s: %s and %s, %s\n", j.Job, j.Systems[0], j.Systems[1], count(j.Links, "link", "links"))
		if j.Last == nil {
			fmt.Fprintln(c.out, "  never run")
			continue
		}
		fmt.Fprintf(c.out, "  last run: %s\n", j.Last)
		for _, side := range record.Sides {
			fmt.Fprintf(c.out, "  %s: %s\n", j.Systems[side], sideWords(j.Counts, side))
		}
		if n := j.Counts["conflicts"]; n > 0 {
			fmt.Fprintf(c.out, "  %s for a person: nightporter conflicts\n", count(n, "question waits", "questions wait"))
		}
		if n := j.Counts["intents"]; n > 0 {
			fmt.Fprintf(c.out, "  %s not settled: the next run finds out\n", count(n, "change is", "changes are"))
		}
		for _, l := range j.Held {
			fmt.Fprintf(c.out, "  nobody can know what became of this: %s of %s in %s, sent %s: nightporter conflicts show %s\n", l.Op, l.Record, l.System, l.At, l.Short)
		}
	}
	for _, a := range out.Alerts {
		fmt.Fprintf(c.out, "ALERT %s %s %s: %s\n", a.At, a.Job, a.Kind, a.Text)
	}
}

// sideWords is how many records of a side there are, by state.
func sideWords(n record.Counts, side record.Side) string {
	name := side.String() + "."
	parts := []string{count(n[name+"entries"], "record", "records")}
	for _, st := range []record.EntryState{
		record.LeftOut, record.Attached, record.Waiting, record.Held, record.Refused, record.Quarantined,
		record.Suspect, record.Gone, record.OutOfScope,
	} {
		if k := n[name+string(st)]; k > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", k, stateWords(st)))
		}
	}
	if k := n[name+"unreadable"]; k > 0 {
		parts = append(parts, count(k, "without an id", "without an id"))
	}
	return strings.Join(parts, ", ")
}
