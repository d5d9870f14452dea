package engine_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/state"
	"nightporter/sync/engine"
	"nightporter/sync/mapping"
	"nightporter/sync/merge"
	"nightporter/sync/plan"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

const stayJob = record.Binding("stays")

// stayKinds is the bookings of both systems of an hostel.
var stayKinds = [2]record.Kind{"bookings", "stays"}

// hostel is two systems with guests, and with stays that name their guest by an id.
type hostel struct {
	*testing.T
	sys    [2]*memory.System
	store  *state.Store
	eng    *engine.Engine
	ids    int
	guests map[string][2]string // ids by name
	booked map[string][2]string
}

// hostelOf is an hostel of which a guest, or a stay, goes by these rules when the one across is gone.
// Its right system can be asked for stays by any field if it finds.
func hostelOf(t *testing.T, guest, stay away.GonePolicy, finds bool) *hostel {
	t.Helper()
	return laggingHostel(t, guest, stay, finds, 0)
}

// laggingHostel is one of which the lists, and the answers to questions, lag.
func laggingHostel(t *testing.T, guest, stay away.GonePolicy, finds bool, lag time.Duration) *hostel {
	t.Helper()
	n := &hostel{T: t, guests: map[string][2]string{}, booked: map[string][2]string{}}
	ctx := context.Background()
	for _, side := range record.Sides {
		n.sys[side] = memory.New(memory.Options{Kinds: map[record.Kind]memory.Kind{
			kinds[side]: {Fields: map[string]connectors.Field{"phone": {}, "name": {}}, Delete: true, ListLag: lag, FindLag: lag},
			fairRows:    {Fields: map[string]connectors.Field{"phone": {}, "name": {}}, Delete: true},
			stayKinds[side]: {
				Fields: map[string]connectors.Field{"guest_id": {}, "guest_phone": {}, "guest_name": {}, "day": {}, "room": {}}, Delete: true,
				FindAny: finds && side == record.Right,
			},
		}})
	}
	var err error
	if n.store, err = state.Open(ctx, state.Memory, state.Options{SkipCheck: true}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = n.store.Close() })
	n.eng = &engine.Engine{House: engine.House{
		Stores: storesOf(n, n.store), Jobs: map[record.Binding]*engine.Job{}, Install: "test",
		NewID: func() string { n.ids++; return fmt.Sprintf("%026d", n.ids) },
		Log:   slog.New(slog.DiscardHandler),
	}}
	plainField := func(f string, as string) mapping.FieldSpec {
		return mapping.FieldSpec{Name: f, As: as, Sides: [2]mapping.SideSpec{{Path: f}, {Path: f}}}
	}
	phone := plainField("phone", mapping.Phone)
	phone.Region = []string{"IT"}
	guestID := map[string]string{mapping.PartID: "guest_id"}
	name := plainField("name", mapping.Text)
	name.Name = "full_name"
	n.job(job, kinds, guest, [][]string{{"phone"}}, phone, name)
	n.job(stayJob, stayKinds, stay, [][]string{{"guest", "day"}}, mapping.FieldSpec{
		Name: "guest", As: mapping.Reference, Refer: string(job), Sides: [2]mapping.SideSpec{{Parts: guestID}, {Parts: guestID}},
	}, plainField("day", mapping.Date), plainField("room", mapping.Text))
	n.eng.Jobs[stayJob].References = []engine.Reference{{Field: "guest", Binding: job, Sides: record.Sides, Wait: 240 * time.Hour}}
	return n
}

func (n *hostel) job(b record.Binding, kinds [2]record.Kind, gone away.GonePolicy, match [][]string, fields ...mapping.FieldSpec) {
	n.Helper()
	ctx := context.Background()
	if err := n.store.Register(ctx, b, [2]record.System{"one", "two"}, kinds, nil); err != nil {
		n.Fatal(err)
	}
	m, err := mapping.Compile(mapping.Spec{Systems: [2]string{"one", "two"}, Zone: time.UTC, Match: match, Fields: fields})
	if err != nil {
		n.Fatal(err)
	}
	j := &engine.Job{
		Binding: b, Mapping: m, Match: match, Zone: time.UTC, MaxField: 2000, FullEvery: 24 * time.Hour,
		Rules: plan.Rules{Mapping: m, Skew: -1},
	}
	for _, f := range fields {
		j.Rules.Merge = append(j.Rules.Merge, merge.Rule{Field: f.Name, Policy: merge.RightWins})
	}
	for _, side := range record.Sides {
		conn := n.sys[side].Connector()
		d, err := conn.Describe(ctx)
		if err != nil {
			n.Fatal(err)
		}
		name := record.System([]string{"one", "two"}[side])
		j.Sides[side] = engine.Side{
			System: name, Kind: kinds[side], Conn: conn, Can: d.Kinds[kinds[side]], Create: engine.Always,
			Gone: engine.GoneRule{Policy: gone}, Settle: settle,
		}
		j.Rules.Kinds[side] = plan.Kind{System: name, Kind: kinds[side]}
	}
	n.eng.Jobs[b] = j
}

// guest and stay enter a record on the right.
func (n *hostel) guest(name, phone string) string {
	return n.sys[record.Right].Put(kinds[record.Right], record.Fields{"name": record.OfText(name), "phone": record.OfText(phone)})
}

func (n *hostel) stay(side record.Side, guest, day, room string) string {
	return n.sys[side].Put(stayKinds[side], record.Fields{"guest_id": record.OfText(guest), "day": record.OfText(day), "room": record.OfText(room)})
}

// of is the id of the record of a side that holds a value.
func (n *hostel) of(side record.Side, kind record.Kind, field, value string) string {
	for _, r := range n.sys[side].All(kind) {
		if r.Fields[field].Text() == value {
			return r.Ref.ID
		}
	}
	return ""
}

// sync runs the jobs as `sync` does, guests first.
func (n *hostel) sync() map[record.Binding]engine.Report {
	n.Helper()
	return n.syncAnd(func() {})
}

// syncAnd does something after each job.
func (n *hostel) syncAnd(after func()) map[record.Binding]engine.Report {
	n.Helper()
	out := map[record.Binding]engine.Report{}
	for _, b := range []record.Binding{job, stayJob} {
		<-time.After(time.Second)
		rep, err := n.eng.Run(context.Background(), b, engine.Options{Yes: true, Full: true})
		if err != nil {
			n.Fatalf("run %s: %v", b, err)
		}
		out[b] = rep
		after()
	}
	return out
}

// rest lets all settle.
func (n *hostel) rest() {
	n.Helper()
	for range 4 {
		<-time.After(time.Minute)
		n.sync()
	}
}

// open is the question about a guest, if one is open.
func (n *hostel) open() (record.Question, bool) {
	n.Helper()
	cs, err := n.store.Questions(context.Background(), job, true)
	if err != nil {
		n.Fatal(err)
	}
	i := slices.IndexFunc(cs, func(c record.Question) bool { return c.Field == engine.RecordField })
	if i < 0 {
		return record.Question{}, false
	}
	return cs[i], true
}

func (n *hostel) say(c record.Question, choice away.GoneChoice) {
	n.Helper()
	if err := n.store.Choose(context.Background(), c.ID, "value", record.OfText(string(choice)), time.Now()); err != nil {
		n.Fatal(err)
	}
}

// full is an hostel with two guests, and a stay of each, in step.
func fullHostel(t *testing.T, guest, stay away.GonePolicy, finds bool) *hostel {
	t.Helper()
	n := hostelOf(t, guest, stay, finds)
	anna, bruno := n.guest("Anna", phoneOf(1)), n.guest("Bruno", phoneOf(2))
	n.stay(record.Right, anna, "2027-01-10", "101")
	n.stay(record.Right, bruno, "2027-01-11", "102")
	n.rest()
	if got := len(n.sys[record.Left].All(stayKinds[record.Left])); got != 2 {
		t.Fatalf("the left has %d bookings, want both", got)
	}
	return n
}

// A contact is removed together with his booking, and the desk has just entered a new stay for
// him: he is not deleted there, whether the desk's system can be asked for his stays or not. A
// person is asked, and told which stay names him.
func TestAGuestOfANewStayStays(t *testing.T) {
	for _, finds := range []bool{false, true} {
		for _, late := range []bool{false, true} {
			t.Run(fmt.Sprintf("finds %t, entered while guests are deleted %t", finds, late), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					n := fullHostel(t, away.GoneDelete, away.GoneDelete, finds)
					bruno := n.of(record.Right, kinds[record.Right], "name", "Bruno")
					n.sys[record.Left].Remove(stayKinds[record.Left], n.of(record.Left, stayKinds[record.Left], "room", "102"))
					n.sys[record.Left].Remove(kinds[record.Left], n.of(record.Left, kinds[record.Left], "name", "Bruno"))
					enter := func() { n.stay(record.Right, bruno, "2027-02-01", "new") }
					if late { // the stays were read since, and nobody names him any more
						n.sync()
						if finds {
							enter()
						} else {
							enter()
							if _, err := n.eng.Run(context.Background(), stayJob, engine.Options{Yes: true, Full: true}); err != nil {
								t.Fatal(err)
							}
						}
					} else {
						enter()
					}
					rep := n.sync()
					if n.of(record.Right, kinds[record.Right], "name", "Bruno") == "" {
						t.Fatalf("the guest of a new stay was deleted: %+v", rep[job].Notes)
					}
					n.rest()
					if n.of(record.Right, kinds[record.Right], "name", "Bruno") == "" {
						t.Fatal("the guest of a new stay was deleted")
					}
					c, ok := n.open()
					id := n.of(record.Right, stayKinds[record.Right], "room", "new")
					if want := fmt.Sprintf("people:%s is named by stays:%s", bruno, id); !ok || !strings.Contains(c.Why, want) {
						t.Fatalf("asked is %t %q %q, want %q", ok, c.Cause, c.Why, want)
					}
					if n.of(record.Right, stayKinds[record.Right], "room", "102") != "" {
						t.Error("the stay of the booking that was removed is there still")
					}
					n.sys[record.Right].Remove(stayKinds[record.Right], id)
					n.rest()
					if n.of(record.Right, kinds[record.Right], "name", "Bruno") != "" {
						t.Error("nobody names the guest any more, and he stands")
					}
				})
			})
		}
	}
}

// Two guests are one at the desk now: the stay was given to the one that is left. The contact of
// the other goes once the booking that names it was moved and seen moved, and not before, and
// nobody is asked.
func TestAContactGoesOnceItsBookingIsMoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := fullHostel(t, away.GoneDelete, away.GoneDelete, true)
		left, right := record.Left, record.Right
		anna := n.of(right, kinds[right], "name", "Anna")
		n.sys[right].Edit(stayKinds[right], n.of(right, stayKinds[right], "room", "102"), record.Fields{"guest_id": record.OfText(anna)})
		n.sys[right].Remove(kinds[right], n.of(right, kinds[right], "name", "Bruno"))
		booking, contact := n.of(left, stayKinds[left], "room", "102"), n.of(left, kinds[left], "name", "Bruno")
		n.sys[left].Inject(memory.Fault{Call: memory.CallApply, Kind: stayKinds[left], Class: connectors.Transient, Times: 3}) // it is moved later
		for range 8 {
			n.syncAnd(func() {
				if n.of(left, stayKinds[left], "guest_id", contact) == booking && n.of(left, kinds[left], "name", "Bruno") == "" {
					t.Fatal("the booking names a contact that is not there")
				}
			})
			<-time.After(settle)
			if c, ok := n.open(); ok {
				t.Fatalf("a person is asked: %s", c.Why)
			}
		}
		if n.of(left, kinds[left], "name", "Bruno") != "" {
			t.Error("the contact is there still")
		}
	})
}

// A person said that a contact is to go, too, while nobody named him. A booking for him came
// since: they are asked again, and told of it. Said again, it counts.
func TestAnAnswerCountsForWhomItNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := fullHostel(t, away.GoneHold, away.GoneDelete, false)
		left, right := record.Left, record.Right
		contact := n.of(left, kinds[left], "name", "Bruno")
		n.sys[right].Remove(stayKinds[right], n.of(right, stayKinds[right], "room", "102"))
		n.sys[right].Remove(kinds[right], n.of(right, kinds[right], "name", "Bruno"))
		n.rest()
		c, ok := n.open()
		if !ok || c.Cause != record.Cause(away.AskGone) {
			t.Fatalf("asked is %t %q %q", ok, c.Cause, c.Why)
		}
		n.say(c, away.ChooseCarry)
		booking := n.stay(left, contact, "2027-03-01", "new")
		if _, err := n.eng.Run(context.Background(), stayJob, engine.Options{Yes: true, Full: true}); err != nil {
			t.Fatal(err)
		}
		n.rest()
		if n.of(left, kinds[left], "name", "Bruno") == "" {
			t.Fatal("the contact of a new booking was deleted by an answer of before")
		}
		c, ok = n.open()
		if want := fmt.Sprintf("contacts:%s is named by bookings:%s", contact, booking); !ok || c.Choice != "" || !strings.Contains(c.Why, want) {
			t.Fatalf("asked is %t %q %q, want %q", ok, c.Choice, c.Why, want)
		}
		n.say(c, away.ChooseCarry)
		n.rest()
		if n.of(left, kinds[left], "name", "Bruno") != "" {
			t.Error("the contact stands, though a person said that it goes with the booking known")
		}
	})
}

// What a plan says that a person is to decide, they are asked.
func TestAPlanSendsNobodyToAQuestionThatIsNotThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := fullHostel(t, away.GoneDelete, away.GoneDelete, true)
		left, right := record.Left, record.Right
		n.stay(right, n.of(right, kinds[right], "name", "Bruno"), "2027-02-01", "new")
		n.sys[left].Remove(kinds[left], n.of(left, kinds[left], "name", "Bruno"))
		for range 5 {
			rep := n.sync()
			<-time.After(settle)
			_, asked := n.open()
			for _, note := range rep[stayJob].Notes {
				if strings.Contains(note.Why, "nightporter conflicts") && !asked {
					t.Fatalf("nobody is asked, and it says %q", note.Why)
				}
			}
		}
		if _, asked := n.open(); !asked {
			t.Error("nobody is asked in the end")
		}
	})
}

// A booking is made at the desk, and no answer came. Its guest is removed across: he is not deleted
// at the desk before it is known whether the booking is there, and then a person is asked.
func TestAGuestOfAStayWithoutAnAnswerStays(t *testing.T) {
	for _, finds := range []bool{false, true} {
		for _, c := range []struct {
			op   record.Op
			made bool
		}{{record.Create, true}, {record.Create, false}, {record.Update, true}, {record.Update, false}} {
			t.Run(fmt.Sprintf("finds %t, %+v", finds, c), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					n := fullHostel(t, away.GoneDelete, away.GoneDelete, finds)
					there := n.of(record.Left, kinds[record.Left], "name", "Bruno")
					n.sys[record.Left].Remove(kinds[record.Left], there)
					n.sys[record.Left].Remove(stayKinds[record.Left], n.of(record.Left, stayKinds[record.Left], "room", "102"))
					runs := 0
					n.syncAnd(func() {
						if runs++; runs == 1 {
							if c.op == record.Create {
								n.stay(record.Left, there, "2027-02-01", "new")
							} else {
								n.sys[record.Left].Edit(stayKinds[record.Left], n.of(record.Left, stayKinds[record.Left], "room", "101"), record.Fields{"guest_id": record.OfText(there), "room": record.OfText("new")})
							}
							n.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Kind: stayKinds[record.Right], Op: c.op, Class: connectors.Ambiguous, Applied: c.made})
						}
					})
					if in, err := n.store.Unsettled(context.Background(), stayJob); err != nil || len(in) != 1 {
						t.Fatalf("got %d changes without an answer, %v", len(in), err)
					}
					rep := n.sync()
					if n.of(record.Right, kinds[record.Right], "name", "Bruno") == "" {
						t.Fatalf("the guest of a stay that may be there was deleted: %+v", rep[job].Notes)
					}
					n.rest()
					if n.of(record.Right, stayKinds[record.Right], "room", "new") != "" && n.of(record.Right, kinds[record.Right], "name", "Bruno") == "" {
						t.Fatal("the guest of a stay was deleted")
					}
				})
			})
		}
	}
}

// byPhone has the bookings of the left name their guest by phone.
func (n *hostel) byPhone() {
	n.Helper()
	n.byPhoneAnd([][]string{{"guest", "day"}})
}

// byPhoneAnd does so, and has the stays matched by these fields.
func (n *hostel) byPhoneAnd(match [][]string) {
	n.Helper()
	refs := n.eng.Jobs[stayJob].References
	n.job(stayJob, stayKinds, away.GoneHold, match,
		mapping.FieldSpec{Name: "guest", As: mapping.Reference, Refer: string(job), Sides: [2]mapping.SideSpec{
			{Parts: map[string]string{mapping.PartPhone: "guest_phone"}}, {Parts: map[string]string{mapping.PartID: "guest_id"}},
		}},
		mapping.FieldSpec{Name: "day", As: mapping.Date, Sides: [2]mapping.SideSpec{{Path: "day"}, {Path: "day"}}},
		mapping.FieldSpec{Name: "room", As: mapping.Text, Sides: [2]mapping.SideSpec{{Path: "room"}, {Path: "room"}}})
	n.eng.Jobs[stayJob].References = refs
}

// A guest is removed on the left and entered anew there, with his phone. As long as a person is asked
// what becomes of the old one, his phone names the new one on the left: a stay of the old one waits.
// It was made there beside the same stay that was entered for the new one. Where nobody else has his
// phone, it names him.
func TestAStayWaitsWhereItsGuestsPhoneNamesAnother(t *testing.T) {
	for _, anew := range []bool{true, false} {
		t.Run(fmt.Sprintf("entered anew %t", anew), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := hostelOf(t, away.GoneHold, away.GoneHold, false)
				n.byPhone()
				anna, bruno := n.guest("Anna", phoneOf(1)), n.guest("Bruno", phoneOf(2))
				n.stay(record.Right, anna, "2027-01-10", "101")
				n.rest()
				left := n.sys[record.Left]
				left.Remove(kinds[record.Left], n.of(record.Left, kinds[record.Left], "name", "Bruno"))
				if anew {
					left.Put(kinds[record.Left], record.Fields{"name": record.OfText("Bruno"), "phone": record.OfText(phoneOf(2))})
					left.Put(stayKinds[record.Left], record.Fields{
						"guest_phone": record.OfText(phoneOf(2)), "day": record.OfText("2027-02-01"), "room": record.OfText("new"),
					})
				}
				n.sys[record.Right].Edit(kinds[record.Right], bruno, record.Fields{"name": record.OfText("Bruno B")})
				n.stay(record.Right, bruno, "2027-02-01", "new")
				n.rest()
				if _, asked := n.open(); !asked {
					t.Fatal("nobody is asked what becomes of the guest")
				}
				if got := len(left.All(stayKinds[record.Left])); got != 2 {
					t.Errorf("the left has %d stays, want the one of before and one new", got)
				}
				if got := len(n.sys[record.Right].All(stayKinds[record.Right])); got != 2 {
					t.Errorf("the right has %d stays, want the one of before and one new", got)
				}
			})
		})
	}
}
