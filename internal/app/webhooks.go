package app

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"nightporter/connectors/rest"
	"nightporter/internal/config"
	"nightporter/internal/secret"
	"nightporter/internal/signature"
	"nightporter/internal/webhook"
	"nightporter/sync/record"
)

// Webhooks is what calls us by a configuration, and how that is read. What the
// configuration leaves to the preset of a system and the preset doesn't say is an error,
// which names the line.
func Webhooks(cfg *config.Config) ([]webhook.Source, error) {
	var out []webhook.Source
	for _, sys := range cfg.Systems {
		if sys.Webhooks == nil {
			continue
		}
		s, err := sourceOf(cfg, sys)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

func sourceOf(cfg *config.Config, sys config.System) (webhook.Source, error) {
	w := sys.Webhooks
	var said rest.Webhooks
	if sys.REST != nil {
		p, err := presetOf(sys.REST)
		if err != nil {
			return webhook.Source{}, fmt.Errorf("open system %s: %w", sys.Name, err)
		}
		said = p.Webhooks
	}
	scheme, err := schemeOf(cfg, sys, said.Signature)
	if err != nil {
		return webhook.Source{}, err
	}
	secrets, err := secretsOf(w.Secrets)
	if err != nil {
		return webhook.Source{}, err
	}
	s := webhook.Source{
		System: record.System(sys.Name), Listen: w.Listen, Paths: w.Paths, Scheme: scheme, Secrets: secrets, Shape: shapeOf(w.Places),
		Kinds: map[string]record.Kind{}, Places: waitingFor(cfg, sys.Name), PublicURL: w.PublicURL,
		PerSecond: float64(w.PerSecond), MostBytes: int64(w.MaxBody),
	}
	for _, kinds := range []map[string]string{said.Kinds, w.Kinds} {
		for name, kind := range kinds {
			s.Kinds[strings.ToLower(name)] = record.Kind(kind)
		}
	}
	if sys.Type == config.TypeRequests {
		s.Ask, s.Asked = asks(sys), config.RequestKind
		return s, nil
	}
	if err := checkSubscription(cfg, sys, said, s); err != nil {
		return s, err
	}
	if len(s.Kinds) == 0 {
		return s, lacks(cfg, sys, "kinds", "missing: which kind an event is about, such as { guest: contacts }; the preset of %s does not say", sys.Name)
	}
	return s, nil
}

func lacks(cfg *config.Config, sys config.System, key, format string, args ...any) error {
	return errors.New(cfg.At(fmt.Sprintf(format, args...), "systems", sys.Name, "webhooks", key).String())
}

// schemeOf is how a system signs: as the configuration says, else as its preset does.
func schemeOf(cfg *config.Config, sys config.System, preset rest.Signature) (signature.Scheme, error) {
	if s := sys.Webhooks.Signature; s != nil {
		return *s, nil
	}
	s, ok := signature.Presets[preset.Preset]
	names := strings.Join(slices.Sorted(maps.Keys(signature.Presets)), ", ")
	switch {
	case preset == rest.Signature{}:
		return s, lacks(cfg, sys, "signature", "missing: how it signs, one of %s, or a block with the keys of a scheme; the preset of %s does not say", names, sys.Name)
	case preset.Preset != "" && !ok:
		return s, lacks(cfg, sys, "signature", "the preset of %s says %q, which is not one of %s", sys.Name, preset.Preset, names)
	}
	s = signature.Keys(preset).Over(s)
	if err := s.Check(); err != nil {
		return s, lacks(cfg, sys, "signature", "the preset of %s has webhooks.signature wrong: %s", sys.Name, err)
	}
	if strings.Contains(s.Signed, "{url}") && sys.Webhooks.PublicURL == "" {
		return s, lacks(cfg, sys, "public_url", "missing: the system signs the address that it calls")
	}
	return s, nil
}

// secretsOf reads secrets anew each time: one that was replaced counts at once.
func secretsOf(refs []string) (func() ([]string, error), error) {
	var all []secret.Ref
	for _, text := range refs {
		ref, err := secret.Parse(text)
		if err != nil {
			return nil, err
		}
		all = append(all, ref)
	}
	return func() ([]string, error) {
		var found []string
		var errs []error
		for _, ref := range all {
			s, err := ref.Resolve()
			if err != nil {
				errs = append(errs, err)
				continue
			}
			found = append(found, s)
		}
		return found, errors.Join(errs...)
	}, nil
}

// shapeOf is the usual places, but for those that were named.
func shapeOf(p config.Places) webhook.Shape {
	s := webhook.AnyShape
	for place, said := range map[*[]string][]string{
		&s.Name: p.Name, &s.Resource: p.Resource, &s.Record: p.Record, &s.Header: p.Header, &s.Delivery: p.Delivery,
	} {
		if len(said) > 0 {
			*place = said
		}
	}
	return s
}

// waitingFor is the sides of jobs that wait for a system to call, by its kinds.
func waitingFor(cfg *config.Config, system string) map[record.Kind][]record.Place {
	out := map[record.Kind][]record.Place{}
	for _, j := range cfg.Jobs {
		if !slices.Contains(j.When.Webhooks, system) {
			continue
		}
		for i, js := range [2]config.JobSide{j.Left, j.Right} {
			if js.System == system {
				kind := record.Kind(js.Kind)
				out[kind] = append(out[kind], record.Place{Binding: record.Binding(j.Name), Side: record.Side(i)})
			}
		}
	}
	return out
}

// checkWebhooks says what of the webhooks can't work: what neither the configuration nor
// a preset says, and a secret that its scheme can't sign with.
func checkWebhooks(cfg *config.Config) []Finding {
	var out []Finding
	for _, sys := range cfg.Systems {
		if sys.Webhooks == nil {
			continue
		}
		s, err := sourceOf(cfg, sys)
		if err != nil {
			out = append(out, Finding{Where: sys.Name, Text: err.Error(), Wrong: true})
			continue
		}
		secrets, _ := s.Secrets() // one that can't be had is found by CheckSecrets
		for _, one := range secrets {
			probe := signature.Request{Method: http.MethodPost, URL: s.PublicURL, Header: http.Header{}}
			if err := s.Scheme.Sign(probe, "", []string{one}, time.Now()); err != nil {
				out = append(out, Finding{Where: sys.Name, Text: lacks(cfg, sys, "secret", "%s", err).Error(), Wrong: true})
			}
		}
	}
	return out
}
