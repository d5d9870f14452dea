package app

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"nightporter/internal/config"
)

// checkKinds says which kinds that a job names its systems' presets do not have. Tables,
// files and folders are looked at where the configuration is read.
func (a *App) checkKinds(j *config.Job) []Finding {
	named := []config.JobSide{j.Left, j.Right}
	for _, js := range named {
		if js.Send != nil && js.Send.Never != nil && js.Send.Never.System != "" {
			named = append(named, config.JobSide{System: js.Send.Never.System, Kind: js.Send.Never.Kind})
		}
	}
	var out []Finding
	for _, js := range named {
		if kinds := a.presetKinds(js.System); len(kinds) > 0 && !slices.Contains(kinds, js.Kind) {
			out = append(out, Finding{Where: "job " + j.Name, Wrong: true, Text: fmt.Sprintf(
				"the preset of %s has no kind %q: it has %s", js.System, js.Kind, strings.Join(kinds, ", "))})
		}
	}
	return out
}

// presetKinds is the kinds that the preset of a system has, none where it has no preset
// that can be read.
func (a *App) presetKinds(system string) []string {
	sys, ok := a.Config.System(system)
	if !ok || sys.REST == nil {
		return nil
	}
	p, err := presetOf(sys.REST)
	if err != nil { // it is said elsewhere
		return nil
	}
	return slices.Sorted(maps.Keys(p.Kinds))
}
