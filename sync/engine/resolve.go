package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"nightporter/sync/mapping"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// standing is what became of a reference.
type standing uint8

const (
	known   standing = iota // it names an entity
	leftOut                 // its record is left out by rule, or never shown to us
	held                    // its record waits for a person
	waiting                 // its record is not linked yet
	unmet                   // of two records that are one: waiting or held, and what stands across stays until it is known
)

// resolution is a reference, resolved.
type resolution struct {
	standing standing
	value    record.Value // known: the entity; leftOut and held: a marker that names the record
	wait     record.Wait  // whom to wait for, where that is known
	place    record.Place // where nobody is known yet: where to look,
	key      record.Key   // and by what
	why      string
	state    record.EntryState // leftOut and held: how that record stands; gone, too, where none is shown
	unasked  bool              // held: no person is asked about it yet
	found    record.Meant      // the one record that was found by a phone number
	loose    bool              // no record with that phone has the name: who has the phone is meant, if anybody
	partner  record.Ref        // leftOut and held, of one that is linked: the record across to which its link leads no more
}

// markLeftOut is the value of a reference to a record that has no entity. It names
// the record, so that another one is another value.
func markLeftOut(id string) record.Value {
	return record.OfMap(map[string]record.Value{"left_out": record.OfText(id)})
}

func isMarker(v record.Value) bool { return v.Map()["left_out"].Observed() }

// resolve says what a reference means that a side shows as parts.
func (r *run) resolve(ctx context.Context, side record.Side, ref Reference, parts record.Value) (resolution, error) {
	key := fmt.Sprintf("%s/%s/%s/%s", r.job.Binding, ref.Field, side, parts.Encode())
	if res, ok := r.resolved[key]; ok && res.standing == known {
		return res, nil
	}
	res, err := r.resolveParts(ctx, side, ref, parts)
	if err == nil {
		if r.resolved == nil {
			r.resolved = map[string]resolution{}
		}
		r.resolved[key] = res
	}
	return res, err
}

func (r *run) resolveParts(ctx context.Context, side record.Side, ref Reference, parts record.Value) (resolution, error) {
	job, ok := r.Jobs[ref.Binding]
	if !ok {
		return resolution{}, fmt.Errorf("resolve %s: there is no job %s", ref.Field, ref.Binding)
	}
	there := ref.Sides[side]
	place := record.Place{Binding: ref.Binding, Side: there}
	p := parts.Map()
	if id := p["id"]; id.Observed() && !id.Empty() {
		return r.resolveID(ctx, place, record.Ref{Kind: job.Sides[there].Kind, ID: id.Text()}, r.targetOf(side, ref))
	}
	phone := p["phone"].Text()
	if phone == "" {
		return resolution{standing: leftOut, value: markLeftOut(p["name"].Text()), why: "it shows no phone to tell whom it is for"}, nil
	}
	return r.resolveKey(ctx, place, record.Key{Name: "phone", Text: phone}, p["name"].Text(), r.targetOf(side, ref))
}

// resolveID resolves a reference by id.
func (r *run) resolveID(ctx context.Context, place record.Place, ref record.Ref, to target) (resolution, error) {
	e, ok, err := r.Store.Entry(ctx, place, ref)
	if err != nil {
		return resolution{}, err
	}
	if ok {
		return r.standingOf(ctx, place, e, to)
	}
	scans, err := r.Store.Ended(ctx, place, 1)
	if err != nil {
		return resolution{}, err
	}
	if len(scans) > 0 && scans[0].Certificate.Complete {
		return resolution{
			standing: leftOut, value: markLeftOut(ref.ID), wait: waitFor(place, ref), state: record.Gone,
			why: fmt.Sprintf("%s is not among what is read", ref),
		}, nil
	}
	return resolution{standing: waiting, wait: waitFor(place, ref), why: fmt.Sprintf("%s was not seen yet", ref)}, nil
}

// resolveKey resolves a reference by a natural key: on its own side first, and
// then on the other, whose record may be about to be linked. A record that also has the name comes
// before all others, even one across. Example: mother and son have one phone, this system knows the
// mother alone, and the booking has the name of the son.
func (r *run) resolveKey(ctx context.Context, place record.Place, key record.Key, name string, to target) (resolution, error) {
	var have [2][]record.Entry
	sides := []record.Side{place.Side, place.Side.Other()}
	for _, side := range sides {
		at := record.Place{Binding: place.Binding, Side: side}
		es, err := r.Store.Matching(ctx, at, []record.Key{key})
		if err != nil {
			return resolution{}, err
		}
		have[side] = es
		named := namedSo(r.Jobs[place.Binding], side, es, name)
		if len(named) == 0 {
			continue
		}
		res, err := r.bestOf(ctx, at, named, to)
		if err != nil || side == place.Side || res.standing != leftOut {
			return res, err
		}
	}
	for _, side := range sides {
		if len(have[side]) > 0 {
			res, err := r.byPhone(ctx, record.Place{Binding: place.Binding, Side: side}, have[side], to)
			res.loose = true
			return res, err
		}
	}
	return resolution{standing: waiting, place: place, key: key, why: "no record with that phone is known", loose: true}, nil
}

// nameWords is the words of a name in small letters, in an order of ours.
func nameWords(name string) []string {
	ws := strings.FieldsFunc(strings.ToLower(name), func(c rune) bool { return !unicode.In(c, unicode.L, unicode.M, unicode.N) })
	slices.Sort(ws)
	return ws
}

// namedSo returns the records with that name. Capitals, and in which order and between which signs its
// words stand, make no difference: "Rossi, Marco" is Marco Rossi.
func namedSo(job *Job, side record.Side, es []record.Entry, name string) []record.Entry {
	want := nameWords(name)
	var named []record.Entry
	for _, e := range es {
		if len(want) > 0 && slices.Equal(nameWords(textParts(job, side, e.Last())["name"].Text()), want) {
			named = append(named, e)
		}
	}
	return named
}

// byPhone is what is meant by a phone alone. While a person is asked about somebody who has it beside one who
// is linked, it may be either.
func (r *run) byPhone(ctx context.Context, place record.Place, es []record.Entry, to target) (resolution, error) {
	res, err := r.bestOf(ctx, place, es, to)
	if err != nil || res.standing != known {
		return res, err
	}
	held := slices.IndexFunc(es, func(e record.Entry) bool { return e.Link == 0 && e.State == record.Held })
	linked := slices.IndexFunc(es, func(e record.Entry) bool { return e.Link != 0 })
	if held < 0 || linked < 0 {
		return res, nil
	}
	return eitherOf(es[linked].Ref, es[held].Ref), nil
}

// eitherOf is nobody: a phone is that of two, and no name tells them apart.
func eitherOf(a, b record.Ref) resolution {
	return resolution{standing: waiting, why: fmt.Sprintf("%s and %s have that phone, and no name tells which of them is meant", a, b)}
}

// bestOf is what is meant by a key that several records have: the linked one, unless its link
// is only remembered and another has the key. If two linked ones are different persons, nobody is meant.
func (r *run) bestOf(ctx context.Context, place record.Place, es []record.Entry, to target) (best resolution, err error) {
	const none = 4
	lowest, meant := none, record.Ref{}
	for _, e := range es {
		res, err := r.standingOf(ctx, place, e, to)
		if err != nil {
			return res, err
		}
		rank := 3
		switch {
		case res.standing == known && lowest == 0 && !res.value.Equal(best.value):
			return eitherOf(meant, e.Ref), nil
		case res.standing == known:
			rank = 0
		case e.Link == 0:
			rank = 2
		case res.standing != leftOut:
			rank = 1
		}
		if rank < lowest {
			best, lowest, meant = res, rank, e.Ref
		}
	}
	if len(es) == 1 {
		best.found = r.meantBy(place, es[0])
	}
	return best, nil
}

// standingOf is what an entry means to a record that names it.
func (r *run) standingOf(ctx context.Context, place record.Place, e record.Entry, to target) (resolution, error) {
	if e.Link != 0 {
		return r.pairOf(ctx, place, e.Ref, to)
	}
	w := waitFor(place, e.Ref)
	if waitsForGone(e) {
		return resolution{standing: held, value: markLeftOut(e.Ref.ID), wait: w, why: e.Why, state: e.State}, nil
	}
	switch e.State {
	case record.Attached:
		es, err := r.Store.Matching(ctx, place, e.Keys)
		if err != nil {
			return resolution{}, err
		}
		for _, rep := range es {
			if rep.Link != 0 {
				return r.pairOf(ctx, place, rep.Ref, to)
			}
		}
		return resolution{standing: waiting, wait: w, why: "the record that stands for it is not linked yet"}, nil
	case record.LeftOut, record.OutOfScope, record.Gone:
		return resolution{standing: leftOut, value: markLeftOut(e.Ref.ID), wait: w, why: e.Why, state: e.State}, nil
	case record.Held, record.Quarantined, record.Refused, record.Stranger:
		return resolution{standing: held, value: markLeftOut(e.Ref.ID), wait: w, why: e.Why, state: e.State}, nil
	case record.InStep, record.Waiting, record.Missed, record.Suspect:
	}
	return resolution{standing: waiting, wait: w, why: fmt.Sprintf("%s is not linked yet", e.Ref)}, nil
}

func waitFor(place record.Place, ref record.Ref) record.Wait {
	return record.Wait{Binding: place.Binding, Side: place.Side, Ref: ref}
}

// seenSide is one side of a case with its references resolved.
type seenSide struct {
	plan.Side
	open    map[string]resolution // reference fields that name no entity (yet)
	meant   []record.Meant        // whom references mean that name by a phone number
	since   record.Entry
	blanked []string // fields of match rules of which nobody can tell what they hold
}

// sideOf reads an entry into what it means.
func (r *run) sideOf(ctx context.Context, side record.Side, e record.Entry) (seenSide, error) {
	m := r.job.Mapping
	native := e.Last()
	base := r.baseOf(&e, native)
	now, problems := m.Read(side, native)
	r.unreadable(side, e, now, problems)
	s := seenSide{open: map[string]resolution{}, since: e, blanked: m.BlankedKeys(problems)}
	for _, ref := range r.job.References {
		parts := now[ref.Field]
		v, res, err := r.reference(ctx, side, ref, e.Num, parts, native, r.shownBase(side, ref.Field, e.Base, base, native))
		if err != nil {
			return s, err
		}
		delete(now, ref.Field)
		if v.Observed() {
			now[ref.Field] = v
		}
		if res.standing != known {
			s.open[ref.Field] = res
		}
		if res.found.Ref.ID != "" {
			m := res.found
			m.Entry, m.Field, m.Shown = e.Num, ref.Field, r.shownAs(parts)
			s.meant = append(s.meant, m)
		}
	}
	for p := range native {
		if strings.HasPrefix(p, "@") {
			delete(native, p)
		}
	}
	s.Side = plan.Side{
		Ref: e.Ref, Entry: e.Num, Version: e.LastVersion(), Native: native, Base: base,
		Now: now, Settled: r.settled(side, e.Base, base), Seen: r.differs(&e), Key: r.job.Seal,
	}
	if e.Seen != nil {
		s.Changed, s.Untaken = e.Seen.Changed, e.Seen.Untaken
	}
	return s, nil
}

// reference is the value of one reference field. As long as the record names it as it
// did when it was settled, it means what it meant then: a guest who got a new number is
// no new guest, and whoever has the old one by now is not the guest that was meant.
func (r *run) reference(ctx context.Context, side record.Side, ref Reference, num int64, parts record.Value, native, base record.Fields) (record.Value, resolution, error) {
	was := base[plan.RefPath(ref.Field)]
	untouched := r.sameInputs(side, ref.Field, native, base)
	same := was.Observed() && (untouched || r.namedAlike(side, ref.Field, parts, native, base))
	if same && !isMarker(was) {
		if res, another, err := r.givenTo(ctx, side, ref, was, parts, base); err != nil || another && !untouched {
			return res.value, res, err
		}
		return was, resolution{standing: known}, nil
	}
	switch {
	case !parts.Observed():
		return record.Value{}, resolution{standing: known}, nil
	case parts.Empty() && same: // it can show nobody, and was made for somebody who is not known
		return was, resolution{standing: known}, nil
	case parts.Empty():
		return record.Nothing(), resolution{standing: known}, nil
	}
	res, err := r.resolve(ctx, side, ref, parts)
	if err == nil && res.loose {
		res, err = r.asMeant(ctx, side, ref, num, parts, res)
	}
	if err != nil {
		return record.Value{}, res, fmt.Errorf("resolve %s: %w", ref.Field, err)
	}
	if same && res.standing != known {
		return was, res, nil // still nobody we know
	}
	return res.value, res, nil
}

// givenTo is whom a record names by now that shows the phone it was settled with, if that is another one: it
// shows the name of one who has that phone, and is linked or may be. Example: a booking that was given to the son, who
// has the phone of the family.
func (r *run) givenTo(ctx context.Context, side record.Side, ref Reference, was, parts record.Value, base record.Fields) (resolution, bool, error) {
	settled, _ := r.job.Mapping.Read(side, base)
	then, now := settled[ref.Field].Map()["name"].Text(), parts.Map()["name"].Text()
	if then == "" || now == "" || slices.Equal(nameWords(then), nameWords(now)) {
		return resolution{}, false, nil
	}
	res, err := r.resolve(ctx, side, ref, parts)
	if res.loose || res.standing == leftOut {
		return res, false, err
	}
	return res, res.standing != known || !res.value.Equal(was), err
}

// asMeant is whom a record means of whose phone and name nobody is known: whom it meant before, if it shows
// the same as then, and else whoever has the phone. Example: a son with the phone of his mother waits for a
// person, and his booking for him. He gets a phone of his own: the booking still is his, and not hers.
func (r *run) asMeant(ctx context.Context, side record.Side, ref Reference, num int64, parts record.Value, byPhone resolution) (resolution, error) {
	was, ok, err := r.Store.Meant(ctx, num, ref.Field)
	if err != nil || !ok || was.Shown != r.shownAs(parts) {
		return byPhone, err
	}
	place := record.Place{Binding: was.Binding, Side: was.Side}
	e, ok, err := r.Store.Entry(ctx, place, was.Ref)
	if err != nil || !ok {
		return byPhone, err
	}
	if was.Gone || !r.isStill(place, e, was, parts) {
		return resolution{
			standing: leftOut, value: markLeftOut(was.Ref.ID), wait: waitFor(place, was.Ref), state: record.Gone,
			why: fmt.Sprintf("%s, whom it means, is gone", was.Ref),
		}, nil
	}
	return r.standingOf(ctx, place, e, r.targetOf(side, ref))
}

// isStill reports whether a record is the one that was meant, and not another one that was given its id: by
// when it was made, or where its system does not say that, by its name or by the phone.
func (r *run) isStill(place record.Place, e record.Entry, was record.Meant, parts record.Value) bool {
	now := r.meantBy(place, e)
	if now.Born != 0 && was.Born != 0 {
		return now.Born == was.Born
	}
	phone := record.Key{Name: "phone", Text: parts.Map()["phone"].Text()}
	return now.Name == was.Name || slices.Contains(e.Keys, phone) || slices.Contains(e.Keys, r.Jobs[place.Binding].sealedKey(phone))
}

// meantBy is a record as one that is meant.
func (r *run) meantBy(place record.Place, e record.Entry) record.Meant {
	job := r.Jobs[place.Binding]
	return record.Meant{
		Binding: place.Binding, Side: place.Side, Ref: e.Ref, Born: bornOf(e),
		Name: r.digestOfName(textParts(job, place.Side, e.Last())["name"].Text()),
	}
}

// shownAs is a digest of what a record shows of whom it names. In which order the words of a name stand
// makes no difference.
func (r *run) shownAs(parts record.Value) string {
	p := parts.Map()
	return r.digestOfName(p["name"].Text() + " " + p["phone"].Text())
}

func (r *run) digestOfName(text string) string {
	words := strings.Join(nameWords(text), " ")
	if r.job.Seal != nil {
		return record.Seal(r.job.Seal, record.OfText(words)).Text()
	}
	return record.DigestOf("meant", []byte(words)).String()
}

// shownBase is a base in which what a record was never shown to hold is empty where it is shown
// as empty now: a booking that was made without a phone, of a guest who has none, is for whom
// it was made.
func (r *run) shownBase(side record.Side, field string, kept record.Base, base, native record.Fields) record.Fields {
	for _, p := range r.job.Mapping.Inputs(side, field) {
		if _, was := kept[p]; !was && native[p].Observed() && native[p].Empty() {
			base = base.With(record.Fields{p: native[p]})
		}
	}
	return base
}

func (r *run) sameInputs(side record.Side, field string, native, base record.Fields) bool {
	for _, p := range r.job.Mapping.Inputs(side, field) {
		if !native[p].Equal(base[p]) {
			return false
		}
	}
	return true
}

// namedAlike reports whether a record shows the parts that tell whom a reference means as
// its base does. All others, a name among them, tell nobody from another.
func (r *run) namedAlike(side record.Side, field string, parts record.Value, native, base record.Fields) bool {
	m := r.job.Mapping
	was, _ := m.Read(side, base)
	for _, part := range []string{mapping.PartID, mapping.PartPhone} { // as resolveParts has it
		p := m.PartPath(side, field, part)
		now, then := parts.Map()[part].Text(), was[field].Map()[part].Text()
		switch hidden := native[p].Observed() && !base[p].Observed(); { // a digest tells no more than that it was something else
		case hidden, now != then:
			return false
		case now != "":
			return true
		}
	}
	return false
}

// settled is the canonical base: what the side held when the link was settled,
// with references as they were resolved then.
func (r *run) settled(side record.Side, base record.Base, native record.Fields) map[string]record.Stored {
	if base == nil {
		return nil
	}
	canonical, _ := r.job.Mapping.Read(side, native)
	out := make(map[string]record.Stored, len(canonical))
	for f, v := range canonical {
		if was := native[plan.RefPath(f)]; r.refs[f] && (was.Observed() || !v.Empty()) {
			v = was
		}
		if v.Observed() {
			out[f] = record.Keep(v)
		}
	}
	r.settledDigests(side, base, native, out)
	return out
}

// parts is how a side writes a reference: by the id its own system knows the
// record by, and by its phone, mail and name.
func (r *run) parts(ctx context.Context, side record.Side, ref Reference, value record.Value, res resolution) (record.Value, error) {
	if isMarker(value) {
		if ref.Snapshot && res.standing != leftOut {
			return r.snapshot(ctx, ref, res)
		}
		return record.OfMap(map[string]record.Value{"name": record.OfText(ref.IfLeftOut)}), nil
	}
	job := r.Jobs[ref.Binding]
	pair, ok, err := r.Store.ByEntity(ctx, ref.Binding, value.Text())
	if err != nil || !ok {
		return record.Value{}, err
	}
	there, to := ref.Sides[side], r.targetOf(side.Other(), ref)
	if !r.leadsThere(job, pair, to) {
		return record.Value{}, nil
	}
	e := pair.Sides[there]
	if e.Damaged != "" && to.byID { // its id is known
		return partsOf(job, there, e, nil), nil
	}
	native, err := r.valuesOf(ctx, job, there, e)
	if err != nil {
		return record.Value{}, err
	}
	return partsOf(job, there, e, native), nil
}

// partsOf is how a record is named in its own system: by its id and in texts.
func partsOf(job *Job, side record.Side, e record.Entry, native record.Fields) record.Value {
	p := textParts(job, side, native)
	p["id"] = record.OfText(e.Ref.ID)
	return record.OfMap(p)
}

// snapshot is what is known of a record that has no entity: the texts that its own
// side shows of it.
func (r *run) snapshot(ctx context.Context, ref Reference, res resolution) (record.Value, error) {
	place := record.Place{Binding: res.wait.Binding, Side: res.wait.Side}
	e, ok, err := r.Store.Entry(ctx, place, res.wait.Ref)
	if err != nil || !ok {
		return record.OfMap(map[string]record.Value{"name": record.OfText(ref.IfLeftOut)}), err
	}
	job := r.Jobs[ref.Binding]
	native, err := r.valuesOf(ctx, job, place.Side, e)
	return record.OfMap(textParts(job, place.Side, native)), err
}

// textParts is how a record is named in texts: phone, mail and name.
func textParts(job *Job, side record.Side, native record.Fields) map[string]record.Value {
	c, _ := job.Mapping.Read(side, native)
	p := map[string]record.Value{}
	for _, f := range []string{"phone", "email"} {
		if v := c[f]; v.Observed() && !v.Empty() {
			p[f] = v
		}
	}
	if name := fullName(c); name != "" {
		p["name"] = record.OfText(name)
	}
	return p
}

func fullName(c record.Fields) string {
	if n := c["full_name"].Text(); n != "" {
		return n
	}
	return strings.TrimSpace(c["given_name"].Text() + " " + c["family_name"].Text())
}

// allParts is how both sides would write the references of a case.
func (r *run) allParts(ctx context.Context, sides [2]seenSide) ([2]record.Fields, error) {
	out := [2]record.Fields{{}, {}}
	for _, ref := range r.job.References {
		for _, side := range record.Sides {
			value := sides[side.Other()].Now[ref.Field]
			if !value.Observed() || value.Equal(sides[side].Now[ref.Field]) { // both name the same: it is not written
				continue
			}
			p, err := r.parts(ctx, side, ref, value, sides[side.Other()].open[ref.Field])
			if err != nil {
				return out, fmt.Errorf("write %s: %w", ref.Field, err)
			}
			if p.Observed() {
				out[side][ref.Field] = p
			}
		}
	}
	return out, nil
}
