package trust

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"nightporter/connectors"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// A field that a system shows no more, because it was renamed there or its API is
// another one now, looks like one that this list happens to leave out: nothing is cleared
// for it, and nothing comes across any more either. What tells it: most rows of its lists
// showed it, and many records that had it lost it at once.

// fieldsTrait is the name under which it is remembered what a side's lists show.
const fieldsTrait = "fields"

// fewUnshown is how many records may always lose a field at once.
const fewUnshown = 4

// shownFields is what is known of the mapped fields in a side's lists.
type shownFields struct {
	Shown    []string `json:"shown,omitempty"`    // most rows showed them
	Accepted []string `json:"accepted,omitempty"` // they lost them since, and a person let that go
}

func (r *Room) shownFields(ctx context.Context, side record.Side) (f shownFields, text string, err error) {
	known, err := r.store.Witnessed(ctx, r.Place(side))
	if err != nil || known[fieldsTrait].Value == "" {
		return f, "", err
	}
	text = known[fieldsTrait].Value
	if err := known[fieldsTrait].Read(&f); err != nil {
		return f, text, fmt.Errorf("read which fields %s shows: %w", r.Side(side).System, err)
	}
	return f, text, nil
}

// Watched is the mapped fields that a whole list of a side should show.
func (r *Room) Watched(ctx context.Context, side record.Side, mode connectors.Mode) ([]string, error) {
	if mode != connectors.Full || r.Job.Unshown <= 0 {
		return nil, nil
	}
	f, _, err := r.shownFields(ctx, side)
	mapped := r.Job.Mapping.Paths(side)
	return slices.DeleteFunc(f.Shown, func(p string) bool { return !slices.Contains(mapped, p) }), err
}

// StoodBefore reports whether the job stood before a halt when this run began.
func (r *Room) StoodBefore(name record.Cause, side record.Side) bool {
	return slices.ContainsFunc(r.OpenHalts, func(h record.Question) bool { return h.Cause == name && h.Side == side })
}

// FieldsGone stops the job if a list that was read whole, proven so or not, does not show a field any more that its
// records had, unless a person let that go.
func (r *Room) FieldsGone(ctx context.Context, side record.Side) error {
	n, before := r.Noticed[side], r.EarlierParts[side]
	if len(n.Showed)+len(before.Showed) == 0 || r.Job.Unshown <= 0 {
		return nil
	}
	rows := n.Looked + before.Rows
	paths := slices.Sorted(maps.Keys(n.Without))
	for path := range before.Lost {
		if !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	f, text, err := r.shownFields(ctx, side)
	if err != nil {
		return err
	}
	var gone []string
	lost := 0
	for _, path := range paths {
		nums := n.Without[path]
		if slices.Contains(f.Accepted, path) || !r.tooMany(len(nums)+before.Lost[path], rows) {
			continue
		}
		had, err := r.ThatHad(ctx, path, nums)
		if err != nil {
			return err
		}
		had += before.Lost[path]
		if r.tooMany(had, rows) {
			gone, lost = append(gone, path), max(lost, had)
		}
	}
	slices.Sort(gone)
	h, said := r.AnsweredHalt(HaltSchema, side)
	if len(gone) > 0 && (!said || !within(gone, h.Rests.On)) {
		r.standUnshown(side, gone, lost)
		return nil
	}
	f.Accepted = append(f.Accepted, gone...)
	return r.rememberFields(ctx, side, f, text)
}

// tooMany reports whether so many of a list's rows are more than may lose a field.
func (r *Room) tooMany(n, rows int) bool { return n > fewUnshown && n*100 > r.Job.Unshown*rows }

func within(part, whole []string) bool {
	return !slices.ContainsFunc(part, func(p string) bool { return !slices.Contains(whole, p) })
}

// ThatHad counts the linked records among entries that were known with a field. It
// stays known of them: not shown is not cleared.
func (r *Room) ThatHad(ctx context.Context, path string, nums []int64) (had int, err error) {
	nums = slices.Compact(slices.Sorted(slices.Values(nums)))
	for part := range slices.Chunk(nums, run.Batch) {
		es, err := r.store.Entries(ctx, part)
		if err != nil {
			return 0, err
		}
		for _, e := range es {
			if e.Link != 0 && (e.Base[path].Known() || e.Last()[path].Observed()) {
				had++
			}
		}
	}
	return had, nil
}

func (r *Room) standUnshown(side record.Side, gone []string, lost int) {
	s, names := r.Side(side), strings.Join(gone, ", ")
	r.Stand(record.Question{Cause: HaltSchema, Subject: record.Subject{Side: side}, Next: r.LetGoCommand(), Rests: record.RestsOn(gone...), Why: fmt.Sprintf(
		"the list of %s of %s does not show %s any more: %d of its %d records had it. Was it renamed there, or is its API another one now? "+
			"Nothing was written or cleared. Map the field by the name that it has now and look again (%s); if it is meant to be gone, say so: %s",
		s.Kind, s.System, names, lost, r.Noticed[side].Looked+r.EarlierParts[side].Rows, r.LookAgainCommand(), r.LetGoCommand())})
}

// rememberFields keeps which fields most rows of a list showed. One that was let go is
// asked about again once no record lacks it.
func (r *Room) rememberFields(ctx context.Context, side record.Side, f shownFields, was string) error {
	n, before := r.Noticed[side], r.EarlierParts[side]
	decoded := int(r.Report.Counts[side.String()+".decoded"]) + before.Decoded
	showed := maps.Clone(n.Showed)
	for path, shown := range before.Showed {
		showed[path] += shown
	}
	for path, shown := range showed {
		if shown > fewUnshown && shown*2 > decoded && !slices.Contains(f.Shown, path) {
			f.Shown = append(f.Shown, path)
		}
	}
	f.Accepted = slices.DeleteFunc(f.Accepted, func(p string) bool { return showed[p] > fewUnshown && len(n.Without[p])+before.Lost[p] == 0 })
	slices.Sort(f.Shown)
	slices.Sort(f.Accepted)
	text, err := json.Marshal(f)
	if err != nil || string(text) == was || r.Options.Dry {
		return err
	}
	return r.store.Witness(ctx, r.Lease, side, fieldsTrait, string(text), time.Now())
}
