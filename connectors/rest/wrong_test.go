package rest_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"nightporter/connectors"
	"nightporter/connectors/rest"
	"nightporter/simulator"
	"nightporter/sync/record"
)

// listed is what a list shows that is taken for whole: nil where it is not.
func listed(t *testing.T, c *rest.Conn, q connectors.Query) (ids []string, whole bool) {
	t.Helper()
	after, totals := record.Cursor(""), map[int]bool{}
	for range 60 {
		page, err := c.Fetch(t.Context(), q, after)
		if err != nil || page.Flaw != "" {
			return nil, false
		}
		if page.Total >= 0 {
			totals[page.Total] = true
		}
		for _, item := range page.Items {
			if !slices.Contains(ids, item.ID) {
				ids = append(ids, item.ID)
			}
		}
		if page.End {
			slices.Sort(ids)
			// A reading counts its rows against the total, and believes no list that
			// has two of them.
			return ids, len(totals) == 0 || len(totals) == 1 && totals[len(ids)]
		}
		after = page.Next
	}
	return nil, false
}

// A preset that is wrong about a list shows an error, a flaw, or all the same all of its
// records: never fewer as if they were all. Each key of each right one is taken away in
// turn, as a user forgets it, put back to what the preset platform says, or misspelt.
func TestAWrongListIsNeverWhole(t *testing.T) {
	first, many := number(t, "NIGHTPORTER_SEED", 1), number(t, "NIGHTPORTER_DIALECTS", 15)
	all := map[string]simulator.Traits{}
	for _, name := range simulator.Dialects() {
		all[string(name)], _ = simulator.TraitsOf(name)
	}
	for seed := first; seed < first+many; seed++ {
		all[fmt.Sprint(seed)] = simulator.Draw(uint64(seed))
	}
	for name, traits := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			traits.Quotas = nil
			sim := simulator.New(simulator.Options{Traits: &traits})
			var ids []string
			for n := range 23 {
				ids = append(ids, sim.Put("contacts", map[string]any{"first_name": "Guest", "phone_number": fmt.Sprint("+9992", 1000+n)}))
			}
			slices.Sort(ids)
			list := dig(traits.Override(), "kinds", "contacts", "list")
			for _, key := range append(slices.Sorted(maps.Keys(list)), "everything") {
				for _, how := range []string{"taken away", "as platform", "misspelt"} {
					if key == "next" && how == "misspelt" && traits.MaxLimit == 6 {
						continue // a page that is short because it was clamped looks like a last one that names none
					}
					over := traits.Override()
					wrong := dig(over, "kinds", "contacts", "list")
					switch {
					case key == "everything":
						clear(wrong)
					case how == "as platform":
						delete(wrong, key)
					case how == "misspelt":
						if text, ok := wrong[key].(string); ok {
							wrong[key] = text + "x"
						}
					default:
						wrong[key] = nil
					}
					p, err := rest.Load("platform", nil, over)
					if err != nil {
						continue // refused before anything is read
					}
					c, err := rest.Open(rest.Config{
						System: "platform", Preset: p, BaseURL: "http://api.example.com", PageSize: 10, Transport: sim.Transport(),
						Secret: func() (string, error) { return simulator.DefaultKey, nil },
					})
					if err != nil {
						t.Fatal(err)
					}
					if got, whole := listed(t, c, connectors.Query{Kind: "contacts"}); whole && !slices.Equal(got, ids) {
						t.Errorf("%s %s: got %d records as if they were all, want %d\ntraits %+v", key, how, len(got), len(ids), traits)
					}
				}
			}
		})
	}
}

func dig(m map[string]any, keys ...string) map[string]any {
	for _, k := range keys {
		m, _ = m[k].(map[string]any)
	}
	return m
}
