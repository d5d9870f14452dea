package app

import (
	"errors"
	"fmt"
	"slices"

	"nightporter/internal/config"
	"nightporter/internal/secret"
)

// Finding is one thing that a check has to say.
type Finding struct {
	Where string `json:"where"` // a system, or a job with the field
	Text  string `json:"text"`
	Wrong bool   `json:"wrong"` // it must be mended; otherwise it is good to know
}

// CheckFile looks at a configuration without asking any system: its secrets, its
// mappings, and what can't work with the systems as they are described.
func CheckFile(cfg *config.Config) []Finding {
	var out []Finding
	for _, w := range cfg.Warnings {
		out = append(out, Finding{Where: "configuration", Text: w.String()})
	}
	out = append(out, checkSecrets(cfg)...)
	a := &App{Config: cfg}
	for _, sys := range cfg.Systems {
		if sys.Type == config.TypeREST {
			_, err := presetOf(sys.REST)
			if err == nil && !hasWrong(out) { // a file that can't be had was said
				_, err = proxyOf(sys)
			}
			if err != nil {
				out = append(out, Finding{Where: sys.Name, Text: err.Error(), Wrong: true})
			}
		}
	}
	if !hasWrong(out) { // or else the same would be said twice
		out = append(out, checkWebhooks(cfg)...)
		out = append(out, checkEvents(cfg)...)
	}
	for i := range cfg.Jobs {
		out = append(out, a.checkJob(&cfg.Jobs[i])...)
	}
	return out
}

// CheckSecrets says which secrets that the configuration names can't be had.
func CheckSecrets(cfg *config.Config) error {
	var bad []error
	for _, f := range checkSecrets(cfg) {
		if f.Wrong {
			bad = append(bad, errors.New(f.Text))
		}
	}
	return errors.Join(bad...)
}

func checkSecrets(cfg *config.Config) []Finding {
	var out []Finding
	warnings, err := cfg.CheckSecrets(func(ref string) (string, error) {
		r, err := secret.Parse(ref)
		if err != nil {
			return "", err
		}
		_, err = r.Resolve()
		return r.Warning(), err
	})
	for _, w := range warnings {
		out = append(out, Finding{Where: "secrets", Text: w.String()})
	}
	if bad, ok := errors.AsType[*config.Errors](err); ok {
		for _, m := range bad.List {
			out = append(out, Finding{Where: "secrets", Text: m.String(), Wrong: true})
		}
	}
	return out
}

func hasWrong(all []Finding) bool {
	return slices.ContainsFunc(all, func(f Finding) bool { return f.Wrong })
}

// checkJob compiles the mapping of a job and looks for policies that can't work.
func (a *App) checkJob(j *config.Job) []Finding {
	var out []Finding
	if _, err := a.mapping(j); err != nil {
		for _, e := range each(err) {
			out = append(out, Finding{Where: "job " + j.Name, Text: e.Error(), Wrong: true})
		}
	}
	out = append(out, a.checkKinds(j)...)
	out = append(out, a.checkPresets(j)...)
	out = append(out, a.checkWindow(j)...)
	out = append(out, a.checkGone(j)...)
	out = append(out, a.checkWords(j)...)
	for _, js := range [2]config.JobSide{j.Left, j.Right} {
		if a.showsChange(js) {
			continue
		}
		for _, f := range j.Fields {
			if f.Conflict == config.PolicyNewest {
				out = append(out, Finding{Where: "job " + j.Name, Wrong: true, Text: fmt.Sprintf(
					"field %s: newest can't work, because %s doesn't say when its %s were changed: name the column or path under changed, or choose a system's name, fill_empty or hold",
					f.Name, js.System, js.Kind)})
			}
		}
	}
	return out
}

// each takes joined errors apart.
func each(err error) []error {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		return many.Unwrap()
	}
	return []error{err}
}

// showsChange reports whether the records of a side carry their time of change.
func (a *App) showsChange(js config.JobSide) bool {
	sys, ok := a.Config.System(js.System)
	switch {
	case !ok:
		return false
	case sys.SQL != nil:
		t, ok := sys.SQL.Table(js.Kind)
		return ok && t.Changed != ""
	case sys.REST == nil:
		return false
	}
	p, err := presetOf(sys.REST)
	return err == nil && p.Kinds[js.Kind].Changed.Path != ""
}
