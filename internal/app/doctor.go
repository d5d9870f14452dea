package app

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"nightporter/connectors/pace"
	"nightporter/internal/config"
	"nightporter/internal/doctor"
)

// Doctor asks the API of a system how it is to be read, with GET alone. It opens neither
// the state file nor the other systems.
func Doctor(ctx context.Context, cfg *config.Config, system string, o Options) (doctor.Report, error) {
	sys, ok := cfg.System(system)
	switch {
	case !ok:
		return doctor.Report{}, fmt.Errorf("there is no system %q; there are: %s", system, strings.Join(systemNames(cfg), ", "))
	case sys.REST == nil:
		return doctor.Report{}, fmt.Errorf("system %s is a database: doctor looks at APIs; nightporter check --online looks at tables", system)
	}
	preset, err := presetOf(sys.REST)
	if err != nil {
		return doctor.Report{}, err
	}
	key, err := resolver(sys.REST.Key)
	if err != nil {
		return doctor.Report{}, err
	}
	var rt http.RoundTripper
	if o.Transport != nil {
		rt = o.Transport(system)
	}
	return doctor.Examine(ctx, doctor.Config{
		System: system, Preset: preset, BaseURL: sys.REST.BaseURL, Secret: key, Transport: rt,
		Pace: pace.New(preset.Rate.Manners(1, sys.REST.BookingReserve)),
	}), nil
}

func systemNames(cfg *config.Config) []string {
	names := make([]string, len(cfg.Systems))
	for i, s := range cfg.Systems {
		names[i] = s.Name
	}
	return names
}
