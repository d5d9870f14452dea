package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"nightporter/internal/app"
	"nightporter/internal/trial"
)

// lagFlags are those of doctor --lag.
type lagFlags struct {
	kind, record string
	set          []string
	keep         bool
	patience     time.Duration
}

// asks reports whether any of them was given that means nothing without --lag.
func (f lagFlags) asks() bool { return f.record != "" || len(f.set) > 0 || f.keep }

// lagTestJSON is what doctor --lag found.
type lagTestJSON struct {
	System   string     `json:"system"`
	Kind     string     `json:"kind"`
	Record   string     `json:"record"` // its id, "" if none was shown
	Made     bool       `json:"made"`   // it was a new one
	Answered bool       `json:"answered"`
	Requests int        `json:"requests"`
	Views    []viewJSON `json:"views"`
	Settle   settleJSON `json:"settle"`
	Left     string     `json:"left,omitempty"` // what stands there still
	Error    string     `json:"error,omitempty"`
}

// viewJSON is one way to read the record.
type viewJSON struct {
	View   string `json:"view"`
	Shown  bool   `json:"shown"`
	After  string `json:"after,omitempty"`  // at most, since the write was answered
	Missed string `json:"missed,omitempty"` // when a look that did not find it was begun
	Lost   int    `json:"lost"`             // how often it was gone again
}

type settleJSON struct {
	Configured string `json:"configured"`
	Needed     string `json:"needed,omitempty"` // "" where not everything was shown
}

func (c *cli) runLag(ctx context.Context, system string, f lagFlags) error {
	cfg, err := c.loadSystems()
	if err != nil {
		return err
	}
	set, err := settingsOf(f.set)
	if err != nil {
		return usageError{err}
	}
	o := c.options()
	o.Command = fmt.Sprintf("nightporter doctor %s --lag %s", system, f.kind) // the values are nobody's to see
	lag, err := app.MeasureLag(ctx, cfg, system, app.LagTest{
		Kind: f.kind, Set: set, Record: f.record, Keep: f.keep, Patience: f.patience,
		Say: func(text string) { c.say("%s", text) },
	}, o)
	_, named := errors.AsType[*app.NoSystemError](err)
	if _, ok := errors.AsType[*trial.UsageError](err); ok || named {
		return usageError{err}
	}
	switch {
	case c.json:
		err = errors.Join(err, c.printJSON(lagTest(lag, err)))
	case len(lag.Views) > 0:
		c.printLagTest(lag)
	}
	if lag.Left == "" {
		return err
	}
	if !c.json {
		c.say("%s", lag.Left)
	}
	if err == nil && !f.keep {
		return errWaits
	}
	return err
}

// settingsOf reads FIELD=TEXT and FIELD:=JSON.
func settingsOf(set []string) ([]app.Setting, error) {
	var out []app.Setting
	for _, s := range set {
		path, text, ok := strings.Cut(s, "=")
		if !ok || strings.Trim(path, ":") == "" {
			return nil, errors.New("--set must be followed by FIELD=TEXT, or FIELD:=JSON")
		}
		var v any = text
		if strings.HasSuffix(path, ":") {
			d := json.NewDecoder(strings.NewReader(text))
			d.UseNumber()
			if err := d.Decode(&v); err != nil || !json.Valid([]byte(text)) {
				return nil, fmt.Errorf("--set %s= must be followed by JSON", path)
			}
		}
		out = append(out, app.Setting{Path: strings.TrimSuffix(path, ":"), Value: v})
	}
	return out, nil
}

func (c *cli) printLagTest(l app.Lag) {
	did := "changed"
	switch {
	case l.Lost:
		did = "asked for, and no answer came"
	case l.Made:
		did = "made"
	}
	show(c.out, "%s: %s %s was %s, to see how late that is shown; %s sent\n", l.System, l.Kind, l.ID, did, count(l.Requests, "request", "requests"))
	for _, v := range l.Views {
		show(c.out, "  %-26s %s\n", v.Name, viewLine(v))
	}
	if l.Pages > 0 {
		show(c.out, "  %-26s was not looked at: it is %d pages long\n", "the list", l.Pages)
	}
	show(c.out, "%s\n", settleLine(l))
	if l.Left == "" {
		show(c.out, "it was taken back, and that is shown too\n")
	}
}

// viewLine is when a view showed the write.
func viewLine(v trial.View) string {
	var text string
	switch {
	case !v.Shown && v.Missed < 0:
		return "told nothing"
	case !v.Shown:
		text = fmt.Sprintf("did not show it; the last look began after %s", span(v.Missed))
	case v.Missed < 0:
		text = fmt.Sprintf("showed it at the first look, which was done after %s", span(v.After))
	default:
		text = fmt.Sprintf("showed it after %s at most; after %s it did not", span(v.After), span(v.Missed))
	}
	if v.Lost > 0 {
		text += fmt.Sprintf("; %s in between it was gone again: several servers answer, and not all know the same", count(v.Lost, "time", "times"))
	}
	return text
}

// settleLine is what that means for the configuration.
func settleLine(l app.Lag) string {
	switch {
	case l.Settle == 0 && l.Lost:
		return fmt.Sprintf("settle: not known, for nobody knows when it was written. Configured: %s", l.Configured)
	case l.Settle == 0:
		return fmt.Sprintf("settle: not known, for not everything showed it; ask the system's people, or look for longer with --for. Configured: %s", l.Configured)
	case l.Settle > l.Configured:
		return fmt.Sprintf("settle: three times the slowest is %s, and %s is configured: write settle: %s under systems.%s", span(l.Settle), l.Configured, ceil(l.Settle), l.System)
	}
	return fmt.Sprintf("settle: %s, as configured, is enough", l.Configured)
}

// span is a time as a person reads it, never less than it was.
func span(d time.Duration) string {
	unit := time.Millisecond
	if d >= time.Second {
		unit = 100 * time.Millisecond
	}
	return (d + unit - 1).Truncate(unit).String()
}

// ceil is d in whole seconds, never less.
func ceil(d time.Duration) time.Duration {
	return (d + time.Second - 1).Truncate(time.Second)
}

func lagTest(l app.Lag, err error) lagTestJSON {
	out := lagTestJSON{
		System: l.System, Kind: string(l.Kind), Record: l.ID, Made: l.Made, Answered: !l.Lost, Requests: l.Requests, Left: l.Left,
		Views: []viewJSON{}, Settle: settleJSON{Configured: l.Configured.String()},
	}
	for _, v := range l.Views {
		j := viewJSON{View: v.Name, Shown: v.Shown, Lost: v.Lost}
		if v.Shown {
			j.After = span(v.After)
		}
		if v.Missed >= 0 {
			j.Missed = span(v.Missed)
		}
		out.Views = append(out.Views, j)
	}
	if l.Settle > 0 {
		out.Settle.Needed = ceil(l.Settle).String()
	}
	if err != nil {
		out.Error = err.Error()
	}
	return out
}
