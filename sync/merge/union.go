package merge

import (
	"maps"
	"slices"

	"nightporter/sync/record"
)

// elements is one side's elements, in its own order, beside those of its base.
type elements struct {
	order []string
	now   map[string]record.Value
	base  map[string]record.Value
}

// union merges two sets by what each side added and removed.
func (u *unit) union() verdict {
	merged, ok := u.fields[0].union()
	if !ok {
		return hold("both sides changed it, and what each of them changed can't be told")
	}
	return u.take(merged, "what either side added or removed is added or removed on both", record.Left, record.Right)
}

// bring is union where side from moved alone: the side across takes it up and side
// from stays as it is, unless it is still to get its half of a union.
func (u *unit) bring(from record.Side) verdict {
	reason := "only " + the(from) + " changed it"
	merged, ok := u.fields[0].union()
	switch {
	case !ok:
		return u.write(from, reason)
	case u.halved(from):
		return u.take(merged, "a change of "+the(from)+" reached the other side, and nothing came back", record.Left, record.Right)
	}
	return u.take(merged, reason, from.Other())
}

// halved reports whether a union may have been written across and not to side from: it
// changed an element as it is settled already across. Where the sides differ since long
// that may be chance; side from is given what it lacks then, too.
func (u *unit) halved(from record.Side) bool {
	f := &u.fields[0]
	if rule := u.rule(); rule.Policy != Union || rule.To != Both || !u.single() || !f.settled() {
		return false
	}
	here, okHere := f.elements(from)
	across, okAcross := f.elements(from.Other())
	if !okHere || !okAcross {
		return false
	}
	taken := func(k string) bool {
		return !here.now[k].Equal(here.base[k]) && here.now[k].Equal(across.base[k])
	}
	return slices.ContainsFunc(here.order, taken) || slices.ContainsFunc(slices.Collect(maps.Keys(here.base)), taken)
}

// take writes merged to those of the sides that hold something else.
func (u *unit) take(merged record.Value, reason string, sides ...record.Side) verdict {
	rule := u.rule()
	if why := rule.refuses(merged); why != "" {
		return hold(why)
	}
	var act Act
	for _, s := range sides {
		switch {
		case rule.sameElements(merged, u.fields[0].now(s)):
		case act == Keep:
			act = writeTo(s)
		default:
			act = WriteBoth
		}
	}
	if act == Keep {
		return adopt("both sides hold the same elements")
	}
	return verdict{act: act, value: merged, reason: Because(reason)}
}

// union is the merged set: left's order, then what only the right side has. It is
// not ok where a side is no list, or its base can't be read.
//
// An element that is on one side only was removed on the other if both bases had it.
// Otherwise one of the sides added it, or never took it, and it stays: adding beats
// removing as setting beats clearing.
func (f *field) union() (merged record.Value, ok bool) {
	l, okL := f.elements(record.Left)
	r, okR := f.elements(record.Right)
	if !okL || !okR {
		return record.Value{}, false
	}
	removed := func(k string) bool { return has(l.base, k) && has(r.base, k) }
	var list []record.Value
	for _, k := range l.order {
		switch {
		case has(r.now, k):
			list = append(list, pick(k, l, r))
		case !removed(k):
			list = append(list, l.now[k])
		}
	}
	for _, k := range r.order {
		if !has(l.now, k) && !removed(k) {
			list = append(list, r.now[k])
		}
	}
	return record.OfList(list...), true
}

// pick is the element of a key that both sides have, in the spelling of the side that
// respelt it. Where both did, the greater encoding is as good as the other, and the
// same whichever side is called left.
func pick(k string, l, r elements) record.Value {
	a, b := l.now[k], r.now[k]
	switch {
	case a.Equal(b), r.base[k].Equal(b):
		return a
	case l.base[k].Equal(a), a.Encode() < b.Encode():
		return b
	}
	return a
}

func has(m map[string]record.Value, k string) bool { _, ok := m[k]; return ok }

func (f *field) elements(s record.Side) (e elements, ok bool) {
	base, plain := f.seen[s].Base.Plain()
	if !plain {
		return elements{}, false
	}
	_, e.base, ok = f.rule.elements(base)
	if !ok {
		return elements{}, false
	}
	e.order, e.now, ok = f.rule.elements(f.now(s))
	return e, ok
}

// elements is the elements of a set by their key, and the keys in order, each once.
// What is not shown, or empty, has none.
func (r *Rule) elements(v record.Value) (order []string, byKey map[string]record.Value, ok bool) {
	if v.Type() != record.List && v.Observed() && !v.Empty() {
		return nil, nil, false
	}
	byKey = make(map[string]record.Value, len(v.List()))
	for _, e := range v.List() {
		k := e.Encode()
		if r.Element != nil {
			k = r.Element(e)
		}
		if !has(byKey, k) {
			order, byKey[k] = append(order, k), e
		}
	}
	return order, byKey, true
}

// sameElements reports whether two sets hold the same, in whatever order.
func (r *Rule) sameElements(v, w record.Value) bool {
	_, a, okA := r.elements(v)
	_, b, okB := r.elements(w)
	if !okA || !okB || len(a) != len(b) {
		return false
	}
	for k, e := range a {
		if !b[k].Equal(e) {
			return false
		}
	}
	return true
}
