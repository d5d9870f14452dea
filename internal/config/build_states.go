package config

import (
	"slices"
	"strings"
)

// states are the steps of the fields whose conflicts go by rules.
func (j *jobBuilder) states() {
	for _, name := range j.all.keys(j.path("rules")...) {
		at := j.path("rules", name)
		if f, ok := j.job.Field(name); j.mapped(name, at) && ok && f.Conflict != PolicyRules {
			j.bad(at, "means nothing without conflict: rules at the field %s", name)
		}
	}
	for _, f := range j.job.Fields {
		if f.Conflict == PolicyRules {
			j.job.States = append(j.job.States, j.statesOf(f))
		}
	}
}

func (j *jobBuilder) statesOf(f Field) States {
	at := j.path("rules", f.Name)
	raw := j.raw.States[f.Name]
	s := States{Field: f.Name, Line: j.all.line(at...), Usual: UsualStay}
	var words []string
	if t, ok := j.job.Table(f.Name); ok {
		for _, row := range t.Rows {
			words = append(words, row.Word)
		}
	}
	if j.job.Kind == KindOrder {
		s.Usual = map[string]Usual{"status": UsualOrder, "payment": UsualPayment}[f.Name]
	}
	known := func(word string, at []string) bool {
		if slices.Contains(words, word) || len(words) == 0 {
			return true
		}
		j.bad(at, "%s is not one of our words for %s%s", shown(word), f.Name, didYouMean(word, words))
		return false
	}
	if len(raw.Steps)+len(raw.Back)+len(raw.Ends) > 0 {
		s.Usual = UsualNone
		s.Steps = append(j.steps(raw.Steps, under(at, "steps"), false, known), j.steps(raw.Back, under(at, "back"), true, known)...)
		for _, w := range raw.Ends {
			known(w, under(at, "ends"))
		}
		s.Ends = raw.Ends
	}
	j.usualFits(f, s, words, at)
	j.authority(f, raw, &s, at)
	j.mayMove(f, raw, &s, at, known)
	return s
}

func (j *jobBuilder) steps(raw map[string]words, at []string, back bool, known func(string, []string) bool) []Step {
	var out []Step
	for _, from := range j.all.keys(at...) {
		known(from, under(at, from))
		for _, to := range raw[from] {
			if known(to, under(at, from)) {
				out = append(out, Step{From: from, To: to, Back: back})
			}
		}
	}
	return out
}

// usualFits checks that steps which nobody wrote know the words of the table.
func (j *jobBuilder) usualFits(f Field, s States, words, at []string) {
	if j.job.Kind != KindOrder || len(s.Steps) > 0 {
		return
	}
	if s.Usual == UsualNone {
		if !j.wasThere(at) && !j.wasBelow(at) {
			j.missing(under(at, "steps"), "missing: by which steps does %s move? Only status and payment of an order have steps of their own", f.Name)
		}
		return
	}
	for _, w := range words {
		if usual := s.Usual.Words(); !slices.Contains(usual, w) {
			where := j.path(f.Name, w)
			if j.all.line(where...) == 0 {
				where = j.path("tables", f.Name, w)
			}
			j.bad(where, "the steps of %s know no %s%s (or write the steps yourself, under rules.%s.steps)",
				map[Usual]string{UsualOrder: "an order", UsualPayment: "a payment"}[s.Usual], shown(w), didYouMean(w, usual), f.Name)
		}
	}
}

// authority finds who has the say over a field. Of an order it must be declared, by a
// one-way field if by nothing else.
func (j *jobBuilder) authority(f Field, raw rawStates, s *States, at []string) {
	where := under(at, "authority")
	switch {
	case raw.Authority != "":
		if !j.ours(raw.Authority, where) {
			return
		}
		s.OfLeft = raw.Authority == j.job.Left.System
		if s.OfLeft && f.ToLeft && !f.ToRight || !s.OfLeft && f.ToRight && !f.ToLeft {
			j.bad(where, "%s is written to %s alone, which can't have the say over it then", f.Name, raw.Authority)
		}
	case f.ToLeft != f.ToRight:
		s.OfLeft = f.ToRight
	case j.job.Kind != KindOrder:
		s.Unsaid = true
	case (j.job.Left.May != nil) != (j.job.Right.May != nil) && f.Name == j.statusName():
		s.OfLeft = j.job.Right.May != nil
	default:
		j.missing(where, "missing: which of the two has the say over %s, %s or %s?", f.Name, j.job.Left.System, j.job.Right.System)
	}
}

// mayMove reads the words that each side may move to: under may, or by <system>_may, which
// is short for that of the status.
func (j *jobBuilder) mayMove(f Field, raw rawStates, s *States, at []string, known func(string, []string) bool) {
	short := f.Name == j.statusName() || j.job.Kind != KindOrder && len(j.raw.States) == 0
	for _, name := range j.all.keys(under(at, "may")...) {
		j.ours(name, under(at, "may", name))
	}
	for i, side := range j.sides() {
		words, given := raw.May[side.System]
		switch {
		case given && side.May != nil && short:
			j.bad(j.path(side.System+"_may"), "stands under rules.%s.may too: delete one", f.Name)
		case given:
			for _, w := range words {
				known(w, under(at, "may", side.System))
			}
		case short:
			words = side.May
		}
		may := slices.Clone(words)
		if given && may == nil {
			may = []string{}
		}
		if i == 0 {
			s.Left = may
		} else {
			s.Right = may
		}
	}
}

// statusName is the field that <system>_may is about.
func (j *jobBuilder) statusName() string {
	t, _ := j.statusTable()
	return t.Name
}

// clashes are words that need a person where they'd come together by one from each side.
func (j *jobBuilder) clashes() {
	at := j.path("clashes")
	if j.raw.Clashes == nil {
		if j.job.Kind == KindOrder && !j.wasThere(at) {
			j.usualClash()
		}
		return
	}
	for _, raw := range *j.raw.Clashes {
		c := Clash{Line: j.all.line(at...), Words: map[string][]string{}}
		if len(raw) < 2 {
			j.bad(at, "one field clashes with nothing: name words of two fields or more, such as { status: cancelled, payment: paid }")
		}
		for field, words := range raw {
			t, ok := j.job.Table(field)
			if !ok {
				if j.mapped(field, at) {
					j.bad(at, "%s has no table of words", field)
				}
				continue
			}
			for _, w := range words {
				if !slices.ContainsFunc(t.Rows, func(r WordRow) bool { return r.Word == w }) {
					j.bad(at, "%s is not one of our words for %s", shown(w), field)
				}
			}
			c.Words[field] = words
		}
		j.job.Clashes = append(j.job.Clashes, c)
	}
}

// usualClash is what nobody may guess about an order: that it was cancelled on one side
// and paid on the other, of which some may have gone back.
func (j *jobBuilder) usualClash() {
	c := Clash{Line: j.job.Line, Words: map[string][]string{}}
	for field, over := range map[string][]string{"status": {"cancelled", "refused"}, "payment": {"paid", "partially_refunded"}} {
		t, _ := j.job.Table(field)
		for _, row := range t.Rows {
			if slices.Contains(over, row.Word) {
				c.Words[field] = append(c.Words[field], row.Word)
			}
		}
	}
	if len(c.Words) == 2 {
		j.job.Clashes = append(j.job.Clashes, c)
	}
}

// each are the entries of a list's elements.
func (j *jobBuilder) each(f *Field, r rawField, at []string) {
	if len(r.Each) == 0 && !j.wasThere(under(at, "each")) {
		if len(r.Key) > 0 {
			j.bad(under(at, "key"), "means nothing without each, the entries of the list's elements")
		}
		return
	}
	if f.As != AsList {
		j.bad(under(at, "each"), "is for a list, and this field is a %s; as: says what it is", f.As)
		return
	}
	if r.Of != "" {
		j.bad(under(at, "of"), "means nothing with each, which says what the elements are")
	}
	if f.Conflict == PolicyUnion || f.Initial == PolicyUnion {
		j.bad(under(at, "conflict"), "union is not for a list with entries: one side's lines are taken whole")
	}
	f.Of, f.Key = AsBlock, r.Key
	var names []string
	for _, name := range j.all.keys(under(at, "each")...) {
		raw, ok := r.Each[name]
		if !ok {
			continue
		}
		names = append(names, name)
		f.Each = append(f.Each, j.entry(name, raw, under(at, "each", name)))
	}
	for _, name := range r.Key {
		if !slices.Contains(names, name) {
			j.bad(under(at, "key"), "%s is not under each%s", shown(name), didYouMean(name, names))
		}
	}
}

// entry is one entry of a list's elements.
func (j *jobBuilder) entry(name string, r rawField, at []string) Field {
	e := Field{Name: name, Line: j.all.line(at...), ToLeft: true, ToRight: true}
	e.As = choice(j.builder, r.As, usualAs(name), under(at, "as"), AsText, AsName, AsEmail, AsDate, AsInstant, AsMoney,
		AsNumber, AsBool, AsLanguage, AsCountry)
	if name == "quantity" && r.As == "" {
		e.As = AsNumber
	}
	for _, key := range j.all.keys(at...) {
		if !slices.Contains(append(j.sideNames(), "as"), key) && !j.wasThere(under(at, key)) {
			j.bad(under(at, key), "is not for an entry of a list: it has its names in both systems, and as")
		}
	}
	e.Left = j.fieldSide(j.job.Left.System, r, e, at)
	e.Right = j.fieldSide(j.job.Right.System, r, e, at)
	return e
}

// addsUp reads that an amount is the sum of a list's lines.
func (j *jobBuilder) addsUp() {
	for i := range j.job.Fields {
		f := &j.job.Fields[i]
		raw := j.raw.Fields[f.Name].AddsUp
		at := j.path("fields", f.Name, "adds_up")
		if raw == nil {
			continue
		}
		s := &Sum{
			Line: j.all.line(at...), Of: raw.Of, Times: raw.Times, Plus: raw.Plus, Minus: raw.Minus,
			Else: choice(j.builder, raw.Else, SumHold, under(at, "else"), SumHold, SumWarn),
		}
		if s.Of == "" {
			s.Of = "lines"
		}
		if len(s.Times) == 0 {
			s.Times = []string{"quantity", "price"}
		}
		if f.As != AsMoney {
			j.bad(at, "is for money, and this field is a %s", f.As)
		}
		list, ok := j.job.Field(s.Of)
		switch {
		case !ok:
			j.mapped(s.Of, under(at, "of"))
		case list.Of != AsBlock:
			j.bad(under(at, "of"), "%s is no list with entries: say each at that field", s.Of)
		default:
			j.multiplied(s, list, under(at, "times"))
		}
		for key, names := range map[string][]string{"plus": raw.Plus, "minus": raw.Minus} {
			for _, name := range names {
				if g, ok := j.job.Field(name); j.mapped(name, under(at, key)) && ok && g.As != AsMoney {
					j.bad(under(at, key), "%s is a %s, and no money", name, g.As)
				}
			}
		}
		f.AddsUp = s
	}
}

func (j *jobBuilder) multiplied(s *Sum, list Field, at []string) {
	var numbers []string
	for _, e := range list.Each {
		if e.As == AsNumber || e.As == AsMoney {
			numbers = append(numbers, e.Name)
		}
	}
	for _, name := range s.Times {
		if !slices.Contains(numbers, name) {
			j.bad(at, "%s is no number and no money of %s, which has %s", shown(name), s.Of, strings.Join(numbers, ", "))
		}
	}
}

// updates are what of the records of a side is changed once they are there.
func (j *jobBuilder) updates() {
	at := j.path("update")
	for _, name := range j.all.keys(at...) {
		j.ours(name, under(at, name))
	}
	for _, side := range j.sides() {
		where := under(at, side.System)
		side.Update = choice(j.builder, j.raw.Update[side.System], UpdateAlways, where, UpdateAlways, UpdateFillEmpty, UpdateNever)
		booked := j.job.Kind == KindStay || j.job.Kind == KindAppointment
		if booked && side.Update != UpdateAlways {
			j.bad(where, "is not for bookings: a status that stays behind sells a room twice")
		}
	}
}

// latestWindow checks the window of records that have no days of their own, as orders and
// calls: a side that lists all while the other shows the latest alone would have the old
// ones made anew there.
func (j *jobBuilder) latestWindow() {
	for i, side := range j.sides() {
		if j.sides()[1-i].Create == CreateNever {
			continue
		}
		if t, ok := j.tableOf(side); ok && t.Window == nil {
			j.missing(j.path("window"), "of %s nobody knows the day of a record: say window: { from: …, to: … } with its table, the column of that day twice", side.System)
		}
		if _, ok := j.fileOf(side); ok {
			j.bad(j.path("window"), "the rows of a file are read whole: a window is for tables and APIs")
		}
	}
}
