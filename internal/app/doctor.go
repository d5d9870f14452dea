package app

import (
	"context"
	"fmt"
	"strings"

	"nightporter/connectors/pace"
	"nightporter/connectors/rest"
	"nightporter/internal/config"
	"nightporter/internal/doctor"
)

// Doctor asks the API of a system how it is to be read, with GET alone. It opens neither
// the state file nor the other systems.
func Doctor(ctx context.Context, cfg *config.Config, system string, o Options) (doctor.Report, error) {
	sys, err := asked(cfg, system)
	if err != nil {
		return doctor.Report{}, err
	}
	preset, err := presetOf(sys.REST)
	if err != nil {
		return doctor.Report{}, err
	}
	key, err := resolvable(sys.REST.Key)
	if err != nil {
		return doctor.Report{}, err
	}
	rt, err := transportTo(sys, o.Transport)
	if err != nil {
		return doctor.Report{}, err
	}
	return doctor.Examine(ctx, doctor.Config{
		System: system, Preset: preset, BaseURL: sys.REST.BaseURL, Secret: key, Transport: rt,
		Pace: pace.New(preset.Rate.Manners(1, sys.REST.BookingReserve)), Own: ownPaths(sys.REST, preset),
	}), nil
}

// ownPaths is the kinds whose path stands in the configuration itself, or in a file of one's
// own: none that is usual takes its place.
func ownPaths(sys *config.REST, p rest.Preset) map[string]bool {
	out := map[string]bool{}
	builtIn, err := rest.Load(sys.Preset, nil, nil)
	for name, k := range p.Kinds {
		if b, known := builtIn.Kinds[name]; err != nil || !known || b.Path != k.Path {
			out[name] = true
		}
	}
	return out
}

// asked is the system of that name, which has to be an API; otherwise a NoSystemError.
func asked(cfg *config.Config, system string) (config.System, error) {
	sys, ok := cfg.System(system)
	switch {
	case system == "":
		return sys, &NoSystemError{Text: fmt.Sprintf("name one system; there are: %s", strings.Join(systemNames(cfg), ", "))}
	case !ok:
		return sys, &NoSystemError{Text: fmt.Sprintf("there is no system %q; there are: %s", system, strings.Join(systemNames(cfg), ", "))}
	case sys.REST == nil:
		return sys, &NoSystemError{Text: fmt.Sprintf("system %s is a database: doctor looks at APIs; nightporter check --online looks at tables", system)}
	}
	return sys, nil
}

func systemNames(cfg *config.Config) []string {
	names := make([]string, len(cfg.Systems))
	for i, s := range cfg.Systems {
		names[i] = s.Name
	}
	return names
}
