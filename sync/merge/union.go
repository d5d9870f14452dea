package merge

import (
	"maps"
	"slices"

	"nightporter/sync/record"
)

// elements holds the elements of one side, their keys in order, and the elements of its base.
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

// bring is union if only side from moved: the other side takes the merged set, and side from
// stays as it is. If side from still lacks its half of an earlier union, it takes the set too.
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

// halved reports whether an earlier union may have been written to the other side only, and not
// to side from. Its sign is that side from changed an element to what the other side's base
// already holds. If the sides have differed for long, this may be chance: then, too, side from
// is given what it lacks.
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

// union returns the merged set: in the order of the left side, then what only the right side
// has. ok is false if a side holds no list, or a base can't be read.
//
// An element that only one side has was removed on the other side if both bases had it.
// Otherwise one side added it, or the other never took it, and it stays: adding beats removing,
// as setting beats clearing.
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

// pick returns an element that both sides have under one key, in the spelling of the side that
// changed it. If both changed it, the greater encoding is taken: it is as good as the other, and
// the same whichever side is called left.
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

// elements returns the elements of a set by their key, and the keys in order, each once. A value
// that is not shown, or is empty, has no elements. ok is false for a filled value that is no list.
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
