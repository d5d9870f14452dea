package histories

import (
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// opening is when a list was begun.
type opening struct {
	ours   time.Time // by our clock
	theirs time.Time // by that of its system
}

// resumedFor is how old a list may be that a run goes on with, and by which it creates
// what the list does not show.
const resumedFor = time.Hour

// opens notes that a page is asked for, and gives when its list was begun: with this page,
// or with the one that said where this one begins.
func (o *oracle) opens(side record.Side, kind record.Kind, after record.Cursor) opening {
	at, goesOn := o.pages[side][kind][after]
	if !goesOn {
		at = opening{time.Now(), o.clock(side)}
	}
	return at
}

// paged notes that a page of a list was answered, and where it says that the next begins.
func (o *oracle) paged(side record.Side, kind record.Kind, of opening, next record.Cursor) {
	if o.lists[side][kind] = of; next == "" {
		return
	}
	if o.pages[side][kind] == nil {
		o.pages[side][kind] = map[record.Cursor]opening{}
	}
	o.pages[side][kind][next] = of
}

// readSince is since when what a user entered on a side may not be known to the run that
// is on its way, which reads lists: since it began, or since its list was begun, which an
// earlier run may have done.
func (o *oracle) readSince(kind int, side record.Side) opening {
	at := opening{o.begun, o.begun.Add(o.w.late[side])}
	if list := o.lists[side][kinds[kind][side]]; !list.theirs.IsZero() && list.theirs.Before(at.theirs) {
		return list
	}
	return at
}

// createdSince is readSince for a create: a list that was begun long ago allows none.
func (o *oracle) createdSince(kind int, side record.Side) time.Time {
	at := o.readSince(kind, side)
	if o.begun.Sub(at.ours) > resumedFor {
		return o.begun.Add(o.w.late[side])
	}
	return at.theirs
}

// A user enters on the left what is on the right, behind the place to which a list of the
// left was read when it broke off. The run that goes on with it can't know of that, if the
// list is not old; and the runs after it that read no list can't.
func TestEnteredWhileAListWasRead(t *testing.T) {
	const (
		fault  = "thing 0 was made on the left as 000003, and a user had entered it there as 000002"
		broken = record.Cursor("the second page")
	)
	for _, c := range []struct {
		name  string
		list  record.Cursor // where the list of the run begins
		pause time.Duration // since it was begun
		again bool          // the left is read once more before the create
		next  bool          // it is another run that creates, and reads no list
		wrong string
	}{
		{"it goes on with the list", broken, time.Minute, false, false, ""},
		{"it goes on with an old list", broken, 2 * time.Hour, false, false, fault},
		{"it goes on with the list, and reads another", broken, time.Minute, true, false, fault},
		{"it begins a list", "", time.Minute, false, false, fault},
		{"the run before went on with the list", broken, time.Minute, false, true, ""},
		{"the run before went on with an old list", broken, 2 * time.Hour, false, true, ""},
		{"the run before began a list", "", time.Minute, false, true, fault},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, err := newWorld(history{seed: 1}, ramDir(t), template(t))
			if err != nil {
				t.Fatal(err)
			}
			defer w.disk.Close()
			synctest.Test(t, func(t *testing.T) {
				w.c = climate{sides: [2]weather{{class: connectors.ClassD}, {class: connectors.ClassD}}}
				w.begin()
				w.must("open", w.open())
				list := func(after, next record.Cursor) {
					w.paged(record.Left, "contacts", w.opens(record.Left, "contacts", after), next)
				}
				w.put(record.Right, step{})
				w.beginRun(guests)
				list("", broken)
				w.sleep(time.Second)
				w.put(record.Left, step{})
				w.sleep(c.pause)
				w.beginRun(guests)
				list(c.list, "")
				if c.again {
					list("", "")
				}
				if c.next {
					w.endRun(guests, nil, false)
					w.beginRun(guests)
					w.opt.Seen = true
				}
				a, ok := w.conn(record.Left).(connectors.Writer)
				if !ok {
					t.Fatal("it can't be written")
				}
				f := record.Fields{"phone": record.OfText(phoneOf(0)), "full_name": record.OfText("p#0")}
				if _, err := a.Apply(t.Context(), record.Change{ID: "1", Op: record.Create, Ref: record.Ref{Kind: "contacts"}, Fields: f}); err != nil {
					t.Fatal(err)
				}
				if w.fault != c.wrong {
					t.Errorf("the oracle says %q, want %q", w.fault, c.wrong)
				}
				w.must("close", w.close())
			})
		})
	}
}
