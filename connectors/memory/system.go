package memory

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// System is one system: its records, and what was asked of it. It may be used by
// several goroutines.
type System struct {
	o     Options
	kinds map[record.Kind]Kind

	mu     sync.Mutex
	hooks  Hooks
	faults []*Fault
	counts Counts
	data   data
}

// data is what a Snapshot copies.
type data struct {
	tables map[record.Kind]*table
	late   []pending
}

// table is the records of one kind.
type table struct {
	made    int // ids given
	changes int // versions given
	rows    map[string]*row
	answers map[string]answered // by Change.ID, where the kind is idempotent
}

// answered is what a change was answered with, and when.
type answered struct {
	record.Record
	at time.Time
}

// row is a record and what it was before, oldest first.
type row struct {
	id      string
	created time.Time
	moved   string // id of the record that it was merged into
	images  []image

	contents map[string][]byte // by path, as they were given with its create; never changed
}

// image is what a record holds from a time on. Images are never changed.
type image struct {
	at      time.Time
	fields  record.Fields
	stamp   string
	version record.Version
	gone    bool
}

// pending is a change that the system will make later.
type pending struct {
	at    time.Time
	ch    record.Change
	given map[string][]byte
}

// New is an empty system.
func New(o Options) *System {
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &System{o: o, kinds: maps.Clone(o.Kinds), data: data{tables: map[record.Kind]*table{}}}
	for name := range s.kinds {
		s.data.tables[name] = &table{rows: map[string]*row{}, answers: map[string]answered{}}
	}
	return s
}

// at is what the row holds as seen with a lag; ok is false while it is not there.
func (r *row) at(now time.Time, lag time.Duration) (image, bool) {
	for _, im := range slices.Backward(r.images) {
		if lag <= 0 || !im.at.After(now.Add(-lag)) {
			return im, !im.gone
		}
	}
	return image{}, false
}

func (r *row) now() (image, bool) { return r.at(time.Time{}, 0) }

// table is a kind's records after everything whose time has come was applied.
func (s *System) table(kind record.Kind) (*table, Kind, error) {
	k, ok := s.kinds[kind]
	if !ok {
		return nil, k, connectors.Wrong(connectors.Unsupported, "", "there is no kind %q", kind)
	}
	s.settle()
	return s.data.tables[kind], k, nil
}

// Redescribe has a kind behave otherwise from now on. Its records stay.
func (s *System) Redescribe(kind record.Kind, k Kind) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.must(kind)
	s.kinds[kind] = k
}

// must is table for tests, which know the kinds they made.
func (s *System) must(kind record.Kind) (*table, Kind) {
	t, k, err := s.table(kind)
	if err != nil {
		panic(fmt.Sprintf("memory: there is no kind %q in this system", kind))
	}
	return t, k
}

// settle applies what was to be applied later and is due.
func (s *System) settle() {
	now := s.o.Now()
	for i := 0; i < len(s.data.late); {
		p := s.data.late[i]
		if p.at.After(now) {
			i++
			continue
		}
		s.data.late = slices.Delete(s.data.late, i, i+1)
		// Nobody waits for the answer, so a refusal reaches nobody.
		_, _ = s.change(p.ch, p.given, p.at)
	}
}

// keep keeps a change to be made later, in order of time.
func (s *System) keep(p pending) {
	i, _ := slices.BinarySearchFunc(s.data.late, p.at, func(q pending, at time.Time) int {
		if q.at.After(at) {
			return 1
		}
		return -1
	})
	s.data.late = slices.Insert(s.data.late, i, p)
}

// add puts a new row into t.
func (t *table) add(k Kind, id string, fields record.Fields, stamp string, now time.Time) *row {
	if id == "" {
		for k.GivesAgain && t.made > 0 && t.removed(newID(k, t.made)) {
			t.made--
		}
		for ok := true; ok; ok = t.taken(k, id) { // a test may have used the id
			t.made++
			id = newID(k, t.made)
		}
	}
	r := &row{id: id, created: now}
	t.rows[id] = r
	t.write(r, fields, stamp, now)
	return r
}

// removed reports whether a user removed the record of an id.
func (t *table) removed(id string) bool {
	r := t.rows[id]
	if r == nil {
		return false
	}
	_, there := r.now()
	return !there
}

// taken reports whether an id is given to no new record.
func (t *table) taken(k Kind, id string) bool {
	_, used := t.rows[id]
	return used && (!k.GivesAgain || !t.removed(id))
}

func newID(k Kind, n int) string {
	if k.NewID != nil {
		return k.NewID(n)
	}
	return fmt.Sprintf("%08d", n)
}

// write gives a row its next image.
func (t *table) write(r *row, fields record.Fields, stamp string, now time.Time) {
	t.changes++
	r.images = append(r.images, image{at: now, fields: fields, stamp: stamp, version: record.Version(fmt.Sprintf("v%d", t.changes))})
}

func (t *table) remove(r *row, now time.Time) {
	r.images = append(r.images, image{at: now, gone: true})
}

// kept is what the system keeps of fields: normalised, and without our stamp,
// which it returns by itself.
func (k Kind) kept(fields record.Fields) (record.Fields, string, bool) {
	out := make(record.Fields, len(fields))
	stamp, stamped := "", false
	for _, name := range fields.Names() {
		v := fields[name]
		if k.Stamp.Path != "" && name == k.Stamp.Path {
			stamp, stamped = v.Text(), true
			continue
		}
		if f := k.Normalise[name]; f != nil {
			v = f(v)
		}
		out[name] = v
	}
	return out, stamp, stamped
}

// Put is a user who adds a record; it returns the id. It checks nothing: users
// have their own ways to put what an interface would refuse.
func (s *System) Put(kind record.Kind, fields record.Fields) string { return s.PutAs(kind, "", fields) }

// PutAs is Put under an id; an id that is taken is replaced.
func (s *System) PutAs(kind record.Kind, id string, fields record.Fields) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, k := s.must(kind)
	kept, stamp, _ := k.kept(fields)
	return t.add(k, id, kept, stamp, s.o.Now()).id
}

// Edit is a user who changes some fields of a record. It is false when there is
// no such record. An Absent value takes the field out of the record.
func (s *System) Edit(kind record.Kind, id string, fields record.Fields) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, k := s.must(kind)
	r := t.rows[id]
	if r == nil {
		return false
	}
	im, ok := r.now()
	if !ok {
		return false
	}
	kept, stamp, stamped := k.kept(fields)
	if !stamped {
		stamp = im.stamp
	}
	next := im.fields.With(kept)
	for name, v := range fields {
		if !v.Observed() {
			delete(next, name)
		}
	}
	t.write(r, next, stamp, s.o.Now())
	if k.Still {
		r.images[len(r.images)-1].version = im.version
	}
	return true
}

// Remove is a user who removes a record. It is false when there is no such record.
func (s *System) Remove(kind record.Kind, id string) bool { return s.removeInto(kind, id, "") }

// Merge is a user who merges a record into another one: reading the first by its
// id says then that it moved.
func (s *System) Merge(kind record.Kind, id, into string) bool {
	return s.removeInto(kind, id, into)
}

func (s *System) removeInto(kind record.Kind, id, into string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, _ := s.must(kind)
	r := t.rows[id]
	if r == nil {
		return false
	}
	if _, ok := r.now(); !ok {
		return false
	}
	r.moved = into
	t.remove(r, s.o.Now())
	return true
}

// Get is a record as it is now, whole and without any lag.
func (s *System) Get(kind record.Kind, id string) (record.Record, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, k := s.must(kind)
	if r := t.rows[id]; r != nil {
		if im, ok := r.now(); ok {
			return k.whole(kind, r, im), true
		}
	}
	return record.Record{}, false
}

// All is every record of a kind as it is now, by id.
func (s *System) All(kind record.Kind) []record.Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, k := s.must(kind)
	return t.all(kind, k, "")
}

// Pending is how many changes are still to be applied.
func (s *System) Pending() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settle()
	return len(s.data.late)
}

// all is every record but the one of an id.
func (t *table) all(kind record.Kind, k Kind, but string) []record.Record {
	var out []record.Record
	for _, r := range t.rows {
		if im, ok := r.now(); ok && r.id != but {
			out = append(out, k.whole(kind, r, im))
		}
	}
	slices.SortFunc(out, func(a, b record.Record) int { return cmp.Compare(a.Ref.ID, b.Ref.ID) })
	return out
}

// Snapshot is a copy of all records of a System.
type Snapshot struct{ data data }

// Snapshot copies everything the system holds, what is still to be applied among
// it: a backup.
func (s *System) Snapshot() Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Snapshot{s.data.clone()}
}

// Restore puts a backup in the place of everything. Ids that were given since are
// given again. A Snapshot can be restored any number of times, also into another
// System of the same kinds.
func (s *System) Restore(snap Snapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.data = snap.data.clone()
}

func (d data) clone() data {
	out := data{tables: make(map[record.Kind]*table, len(d.tables)), late: slices.Clone(d.late)}
	for name, t := range d.tables {
		c := *t
		c.answers = maps.Clone(t.answers)
		c.rows = make(map[string]*row, len(t.rows))
		for id, r := range t.rows {
			copied := *r
			copied.images = slices.Clone(r.images)
			c.rows[id] = &copied
		}
		out.tables[name] = &c
	}
	return out
}

// shown is a record as a read shows it: want nil is all fields, hidden are left
// out, and where the kind's fields are known, all of them are there.
func (k Kind) shown(kind record.Kind, r *row, im image, want, hidden []string) record.Record {
	rec := record.Record{Ref: record.Ref{Kind: kind, ID: r.id}, Fields: record.Fields{}}
	show := func(name string, v record.Value) {
		if _, content := k.Contents[name]; !content && !slices.Contains(hidden, name) {
			rec.Fields[name] = v
		}
	}
	for name := range k.Fields {
		if name != k.Stamp.Path {
			show(name, record.Nothing())
		}
	}
	for name, v := range im.fields {
		show(name, v)
	}
	if k.Stamp.Path != "" {
		rec.Stamp = im.stamp
	}
	if k.Versions {
		rec.Version = k.numbered(im.version)
	}
	if k.Times {
		rec.Changed = im.at.Add(finer)
	}
	if k.Times || k.Born {
		rec.Created = r.created.Add(finer)
	}
	rec.Unfinished = k.unfinished(rec.Fields) // whatever is wanted: it is of the record
	maps.DeleteFunc(rec.Fields, func(name string, _ record.Value) bool { return want != nil && !slices.Contains(want, name) })
	return rec
}

// whole is a record with what no read shows yet.
func (k Kind) whole(kind record.Kind, r *row, im image) record.Record {
	rec := k.shown(kind, r, im, nil, nil)
	if rec.Unfinished != nil {
		for _, path := range rec.Unfinished.Lacks {
			if v := im.fields[path]; v.Observed() {
				rec.Fields[path] = v
			}
		}
	}
	return rec
}

// unfinished asks about what is shown, and takes away what is lacked: it is not there
// yet, which is not to say that it is empty.
func (k Kind) unfinished(shown record.Fields) *record.Unfinished {
	if k.Unfinished == nil {
		return nil
	}
	u := k.Unfinished(shown)
	if u != nil {
		for _, path := range u.Lacks {
			delete(shown, path)
		}
	}
	return u
}

// inside tells whether a row is one that the connector may read, and inside of a
// scope.
func (k Kind) inside(f record.Fields, scope connectors.Scope) bool {
	if k.Filter != nil && !k.Filter(f) {
		return false
	}
	if !k.windowed() || scope == (connectors.Scope{}) {
		return true
	}
	first, last := f[k.Window[0]].Text(), f[k.Window[1]].Text()
	if last == "" {
		last = first
	}
	return (scope.To == "" || strings.Compare(first, scope.To) <= 0) && (scope.From == "" || strings.Compare(last, scope.From) >= 0)
}

// ForgetKeys has the system forget which changes it has answered, as one does with an
// idempotency key after some days.
func (s *System) ForgetKeys() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.data.tables {
		clear(t.answers)
	}
}

// finer is what the times of records have beyond the milliseconds that a state keeps, as those of
// databases have.
const finer = 456 * time.Microsecond
