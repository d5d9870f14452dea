package e2e

import (
	"fmt"
	"strings"
	"testing"

	"nightporter/simulator"
	"nightporter/sync/engine"
)

// A list that is cut short: by an error on its second page, by an offset behind which
// nothing is shown, by an envelope whose keys have other names. It ends with an error
// that names what is wrong, or is incomplete and says so; nobody counts as gone for it.
func TestF16_CutShort(t *testing.T) {
	const most = 8 // of 12 rows, in pages of 4
	renamed := func(keys ...string) simulator.Fault {
		return simulator.Fault{Kind: simulator.FaultRenamed, Fields: keys}
	}
	hidden := simulator.Fault{Kind: simulator.FaultMaxOffset, Limit: most}
	for _, tt := range []struct {
		name   string
		faults []simulator.Fault
		fails  bool
		says   string // empty: the list is read whole all the same
	}{
		{"an error on page 2", []simulator.Fault{{Kind: simulator.FaultStatus, Status: 500, Skip: 1}}, true, "HTTP 500"},
		{"a hidden end", []simulator.Fault{hidden}, false, "another number of records than its total"},
		{"a hidden end and no total", []simulator.Fault{hidden, {Kind: simulator.FaultTotalMissing}}, false, `"meta.has_next" that more follows, and the next one is empty`},
		{"a hidden end and a total by another name", []simulator.Fault{hidden, renamed("total")}, false, `"meta.has_next" that more follows, and the next one is empty`},
		{"a list by another name", []simulator.Fault{renamed("data")}, true, `no list at "data"`},
		{"an end by another name", []simulator.Fault{renamed("has_next")}, false, ""},
		{"all that tells of the end by another name", []simulator.Fault{renamed("meta")}, false, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := newAccounts(t, simulator.UUIDs)
			a.edit("    preset: platform\n", "    preset: platform\n    page_size: 4\n")
			for _, f := range tt.faults {
				f.Path, f.Method = "/contacts", "GET"
				a.sim.AddFault(f)
			}
			for range 3 {
				reports, err := a.trySync(engine.Options{Yes: true})
				said := badWords(reports, err)
				if (err != nil) != tt.fails || !strings.Contains(said, tt.says) {
					t.Fatalf("error %v, want one: %v; want it to say %q:\n%s", err, tt.fails, tt.says, said)
				}
				incomplete := total(reports, "guests", "left.incomplete") > 0 && strings.Contains(said, "list incomplete")
				if !tt.fails && incomplete != (tt.says != "") {
					t.Errorf("the list counts as whole: %v, want %v:\n%s", !incomplete, tt.says == "", said)
				}
				for _, name := range []string{"left.suspects", "left.gone", "right.created", "right.deleted"} {
					if n := total(reports, "guests", name); n > 0 {
						t.Errorf("%s: got %d, want 0", name, n)
					}
				}
			}
			if got := a.one(`SELECT count(*) FROM guests`); got != fmt.Sprint(inStep+1) {
				t.Errorf("the PMS has %s guests, want %d", got, inStep+1)
			}
			a.sim.ClearFaults()
			a.inStepAgain()
		})
	}
}
