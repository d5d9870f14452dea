package doctor_test

import (
	"strings"
	"testing"

	"nightporter/internal/doctor"
)

// A field that the preset requires and the API does not have is named.
func TestOutside09RequiredThatTheAPIDoesNotHave(t *testing.T) {
	for name, tt := range map[string]struct{ required, value, text string }{
		"as it is":     {"[name]", "", ""},
		"one too many": {"[name, code]", `["name"]`, "no record shows code"},
		"of another":   {"[code]", "null", "no record shows code"},
	} {
		t.Run(name, func(t *testing.T) {
			r := examined(t, twoKinds{many: 9}, strings.Replace(plainPreset, "    read_only: [id]\n", "    read_only: [id]\n    required: "+tt.required+"\n", 1))
			f, said := finding(r, "kinds.people.required")
			if said != (tt.text != "") || said && (spell(f.Value) != tt.value && tt.value != "null" || f.Confidence != doctor.Likely || !strings.Contains(f.Evidence, tt.text)) {
				t.Errorf("said %t: %s, %s: %s", said, spell(f.Value), f.Confidence, f.Evidence)
			}
			if _, err := r.Proposed(presetOf(t, plainPreset)); err != nil {
				t.Errorf("what it proposes is no preset: %v", err)
			}
		})
	}
}
