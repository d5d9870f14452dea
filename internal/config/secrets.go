package config

import "strings"

// Secret is one place of the configuration that refers to a secret.
type Secret struct {
	// Key is the path of the key, such as systems.pms.password.
	Key string
	// Ref is env:NAME or file:PATH.
	Ref  string
	path []string
}

// Secrets are all references to secrets, in the order of the file.
func (c *Config) Secrets() []Secret {
	var all []Secret
	for _, s := range c.Systems {
		if s.REST != nil && elsewhere(s.REST.Proxy) {
			all = append(all, secretAt(s.Name, "proxy", s.REST.Proxy))
		}
		switch {
		case s.REST != nil && s.REST.Key != "":
			all = append(all, secretAt(s.Name, "key", s.REST.Key))
		case s.SQL != nil && s.SQL.Password != "":
			all = append(all, secretAt(s.Name, "password", s.SQL.Password))
		}
		if s.Webhooks != nil {
			for _, ref := range s.Webhooks.Secrets {
				all = append(all, secretAt(s.Name, "webhooks.secret", ref))
			}
		}
	}
	for _, d := range c.Events {
		if d.Hidden {
			all = append(all, Secret{Key: "events." + d.Name + ".url", Ref: d.URL, path: []string{"events", d.Name, "url"}})
		}
		for _, ref := range d.Secrets {
			all = append(all, Secret{Key: "events." + d.Name + ".secret", Ref: ref, path: []string{"events", d.Name, "secret"}})
		}
	}
	return all
}

func secretAt(system, key, ref string) Secret {
	return Secret{Key: "systems." + system + "." + key, Ref: ref, path: append([]string{"systems", system}, strings.Split(key, ".")...)}
}

// CheckSecrets asks look about each secret and says, with its line, which cannot
// be had: the error is an *Errors. What look warns of comes back as warnings.
// Neither what look returns nor a Mistake may hold the secret itself.
func (c *Config) CheckSecrets(look func(ref string) (warning string, err error)) ([]Mistake, error) {
	var warnings, missing []Mistake
	for _, s := range c.Secrets() {
		warning, err := look(s.Ref)
		if warning != "" {
			warnings = append(warnings, c.places.where(warning, s.path))
		}
		if err != nil {
			m := c.places.where(err.Error(), s.path)
			m.Err = err
			missing = append(missing, m)
		}
	}
	if len(missing) > 0 {
		sortMistakes(missing)
		return warnings, &Errors{List: missing}
	}
	return warnings, nil
}
