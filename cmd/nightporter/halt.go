package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"nightporter/internal/config"
	"nightporter/internal/serve"
	"nightporter/state"
	"nightporter/sync/record"
)

// resumeFlags is how a halt is answered.
type resumeFlags struct{ accept, again bool }

// stoodJSON is why a job stands still.
type stoodJSON struct {
	Job    record.Binding `json:"job"`
	System record.System  `json:"system"`
	Name   string         `json:"name"`
	Text   string         `json:"text"`
	Resume string         `json:"resume"` // the command that lets it go on
	Since  string         `json:"since"`
	Answer record.Answer  `json:"answer,omitempty"` // it is taken up by the next run
	Who    string         `json:"who,omitempty"`
}

func stoodJSONOf(h record.Halt, systems [2]record.System) stoodJSON {
	return stoodJSON{
		Job: h.Binding, System: systems[h.Side], Name: h.Name, Text: h.Text, Resume: h.Resume, Since: timeJSON(h.At),
		Answer: h.Answer, Who: h.Who,
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

// runAnswer answers what a job stands still before.
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
	halts, err := s.AnswerHalts(ctx, b, answer, caller())
	if err != nil {
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
	for _, h := range halts {
		c.say("%s: %s is %s", b, h.Name, answer)
	}
	return c.goOn(ctx, s, b)
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
