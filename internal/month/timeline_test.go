package month

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"nightporter/simulator"
	"nightporter/state"
	"nightporter/sync/record"
)

// deed is something that is done to the systems or to the daemon, at its time.
type deed struct {
	at   time.Time
	name string
	do   func()
}

func (w *world) said(format string, args ...any) {
	w.story = append(w.story, time.Now().UTC().Format("01-02 15:04:05 ")+fmt.Sprintf(format, args...))
}

func (w *world) later(after time.Duration, name string, do func()) {
	w.todo = append(w.todo, deed{time.Now().Add(after), name, do})
}

// How soon a booking that the daemon was told of is in the PMS, and the look at that.
const (
	promptly = 90 * time.Second
	soon     = "look for a booking"
)

// quarters is how many parts a month is cut into; in each at most one thing is done, so
// that each alarm has one cause.
const quarters = 120

// arrange puts what a month brings on the timeline: some of it on fixed days, the rest
// where there is room.
func (w *world) arrange(length time.Duration) {
	quarter := length / quarters
	at := func(n int) time.Duration {
		return time.Duration(n)*quarter + time.Duration(w.rng.Int64N(int64(quarter/12)))
	}
	most := quarter * 9 / 12
	w.later(at(32), "the platform can't be reached", func() { w.wire.down = true })
	w.later(at(40), "the platform can be reached again", func() {
		w.wire.down = false
		w.later(time.Hour, "all is caught up", func() { w.converge("an outage") })
	})
	w.later(at(52), "the platform's key is another", func() { w.changeKey() })
	w.later(at(52)+most, "the new key is in its file", func() { w.handKey() })
	w.later(at(70), "a column is called otherwise", func() { w.rename("language", "lang") })
	w.later(at(70)+most, "the column is found again", w.mendColumn)
	w.later(at(80), "the state is put back", w.restore)
	w.later(at(104), "the state is put back", w.restore)
	var free []int
	for n := 2; n < quarters; n++ {
		if n < 31 || n > 41 && n != 52 && n != 70 && n != 80 && n != 104 {
			free = append(free, n)
		}
	}
	w.rng.Shuffle(len(free), func(i, j int) { free[i], free[j] = free[j], free[i] })
	for i, n := range free[:28] {
		gap := time.Duration(w.rng.Int64N(int64(most)))
		switch {
		case i < 5:
			w.later(at(n), "stopped", func() { w.stop(); w.later(gap, "started", w.start) })
		case i < 12:
			w.later(at(n), "killed", func() { w.strike(); w.later(gap, "started", w.start) })
		case i < 12+len(faults): // each of them once
			w.later(at(n), "trouble", func() { w.trouble(faults[i-12], gap) })
		default:
			w.later(at(n), "trouble", func() { w.trouble(pick(w.rng, faults), gap) })
		}
	}
}

// strike kills the daemon while it has work to do.
func (w *world) strike() {
	for range 3 {
		w.happen()
	}
	w.kill(1+w.rng.IntN(24), 4*time.Minute)
}

// changeKey has the platform know another key than the daemon.
func (w *world) changeKey() {
	w.locked = true
	w.sim.SetKeys(map[string]simulator.Key{"new-key": {}})
}

// handKey puts the new key where the daemon looks for it.
func (w *world) handKey() {
	w.write("platform.key", "new-key")
	w.locked = false
}

func (w *world) rename(from, to string) {
	w.exec(`ALTER TABLE guests RENAME COLUMN ` + from + ` TO ` + to)
	w.language = to
}

// mendColumn gives the column its name back.
func (w *world) mendColumn() { w.rename("lang", "language") }

// restore loses the state file in the middle of work and puts the last copy of it back.
func (w *world) restore() {
	w.converge("all that came before a restore")
	for range 6 { // neither the bookings nor their guests will be known
		w.voiceOf(w.stranger())
		w.events++
	}
	w.pass(25 * time.Minute)
	w.voice()
	w.editPerson(0)
	w.newGuest()
	w.editPerson(1)
	w.voice()
	w.events += 5
	w.kill(1+w.rng.IntN(24), 4*time.Minute)
	copies, err := filepath.Glob(filepath.Join(w.path("backups"), "*"))
	if err != nil || len(copies) == 0 {
		w.t.Fatalf("there is no copy to put back: %v", err)
	}
	slices.Sort(copies)
	last := copies[len(copies)-1]
	w.stateFile = w.path(fmt.Sprintf("restored-%d.db", w.lives))
	_, err = state.Restore(context.Background(), last, w.stateFile, false, time.Now())
	if err != nil {
		w.t.Fatalf("put %s back: %v", last, err)
	}
	copied := w.log.last("state file copied")
	if since := copied.Add(-3 * time.Hour); copied.After(w.healed) || since.Before(w.backup) {
		w.backup = since
	} // or else the copy was made of a state that had not yet learnt again what it lost by the restore before
	w.healed = time.Now().Add(26 * time.Hour)
	for _, s := range w.stays {
		s.metAnew = true
		for _, v := range []*value{&s.arrival, &s.departure} {
			if v.at.After(w.backup) { // the edit that the copy does not know meets what stands across
				v.or = append(v.or, v.before)
			}
		}
	}
	now := w.see()
	for _, p := range w.people {
		if len(now.comparePerson(p)) == 0 {
			continue
		}
		for _, v := range []*value{&p.given, &p.family, &p.email, &p.language} {
			if v.at.After(w.backup) { // of two edits only one may be known, and one alone may meet what stands across
				v.or = append(v.or, v.before)
			}
		}
	}
	// Bookings can be read again before their guests can.
	gap := time.Duration(w.rng.Int64N(int64(time.Hour)))
	w.met = time.Now().Add(gap + 4*time.Hour)
	w.trouble(simulator.Fault{Kind: simulator.FaultStatus, Path: "/contacts", Status: 503}, gap+45*time.Minute)
	w.later(gap, "started", w.start)
}

// converge waits, with no new events, until both sides are as they ought to be.
func (w *world) converge(after string) {
	w.t.Helper()
	var wrong []string
	for range 50 {
		if wrong = w.compare(); len(wrong) == 0 {
			return
		}
		w.pass(5 * time.Minute)
	}
	w.t.Errorf("%s: not caught up with %s:\n\t%s", time.Now().UTC().Format("01-02 15:04"), after, list(wrong))
}

// rough says that something is the matter: nobody can say how soon a booking arrives.
func (w *world) rough() bool {
	local := time.Now().In(w.zone)
	quiet := local.Hour() == 2 || local.Hour() == 3
	return w.life == nil || w.wire.down || w.troubles > 0 || w.locked || w.language != "language" || quiet || time.Now().Before(w.healed) ||
		time.Now().Before(w.wire.throttled)
}

// soon looks whether a booking that the daemon was told of is in the PMS, or refused,
// long before the next list would show it. A time in which anything was the matter does
// not count.
func (w *world) soon(h hint) {
	calm, life := w.calm, w.life
	if h.is.Ref.Kind != "reservations" || w.rough() {
		return
	}
	at := w.see()
	i := slices.IndexFunc(w.stays, func(s *stay) bool { return s.id == h.is.Ref.ID })
	if i < 0 || !w.stays[i].voice || len(at.compareStay(w.stays[i])) == 0 {
		return
	}
	s := w.stays[i]
	w.later(promptly, soon, func() {
		if w.rough() || calm != w.calm || life != w.life {
			return
		}
		quick := len(w.see().compareStay(s)) == 0
		if !quick && len(w.waiting()) > 0 { // a guard may hold it, until the house has looked
			return
		}
		w.prompt[count(quick)]++
	})
}

// faults is how the platform may misbehave, each in a way that a good client has to bear.
var faults = []simulator.Fault{
	{Kind: simulator.FaultThrottle, Probability: .5, RetryForm: simulator.RetrySeconds, RetryAfter: 20 * time.Second},
	{Kind: simulator.FaultStatus, Status: 503, Probability: .3},
	{Kind: simulator.FaultStatus, Status: 500, Probability: .2, Applied: true},
	{Kind: simulator.FaultDropBefore, Probability: .2},
	{Kind: simulator.FaultDropAfter, Method: "write", Probability: .5},
	{Kind: simulator.FaultLate504, Method: "write", Probability: .5, Delay: 90 * time.Second},
	{Kind: simulator.FaultTruncated, Probability: .1},
	{Kind: simulator.FaultHTML, Probability: .1},
	{Kind: simulator.FaultLatency, Delay: 5 * time.Second},
	{Kind: simulator.FaultListLag, Delay: 12 * time.Minute}, // longer than from list to list, less than the configuration's settle
}

// trouble has the platform misbehave for a while. What the desk and the assistant enter
// within the minutes by which a list lags are two bookings to whoever reads it: no such
// booking is entered while it does, nor right before.
func (w *world) trouble(f simulator.Fault, lasts time.Duration) {
	lags := f.Kind == simulator.FaultListLag
	if lags && slices.ContainsFunc(w.stays, func(s *stay) bool { return !s.voice && !w.log.knows("reservations", s.born) }) {
		w.later(5*time.Minute, "trouble", func() { w.trouble(f, lasts) })
		return
	}
	w.lagging = w.lagging || lags
	w.said("trouble: %s %d", f.Kind, f.Status)
	id := w.sim.AddFault(f)
	w.troubles++
	w.later(lasts, "trouble over", func() {
		w.sim.RemoveFault(id)
		w.troubles--
		w.lagging = w.lagging && !lags
		w.eased = time.Now()
	})
	if lags { // what is written now is not in the next list
		for at := time.Duration(0); at < lasts; at += lasts/6 + 1 {
			w.later(at, "a guest edited at the desk", func() { w.events += count(w.editPerson(record.Right)) })
		}
	}
}

// pass lets time pass with everything that is on the timeline but new events.
func (w *world) pass(d time.Duration) { w.until(time.Now().Add(d), 0) }

// until lets time pass, with an event every so often; 0 is none.
func (w *world) until(end time.Time, every time.Duration) {
	wait := func() time.Time {
		if every == 0 {
			return end.Add(time.Hour)
		}
		return time.Now().Add(time.Duration(w.rng.ExpFloat64() * float64(every)))
	}
	next := wait()
	for {
		at := end
		if next.Before(at) {
			at = next
		}
		for _, d := range w.todo {
			if d.at.Before(at) {
				at = d.at
			}
		}
		for _, h := range w.hints {
			if h.at.Before(at) {
				at = h.at
			}
		}
		w.sleep(time.Until(at))
		w.deliver()
		w.due()
		w.answer()
		if !next.After(time.Now()) {
			w.hush()
			w.happen()
			next = wait()
		}
		if !time.Now().Before(end) {
			return
		}
	}
}

// answer has the house say yes to what guards hold: after an outage of two days there are
// more cancellations than a guard lets through unasked, and all of them are meant. Of what
// differs after a restore the desk's word counts.
func (w *world) answer() {
	if w.life == nil || time.Since(w.asked) < 30*time.Minute {
		return
	}
	w.asked = time.Now()
	w.inState(func(ctx context.Context, s *state.Store) error {
		open, err := s.Questions(ctx, "", true)
		for _, c := range open {
			if err == nil && c.Choice == "" && c.Link != 0 && c.Field != "" {
				w.said("answered: %s of %s as the desk has it", c.Field, c.Binding)
				err = s.Choose(ctx, c.ID, "right", record.Value{}, time.Now())
			}
		}
		return err
	})
	for _, set := range w.waiting() {
		if set.Choice != "" {
			continue
		}
		w.said("approved: %s of %s", set.Risk, set.Binding)
		w.approved++
		w.inState(func(ctx context.Context, s *state.Store) error {
			_, err := s.DecideStage(ctx, set.Set, record.Approved, "the night porter", time.Time{}, time.Now())
			return err
		})
	}
}

// waiting is the sets that guards hold, and those that were approved and are not done.
func (w *world) waiting() (sets []record.Stage) {
	w.inState(func(ctx context.Context, s *state.Store) (err error) {
		sets, err = s.Stages(ctx, "", false)
		return err
	})
	return sets
}

// inState does something in the daemon's state file, as the commands do.
func (w *world) inState(do func(context.Context, *state.Store) error) {
	ctx := context.Background()
	s, err := state.Open(ctx, w.life.State, state.Options{SkipCheck: true})
	if err != nil {
		w.t.Fatalf("open the state: %v", err)
	}
	defer s.Close()
	if err := do(ctx, s); err != nil {
		w.t.Errorf("state: %v", err)
	}
}

// due does what is on the timeline.
func (w *world) due() {
	i := slices.IndexFunc(w.todo, func(d deed) bool { return !d.at.After(time.Now()) })
	if i < 0 {
		return
	}
	d := w.todo[i]
	w.todo = slices.Delete(w.todo, i, i+1)
	if d.name == soon { // only a look: it upsets nobody
		d.do()
		return
	}
	w.calm++
	w.hush()
	if w.life == nil && d.name != "started" { // one thing after the other
		w.later(time.Minute, d.name, d.do)
		return
	}
	w.said("%s", d.name)
	d.do()
}

// deliver calls the daemon as the platform does. While none runs, calls are lost.
func (w *world) deliver() {
	var later []hint
	for _, h := range w.hints {
		switch {
		case h.at.After(time.Now()):
			later = append(later, h)
		case w.life != nil:
			h.is.At = time.Now()
			if err := w.life.Daemon.Hint(context.Background(), []record.Hint{h.is}); err != nil {
				w.t.Errorf("hint: %v", err)
			}
			w.soon(h)
		}
	}
	w.hints = later
}

// hush waits until the daemon is not between a look at a record and the write to it:
// where a system checks no version, an edit in that moment can't be saved.
func (w *world) hush() {
	for w.wire.flying > 0 || time.Now().Before(w.wire.calm) || time.Now().Before(w.wire.throttled) {
		w.sleep(time.Second)
		if w.wire.down {
			return
		}
	}
}
