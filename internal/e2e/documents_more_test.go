package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nightporter/simulator"
	"nightporter/sync/engine"
)

// says fails the test unless the notes and alerts of a run hold a text.
func says(t testing.TB, reports []engine.Report, want string) {
	t.Helper()
	if got := notes(reports); !strings.Contains(got, want) {
		t.Errorf("the run says\n%s\nwant %q", got, want)
	}
}

// A version that the platform can't read leaves the old one in place and is told of, once;
// the next version takes the place of both.
func TestDocumentThatFails(t *testing.T) {
	t.Parallel()
	l := newLibrary(t, simulator.UploadMultipart)
	l.put("hours.md", "From 7 to 23.\n")
	l.put("pool.md", "Open in summer.\n")
	l.sync()
	l.sim.SetDocuments(simulator.Documents{FailText: "garbled"})
	l.put("hours.md", "garbled\n")
	l.sync()
	reports := l.sync()
	l.holds("failed", "hours ready active", "hours failed active", "pool ready active")
	says(t, reports, "failed in platform: the text could not be read")
	if n := strings.Count(notes(l.sync()), "alert"); n != 0 {
		t.Errorf("told %d times more of what failed, want once", n)
	}
	l.sim.SetDocuments(simulator.Documents{})
	l.put("hours.md", "From 8 to 22.\n")
	l.sync()
	l.sync()
	l.holds("mended", "hours ready put aside", "hours failed put aside", "hours ready active", "pool ready active")
	l.quiet()
	l.sound()
}

// A document that is as it was before is made active again, and not uploaded once more.
func TestDocumentThatComesBack(t *testing.T) {
	for _, settle := range []string{"settle: 1ms\n", ""} { // all of it may happen while writes settle
		t.Run(settle, func(t *testing.T) {
			t.Parallel()
			l := newLibrary(t, simulator.UploadMultipart)
			l.put("hours.md", "From 6 to 24.\n")
			l.sync()
			l.put("hours.md", "From 7 to 23.\n")
			l.sync()
			l.sync()
			l.edit("settle: 1ms\n", settle) // the first update of all, a trial, is over once its system has settled
			l.put("hours.md", "From 8 to 22.\n")
			l.sync()
			l.sync()
			l.holds("changed", "hours ready put aside", "hours ready put aside", "hours ready active")
			l.put("hours.md", "From 7 to 23.\n")
			l.sync()
			l.sync()
			l.holds("back", "hours ready put aside", "hours ready put aside", "hours ready active")
			for _, d := range l.sim.All("documents") {
				if want := d["checksum"] == sumOf("From 7 to 23.\n"); (d["active"] == true) != want {
					t.Errorf("%v is active: %v, want %v", d["id"], d["active"], want)
				}
			}
			l.quiet()
			l.sound()
		})
	}
}

// What is changed back before the other version was ready is as if nothing had happened.
func TestDocumentThatIsChangedBackAtOnce(t *testing.T) {
	t.Parallel()
	l := newLibrary(t, simulator.UploadMultipart)
	l.put("hours.md", "From 7 to 23.\n")
	l.sync()
	l.sim.SetDocuments(simulator.Documents{Processing: time.Hour})
	l.put("hours.md", "From 8 to 22.\n")
	l.sync()
	l.put("hours.md", "From 7 to 23.\n")
	l.sync()
	l.sync()
	l.holds("changed back", "hours ready active", "hours processing put aside")
	l.sim.SetDocuments(simulator.Documents{})
	l.sync()
	l.quiet()
	l.sound()
}

// A file that was removed goes; many at once wait for a person; a folder that is empty, or
// not there, takes nothing away.
func TestDocumentsThatGo(t *testing.T) {
	t.Parallel()
	l := newLibrary(t, simulator.UploadMultipart)
	var want []string
	for i := range 20 {
		l.put(fmt.Sprintf("d%02d.md", i), fmt.Sprintf("text %d\n", i))
		want = append(want, fmt.Sprintf("d%02d ready active", i))
	}
	l.sync()
	l.holds("at first", want...)

	l.sim.EndDocument("d00")
	l.remove("d00.md")
	l.sync()
	want[0] = "d00 ready put aside"
	l.holds("one was removed", want...)

	if err := os.Rename(l.folder, l.folder+".away"); err != nil {
		t.Fatal(err)
	}
	if _, err := l.trySync(engine.Options{Yes: true}); err == nil {
		t.Error("a folder that is not there is no error")
	}
	l.holds("the folder is away", want...)
	if err := os.Mkdir(l.folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := l.trySync(engine.Options{Yes: true}); err == nil {
		t.Error("an empty folder stops nothing")
	}
	l.holds("the folder is empty", want...)
	if err := os.Remove(l.folder); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(l.folder+".away", l.folder); err != nil {
		t.Fatal(err)
	}
	l.sync()
	l.holds("the folder is back", want...)

	l.edit("jobs:\n", "guards: { shrink: 100%, deletes: 5 }\njobs:\n")
	for i := 1; i < 11; i++ {
		l.remove(fmt.Sprintf("d%02d.md", i))
	}
	reports := l.syncWith(engine.Options{})
	l.holds("ten were removed", want...)
	if total(reports, "documents", "staged") == 0 {
		t.Errorf("nothing is held:\n%s", notes(reports))
	}
	l.sound()
}

// A file under another name keeps its document.
func TestDocumentIsRenamed(t *testing.T) {
	t.Parallel()
	l := newLibrary(t, simulator.UploadMultipart)
	l.put("summer.pdf", "%PDF-1.7 pasta")
	l.put("winter.pdf", "%PDF-1.7 soup")
	l.sync()
	l.sim.EndDocument("summer")
	l.remove("summer.pdf")
	l.put("menus/lunch.pdf", "%PDF-1.7 pasta")
	l.sync()
	l.sync()
	l.holds("renamed", "lunch ready active", "winter ready active")
	l.quiet()
	l.sound()
}

// Two files that hold the same are two documents, and one of them may go.
func TestDocumentTwice(t *testing.T) {
	t.Parallel()
	l := newLibrary(t, simulator.UploadMultipart)
	l.put("a.md", "same\n")
	l.put("b.md", "same\n")
	l.put("c.md", "other\n")
	l.sync()
	l.holds("two", "a ready active", "b ready active", "c ready active")
	l.sim.EndDocument("a")
	l.remove("a.md")
	l.sync()
	l.sync()
	l.holds("one went", "a ready put aside", "b ready active", "c ready active")
	l.quiet()
	l.sound()
}

// What the platform does not take is not sent, and said; an old version stays.
func TestDocumentThatIsNotTaken(t *testing.T) {
	t.Parallel()
	l := newLibrary(t, simulator.UploadMultipart)
	l.edit("    key: file:", "    override: { kinds: { documents: { content: { max_mb: 0.001, types: [text/markdown] } } } }\n    key: file:")
	l.put("hours.md", "From 7 to 23.\n")
	l.put("menu.pdf", "%PDF-1.7 pasta")
	before := l.sim.Counts().Mutating
	reports := l.sync()
	says(t, reports, "its content can't be given to platform, which takes text/markdown, and this is application/pdf")
	l.put("hours.md", strings.Repeat("From 7 to 23.\n", 100))
	reports = l.sync()
	says(t, reports, "which takes 1.0 kB at most, and this is 1.4 kB")
	if n := l.sim.Counts().Mutating - before; n != 1 {
		t.Errorf("%d uploads, want one", n)
	}
	l.holds("too large", "hours ready active")
	l.sound()
}

// A file that is being written is not uploaded, and nothing is taken for gone meanwhile.
func TestDocumentThatIsBeingWritten(t *testing.T) {
	t.Parallel()
	l := newLibrary(t, simulator.UploadMultipart)
	l.edit("    folder: "+l.folder+"\n", "    folder: "+l.folder+"\n    unchanged_for: 30m\n") // a busy machine may need more than the usual
	l.put("hours.md", "From 7 to 23.\n")
	l.put("pool.md", "Open in summer.\n")
	l.sync()
	l.write(filepath.Join(l.folder, "hours.md"), "From 8 t")
	reports := l.sync()
	says(t, reports, "hours.md is being written")
	l.holds("half written", "hours ready active", "pool ready active")
	l.put("hours.md", "From 8 to 22.\n")
	l.sync()
	l.sync()
	l.holds("written", "hours ready put aside", "hours ready active", "pool ready active")
	l.sound()
}

// Whatever becomes of the answer to an upload, the file is there once.
func TestDocumentIsNeverUploadedTwice(t *testing.T) {
	for _, d := range []simulator.Documents{{}, {NoChecksum: true}} {
		t.Run(fmt.Sprintf("no checksum is shown: %t", d.NoChecksum), func(t *testing.T) {
			t.Parallel()
			l := newLibrary(t, simulator.UploadMultipart)
			l.sim.SetDocuments(d)
			l.put("pool.md", "Open in summer.\n")
			l.put("hours.md", "From 7 to 23.\n")
			l.sync()
			l.sim.AddFault(simulator.Fault{Kind: simulator.FaultDropAfter, Method: "POST", Times: 1})
			l.put("hours.md", "From 8 to 22.\n")
			for range 4 {
				if _, err := l.trySync(engine.Options{Yes: true}); err != nil {
					t.Error(err)
				}
				settled(t)
			}
			l.holds("its answer was lost", "hours ready put aside", "hours ready active", "pool ready active")
			l.quiet()
			l.sound()
		})
	}
}

func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// The newer version is looked at once more before the old one goes: put aside by somebody
// meanwhile, it is not in its place.
func TestDocumentThatIsPutAsideMeanwhile(t *testing.T) {
	t.Parallel()
	l := newLibrary(t, simulator.UploadMultipart)
	l.put("hours.md", "From 7 to 23.\n")
	l.put("pool.md", "Open in summer.\n")
	l.sync()
	l.sim.EndDocument("hours") // somebody else's doing
	l.sim.SetDocuments(simulator.Documents{Processing: time.Hour})
	l.put("hours.md", "From 8 to 22.\n")
	l.sync()
	l.sim.SetDocuments(simulator.Documents{})
	l.sim.OnList(func(int) {
		for _, d := range l.sim.All("documents") {
			if d["checksum"] == sumOf("From 8 to 22.\n") {
				l.sim.Edit("documents", d["id"].(string), map[string]any{"active": false})
			}
		}
	})
	reports := l.sync()
	l.sim.OnList(nil)
	l.holds("put aside meanwhile", "hours ready active", "hours ready put aside", "pool ready active")
	says(t, reports, "which took its place, is put aside in platform")
	says(t, l.sync(), "it stays as it is")
	l.holds("and still", "hours ready active", "hours ready put aside", "pool ready active")
	l.sound()
}

// settled waits until what was written has settled.
func settled(t testing.TB) {
	t.Helper()
	select {
	case <-time.After(5 * time.Millisecond):
	case <-t.Context().Done():
	}
}
