package e2e

import (
	"database/sql"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"nightporter/simulator"
	"nightporter/sync/engine"
)

// Whatever is edited, edited back, renamed and removed, whatever is cut off, fails, or is
// killed, and in whatever order: no title is ever without a version that it had, under
// whatever name, no file is there twice, and left alone the knowledge base holds just the
// files.
func TestDocumentsLaw(t *testing.T) {
	seeds := 8
	if n, err := strconv.Atoi(os.Getenv("NIGHTPORTER_DOCUMENTS")); err == nil {
		seeds = n
	}
	for seed := range seeds {
		t.Run(strconv.Itoa(seed), func(t *testing.T) {
			t.Parallel()
			newShuffle(t, uint64(seed)).play()
		})
	}
}

// shuffle is a library in which one thing after the other happens, by a seed.
type shuffle struct {
	*library
	rng   *rand.Rand
	files map[string]string // by name
	fresh map[string]fresh  // by name: what no run was seen to take notice of
	trace []string
}

// fresh is what became of a file since a run looked at it.
type fresh struct {
	edited bool
	was    string // its name before, "" if it is the same
}

func newShuffle(t *testing.T, seed uint64) *shuffle {
	s := &shuffle{
		library: newLibrary(t, []simulator.UploadForm{simulator.UploadMultipart, simulator.UploadBase64}[seed%2]),
		rng:     rand.New(rand.NewPCG(seed, 7)),
		files:   map[string]string{},
		fresh:   map[string]fresh{},
	}
	s.dir = ramDir(t)
	if seed%3 == 0 {
		s.edit("house: { archive: { active: false } }", "house: delete")
	}
	for _, name := range []string{"pool.md", "rooms.md", "bar.md", "a.md"} {
		s.set(name, "text of "+name)
	}
	return s
}

func (s *shuffle) note(format string, args ...any) {
	s.trace = append(s.trace, fmt.Sprintf(format, args...))
}

func (s *shuffle) set(name, text string) {
	s.files[name] = text
	s.put(name, text)
}

// change gives a file another text. One that was renamed and changed between two runs is a
// removed one and a new one.
func (s *shuffle) change(name, text string) {
	f := s.fresh[name]
	if f.was != "" {
		s.sim.EndDocument(titleOf(f.was))
	}
	s.fresh[name] = fresh{edited: true, was: f.was}
	s.set(name, text)
}

// rename gives a file another name.
func (s *shuffle) rename(from, to string) {
	if s.sim.RenameDocument(titleOf(from), titleOf(to)); s.fresh[from].edited {
		s.sim.EndDocument(titleOf(from))
	}
	s.set(to, s.files[from])
	delete(s.files, from)
	s.remove(from)
	s.fresh[to] = fresh{was: from}
}

func titleOf(name string) string { return strings.TrimSuffix(name, ".md") }

func (s *shuffle) some() string {
	names := slices.Sorted(maps.Keys(s.files))
	names = slices.DeleteFunc(names, func(n string) bool { return n == "pool.md" || n == "rooms.md" }) // what vouches for the folder stays
	return names[s.rng.IntN(len(names))]
}

func (s *shuffle) play() {
	s.t.Helper()
	defer func() {
		if s.t.Failed() {
			s.t.Logf("what happened:\n%s", strings.Join(s.trace, "\n"))
		}
	}()
	s.sync()
	for i := range 25 {
		s.happen(i)
		s.once()
	}
	s.sim.ClearFaults()
	s.sim.SetDocuments(simulator.Documents{})
	s.note("left alone")
	for range 5 {
		settled(s.t)
		s.inSync(`UPDATE entry SET recheck = 1 WHERE recheck IS NOT NULL`)
		s.sync()
	}
	s.check()
	s.sound()
}

// happen is one thing that somebody does, or that goes wrong.
func (s *shuffle) happen(i int) {
	switch s.rng.IntN(10) {
	case 0, 1, 2: // few texts, so that some come back
		name := s.some()
		s.change(name, fmt.Sprintf("%s, text %d", name, s.rng.IntN(4)))
		s.note("%d: %s is %q", i, name, s.files[name])
	case 3:
		from, to := s.some(), fmt.Sprintf("n%d.md", i)
		s.rename(from, to)
		s.note("%d: %s is now %s", i, from, to)
	case 4:
		if name := s.some(); len(s.files) > 3 {
			s.sim.EndDocument(titleOf(name))
			delete(s.files, name)
			s.remove(name)
			s.note("%d: %s is removed", i, name)
		}
	case 5:
		name := fmt.Sprintf("n%d.md", i)
		s.set(name, "new "+name)
		s.note("%d: %s is new", i, name)
	case 6:
		kind := []simulator.FaultKind{simulator.FaultDropBefore, simulator.FaultDropAfter, simulator.FaultTruncated}[s.rng.IntN(3)]
		s.sim.AddFault(simulator.Fault{Kind: kind, Method: "write", Skip: s.rng.IntN(2), Times: 1})
		s.note("%d: a write meets %s", i, kind)
	case 7:
		d := simulator.Documents{Processing: time.Hour}
		if s.rng.IntN(2) == 0 {
			d = simulator.Documents{FailText: "text 2"}
		}
		s.sim.SetDocuments(d)
		s.note("%d: documents are taken as %+v", i, d)
	case 8:
		s.sim.SetDocuments(simulator.Documents{})
		s.sim.ClearFaults()
		s.note("%d: all is processed", i)
	case 9:
		s.sim.AddFault(simulator.Fault{Kind: simulator.FaultStatus, Method: "POST"})
		s.note("%d: nothing can be uploaded", i)
	}
}

// once runs once, and may be killed.
func (s *shuffle) once() {
	s.t.Helper()
	if k := 1 + s.rng.IntN(120); k < 40 {
		s.note("killed at step %d: %t", k, s.dieTrying(k))
		return
	}
	_, err := s.trySync(engine.Options{Yes: true})
	s.note("run: %v", err)
	if err == nil {
		clear(s.fresh)
	}
}

// dieTrying is die of a run that may fail.
func (s *shuffle) dieTrying(k int) (died bool) {
	steps := 0
	s.step = func(string) {
		if steps++; steps == k {
			s.copyState(killed)
			panic(crash{k})
		}
	}
	defer func() {
		s.step = nil
		if p := recover(); p != nil {
			if _, ok := p.(crash); !ok {
				panic(p)
			}
			s.lives++
			died = true
		}
	}()
	_, err := s.trySync(engine.Options{Yes: true})
	s.note("run: %v", err)
	return false
}

// check compares the knowledge base with the folder.
func (s *shuffle) check() {
	s.t.Helper()
	want, got := []string{}, []string{}
	for name, text := range s.files {
		if !strings.Contains(text, "text 2") { // it may have failed, and the version before stays
			want = append(want, filepath.Base(name)+" "+sumOf(text)[:8])
		}
	}
	for _, d := range s.sim.All("documents") {
		name, text := fmt.Sprintf("%v.md", d["title"]), ""
		if f, ok := s.files[name]; ok {
			text = f
		}
		if d["active"] == true && !strings.Contains(text, "text 2") {
			got = append(got, fmt.Sprintf("%s %s", name, d["checksum"].(string)[:8]))
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	more := slices.DeleteFunc(slices.Clone(got), func(d string) bool { return slices.Contains(want, d) })
	lacks := slices.ContainsFunc(want, func(d string) bool { return !slices.Contains(got, d) })
	// A file that was renamed and then removed, before its document was written to, leaves a
	// document that was never in step with it: a person is asked, and until then it stays.
	if asked := s.asked(); lacks || len(more) > asked || len(got) != len(want)+len(more) {
		s.t.Errorf("active are\n  %s\nwant\n  %s\nand %d of which a person is asked", strings.Join(got, "\n  "), strings.Join(want, "\n  "), asked)
	}
}

// asked is how many records a person is asked about.
func (s *shuffle) asked() (n int) {
	s.t.Helper()
	db, err := sql.Open("sqlite3", "file:"+s.stateFile())
	if err != nil {
		s.t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRow(`SELECT count(*) FROM question WHERE closed IS NULL AND cause = 'edited'`).Scan(&n); err != nil {
		s.t.Fatal(err)
	}
	return n
}

// inSync changes the state file by the back door.
func (s *shuffle) inSync(query string) {
	s.t.Helper()
	(&callsHouse{house: s.house}).inState(query)
}
