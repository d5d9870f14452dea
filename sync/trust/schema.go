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

// A system may stop showing a field, because the field was renamed there or its API has changed. That
// looks like a field which just this list leaves out: nothing is cleared because of it, and nothing
// comes across any more either. Two things tell the difference: most rows of the lists used to show the
// field, and many records that had it lost it at once.

// fieldsTrait is the name of the trait that keeps which fields a side's lists show.
const fieldsTrait = "fields"

// fewUnshown is how many records may always lose a field at once.
const fewUnshown = 4

// shownFields is what is known of the mapped fields in a side's lists.
type shownFields struct {
	Shown    []string `json:"shown,omitempty"`    // fields that most rows showed
	Accepted []string `json:"accepted,omitempty"` // fields that the rows lost since, which a person accepted
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

// Watched returns the mapped fields that a full list of a side should show, because earlier lists did.
// It returns nil for other lists, and for a job without a limit.
func (r *Room) Watched(ctx context.Context, side record.Side, mode connectors.Mode) ([]string, error) {
	if mode != connectors.Full || r.Job.Unshown <= 0 {
		return nil, nil
	}
	f, _, err := r.shownFields(ctx, side)
	mapped := r.Job.Mapping.Paths(side)
	return slices.DeleteFunc(f.Shown, func(p string) bool { return !slices.Contains(mapped, p) }), err
}

// StoodBefore reports whether a halt of that cause and side was open when this run began.
func (r *Room) StoodBefore(name record.Cause, side record.Side) bool {
	return slices.ContainsFunc(r.OpenHalts, func(h record.Question) bool { return h.Cause == name && h.Side == side })
}

// FieldsGone halts the job if a list that was read to its end, proven complete or not, does not show a
// field any more that many of its records had. It does not halt if a person has accepted that.
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
	h, said := r.AnsweredHalt(record.HaltSchema, side)
	if len(gone) > 0 && (!said || !within(gone, h.Rests.On)) {
		r.standUnshown(side, gone, lost)
		return nil
	}
	f.Accepted = append(f.Accepted, gone...)
	return r.rememberFields(ctx, side, f, text)
}

// tooMany reports whether n of a list's rows are more than may lose a field at once.
func (r *Room) tooMany(n, rows int) bool { return n > fewUnshown && n*100 > r.Job.Unshown*rows }

func within(part, whole []string) bool {
	return !slices.ContainsFunc(part, func(p string) bool { return !slices.Contains(whole, p) })
}

// ThatHad counts the linked records among entries for which a value at the path was known. The value
// stays known: a field that is not shown is not cleared.
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
	r.Stand(record.Question{Cause: record.HaltSchema, Subject: record.Subject{Side: side}, Next: r.LetGoCommand(), Rests: record.RestsOn(gone...), Why: fmt.Sprintf(
		"the list of %s of %s does not show %s any more: %d of its %d records had it. Was it renamed there, or is its API another one now? "+
			"Nothing was written or cleared. Map the field by the name that it has now and look again (%s); if it is meant to be gone, say so: %s",
		s.Kind, s.System, names, lost, r.Noticed[side].Looked+r.EarlierParts[side].Rows, r.LookAgainCommand(), r.LetGoCommand())})
}

// rememberFields keeps which fields most rows of a list showed. A field that a person accepted as gone
// can be asked about again after a list in which no record lacks it.
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
