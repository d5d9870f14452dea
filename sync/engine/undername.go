package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"nightporter/sync/record"
)

// A guest may be taken for somebody else: a booking by texts for whoever has the phone by now, a contact
// with an old number for another person. Then the same booking stands on both sides for two guests, no rule
// joins the two, and each would be made once more across. Both are under one name, and of the same days.

// underName says that a booking that is about to be made may be one that stands across already: nobody has
// joined the two, they have all in common that a rule goes by but the guest, and the name of the guest is
// the same. It names that one.
func (r *run) underName(ctx context.Context, side record.Side, s stranger) (why string, about []string, err error) {
	across := side.Other()
	if r.job.Booking == nil || len(r.unjoined[across])+len(r.left) == 0 {
		return "", nil, nil
	}
	names, err := r.bookedUnder(ctx, side, s.seenSide)
	if err != nil || len(names) == 0 {
		return "", nil, err
	}
	if err := r.loadNamed(ctx, across); err != nil {
		return "", nil, err
	}
	for _, name := range names {
		for _, c := range r.underNames[across][name] {
			if sharesKey(c.keys, s.keys) || slices.Contains(about, c.ref.String()) { // the rules have decided about the two
				continue
			}
			about = append(about, c.ref.String())
		}
	}
	if len(about) == 0 {
		return "", nil, nil
	}
	return fmt.Sprintf("%s of %s has the same guest name, and all else that bookings are matched by: it may be the same booking, though its guest is not linked with the guest of this one",
		about[0], r.side(across).System), about, nil
}

func sharesKey(a, b []record.Key) bool {
	return slices.ContainsFunc(a, func(k record.Key) bool { return slices.Contains(b, k) })
}

// loadNamed reads, once a plan, under which names a side has strangers that no rule joins.
func (r *run) loadNamed(ctx context.Context, side record.Side) error {
	if r.underNames[side] != nil {
		return nil
	}
	r.underNames[side] = map[string][]candidate{}
	left, err := r.leftThere(ctx, side)
	if err != nil {
		return err
	}
	for _, c := range append(left, r.unjoined[side]...) {
		s, ok, err := r.unlinked(ctx, side, c.ref)
		if err != nil {
			return err
		}
		if !ok || r.hasEnded(side, s.since) {
			continue
		}
		names, err := r.bookedUnder(ctx, side, s)
		if err != nil {
			return err
		}
		for _, name := range names {
			r.underNames[side][name] = append(r.underNames[side][name], c)
		}
	}
	return nil
}

// leftThere is the strangers of a side that a person left out, or would not have made across: they stand there
// without a partner.
func (r *run) leftThere(ctx context.Context, side record.Side) (left []candidate, err error) {
	nums := slices.Collect(maps.Keys(r.left))
	for _, x := range r.book.rejected {
		if x.row.Entry != 0 {
			nums = append(nums, x.row.Entry)
		}
	}
	slices.Sort(nums)
	es, err := r.Store.Entries(ctx, slices.Compact(nums))
	for _, num := range slices.Sorted(maps.Keys(es)) {
		if e := es[num]; e.Place.Side == side && e.Link == 0 && e.State == record.LeftOut {
			c, ok, err := r.candidate(ctx, side, e)
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

// bookedUnder is what a booking would be told by if its guest were told by the name alone: a text for each
// rule that has the guest and something else.
func (r *run) bookedUnder(ctx context.Context, side record.Side, s seenSide) (keys []string, err error) {
	shown, _ := r.job.Mapping.Read(side, s.Native)
	for _, rule := range r.job.Match {
		var texts []string
		named := false
		for _, f := range rule {
			text := ""
			switch i := slices.IndexFunc(r.job.References, func(ref Reference) bool { return ref.Field == f }); {
			case i >= 0:
				if text, err = r.nameShown(ctx, side, r.job.References[i], shown[f]); err != nil {
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

// nameShown is the name of whom a record means, as its own system has it: the one that it shows, else that
// of the record whose id it shows.
func (r *run) nameShown(ctx context.Context, side record.Side, ref Reference, parts record.Value) (string, error) {
	p := parts.Map()
	name := p["name"].Text()
	if id := p["id"]; name == "" && id.Observed() && !id.Empty() {
		job, there := r.Jobs[ref.Binding], ref.Sides[side]
		e, ok, err := r.Store.Entry(ctx, record.Place{Binding: ref.Binding, Side: there}, record.Ref{Kind: job.Sides[there].Kind, ID: id.Text()})
		if err != nil || !ok {
			return "", err
		}
		name = textParts(job, there, e.Last())["name"].Text()
	}
	return strings.Join(nameWords(name), " "), nil
}
