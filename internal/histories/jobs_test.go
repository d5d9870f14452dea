package histories

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"strings"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/mapping"
	"nightporter/sync/merge"
	"nightporter/sync/plan"
	"nightporter/sync/plan/away"
	"nightporter/sync/plan/guard"
	"nightporter/sync/record"
)

var (
	systems = [2]record.System{"one", "two"}
	jobs    = [2]record.Binding{guests: "guests", stays: "stays"}
	kinds   = [2][2]record.Kind{guests: {"contacts", "people"}, stays: {"bookings", "reservations"}}
	// fields are the canonical ones that are written as texts.
	fields = [2][]string{guests: {"phone", "full_name", "note", "mail"}, stays: {"arrival", "departure", "status", "notes"}}
)

// path is how a side calls a field.
func path(side record.Side, field string) string {
	switch {
	case side == record.Left:
		return field
	case field == "note":
		return theirMore + "." + field
	}
	return "their_" + field
}

// theirMore is the part of a record of the right that its note is in.
const theirMore = "their_more"

// kindOf is one kind of one system.
func (w *world) kindOf(side record.Side, kind int) memory.Kind {
	c := w.c.sides[side]
	k := memory.Kind{
		PageSize: c.pageSize, Order: memory.Order(c.order), Total: c.total, EndByEmpty: c.endEmpty,
		Versions: c.versions, Counting: c.counting, Still: c.versions && w.odds(side, oddStill) > 0, Guarded: c.guarded, Times: true, Silent: c.silent, Since: c.since, ListLag: c.lag, FindLag: c.lag,
		NewID: w.newID, Delete: w.c.gone[side] == away.GoneDelete,
	}
	if c.keyset {
		k.Paging = memory.Keyset
	}
	k.Fields = map[string]connectors.Field{}
	for _, f := range fields[kind] {
		k.Fields[path(side, f)] = connectors.Field{}
	}
	if kind == stays {
		for _, f := range [2][]string{{"guest_phone", "guest_name"}, {"their_guest_id"}}[side] {
			k.Fields[f] = connectors.Field{}
		}
		if c.action {
			k.Status = path(side, "status")
		}
		return w.oddKind(side, kind, memory.ClassKind(k, c.class))
	}
	phone := []string{path(side, "phone")}
	if c.unique {
		k.Unique = [][]string{phone}
	}
	if c.lossy {
		k.Normalise = map[string]func(record.Value) record.Value{path(side, "note"): func(v record.Value) record.Value {
			if v.Type() != record.Text {
				return v
			}
			return record.OfText(lossy(v.Text()))
		}}
	}
	return w.oddKind(side, kind, memory.ClassKind(k, c.class, phone))
}

// lossy is what a lossy system makes of a text.
func lossy(s string) string { return strings.ToLower(s[:min(len(s), 6)]) }

// newID deals out ids, none of them twice: not after a system was restored, either.
func (w *world) newID(int) string {
	w.ids++
	return idOf(w.ids)
}

// engine puts an engine together, as a new process does.
func (w *world) build() error {
	stores, err := engine.StoresOf(w.store)
	if err != nil {
		return err
	}
	w.eng = &engine.Engine{House: engine.House{
		Stores: stores, Jobs: map[record.Binding]*engine.Job{}, Install: "histories",
		NewID: func() string { w.ulids++; return "U" + idOf(w.ulids) },
		Log:   slog.New(slog.DiscardHandler), Step: w.step, Draw: draws(w.seed),
		Pause: func(_ context.Context, d time.Duration) error { w.sleep(d); return nil },
	}}
	for kind := range w.kinds() {
		j, err := w.job(kind)
		if err != nil {
			return err
		}
		w.eng.Jobs[jobs[kind]] = j
	}
	return nil
}

// kinds is how many kinds there are.
func (w *world) kinds() int {
	if w.c.stays {
		return 2
	}
	return 1
}

// job puts one job together.
func (w *world) job(kind int) (*engine.Job, error) {
	m := w.mappings[kind]
	j := &engine.Job{
		Binding: jobs[kind], Mapping: m, Match: matches[kind], Zone: time.UTC, AskFirst: w.c.askFirst,
		Guards: w.c.guards, FullEvery: 24 * time.Hour, MaxField: 100_000,
		Rules: plan.Rules{Mapping: m, Skew: -1, Merge: w.rules(kind, m)},
	}
	switch w.plant {
	case plantNoGuard:
		j.Guards.Creates = guard.Limit{}
	case plantNoAsking:
		j.AskFirst = false
	}
	if kind == stays {
		j.References = []engine.Reference{{Field: "guest", Binding: jobs[guests], Sides: record.Sides, Wait: 24 * time.Hour}}
		j.Booking = &engine.Booking{
			Authority: record.Right, Status: "status", Refused: "rejected", Pending: "pending", First: "arrival", Last: "departure",
			Dead: []string{"cancelled", "rejected", "no_show"},
		}
		j.Rules.Day, j.Rules.Urgent, j.Rules.Status = "arrival", 10, "status"
	}
	for _, side := range record.Sides {
		can := w.kindOf(side, kind)
		conn := w.conn(side)
		d, err := conn.Describe(context.Background())
		if err != nil {
			return nil, err
		}
		desc := d.Kinds[kinds[kind][side]]
		wait := settle
		if w.plant == plantNoSettle {
			wait = time.Millisecond
		}
		j.Sides[side] = engine.Side{System: systems[side], Kind: kinds[kind][side], Conn: conn, Can: desc, Create: engine.Always, Gone: w.gone(side, kind), Settle: wait}
		j.Rules.Kinds[side] = plan.Kind{System: systems[side], Kind: kinds[kind][side], Status: can.Status}
	}
	w.oddJob(kind, j)
	return j, nil
}

// aside is the address that a contact is given that is put aside.
const aside = "aside@example.com"

// gone is what becomes of a side's record when the one across is gone. Nothing sets a
// booking aside: its status goes by rules of its own.
func (w *world) gone(side record.Side, kind int) engine.GoneRule {
	rule := engine.GoneRule{Policy: w.c.gone[side]}
	switch {
	case rule.Policy == away.GoneArchive && kind == stays:
		rule.Policy = away.GoneHold
	case rule.Policy == away.GoneArchive:
		rule.Archive = record.Fields{path(side, "mail"): record.OfText(aside)}
	}
	return rule
}

// rules is how the fields of a kind are merged.
func (w *world) rules(kind int, m *mapping.Mapping) []merge.Rule {
	rule := func(f string, p merge.Policy) merge.Rule {
		return merge.Rule{Field: f, Policy: p, Clear: w.c.clear[f], Same: func(l, r record.Value) bool { return m.Same(f, l, r) }}
	}
	if kind == guests {
		var rs []merge.Rule
		for _, f := range fields[guests] {
			rs = append(rs, rule(f, w.c.policies[f]))
		}
		rs[0].Required, rs[1].Required = true, true // nobody is without a phone and a name
		return rs
	}
	status := rule("status", merge.Rules)
	if status.Machine = merge.Stay(record.Right); w.plant == plantRevive {
		status.Policy = merge.LeftWins
	}
	arrival, departure := rule("arrival", w.c.policies["arrival"]), rule("departure", w.c.policies["arrival"])
	arrival.Group, departure.Group = "stay", "stay"
	return []merge.Rule{rule("guest", merge.RightWins), arrival, departure, status, rule("notes", merge.RightWins)}
}

var matches = [2][][]string{guests: {{"phone"}}, stays: {{"guest", "arrival", "departure"}}}

// words is how the left system calls a status. It has fewer words than there are.
var words = []mapping.EnumRow{
	{Word: "pending", Sides: [2][]string{{"PENDING"}, {"pending"}}},
	{Word: "confirmed", Sides: [2][]string{{"CONFIRMED", "APPROVED"}, {"confirmed"}}},
	{Word: "cancelled", Sides: [2][]string{{"CANCELLED"}, {"cancelled"}}},
	{Word: "rejected", Sides: [2][]string{{"REJECTED"}, {"rejected"}}},
	{Word: "checked_in", Sides: [2][]string{{"CONFIRMED"}, {"checked_in"}}},
	{Word: "completed", Sides: [2][]string{{"COMPLETED"}, {"completed"}}},
	{Word: "no_show", Sides: [2][]string{{"CANCELLED"}, {"no_show"}}},
}

// word is how a side says a status.
func word(side record.Side, status string) string {
	for _, row := range words {
		if row.Word == status {
			return row.Sides[side][0]
		}
	}
	return status
}

// compiled are the mappings of both jobs. They are never changed, and so are made once
// for all histories.
func compiled() (ms [2]*mapping.Mapping, err error) {
	for kind := range ms {
		spec := mapping.Spec{Systems: [2]string{"one", "two"}, Match: matches[kind], Zone: time.UTC}
		for _, f := range fields[kind] {
			fs := mapping.FieldSpec{Name: f, Sides: [2]mapping.SideSpec{{Path: path(record.Left, f)}, {Path: path(record.Right, f)}}}
			switch f {
			case "phone":
				fs.As, fs.Region = mapping.Phone, []string{"IT"}
			case "arrival", "departure":
				fs.As, fs.Together = mapping.Date, "stay"
			case "status":
				fs.As, fs.Table = mapping.Enum, words
			}
			fs.Required = f == "phone" || f == "full_name"
			spec.Fields = append(spec.Fields, fs)
		}
		if kind == stays {
			spec.Fields = append(spec.Fields, mapping.FieldSpec{
				Name: "guest", As: mapping.Reference, Refer: string(jobs[guests]), Sides: [2]mapping.SideSpec{
					{Parts: map[string]string{mapping.PartPhone: "guest_phone", mapping.PartName: "guest_name"}},
					{Parts: map[string]string{mapping.PartID: "their_guest_id"}},
				},
			})
		}
		if ms[kind], err = mapping.Compile(spec); err != nil {
			return ms, err
		}
	}
	return ms, nil
}

// draws is where samples are drawn from.
func draws(seed uint64) func(int) int { return rand.New(rand.NewPCG(seed, 3)).IntN }
