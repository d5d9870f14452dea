package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"nightporter/internal/app"
	"nightporter/sync/record"
	"nightporter/sync/story"
)

// A field that is mapped to a path which no record shows is named by check --online. A field
// that only the list hides is not.
func TestOutside09MappedFieldThatNoRecordShows(t *testing.T) {
	for name, tt := range map[string]struct {
		path, want string
		hides      bool
	}{
		"as it is spelt":       {"phone", "", false},
		"misspelt":             {"fone", "[{phone fone}]", false},
		"below what is":        {"phone.number", "[{phone phone.number}]", false},
		"hidden by the list":   {"phone", "", true},
		"misspelt, and hidden": {"fone", "[{phone fone}]", true},
	} {
		t.Run(name, func(t *testing.T) {
			crm, h := newPlainHouse(t)
			h.edit("crm: phone,", "crm: "+tt.path+",")
			crm.put(`{"id":"p1","name":"Anna","phone":"1"}`)
			if tt.hides {
				crm.says = func(r *http.Request, _ map[string]any) (int, any) {
					if strings.HasPrefix(r.URL.Path, "/people/") {
						return 0, nil
					}
					return http.StatusOK, []any{map[string]any{"id": "p1", "name": "Anna"}}
				}
			}
			h.exec(`INSERT INTO guests (name) VALUES ('Anna')`)
			got := h.online()
			for _, s := range got.Sides {
				want := ""
				if s.System == "crm" {
					want = tt.want
				}
				if text := fmt.Sprint(s.Unshown); text != want && (want != "" || len(s.Unshown) > 0) {
					t.Errorf("%s: no record shows %s, want %q", s.System, text, want)
				}
			}
		})
	}
}

// explain shows no value as held where it was only ever written, and no read shows it.
func TestOutside09ExplainShowsNoValueThatWasOnlyWritten(t *testing.T) {
	for name, tt := range map[string]struct {
		path, want string
	}{
		"as it is spelt": {"phone", "7"},
		"misspelt":       {"fone", ""},
	} {
		t.Run(name, func(t *testing.T) {
			crm, h := newPlainHouse(t)
			h.edit("crm: phone,", "crm: "+tt.path+",")
			crm.says = func(_ *http.Request, body map[string]any) (int, any) {
				delete(body, "fone") // a name that it does not know
				return 0, nil
			}
			h.exec(`INSERT INTO guests (name, phone) VALUES ('Anna', '7')`)
			h.clubRun()
			h.clubRun()
			told := h.storyOf("people", record.Left, record.Ref{Kind: "people", ID: "p1"})
			at := strings.Join(told.Notes, "\n")
			for _, r := range told.Records {
				want := "7"
				if r.System == "crm" {
					want = tt.want
				}
				if got := r.Fields["phone"]; got.Observed() != (want != "") || want != "" && got.Text() != want {
					t.Errorf("%s holds the phone %q, want %q", r.System, got, want)
				}
			}
			if said := strings.Contains(at, "no read of crm shows phone"); said != (tt.want == "") {
				t.Errorf("the notes are %q", at)
			}
		})
	}
}

// storyOf is what explain tells of a record.
func (h *house) storyOf(job record.Binding, side record.Side, ref record.Ref) story.Story {
	h.t.Helper()
	a := h.open()
	defer a.Close()
	e, ok, err := a.Store.Entry(h.t.Context(), record.Place{Binding: job, Side: side}, ref)
	if err != nil || !ok {
		h.t.Fatalf("%s is known: %t, %v", ref, ok, err)
	}
	f, err := app.FactsOf(h.t.Context(), a.Config, a.Store, e, time.Now())
	if err != nil {
		h.t.Fatal(err)
	}
	return story.Tell(f)
}

// A field that a new record must hold, that nothing writes and that no record shows, is named
// by check, and by check --online as one that the API may not have.
func TestOutside09RequiredThatTheAPIDoesNotHave(t *testing.T) {
	for name, tt := range map[string]struct{ required, create, said, lacks string }{
		"as it is":          {"[name]", "always", "", ""},
		"not there":         {"[name, code]", "always", "crm needs code in a new record of people, and nothing writes it", "code"},
		"there, not mapped": {"[name, size]", "always", "crm needs size in a new record of people, and nothing writes it", ""},
		"nothing is made":   {"[name, code]", "never", "", ""},
		"mapped, not there": {"[name, phone]", "always", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			crm, h := newPlainHouse(t)
			h.preset(plainPreset + "    required: " + tt.required + "\n")
			h.edit("create: { crm: always,", "create: { crm: "+tt.create+",")
			crm.put(`{"id":"p1","name":"Anna","size":3}`)
			notes := func(all []app.Finding) (said string) {
				for _, f := range all {
					said += f.Text
				}
				return said
			}
			if got := notes(app.CheckFile(h.loaded())); (tt.said == "") != (got == "") || !strings.Contains(got, tt.said) {
				t.Errorf("check says %q, want %q", got, tt.said)
			}
			if got := h.check(); got != "" {
				t.Errorf("it is no mistake without asking the system: %q", got)
			}
			found := h.online()
			if got := wrongOf(found.Findings); (tt.said == "") != (got == "") || !strings.Contains(got, tt.said) {
				t.Errorf("check --online says %q, want %q", got, tt.said)
			}
			for _, s := range found.Sides {
				if got := strings.Join(s.Lacking, " "); s.System == "crm" && got != tt.lacks || s.System != "crm" && got != "" {
					t.Errorf("%s: what no record shows is %q, want %q", s.System, got, tt.lacks)
				}
			}
		})
	}
}
