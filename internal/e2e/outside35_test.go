package e2e

import (
	"fmt"
	"slices"
	"testing"

	"nightporter/simulator"
	"nightporter/sync/engine"
)

// shelfOf is a library of so many documents, all across.
func shelfOf(t *testing.T, n int) *library {
	l := newLibrary(t, simulator.UploadMultipart)
	for i := range n {
		l.put(fmt.Sprintf("d%02d.md", i), fmt.Sprintf("text of %d\n", i))
	}
	l.sync()
	return l
}

// An ordinary afternoon stops nothing: what is edited, or gets another name, is no loss.
func TestOutside35VersionsAreNoLoss(t *testing.T) {
	for name, tt := range map[string]struct{ files, edited, renamed, removed int }{
		"two edited, one renamed, one removed": {12, 2, 1, 1},
		"all edited":                           {5, 5, 0, 0},
		"all renamed":                          {5, 0, 5, 0},
		"all but one edited, which is removed": {5, 4, 0, 1},
		"half edited, a few removed":           {12, 6, 0, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := shelfOf(t, tt.files)
			i := 0
			next := func() (string, string) {
				i++
				return fmt.Sprintf("d%02d", i-1), fmt.Sprintf("text of %d\n", i-1)
			}
			var want []string
			for range tt.edited {
				file, _ := next()
				l.put(file+".md", "other\n"+file)
				want = append(want, file)
			}
			for range tt.renamed {
				file, text := next()
				l.sim.RenameDocument(file, "new "+file)
				l.move(file+".md", "new "+file+".md", text)
				want = append(want, "new "+file)
			}
			for range tt.removed {
				file, _ := next()
				l.sim.EndDocument(file)
				l.remove(file + ".md")
			}
			for i < tt.files {
				file, _ := next()
				want = append(want, file)
			}
			for range 3 {
				l.syncWith(engine.Options{}) // nobody says yes
				settled(t)
			}
			slices.Sort(want)
			l.serves("in the end", want...)
			l.quiet()
			l.sound()
		})
	}
}

// What is removed beside that is a loss as ever.
func TestOutside35RemovedBesideVersions(t *testing.T) {
	t.Parallel()
	l := shelfOf(t, 12)
	for i := range 4 {
		l.put(fmt.Sprintf("d%02d.md", i), fmt.Sprintf("other %d\n", i))
		l.remove(fmt.Sprintf("d%02d.md", i+4))
	}
	if _, err := l.trySync(engine.Options{}); err == nil {
		t.Error("a third of the folder is gone, and no run was stopped")
	}
	if n := len(l.sim.All("documents")); n != 12 {
		t.Errorf("the knowledge base has %d documents, want the 12 that it had", n)
	}
}
