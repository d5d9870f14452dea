package e2e

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"nightporter/simulator"
	"nightporter/sync/engine"
	"nightporter/sync/plan"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// move gives a file another name, as somebody does.
func (l *library) move(from, to, text string) {
	l.t.Helper()
	l.put(to, text)
	l.remove(from)
}

// tries runs some times as a service does, without a yes: it may halt, and does not fail.
func (l *library) tries(n int) {
	l.t.Helper()
	for range n {
		if _, err := l.trySync(engine.Options{}); err != nil && !errors.Is(err, engine.ErrHalted) {
			l.t.Error(err)
		}
		settled(l.t)
	}
}

// serves compares of which titles the knowledge base has a version that is ready and active.
func (l *library) serves(what string, want ...string) {
	l.t.Helper()
	var got []string
	for _, d := range l.sim.All("documents") {
		if d["status"] == "ready" && d["active"] == true {
			got = append(got, fmt.Sprint(d["title"]))
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		l.t.Errorf("%s: ready and active are %v, want %v", what, got, want)
	}
}

// A version that could not be uploaded, and whose file then got another name, takes the
// place of the one before only once it is there.
func TestDocumentIsRenamedBeforeItIsUploaded(t *testing.T) {
	const before, after = "From 7 to 23.\n", "From 8 to 22, and the pool from 9.\n"
	fault := func(f simulator.Fault) func(*library) {
		f.Method = "POST"
		return func(l *library) { l.sim.AddFault(f) }
	}
	for name, tt := range map[string]struct {
		bar func(*library) // keeps the new version from being uploaded
		let func(*library) // lets it; nil: that may take hours
	}{
		"the platform is away":           {fault(simulator.Fault{Kind: simulator.FaultStatus}), func(l *library) { l.sim.ClearFaults() }},
		"the connection breaks":          {fault(simulator.Fault{Kind: simulator.FaultDropBefore}), func(l *library) { l.sim.ClearFaults() }},
		"it arrived, and nobody said so": {fault(simulator.Fault{Kind: simulator.FaultDropAfter}), func(l *library) { l.sim.ClearFaults() }},
		"the platform does not take it":  {bar: func(l *library) { l.sim.SetDocuments(simulator.Documents{MaxBytes: 20}) }},
		"it is too large": {
			func(l *library) {
				l.edit("    key: file:", "    override: { kinds: { documents: { content: { max_mb: 0.00002 } } } }\n    key: file:")
			},
			func(l *library) { l.edit("max_mb: 0.00002", "max_mb: 10") },
		},
		"a guard holds it": {
			func(l *library) {
				l.edit("jobs:\n", "guards: { creates: 1 }\njobs:\n")
				l.put("bar.md", "Open at night.\n")
			},
			func(l *library) { l.edit("creates: 1", "creates: 10"); l.remove("bar.md") },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLibrary(t, simulator.UploadMultipart)
			l.put("hours.md", before)
			l.put("pool.md", "Open in summer.\n")
			l.sync()
			l.sim.SetDocuments(simulator.Documents{Processing: time.Hour})
			tt.bar(l)
			l.put("hours.md", after)
			l.tries(2)
			l.serves("while it can't be uploaded", "hours", "pool")
			l.move("hours.md", "opening.md", after)
			l.tries(4)
			l.serves("under another name", "hours", "pool")
			if tt.let == nil {
				return
			}
			tt.let(l)
			l.tries(4)
			l.serves("while it is read", "hours", "pool")
			l.sim.EndDocument("hours")
			l.sim.SetDocuments(simulator.Documents{})
			l.tries(3)
			l.serves("when it is ready", "opening", "pool")
			l.quiet()
			l.sound()
		})
	}
}

// hoursAndPool is a library whose two documents are across.
func hoursAndPool(t *testing.T) *library {
	t.Helper()
	l := newLibrary(t, simulator.UploadMultipart)
	l.put("hours.md", "From 7 to 23.\n")
	l.put("pool.md", "Open in summer.\n")
	l.sync()
	return l
}

// A file that gets another name and is then edited, while no run could do more than look,
// is a new version: the old one stays until that is ready.
func TestDocumentIsRenamedAndThenEdited(t *testing.T) {
	t.Parallel()
	l := hoursAndPool(t)
	l.sim.SetDocuments(simulator.Documents{Processing: time.Hour})
	l.move("hours.md", "opening.md", "From 7 to 23.\n")
	l.syncWith(engine.Options{Dry: true})
	l.put("opening.md", "From 8 to 22.\n")
	l.tries(1)
	l.holds("edited", "hours ready active", "opening processing active", "pool ready active")
	l.tries(2)
	l.holds("while it is read", "hours ready active", "opening processing active", "pool ready active")
	l.sim.EndDocument("hours")
	l.sim.SetDocuments(simulator.Documents{})
	l.tries(2)
	l.holds("when it is ready", "hours ready put aside", "opening ready active", "pool ready active")
	l.quiet()
	l.sound()
}

// A file that gets another name twice, while no run could do more than look, keeps its
// document.
func TestDocumentIsRenamedTwice(t *testing.T) {
	t.Parallel()
	l := hoursAndPool(t)
	l.move("hours.md", "opening.md", "From 7 to 23.\n")
	l.syncWith(engine.Options{Dry: true})
	l.move("opening.md", "open.md", "From 7 to 23.\n")
	l.sim.EndDocument("hours")
	l.tries(3)
	l.holds("renamed", "open ready active", "pool ready active")
	l.quiet()
	l.sound()
}

// A file that is copied and then removed, as some clients rename, keeps its document until
// the one of the copy is ready; what goes then counts as removed.
func TestDocumentIsCopiedAndThenRemoved(t *testing.T) {
	t.Parallel()
	l := hoursAndPool(t)
	l.sim.SetDocuments(simulator.Documents{Processing: time.Hour})
	l.put("opening.md", "From 7 to 23.\n")
	l.tries(1)
	l.remove("hours.md")
	says(t, l.syncWith(engine.Options{}), "it stays as it is: opening.md@")
	l.tries(2)
	l.holds("while it is read", "hours ready active", "opening processing active", "pool ready active")
	l.sim.EndDocument("hours")
	l.sim.SetDocuments(simulator.Documents{})
	reports := l.syncWith(engine.Options{Dry: true})
	if risks := risksOf(reports); !slices.Equal(risks, []plan.Risk{plan.RiskDelete}) {
		t.Errorf("the risks of what is to be done are %v, want one delete", risks)
	}
	l.tries(2)
	l.holds("when it is ready", "hours ready put aside", "opening ready active", "pool ready active")
	l.quiet()
	l.sound()
}

func risksOf(reports []engine.Report) (risks []plan.Risk) {
	for _, r := range reports {
		for _, a := range r.Actions {
			risks = append(risks, a.Risk)
		}
	}
	return risks
}

// What is left of two files that hold the same is looked at once more before the other one
// goes: put aside by somebody meanwhile, it is not in its place.
func TestDocumentIsCopiedAndThenRemovedFromUnderIt(t *testing.T) {
	t.Parallel()
	l := newLibrary(t, simulator.UploadMultipart)
	l.put("hours.md", "From 7 to 23.\n")
	l.put("opening.md", "From 7 to 23.\n")
	l.put("pool.md", "Open in summer.\n")
	l.sync()
	l.remove("hours.md")
	l.sim.EndDocument("opening") // somebody else's doing
	l.sim.OnList(func(int) {
		for _, d := range l.sim.All("documents") {
			if d["title"] == "opening" {
				l.sim.Edit("documents", d["id"].(string), map[string]any{"active": false})
			}
		}
	})
	l.tries(1)
	l.sim.OnList(nil)
	l.serves("put aside meanwhile", "hours", "pool")
	l.tries(2)
	l.serves("and still", "hours", "pool")
	l.sound()
}

// Two files with the same bytes and one title are two documents also where one came later,
// whatever becomes of its upload, and each goes its own way from then on.
func TestDocumentTwiceUnderOneTitle(t *testing.T) {
	for _, kind := range []simulator.FaultKind{"", simulator.FaultStatus, simulator.FaultDropBefore, simulator.FaultDropAfter, simulator.FaultTruncated} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			l := newLibrary(t, simulator.UploadMultipart)
			l.put("it/menu.md", "Pasta.\n")
			l.put("pool.md", "Open in summer.\n")
			l.sync()
			if kind != "" {
				l.sim.AddFault(simulator.Fault{Kind: kind, Method: "POST", Times: 1})
			}
			l.put("en/menu.md", "Pasta.\n")
			l.tries(4)
			l.holds("two", "menu ready active", "menu ready active", "pool ready active")
			l.quiet()

			l.put("en/menu.md", "Soup.\n")
			l.tries(3)
			l.holds("one was edited", "menu ready active", "menu ready active", "menu ready put aside", "pool ready active")
			l.put("en/menu.md", "Pasta.\n")
			l.tries(3)
			l.holds("it is as it was", "menu ready active", "menu ready active", "menu ready put aside", "pool ready active")
			l.quiet()
			l.remove("it/menu.md")
			l.tries(3)
			l.holds("one went", "menu ready active", "menu ready put aside", "menu ready put aside", "pool ready active")
			l.quiet()
			l.uploadedTwice("menu", 1)
		})
	}
}

// uploadedTwice fails the test unless all that was wrong at any moment is that so many files
// were uploaded which the knowledge base had under the same title, put aside or not.
func (l *library) uploadedTwice(title string, times int) {
	l.t.Helper()
	want := slices.Repeat([]string{title + " was uploaded twice, the same file"}, times)
	if got := l.sim.DocumentProblems(); !slices.Equal(got, want) {
		l.t.Errorf("the knowledge base: %q, want %q", got, want)
	}
}

// A file that was removed and comes back in another folder is served again, whatever becomes
// of its upload, and however often that happens.
func TestDocumentComesBackElsewhere(t *testing.T) {
	for _, kind := range []simulator.FaultKind{"", simulator.FaultStatus, simulator.FaultDropBefore, simulator.FaultDropAfter, simulator.FaultTruncated} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			l := hoursAndPool(t)
			l.sim.EndDocument("hours")
			l.remove("hours.md")
			l.tries(1)
			l.holds("removed", "hours ready put aside", "pool ready active")
			if kind != "" {
				l.sim.AddFault(simulator.Fault{Kind: kind, Method: "POST", Times: 1})
			}
			l.put("it/hours.md", "From 7 to 23.\n")
			l.tries(4)
			l.holds("elsewhere", "hours ready put aside", "hours ready active", "pool ready active")
			l.quiet()
			l.put("en/hours.md", "From 7 to 23.\n")
			l.tries(2)
			l.holds("beside that", "hours ready put aside", "hours ready active", "hours ready active", "pool ready active")
			l.quiet()
			l.remove("it/hours.md")
			l.remove("en/hours.md")
			l.tries(2)
			l.put("hours.md", "From 7 to 23.\n")
			l.tries(2)
			l.holds("as it was at first", "hours ready put aside", "hours ready put aside", "hours ready active", "pool ready active")
			l.quiet()
			l.uploadedTwice("hours", 3) // the last of them is told of both that were there
		})
	}
}

// A folder that is removed, and comes back under another name after a run, is served again.
func TestDocumentFolderComesBackElsewhere(t *testing.T) {
	t.Parallel()
	l := newLibrary(t, simulator.UploadMultipart)
	l.put("pool.md", "Open in summer.\n")
	names := []string{"menu", "bar", "spa"}
	for _, name := range names {
		l.put("en/"+name+".md", "About "+name+".\n")
		l.sim.EndDocument(name)
	}
	l.sync()
	for _, name := range names {
		l.remove("en/" + name + ".md")
	}
	l.tries(1)
	l.serves("removed", "pool")
	for _, name := range names {
		l.put("english/"+name+".md", "About "+name+".\n")
	}
	l.tries(2)
	l.serves("under another name", "bar", "menu", "pool", "spa")
	l.quiet()
}

// The text that a file had before it was edited is a document of its own where it comes in
// another folder.
func TestDocumentOldVersionComesElsewhere(t *testing.T) {
	t.Parallel()
	l := hoursAndPool(t)
	l.put("hours.md", "From 8 to 22.\n")
	l.tries(3)
	l.holds("edited", "hours ready put aside", "hours ready active", "pool ready active")
	l.put("winter/hours.md", "From 7 to 23.\n")
	l.tries(2)
	l.holds("the old text", "hours ready put aside", "hours ready active", "hours ready active", "pool ready active")
	l.quiet()
	l.uploadedTwice("hours", 1)
}

// What a person left to itself as its file went, or took up again, stays a question, though
// it is put aside by hand.
func TestDocumentLeftToItselfIsNotUploadedAnew(t *testing.T) {
	const held = "documents:d000001 of platform has the same title+digest and may be the same record: it was linked to documents:hours.md@"
	by := func(l *library, active bool) {
		l.sim.Edit("documents", "d000001", map[string]any{"active": active})
	}
	for name, tt := range map[string]func(*library){
		"left, and active": func(l *library) { l.leave("hours.md") },
		"left, and put aside by hand": func(l *library) {
			l.leave("hours.md")
			by(l, false)
		},
		"taken up again by hand": func(l *library) {
			l.remove("hours.md")
			l.tries(1)
			by(l, true)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := hoursAndPool(t)
			tt(l)
			l.tries(2)
			l.put("it/hours.md", "From 7 to 23.\n")
			for range 2 {
				says(t, l.syncWith(engine.Options{}), held)
			}
			if n := len(l.sim.All("documents")); n != 2 {
				t.Errorf("the knowledge base has %d documents, want the two that it had", n)
			}
		})
	}
}

// leave removes a file, and has a person say that its document stays as it is.
func (l *library) leave(name string) {
	l.t.Helper()
	l.edit("house: { archive: { active: false } }", "house: hold")
	l.remove(name)
	l.tries(1)
	l.answer(away.ChooseLeave)
	l.tries(1)
	l.edit("house: hold", "house: { archive: { active: false } }")
}

// answer answers the one question that is open.
func (l *library) answer(c away.GoneChoice) {
	l.t.Helper()
	a := l.open()
	defer a.Close()
	open, err := a.Store.Questions(l.t.Context(), "", true)
	if err != nil || len(open) != 1 {
		l.t.Fatalf("%d questions, want one (%v)", len(open), err)
	}
	if err := a.Store.Choose(l.t.Context(), open[0].ID, "value", record.OfText(string(c)), time.Now()); err != nil {
		l.t.Fatal(err)
	}
}

// A file that is copied twice and then removed, as where a text is split among folders, leaves
// no gap: its document goes by the name of one copy, and the other is uploaded.
func TestDocumentIsCopiedTwiceAndThenRemoved(t *testing.T) {
	t.Parallel()
	l := hoursAndPool(t)
	l.sim.SetDocuments(simulator.Documents{Processing: time.Hour})
	l.put("b/times.md", "From 7 to 23.\n")
	l.put("a/opening.md", "From 7 to 23.\n")
	l.remove("hours.md")
	l.sim.RenameDocument("hours", "opening")
	l.tries(1)
	l.holds("at once", "opening ready active", "times processing active", "pool ready active")
	l.tries(2)
	l.holds("while it is read", "opening ready active", "times processing active", "pool ready active")
	l.sim.SetDocuments(simulator.Documents{})
	l.tries(2)
	l.holds("when it is ready", "opening ready active", "times ready active", "pool ready active")
	l.quiet()
	l.sound()
}

// A file of which two copies were uploaded before it was removed keeps its document until one
// of them is ready, also where one of them is removed as well.
func TestDocumentIsCopiedTwiceAndRemovedLater(t *testing.T) {
	t.Parallel()
	l := hoursAndPool(t)
	l.sim.SetDocuments(simulator.Documents{Processing: time.Hour})
	l.put("a/opening.md", "From 7 to 23.\n")
	l.put("b/times.md", "From 7 to 23.\n")
	l.tries(1)
	l.remove("hours.md")
	l.tries(2)
	l.holds("removed", "hours ready active", "opening processing active", "times processing active", "pool ready active")
	l.remove("a/opening.md")
	l.tries(2)
	l.holds("a copy, too", "hours ready active", "opening processing active", "times processing active", "pool ready active")
	l.sim.EndDocument("hours")
	l.sim.EndDocument("opening")
	l.sim.SetDocuments(simulator.Documents{})
	l.tries(3)
	l.holds("when it is ready", "hours ready put aside", "opening ready put aside", "times ready active", "pool ready active")
	l.quiet()
	l.sound()
}

// A folder whose files hold the same, as where all are still to be written, gets another name:
// each keeps its document.
func TestDocumentsAlikeAreMoved(t *testing.T) {
	t.Parallel()
	l := newLibrary(t, simulator.UploadMultipart)
	l.put("en/hours.md", "To come.\n")
	l.put("en/menu.md", "To come.\n")
	l.put("pool.md", "Open in summer.\n")
	l.sync()
	l.sim.SetDocuments(simulator.Documents{Processing: time.Hour})
	l.move("en/hours.md", "english/hours.md", "To come.\n")
	l.move("en/menu.md", "english/menu.md", "To come.\n")
	l.tries(3)
	l.holds("moved", "hours ready active", "menu ready active", "pool ready active")
	l.quiet()
	l.sound()
}

// A file that moves to another folder, and keeps its title, keeps its document also while
// the list of the folder may not be whole.
func TestDocumentMovesWhileAnotherIsWritten(t *testing.T) {
	t.Parallel()
	l := newLibrary(t, simulator.UploadMultipart)
	l.edit("    folder: "+l.folder+"\n", "    folder: "+l.folder+"\n    unchanged_for: 30m\n")
	l.put("it/menu.md", "Pasta.\n")
	l.put("pool.md", "Open in summer.\n")
	l.sync()
	l.write(filepath.Join(l.folder, "bar.md"), "Open at ni")
	l.move("it/menu.md", "en/menu.md", "Pasta.\n")
	l.tries(2)
	l.holds("while another is written", "menu ready active", "pool ready active")
	l.put("bar.md", "Open at night.\n")
	l.tries(3)
	l.holds("moved", "bar ready active", "menu ready active", "pool ready active")
	l.quiet()
	l.sound()
}
