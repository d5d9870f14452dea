package proof

import (
	"context"
	"fmt"
	"strings"

	"nightporter/connectors"
	"nightporter/sync/plan"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// Beyond says which records of a side outside of its window or its filter agree with a new record by a match rule,
// "" if none do. about names them.
func (r *Room) Beyond(ctx context.Context, d *run.Draft, side record.Side, keys []record.Key) (why string, about []record.Ref, err error) {
	if some, err := r.AnyUnlinked(ctx, d, side, record.OutOfScope); err != nil || !some {
		return "", nil, err
	}
	es, err := r.store.Outside(ctx, r.Place(side), keys)
	if err != nil || len(es) == 0 {
		return "", nil, err
	}
	names := make([]string, len(es))
	for i, e := range es {
		about, names[i] = append(about, e.Ref), e.Ref.String()
	}
	return fmt.Sprintf("%s of %s may be the same: it agrees by a match rule, and is outside of the days or the filter of the job",
		strings.Join(names, ", "), r.Side(side).System), about, nil
}

// BeyondFilter reports whether a create without an answer may have made a record outside of the filter of its side.
// A record that bears our mark is what it made: that is kept as a finding, and the record is linked once it is
// inside. If a record holds a key of what was sent, a person is asked. If there is any other record outside, a
// person is asked after an hour: a user may have changed the key.
func (r *Room) BeyondFilter(ctx context.Context, in record.Intent) (bool, error) {
	side := in.Place.Side
	b, is := r.Side(side).Conn.(connectors.Beyonder)
	if !r.Side(side).Can.Filtered || !is {
		return false, nil
	}
	if held, err := r.trust.Held(ctx, side); err != nil || held {
		return true, err
	}
	if mark := r.Side(side).Can.Stamp.Path; mark != "" && in.Change.Stamp != "" {
		there, err := r.isBeyond(ctx, side, b, record.Fields{mark: record.OfText(in.Change.Stamp)})
		if there {
			f := run.FindingOf(record.FindUnseen, plan.Action{Side: side, From: in.From, Change: in.Change})
			f.Text = "the answer to a create was lost, and what it made is outside of the filter: it is linked once it is inside"
			r.NoteStanding(f)
		}
		return there, err
	}
	if same, err := r.alikeBeyond(ctx, side, b, in); err != nil {
		return true, err
	} else if same != "" {
		return true, r.Lose(ctx, in, "a record outside of the filter has the same "+same)
	}
	some, err := r.isBeyond(ctx, side, b, nil)
	if err == nil && some && r.Aged(in) {
		err = r.Lose(ctx, in, "records outside of the filter are not read, and one of them may be what was made")
	}
	return some || err != nil, err
}

// alikeBeyond names the match rule by which a record outside of the filter agrees with what was sent, "" for none.
func (r *Room) alikeBeyond(ctx context.Context, side record.Side, b connectors.Beyonder, in record.Intent) (string, error) {
	for _, rule := range r.Job.Match {
		by := r.AlikeAt(side, rule)
		ask := run.Pick(in.Change.Fields, by)
		if len(by) == 0 || len(ask) != len(by) {
			continue
		}
		if there, err := r.isBeyond(ctx, side, b, ask); err != nil || there {
			return run.JoinFields(rule), err
		}
	}
	return "", nil
}

// isBeyond asks a side whether it has a record outside of its filter that holds the values of ask. Without values
// it asks for any record.
func (r *Room) isBeyond(ctx context.Context, side record.Side, b connectors.Beyonder, ask record.Fields) (bool, error) {
	r.Count(side.String()+".finds", 1)
	there, err := b.Beyond(ctx, r.Side(side).Kind, ask)
	if err != nil {
		return false, fmt.Errorf("look beyond the filter: %w", err)
	}
	return there, nil
}

// AnyUnlinked reports whether a side has records without a link in a state. The store is asked once a plan.
func (r *Room) AnyUnlinked(ctx context.Context, d *run.Draft, side record.Side, state record.EntryState) (bool, error) {
	if some, asked := d.Unlinked[side][state]; asked {
		return some, nil
	}
	some, err := r.store.AnyUnlinked(ctx, r.Place(side), state)
	if err != nil {
		return false, err
	}
	if d.Unlinked[side] == nil {
		d.Unlinked[side] = map[record.EntryState]bool{}
	}
	d.Unlinked[side][state] = some
	return some, nil
}
