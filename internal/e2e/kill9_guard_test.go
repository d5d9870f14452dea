package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nightporter/simulator"
	"nightporter/sync/record"
)

// What happens in a guarded house, by the numbers of its guests.
const (
	guarded      = 120 // guests that are in step
	rowsGone     = 8   // the first of them go from the PMS: more than guards.deletes lets go
	renamed      = 43  // the next have another name in the PMS: more than guards.updates lets go
	edited       = 30  // contacts that have another mail address: they go
	contactsGone = 3   // the last go from the platform: they go
)

// guardedHouse is a house in step, where records then go on both sides, and more changes
// than guards let go. It is wound back to that moment for each round.
type guardedHouse struct {
	*victim
	pms, state []byte
	held, end  guardedEnd    // before and after the yes, undisturbed
	toRead     time.Duration // how long a sync of all that takes, undisturbed
	toApprove  time.Duration // how long the approval of a set takes
}

// heldSet is a set of changes that waits for a person, as the program shows it.
type heldSet struct {
	Digest   string        `json:"digest"`
	System   record.System `json:"system"`
	Guard    string        `json:"guard"`
	Changes  int           `json:"changes"`
	Decision record.Choice `json:"decision"`
}

// guardedEnd is what a house comes to.
type guardedEnd struct {
	Records []string                            // of both sides
	Sets    []heldSet                           // that wait, or whose changes are not all made
	Stands  map[record.Binding]map[string]int64 // what sync says is linked, gone, open, asked, …
}

func newGuardedHouse(t *testing.T, program string) *guardedHouse {
	t.Helper()
	h := newHouse(t, simulator.Options{Deletes: true})
	h.move(ramDir(t))
	h.edit("settle: 1ms", "settle: "+killSettle.String())
	h.edit("    key: file:", `    override: { kinds: { contacts: { delete: { path: "/contacts/{id}" } } } }
    key: file:`)
	h.edit("        private: [notes]\n", "        private: [notes]\n        may_delete: true\n")
	h.edit("    not_a_value", "    gone: { platform: delete, pms: delete }\n    not_a_value")
	h.people(guarded)
	g := &guardedHouse{victim: &victim{house: h, binary: program, config: filepath.Join(h.dir, "nightporter.yaml")}}
	g.write(g.config, h.config)
	g.sync(0)
	g.wait()
	g.sync(0)
	g.wait()

	h.exec(`DELETE FROM guests WHERE id <= ?`, rowsGone)
	h.exec(`UPDATE guests SET last_name = 'Renamed' || id WHERE id <= ?`, rowsGone+renamed)
	contacts := h.sim.All("contacts")
	slices.SortFunc(contacts, func(a, b map[string]any) int {
		return strings.Compare(fmt.Sprint(a["phone_number"]), fmt.Sprint(b["phone_number"]))
	})
	for i, c := range contacts[guarded-contactsGone-edited:] {
		id := fmt.Sprint(c["id"])
		if i < edited {
			h.sim.Edit("contacts", id, map[string]any{"email": fmt.Sprintf("edited%d@example.com", i)})
		} else {
			h.sim.Remove("contacts", id)
		}
	}
	h.sim.Snapshot()
	g.pms, g.state = h.read(h.pmsFile()), h.read(g.stateFile())
	return g
}

func (g *guardedHouse) stateFile() string { return filepath.Join(g.dir, "nightporter.db") }

// wait lets the settle time pass.
func (g *guardedHouse) wait() { time.Sleep(killSettle + killSettle/5) } //nolint:forbidigo // it is real

// rewind brings everything back to when the records had just gone.
func (g *guardedHouse) rewind() {
	g.t.Helper()
	for g.sim.Pending() > 0 {
		pause()
	}
	g.db.Close()
	for _, end := range []string{"", "-wal", "-shm", "-journal"} {
		for _, file := range []string{g.pmsFile(), g.stateFile()} {
			if err := os.RemoveAll(file + end); err != nil {
				g.t.Fatal(err)
			}
		}
	}
	g.write(g.pmsFile(), string(g.pms))
	g.write(g.stateFile(), string(g.state))
	g.openPMS()
	g.sim.Restore()
}

// waiting is the sets that wait, or whose changes are not all made.
func (g *guardedHouse) waiting() (sets []heldSet) {
	g.t.Helper()
	out, _ := g.live(0, 3, "staged") // 3: nobody has answered yet
	g.decode(out, &sets)
	slices.SortFunc(sets, func(a, b heldSet) int { return strings.Compare(a.Digest, b.Digest) })
	return sets
}

func (g *guardedHouse) decode(printed []byte, into any) {
	g.t.Helper()
	if err := json.Unmarshal(printed, into); err != nil {
		g.t.Fatalf("%v in:\n%s", err, printed)
	}
}

// undecided reports whether a person still has to answer for a set.
func (g *guardedHouse) undecided(set heldSet) bool {
	return slices.Contains(g.waiting(), set)
}

// reads compares both sides whole and says nothing to what waits.
func (g *guardedHouse) reads(after time.Duration) (wasKilled bool) {
	g.t.Helper()
	_, wasKilled = g.live(after, waitsForAPerson, "sync", "--full")
	return wasKilled
}

// comesTo is what a run that is left alone comes to.
func (g *guardedHouse) comesTo() (o guardedEnd) {
	g.t.Helper()
	out, _ := g.live(0, waitsForAPerson, "sync", "--full")
	var printed struct {
		Standing map[record.Binding]map[string]int64 `json:"standing"`
	}
	g.decode(out, &printed)
	return guardedEnd{g.all(), g.waiting(), printed.Standing}
}

const waitsForAPerson = 3 // the exit code

// says gives the yes to a set; once it has arrived a sync carries it out.
func (g *guardedHouse) says(after time.Duration, set heldSet) (wasKilled bool) {
	g.t.Helper()
	if !g.undecided(set) {
		return g.reads(after)
	}
	_, wasKilled = g.live(after, waitsForAPerson, "approve", set.Digest)
	return wasKilled
}

// rest runs until the house came to what is wanted, and no longer. A further run must
// leave that as it is.
func (g *guardedHouse) rest(want guardedEnd) {
	g.t.Helper()
	for range 12 {
		if cmp.Equal(want, g.comesTo()) && g.sim.Pending() == 0 {
			break
		}
		g.wait()
	}
	before := g.sim.Counts().Mutating
	got := g.comesTo()
	if n := g.sim.Counts().Mutating - before; n > 0 {
		g.t.Errorf("a further run sent %d writes to the platform, want none", n)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		g.t.Errorf("killed, it comes to another end (-undisturbed +killed):\n%s", diff)
	}
}

// undisturbed is a round without a kill: it finds what every other is to come to.
func (g *guardedHouse) undisturbed() {
	g.t.Helper()
	begun := time.Now()
	g.reads(0)
	g.toRead = time.Since(begun)
	g.wait()
	g.held = g.comesTo()
	sets := g.held.Sets
	if n := 2*(guarded-contactsGone) - rowsGone; len(g.held.Records) != n || len(sets) != 2 || sets[0].Changes+sets[1].Changes != rowsGone+renamed {
		g.t.Fatalf("undisturbed, %d records, want %d; sets %+v, want one of %d and one of %d", len(g.held.Records), n, sets, rowsGone, renamed)
	}
	g.rest(g.held)
	begun = time.Now()
	for _, set := range sets {
		g.says(0, set)
	}
	g.toApprove = time.Since(begun) / time.Duration(len(sets))
	g.wait()
	g.end = g.comesTo()
	if n := 2 * (guarded - rowsGone - contactsGone); len(g.end.Records) != n || len(g.end.Sets) > 0 {
		g.t.Fatalf("undisturbed, both sides hold %d records after the yes, want %d; sets %+v, want none", len(g.end.Records), n, g.end.Sets)
	}
	g.rest(g.end)
}

// round is all that again, killed a few times before the sets wait and a few times while
// they are approved.
func (g *guardedHouse) round(s *spree, late bool) {
	g.t.Helper()
	const perPart = 2
	kills := func(life func(after time.Duration) bool, most time.Duration) {
		if late {
			g.lateAnswers(0.1)
		}
		for range min(perPart, s.left) {
			s.count(life(s.moment(most * 3 / 4)))
		}
		g.sim.ClearFaults()
	}
	g.rewind()
	kills(g.reads, g.toRead)
	g.rest(g.held)
	for _, set := range g.held.Sets {
		kills(func(after time.Duration) bool { return g.says(after, set) }, g.toApprove)
	}
	for _, set := range g.held.Sets {
		if g.undecided(set) { // killed before the yes was noted, or not come to it
			g.says(0, set)
		}
	}
	g.rest(g.end)
}

// killGuarded kills syncs of a house where records go and guards hold sets of changes,
// and the approval of these.
func killGuarded(t *testing.T, program string, s *spree) {
	t.Helper()
	g := newGuardedHouse(t, program)
	g.undisturbed()
	rounds, begun := 0, time.Now()
	for s.left > 0 && !t.Failed() {
		g.round(s, rounds%2 == 1)
		rounds++
	}
	t.Logf("%d kills in %d rounds of deletes, held sets and their approval (%d lives ended before their kill) in %s; undisturbed a sync takes %s, an approval %s",
		s.done, rounds, s.finished, time.Since(begun).Round(time.Millisecond), g.toRead.Round(time.Millisecond), g.toApprove.Round(time.Millisecond))
}
