package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"nightporter/internal/config"
	"nightporter/internal/serve"
	"nightporter/state"
	"nightporter/sync/record"
)

// resumeFlags is how a halt is answered.
type resumeFlags struct{ accept, again, empty bool }

// answer is what the flags say to a halt.
func (f resumeFlags) answer() record.Choice {
	if f.again {
		return record.Again
	}
	return record.Accepted
}

// flag is the flag that was given.
func (f resumeFlags) flag() string {
	switch {
	case f.again:
		return "--again"
	case f.empty:
		return "--let-it-empty"
	}
	return "--accept"
}

// causes is which of the open halts take the answer. That updates empty what they are not sent is never
// said along with something else.
func (f resumeFlags) causes(open []record.Question) (causes []record.Cause) {
	for _, h := range open {
		trial := h.Cause == record.HaltTrial
		if trial && f.empty || !trial && !f.empty && h.Takes(f.answer()) {
			causes = append(causes, h.Cause)
		}
	}
	return causes
}

// stoodJSON is why a job stands still.
type stoodJSON struct {
	Job    record.Binding `json:"job"`
	System record.System  `json:"system"`
	Name   string         `json:"name"`
	Text   string         `json:"text"`
	Resume string         `json:"resume"` // all that lets it go on, in a line: commands, or what to configure
	Since  instant        `json:"since"`
	Answer record.Choice  `json:"answer,omitempty"` // the next run takes it up
	Who    string         `json:"who,omitempty"`

	Answers []wayJSON `json:"answers"`           // each way in which it goes on
	WentOn  bool      `json:"went_on,omitempty"` // a run has gone on since it was answered
}

// wayJSON is one way in which a job that stands still goes on.
type wayJSON struct {
	Command string `json:"command"`
	Does    string `json:"does,omitempty"`
}

// String is the way on one line.
func (w wayJSON) String() string {
	if w.Does == "" {
		return w.Command
	}
	return w.Command + "  (" + w.Does + ")"
}

// waysOf is all ways in which a job goes on that stands before a halt.
func waysOf(h record.Question, job record.Binding, system record.System) []wayJSON {
	out := []wayJSON{}
	for _, w := range h.Ways(job, system) {
		out = append(out, wayJSON{w.Command, w.Does})
	}
	return out
}

// inALine is all commands of some ways.
func inALine(ways []wayJSON) string {
	commands := make([]string, len(ways))
	for i, w := range ways {
		commands[i] = w.Command
	}
	return strings.Join(commands, ", or ")
}

func stoodJSONOf(h record.Question, systems [2]record.System) stoodJSON {
	ways := waysOf(h, h.Binding, systems[h.Side])
	return stoodJSON{
		Job: h.Binding, System: systems[h.Side], Name: string(h.Cause), Text: h.Why, Resume: inALine(ways), Since: timeJSON(h.Opened),
		Answer: h.Choice, Who: h.Who, Answers: ways,
	}
}

// standsStill is why the jobs of a configuration stand still, by job.
func standsStill(ctx context.Context, cfg *config.Config, s *state.Store) (map[record.Binding][]stoodJSON, error) {
	halts, err := s.Halts(ctx, "")
	if err != nil {
		return nil, err
	}
	out := map[record.Binding][]stoodJSON{}
	for _, h := range halts {
		if _, ok := cfg.Job(string(h.Binding)); !ok {
			continue
		}
		x := stoodJSONOf(h, systemsOf(cfg, h.Binding))
		if x.WentOn, err = wentOn(ctx, s, h); err != nil {
			return nil, err
		}
		out[h.Binding] = append(out[h.Binding], x)
	}
	return out, nil
}

// lastRuns is how many runs are looked at for one that went on.
const lastRuns = 50

// wentOn reports whether a run of a job has gone on since a halt was answered. Until then the job stands still.
func wentOn(ctx context.Context, s *state.Store, h record.Question) (bool, error) {
	if h.Choice == "" {
		return false, nil
	}
	runs, err := s.Runs(ctx, h.Binding, lastRuns)
	return slices.ContainsFunc(runs, func(r record.Run) bool {
		return !r.Dry && !r.Started.Before(h.Chosen) && (r.Outcome == record.Done || r.Outcome == record.Waits)
	}), err
}

// printStood prints why a job stands still.
func (c *cli) printStood(list []stoodJSON) {
	for _, h := range list {
		switch {
		case h.WentOn:
			show(c.out, "  %s, %s by %s: %s\n", h.Name, h.Answer, h.Who, h.Text)
		case h.Answer != "":
			show(c.out, "  STANDS STILL (%s) since %s, %s by %s: the next run goes on with that (nightporter sync %s): %s\n", h.Name, h.Since, h.Answer, h.Who, h.Job, h.Text)
		default:
			show(c.out, "  STANDS STILL (%s) since %s: %s\n", h.Name, h.Since, h.Text)
			for _, w := range h.Answers {
				show(c.out, "    to go on: %s\n", w)
			}
		}
	}
}

// runAnswer lets a stopped job continue.
func (c *cli) runAnswer(ctx context.Context, args []string, f resumeFlags) (err error) {
	if len(args) == 0 {
		return usageError{errors.New("name the job that is to go on: nightporter resume JOB --accept")}
	}
	cfg, s, err := c.decide(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	job, ok := cfg.Job(args[0])
	if !ok {
		return usageError{fmt.Errorf("there is no job %q", args[0])}
	}
	b := record.Binding(job.Name)
	open, err := s.Halts(ctx, b)
	if err != nil {
		return err
	}
	var halts []record.Question
	if causes := f.causes(open); len(causes) > 0 {
		if halts, err = s.AnswerHalts(ctx, b, f.answer(), caller(), causes...); err != nil {
			return err
		}
	}
	if err := emptying(f, open, halts); err != nil {
		return err
	}
	if rest := unanswered(open); len(halts) == 0 && len(rest) > 0 {
		return usageError{fmt.Errorf("%s is no answer to it: %w", f.flag(), stillStands(rest, systemsOf(cfg, b)))}
	}
	if c.json {
		out := make([]stoodJSON, len(halts))
		for i, h := range halts {
			out[i] = stoodJSONOf(h, systemsOf(cfg, b))
		}
		return c.printJSON(out)
	}
	if len(halts) == 0 {
		c.say("%s does not stand still", b)
		return nil
	}
	trials, err := s.Trials(ctx, b)
	if err != nil {
		return err
	}
	for _, h := range halts {
		c.say("%s: %s is %s", b, h.Cause, h.Choice)
		for _, t := range trials {
			if h.Cause == record.HaltTrial && t.Stopped() && t.Place.Side == h.Side {
				c.say("from now on each update of %s that is sent to %s empties there what it is not sent, as the first one emptied %s; nothing puts that back",
					t.Ref.Kind, systemsOf(cfg, b)[h.Side], strings.Join(t.Found, ", "))
			}
		}
	}
	if rest := unansweredBy(open, halts); len(rest) > 0 {
		return stillStands(rest, systemsOf(cfg, b))
	}
	return c.goOn(ctx, s, b)
}

// unanswered is the halts that nobody has answered.
func unanswered(open []record.Question) []record.Question {
	return slices.DeleteFunc(slices.Clone(open), func(h record.Question) bool { return h.Choice != "" })
}

// unansweredBy is the halts of a whole job that nobody had answered, and that are not among those answered now.
func unansweredBy(open, now []record.Question) []record.Question {
	return slices.DeleteFunc(unanswered(open), func(h record.Question) bool {
		return h.Cause == record.HaltTrial || slices.ContainsFunc(now, func(n record.Question) bool { return n.ID == h.ID })
	})
}

// stillStands is the error that names what a job stands still before, and each way in which it goes on.
func stillStands(halts []record.Question, systems [2]record.System) error {
	var all []string
	for _, h := range halts {
		var ways []string
		for _, w := range waysOf(h, h.Binding, systems[h.Side]) {
			ways = append(ways, w.String())
		}
		all = append(all, fmt.Sprintf("%s stands still (%s): %s. To go on: %s", h.Binding, h.Cause, strings.TrimSuffix(h.Why, "."), strings.Join(ways, "; or: ")))
	}
	return errors.New(strings.Join(all, "; "))
}

// emptying refuses to let updates empty what they are not sent by an answer that does not say so.
func emptying(f resumeFlags, open, answered []record.Question) error {
	if f.empty || len(answered) > 0 {
		return nil
	}
	for _, h := range open {
		if h.Cause == record.HaltTrial && h.Choice == "" {
			return usageError{fmt.Errorf("%s: %s. To go on: %s. Nothing is accepted: as they are sent now, each further update would empty its record of such fields. Whoever wants just that says so: nightporter resume %s --let-it-empty",
				h.Binding, h.Why, h.Next, h.Binding)}
		}
	}
	return nil
}

// goOn has the service, where one runs, look at a job at once.
func (c *cli) goOn(ctx context.Context, s *state.Store, b record.Binding) error {
	r, err := runner(ctx, s)
	if err != nil {
		return err
	}
	if r == nil || !serve.Answers(r.holder) {
		c.say("it goes on with the next run: nightporter sync %s", b)
		return nil
	}
	if _, err := serve.Ask(ctx, s, b, serve.Wish{Full: true}, caller(), time.Now()); err != nil {
		return err
	}
	c.say("the service goes on with it now")
	return nil
}
