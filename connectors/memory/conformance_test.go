package memory_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/connectortest"
	"nightporter/connectors/memory"
	"nightporter/sync/record"
)

// sample is the i-th guest.
func sample(i int) record.Fields {
	return record.Fields{
		"name":    record.OfText(fmt.Sprintf("Guest No. %d", i)),
		"phone":   record.OfText(fmt.Sprintf("+39055500%04d", i)),
		"email":   record.OfText(fmt.Sprintf("guest%d@example.test", i)),
		"arrival": record.OfText("2031-03-15"), "departure": record.OfText("2031-03-16"),
		"notes": record.Nothing(),
	}
}

// lower is what a system does that keeps addresses in small letters.
func lower(v record.Value) record.Value {
	if v.Type() != record.Text {
		return v
	}
	return record.OfText(strings.ToLower(v.Text()))
}

// clock is a time that moves when it is told to.
type clock struct{ ns atomic.Int64 }

func (c *clock) now() time.Time              { return time.Unix(1_900_000_000, c.ns.Load()).UTC() }
func (c *clock) advance(d time.Duration)     { c.ns.Add(int64(d)) }
func newSystem(k memory.Kind) *memory.System { s, _ := timed(k); return s }

func timed(k memory.Kind) (*memory.System, *clock) {
	c := &clock{}
	return memory.New(memory.Options{Account: "house", Kinds: map[record.Kind]memory.Kind{"guests": k}, Now: c.now}), c
}

// subject is a kind as the suite wants it.
func subject(k memory.Kind) func(testing.TB) connectortest.Subject {
	k.Ahead = 4
	return func(testing.TB) connectortest.Subject {
		s, c := timed(k)
		sub := connectortest.Subject{
			Kind:   "guests",
			Open:   func(testing.TB) connectors.Connector { return s.Connector() },
			Put:    func(_ testing.TB, f record.Fields) string { return s.Put("guests", f) },
			Sample: sample,
			Text:   "notes",
			PutAs: func(_ testing.TB, id string, f record.Fields) bool {
				s.PutAs("guests", id, f)
				return true
			},
			Edit: func(t testing.TB, id string, f record.Fields) {
				if !s.Edit("guests", id, f) {
					t.Fatalf("edit %s: there is no such record", id)
				}
			},
			Remove: func(t testing.TB, id string) {
				if !s.Remove("guests", id) {
					t.Fatalf("remove %s: there is no such record", id)
				}
			},
			Mutations: func() int { return s.Counts().Mutations },
			Tick:      func() { c.advance(time.Minute) },
			Status:    record.OfText("confirmed"),
			Later:     map[bool]string{true: "room"}[len(k.ListHides) > 0],
			Refused:   sample(50).With(record.Fields{"arrival": record.OfText("full")}),
		}
		if len(k.Contents) > 0 {
			uploaded(&sub, s)
		}
		return sub
	}
}

// uploaded is what is done about contents that the system has.
func uploaded(sub *connectortest.Subject, s *memory.System) {
	sub.Stored = func(_ testing.TB, id, path string) (record.Body, bool) {
		b, ok := s.Content("guests", id, path)
		sum := sha256.Sum256(b)
		return record.Body{Digest: hex.EncodeToString(sum[:]), Size: int64(len(b))}, ok
	}
	sub.Lose = func(testing.TB) {
		s.Inject(memory.Fault{Call: memory.CallApply, Op: record.Create, Class: connectors.Ambiguous, Applied: true})
	}
	sub.Finish = func(_ testing.TB, id string, failed bool) {
		s.Edit("guests", id, record.Fields{"status": record.OfText(map[bool]string{true: "failed", false: "ready"}[failed])})
	}
}

// status is how far the system is with a record: none stands there until it is ready.
func status(shown record.Fields) *record.Unfinished {
	switch shown["status"].Text() {
	case "ready":
		return nil
	case "failed":
		return &record.Unfinished{Within: time.Hour, Failed: "the text could not be read"}
	}
	return &record.Unfinished{Within: time.Hour}
}

// fields is a strict list of what sample holds.
func fields() map[string]connectors.Field {
	return map[string]connectors.Field{
		"name": {}, "phone": {}, "email": {}, "arrival": {}, "departure": {}, "notes": {MaxRunes: 12_000}, "room": {ReadOnly: true},
		"status": {},
	}
}

// kinds are the option sets that the suite is told about.
func kinds() map[string]memory.Kind {
	phone, email := []string{"phone"}, []string{"email"}
	full := memory.Kind{
		Fields: fields(), PageSize: 7, Paging: memory.Keyset, Total: true, Delete: true, FindBy: [][]string{phone, {"email", "name"}},
		Unique: [][]string{phone, email}, Required: []string{"name", "phone"}, Versions: true, Guarded: true, Times: true,
		Since: true, Status: "status", Stamp: connectors.Stamp{Path: "reference", Find: true, Unique: true},
		Normalise: map[string]func(record.Value) record.Value{"email": lower}, Window: [2]string{"arrival", "departure"},
		Accept: func(_ []record.Record, r record.Record) bool { return r.Fields["arrival"].Text() != "full" },
	}
	lagging := full
	lagging.ListLag, lagging.GetLag, lagging.FindLag = 30*time.Second, 20*time.Second, 30*time.Second
	sets := map[string]memory.Kind{
		"plain":       {PageSize: 7},
		"full":        full,
		"lagging":     lagging,
		"silent":      {PageSize: 7, Silent: true, Times: true, Since: true, FindAny: true},
		"read only":   {PageSize: 7, NoCreate: true, NoUpdate: true, NoGet: true},
		"no get":      {PageSize: 7, NoGet: true, FindAny: true, Versions: true},
		"clamped":     {PageSize: 7, Clamp: 7, EndByEmpty: true, Total: true},
		"one a page":  {PageSize: 1, Paging: memory.Keyset},
		"by name":     {PageSize: 7, Paging: memory.Keyset, Order: memory.ByField, OrderField: "name"},
		"no update":   {PageSize: 7, NoUpdate: true, Idempotent: true},
		"changed":     {PageSize: 7, Paging: memory.Keyset, Order: memory.Changed, Times: true, Since: true},
		"latest":      {PageSize: 7, Order: memory.ChangedDesc, Times: true},
		"latest keys": {PageSize: 7, Paging: memory.Keyset, Order: memory.ChangedDesc},
		"newest id":   {PageSize: 7, Paging: memory.Keyset, Order: memory.IDDesc},
		"rewrites":    {PageSize: 7, Fields: fields(), Rewrites: true, Status: "status", Idempotent: true, KeyLife: time.Hour},
	}
	late := memory.Kind{PageSize: 7, Fields: fields(), ListHides: []string{"room"}, Unfinished: func(shown record.Fields) *record.Unfinished {
		if shown["room"].Text() != "" {
			return nil
		}
		return &record.Unfinished{Lacks: []string{"room"}, Within: time.Hour}
	}}
	sets["unfinished"] = late
	files := map[string]connectors.Limits{"file": {MaxBytes: 2 << 20, Media: []string{"text/markdown", "application/pdf"}}, "picture": {}}
	sets["contents"] = memory.Kind{PageSize: 7, Contents: files, Unfinished: status, Stamp: connectors.Stamp{Path: "reference", Find: true}, FindBy: [][]string{phone}}
	sets["contents once"] = memory.Kind{PageSize: 7, Contents: files, Unfinished: status, Idempotent: true, NoUpdate: true, Silent: true, Fields: fields()}
	for _, class := range []connectors.Class{"A", "B", "C", "D", "E"} {
		sets["class "+string(class)] = memory.ClassKind(memory.Kind{PageSize: 7}, class, phone)
	}
	return sets
}

func TestConformance(t *testing.T) {
	for name, k := range kinds() {
		t.Run(name, func(t *testing.T) { connectortest.Run(t, subject(k)) })
	}
}
