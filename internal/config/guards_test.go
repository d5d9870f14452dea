package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const houseWithGuards = `time_zone: Europe/Rome
systems:
  a: { type: sqlite, address: a.db, tables: { p: { table: p, key: id } } }
  b: { type: sqlite, address: b.db, tables: { p: { table: p, key: id } } }
jobs:
  people:
    kind: contact
    between: { a: p, b: p }
    match: [phone]
    create: { a: always, b: always }
    fields: { phone: { a: phone, b: phone } }
guards: `

// TestGuards says what each way to write a guard means.
func TestGuards(t *testing.T) {
	for text, want := range map[string]func(g *Guards){
		"{ cancels: 7 }":   func(g *Guards) { g.Cancels = limited(Amount{Count: 7}) },
		"{ updates: 12% }": func(g *Guards) { g.Updates = limited(Amount{Share: 0.12}) },
		"{ deletes: { count: 10, share: 2%, day: 5%, week: 40 } }": func(g *Guards) {
			g.Deletes = Limit{Run: Amount{10, 0.02}, Day: Amount{Share: 0.05}, Week: Amount{Count: 40}}
		},
		"{ clears: { day: 30 } }": func(g *Guards) {
			g.Clears = Limit{Run: Amount{Count: 20}, Day: Amount{Count: 30}, Week: Amount{Count: 90}}
		},
		"{ creates: { count: 50 }, changed: 20%, shrink: 5%, unshown: 40% }": func(g *Guards) {
			g.Creates, g.Changed, g.Shrink, g.Unshown = limited(Amount{Count: 50}), 0.2, 0.05, 0.4
		},
		"{ fills: 900 }":             func(g *Guards) { g.Fills = limited(Amount{Count: 900}) },
		"{ updates: { week: 90% } }": func(g *Guards) { g.Updates.Week = Amount{Share: 0.9} },
	} {
		c, err := Parse("config.yaml", []byte(houseWithGuards+text), nil)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		g := defaultGuards()
		want(&g)
		near := cmp.Comparer(func(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 })
		if diff := cmp.Diff(g, c.Guards, near); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

// TestGuardsFromTheEnvironment: a guard may be laid over the file's.
func TestGuardsFromTheEnvironment(t *testing.T) {
	c, err := Parse("config.yaml", []byte(houseWithGuards+"{ cancels: 7 }"), []string{"NIGHTPORTER__guards__cancels=3", "NIGHTPORTER__guards__updates=40%"})
	if err != nil {
		t.Fatal(err)
	}
	if c.Guards.Cancels.Run != (Amount{Count: 3}) || c.Guards.Updates.Run != (Amount{Share: 0.4}) {
		t.Errorf("got %+v", c.Guards)
	}
}

// TestGuardsRefused: there is no way to write a guard that never stops.
func TestGuardsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"{ cancels: 0 }":              "guards.cancels: must be 1 or more",
		"{ cancels: -1 }":             "guards.cancels: must be a number of records, such as 20, or a part",
		"{ cancels: off }":            "guards.cancels: must be a number of records, such as 20, or a part",
		"{ cancels: 200% }":           "guards.cancels: must be a percentage from 1% to 100%",
		"{ cancels: 1.5 }":            "guards.cancels: must be a number of records",
		"{ cancels: [1] }":            "guards.cancels: must be a block of keys",
		"{ cancels: { count: 0 } }":   "guards.cancels.count: must be 1 or more",
		"{ cancels: { month: 3 } }":   "guards.cancels.month: unknown key",
		"{ cancels: { day: often } }": "guards.cancels.day: must be a number of records",
		"{ cancel: 3 }":               "guards.cancel: unknown key; did you mean \"cancels\"?",
		"{ shrink: 0% }":              "guards.shrink: must be a percentage from 1% to 100%",
	} {
		_, err := Parse("config.yaml", []byte(houseWithGuards+text), nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}
