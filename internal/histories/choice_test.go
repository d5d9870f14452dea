package histories

import (
	"slices"
	"strings"
	"testing"
	"time"

	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// ruling is a status that a person chose for a side, over what stood there.
type ruling struct {
	side  record.Side
	word  string
	over  string    // what it was chosen over
	at    time.Time // by that system's clock
	ofJob int       // how many runs of its job there had been
}

// ruled notes that a person chose one side's status. It counts for what the conflict
// shows: where another word stands by now, nobody has decided over that.
func (o *oracle) ruled(t *thing, c record.Question, choice string) {
	t.noEnd() // what stands where is a person's by now
	to, over, taken := record.Right, c.Right.Text(), c.Left.Text()
	if choice == "right" {
		to, over, taken = record.Left, taken, over
	}
	r := o.alive(to, t.kind, t.n)
	if r == nil {
		return
	}
	t.rulings = append(t.rulings, ruling{to, word(to, taken), word(to, over), o.clock(to), o.w.ofJob[t.kind]})
	if r.now("status") == word(to, over) {
		if to == record.Left {
			t.vetoed = o.edits
		}
	}
}

// byRuling reports whether a person chose this status for a record, and what it was
// chosen over stands there ever since: a choice is for once. What was edited to and fro
// before any run could see it stands there still.
func (r *rec) byRuling(status string) bool {
	hs, ws := r.held["status"], r.t.writes["status"]
	return slices.ContainsFunc(r.t.rulings, func(x ruling) bool {
		unseen := func() bool {
			return !slices.ContainsFunc(ws, func(v write) bool { return v.side == r.side && v.ofJob > x.ofJob })
		}
		return x.side == r.side && x.word == status && r.now("status") == x.over && len(hs) > 0 &&
			(!hs[len(hs)-1].from.After(x.at) || unseen())
	})
}

// A person may bring back what is over, once; nobody else but the desk may.
func TestOnlyWhatWasChosenIsBroughtBack(t *testing.T) {
	asked := record.Question{Subject: record.Subject{Field: "status"}, Left: record.OfText("cancelled"), Right: record.OfText("confirmed")}
	for _, c := range []struct {
		name, choice string
		since        []string // what stands on the left after the choice
		sent         string
		wrong        bool
	}{
		{"nobody was asked", "", nil, "CONFIRMED", true},
		{"the living was chosen", "right", nil, "CONFIRMED", false},
		{"the end was chosen", "left", nil, "CONFIRMED", true},
		{"another status was chosen", "right", nil, "PENDING", true},
		{"it was over again later", "right", []string{"CONFIRMED", "CANCELLED"}, "CONFIRMED", true},
		{"another end stood there for a while that no run saw", "right", []string{"CANCELLED"}, "CONFIRMED", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := &world{}
			w.oracle = newOracle(w)
			th := w.thing(stays, 0)
			now := time.Now().Add(-time.Minute)
			r := &rec{t: th, side: record.Left, held: map[string][]held{"status": {{value: "CANCELLED", from: now}}}}
			th.recs[record.Left] = []*rec{r}
			th.recs[record.Right] = []*rec{{t: th, side: record.Right, held: map[string][]held{"status": {{value: "confirmed", from: now}}}}}
			if c.choice != "" {
				w.ruled(th, asked, c.choice)
			}
			for i, word := range c.since {
				th.writes["status"] = append(th.writes["status"], write{side: record.Left, value: word, ofJob: i})
				r.held["status"] = append(r.held["status"], held{value: word, from: now.Add(time.Hour + time.Duration(i)*time.Second)})
			}
			w.late[record.Left] = 2 * time.Hour // by its clock, and a read shows what stands there then
			w.sentStatus(r, c.sent)
			if got := w.fault != ""; got != c.wrong {
				t.Errorf("got wrong %t (%s), want %t", got, w.fault, c.wrong)
			}
		})
	}
}

// A user gives a guest the number of another, so that the records of two are linked. The
// value that a person chooses for them is brought to both.
func TestChosenForTwoThings(t *testing.T) {
	h := history{seed: 1}
	fits := func(c climate) bool {
		l, r := c.sides[record.Left], c.sides[record.Right]
		return c.policies["note"] == merge.Person && l.class == "A" && r.class == "A" && l.lag+r.lag == 0 && !l.silent && !r.silent && !l.lossy && !r.lossy &&
			!c.stays && !c.askFirst && c.free()
	}
	for !fits(climateOf(h.seed)) {
		h.seed++
	}
	run := step{what: doRun, yes: true, full: true}
	h.steps = []step{
		{what: doPut, n: 3, field: "note", value: "one"},
		{what: doEdit, n: 3, field: "phone", value: phoneOf(4)},
		{what: doPut, side: record.Right, n: 4, field: "note", value: "other"},
		run,
		{what: doChoose, side: record.Right},
		{what: doFault, k: 7}, // the left can't be reached: the right has it first
		run,
	}
	h.trace = true
	wrong, _, trace := play(t, h, ramDir(t), template(t))
	if wrong != "" || !strings.Contains(trace, "note is one and other: value c0") {
		t.Errorf("the oracle says %q, want nothing; and a value is to be chosen:\n%s", wrong, trace)
	}
}
