package e2e

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"nightporter/simulator"
	"nightporter/sync/engine"
)

// library is a folder of documents, and a platform whose knowledge base it is replicated
// into by the job that docs/documents.md has.
type library struct {
	*house
	folder string
}

func newLibrary(t testing.TB, uploads simulator.UploadForm) *library {
	t.Helper()
	o := simulator.Options{IDs: simulator.Sequential}
	override := ""
	if uploads == simulator.UploadBase64 {
		traits, _ := simulator.TraitsOf("platform")
		traits.Uploads = uploads
		o.Traits = &traits
		override = "\n    override: { kinds: { documents: { content: { send: base64, media_field: media_type } } } }"
	}
	l := &library{house: &house{t: t, dir: t.TempDir(), sim: simulator.New(o)}}
	srv := httptest.NewServer(l.sim)
	t.Cleanup(srv.Close)
	l.folder = filepath.Join(l.dir, "knowledge")
	key := filepath.Join(l.dir, "platform.key")
	l.write(key, simulator.DefaultKey)
	blocks := fenced(t, "documents.md", "yaml")
	l.config = fmt.Sprintf("time_zone: Europe/Rome\nsettle: 1ms\nsystems:\n  platform:\n    preset: platform\n    base_url: %s\n    key: file:%s%s\n%sjobs:\n%s",
		srv.URL, key, override, strings.Replace(blocks[0], "/srv/knowledge", l.folder, 1), blocks[1])
	return l
}

// put writes a file as somebody did a while ago.
func (l *library) put(name, text string) {
	l.t.Helper()
	path := filepath.Join(l.folder, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		l.t.Fatal(err)
	}
	l.write(path, text)
	then := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, then, then); err != nil {
		l.t.Fatal(err)
	}
}

func (l *library) remove(name string) {
	l.t.Helper()
	if err := os.Remove(filepath.Join(l.folder, name)); err != nil {
		l.t.Fatal(err)
	}
}

// holds compares what the knowledge base has, a line a document: its title, how it stands
// and whether it is active.
func (l *library) holds(what string, want ...string) {
	l.t.Helper()
	var got []string
	for _, d := range l.sim.All("documents") {
		active := "put aside"
		if d["active"] == true {
			active = "active"
		}
		got = append(got, fmt.Sprintf("%v %v %v", d["title"], d["status"], active))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		l.t.Errorf("%s: the knowledge base has\n  %s\nwant\n  %s", what, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// sound fails the test if the knowledge base was ever without a version that it had, or
// got a file twice.
func (l *library) sound() {
	l.t.Helper()
	for _, p := range l.sim.DocumentProblems() {
		l.t.Errorf("the knowledge base: %s", p)
	}
}

func notes(reports []engine.Report) string {
	var b strings.Builder
	for _, r := range reports {
		for _, n := range r.Notes {
			fmt.Fprintf(&b, "%s %s: %s\n", n.Ref, n.State, n.Why)
		}
		for _, a := range r.Alerts {
			fmt.Fprintf(&b, "alert %s\n", a.Text)
		}
	}
	return b.String()
}

// A changed document is uploaded, waited for, and only then the old one is put aside.
func TestDocumentIsReplaced(t *testing.T) {
	for _, uploads := range []simulator.UploadForm{simulator.UploadMultipart, simulator.UploadBase64} {
		t.Run(string(uploads), func(t *testing.T) {
			t.Parallel()
			l := newLibrary(t, uploads)
			l.put("hours.md", "---\ntitle: Opening hours\nlanguage: it\ntags: [desk, hours]\n---\nFrom 7 to 23.\n")
			l.put("menus/summer.pdf", "%PDF-1.7 pasta")
			l.put(".hidden.md", "no")
			l.put("notes.xyz", "no")
			l.sync()
			l.holds("at first", "Opening hours ready active", "summer ready active")
			l.quiet()

			l.sim.SetDocuments(simulator.Documents{Processing: time.Hour})
			l.put("hours.md", "---\ntitle: Opening hours\n---\nFrom 8 to 22.\n")
			l.sync()
			l.holds("while it is read", "Opening hours ready active", "Opening hours processing active", "summer ready active")
			l.quiet()

			l.sim.SetDocuments(simulator.Documents{})
			l.sync()
			l.holds("when it is ready", "Opening hours ready put aside", "Opening hours ready active", "summer ready active")
			l.quiet()
			l.sound()
		})
	}
}
