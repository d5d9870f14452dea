package entries

import (
	"slices"
	"strings"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// vouch notes which paths the version of a read does not vouch for. If the read tells that the record was changed,
// and did not show all of it, the record is read by id: an edit may be in a field that the read did not show. was
// is the entry before the read; edited says that the read showed something new.
func (r *Row) vouch(g Sight, was record.Entry, edited bool) {
	o, unshown := g.Seen.Observation, g.Seen.Unshown
	byID := o.View == "get"
	if len(unshown) == 0 && (!byID || was.Vouching == nil) {
		r.Vouching = nil
		return
	}
	var v record.Vouching
	if was.Vouching != nil {
		v = *was.Vouching
	}
	sign, known := record.Sign{Version: o.Version, Changed: o.Changed}, knownBy(was)
	if v.Unshown = unvouched(was, o.Version, v.Unshown, unshown); sign.Outdates(known) {
		v.Unshown = unshown
	}
	if byID {
		r.signByID(&v, sign, g.Seen)
	} else {
		r.signByList(&v, sign, known, g.Seen, was, edited)
	}
	r.Vouching = &v
}

// signByID notes the sign (version and time of change) that a read by id showed. If a list asked for the read
// because of another sign, the record is read once more, after the settle time: this read may lag behind the list.
func (r *Row) signByID(v *record.Vouching, sign record.Sign, seen record.Seen) {
	switch {
	case sign.None():
	case !v.Asked.None() && !sign.Same(v.Asked) && !v.Asked.Same(v.Again):
		r.ask(Latest(seen.Observation.At, seen.Until))
		v.Known, v.Again = sign, v.Asked
	case sign.Same(v.Asked): // answered: if a list shows this sign again after another one, it asks again
		v.Known, v.Asked, v.Again = sign, record.Sign{}, record.Sign{}
	default:
		v.Known = sign
	}
}

// signByList notes the sign that a list showed. If the list shows only a part of a linked record, the record is
// read by id once for each new sign. A list that shows a new value tells of an edit too, even with the known sign
// or none. Paths that the record lacks for now are no reason to read it: await decides when to read these.
func (r *Row) signByList(v *record.Vouching, sign, known record.Sign, seen record.Seen, was record.Entry, edited bool) {
	at, more := seen.Observation.At, r.Link != 0 && seen.More && !r.waitsFor(seen.Unshown)
	switch {
	case more && edited && (sign.None() || sign.Same(known)):
		r.ask(at)
	case sign.None():
	case sign.Same(known) || was.Base == nil && was.Seen == nil:
		v.Known = sign
	case more && !sign.Same(v.Asked):
		r.ask(at)
		v.Asked = sign
	}
}

// unvouched returns the paths that no read has shown with this version. before are these paths for the last
// version; unshown are the paths that this read did not show.
func unvouched(was record.Entry, version record.Version, before, unshown []string) []string {
	switch {
	case version == "": // a read without a version vouches for nothing, and changes nothing
		return before
	case version != was.LastVersion(), slices.Contains(before, record.AllPaths):
		return unshown
	}
	return slices.DeleteFunc(slices.Clone(before), func(p string) bool { return !slices.Contains(unshown, p) })
}

// standsStill reports whether a read shows a new value, but the version that vouched for the known one. A path
// that was written and that no read has shown since does not count: the system may have made the new value of what
// was sent.
func (r *Row) standsStill(o record.Observation) bool {
	for _, path := range o.Fields.Names() {
		now := o.Fields[path]
		if !now.Observed() || r.unread(record.Fields{path: now}) || !r.Vouches(o.Version, []string{path}) {
			continue
		}
		if r.news(record.Fields{path: now}) && !Alike(r.Last()[path], now) {
			return true
		}
	}
	return false
}

// knownBy returns the last sign with which all paths of an entry are known.
func knownBy(e record.Entry) record.Sign {
	if v := e.Vouching; v != nil && (!v.Known.None() || slices.Contains(v.Unshown, record.AllPaths)) {
		return v.Known
	}
	s := record.Sign{Version: e.LastVersion()}
	if e.Seen != nil {
		s.Changed = e.Seen.Changed
	}
	return s
}

// waitsFor reports whether a record is unfinished, and lacks all these paths for now.
func (r *Row) waitsFor(paths []string) bool {
	return r.Unfinished != nil && !slices.ContainsFunc(paths, func(p string) bool { return !slices.Contains(r.Unfinished.Lacks, p) })
}

// vouchAnswer notes which paths the version in the answer to our own write does not vouch for: those that the
// answer did not show. was is the entry before the write.
func (r *Row) vouchAnswer(a record.Receipt, was record.Entry) {
	v := record.Vouching{Known: knownBy(was)}
	if was.Vouching != nil {
		v.Asked, v.Again = was.Vouching.Asked, was.Vouching.Again
	}
	hidden := func(p string, known bool) {
		if known && !a.Fields[p].Observed() && !slices.Contains(v.Unshown, p) && !strings.HasPrefix(p, "@") {
			v.Unshown = append(v.Unshown, p)
		}
	}
	for p, s := range r.Base {
		hidden(p, s.Known())
	}
	if r.Seen != nil {
		for p, s := range r.Seen.Fields {
			hidden(p, s.Observed())
		}
	}
	if was.Vouching != nil {
		for _, p := range was.Vouching.Unshown {
			hidden(p, p != record.AllPaths)
		}
	}
	slices.Sort(v.Unshown)
	if len(v.Unshown) > 0 {
		r.Vouching = &v
	} else if was.Vouching != nil {
		v.Known = record.Sign{Version: a.Version, Changed: a.Changed}
		r.Vouching = &v
	}
}

// vouching is a record.Vouching, and a record.Revision, as their column holds them.
type vouching struct {
	Unshown []string `json:"u,omitempty"`
	Known   sign     `json:"k,omitzero"`
	Asked   sign     `json:"a,omitzero"`
	Again   sign     `json:"g,omitzero"`
	All     bool     `json:"v,omitempty"` // there is no record.Vouching: all was shown with the last version
	Settled sign     `json:"s,omitzero"`
	Now     sign     `json:"n,omitzero"` // only if it differs from Settled
	Unsaid  bool     `json:"l,omitempty"`
}

type sign struct {
	Version record.Version `json:"v,omitempty"`
	Changed sqlite.Moment  `json:"c,omitempty"`
}

func signOf(s record.Sign) sign { return sign{s.Version, sqlite.MomentOf(s.Changed)} }

func (s sign) sign() record.Sign { return record.Sign{Version: s.Version, Changed: s.Changed.Time()} }

func encodeVouching(v *record.Vouching, r record.Revision) (any, error) {
	out := vouching{All: true, Settled: signOf(r.Settled), Unsaid: r.Unsaid}
	if now := signOf(r.Now); now != out.Settled {
		out.Now = now
	}
	if v != nil {
		out.Unshown, out.Known, out.Asked, out.Again, out.All = v.Unshown, signOf(v.Known), signOf(v.Asked), signOf(v.Again), false
	} else if r == (record.Revision{}) {
		return nil, nil //nolint:nilnil // NULL is a value here
	}
	return sqlite.Encode(out)
}

func decodeVouching(text string) (*record.Vouching, record.Revision, error) {
	var v vouching
	if err := sqlite.Decode(text, &v); err != nil {
		return nil, record.Revision{}, err
	}
	r := record.Revision{Settled: v.Settled.sign(), Now: v.Settled.sign(), Unsaid: v.Unsaid}
	if v.Now != (sign{}) {
		r.Now = v.Now.sign()
	}
	if v.All {
		return nil, r, nil
	}
	return &record.Vouching{Unshown: v.Unshown, Known: v.Known.sign(), Asked: v.Asked.sign(), Again: v.Again.sign()}, r, nil
}
