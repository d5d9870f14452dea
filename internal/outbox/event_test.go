package outbox

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"nightporter/sync/record"
)

var at = time.Date(2026, 11, 21, 9, 30, 0, 123e6, time.UTC)

// secretly is a value that must never be in an event that nobody asked values for.
const secretly = "Ada Lovelace"

// happening is something that happened to a job of reservations; the rooms are left.
func happening(seq int64, with func(*record.Happening)) record.Happening {
	h := record.Happening{
		Seq: seq, Binding: "stays", At: at.Add(time.Duration(seq) * time.Second), Systems: [2]record.System{"pms", "platform"},
		Refs: [2]record.Ref{{Kind: "reservations", ID: "1042"}, {Kind: "bookings", ID: "r_77"}},
	}
	with(&h)
	return h
}

func changed(side record.Side, op record.Op) func(*record.Happening) {
	return func(h *record.Happening) {
		h.What, h.Key = "change", "01J"
		h.Change = &record.Intent{
			ID: "01J", Run: 7, Place: record.Place{Binding: h.Binding, Side: side},
			Change: record.Change{Op: op, Fields: record.Fields{"n": record.OfText(secretly)}},
			Fields: []record.FieldReason{
				{Field: "status", Before: record.OfText(secretly), After: record.OfText("confirmed"), Loser: record.OfText(secretly), Reason: secretly},
				{Field: "guest", After: record.OfText(secretly)},
			},
			Reason: secretly,
		}
	}
}

func conflicted(h *record.Happening) {
	h.What, h.Key = "question", "12"
	h.Question = &record.Question{Subject: record.Subject{Link: 4, Field: "guest"}, ID: 12, Run: 7, Left: record.OfText(secretly), Right: record.OfText("Bo"), Base: record.OfText(secretly), Why: secretly}
}

func halted(h *record.Happening) {
	h.What, h.Key = "question", "3"
	h.Question = &record.Question{Subject: record.Subject{Side: record.Right}, ID: 3, Run: 8, Cause: "empty", Why: "platform shows none of 40", Next: "nightporter sync stays"}
}

func guarded(h *record.Happening) {
	h.What, h.Key = "held", "5b0c2f1e"
	h.Held = &record.Stage{Size: 11, Question: record.Question{
		Subject: record.Subject{Side: record.Right, Set: "5b0c2f1e", Risk: "cancel"}, Binding: h.Binding, Cause: "cancels", Run: 8,
		Why: "11 records would be cancelled or rejected in platform: guards.cancels lets 10 go in a run", Expires: at.AddDate(0, 0, 7),
	}}
}

func ended(run int64, o record.Outcome, read ...record.Side) func(*record.Happening) {
	return func(h *record.Happening) {
		h.What, h.Key = "run", "9"
		h.Ended = &record.Run{ID: run, Binding: h.Binding, Outcome: o, Ended: h.At, Error: secretly, Counts: record.Counts{}}
		for _, side := range read {
			h.Ended.Counts[side.String()+".pages"] = 2
		}
	}
}

func rulesOf(topic Topic) Rules {
	return Rules{Install: "abcdefgh", Topics: map[string]Topic{"n8n": topic}, Rooms: map[record.Binding]record.Side{"stays": record.Left}, Plain: map[record.Binding]bool{"stays": true}}
}

func dataOf(t *testing.T, e record.Event) map[string]any {
	t.Helper()
	var data map[string]any
	if err := json.Unmarshal(e.Data, &data); err != nil {
		t.Fatal(err)
	}
	return data
}

// What is told of each thing that happens, and with which data.
func TestTell(t *testing.T) {
	pms := map[string]any{"system": "pms", "kind": "reservations", "id": "1042"}
	platform := map[string]any{"system": "platform", "kind": "bookings", "id": "r_77"}
	change := func(text, op string, to, from any) map[string]any {
		return map[string]any{
			"text": text, "job": "stays", "run": 7.0, "change": "01J", "op": op, "to": to, "from": from,
			"changed": []any{"guest", "status"}, "fields": map[string]any{},
		}
	}
	for _, tt := range []struct {
		name string
		what func(*record.Happening)
		want map[record.EventType]map[string]any
	}{
		{"an update", changed(record.Right, record.Update), map[record.EventType]map[string]any{
			"pushed": change("stays: update of bookings:r_77 in platform (guest, status)", "update", platform, pms),
		}},
		{"a reservation entered where the rooms are", changed(record.Left, record.Create), map[record.EventType]map[string]any{
			"pushed":            change("stays: create of reservations:1042 in pms (guest, status)", "create", pms, platform),
			"reservation_taken": change("stays: a reservation of platform was entered in pms as reservations:1042", "create", pms, platform),
		}},
		{"a reservation shown to the other side", changed(record.Right, record.Create), map[record.EventType]map[string]any{
			"pushed": change("stays: create of bookings:r_77 in platform (guest, status)", "create", platform, pms),
		}},
		{"a question", conflicted, map[record.EventType]map[string]any{"conflict": {
			"text": "stays: a person is asked about guest (conflict 12)", "job": "stays", "run": 7.0, "conflict": 12.0, "field": "guest",
			"left": pms, "right": platform, "command": "nightporter conflicts show 12", "fields": map[string]any{},
		}}},
		{"changes that a guard holds", guarded, map[record.EventType]map[string]any{"held": {
			"text": "stays: a guard holds changes to platform until a person decides: 11 records would be cancelled or rejected in platform: guards.cancels lets 10 go in a run",
			"job":  "stays", "run": 8.0, "held": "5b0c2f1e", "system": "platform", "changes": 11.0,
			"why":     "11 records would be cancelled or rejected in platform: guards.cancels lets 10 go in a run",
			"expires": "2026-11-28T09:30:00.123Z", "command": "nightporter staged 5b0c2f1e",
		}}},
		{"a halt", halted, map[record.EventType]map[string]any{"halt": {
			"text": "stays: halted: platform shows none of 40", "job": "stays", "run": 8.0, "halt": "empty", "system": "platform",
			"why": "platform shows none of 40", "command": "nightporter sync stays",
		}}},
		{"a failed run", ended(9, record.Failed), map[record.EventType]map[string]any{"failed": {
			"text": "stays: run 9 failed", "job": "stays", "run": 9.0, "command": "nightporter runs 9",
		}}},
		{"a good run", ended(9, record.Done), map[record.EventType]map[string]any{}},
		{"what the journal has lost", func(*record.Happening) {}, map[record.EventType]map[string]any{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			told, err := Tell(rulesOf(Topic{}), []record.Happening{happening(5, tt.what)}, nil)
			if err != nil || told.Through != 5 {
				t.Fatalf("got %+v, %v", told, err)
			}
			got := map[record.EventType]map[string]any{}
			for _, e := range told.Events {
				got[e.Type] = dataOf(t, e)
				if e.Destination != "n8n" || e.Binding != "stays" || !e.At.Equal(at.Add(5*time.Second)) || !strings.HasPrefix(e.ID, "evt_") {
					t.Errorf("got event %+v", e)
				}
				if strings.Contains(string(e.Data), secretly) {
					t.Errorf("a value that nobody asked for goes along: %s", e.Data)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}

// Values go along for fields that were asked for, and for no others.
func TestFieldsThatWereAskedFor(t *testing.T) {
	for _, tt := range []struct {
		what   func(*record.Happening)
		fields []string
		want   any
	}{
		{changed(record.Right, record.Update), []string{"status"}, map[string]any{"status": "confirmed"}},
		{changed(record.Right, record.Update), []string{"arrival"}, map[string]any{}},
		{conflicted, []string{"guest"}, map[string]any{"guest": map[string]any{"left": secretly, "right": "Bo"}}},
		{conflicted, []string{"status"}, map[string]any{}},
		{func(h *record.Happening) { // what a job keeps digests of has no values
			conflicted(h)
			h.Question.Left = record.Value{}
		}, []string{"guest"}, map[string]any{"guest": map[string]any{"right": "Bo"}}},
	} {
		told, err := Tell(rulesOf(Topic{Fields: tt.fields}), []record.Happening{happening(1, tt.what)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, dataOf(t, told.Events[0])["fields"]); diff != "" {
			t.Errorf("fields %v (-want +got):\n%s", tt.fields, diff)
		}
	}
}

// Of a job that keeps digests no value goes along, whatever was asked for: events are made
// while its run goes on, before what it wrote is made digests of. Nor of one that is unknown.
func TestSealedJobs(t *testing.T) {
	for _, what := range []func(*record.Happening){changed(record.Right, record.Update), changed(record.Left, record.Create), conflicted} {
		rules := rulesOf(Topic{Fields: []string{"guest", "status"}})
		rules.Plain = map[record.Binding]bool{"others": true}
		told, err := Tell(rules, []record.Happening{happening(1, what)}, nil)
		if err != nil || len(told.Events) == 0 {
			t.Fatalf("%d events, %v", len(told.Events), err)
		}
		for _, e := range told.Events {
			if strings.Contains(string(e.Data), secretly) || strings.Contains(string(e.Data), "confirmed") {
				t.Errorf("a value goes along: %s", e.Data)
			}
		}
	}
}

// Who asked for what is told that, whatever others asked for.
func TestTopics(t *testing.T) {
	rules := rulesOf(Topic{About: []record.EventType{record.HaltedEvent}})
	rules.Topics["desk"] = Topic{Jobs: []record.Binding{"guests"}}
	rules.Topics["all"] = Topic{}
	told, err := Tell(rules, []record.Happening{happening(1, halted), happening(2, conflicted)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range told.Events {
		got = append(got, e.Destination+" "+string(e.Type))
	}
	if diff := cmp.Diff([]string{"all halt", "n8n halt", "all conflict"}, got); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	if told.Events[0].ID != told.Events[1].ID || told.Events[0].ID == told.Events[2].ID {
		t.Errorf("one thing has ids %s and %s, another %s", told.Events[0].ID, told.Events[1].ID, told.Events[2].ID)
	}
}

// One row of failed runs is told once, and once that it is over.
func TestRunsThatFail(t *testing.T) {
	l, r := record.Left, record.Right
	type run struct {
		after time.Duration
		o     record.Outcome
		read  []record.Side
		want  string
	}
	for name, runs := range map[string][]run{
		"good ones": {{0, record.Done, []record.Side{l, r}, ""}, {time.Minute, record.Waits, []record.Side{l, r}, ""}},
		"a row": {
			{0, record.Failed, nil, "failed"},
			{time.Minute, record.Failed, nil, ""},
			{time.Minute, record.Failed, nil, ""},
			{time.Minute, record.Waits, []record.Side{l, r}, "recovered 3"},
			{time.Minute, record.Done, []record.Side{l, r}, ""},
			{time.Minute, record.Failed, nil, "failed"},
		},
		"one side is away and the other is read": {
			{0, record.Failed, nil, "failed"},
			{time.Minute, record.Done, []record.Side{l}, "recovered 1"}, // for all that is known it was this side
			{time.Minute, record.Failed, []record.Side{l}, "failed"},
			{time.Minute, record.Done, []record.Side{l}, ""},
			{time.Minute, record.Failed, []record.Side{l}, ""},
			{time.Minute, record.Done, []record.Side{l}, ""},
			{time.Minute, record.Done, []record.Side{r}, "recovered 2"},
		},
		"it does not fail any more": {
			{0, record.Failed, []record.Side{l}, "failed"},
			{29 * time.Minute, record.Done, []record.Side{l}, ""},
			{time.Minute, record.Done, []record.Side{l}, "recovered 1"},
		},
		"runs of single records": {
			{0, record.Failed, nil, "failed"},
			{time.Second, record.Done, nil, "recovered 1"},
		},
		"a halt in between": {
			{0, record.Failed, nil, "failed"},
			{time.Minute, record.Halted, []record.Side{l, r}, ""},
			{time.Minute, record.Broken, []record.Side{l, r}, ""},
			{time.Minute, record.Done, []record.Side{l, r}, "recovered 1"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			failing, when := map[record.Binding]*record.Failing{}, at
			for i, x := range runs {
				when = when.Add(x.after)
				h := happening(int64(i), ended(int64(i), x.o, x.read...))
				h.Ended.Ended = when
				told, err := Tell(rulesOf(Topic{}), []record.Happening{h}, failing)
				if err != nil {
					t.Fatal(err)
				}
				maps.Copy(failing, told.Failing)
				maps.DeleteFunc(failing, func(_ record.Binding, f *record.Failing) bool { return f == nil })
				got := ""
				for _, e := range told.Events {
					got = string(e.Type)
					if n, ok := dataOf(t, e)["failed_runs"].(float64); ok {
						got += " " + string(rune('0'+int(n)))
					}
				}
				if got != x.want {
					t.Fatalf("run %d: told %q, want %q", i, got, x.want)
				}
			}
		})
	}
}

// Laws: however what happened is cut into pieces, and if a piece is told again because
// nobody knows whether it was kept, the same events with the same ids come of it, one of
// a type for one thing, in the order in which it happened.
func TestTellInPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kinds := []func(*record.Happening){
			changed(record.Left, record.Create), changed(record.Right, record.Update), conflicted, guarded, halted,
			ended(1, record.Failed), ended(2, record.Done, record.Left, record.Right),
		}
		var all []record.Happening
		for i := range rapid.IntRange(0, 30).Draw(t, "n") {
			h := happening(int64(i+1), kinds[rapid.IntRange(0, len(kinds)-1).Draw(t, "kind")])
			h.Key = string(rune('a' + i)) // another thing each
			all = append(all, h)
		}
		whole, err := Tell(rulesOf(Topic{}), all, nil)
		if err != nil {
			t.Fatal(err)
		}
		var pieces []record.Event
		failing := map[record.Binding]*record.Failing{}
		for rest := all; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "piece")
			told, err := Tell(rulesOf(Topic{}), rest[:n], failing)
			if err != nil {
				t.Fatal(err)
			}
			if rapid.Bool().Draw(t, "killed") {
				continue
			}
			pieces = append(pieces, told.Events...)
			maps.Copy(failing, told.Failing)
			rest = rest[n:]
		}
		if diff := cmp.Diff(whole.Events, pieces); diff != "" {
			t.Fatalf("in pieces (-whole +pieces):\n%s", diff)
		}
		ids := map[string]bool{}
		for i, e := range whole.Events {
			if ids[e.ID] {
				t.Fatalf("two things have the id %s", e.ID)
			}
			ids[e.ID] = true
			if i > 0 && e.At.Before(whole.Events[i-1].At) {
				t.Fatal("not in the order in which it happened")
			}
		}
	})
}

// An id is of one thing: of another installation, moment or row it is another.
func TestIDs(t *testing.T) {
	h := happening(1, halted)
	other := []record.Happening{h, h, h, h}
	other[0].At, other[1].Key, other[2].Binding, other[3].What = at, "4", "guests", "conflict"
	ids := []string{idOf("a", h, record.HaltedEvent), idOf("b", h, record.HaltedEvent), idOf("a", h, record.Pushed)}
	for _, o := range other {
		ids = append(ids, idOf("a", o, record.HaltedEvent))
	}
	slices.Sort(ids)
	if len(slices.Compact(ids)) != 7 {
		t.Errorf("got ids %v, want seven", ids)
	}
	again := h
	again.Seq, again.Refs = 99, [2]record.Ref{}
	if idOf("a", h, record.HaltedEvent) != idOf("a", again, record.HaltedEvent) {
		t.Error("the same thing has another id when it is told again")
	}
}
