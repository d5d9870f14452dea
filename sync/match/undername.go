package match

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"nightporter/sync/record"
	"nightporter/sync/refer"
	"nightporter/sync/run"
)

// A guest may be taken for somebody else. A booking that names its guest in texts counts for whoever has the phone
// by now, and a contact with an old number counts for another person. Then the same booking stands on both sides
// for two guests, no rule joins the two, and each would be created once more across. But both have the same guest
// name and the same days.

// UnderName says why a booking that is about to be created may already stand across, "" if nothing says so. Nobody
// has joined the two. They agree in all that a rule goes by except the guest, and the names of the guests are the
// same. about names the bookings across.
func (r *Room) UnderName(ctx context.Context, side record.Side, s run.Stranger) (why string, about []string, err error) {
	across := side.Other()
	if r.Job.Booking == nil || len(r.Unjoined[across])+len(r.Left) == 0 {
		return "", nil, nil
	}
	names, err := r.bookedUnder(ctx, side, s.SeenSide)
	if err != nil || len(names) == 0 {
		return "", nil, err
	}
	if err := r.loadNamed(ctx, across); err != nil {
		return "", nil, err
	}
	for _, name := range names {
		for _, c := range r.UnderNames[across][name] {
			if SharesKey(c.Keys, s.Keys) || slices.Contains(about, c.Ref.String()) { // the rules have decided about the two
				continue
			}
			about = append(about, c.Ref.String())
		}
	}
	if len(about) == 0 {
		return "", nil, nil
	}
	return fmt.Sprintf("%s of %s has the same guest name, and all else that bookings are matched by: it may be the same booking, though its guest is not linked with the guest of this one",
		about[0], r.Side(across).System), about, nil
}

// SharesKey reports whether two records have a match key in common.
func SharesKey(a, b []record.Key) bool {
	return slices.ContainsFunc(a, func(k record.Key) bool { return slices.Contains(b, k) })
}

// loadNamed notes, once a plan, under which names a side has bookings that no rule joins.
func (r *Room) loadNamed(ctx context.Context, side record.Side) error {
	if r.UnderNames[side] != nil {
		return nil
	}
	r.UnderNames[side] = map[string][]run.Candidate{}
	left, err := r.LeftThere(ctx, side)
	if err != nil {
		return err
	}
	for _, c := range append(left, r.Unjoined[side]...) {
		s, ok, err := r.Unlinked(ctx, side, c.Ref)
		if err != nil {
			return err
		}
		if !ok || r.HasEnded(side, s.Since) {
			continue
		}
		names, err := r.bookedUnder(ctx, side, s)
		if err != nil {
			return err
		}
		for _, name := range names {
			r.UnderNames[side][name] = append(r.UnderNames[side][name], c)
		}
	}
	return nil
}

// LeftThere returns the records of a side that a person left out, or did not want created across. They stand there
// without a partner.
func (r *Room) LeftThere(ctx context.Context, side record.Side) (left []run.Candidate, err error) {
	nums := slices.Collect(maps.Keys(r.Left))
	for _, x := range r.Book.Rejected {
		if x.Row.Entry != 0 {
			nums = append(nums, x.Row.Entry)
		}
	}
	slices.Sort(nums)
	es, err := r.store.Entries(ctx, slices.Compact(nums))
	for _, num := range slices.Sorted(maps.Keys(es)) {
		if e := es[num]; e.Place.Side == side && e.Link == 0 && e.State == record.LeftOut {
			c, ok, err := r.Candidate(ctx, side, e)
			if err != nil {
				return nil, err
			}
			if ok {
				left = append(left, c)
			}
		}
	}
	return left, err
}

// bookedUnder returns the keys that a booking would have if its guest were told by the name alone: one text for
// each rule that has the guest and something else.
func (r *Room) bookedUnder(ctx context.Context, side record.Side, s run.SeenSide) (keys []string, err error) {
	shown, _ := r.Job.Mapping.Read(side, s.Native)
	for _, rule := range r.Job.Match {
		var texts []string
		named := false
		for _, f := range rule {
			text := ""
			switch i := slices.IndexFunc(r.Job.References, func(ref run.Reference) bool { return ref.Field == f }); {
			case i >= 0:
				if text, err = r.nameShown(ctx, side, r.Job.References[i], shown[f]); err != nil {
					return nil, err
				}
				named = true
			case s.Now[f].Observed() && !s.Now[f].Empty():
				text = s.Now[f].Encode()
			}
			if text == "" {
				texts = nil
				break
			}
			texts = append(texts, text)
		}
		if named && len(texts) == len(rule) && len(rule) > 1 {
			keys = append(keys, strings.Join(texts, "\x00"))
		}
	}
	return keys, nil
}

// nameShown returns the name of the record that a reference means, as the reference's own system has it: the name
// that is shown, or else the name of the record with the id that is shown.
func (r *Room) nameShown(ctx context.Context, side record.Side, ref run.Reference, parts record.Value) (string, error) {
	p := parts.Map()
	name := p["name"].Text()
	if id := p["id"]; name == "" && id.Observed() && !id.Empty() {
		job, there := r.Jobs[ref.Binding], ref.Sides[side]
		e, ok, err := r.store.Entry(ctx, record.Place{Binding: ref.Binding, Side: there}, record.Ref{Kind: job.Sides[there].Kind, ID: id.Text()})
		if err != nil || !ok {
			return "", err
		}
		name = refer.TextParts(job, there, e.Last())["name"].Text()
	}
	return strings.Join(refer.NameWords(name), " "), nil
}
