package e2e

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"nightporter/simulator"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// quarantined is what nobody could read.
func (h *house) quarantined() (names []string) {
	h.t.Helper()
	a := h.open()
	defer a.Close()
	all, err := a.Store.Unreadable(h.t.Context(), "people")
	if err != nil {
		h.t.Fatal(err)
	}
	for _, q := range all {
		names = append(names, q.Name+": "+q.Problem)
	}
	return names
}

// What was put aside of a file goes with the row: a file that takes its place shows what is
// there now.
func TestOutside37QuarantineOfAReplacedFile(t *testing.T) {
	for name, bad := range map[string]string{
		"no key": "Anna,\n", "a key twice": "Anna,1\nBerta,1\n", "a stray quote": "An\"na,1\n", "too few columns": "1\n", "too many": "Anna,1,2,3\n",
	} {
		t.Run(name, func(t *testing.T) {
			_, h := newPlainHouse(t)
			folder := t.TempDir()
			h.edit("type: sqlite", "type: file")
			h.edit("address: pms.db", "folder: "+folder)
			h.edit("tables:\n      guests: { table: guests, key: id }", "files:\n      guests: { file: guests.csv, key: phone, write: rewrite }")
			h.edit("match: [name]", "match: [phone]")
			h.edit("pms: always", "pms: never")
			h.edit("crm: always", "crm: never")
			put := func(text string, ago time.Duration) {
				file := filepath.Join(folder, "guests.csv")
				h.write(file, "name,phone\nCara,9\n"+text)
				then := time.Now().Add(-ago)
				if err := os.Chtimes(file, then, then); err != nil {
					t.Fatal(err)
				}
			}
			put(bad, 2*time.Hour)
			h.sync()
			if got := h.quarantined(); len(got) == 0 {
				t.Errorf("nothing is put aside of %q", bad)
			}
			put("Dora,8\n", time.Hour)
			for range 3 {
				h.sync()
			}
			if got := h.quarantined(); len(got) > 0 {
				t.Errorf("still put aside: %q", got)
			}
		})
	}
}

// What a system refused of a version goes from the quarantine with that version.
func TestOutside37RefusedVersionIsReplaced(t *testing.T) {
	for name, then := range map[string]func(*library){
		"replaced": func(l *library) { l.put("hours.md", "From 8.\n") },
		"removed":  func(l *library) { l.remove("hours.md") },
	} {
		t.Run(name, func(t *testing.T) {
			l := hoursAndPool(t)
			l.sim.EndDocument("hours")
			l.sim.SetDocuments(simulator.Documents{MaxBytes: 20})
			l.put("hours.md", "From 8 to 22, on all days of the week.\n")
			l.tries(2)
			if got := l.refused(); len(got) != 1 {
				t.Errorf("refused are %v, want the version that is too large", got)
			}
			then(l)
			l.tries(3)
			if got := l.refused(); len(got) != 0 {
				t.Errorf("refused are still %v", got)
			}
		})
	}
}

// refused is what a system refused as it is.
func (l *library) refused() (texts []string) {
	l.t.Helper()
	a := l.open()
	defer a.Close()
	journal, err := a.Store.Refusals(l.t.Context(), "documents")
	if err != nil {
		l.t.Fatal(err)
	}
	for _, r := range engine.Refused(journal, nil, record.Fields.Digest) {
		texts = append(texts, r.Text)
	}
	return texts
}
