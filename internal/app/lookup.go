package app

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"

	"nightporter/internal/config"
	"nightporter/state"
	"nightporter/sync/mapping"
	"nightporter/sync/record"
)

// lookAt is how many entries are looked at closely for one question, in each job.
const lookAt = 5000

// Found is a record that answers to what somebody typed.
type Found struct {
	Job   record.Binding
	Entry record.Entry
	Name  string // what it is called there; "" where nothing is known of it
}

// LookUp finds the records of all jobs that a text may mean: an id, alone or as
// SYSTEM:ID or KIND:ID, a name, a phone in whatever spelling, a mail address, or any
// other value that a field holds, a booking's number. Of two linked records one is
// given. A job whose values are kept as digests is searched by ids and match keys.
func LookUp(ctx context.Context, cfg *config.Config, s *state.Store, text string) ([]Found, error) {
	text = strings.TrimSpace(text)
	if err := s.OpenDigests(ctx, cfg.State+".key", sealedJobs(cfg)); err != nil {
		return nil, err
	}
	l := looking{cfg: cfg, store: s, seen: map[int64]bool{}, links: map[record.LinkID]bool{}}
	if where, id, ok := strings.Cut(text, ":"); ok && id != "" {
		if err := l.byID(ctx, id, where); err != nil || len(l.found) > 0 {
			return l.found, err
		}
	}
	if err := l.byID(ctx, text, ""); err != nil {
		return nil, err
	}
	for i := range cfg.Jobs {
		if err := l.inJob(ctx, &cfg.Jobs[i], text); err != nil {
			return nil, err
		}
	}
	return l.found, nil
}

func sealedJobs(cfg *config.Config) []record.Binding {
	var out []record.Binding
	for _, j := range cfg.Jobs {
		if j.KeepValues == config.KeepDigest {
			out = append(out, record.Binding(j.Name))
		}
	}
	return out
}

// looking is one search.
type looking struct {
	cfg   *config.Config
	store *state.Store
	found []Found
	seen  map[int64]bool
	links map[record.LinkID]bool
}

func (l *looking) add(b record.Binding, m *mapping.Mapping, es ...record.Entry) {
	for _, e := range es {
		if l.seen[e.Num] || e.Link != 0 && l.links[e.Link] {
			continue
		}
		l.seen[e.Num], l.links[e.Link] = true, e.Link != 0
		f := Found{Job: b, Entry: e}
		if m != nil {
			now, _ := m.Read(e.Place.Side, e.Last())
			f.Name = Discreetly(l.cfg, m, record.OfText(nameIn(now))).Text()
		}
		l.found = append(l.found, f)
	}
}

// byID finds records by their id, in a system or of a kind, or anywhere.
func (l *looking) byID(ctx context.Context, id, where string) error {
	es, err := l.store.EntriesByID(ctx, id)
	if err != nil {
		return err
	}
	for _, e := range es {
		j, ok := l.cfg.Job(string(e.Place.Binding))
		if !ok {
			continue
		}
		system := [2]config.JobSide{j.Left, j.Right}[e.Place.Side].System
		if where != "" && where != system && where != string(e.Ref.Kind) {
			continue
		}
		m, err := MappingOf(l.cfg, j.Name)
		if err != nil {
			return err
		}
		l.add(e.Place.Binding, m, e)
	}
	return nil
}

// inJob finds records of a job by its match keys, and by what their fields hold.
func (l *looking) inJob(ctx context.Context, j *config.Job, text string) error {
	b := record.Binding(j.Name)
	m, err := MappingOf(l.cfg, j.Name)
	if err != nil {
		return err
	}
	keys := keysOf(m, j, text)
	for _, side := range record.Sides {
		es, err := l.store.Matching(ctx, record.Place{Binding: b, Side: side}, keys)
		if err != nil {
			return err
		}
		l.add(b, m, es...)
	}
	words := []string{text}
	if strings.ContainsFunc(text, unicode.IsLetter) {
		words = wordsOf(text)
	} else if d := digitsOf(text); len(d) > shortPhone { // its beginning may be written or not
		words = []string{d[len(d)-shortPhone:]}
	}
	es, err := l.store.EntriesLike(ctx, b, words, lookAt)
	if err != nil {
		return err
	}
	for _, e := range es {
		now, _ := m.Read(e.Place.Side, e.Last())
		if answersTo(m, now, keys, text) {
			l.add(b, m, e)
		}
	}
	return nil
}

// keysOf is the match keys that a text may stand for.
func keysOf(m *mapping.Mapping, j *config.Job, text string) []record.Key {
	var keys []record.Key
	for _, f := range m.Fields() {
		kind := cmp.Or(f.Of, f.Type)
		if kind != mapping.Phone && kind != mapping.Email {
			continue
		}
		v, err := ValueOf(m, f.Name, text, record.Pair{})
		if err != nil {
			continue
		}
		value := v.Text()
		if len(v.List()) == 1 {
			value = v.List()[0].Text()
		}
		if kind == mapping.Email {
			value = strings.ToLower(value)
		}
		keys = append(keys, record.Key{Name: f.Name, Text: value})
	}
	for _, rule := range j.Match { // a rule of one field that is neither: its text is its own
		if len(rule) == 1 && !slices.ContainsFunc(keys, func(k record.Key) bool { return k.Name == rule[0] }) {
			keys = append(keys, record.Key{Name: rule[0], Text: text}, record.Key{Name: rule[0], Text: strings.ToLower(text)})
		}
	}
	return keys
}

// shortPhone is how many digits from its end tell a number as people remember it.
const shortPhone = 7

// answersTo reports whether a record is meant by a text: a value is the same, it is
// called so, or one of its numbers ends so.
func answersTo(m *mapping.Mapping, now record.Fields, keys []record.Key, text string) bool {
	if holdsWords(nameIn(now), text) {
		return true
	}
	for _, f := range m.Fields() {
		kind := cmp.Or(f.Of, f.Type)
		for _, v := range textsOf(now[f.Name]) {
			switch {
			case strings.EqualFold(v, text):
				return true
			case f.Refer != "" && holdsWords(v, text):
				return true
			case (kind == mapping.Phone || f.Refer != "") && endsSo(v, text):
				return true
			case slices.ContainsFunc(keys, func(k record.Key) bool { return k.Name == f.Name && strings.EqualFold(k.Text, v) }):
				return true
			}
		}
	}
	return false
}

// textsOf is the texts in a value.
func textsOf(v record.Value) []string {
	switch v.Type() {
	case record.Text, record.Number:
		return []string{v.Text()}
	case record.List:
		var out []string
		for _, e := range v.List() {
			out = append(out, textsOf(e)...)
		}
		return out
	case record.Map:
		var out []string
		for _, e := range v.Map() {
			out = append(out, textsOf(e)...)
		}
		return out
	case record.Absent, record.Null, record.Bool, record.Content:
	}
	return nil
}

// nameIn is what a record is called by its fields.
func nameIn(now record.Fields) string {
	var parts []string
	for _, f := range []string{"full_name", "given_name", "family_name", "name", "company"} {
		if t := now[f].Text(); t != "" {
			parts = append(parts, t)
		}
	}
	for _, f := range now.Names() {
		if strings.HasSuffix(f, "name") && !slices.Contains(parts, now[f].Text()) && now[f].Text() != "" {
			parts = append(parts, now[f].Text())
		}
	}
	return strings.Join(parts, " ")
}

// holdsWords reports whether all words of text stand in name, in whatever order.
func holdsWords(name, text string) bool {
	want, have := wordsOf(text), wordsOf(name)
	if len(want) == 0 || !strings.ContainsFunc(text, unicode.IsLetter) {
		return false
	}
	for _, w := range want {
		if !slices.ContainsFunc(have, func(h string) bool { return strings.EqualFold(h, w) }) {
			return false
		}
	}
	return true
}

func wordsOf(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

func digitsOf(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text)
}

// endsSo reports whether a number is the one that was typed, whose beginning may be
// left out or spelt in another way.
func endsSo(number, text string) bool {
	if strings.ContainsFunc(text, unicode.IsLetter) {
		return false
	}
	have, want := digitsOf(number), strings.TrimLeft(digitsOf(text), "0")
	return len(want) >= shortPhone-1 && strings.HasSuffix(have, want)
}
