package simulator

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Put stores a record as it is, past the rules and the tidying of the API, as data
// that got there some other way, and returns its id: the record's own "id" or a new
// one. A record of the same id is replaced. The id is empty when the resource is
// unknown or the record has no JSON form. Field names are the API's; unknown ones
// are shown as they are.
func (s *Sim) Put(resource string, record map[string]any) string {
	fields := plain(record)
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.account("").tables[resource]
	if t == nil || fields == nil {
		return ""
	}
	return s.putPlain(t, fields).id
}

func (s *Sim) putPlain(t *table, fields map[string]any) *row {
	id := textOf(fields, "id")
	if id == "" {
		id = s.newID(t)
	}
	for _, own := range []string{"id", "created_at", "updated_at"} {
		delete(fields, own)
	}
	return s.put(t, id, t.rows[id], fields)
}

// Get returns a record with its id. Numbers in it are json.Number.
func (s *Sim) Get(resource, id string) (map[string]any, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.account("").tables[resource]
	if t == nil || t.rows[id] == nil {
		return nil, false
	}
	return t.rows[id].record(), true
}

// Edit lays fields over a record as a person in the platform's own pages would, past
// the rules and the tidying of the API; nil clears a field. It tells whether there
// is such a record.
func (s *Sim) Edit(resource, id string, fields map[string]any) bool {
	sent := plain(fields)
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.account("").tables[resource]
	if t == nil || t.rows[id] == nil || sent == nil {
		return false
	}
	merged := maps.Clone(t.rows[id].fields)
	for name, v := range sent {
		if v == nil {
			delete(merged, name)
			continue
		}
		merged[name] = v
	}
	s.put(t, id, t.rows[id], merged)
	return true
}

// Remove deletes a record and tells whether there was one.
func (s *Sim) Remove(resource, id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.account("").tables[resource]
	if t == nil || t.rows[id] == nil {
		return false
	}
	s.remove(t, t.rows[id])
	return true
}

// All returns the records of a resource in order of creation.
func (s *Sim) All(resource string) []map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.account("").tables[resource]
	if t == nil {
		return nil
	}
	return t.all()
}

// Len is the number of records of a resource.
func (s *Sim) Len(resource string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.account("").tables[resource]
	if t == nil {
		return 0
	}
	return len(t.rows)
}

func (t *table) all() []map[string]any {
	out := []map[string]any{}
	for _, r := range t.sorted(IDAsc) {
		out = append(out, r.record())
	}
	return out
}

// State is every record of every account: account, resource, records in order of creation.
type State map[string]map[string][]map[string]any

// Export returns a copy of every record.
func (s *Sim) Export() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := State{}
	for name, a := range s.accounts {
		out[name] = map[string][]map[string]any{}
		for kind, t := range a.tables {
			out[name][kind] = t.all()
		}
	}
	return out
}

// Import replaces every record by those of a state. It changes nothing when the
// state names an unknown resource or holds what has no JSON form.
func (s *Sim) Import(state State) error {
	for name, kinds := range state {
		for kind, records := range kinds {
			if !s.offers(kind) {
				return fmt.Errorf("import account %q: resource %q is unknown; this simulator has %s", name, kind, s.offered())
			}
			if i := slices.IndexFunc(records, func(r map[string]any) bool { return plain(r) == nil }); i >= 0 {
				return fmt.Errorf("import account %q: record %d of %s has no JSON form", name, i, kind)
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	swapped := s.swapped
	defer func() { s.swapped = swapped }()
	s.accounts = map[string]*account{}
	for name, kinds := range state {
		s.swapped = name
		for kind, records := range kinds {
			for _, r := range records {
				s.putPlain(s.account("").tables[kind], plain(r))
			}
		}
	}
	return nil
}

// Snapshot keeps a backup of every account in the Sim, in place of the last one.
func (s *Sim) Snapshot() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.backup = cloneAccounts(s.accounts)
}

// Restore puts the last backup back, as often as asked, and tells whether there is
// one. Sequential ids go on from where they were in the backup, as a database's
// sequence would, and so come to stand for other records than before.
func (s *Sim) Restore() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.backup == nil {
		return false
	}
	s.accounts = cloneAccounts(s.backup)
	return true
}

func cloneAccounts(accounts map[string]*account) map[string]*account {
	out := map[string]*account{}
	for name, a := range accounts {
		out[name] = &account{tables: map[string]*table{}}
		for kind, t := range a.tables {
			out[name].tables[kind] = t.clone()
		}
	}
	return out
}

func (s *Sim) offers(name string) bool {
	return slices.ContainsFunc(s.api.resources, func(r *resource) bool { return r.name == name })
}

func (s *Sim) offered() string {
	var names []string
	for _, r := range s.api.resources {
		names = append(names, r.name)
	}
	return strings.Join(names, ", ")
}

func (r *row) record() map[string]any {
	out := plain(r.fields)
	out["id"] = r.id
	return out
}

// plain is a deep copy of a record in the types of decoded JSON, nil if it has none.
func plain(record map[string]any) map[string]any {
	b, err := json.Marshal(record)
	if err != nil {
		return nil
	}
	out, err := decodeObject(b)
	if err != nil {
		return map[string]any{} // a nil map
	}
	return out
}

func decodeObject(b []byte) (map[string]any, error) {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	var out map[string]any
	if err := dec.Decode(&out); err != nil {
		return nil, err
	}
	if out == nil {
		return nil, fmt.Errorf("not an object")
	}
	if dec.More() {
		return nil, fmt.Errorf("more than one value")
	}
	return out, nil
}
