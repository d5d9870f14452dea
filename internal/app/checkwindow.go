package app

import (
	"fmt"
	"slices"

	"nightporter/internal/config"
	"nightporter/sync/record"
)

// checkWindow says what is wrong with the window of records that have no days of their own,
// as orders and calls: it limits what the lists themselves can limit, and nothing else. A
// side that lists all while the other shows the latest alone would have the old ones made
// anew there. Of tables and files the configuration itself says so.
func (a *App) checkWindow(j *config.Job) []Finding {
	if j.Window == nil || j.Kind != config.KindOrder && j.Kind != config.KindRecord {
		return nil
	}
	sides := [2]config.JobSide{j.Left, j.Right}
	var limited [2]bool
	for i, js := range sides {
		limited[i] = a.limitsDays(js)
	}
	wrong := func(format string, args ...any) []Finding {
		return []Finding{{Where: "job " + j.Name, Wrong: true, Text: fmt.Sprintf(format, args...)}}
	}
	if !limited[0] && !limited[1] {
		return wrong("window limits nothing: neither %s of %s nor %s of %s can be listed by days; name the parameter under list.window of the preset, with window_fields, or leave the window out",
			sides[0].Kind, sides[0].System, sides[1].Kind, sides[1].System)
	}
	for i, js := range sides {
		if sys, ok := a.Config.System(js.System); !ok || sys.REST == nil || limited[i] || sides[1-i].Create == config.CreateNever {
			continue
		}
		return wrong("%s lists all %s, and the window shows the latest of %s alone: old ones would be made there anew; name the parameter under list.window of the preset, with window_fields, or set create: { %s: never }",
			js.System, js.Kind, sides[1-i].System, sides[1-i].System)
	}
	return a.checkWindowFields(j, sides, limited)
}

// checkWindowFields says where no field shows the days of a record that a window is about.
func (a *App) checkWindowFields(j *config.Job, sides [2]config.JobSide, limited [2]bool) []Finding {
	m, err := a.mapping(j)
	if err != nil { // it is said elsewhere
		return nil
	}
	var out []Finding
	for i, js := range sides {
		if !limited[i] {
			continue
		}
		for _, path := range slices.Compact(a.windowFields(js)) {
			if !slices.Contains(m.Paths(record.Side(i)), path) {
				out = append(out, Finding{Where: "job " + j.Name, Text: fmt.Sprintf(
					"no field is mapped from %s of %s: nobody knows which %s have left the window, and some of them are read by id in each run; map it", path, js.System, js.Kind)})
			}
		}
	}
	return out
}

// limitsDays reports whether a list of a side can be limited to days. A preset that can't be
// read is said elsewhere.
func (a *App) limitsDays(js config.JobSide) bool { return len(a.windowFields(js)) > 0 }

// windowFields is the paths of a record's first and last day, none where a list of that side
// can't be limited to days.
func (a *App) windowFields(js config.JobSide) []string {
	sys, ok := a.Config.System(js.System)
	switch {
	case !ok:
		return nil
	case sys.REST != nil:
		p, err := presetOf(sys.REST)
		if err != nil {
			return nil
		}
		if k, ok := p.Kinds[js.Kind]; ok && k.List.Window.From != "" {
			return k.WindowFields
		}
	case sys.SQL != nil:
		if t, ok := sys.SQL.Table(js.Kind); ok && t.Window != nil {
			return []string{t.Window.From, t.Window.To}
		}
	}
	return nil
}
