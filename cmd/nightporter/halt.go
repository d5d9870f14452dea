package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"nightporter/internal/config"
	"nightporter/internal/serve"
	"nightporter/state"
	"nightporter/sync/record"
)

// resumeFlags is how a halt is answered.
type resumeFlags struct{ accept, again, empty bool }

// causes is which of the open halts an answer is for. That updates empty what they are not sent is never
// said along with something else.
func (f resumeFlags) causes(open []record.Question) (causes []record.Cause) {
	for _, h := range open {
		if (h.Cause == record.HaltTrial) == f.empty {
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
	Resume string         `json:"resume"` // what lets it go on: a command, or what to configure
	Since  instant        `json:"since"`
	Answer record.Choice  `json:"answer,omitempty"` // it is taken up by the next run
	Who    string         `json:"who,omitempty"`
}

func stoodJSONOf(h record.Question, systems [2]record.System) stoodJSON {
	return stoodJSON{
		Job: h.Binding, System: systems[h.Side], Name: string(h.Cause), Text: h.Why, Resume: h.Next, Since: timeJSON(h.Opened),
		Answer: h.Choice, Who: h.Who,
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
		if _, ok := cfg.Job(string(h.Binding)); ok {
			out[h.Binding] = append(out[h.Binding], stoodJSONOf(h, systemsOf(cfg, h.Binding)))
		}
	}
	return out, nil
}

// printStood prints why a job stands still.
func (c *cli) printStood(list []stoodJSON) {
	for _, h := range list {
		if h.Answer != "" {
			show(c.out, "  %s, %s by %s: %s\n", h.Name, h.Answer, h.Who, h.Text)
			continue
		}
		show(c.out, "  STANDS STILL (%s) since %s: %s\n    to go on: %s\n", h.Name, h.Since, h.Text, h.Resume)
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
	b, answer := record.Binding(job.Name), record.Accepted
	if f.again {
		answer = record.Again
	}
	open, err := s.Halts(ctx, b)
	if err != nil {
		return err
	}
	var halts []record.Question
	if causes := f.causes(open); len(causes) > 0 {
		if halts, err = s.AnswerHalts(ctx, b, answer, caller(), causes...); err != nil {
			return err
		}
	}
	if err := emptying(f, open, halts); err != nil {
		return err
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
		c.say("%s: %s is %s", b, h.Cause, answer)
		for _, t := range trials {
			if h.Cause == record.HaltTrial && t.Stopped() && t.Place.Side == h.Side {
				c.say("from now on each update of %s that is sent to %s empties there what it is not sent, as the first one emptied %s; nothing puts that back",
					t.Ref.Kind, systemsOf(cfg, b)[h.Side], strings.Join(t.Found, ", "))
			}
		}
	}
	return c.goOn(ctx, s, b)
}

// emptying refuses to let updates empty what they are not sent by an answer that does not say so.
func emptying(f resumeFlags, open, answered []record.Question) error {
	if f.empty || len(answered) > 0 {
		return nil
	}
	for _, h := range open {
		if h.Cause == record.HaltTrial && h.Choice == "" {
			return usageError{fmt.Errorf("%s: %s.\nTo go on: %s.\nNothing is accepted: as they are sent now, each further update would empty its record of such fields. Whoever wants just that says so: nightporter resume %s --let-it-empty",
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
