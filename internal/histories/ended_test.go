package histories

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"nightporter/connectors"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

func over(status string) bool { return slices.Contains(deadWords, status) }

// ends notes each booking that a run which ended well left over on both sides, after it
// had looked at both. From such an end the left may take no step: one is shown, and
// nothing comes of it: the end is what it was. Only the desk may take the booking back.
func (o *oracle) ends() {
	for _, t := range o.things[stays] {
		l, r := t.all(record.Left), t.all(record.Right)
		if len(l) != 1 || len(r) != 1 || l[0].linked != r[0] {
			continue
		}
		looked := l[0].shown != nil && !l[0].edited && r[0].shown != nil && !r[0].edited
		a, b := l[0].now("status"), r[0].now("status")
		shown := over(t.ended[record.Left]) && !over(a) && b == t.ended[record.Right]
		if looked && over(b) && !shown { // goesBack asks for the left's
			t.ended, t.endedAt = [2]string{a, b}, [2]time.Time{o.clock(record.Left), o.clock(record.Right)}
		}
	}
}

// settles notes each booking that a run settled at an end of both sides, whatever users
// have made of it since it was read: it may have looked at it before they did.
func (o *oracle) settles() {
	for _, t := range o.things[stays] {
		l, r := t.all(record.Left), t.all(record.Right)
		if len(l) != 1 || len(r) != 1 || l[0].linked != r[0] || t.met != [2]string{} {
			continue
		}
		if is := o.settledEnd(l[0], r[0]); over(is[record.Left]) && over(is[record.Right]) {
			t.ended = is
			if r[0].ours != o.w.runs {
				t.undoneIn(o.w.runs)
			}
		}
	}
}

// undoneIn notes that a run which wrote nothing to the right left both sides at their ends:
// what the left showed besides while it was on its way was late to it, and the way back to
// its end no news.
func (t *thing) undoneIn(run int) {
	if ws := t.writes["status"]; len(ws) > 0 {
		x := &ws[len(ws)-1]
		x.back = x.back || x.runs == run && x.side == record.Left && x.value == t.ended[record.Left]
	}
}

// settledEnd is the statuses at which the state says that two records were settled, as far
// as each had its own in truth, and we sent nothing else there.
func (o *oracle) settledEnd(rs ...*rec) (is [2]string) {
	for i, r := range rs {
		e, _, err := o.w.store.Entry(context.Background(), record.Place{Binding: jobs[stays], Side: r.side}, record.Ref{Kind: kinds[stays][r.side], ID: r.id})
		o.w.must("read entry", err)
		v, plain := e.Base[path(r.side, "status")].Plain()
		if word := v.Text(); plain && r.ever("status", word) && (r.sent == "" || over(r.sent)) {
			is[i] = word
		}
	}
	return is
}

// drifted notes of which bookings of the left a run shows that their status is let be, and
// whether it found that any record had changed since it was planned.
func (o *oracle) drifted(job int, rep engine.Report) {
	if job != stays {
		return
	}
	o.drifts, o.anew = map[string]bool{}, rep.Counts["stale"] > 0
	for _, n := range rep.Notes {
		if n.State == "drift" && strings.HasPrefix(n.Why, "status: ") {
			o.drifts[n.Ref.ID] = true
		}
	}
}

// letBe reports whether the last run of the bookings showed that the status which one has
// on the left is let be.
func (o *oracle) letBe(t *thing) bool {
	return slices.ContainsFunc(t.recs[record.Left], func(r *rec) bool { return o.drifts[r.id] })
}

// tookBack reports whether the desk's last word is none by which a booking is over, and what
// it is over by there is an end of the left, brought across since: a list may have shown it
// when the left had left it already. From an end the left may take no step.
func (t *thing) tookBack(end write, right string) bool {
	return !over(end.value) && slices.ContainsFunc(t.recs[record.Left], func(r *rec) bool {
		return r.ever("status", word(record.Left, right))
	})
}

// wasOver reports whether both were settled at their ends, the desk at the one it has now:
// it went from one end to another that the left calls the same.
func (t *thing) wasOver(right string) bool {
	return over(t.ended[record.Left]) && t.ended[record.Right] == right && word(record.Left, right) == t.ended[record.Left]
}

// endedLate reports whether the desk had an end for a while, and a read by id that lags may have
// shown it afterwards: the left was then ended by us, and who ends it there again says nothing new.
func (w *world) endedLate(t *thing) bool {
	return w.c.sides[record.Right].getLag > 0 && slices.ContainsFunc(t.recs[record.Right], func(r *rec) bool {
		return slices.ContainsFunc(r.held["status"], func(h held) bool { return over(h.value) })
	})
}

// goesBack reports whether a user set a status back to the end that both sides had, while
// no word has travelled since and both never said the same: across, nothing was done. No
// run can tell the desk's from an end that was never left, either: one that is on its way
// may have read what the desk said before, but does nothing about that unless it sends it,
// or took the two for the same.
func (o *oracle) goesBack(r *rec, field string) bool {
	if field != "status" {
		return false
	}
	if o.w.running > 0 && o.runOf == stays && !o.passesBy(r.t) {
		switch {
		case r.side == record.Left:
			r.t.noEnd()
		case r.t.metSince():
			r.t.mayMeet()
		}
	}
	return over(r.t.ended[record.Left]) && over(r.now(field)) && r.now(field) == r.t.ended[r.side]
}

// travels notes that a status is sent to a side: what the desk was going back to is a new
// end by then, unless the system says that it took nothing.
func (t *thing) travels(to record.Side) {
	ended, ws := t.ended, t.writes["status"]
	i := len(ws) - 1
	back := to == record.Left && i >= 0 && ws[i].side == record.Right && ws[i].back
	t.noEnd()
	if back {
		ws[i].back = false
	}
	t.unsent = func() {
		t.ended = ended
		if back {
			t.writes["status"][i].back = true
		}
	}
}

// arrives notes that an end is sent to a side: it is the other side's as it was read, so
// that both are over by then, whatever users have made of them since. Where no answer comes
// nobody can tell it from what a user sets it to.
func (o *oracle) arrives(r *rec, end string) {
	t, from := r.t, r.side.Other()
	is := word(record.Left, end)
	if r.side == record.Left {
		is = ""
		for _, x := range t.all(from) {
			for _, h := range x.held["status"] {
				if over(h.value) && word(record.Left, h.value) == end {
					is = h.value
				}
			}
		}
	}
	if over(is) {
		t.ended[r.side], t.ended[from] = end, is
		t.endedAt = [2]time.Time{o.clock(record.Left), o.clock(record.Right)}
	}
}

// A cancel counts but where it is none across: both sides were over, and one went away
// from its end and back to it before the two had anything to do with each other.
func TestOnlyAnEndThatWasThereIsExcused(t *testing.T) {
	const confirmed, cancelled = "CONFIRMED", "CANCELLED"
	left, right := record.Left, record.Right
	type edit struct {
		side record.Side
		word string
	}
	back := []edit{{left, confirmed}, {right, "pending"}, {left, cancelled}}
	desk := []edit{{right, "pending"}, {left, confirmed}, {right, "cancelled"}}
	same := []edit{{right, "confirmed"}, {left, confirmed}, {right, "cancelled"}}
	late := []edit{{left, cancelled}, {left, confirmed}, {right, "pending"}}
	for _, c := range []struct {
		name   string
		words  [2]string // when the run ended
		unread bool      // on the left
		edits  []edit
		run    int    // it begins before that edit; 0: none
		sent   string // to the left, in that run
		last   string // sent to the left after all edits
		stale  bool   // what is sent is refused: the record changed since it was read
		chosen bool   // by a person, before that run
		inside bool   // of a run
		late   bool   // the last edit is inside of a run
		guests bool   // all runs are the guests'
		named  string // the record of the right that all runs are for
		read   string // what that run reads by id of the right
		unsaid bool   // no run shows the step of the left
		looks  bool   // that run reads both, and ends well
		broke  string // that run breaks off, and this is what it had read
		lists  string // that run reads no booking by id and ends well, and this is what it shows
		ours   string // brought to the right after all edits
		over   string // the end of the right at which both are settled after all edits
		wrong  bool
	}{
		{name: "back to the end that both had", words: [2]string{cancelled, "cancelled"}, edits: back},
		{name: "another word for an end on the right", words: [2]string{cancelled, "no_show"}, edits: back},
		{name: "the right was not over", words: [2]string{cancelled, "confirmed"}, edits: back, wrong: true},
		{name: "the left had another end", words: [2]string{"REJECTED", "rejected"}, edits: back, wrong: true},
		{name: "the left was not over", words: [2]string{confirmed, "cancelled"}, edits: back, wrong: true},
		{name: "the left was not read", words: [2]string{cancelled, "cancelled"}, unread: true, edits: back, wrong: true},
		{name: "a run saw the left, which may not do that", words: [2]string{cancelled, "cancelled"}, edits: back, run: 1},
		{name: "a run saw both and came to nothing", words: [2]string{cancelled, "cancelled"}, edits: back, run: 2},
		{name: "a run saw both and wrote", words: [2]string{cancelled, "cancelled"}, edits: back, run: 2, sent: "PENDING", wrong: true},
		{name: "a person chose", words: [2]string{cancelled, "cancelled"}, edits: back, run: 2, chosen: true, wrong: true},
		{name: "a run saw both say the same", words: [2]string{cancelled, "cancelled"}, edits: []edit{{left, confirmed}, {right, "confirmed"}, {left, cancelled}}, run: 2, wrong: true},
		{name: "a run that broke off, and had read the left, began while both said the same", words: [2]string{cancelled, "cancelled"}, edits: same, run: 2, broke: "the left"},
		{name: "a run that broke off, and had read the right, began while both said the same", words: [2]string{cancelled, "cancelled"}, edits: same, run: 2, broke: "the right"},
		{name: "a run that broke off had read both", words: [2]string{cancelled, "cancelled"}, edits: same, run: 2, broke: "some", wrong: true},
		{name: "a run that broke off was not sure of a system", words: [2]string{cancelled, "cancelled"}, edits: same, run: 2, broke: "not what it is"},
		{name: "a run that broke off took a system for another", words: [2]string{cancelled, "cancelled"}, edits: same, run: 2, broke: "another system"},
		{name: "a run that broke off had read it by id", words: [2]string{cancelled, "cancelled"}, edits: same, run: 2, broke: "it", wrong: true},
		{name: "a run that broke off had written", words: [2]string{cancelled, "cancelled"}, edits: same, run: 2, sent: "PENDING", broke: "the left", wrong: true},
		{name: "a run for it broke off", words: [2]string{cancelled, "cancelled"}, edits: same, run: 2, named: "it", broke: "nothing", wrong: true},
		{name: "the left's end is brought to the desk, and it took that back", words: [2]string{confirmed, "confirmed"}, edits: late, ours: "cancelled"},
		{name: "the left's end is brought to the desk, and the step is not shown", words: [2]string{confirmed, "confirmed"}, edits: late, ours: "cancelled", unsaid: true, wrong: true},
		{name: "the desk ends it, and the left took its end back", words: [2]string{confirmed, "confirmed"}, edits: append(late[:2:2], edit{right, "cancelled"}), wrong: true},
		{name: "an end that the left never had is brought to the desk", words: [2]string{confirmed, "confirmed"}, edits: late[2:], ours: "cancelled", wrong: true},
		{name: "a run began while both said the same, and took the desk's word for late", words: [2]string{cancelled, "cancelled"}, edits: same, run: 2, lists: "the left's step"},
		{name: "a run began while both said the same, and found nothing", words: [2]string{cancelled, "cancelled"}, edits: same, run: 2, lists: "nothing", wrong: true},
		{name: "in a run", words: [2]string{cancelled, "cancelled"}, edits: back, inside: true, wrong: true},
		{name: "a run read that the left is not over", words: [2]string{cancelled, "cancelled"}, edits: back, run: 1, looks: true},
		{name: "a run read that, and another end of the desk", words: [2]string{cancelled, "cancelled"}, edits: append([]edit{{right, "no_show"}}, back...), run: 2, looks: true, wrong: true},
		{name: "a run of the guests begins while both say the same", words: [2]string{cancelled, "cancelled"}, edits: []edit{{left, confirmed}, {right, "confirmed"}, {left, cancelled}}, run: 2, guests: true},
		{name: "in a run of the guests", words: [2]string{cancelled, "cancelled"}, edits: back, inside: true, guests: true},
		{name: "in a run for another", words: [2]string{cancelled, "cancelled"}, edits: desk, inside: true, named: "another"},
		{name: "in a run for it", words: [2]string{cancelled, "cancelled"}, edits: desk, inside: true, named: "it", wrong: true},
		{name: "at the end of a run for it", words: [2]string{cancelled, "cancelled"}, edits: desk, late: true, named: "it"},
		{name: "at the end of a run for it both say the same", words: [2]string{cancelled, "cancelled"}, edits: same, late: true, named: "it", wrong: true},
		{name: "a run for another begins while both say the same", words: [2]string{cancelled, "cancelled"}, edits: same, run: 2, named: "another"},
		{name: "a run for it begins while both say the same", words: [2]string{cancelled, "cancelled"}, edits: same, run: 2, named: "it", wrong: true},
		{name: "a run for another reads what the desk took back", words: [2]string{cancelled, "cancelled"}, edits: desk, run: 2, named: "another", read: "pending", wrong: true},
		{name: "a run for another reads that the desk ended it", words: [2]string{cancelled, "cancelled"}, edits: desk, run: 2, named: "another", read: "cancelled"},
		{name: "the desk back to the end that both had", words: [2]string{cancelled, "cancelled"}, edits: desk},
		{name: "the desk, and the step of the left is not shown", words: [2]string{cancelled, "cancelled"}, edits: desk, unsaid: true, wrong: true},
		{name: "the desk to another end", words: [2]string{cancelled, "no_show"}, edits: desk, wrong: true},
		{name: "the desk to another end of the same name, and both are settled there", words: [2]string{cancelled, "cancelled"}, edits: []edit{{left, confirmed}, {right, "no_show"}}, over: "no_show"},
		{name: "the desk to another end of the same name, and the step of the left is not shown", words: [2]string{cancelled, "cancelled"}, edits: []edit{{left, confirmed}, {right, "no_show"}}, over: "no_show", unsaid: true, wrong: true},
		{name: "the desk to another end of the same name, and both are settled elsewhere", words: [2]string{cancelled, "cancelled"}, edits: []edit{{left, confirmed}, {right, "no_show"}}, over: "cancelled", wrong: true},
		{name: "the desk, and the left was not over", words: [2]string{confirmed, "cancelled"}, edits: desk, wrong: true},
		{name: "the desk, and it was not over", words: [2]string{cancelled, "confirmed"}, edits: desk, wrong: true},
		{name: "the desk, and a run wrote", words: [2]string{cancelled, "cancelled"}, edits: desk, run: 1, sent: "PENDING", wrong: true},
		{name: "the desk, in a run", words: [2]string{cancelled, "cancelled"}, edits: desk, inside: true, wrong: true},
		{name: "the desk, at the end of a run", words: [2]string{cancelled, "cancelled"}, edits: desk, late: true},
		{name: "the left, at the end of a run", words: [2]string{cancelled, "cancelled"}, edits: back, late: true, wrong: true},
		{name: "the desk, in a run that wrote", words: [2]string{cancelled, "cancelled"}, edits: desk, late: true, run: 2, sent: "PENDING", wrong: true},
		{name: "the desk, in a run that writes what it read before", words: [2]string{cancelled, "cancelled"}, edits: desk, late: true, last: "PENDING", wrong: true},
		{name: "the desk, in a run that may not write what it read before", words: [2]string{cancelled, "cancelled"}, edits: desk, late: true, last: "PENDING", stale: true},
		{name: "the desk, after a run that may not write", words: [2]string{cancelled, "cancelled"}, edits: desk, run: 2, sent: "PENDING", stale: true},
		{name: "the desk, and in the run both say the same", words: [2]string{cancelled, "cancelled"}, edits: same, late: true, wrong: true},
		{name: "the desk, and in the run both said the same", words: [2]string{cancelled, "cancelled"}, edits: append(same[:2:2], edit{right, "pending"}, same[2]), late: true, wrong: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := &world{}
			w.oracle = newOracle(w)
			th := w.thing(stays, 1)
			for _, side := range record.Sides {
				th.recs[side] = []*rec{{t: th, side: side, id: [2]string{"its left", "it"}[side], shown: record.Fields{}, held: map[string][]held{"status": {{value: c.words[side], from: time.Now()}}}}}
			}
			l, r := th.recs[left][0], th.recs[right][0]
			l.linked, r.linked = r, l
			w.recs[stays][left][l.id], w.recs[stays][right][r.id] = l, r
			send := func(word string) {
				w.sentStatus(l, word)
				if c.stale {
					w.answered(left, record.Change{Ref: record.Ref{Kind: kinds[stays][left], ID: l.id}}, record.Ref{}, connectors.Wrong(connectors.Stale, "", "it changed"))
				}
			}
			if c.unread {
				l.shown = nil
			}
			w.ends()
			if c.named != "" {
				w.opt = engine.Options{Only: []record.Ref{{ID: c.named}}, OnlySide: right}
			}
			w.drifts = map[string]bool{l.id: !c.unsaid}
			job := stays
			if c.guests {
				job = guests
			}
			for i, e := range c.edits {
				if c.run > 0 && i == c.run {
					if c.chosen {
						w.ruled(th, record.Question{Subject: record.Subject{Field: "status"}, Left: record.OfText("confirmed"), Right: record.OfText("pending")}, "left")
					}
					w.beginRun(job)
					if c.read != "" {
						w.readBack(r, record.Fields{path(right, "status"): record.OfText(c.read)})
					}
					if c.looks {
						l.shown, r.shown = record.Fields{}, record.Fields{}
						w.ends()
					}
					if c.sent != "" {
						send(c.sent)
					}
					if c.lists != "" {
						w.drifts[l.id] = c.lists == "the left's step"
						w.stillApart()
						w.ends()
						w.drifts[l.id] = true
					}
					switch c.broke {
					case "the left", "the right", "some", "not what it is", "another system":
						for side, name := range []string{record.Left: "the right", record.Right: "the left"} {
							if side := record.Side(side); c.broke != name {
								w.lists[side] = map[record.Kind]opening{kinds[stays][side]: {theirs: time.Now()}}
							}
						}
					case "it":
						r.shown = record.Fields{}
					}
					if c.broke != "" {
						w.brokeOff(map[string]error{
							"not what it is": fmt.Errorf("make sure that one is the one we know: %w", io.EOF),
							"another system": fmt.Errorf("settle what is open: %w", engine.ErrHalted),
							"some":           fmt.Errorf("read records: %w", io.EOF),
						}[c.broke])
						w.beginRun(guests)
						w.stillApart()
						w.ends()
					}
				}
				if c.inside || c.late && i == len(c.edits)-1 {
					w.running, w.runOf = 1, job
				}
				x := th.recs[e.side][0]
				x.held["status"] = append(x.held["status"], held{value: e.word, from: time.Now()})
				w.wrote(x, "status")
			}
			if c.last != "" {
				send(c.last)
			}
			if c.over != "" {
				th.ended = [2]string{cancelled, c.over}
			}
			if c.ours != "" {
				r.held["status"] = append(r.held["status"], held{value: c.ours, from: time.Now()})
			}
			w.compareStatus(th, l.now("status"), r.now("status"), false)
			if got := w.fault != ""; got != c.wrong {
				t.Errorf("got wrong %t (%s), want %t", got, w.fault, c.wrong)
			}
		})
	}
}

// One side goes away from the end that both had, and back to it before that is seen: the
// word of the other alone is new. The desk's stands, and the left's, which may take no
// such step, is shown.
func TestBackToAnEndUnseen(t *testing.T) {
	h := history{seed: 1}
	for c := climateOf(h.seed); !c.stays || c.askFirst || !c.free() || c.sides[record.Right].class != "A" || c.sides[record.Left].silent || c.sides[record.Right].silent; c = climateOf(h.seed) {
		h.seed++
	}
	status := func(side record.Side, word string) step {
		return step{what: doEdit, kind: stays, side: side, field: "status", value: word}
	}
	run, wait := step{what: doRun, kind: stays, yes: true, full: true}, step{what: doWait, d: time.Minute}
	ofGuests := step{what: doRun, kind: guests, yes: true, full: true}
	inside, there := status(record.Left, "cancelled"), status(record.Right, "confirmed")
	inside.at, there.at = 1, 1
	during := status(record.Right, "cancelled")
	during.at = 20
	another := step{what: doPut, kind: stays, n: 1}
	ofAnother := step{what: doHint, kind: stays, n: 1}
	for _, c := range []struct {
		name  string
		edits []step
	}{
		{"the left", []step{status(record.Left, "confirmed"), status(record.Right, "pending"), status(record.Left, "cancelled")}},
		{"the left, in a run of the guests", []step{status(record.Left, "confirmed"), status(record.Right, "confirmed"), inside, ofGuests}},
		{"the left, which went there and back in a run before", []step{
			status(record.Left, "confirmed"), inside, run,
			status(record.Left, "confirmed"), status(record.Right, "pending"), status(record.Left, "cancelled"),
		}},
		{"the desk", []step{status(record.Right, "pending"), status(record.Left, "confirmed"), status(record.Right, "cancelled")}},
		{"the desk, in a run for another", []step{another, status(record.Left, "confirmed"), there, ofAnother, status(record.Right, "cancelled")}},
		{"the desk, in a run that takes what the left shows for late", []step{
			status(record.Right, "pending"), run, wait, status(record.Right, "cancelled"), run,
			status(record.Right, "confirmed"), status(record.Left, "pending"), during, run,
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h.steps = append([]step{
				{what: doPut, kind: stays},
				ofGuests,
				run, wait,
				run, status(record.Left, "cancelled"), run, wait,
			}, c.edits...)
			if wrong, _, _ := play(t, h, ramDir(t), template(t)); wrong != "" {
				t.Error(wrong)
			}
		})
	}
}
