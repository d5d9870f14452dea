package serve

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/simulator"
)

const knowledge = `
time_zone: UTC
first_run: go
%s
grace: 1s
systems:
  platform:
    preset: platform
    base_url: http://platform.example.test
    key: "file:%s"
    override: { kinds: { documents: { %s } } }
  house: { type: folder, folder: %q }
jobs:
  documents:
    kind: record
    between: { house: documents, platform: documents }
    match: [[title, digest]]
    create: { house: never, platform: always }
    gone: { house: { archive: { active: false } }, platform: hold }
    fields:
      title:   { house: title,   platform: title,     to: platform, conflict: house }
      digest:  { house: digest,  platform: checksum,  to: platform, conflict: house }
      active:  { house: active,  platform: active,    to: platform, conflict: house, as: bool }
      content: { house: content, platform: file,      to: platform }
    when: { house: every 1m, full: "04:30" }
`

// shelf is an inn that has documents alone.
type shelf struct{ *inn }

func newShelf(t *testing.T, top, platform string) shelf {
	t.Helper()
	var s shelf
	s.inn = newInn(t, told{}, func(n *inn) {
		s.inn = n
		n.write(n.path, fmt.Sprintf(knowledge, top, filepath.Join(n.dir, "key"), platform, filepath.Join(n.dir, "knowledge")))
		for _, name := range []string{"hours", "pool", "bar"} {
			s.put(name, "the first of "+name)
		}
	})
	return s
}

// put writes a file as somebody did a while ago.
func (s shelf) put(name, text string) {
	s.t.Helper()
	path := filepath.Join(s.dir, "knowledge", name+".md")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		s.t.Fatal(err)
	}
	s.write(path, text+"\n")
	then := time.Now().Add(-time.Minute)
	if err := os.Chtimes(path, then, then); err != nil {
		s.t.Fatal(err)
	}
}

// has is what the knowledge base holds.
func (s shelf) has() string {
	var got []string
	for _, d := range s.sim.All("documents") {
		got = append(got, fmt.Sprintf("%v %v %v", d["title"], d["status"], d["active"]))
	}
	slices.Sort(got)
	return strings.Join(got, ", ")
}

// stands compares what the knowledge base holds.
func (s shelf) stands(what, want string) {
	s.t.Helper()
	if got := s.has(); got != want {
		s.t.Errorf("%s: the knowledge base has\n  %s\nwant\n  %s", what, got, want)
	}
}

// faulty has the next upload meet a fault, and whatever the platform is asked instead.
func (s shelf) faulty(kind simulator.FaultKind, delay time.Duration) {
	s.sim.AddFault(simulator.Fault{Kind: kind, Method: "POST", Delay: delay, Times: 1})
}

const settledSoon = "settle: 1m"

// Whatever became of an upload whose answer was lost, and whatever is done to the file
// meanwhile: a few looks at the folder later its newest version alone is active, also where
// the platform is compared whole but once a day.
func TestOutside28SupersededDocument(t *testing.T) {
	for name, tt := range map[string]struct {
		top, platform string
		fault         simulator.FaultKind
		delay         time.Duration
		edits         int // after the first
		within        time.Duration
		want          string
	}{
		"nothing is lost":             {"settle: 10m", "", "", 0, 0, 2 * time.Minute, "hours ready false, hours ready true"},
		"it was applied":              {settledSoon, "", simulator.FaultDropAfter, 0, 0, 3 * time.Minute, "hours ready false, hours ready true"},
		"applied, and edited again":   {settledSoon, "", simulator.FaultDropAfter, 0, 1, 4 * time.Minute, "hours ready false, hours ready false, hours ready true"},
		"applied, and edited twice":   {settledSoon, "", simulator.FaultDropAfter, 0, 2, 5 * time.Minute, "hours ready false, hours ready false, hours ready false, hours ready true"},
		"it was not applied":          {settledSoon, "", simulator.FaultDropBefore, 0, 0, 4 * time.Minute, "hours ready false, hours ready true"},
		"not applied, edited again":   {settledSoon, "", simulator.FaultDropBefore, 0, 1, 4 * time.Minute, "hours ready false, hours ready true"},
		"applied late":                {"settle: 3m", "", simulator.FaultLateDrop, 2 * time.Minute, 1, 8 * time.Minute, "hours ready false, hours ready false, hours ready true"},
		"applied later than believed": {settledSoon, "", simulator.FaultLateDrop, 90 * time.Second, 1, 5 * time.Hour, "hours ready false, hours ready false, hours ready true"},
		"no find, applied":            {settledSoon, "find: null", simulator.FaultDropAfter, 0, 0, 6 * time.Minute, "hours ready false, hours ready true"},
		"no find, and edited again":   {settledSoon, "find: null", simulator.FaultDropAfter, 0, 1, 6 * time.Minute, "hours ready false, hours ready false, hours ready true"},
		"no find, not applied":        {settledSoon, "find: null", simulator.FaultDropBefore, 0, 0, 8 * time.Minute, "hours ready false, hours ready true"},
		"a key that is not honoured":  {settledSoon, "find: null, idempotency: { header: Idempotency-Key }", simulator.FaultDropBefore, 0, 1, 8 * time.Minute, "hours ready false, hours ready true"},
		"a key, and edited again":     {settledSoon, "find: null, idempotency: { header: Idempotency-Key }", simulator.FaultDropAfter, 0, 1, 8 * time.Minute, "hours ready false, hours ready false, hours ready true"},
		"no find, not applied, again": {settledSoon, "find: null", simulator.FaultDropBefore, 0, 1, 8 * time.Minute, "hours ready false, hours ready true"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newShelf(t, tt.top, tt.platform)
				defer s.stop()
				s.pass(30 * time.Minute)
				s.stands("at first", "bar ready true, hours ready true, pool ready true")
				if tt.fault != "" {
					s.faulty(tt.fault, tt.delay)
				}
				s.put("hours", "the second")
				s.pass(90 * time.Second) // one look has seen it
				for i := range tt.edits {
					s.put("hours", fmt.Sprintf("edited again, %d", i))
					s.pass(time.Minute)
				}
				s.pass(tt.within)
				s.stands("in the end", "bar ready true, "+tt.want+", pool ready true")
				for _, p := range s.sim.DocumentProblems() {
					t.Errorf("the knowledge base: %s", p)
				}
			})
		})
	}
}

// What the platform takes its time to read is asked about by each look at the folder, for
// as long as an older version waits for it.
func TestOutside28OldVersionWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t, "settle: 10m", "")
		defer s.stop()
		s.pass(30 * time.Minute)
		s.sim.SetDocuments(simulator.Documents{Processing: 3 * time.Minute})
		s.put("hours", "the second")
		s.pass(3 * time.Minute)
		s.stands("while it is read", "bar ready true, hours processing true, hours ready true, pool ready true")
		s.pass(3 * time.Minute)
		s.stands("when it is ready", "bar ready true, hours ready false, hours ready true, pool ready true")
	})
}
