package refer

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"nightporter/sync/mapping"
	"nightporter/sync/plan"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// What a reference stands for.
const (
	Known   run.Standing = iota // it names an entity
	LeftOut                     // its record is left out by rule, or is never shown to us
	Held                        // its record waits for a person
	Waiting                     // its record is not linked yet
	Unmet                       // nobody can say now whom it means: what stands across stays until somebody can
)

// resolve finds which record a reference means. parts is how a side shows the reference: an id, or a phone and a
// name. A reference that names an entity is resolved once a run.
func (r *Room) resolve(ctx context.Context, side record.Side, ref run.Reference, parts record.Value) (run.Resolution, error) {
	key := fmt.Sprintf("%s/%s/%s/%s", r.Job.Binding, ref.Field, side, parts.Encode())
	if res, ok := r.resolved[key]; ok && res.Standing == Known {
		return res, nil
	}
	res, err := r.resolveParts(ctx, side, ref, parts)
	if err == nil {
		if r.resolved == nil {
			r.resolved = map[string]run.Resolution{}
		}
		r.resolved[key] = res
	}
	return res, err
}

func (r *Room) resolveParts(ctx context.Context, side record.Side, ref run.Reference, parts record.Value) (run.Resolution, error) {
	job, ok := r.Jobs[ref.Binding]
	if !ok {
		return run.Resolution{}, fmt.Errorf("resolve %s: there is no job %s", ref.Field, ref.Binding)
	}
	there := ref.Sides[side]
	place := record.Place{Binding: ref.Binding, Side: there}
	p := parts.Map()
	if id := p["id"]; id.Observed() && !id.Empty() {
		return r.resolveID(ctx, place, record.Ref{Kind: job.Sides[there].Kind, ID: id.Text()}, r.targetOf(side, ref))
	}
	phone := p["phone"].Text()
	if phone == "" {
		return run.Resolution{Standing: LeftOut, Value: MarkLeftOut(p["name"].Text()), Why: "it shows no phone to tell whom it is for"}, nil
	}
	return r.resolveKey(ctx, place, record.Key{Name: "phone", Text: phone}, p["name"].Text(), r.targetOf(side, ref))
}

// resolveKey resolves a reference by a key that both systems know, such as a phone. It looks on the reference's own
// side first and then on the other, where a record may be about to be linked. A record that also has the name comes
// before all others, even if it is across. Example: mother and son have one phone, this system knows only the
// mother, and the booking has the name of the son.
func (r *Room) resolveKey(ctx context.Context, place record.Place, key record.Key, name string, to Target) (run.Resolution, error) {
	var have [2][]record.Entry
	sides := []record.Side{place.Side, place.Side.Other()}
	for _, side := range sides {
		at := record.Place{Binding: place.Binding, Side: side}
		es, err := r.store.Matching(ctx, at, []record.Key{key})
		if err != nil {
			return run.Resolution{}, err
		}
		have[side] = es
		named := namedSo(r.Jobs[place.Binding], side, es, name)
		if len(named) == 0 {
			continue
		}
		res, err := r.bestOf(ctx, at, named, to)
		if err != nil || side == place.Side || res.Standing != LeftOut {
			return res, err
		}
	}
	for _, side := range sides {
		if len(have[side]) > 0 {
			res, err := r.byPhone(ctx, record.Place{Binding: place.Binding, Side: side}, have[side], to)
			res.Loose = true
			return res, err
		}
	}
	return run.Resolution{Standing: Waiting, Place: place, Key: key, Why: "no record with that phone is known", Loose: true}, nil
}

// NameWords returns the words of a name in small letters and in alphabetical order, so that the order in which they
// were written makes no difference.
func NameWords(name string) []string {
	ws := strings.FieldsFunc(strings.ToLower(name), func(c rune) bool { return !unicode.In(c, unicode.L, unicode.M, unicode.N) })
	slices.Sort(ws)
	return ws
}

// namedSo returns the records with that name. Capitals, the order of the words and the signs between them make no
// difference: "Rossi, Marco" is Marco Rossi.
func namedSo(job *run.Job, side record.Side, es []record.Entry, name string) []record.Entry {
	want := NameWords(name)
	var named []record.Entry
	for _, e := range es {
		if len(want) > 0 && slices.Equal(NameWords(TextParts(job, side, e.Last())["name"].Text()), want) {
			named = append(named, e)
		}
	}
	return named
}

// byPhone returns whom a phone alone means. If one record with that phone is linked, and a person is being asked
// about another record with it, either may be meant.
func (r *Room) byPhone(ctx context.Context, place record.Place, es []record.Entry, to Target) (run.Resolution, error) {
	res, err := r.bestOf(ctx, place, es, to)
	if err != nil || res.Standing != Known {
		return res, err
	}
	held := slices.IndexFunc(es, func(e record.Entry) bool { return e.Link == 0 && e.State == record.Held })
	linked := slices.IndexFunc(es, func(e record.Entry) bool { return e.Link != 0 })
	if held < 0 || linked < 0 {
		return res, nil
	}
	return eitherOf(es[linked].Ref, es[held].Ref), nil
}

// eitherOf returns a resolution that names nobody: two records have the phone, and no name tells them apart.
func eitherOf(a, b record.Ref) run.Resolution {
	return run.Resolution{Standing: Waiting, Why: fmt.Sprintf("%s and %s have that phone, and no name tells which of them is meant", a, b)}
}

// bestOf returns whom a key means that several records have. A linked record comes first, unless its link is only
// remembered and another record has the key. If two linked records stand for different persons, nobody is meant.
func (r *Room) bestOf(ctx context.Context, place record.Place, es []record.Entry, to Target) (best run.Resolution, err error) {
	const none = 4
	lowest, meant := none, record.Ref{}
	for _, e := range es {
		res, err := r.standingOf(ctx, place, e, to)
		if err != nil {
			return res, err
		}
		rank := 3
		switch {
		case res.Standing == Known && lowest == 0 && !res.Value.Equal(best.Value):
			return eitherOf(meant, e.Ref), nil
		case res.Standing == Known:
			rank = 0
		case e.Link == 0:
			rank = 2
		case res.Standing != LeftOut:
			rank = 1
		}
		if rank < lowest {
			best, lowest, meant = res, rank, e.Ref
		}
	}
	if len(es) == 1 {
		best.Found = r.meantBy(place, es[0])
	}
	return best, nil
}

// standingOf returns what an entry means to a record that names it.
func (r *Room) standingOf(ctx context.Context, place record.Place, e record.Entry, to Target) (run.Resolution, error) {
	if e.Link != 0 {
		return r.pairOf(ctx, place, e.Ref, to)
	}
	w := waitFor(place, e.Ref)
	if run.WaitsForGone(e) {
		return run.Resolution{Standing: Held, Value: MarkLeftOut(e.Ref.ID), Wait: w, Why: e.Why, State: e.State}, nil
	}
	switch e.State {
	case record.Attached:
		es, err := r.store.Matching(ctx, place, e.Keys)
		if err != nil {
			return run.Resolution{}, err
		}
		for _, rep := range es {
			if rep.Link != 0 {
				return r.pairOf(ctx, place, rep.Ref, to)
			}
		}
		return run.Resolution{Standing: Waiting, Wait: w, Why: "the record that stands for it is not linked yet"}, nil
	case record.LeftOut, record.OutOfScope, record.Gone:
		return run.Resolution{Standing: LeftOut, Value: MarkLeftOut(e.Ref.ID), Wait: w, Why: e.Why, State: e.State}, nil
	case record.Held, record.Quarantined, record.Refused, record.Stranger:
		return run.Resolution{Standing: Held, Value: MarkLeftOut(e.Ref.ID), Wait: w, Why: e.Why, State: e.State}, nil
	case record.InStep, record.Waiting, record.Missed, record.Suspect:
	}
	return run.Resolution{Standing: Waiting, Wait: w, Why: fmt.Sprintf("%s is not linked yet", e.Ref)}, nil
}

// SideOf reads an entry into canonical values and resolves its references. References that name no entity are in
// Open.
func (r *Room) SideOf(ctx context.Context, side record.Side, e record.Entry) (run.SeenSide, error) {
	m := r.Job.Mapping
	native := e.Last()
	base := r.observe.BaseOf(&e, native)
	now, problems := m.Read(side, native)
	r.observe.Unreadable(side, e, now, problems)
	s := run.SeenSide{Open: map[string]run.Resolution{}, Since: e, Blanked: m.BlankedKeys(problems)}
	for _, ref := range r.Job.References {
		parts := now[ref.Field]
		v, res, err := r.reference(ctx, side, ref, e, parts, native, r.shownBase(side, ref.Field, e.Base, base, native))
		if err != nil {
			return s, err
		}
		delete(now, ref.Field)
		if v.Observed() {
			now[ref.Field] = v
		}
		if res.Standing != Known {
			s.Open[ref.Field] = res
		}
		if res.Found.Ref.ID != "" {
			m := res.Found
			m.Entry, m.Field, m.Shown = e.Num, ref.Field, r.shownAs(parts)
			s.Meant = append(s.Meant, m)
		}
	}
	for p := range native {
		if strings.HasPrefix(p, "@") {
			delete(native, p)
		}
	}
	s.Side = plan.Side{
		Ref: e.Ref, Entry: e.Num, Version: e.LastVersion(), Native: native, Base: base,
		Now: now, Settled: r.Settled(side, e.Base, base), Seen: r.observe.Differs(&e), Key: r.Job.Seal,
	}
	if e.Seen != nil {
		s.Changed, s.Untaken = e.Seen.Changed, e.Seen.Untaken
	}
	return s, nil
}

// reference returns the value of one reference field. As long as the record names whom it named when it was
// settled, the field means what it meant then. A guest who got a new number is no new guest, and whoever has the
// old number today is not the guest that was meant. A guest for whom another one stood then, and who stands alone
// now, is named in their own right.
func (r *Room) reference(ctx context.Context, side record.Side, ref run.Reference, e record.Entry, parts record.Value, native, base record.Fields) (record.Value, run.Resolution, error) {
	was := base[plan.RefPath(ref.Field)]
	untouched := r.SameInputs(side, ref.Field, native, base)
	same := was.Observed() && (untouched || r.namedAlike(side, ref.Field, parts, native, base))
	if same && !run.IsMarker(was) {
		if res, other, err := r.otherThan(ctx, side, ref, e, was, parts, base, untouched); err != nil || other {
			return res.Value, res, err
		}
		return was, run.Resolution{Standing: Known}, nil
	}
	if !parts.Observed() || parts.Empty() {
		return namesNobody(parts, was, same), run.Resolution{Standing: Known}, nil
	}
	res, err := r.resolve(ctx, side, ref, parts)
	if err == nil && res.Loose {
		res, err = r.asMeant(ctx, side, ref, e.Num, parts, res)
	}
	if err != nil {
		return record.Value{}, res, fmt.Errorf("resolve %s: %w", ref.Field, err)
	}
	if same && res.Standing != Known {
		return was, res, nil // it still names nobody that we know
	}
	return res.Value, res, nil
}

// namesNobody returns the value of a reference that shows nobody.
func namesNobody(parts, was record.Value, same bool) record.Value {
	switch {
	case !parts.Observed():
		return record.Value{}
	case same: // the record was made for somebody who is not known, and can't show whom
		return was
	}
	return record.Nothing()
}

// otherThan returns whom a record names that shows the id or the phone by which its reference was settled. It reports
// true if that is not the entity that the reference was settled on.
func (r *Room) otherThan(ctx context.Context, side record.Side, ref run.Reference, e record.Entry, was, parts record.Value, base record.Fields, untouched bool) (run.Resolution, bool, error) {
	if res, another, err := r.givenTo(ctx, side, ref, was, parts, base); err != nil || another && !untouched {
		return res, true, err
	}
	return r.standsAlone(ctx, side, ref, e, was, parts)
}

// givenTo returns whom a record names now if it shows the phone that it was settled with and another name. It
// reports true if that is somebody else: a record with that phone has this name, and is linked or may be. Example:
// a booking was given to the son, who has the phone of the family.
func (r *Room) givenTo(ctx context.Context, side record.Side, ref run.Reference, was, parts record.Value, base record.Fields) (run.Resolution, bool, error) {
	settled, _ := r.Job.Mapping.Read(side, base)
	then, now := settled[ref.Field].Map()["name"].Text(), parts.Map()["name"].Text()
	if then == "" || now == "" || slices.Equal(NameWords(then), NameWords(now)) {
		return run.Resolution{}, false, nil
	}
	res, err := r.resolve(ctx, side, ref, parts)
	if res.Loose || res.Standing == LeftOut {
		return res, false, err
	}
	return res, res.Standing != Known || !res.Value.Equal(was), err
}

// asMeant returns whom a reference means if no record has both its phone and its name. It means whom it meant
// before, if it shows the same as then; otherwise it means whoever has the phone. Example: a son with the phone of
// his mother waits for a person, and his booking waits for him. He gets a phone of his own: the booking still is
// his, and not hers.
func (r *Room) asMeant(ctx context.Context, side record.Side, ref run.Reference, num int64, parts record.Value, byPhone run.Resolution) (run.Resolution, error) {
	was, ok, err := r.store.Meant(ctx, num, ref.Field)
	if err != nil || !ok || was.Shown != r.shownAs(parts) {
		return byPhone, err
	}
	place := record.Place{Binding: was.Binding, Side: was.Side}
	e, ok, err := r.store.Entry(ctx, place, was.Ref)
	if err != nil || !ok {
		return byPhone, err
	}
	if was.Gone || !r.isStill(place, e, was, parts) {
		return run.Resolution{
			Standing: LeftOut, Value: MarkLeftOut(was.Ref.ID), Wait: waitFor(place, was.Ref), State: record.Gone,
			Why: fmt.Sprintf("%s, whom it means, is gone", was.Ref),
		}, nil
	}
	return r.standingOf(ctx, place, e, r.targetOf(side, ref))
}

// isStill reports whether a record is the one that was meant, and not another record that was given its id. The
// time when it was made tells. If its system does not show that, its name or the phone tells.
func (r *Room) isStill(place record.Place, e record.Entry, was record.Meant, parts record.Value) bool {
	now := r.meantBy(place, e)
	if now.Born != 0 && was.Born != 0 {
		return now.Born == was.Born
	}
	phone := record.Key{Name: "phone", Text: parts.Map()["phone"].Text()}
	return now.Name == was.Name || slices.Contains(e.Keys, phone) || slices.Contains(e.Keys, r.Jobs[place.Binding].SealedKey(phone))
}

// meantBy describes a record as what a reference means, so that it can be noted.
func (r *Room) meantBy(place record.Place, e record.Entry) record.Meant {
	job := r.Jobs[place.Binding]
	return record.Meant{
		Binding: place.Binding, Side: place.Side, Ref: e.Ref, Born: run.BornOf(e),
		Name: r.digestOfName(TextParts(job, place.Side, e.Last())["name"].Text()),
	}
}

// shownAs returns a digest of how a record shows whom it names: by a name and a phone. The order of the words of
// the name makes no difference.
func (r *Room) shownAs(parts record.Value) string {
	p := parts.Map()
	return r.digestOfName(p["name"].Text() + " " + p["phone"].Text())
}

func (r *Room) digestOfName(text string) string {
	words := strings.Join(NameWords(text), " ")
	if r.Job.Seal != nil {
		return record.Seal(r.Job.Seal, record.OfText(words)).Text()
	}
	return record.DigestOf("meant", []byte(words)).String()
}

// shownBase returns the base of a reference with empty values added: where the record was never shown to hold
// anything, and is shown as empty now. Example: a booking was made without a phone, for a guest who has none. It
// still is for that guest.
func (r *Room) shownBase(side record.Side, field string, kept record.Base, base, native record.Fields) record.Fields {
	for _, p := range r.Job.Mapping.Inputs(side, field) {
		if _, was := kept[p]; !was && native[p].Observed() && native[p].Empty() {
			base = base.With(record.Fields{p: native[p]})
		}
	}
	return base
}

// SameInputs reports whether the native values that a field is read from are those of the base.
func (r *Room) SameInputs(side record.Side, field string, native, base record.Fields) bool {
	for _, p := range r.Job.Mapping.Inputs(side, field) {
		if !native[p].Equal(base[p]) {
			return false
		}
	}
	return true
}

// namedAlike reports whether a record names somebody by the same id as its base does or, where there is no id, by
// the same phone. All other parts, a name among them, don't tell one person from another.
func (r *Room) namedAlike(side record.Side, field string, parts record.Value, native, base record.Fields) bool {
	m := r.Job.Mapping
	was, _ := m.Read(side, base)
	for _, part := range []string{mapping.PartID, mapping.PartPhone} { // in the order of resolveParts
		p := m.PartPath(side, field, part)
		now, then := parts.Map()[part].Text(), was[field].Map()[part].Text()
		switch hidden := native[p].Observed() && !base[p].Observed(); { // a digest only tells that the value was another one
		case hidden, now != then:
			return false
		case now != "":
			return true
		}
	}
	return false
}

// Settled returns the canonical base: what the side held when the link was settled. References are as they were
// resolved then.
func (r *Room) Settled(side record.Side, base record.Base, native record.Fields) map[string]record.Stored {
	if base == nil {
		return nil
	}
	canonical, _ := r.Job.Mapping.Read(side, native)
	out := make(map[string]record.Stored, len(canonical))
	for f, v := range canonical {
		if was := native[plan.RefPath(f)]; r.Refs[f] && (was.Observed() || !v.Empty()) {
			v = was
		}
		if v.Observed() {
			out[f] = record.Keep(v)
		}
	}
	r.observe.SettledDigests(side, base, native, out)
	return out
}

// Parts returns how a side writes a reference: by the id under which its own system knows the record, and by its
// phone, mail and name. The value is empty if nothing can be written.
func (r *Room) Parts(ctx context.Context, side record.Side, ref run.Reference, value record.Value, res run.Resolution) (record.Value, error) {
	if run.IsMarker(value) {
		if ref.Snapshot && res.Standing != LeftOut {
			return r.snapshot(ctx, ref, res)
		}
		return record.OfMap(map[string]record.Value{"name": record.OfText(ref.IfLeftOut)}), nil
	}
	job := r.Jobs[ref.Binding]
	pair, ok, err := r.store.ByEntity(ctx, ref.Binding, value.Text())
	if err != nil || !ok {
		return record.Value{}, err
	}
	there, to := ref.Sides[side], r.targetOf(side.Other(), ref)
	if !r.LeadsThere(job, pair, to) {
		return record.Value{}, nil
	}
	e := pair.Sides[there]
	if e.Damaged != "" && to.ByID { // its id is known
		return PartsOf(job, there, e, nil), nil
	}
	native, err := r.observe.ValuesOf(ctx, job, there, e)
	if err != nil {
		return record.Value{}, err
	}
	return PartsOf(job, there, e, native), nil
}

// PartsOf returns how a record is named in its own system: by its id and in texts.
func PartsOf(job *run.Job, side record.Side, e record.Entry, native record.Fields) record.Value {
	p := TextParts(job, side, native)
	p["id"] = record.OfText(e.Ref.ID)
	return record.OfMap(p)
}

// snapshot returns what is known of a record that has no entity: the texts that its own side shows of it. If the
// record is not known, it is the name that the job has for that.
func (r *Room) snapshot(ctx context.Context, ref run.Reference, res run.Resolution) (record.Value, error) {
	place := record.Place{Binding: res.Wait.Binding, Side: res.Wait.Side}
	e, ok, err := r.store.Entry(ctx, place, res.Wait.Ref)
	if err != nil || !ok {
		return record.OfMap(map[string]record.Value{"name": record.OfText(ref.IfLeftOut)}), err
	}
	job := r.Jobs[ref.Binding]
	native, err := r.observe.ValuesOf(ctx, job, place.Side, e)
	return record.OfMap(TextParts(job, place.Side, native)), err
}

// TextParts returns how a record is named in texts: by its phone, mail and name.
func TextParts(job *run.Job, side record.Side, native record.Fields) map[string]record.Value {
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

// AllParts returns, for each side, how it would write the references that the other side shows. A reference by
// which both sides mean the same is missing: it is not written.
func (r *Room) AllParts(ctx context.Context, sides [2]run.SeenSide) ([2]record.Fields, error) {
	out := [2]record.Fields{{}, {}}
	for _, ref := range r.Job.References {
		for _, side := range record.Sides {
			value := sides[side.Other()].Now[ref.Field]
			if !value.Observed() || value.Equal(sides[side].Now[ref.Field]) { // both name the same: it is not written
				continue
			}
			p, err := r.Parts(ctx, side, ref, value, sides[side.Other()].Open[ref.Field])
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
