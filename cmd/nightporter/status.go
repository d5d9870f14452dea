package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"nightporter/internal/config"
	"nightporter/internal/serve"
	"nightporter/state"
	"nightporter/sync/record"
)

// recent is how far back alerts are shown.
const recent = 7 * 24 * time.Hour

func (c *cli) status() *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "Say how things stand; asks no system", Args: cobra.NoArgs,
		Long: `status says for each job when it ran last and how that ended, how many records are
in step, what waits, and what is not written until a person mends something. It ends with exit code 3 if something waits for a person.
It works while the configuration has mistakes, names them, and ends with 3 then.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.runStatus(cmd.Context()) },
	}
}

type statusJSON struct {
	Runner *holderJSON `json:"runner"` // the process that runs jobs, null for none
	Pauses []pauseJSON `json:"pauses"` // that hold now
	paused []record.Pause
	Jobs   []jobStatus `json:"jobs"`
	Away   []awayJSON  `json:"away"` // systems that only failed of late
	Doubts []doubtJSON `json:"quotas_doubted,omitempty"`
	Hooks  []hookJSON  `json:"webhooks"`

	Events []destinationJSON `json:"events"` // how they go to those who are told
	Alerts []alertJSON       `json:"alerts"`
	Waits  int64             `json:"waits"`          // for a person
	Full   string            `json:"full,omitempty"` // the disk has no room, and nothing is sent

	Mistakes []string `json:"configuration_mistakes,omitempty"` // what is due can't be said then
}

type jobStatus struct {
	Job     record.Binding   `json:"job"`
	Systems [2]record.System `json:"systems"`
	Last    *runLine         `json:"last,omitempty"`
	Refused string           `json:"refused,omitempty"` // why no sync begins with this configuration
	Links   int64            `json:"links"`
	Counts  record.Counts    `json:"counts"`
	Held    []lostJSON       `json:"unknown,omitempty"` // changes of which nobody can know what became
	Staged  []setJSON        `json:"staged,omitempty"`  // sets of changes that a guard holds
	Kept    []keptJSON       `json:"kept_back,omitempty"`
	Found   []findingJSON    `json:"findings,omitempty"` // what is not written as it should be, and why

	Lists []listedJSON `json:"lists,omitempty"` // that are empty, cut short or were never read

	Due       []dueJSON `json:"due"`                  // by its cadence
	Failures  int       `json:"failures"`             // in a row
	NotBefore instant   `json:"not_before,omitempty"` // after failures: by its cadence not before
	Asked     bool      `json:"asked,omitempty"`      // a run was asked for and did not begin yet
	AdoptOnly instant   `json:"adopt_only,omitempty"` // when the state was put back to an older copy
	standing  serve.Standing

	Stands []stoodJSON `json:"stands_still,omitempty"` // why, and what lets it go on
	Lags   []lagJSON   `json:"lags,omitempty"`         // of sides that were measured
}

// dueJSON is when one run of a job is due.
type dueJSON struct {
	Reads string  `json:"reads"` // a system, or "both" for a comparison of both sides whole
	At    instant `json:"at"`
}

// lostJSON is a change of which nobody can know what became.
type lostJSON struct {
	ID     string        `json:"id"`
	Op     string        `json:"op"`
	System record.System `json:"system"`
	Record record.Ref    `json:"record"`
	At     instant       `json:"at"`
	Short  string        `json:"short"` // names it in nightporter conflicts
}

func (c *cli) runStatus(ctx context.Context) error {
	cfg, mistakes, err := c.loadDespite()
	if err != nil {
		return err
	}
	s, err := c.lookAt(ctx, cfg)
	if err != nil {
		return err
	}
	out := statusJSON{Jobs: []jobStatus{}, Alerts: []alertJSON{}, Pauses: []pauseJSON{}, Away: []awayJSON{}, Hooks: []hookJSON{}, Events: []destinationJSON{}}
	if s != nil {
		defer s.Close()
		if out, err = statusOf(ctx, cfg, s, len(mistakes) == 0); err != nil {
			return err
		}
	}
	out.Mistakes = mistakes
	if c.json {
		err = c.printJSON(out)
	} else {
		c.printStatus(out)
	}
	if err == nil && out.Waits+int64(len(mistakes)) > 0 {
		err = errWaits
	}
	return err
}

// statusOf is how things stand. What is due is only known of a sound configuration.
func statusOf(ctx context.Context, cfg *config.Config, s *state.Store, sound bool) (statusJSON, error) {
	now := time.Now()
	out := statusJSON{Jobs: []jobStatus{}, Pauses: []pauseJSON{}}
	err := s.Full(ctx)
	if err != nil && !errors.Is(err, state.ErrFull) {
		return out, err
	} else if err != nil {
		out.Full = err.Error()
	}
	if out.Runner, err = runner(ctx, s); err != nil {
		return out, err
	}
	if out.paused, err = s.Paused(ctx, now); err != nil {
		return out, err
	}
	for _, p := range out.paused {
		out.Pauses = append(out.Pauses, pauseJSONOf(p))
	}
	var standing map[record.Binding]serve.Standing
	if sound {
		if standing, err = serve.StandingOf(ctx, cfg, s, now); err != nil {
			return out, err
		}
	}
	stood, err := standsStill(ctx, cfg, s)
	if err != nil {
		return out, err
	}
	for i := range cfg.Jobs {
		b := record.Binding(cfg.Jobs[i].Name)
		j := jobStatus{Job: b, Systems: systemsOf(cfg, b), Stands: stood[b]}
		if j.Refused, err = refused(ctx, s, cfg.Jobs[i]); err != nil {
			return out, err
		}
		runs, err := s.Runs(ctx, b, 1)
		if err != nil {
			return out, err
		}
		if len(runs) > 0 {
			l := runLineOf(out.Runner.shown(runs[0]))
			j.Last = &l
		}
		if err := j.stands(ctx, s, standing[b]); err != nil {
			return out, err
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
		if j.Staged, err = setsOf(ctx, s, cfg, b); err != nil {
			return out, err
		}
		if j.Kept, err = keptOf(ctx, s, b, j.Systems); err != nil {
			return out, err
		}
		if j.Lags, err = lagsOf(ctx, cfg, s, b, now); err != nil {
			return out, err
		}
		if j.Found, err = findingsOf(ctx, s, cfg, b); err != nil {
			return out, err
		}
		if j.Last != nil {
			if j.Lists, err = listsOf(ctx, s, cfg, b); err != nil {
				return out, err
			}
		}
		out.Waits += forPerson(j.Counts) + int64(len(j.Stands)) + unwritten(j.Found)
		if j.Refused != "" {
			out.Waits++
		}
		out.Jobs = append(out.Jobs, j)
	}
	if out.Away, err = awayOf(ctx, s); err != nil {
		return out, err
	}
	if out.Doubts, err = doubtsOf(ctx, s); err != nil {
		return out, err
	}
	if out.Hooks, err = hooksOf(ctx, cfg, s); err != nil {
		return out, err
	}
	if out.Events, err = destinationsOf(ctx, s); err != nil {
		return out, err
	}
	alerts, err := s.Alerts(ctx, now.Add(-recent), most)
	out.Alerts = alertsJSON(slices.DeleteFunc(alerts, out.over))
	return out, err
}

// refused is why no sync begins: a job of the configuration was run with other systems or kinds. It is "" where that
// is not so.
func refused(ctx context.Context, s *state.Store, j config.Job) (string, error) {
	systems := [2]record.System{record.System(j.Left.System), record.System(j.Right.System)}
	kinds := [2]record.Kind{record.Kind(j.Left.Kind), record.Kind(j.Right.Kind)}
	err := s.Rebound(ctx, record.Binding(j.Name), systems, kinds)
	if errors.Is(err, state.ErrRebound) {
		return err.Error(), nil
	}
	return "", err
}

// over reports whether what an alert is about has ended: a job that stands still no more, a
// system that lets itself be written again. What somebody must be called for never ends so.
func (s *statusJSON) over(a record.Alert) bool {
	i := slices.IndexFunc(s.Jobs, func(j jobStatus) bool { return j.Job == a.Binding })
	if i < 0 {
		return false
	}
	j := s.Jobs[i]
	switch a.Kind {
	case "halted":
		return len(j.Stands) == 0
	case "staged":
		return len(j.Staged) == 0
	case "trial":
		return !slices.ContainsFunc(j.Stands, func(h stoodJSON) bool { return h.Name == a.Kind })
	case "read_only":
		return !slices.ContainsFunc(j.Found, func(f findingJSON) bool { return f.Finding == record.FindForbidden })
	}
	return false
}

// stands adds when a job is due, how often it failed, and whether it may create.
func (j *jobStatus) stands(ctx context.Context, s *state.Store, x serve.Standing) error {
	j.standing, j.Due = x, []dueJSON{}
	j.Failures, j.NotBefore, j.Asked = x.Fails, timeJSON(x.NotUntil), x.Asked
	for _, d := range x.Due {
		j.Due = append(j.Due, dueJSON{Reads: j.reads(d.What), At: timeJSON(d.At)})
	}
	since, only, err := s.AdoptOnly(ctx, j.Job)
	if only {
		j.AdoptOnly = timeJSON(since)
	}
	return err
}

// reads names what a run looks at.
func (j *jobStatus) reads(what string) string {
	for _, side := range record.Sides {
		if what == side.String() {
			return string(j.Systems[side])
		}
	}
	return "both"
}

// printStanding prints when a job is due, and what keeps it from being so.
func (c *cli) printStanding(j jobStatus) {
	var parts []string
	for i, d := range j.standing.Due {
		what := j.Due[i].Reads
		if what == "both" {
			what = "both whole"
		}
		parts = append(parts, what+" at "+moment(d.At))
	}
	if len(parts) > 0 {
		show(c.out, "  due: %s\n", strings.Join(parts, ", "))
	}
	if j.Asked {
		showln(c.out, "  a run was asked for and waits for its turn")
	}
	if j.Failures > 0 {
		show(c.out, "  %s in a row: by its cadence not tried again before %s\n", count(j.Failures, "failure", "failures"), moment(j.standing.NotUntil))
		if j.standing.Quarantined {
			show(c.out, "  in quarantine: mend what it fails of, then nightporter sync %s, and it is back at its cadence\n", j.Job)
		}
	}
	if j.AdoptOnly != "" {
		show(c.out, "  adopt-only: the state was put back to an older copy; nothing is created before both sides were read whole\n")
	}
}

// awayJSON is a system that only failed of late.
type awayJSON struct {
	System string  `json:"system"` // its address
	Fails  int     `json:"fails"`  // in a row
	Cause  string  `json:"cause"`
	Since  instant `json:"since"`
}

func awayOf(ctx context.Context, s *state.Store) ([]awayJSON, error) {
	all, err := s.Breakers(ctx)
	out := []awayJSON{}
	for _, b := range all {
		out = append(out, awayJSON{System: b.System, Fails: b.Fails, Cause: b.Cause, Since: timeJSON(b.Opened)})
	}
	return out, err
}

func (c *cli) printStatus(out statusJSON) {
	showln(c.out, out.Runner)
	if out.Full != "" {
		showln(c.out, out.Full)
	}
	for _, a := range out.Away {
		show(c.out, "%s is away since %s, and one run alone tries it every few minutes: %s\n", a.System, a.Since, a.Cause)
	}
	for _, d := range out.Doubts {
		showln(c.out, d)
	}
	for _, h := range out.Hooks {
		showln(c.out, ours(h.String()))
	}
	for _, d := range out.Events {
		showln(c.out, d)
	}
	for _, p := range out.paused {
		showln(c.out, pauseText(p))
	}
	for _, j := range out.Jobs {
		show(c.out, "%s: %s and %s, %s\n", j.Job, j.Systems[0], j.Systems[1], count(j.Links, "link", "links"))
		if j.Refused != "" {
			show(c.out, "  REFUSED, and no other job runs until then: %s\n", j.Refused)
		}
		if j.Last == nil {
			showln(c.out, "  never run")
			c.printStanding(j)
			continue
		}
		show(c.out, "  last run: %s\n", j.Last)
		c.printStood(j.Stands)
		c.printStanding(j)
		for _, side := range record.Sides {
			show(c.out, "  %s: %s\n", j.Systems[side], sideWords(j.Counts, side))
		}
		c.printLists(j.Lists)
		c.printLags(j.Lags)
		if n := j.Counts["conflicts"]; n > 0 {
			show(c.out, "  %s for a person: nightporter conflicts\n", count(n, "question waits", "questions wait"))
		}
		if n := j.Counts["intents"]; n > 0 {
			show(c.out, "  %s not settled: the next run finds out\n", count(n, "change is", "changes are"))
		}
		c.printUnwritten(j.Found)
		for _, x := range j.Staged {
			show(c.out, "  %s\n", x)
		}
		for _, k := range j.Kept {
			show(c.out, "  %s\n", k)
		}
		for _, l := range j.Held {
			show(c.out, "  nobody can know what became of this: %s of %s in %s, sent %s: nightporter conflicts show %s\n", l.Op, l.Record, l.System, l.At, l.Short)
		}
	}
	for _, a := range out.Alerts {
		show(c.out, "ALERT %s %s %s: %s\n", a.At, a.Job, a.Kind, a.Text)
	}
}

// sideWords is how many records of a side there are, by state.
func sideWords(n record.Counts, side record.Side) string {
	name := side.String() + "."
	parts := []string{count(n[name+"entries"], "record", "records")}
	for _, st := range []record.EntryState{
		record.LeftOut, record.Attached, record.Waiting, record.Held, record.Refused, record.Quarantined,
		record.Missed, record.Suspect, record.Gone, record.OutOfScope, record.Stranger,
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
