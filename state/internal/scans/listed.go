package scans

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

const (
	leastStretch = 256       // entries that are read ahead at first, and after another write
	mostStretch  = chunkSize // entries that are read ahead while nothing else is written
	lookOn       = 8         // entries that a list may skip before its next record is looked up by id
	digestSize   = 16
)

// stretch holds entries of one place that were read at once, in the order of their numbers.
//
// Most lists show their records in the order in which they were first listed, which is the order of the numbers,
// or in the opposite order. Reading a stretch in that order costs a fraction of looking each record up by its id.
type stretch struct {
	version int64 // the count of commits when it was read: it does not hold after any other write
	size    int   // how many entries to read next
	down    bool  // the list shows them from the last to the first
	over    bool  // no entry follows the stretch

	nums   []int64
	ids    []string
	listed []record.Digest
	at     int // where the entry stands that should be listed next
}

// stretches holds the stretch of each place with an open scan.
type stretches struct {
	mu sync.Mutex
	of map[record.Place]*stretch
}

// Known returns what the fast path of a listing needs to know of the entries with these ids, in the order of the
// ids. The number is 0 where there is no entry. into is used for the result if it has room for it.
//
// What was read ahead counts until this Store writes anything but a page of the same place. Other processes do no
// harm: only the holder of a binding's lease, and so this Store, stores observations and writes of the binding.
// Another process may at most clear a digest, and then the same bytes still tell nothing new.
func (s *Store) Known(ctx context.Context, p record.Place, ids []string, into []record.Known) ([]record.Known, error) {
	s.ahead.mu.Lock()
	defer s.ahead.mu.Unlock()
	w := s.ahead.of[p]
	if w == nil {
		w = &stretch{size: leastStretch, over: true}
		if s.ahead.of == nil {
			s.ahead.of = map[record.Place]*stretch{}
		}
		s.ahead.of[p] = w
	}
	if now := s.db.Commits.Load(); w.version != now {
		w.again(now)
	}
	known := slices.Grow(into[:0], len(ids))
	var missing []int
	for i, id := range ids {
		k, ok := w.next(id)
		if !ok && w.at == len(w.nums) && !w.over {
			if err := s.readOn(ctx, p, w); err != nil {
				return nil, s.db.Explain("read known entries", err)
			}
			k, ok = w.next(id)
		}
		if !ok {
			missing = append(missing, i)
		}
		known = append(known, k)
	}
	if len(missing) == 0 {
		return known, nil
	}
	if err := s.lookUp(ctx, p, ids, missing, known); err != nil {
		return nil, s.db.Explain("read known entries", err)
	}
	if 2*len(missing) > len(ids) {
		w.follow(known, missing)
	}
	return known, nil
}

// again forgets what was read ahead. The next call reads on from the same place in the list.
func (w *stretch) again(version int64) {
	w.version, w.size = version, leastStretch
	switch {
	case w.at > 0:
		w.standBehind(w.nums[w.at-1])
	case len(w.nums) > 0 && w.down:
		w.standBehind(w.nums[0] + 1)
	case len(w.nums) > 0:
		w.standBehind(w.nums[0] - 1)
	}
}

// standBehind makes the stretch go on after an entry that was shown.
func (w *stretch) standBehind(num int64) {
	w.nums, w.ids, w.listed = append(w.nums[:0], num), append(w.ids[:0], ""), append(w.listed[:0], "")
	w.at, w.over = 1, false
}

// next returns the entry with this id if it is among the next few.
func (w *stretch) next(id string) (record.Known, bool) {
	for i := w.at; i < min(w.at+lookOn, len(w.ids)); i++ {
		if w.ids[i] == id && id != "" {
			w.at = i + 1
			return record.Known{Num: w.nums[i], Listed: w.listed[i]}, true
		}
	}
	return record.Known{}, false
}

// follow makes the stretch go on after the last record that was looked up, in the direction in which these were
// listed.
func (w *stretch) follow(known []record.Known, missing []int) {
	var first, last int64
	for _, i := range missing {
		if num := known[i].Num; num != 0 {
			if first == 0 {
				first = num
			}
			last = num
		}
	}
	if last == 0 {
		return
	}
	w.down = last < first
	w.standBehind(last)
}

// readOn reads the entries that follow the stretch.
func (s *Store) readOn(ctx context.Context, p record.Place, w *stretch) error {
	last := w.nums[len(w.nums)-1]
	// A wider gap between two numbers is taken for the end: it holds the entries of another side.
	from, to, order := last+1, last+int64(w.size)*lookOn, "ASC"
	if w.down {
		from, to, order = last-int64(w.size)*lookOn, last-1, "DESC"
	}
	var nums, ids string
	var listed []byte
	err := s.db.Reader.QueryRowContext(ctx, `SELECT coalesce(group_concat(num, ','), ''), coalesce(group_concat(id, char(0)), ''),
			CAST(coalesce(group_concat(CASE length(listed) WHEN `+strconv.Itoa(digestSize)+` THEN listed ELSE zeroblob(`+strconv.Itoa(digestSize)+`) END, ''), '') AS BLOB)
		FROM (SELECT num, id, listed FROM entry NOT INDEXED WHERE num BETWEEN ?1 AND ?2 AND binding = ?3 AND side = ?4
			ORDER BY num `+order+` LIMIT ?5 + 0)`, from, to, p.Binding, p.Side, w.size).Scan(&nums, &ids, &listed)
	if err != nil {
		return err
	}
	if nums == "" {
		w.over = true
		return nil
	}
	if err := w.fill(nums, ids, string(listed)); err != nil {
		return err
	}
	w.size = min(2*w.size, mostStretch)
	return nil
}

func (w *stretch) fill(nums, ids, listed string) error {
	n := len(listed) / digestSize
	w.nums, w.ids, w.listed = w.nums[:0], w.ids[:0], w.listed[:0]
	for i := range n {
		var num, id string
		num, nums, _ = strings.Cut(nums, ",")
		id, ids, _ = strings.Cut(ids, "\x00")
		number, err := strconv.ParseInt(num, 10, 64)
		if err != nil {
			return fmt.Errorf("read numbers of entries: %w", err)
		}
		digest := record.Digest(listed[i*digestSize : (i+1)*digestSize])
		if digest == noDigest {
			digest = ""
		}
		w.nums, w.ids, w.listed = append(w.nums, number), append(w.ids, id), append(w.listed, digest)
	}
	w.at = 0
	return nil
}

const noDigest = record.Digest("\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00")

// lookUp reads the entries of those ids that missing names, by the index, into known.
func (s *Store) lookUp(ctx context.Context, p record.Place, ids []string, missing []int, known []record.Known) error {
	asked, list := make(map[string]record.Known, len(missing)), make([]string, 0, len(missing))
	for _, i := range missing {
		if sqlite.Usable(ids[i]) {
			list = append(list, ids[i])
		}
	}
	if len(list) == 0 {
		return nil
	}
	text, err := json.Marshal(list)
	if err != nil {
		return err
	}
	rows, err := s.db.Reader.QueryContext(ctx, `SELECT id, num, listed FROM entry
		WHERE binding = ?1 AND side = ?2 AND id IN (SELECT value FROM json_each(?3))`, p.Binding, p.Side, string(text))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		var listed []byte
		var k record.Known
		if err := rows.Scan(&id, &k.Num, &listed); err != nil {
			return err
		}
		k.Listed = record.Digest(listed)
		asked[id] = k
	}
	for _, i := range missing {
		known[i] = asked[ids[i]]
	}
	return rows.Err()
}

// paged notes that a page of a place was stored. Entries that the page touched are looked up by id when they are
// shown again. The rest of the stretch still counts, unless something else was written meanwhile.
func (s *Store) paged(p record.Place, before int64, touched []int64) {
	s.ahead.mu.Lock()
	defer s.ahead.mu.Unlock()
	w := s.ahead.of[p]
	if w == nil || w.version != before || s.db.Commits.Load() != before+1 {
		return
	}
	w.version = before + 1
	for _, num := range touched {
		i, found := slices.BinarySearchFunc(w.nums, num, func(a, b int64) int {
			if w.down {
				a, b = b, a
			}
			return cmp.Compare(a, b)
		})
		if found {
			w.ids[i] = ""
		}
	}
}

// forget drops what was read ahead for a place.
func (s *Store) forget(p record.Place) {
	s.ahead.mu.Lock()
	defer s.ahead.mu.Unlock()
	delete(s.ahead.of, p)
}
