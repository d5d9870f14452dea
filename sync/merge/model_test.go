package merge

import (
	"strings"
	"testing"

	"nightporter/sync/record"
)

// The model: one field on two systems, of which the right one keeps small letters
// and two of them; every history of up to four events out of ten, an edit of either
// side, a run, or a run that dies after its write arrived. It shows what a base must
// be and that a write needs a journal, by counting what is done to edits of a single
// person on a single side, who can expect that they stay.

// design is how a base is kept.
type design struct {
	name    string
	base    func(written record.Side, sent string, now [2]string) [2]string
	ours    bool // Merge decides; otherwise the merge that was modelled first
	journal bool // a write that arrived without an answer is known as our own
}

// oneBase keeps what was sent, for both sides.
func oneBase(_ record.Side, sent string, _ [2]string) [2]string { return [2]string{sent, sent} }

// sentBase keeps what was read of the one side and what was sent to the other.
func sentBase(written record.Side, sent string, now [2]string) [2]string {
	now[written] = sent
	return now
}

// observedBase keeps what each side showed.
func observedBase(_ record.Side, _ string, now [2]string) [2]string { return now }

// stored is what a side makes of a value; "" is empty.
func stored(s record.Side, v string) string {
	if s == record.Left {
		return v
	}
	v = strings.ToLower(v)
	return v[:min(2, len(v))]
}

// plainMerge is the textbook's merge: compare with the base, and ask the policy where
// both moved.
func plainMerge(base, now [2]string, p Policy) Act {
	l, r := now[record.Left], now[record.Right]
	movedL, movedR := l != base[record.Left], r != base[record.Right]
	switch {
	case !movedL && !movedR:
		return Keep
	case !movedR:
		return WriteRight
	case !movedL:
		return WriteLeft
	case stored(record.Right, l) == r || l == r:
		return Adopt
	case l == "":
		return WriteLeft
	case r == "":
		return WriteRight
	case p == LeftWins:
		return WriteRight
	}
	return Hold
}

func modelValue(s string) record.Value {
	if s == "" {
		return record.Nothing()
	}
	return text(s)
}

// ourMerge is the same by the function that the daemon uses.
func ourMerge(base, now [2]string, p Policy) Act {
	rule := Rule{Policy: p, Same: func(l, r record.Value) bool { return stored(record.Right, l.Text()) == r.Text() }}
	seen := func(s record.Side) Seen {
		return Seen{Now: modelValue(now[s]), Base: record.Keep(modelValue(base[s]))}
	}
	return Cell(rule, seen(record.Left), seen(record.Right), -1).Act
}

// pair is the two systems and what is known of them.
type pair struct {
	design design
	policy Policy
	now    [2]string
	base   [2]string
	intent *intent
}

// intent is the journal's line on a write that was not answered.
type intent struct {
	to    record.Side
	after string // what the side holds if it arrived
	from  string // what the other side held when it was decided
}

func (p *pair) decide() Act {
	if p.design.ours {
		return ourMerge(p.base, p.now, p.policy)
	}
	return plainMerge(p.base, p.now, p.policy)
}

// run is one run, which may die after its write; it gives the number of writes.
func (p *pair) run(dies bool) int {
	if j := p.intent; j != nil && p.design.journal && p.now[j.to] == j.after {
		p.base[j.to], p.base[j.to.Other()] = j.after, j.from
	}
	p.intent = nil
	act := p.decide()
	for _, to := range record.Sides {
		if act == Adopt {
			p.base = p.now
		}
		if !act.Writes(to) {
			continue
		}
		sent := p.now[to.Other()]
		p.now[to] = stored(to, sent)
		if dies {
			p.intent = &intent{to: to, after: p.now[to], from: sent}
		} else {
			p.base = p.design.base(to, sent, p.now)
		}
		return 1
	}
	return 0
}

// event is one thing that happens: an edit, or a run.
type event struct {
	run, dies bool
	side      record.Side
	value     string
}

func modelEvents() []event {
	events := []event{{run: true}, {run: true, dies: true}}
	for _, s := range record.Sides {
		for _, v := range []string{"b", "Bx", "ABCD", ""} {
			events = append(events, event{side: s, value: v})
		}
	}
	return events
}

// outcome counts what the histories came to.
type outcome struct{ histories, restless, diverged, damaged, falseHolds int }

// play lets one history happen, then runs until all should be quiet, and counts.
func (o *outcome) play(d design, policy Policy, history []event) {
	p := pair{design: d, policy: policy, now: [2]string{"a", "a"}, base: [2]string{"a", "a"}}
	last, leftAlone := "", false
	rightTouched := false
	for _, e := range history {
		switch {
		case e.run:
			p.run(e.dies)
		default:
			p.now[e.side] = stored(e.side, e.value)
			if e.side == record.Left {
				last, leftAlone = e.value, true
			} else {
				rightTouched = true
			}
		}
	}
	var writes [6]int
	for i := range writes {
		writes[i] = p.run(false)
	}
	held := p.decide() == Hold
	o.histories++
	if writes[3]+writes[4]+writes[5] > 0 {
		o.restless++
	}
	if !held && stored(record.Right, p.now[record.Left]) != p.now[record.Right] {
		o.diverged++
	}
	if leftAlone && !rightTouched {
		if p.now[record.Left] != last {
			o.damaged++
		}
		if held {
			o.falseHolds++
		}
	}
}

func (o *outcome) playAll(d design, policy Policy, history []event, more int) {
	if len(history) > 0 {
		o.play(d, policy, history)
	}
	if more == 0 {
		return
	}
	for _, e := range modelEvents() {
		o.playAll(d, policy, append(history, e), more-1)
	}
}

func TestModel(t *testing.T) {
	designs := []struct {
		design
		left, hold outcome // by policy
	}{
		{
			design{"one base", oneBase, false, false},
			outcome{11110, 0, 0, 681, 0},
			outcome{11110, 0, 0, 607, 134},
		},
		{
			design{"one base, journal", oneBase, false, true},
			outcome{11110, 0, 0, 642, 0},
			outcome{11110, 0, 0, 616, 56},
		},
		{
			design{"sent base", sentBase, false, false},
			outcome{11110, 0, 0, 681, 0},
			outcome{11110, 0, 0, 607, 134},
		},
		{
			design{"sent base, journal", sentBase, false, true},
			outcome{11110, 0, 0, 642, 0},
			outcome{11110, 0, 0, 616, 56},
		},
		{
			design{"observed bases", observedBase, false, false},
			outcome{11110, 0, 0, 39, 0},
			outcome{11110, 0, 0, 39, 78},
		},
		{
			design{"observed bases, journal", observedBase, false, true},
			outcome{11110, 0, 0, 0, 0},
			outcome{11110, 0, 0, 0, 0},
		},
		{
			design{"Merge, no journal", observedBase, true, false},
			outcome{11110, 0, 0, 39, 0},
			outcome{11110, 0, 0, 39, 78},
		},
		{
			design{"Merge, journal: ours", observedBase, true, true},
			outcome{11110, 0, 0, 0, 0},
			outcome{11110, 0, 0, 0, 0},
		},
	}
	t.Logf("%-24s %-6s %9s %8s %8s %7s %10s", "design", "policy", "histories", "restless", "diverged", "damaged", "false hold")
	for _, d := range designs {
		for _, policy := range []Policy{LeftWins, Person} {
			want := d.left
			if policy == Person {
				want = d.hold
			}
			var got outcome
			got.playAll(d.design, policy, nil, 4)
			t.Logf("%-24s %-6s %9d %8d %8d %7d %10d", d.name, policy, got.histories, got.restless, got.diverged, got.damaged, got.falseHolds)
			if got != want {
				t.Errorf("%s, %s: got %+v, want %+v", d.name, policy, got, want)
			}
		}
	}
}
