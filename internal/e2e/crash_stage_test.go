package e2e

import (
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"nightporter/sync/engine"
)

// crash is what a killed run panics with.
type crash struct{ step int }

// death is how a run ends before its time.
type death uint8

// The deaths.
const (
	killed      death = iota // the disk has all that the process wrote
	powerCut                 // what is not durable yet is gone, and the last frame of the log is torn
	unsyncedWAL              // control: all is gone that a store without fsync may lose
)

// stage is a scene that is set: what both systems and the state file held when the
// curtain rose. It is wound back to that moment for each run that is killed.
type stage struct {
	*house
	scene      scene
	pms, state []byte
}

// ramDir is a folder that needs no disk where there is one: a killed run leaves
// copies of files behind, so nothing here depends on what a disk does.
func ramDir(t *testing.T) string {
	t.Helper()
	if info, err := os.Stat("/dev/shm"); err != nil || !info.IsDir() {
		return t.TempDir()
	}
	dir, err := os.MkdirTemp("/dev/shm", "nightporter-e2e-") //nolint:usetesting // not on the disk
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// set sets a scene, once.
func (s scene) set(t *testing.T) *stage {
	h := newHouse(t, s.sim)
	h.move(ramDir(t))
	if s.settle > 0 {
		h.edit("settle: 1ms", "settle: "+s.settle.String())
	}
	if s.config != nil {
		s.config(h)
	}
	s.given(h)
	h.settleAll()
	time.Sleep(s.settle) //nolint:forbidigo // a link is young that long, and what is young is not taken for gone
	s.when(h)
	h.sim.Snapshot()
	st := &stage{house: h, scene: s}
	st.pms, st.state = h.read(h.pmsFile()), h.read(h.stateFile())
	return st
}

// move puts the house's files into another folder.
func (h *house) move(dir string) {
	h.config = strings.ReplaceAll(h.config, h.dir, dir)
	for _, name := range []string{"pms.db", "platform.key"} {
		h.write(filepath.Join(dir, name), string(h.read(filepath.Join(h.dir, name))))
	}
	h.db.Close()
	h.dir = dir
	h.openPMS()
}

func (h *house) pmsFile() string { return filepath.Join(h.dir, "pms.db") }

func (h *house) openPMS() {
	h.t.Helper()
	db, err := sql.Open("sqlite3", "file:"+h.pmsFile()+"?_busy_timeout=5000&_foreign_keys=1&_synchronous=OFF")
	if err != nil {
		h.t.Fatal(err)
	}
	h.db = db
	h.t.Cleanup(func() { db.Close() })
}

// read is a file's bytes, nil where there is none.
func (h *house) read(path string) []byte {
	h.t.Helper()
	b, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		h.t.Fatal(err)
	}
	return b
}

// rewind brings everything back to when the scene was set.
func (s *stage) rewind() {
	s.t.Helper()
	for s.sim.Pending() > 0 { // a write that comes late belongs to the last run
		pause()
	}
	s.db.Close()
	for _, end := range []string{"", "-wal", "-shm", "-journal"} {
		for _, file := range []string{s.pmsFile(), s.stateFile()} {
			if err := os.RemoveAll(file + end); err != nil {
				s.t.Fatal(err)
			}
		}
	}
	s.lives++
	s.write(s.pmsFile(), string(s.pms))
	if s.state != nil {
		s.write(s.stateFile(), string(s.state))
	}
	s.openPMS()
	s.sim.Restore()
	s.sim.ClearFaults()
	if s.scene.fault.Kind != "" {
		s.sim.AddFault(s.scene.fault)
	}
}

// run runs once and dies at step k, 0 for not at all. The state file is left as the
// disk had it at that moment. It gives the names of the steps there were.
func (s *stage) run(k int, how death) (steps []string) {
	s.rewind()
	dead := false
	s.step = func(name string) {
		steps = append(steps, name)
		if len(steps) == k && !dead {
			dead = true
			s.copyState(how)
			panic(crash{k})
		}
	}
	defer func() {
		s.step = nil
		if p := recover(); p != nil {
			if _, ok := p.(crash); !ok {
				panic(p)
			}
		}
		if dead {
			s.lives++
		}
	}()
	if _, err := s.trySync(engine.Options{Yes: true}); err != nil && !dead {
		s.t.Fatalf("sync: %v", err)
	}
	return steps
}

// copyState leaves the state file as the disk has it now under a new name, which
// the next runs use. What the killed run still does to the old one is of no account.
func (h *house) copyState(how death) (to string) {
	from := h.stateFile()
	h.lives++
	to = h.stateFile()
	h.lives--
	if file := h.read(from); file != nil {
		h.write(to, string(file))
	}
	wal := h.read(from + "-wal")
	if wal == nil || how == unsyncedWAL {
		return to
	}
	if how == powerCut {
		if h.durable != nil && h.durable() > 0 {
			wal = wal[:h.durable()]
		}
		wal = append(wal, make([]byte, 4096+24)...) // a frame that was on its way, torn
		copy(wal[len(wal)-2000:], "torn by the power cut")
	}
	h.write(to+"-wal", string(wal))
	return to
}

// chosen is the steps at which a scene's run is killed: with NIGHTPORTER_CRASH=all
// every one, otherwise those between the moment when a change is noted and the one
// when its answer is kept, and a dozen of the others.
func chosen(t *testing.T, steps []string, seed uint64) []int {
	t.Helper()
	var sure, others []int
	open := map[string]bool{}
	for i, name := range steps {
		verb, id, change := changeStep(name)
		if change && strings.HasPrefix(verb, "before open") {
			open[id] = true
		}
		twin := i > 0 && strings.HasPrefix(name, "before ") && strings.HasPrefix(steps[i-1], "after ")
		switch {
		case twin && os.Getenv("NIGHTPORTER_CRASH") != "all":
		case len(open) > 0:
			sure = append(sure, i+1)
		default:
			others = append(others, i+1)
		}
		if change && (strings.HasPrefix(verb, "after settle") || strings.HasPrefix(verb, "after fail")) {
			delete(open, id)
		}
	}
	if os.Getenv("NIGHTPORTER_CRASH") != "all" {
		rng := rand.New(rand.NewPCG(seed, 12))
		rng.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
		others = others[:min(12, len(others))]
	}
	all := slices.Concat(sure, others)
	slices.Sort(all)
	return all
}

// changeStep splits the name of a durable step of one change.
func changeStep(name string) (verb, id string, ok bool) {
	verb, id, ok = strings.Cut(name, " change ")
	return verb, id, ok
}

// pause lets the settle time of these tests pass, which is real and short.
func pause() { time.Sleep(2 * time.Millisecond) } //nolint:forbidigo // see above

// settleAll runs until nothing is left to do.
func (h *house) settleAll() {
	h.t.Helper()
	a := h.open()
	defer a.Close()
	var reports []engine.Report
	for range 60 {
		var err error
		if reports, err = a.Sync(h.t.Context(), nil, engine.Options{Yes: true}); err != nil {
			h.t.Fatalf("sync: %v", err)
		}
		l, r := writes(reports)
		unsettled := int64(0)
		for _, rep := range reports {
			unsettled += rep.Counts["unsettled"] + rep.Counts["unproven"] + rep.Counts["postponed"]
		}
		if l+r+unsettled == 0 && h.sim.Pending() == 0 {
			return
		}
		pause()
	}
	h.tell(reports)
	h.t.Fatal("sixty runs were not enough to come to rest")
}

// picture is what both sides hold in the end, without the ids that a retry may
// deal out differently.
func (h *house) picture() string {
	var lines []string
	for _, res := range []string{"contacts", "reservations"} {
		for _, r := range h.sim.All(res) {
			delete(r, "id")
			delete(r, "external_id")
			// The PMS gives each new guest a language. In the answer to our own request that is
			// nobody's word; of a guest that is found after a kill somebody may have said it.
			delete(r, "language")
			var parts []string
			for _, k := range slices.Sorted(maps.Keys(r)) {
				parts = append(parts, fmt.Sprintf("%s=%v", k, r[k]))
			}
			lines = append(lines, res+" "+strings.Join(parts, " "))
		}
	}
	for _, q := range []string{
		`SELECT 'guest ' || first_name || last_name || coalesce(phone,'') || coalesce(email,'') FROM guests`,
		`SELECT 'stay ' || g.first_name || r.arrival || r.departure || r.status || r.channel FROM reservations r JOIN guests g ON g.id = r.guest_id`,
	} {
		lines = append(lines, h.column(q)...)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// column is the rows of a query of one column.
func (h *house) column(query string) (texts []string) {
	h.t.Helper()
	rows, err := h.db.Query(query)
	if err != nil {
		h.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			h.t.Fatal(err)
		}
		texts = append(texts, s)
	}
	if err := rows.Err(); err != nil {
		h.t.Fatal(err)
	}
	return texts
}
