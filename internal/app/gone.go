package app

import (
	"fmt"

	"nightporter/internal/config"
	"nightporter/sync/engine"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// goneRule is what becomes of a record whose partner is gone, as the engine knows it.
func goneRule(g config.Gone) engine.GoneRule {
	return engine.GoneRule{Policy: away.GonePolicy(g.Policy), Archive: constants(g.Archive)}
}

// gone refuses what can't be done about a record whose partner is gone: a delete where
// there is none, values where there is no such field, and anything at all where it can't
// be proven that a record is gone.
func gone(j *config.Job, job *engine.Job) error {
	for s, js := range [2]config.JobSide{j.Left, j.Right} {
		here, there := job.Sides[s], job.Sides[record.Side(s).Other()]
		in := fmt.Sprintf("line %d: gone.%s", js.Gone.Line, there.System)
		const choices = "choose hold, unlink, ignore or { archive: { field: value } }"
		switch away.GonePolicy(js.Gone.Policy) {
		case "", away.GoneHold, away.GoneIgnore, away.GoneUnlink:
			continue
		case away.GoneDelete:
			if !here.Can.Delete {
				return fmt.Errorf("%s: %s of %s can't be deleted: %s", in, here.Kind, here.System, choices)
			}
			if !here.Can.Get {
				return fmt.Errorf("%s: %s of %s can't be read by id, and what can't be read is not deleted: %s", in, here.Kind, here.System, choices)
			}
		case away.GoneArchive:
			for _, c := range js.Gone.Archive {
				if !here.Can.Has(c.Path) {
					return fmt.Errorf("line %d: gone.%s.archive: %s of %s has no %s that can be written", c.Line, there.System, here.Kind, here.System, c.Path)
				}
				if why := here.Can.Unwritable(c.Path); why != "" {
					return fmt.Errorf("line %d: gone.%s.archive: %s of %s has no %s that can be written: %s", c.Line, there.System, here.Kind, here.System, c.Path, why)
				}
			}
		}
		if !there.Can.Get {
			return fmt.Errorf("%s: %s of %s can't be read by id, so it can't be proven that one is gone: choose hold, unlink or ignore", in, there.Kind, there.System)
		}
	}
	return nil
}

// checkGone is gone for what can be told without asking a system: what a preset says.
func (a *App) checkGone(j *config.Job) []Finding {
	var out []Finding
	for s, js := range [2]config.JobSide{j.Left, j.Right} {
		there := [2]config.JobSide{j.Left, j.Right}[record.Side(s).Other()]
		sys, ok := a.Config.System(js.System)
		if !ok || sys.REST == nil || js.Gone.Policy != config.GoneDelete {
			continue
		}
		p, err := presetOf(sys.REST)
		if err != nil { // it is said elsewhere
			continue
		}
		if p.Kinds[js.Kind].Delete.Path == "" {
			out = append(out, Finding{Where: "job " + j.Name, Wrong: true, Text: fmt.Sprintf(
				"line %d: gone.%s: delete can't be done, for the preset of %s names no way to delete %s: choose hold, unlink, ignore or { archive: { field: value } }",
				js.Gone.Line, there.System, js.System, js.Kind)})
		}
	}
	return out
}
