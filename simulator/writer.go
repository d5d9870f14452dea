package simulator

import (
	"fmt"
	"math/rand/v2"
)

// Writer changes records while a client pages through them: after each page of a
// list of Resource, with probability Rate, it inserts, deletes or updates one
// record, each as likely.
type Writer struct {
	Resource string  `json:"resource"`
	Rate     float64 `json:"rate"`
	Seed     uint64  `json:"seed"`
	// MoveNames makes updates change the name, and so the row's place in ByName.
	MoveNames bool `json:"move_names"`
	// Insert, when set, makes the record to insert; n counts from 1.
	Insert func(n int) map[string]any `json:"-"`
	// Wrote, when set, is told of each write: "insert", "delete" or "update". It
	// must not call the Sim.
	Wrote func(op, id string) `json:"-"`
}

type writer struct {
	Writer
	rng *rand.Rand
	n   int
}

// SetWriter starts a writer in place of the last one; nil stops it.
func (s *Sim) SetWriter(w *Writer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writer = nil
	if w != nil {
		s.writer = &writer{Writer: *w, rng: seeded(w.Seed)}
	}
}

// OnList sets what is called after each page of a list is read and before it is sent,
// with the number of the page from 1. It may call the Sim. A find by a key is a list
// of one page. nil unsets it.
func (s *Sim) OnList(f func(page int)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onList = f
}

// write lets the writer have its turn after a page. The lock is held.
func (s *Sim) write(c *call) {
	w := s.writer
	if w == nil || c.res.name != w.Resource || w.rng.Float64() >= w.Rate {
		return
	}
	t := s.account(s.opt.Keys[s.api.traits.key(c)].Account).tables[c.res.name]
	rows := t.sorted(s.opt.Order)
	op := w.rng.IntN(3)
	if op > 0 && len(rows) == 0 {
		return
	}
	var r *row
	switch op {
	case 0:
		w.n++
		r = s.putPlain(t, w.record(t.res))
		w.tell("insert", r)
	case 1:
		r = rows[w.rng.IntN(len(rows))]
		s.remove(t, r)
		w.tell("delete", r)
	default:
		r = rows[w.rng.IntN(len(rows))]
		w.n++
		r = s.put(t, r.id, r, w.touched(t.res, r))
		w.tell("update", r)
	}
}

func (w *writer) tell(op string, r *row) {
	if w.Wrote != nil {
		w.Wrote(op, r.id)
	}
}

// record is an invented record that collides with none.
func (w *writer) record(res *resource) map[string]any {
	if w.Insert != nil {
		if fields := plain(w.Insert(w.n)); fields != nil {
			return fields
		}
	}
	name, phone := fmt.Sprintf("Writer%06d", w.rng.IntN(1e6)), fmt.Sprintf("+999%08d", w.n)
	mail := fmt.Sprintf("writer%d@example.com", w.n)
	switch res.name {
	case "people":
		return map[string]any{"name": map[string]any{"given": "Test", "family": name}, "mobile": phone, "mail": mail}
	case "reservations":
		return map[string]any{
			"client_full_name": "Test " + name, "client_phone_number": phone, "client_email": mail,
			"starting_date": "2030-01-01", "ending_date": "2030-01-03", "status": statuses[0],
		}
	default:
		return map[string]any{"first_name": "Test", "last_name": name, "phone_number": phone, "email": mail}
	}
}

// touched is a row's fields after an update.
func (w *writer) touched(res *resource, r *row) map[string]any {
	out := plain(r.fields)
	note, name := fmt.Sprintf("edit %d", w.n), fmt.Sprintf("Moved%06d", w.rng.IntN(1e6))
	switch res.name {
	case "people":
		out["lang"] = note
		if w.MoveNames {
			out["name"] = map[string]any{"given": "Test", "family": name}
		}
	case "reservations":
		out["details"] = note
		if w.MoveNames {
			out["client_full_name"] = name
		}
	default:
		out["notes"] = note
		if w.MoveNames {
			out["last_name"] = name
		}
	}
	return out
}
