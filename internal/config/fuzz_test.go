package config

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
)

// FuzzParse looks for bytes that are neither a configuration nor a list of
// mistakes with a place each.
func FuzzParse(f *testing.F) {
	f.Add([]byte(base), "systems__pms__user", "x")
	for _, e := range slices.Concat(badEdits(), badWebhooks(), badEvents()) {
		text := base
		for i := 0; i+1 < len(e.edit); i += 2 {
			text = strings.Replace(text, e.edit[i], e.edit[i+1], 1)
		}
		f.Add([]byte(text), "jobs__guests__fields__phone", "{platform: x}")
	}
	for _, path := range []string{"../../config.example.yaml", "testdata/sqlite.yaml", "testdata/crm.yaml", "testdata/three.yaml"} {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text, "keep", "3")
	}
	f.Fuzz(func(t *testing.T, text []byte, key, value string) {
		c, err := Parse("config.yaml", text, []string{envPrefix + key + "=" + value})
		if err == nil {
			if c.TimeZone == nil || len(c.Systems) < 2 || len(c.Jobs) == 0 {
				t.Errorf("accepted without what it needs: %+v", c)
			}
			for _, j := range c.Jobs {
				if len(j.Fields) == 0 || len(j.Match) == 0 || j.Kind == "" || j.Left.Create == "" || j.Right.Create == "" {
					t.Errorf("accepted a job without what it needs: %+v", j)
				}
			}
			return
		}
		errs, ok := errors.AsType[*Errors](err)
		if !ok || c != nil || len(errs.List) == 0 {
			t.Fatalf("got %v, %T, want a list of mistakes", c, err)
		}
		for _, m := range errs.List {
			// What is missing on top stands nowhere, and a file as a whole has no line.
			if lines := bytes.Count(text, []byte("\n")) + 2; m.Line < 0 || m.Line > lines || m.Line == 0 && m.Env == "" && strings.ContainsAny(m.Key, ".[") {
				t.Errorf("line %d of %d: %+v", m.Line, lines, m)
			}
			if m.File == "" || m.Text == "" || strings.Contains(m.Text, "not decodable") {
				t.Errorf("a mistake without place or sense: %+v", m)
			}
		}
	})
}
