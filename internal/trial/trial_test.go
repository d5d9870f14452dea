package trial_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/internal/trial"
	"nightporter/sync/record"
)

func text(pairs ...string) record.Fields {
	f := record.Fields{}
	for i := 0; i < len(pairs); i += 2 {
		f[pairs[i]] = record.OfText(pairs[i+1])
	}
	return f
}

// system is one of a kind, with three records in it that are older than any lag.
func system(k memory.Kind) *memory.System {
	s := memory.New(memory.Options{Kinds: map[record.Kind]memory.Kind{"guests": k}})
	for n := range 3 {
		s.PutAs("guests", fmt.Sprint("g", n), text("name", fmt.Sprint("Guest ", n), "notes", "as it was"))
	}
	<-time.After(24 * time.Hour) // of the bubble
	return s
}

func made() trial.Config {
	return trial.Config{Kind: "guests", Fields: text("name", "Test"), Patience: 10 * time.Minute}
}

func changed() trial.Config {
	return trial.Config{Kind: "guests", Fields: text("notes", "a test"), Record: "g1", Patience: 10 * time.Minute}
}

func full() memory.Kind {
	return memory.Kind{Delete: true, Since: true, Times: true, FindBy: [][]string{{"name"}, {"email"}}}
}

// TestLagIsBracketed: of each view the lag lies between the last look that missed the
// write and the first that showed it, for a new record and for a changed one, and all is as
// it was afterwards.
func TestLagIsBracketed(t *testing.T) {
	for name, cfg := range map[string]func() trial.Config{"made": made, "changed": changed} {
		for _, lag := range []time.Duration{0, time.Millisecond, 3 * time.Second, 50 * time.Second, 7 * time.Minute} {
			t.Run(fmt.Sprint(name, " ", lag), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					k := full()
					k.ListLag, k.GetLag, k.FindLag = lag, lag/3, lag/2
					s := system(k)
					was := s.All("guests")
					c := cfg()
					c.Conn = s.Connector()
					rep, err := trial.Run(t.Context(), c)
					if err != nil {
						t.Fatal(err)
					}
					want := map[string]time.Duration{"a read by its id": k.GetLag, "the list": lag, "the list of what changed": lag}
					if name == "made" {
						want["a search by name"] = k.FindLag
					}
					bracketed(t, rep, want)
					if most, all := rep.Lag(); !all || most < lag {
						t.Errorf("in all at most %s, everything shown: %v", most, all)
					}
					<-time.After(time.Hour)
					same(t, s, was)
					if rep.Left != "" {
						t.Errorf("left: %s", rep.Left)
					}
				})
			})
		}
	}
}

func bracketed(t *testing.T, rep trial.Report, want map[string]time.Duration) {
	t.Helper()
	if len(rep.Views) != len(want) {
		t.Errorf("%d views, not %d: %+v", len(rep.Views), len(want), rep.Views)
	}
	for _, v := range rep.Views {
		lag, ok := want[v.Name]
		if !ok || !v.Shown || v.Lost > 0 || v.After < lag || v.Missed >= lag && lag > 0 || (v.Missed >= 0) != (lag > 0) {
			t.Errorf("a lag of %s was measured as %+v", lag, v)
		}
		if v.After > 2*lag+time.Minute+time.Second {
			t.Errorf("a lag of %s was noticed after %s", lag, v.After)
		}
	}
}

func same(t *testing.T, s *memory.System, was []record.Record) {
	t.Helper()
	now := s.All("guests")
	if len(now) != len(was) {
		t.Fatalf("%d records, %d before", len(now), len(was))
	}
	for i := range now {
		if now[i].Ref != was[i].Ref || !now[i].Fields.Equal(was[i].Fields) {
			t.Errorf("%s holds %v, before %v", now[i].Ref.ID, now[i].Fields, was[i].Fields)
		}
	}
}

// TestRefusedBeforeAnythingIsWritten: what can't be made, can't be taken back, reaches a
// person or could not be told is not written at all.
func TestRefusedBeforeAnythingIsWritten(t *testing.T) {
	for _, c := range []struct {
		name string
		kind func(*memory.Kind)
		cfg  func(*trial.Config)
		want string
	}{
		{"no kind", nil, func(c *trial.Config) { c.Kind = "rooms" }, `no kind "rooms"`},
		{"reaches a person", func(k *memory.Kind) { k.Once = []string{"name"} }, nil, "reaches a person"},
		{"nothing named", nil, func(c *trial.Config) { c.Fields = nil }, "--set"},
		{"emptied", nil, func(c *trial.Config) { c.Fields = text("notes", "") }, "--set notes is empty"},
		{"no create", func(k *memory.Kind) { k.NoCreate = true }, nil, "--record"},
		{"no delete", func(k *memory.Kind) { k.Delete = false }, nil, "--keep"},
		{"no update", func(k *memory.Kind) { k.NoUpdate = true }, func(c *trial.Config) { *c = changed() }, "can't be changed"},
		{"no read by id", func(k *memory.Kind) { k.NoGet = true }, func(c *trial.Config) { *c = changed() }, "can't be read by id"},
		{"nobody's id", nil, func(c *trial.Config) { c.Record = "g9" }, "g9"},
		{"nothing there", nil, func(c *trial.Config) { c.Record, c.Fields = "g1", text("email", "a@example.com") }, "holds nothing"},
		{"one like it", nil, func(c *trial.Config) { c.Fields = text("name", "Guest 1") }, "there is a record of this name already, guests g1"},
		{"read only", func(k *memory.Kind) { k.Fields = map[string]connectors.Field{"name": {ReadOnly: true}, "notes": {}} }, nil, "name is never written"},
		{"a status", func(k *memory.Kind) { k.Status = "notes" }, func(c *trial.Config) { *c = changed() }, "a request of its own"},
		{"holds it already", nil, func(c *trial.Config) { c.Record, c.Fields = "g1", text("notes", "as it was") }, "already"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k, cfg := full(), made()
				if c.kind != nil {
					c.kind(&k)
				}
				if c.cfg != nil {
					c.cfg(&cfg)
				}
				s := system(k)
				cfg.Conn = s.Connector()
				rep, err := trial.Run(t.Context(), cfg)
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("got %v", err)
				}
				if n := s.Counts(); n.Mutations != 0 || rep.Left != "" {
					t.Errorf("%d writes, left %q", n.Mutations, rep.Left)
				}
			})
		})
	}
}

// TestUnreadableListIsNotWrittenTo: whoever can't be read is not written to.
func TestUnreadableListIsNotWrittenTo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := system(full())
		s.Inject(memory.Fault{Call: memory.CallFetch, Class: connectors.Transient})
		c := made()
		c.Conn = s.Connector()
		if _, err := trial.Run(t.Context(), c); err == nil || !strings.Contains(err.Error(), "nothing was written") {
			t.Errorf("got %v", err)
		}
		if n := s.Counts().Mutations; n != 0 {
			t.Errorf("%d writes", n)
		}
	})
}

// TestLostAnswer: where no answer came the lists tell whether the record was made. Nothing
// is sent twice, and no record is removed that is ours by its values alone.
func TestLostAnswer(t *testing.T) {
	for name, applied := range map[string]bool{"made": true, "not made": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := full()
				k.ListLag, k.FindBy = 20*time.Second, nil
				s := system(k)
				s.Put("guests", text("name", "Test")) // somebody's
				<-time.After(time.Hour)
				s.Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous, Applied: applied})
				c := made()
				c.Conn = s.Connector()
				rep, err := trial.Run(t.Context(), c)
				if applied && (err != nil || rep.ID == "" || !strings.Contains(rep.Left, rep.ID+" is new") || len(rep.Views) == 0) {
					t.Errorf("got %+v, %v", rep, err)
				}
				if !applied && (err == nil || rep.ID != "" || !strings.Contains(rep.Left, "not known")) {
					t.Errorf("got %+v, %v", rep, err)
				}
				if n := s.Counts().Mutations; n != 1 {
					t.Errorf("%d writes", n)
				}
			})
		})
	}
}

// TestLostChange: a change whose answer was lost is put back; where no read showed it, it may
// still come, and that is said.
func TestLostChange(t *testing.T) {
	for name, applied := range map[string]bool{"made": true, "not made": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := system(full())
				was := s.All("guests")
				s.Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous, Applied: applied})
				c := changed()
				c.Conn = s.Connector()
				rep, err := trial.Run(t.Context(), c)
				if err != nil || (rep.Left == "") != applied {
					t.Errorf("got %+v, %v", rep, err)
				}
				same(t, s, was)
			})
		})
	}
}

// merging takes a new record of a name that is there for the record that has it.
type merging struct{ flaky }

func (m *merging) Apply(ctx context.Context, c record.Change) (record.Record, error) {
	if c.Op == record.Create {
		c.Op, c.Ref.ID = record.Update, "g1"
	}
	return m.flaky.Apply(ctx, c)
}

// TestUpsert: a system that takes a new record for one that is there has that one left
// alone afterwards.
func TestUpsert(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := system(full())
		c := made()
		c.Conn = &merging{flaky{Connector: s.Connector()}}
		rep, err := trial.Run(t.Context(), c)
		if err == nil || !strings.Contains(rep.Left, "g1") || len(s.All("guests")) != 3 {
			t.Errorf("got %+v, %v; %d records", rep, err, len(s.All("guests")))
		}
	})
}

// TestTwinsAreLeft: of two new records of the same values nobody knows which is ours, and
// none is removed.
func TestTwinsAreLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := full()
		k.ListLag = time.Second
		s := system(k)
		s.Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous, Applied: true})
		c := made()
		c.Conn = s.Connector()
		c.Say = func(said string) {
			if strings.Contains(said, "no answer") {
				s.Put("guests", text("name", "Test"))
			}
		}
		rep, err := trial.Run(t.Context(), c)
		if err == nil || rep.Left == "" || len(s.All("guests")) != 5 {
			t.Errorf("got %+v, %v; %d records", rep, err, len(s.All("guests")))
		}
	})
}

// TestGivenUp: who gives up has the record removed all the same, or put back.
func TestGivenUp(t *testing.T) {
	for name, cfg := range map[string]func() trial.Config{"made": made, "changed": changed} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := full()
				k.ListLag = time.Hour
				s := system(k)
				was := s.All("guests")
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				c := cfg()
				c.Conn = s.Connector()
				rep, err := trial.Run(ctx, c)
				if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(rep.Left, "was taken back before the list") {
					t.Errorf("got %+v, %v", rep, err)
				}
				same(t, s, was)
			})
		})
	}
}

// TestTooLate: what no look showed in time is said to be so, and is taken back.
func TestTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := full()
		k.ListLag = time.Hour
		s := system(k)
		was := s.All("guests")
		c := made()
		c.Conn = s.Connector()
		rep, err := trial.Run(t.Context(), c)
		_, all := rep.Lag()
		if err != nil || all || !strings.Contains(rep.Left, "was taken back before the list had shown") {
			t.Errorf("got %+v, %v", rep, err)
		}
		for _, v := range rep.Views {
			if list := strings.HasPrefix(v.Name, "the list"); v.Shown == list || list && v.Missed < 9*time.Minute {
				t.Errorf("%+v", v)
			}
		}
		same(t, s, was)
	})
}

// TestTakenBackNot: what could not be removed is named, with its id.
func TestTakenBackNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := system(full())
		s.Inject(memory.Fault{Call: memory.CallApply, Op: record.Delete, Class: connectors.Rejected})
		c := made()
		c.Conn = s.Connector()
		rep, err := trial.Run(t.Context(), c)
		if err == nil || !strings.Contains(rep.Left, rep.ID) || rep.ID == "" {
			t.Errorf("got %+v, %v", rep, err)
		}
	})
}

// TestEditedMeanwhile: what somebody changed while it was looked at is left as it is, whenever
// that was, whether an answer came to the write, and whether it was made at all.
func TestEditedMeanwhile(t *testing.T) {
	for name, cfg := range map[string]func() trial.Config{"made": made, "changed": changed} {
		for _, after := range []time.Duration{0, 100 * time.Millisecond, 300 * time.Millisecond, 5 * time.Second} {
			for answer, fault := range map[string]*memory.Fault{
				"answered": nil, "lost": {Call: memory.CallApply, Class: connectors.Ambiguous, Applied: true}, "never made": {Call: memory.CallApply, Class: connectors.Ambiguous},
			} {
				if name == "made" && (answer != "answered" || after < 100*time.Millisecond) {
					continue // it is left anyway; and nobody can tell what was never seen otherwise
				}
				t.Run(fmt.Sprint(name, " ", after, " ", answer), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						k := full()
						k.ListLag = 10 * time.Second
						s := system(k)
						if fault != nil {
							s.Inject(*fault)
						}
						c := cfg()
						c.Conn = s.Connector()
						edit := func() {
							id := c.Record
							if id == "" {
								id = "00000001"
							}
							s.Edit("guests", id, text("notes", "by hand"))
						}
						c.Say = func(said string) {
							if strings.Contains(said, "looking for it") || strings.Contains(said, "no answer") {
								time.AfterFunc(after, edit)
							}
						}
						rep, err := trial.Run(t.Context(), c)
						if err == nil || rep.Left == "" {
							t.Errorf("got %+v, %v", rep, err)
						}
						held := 0
						for _, r := range s.All("guests") { // it is there, and holds it
							if r.Fields["notes"].Text() == "by hand" {
								held++
							}
						}
						if held != 1 {
							t.Errorf("%d records hold what was entered by hand", held)
						}
					})
				})
			}
		}
	}
}

// TestKept: what is to be kept is, and the report says so.
func TestKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := full()
		k.Delete = false
		s := system(k)
		c := made()
		c.Conn, c.Keep = s.Connector(), true
		rep, err := trial.Run(t.Context(), c)
		if err != nil || !strings.Contains(rep.Left, rep.ID) || len(s.All("guests")) != 4 {
			t.Errorf("got %+v, %v", rep, err)
		}
	})
}

// flaky shows the write at one read, and not at the next.
type flaky struct {
	connectors.Connector
	gets int
}

func (f *flaky) Get(ctx context.Context, ref record.Ref, scope connectors.Scope) (record.Record, error) {
	if f.gets++; f.gets == 2 || f.gets == 4 {
		return record.Record{}, connectors.Wrong(connectors.NotFound, "get", "another server answers")
	}
	return f.Connector.(connectors.Getter).Get(ctx, ref, scope)
}

func (f *flaky) Apply(ctx context.Context, c record.Change) (record.Record, error) {
	return f.Connector.(connectors.Writer).Apply(ctx, c)
}

// TestSeveralServers: a write that is shown and gone again is not shown yet.
func TestSeveralServers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := full()
		k.FindBy = nil
		s := system(k)
		c := made()
		c.Conn = &flaky{Connector: s.Connector()}
		rep, err := trial.Run(t.Context(), c)
		if err != nil || !rep.Views[0].Shown || rep.Views[0].Lost != 2 || rep.Views[0].After < 3*time.Second {
			t.Errorf("got %+v, %v", rep, err)
		}
	})
}

// scoped notes the scopes that lists are asked for, whole ones and those of what changed.
type scoped struct {
	flaky
	full, since map[string]bool
}

func (s *scoped) Fetch(ctx context.Context, q connectors.Query, after record.Cursor) (connectors.Page, error) {
	scopes := s.full
	if q.Mode == connectors.Since {
		scopes = s.since
	}
	scopes[q.Scope.String()] = true
	return s.flaky.Fetch(ctx, q, after)
}

// TestDaysOfTheRecord: of a kind that is listed by days those of the record are read, whether
// they are written or stand there. What changed is asked for without days.
func TestDaysOfTheRecord(t *testing.T) {
	for name, c := range map[string]trial.Config{
		"made":    {Fields: text("from", "2031-02-01", "to", "2031-02-03T10:00:00Z")},
		"changed": {Fields: text("to", "2031-02-03"), Record: "g1"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := full()
				k.Window, k.FindBy = [2]string{"from", "to"}, nil
				s := system(k)
				s.Edit("guests", "g1", text("from", "2031-02-01", "to", "2031-02-02"))
				<-time.After(time.Hour)
				spy := &scoped{flaky{Connector: s.Connector(), gets: 4}, map[string]bool{}, map[string]bool{}}
				c.Conn, c.Kind, c.Patience = spy, "guests", time.Minute
				if _, err := trial.Run(t.Context(), c); err != nil {
					t.Error(err)
				}
				if len(spy.full) != 1 || !spy.full["2031-02-01..2031-02-03"] || len(spy.since) != 1 || !spy.since[""] {
					t.Errorf("asked for %v, and for what changed in %v", spy.full, spy.since)
				}
			})
		})
	}
}

// TestFlawedList: a list that can't be taken for whole doesn't tell what is new.
func TestFlawedList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := system(full())
		c := made()
		c.Conn = &flawed{flaky{Connector: s.Connector()}}
		if _, err := trial.Run(t.Context(), c); err == nil || !strings.Contains(err.Error(), "can't be taken for whole") || s.Counts().Mutations != 0 {
			t.Errorf("got %v; %d writes", err, s.Counts().Mutations)
		}
	})
}

type flawed struct{ flaky }

func (f *flawed) Fetch(ctx context.Context, q connectors.Query, after record.Cursor) (connectors.Page, error) {
	p, err := f.flaky.Fetch(ctx, q, after)
	p.Flaw = "it ends early"
	return p, err
}

// elsewhere answers a create with the id of something else.
type elsewhere struct {
	flaky
	id string
}

func (e *elsewhere) Apply(ctx context.Context, c record.Change) (record.Record, error) {
	r, err := e.flaky.Apply(ctx, c)
	if c.Op == record.Create {
		r.Ref.ID = e.id
	}
	return r, err
}

// TestSomethingElse: an answer that names a record which does not hold what was written has
// none removed.
func TestSomethingElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := full()
		k.FindBy = nil
		s := system(k)
		c := made()
		c.Conn = &elsewhere{flaky{Connector: s.Connector(), gets: 4}, "g9"}
		c.Say = func(said string) {
			if strings.Contains(said, "looking for it") {
				s.PutAs("guests", "g9", text("name", "Somebody"))
			}
		}
		rep, err := trial.Run(t.Context(), c)
		if err == nil || !strings.Contains(rep.Left, "g9") || len(s.All("guests")) != 5 {
			t.Errorf("got %+v, %v; %d records", rep, err, len(s.All("guests")))
		}
	})
}

// TestTakenBackLater: a system that has no time to take back is asked again.
func TestTakenBackLater(t *testing.T) {
	for name, cfg := range map[string]func() trial.Config{"made": made, "changed": changed} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := system(full())
				was := s.All("guests")
				s.Inject(memory.Fault{Call: memory.CallApply, Skip: 1, Class: connectors.Throttled, RetryAfter: 90 * time.Second})
				s.Inject(memory.Fault{Call: memory.CallApply, Skip: 1, Class: connectors.Transient})
				c := cfg()
				c.Conn = s.Connector()
				rep, err := trial.Run(t.Context(), c)
				if err != nil || rep.Left != "" {
					t.Errorf("got %+v, %v", rep, err)
				}
				same(t, s, was)
			})
		})
	}
}

// TestStillShown: what was removed and is shown all the same is said to be.
func TestStillShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := system(full())
		c := made()
		c.Conn = &keeping{flaky{Connector: s.Connector(), gets: 4}}
		rep, err := trial.Run(t.Context(), c)
		if err != nil || !strings.Contains(rep.Left, "begin no sync before it does") {
			t.Errorf("got %+v, %v", rep, err)
		}
	})
}

// keeping says yes to a removal, and keeps the record.
type keeping struct{ flaky }

func (k *keeping) Apply(ctx context.Context, c record.Change) (record.Record, error) {
	if c.Op == record.Delete {
		return record.Record{Ref: c.Ref}, nil
	}
	return k.flaky.Apply(ctx, c)
}

// TestLongList: a list of very many pages is read once, and what changed since in its place.
func TestLongList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := full()
		k.PageSize = 1
		s := memory.New(memory.Options{Kinds: map[record.Kind]memory.Kind{"guests": k}})
		for n := range 30 {
			s.Put("guests", text("name", fmt.Sprint("Guest ", n)))
		}
		<-time.After(24 * time.Hour)
		c := made()
		c.Conn = s.Connector()
		rep, err := trial.Run(t.Context(), c)
		if err != nil || rep.Pages < 30 || rep.Left != "" {
			t.Errorf("got %+v, %v", rep, err)
		}
		for _, v := range rep.Views {
			if v.Name == "the list" || !v.Shown {
				t.Errorf("%+v", v)
			}
		}
	})
}
