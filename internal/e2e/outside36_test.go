package e2e

import (
	"testing"

	"nightporter/simulator"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// questions is what persons are asked.
func (l *library) questions() []record.Question {
	l.t.Helper()
	a := l.open()
	defer a.Close()
	open, err := a.Store.Questions(l.t.Context(), "", true)
	if err != nil {
		l.t.Fatal(err)
	}
	return open
}

// A question about a version goes when a newer one has taken its place.
func TestOutside36QuestionsEndWithTheirVersion(t *testing.T) {
	for name, tt := range map[string]struct {
		asked func(l *library)
		then  func(l *library)
		want  []string
	}{
		"removed, and there again with another text": {
			asked: func(l *library) {
				l.edit("house: { archive: { active: false } }", "house: hold")
				l.remove("hours.md")
			},
			then: func(l *library) {
				l.edit("house: hold", "house: { archive: { active: false } }")
				l.put("hours.md", "From 8 to 22.\n")
			},
			want: []string{"hours ready put aside", "hours ready active", "pool ready active"},
		},
		"its document was deleted": {
			asked: func(l *library) { l.sim.Remove("documents", "d000001") },
			then:  func(l *library) { l.put("hours.md", "From 8 to 22.\n") },
			want:  []string{"hours ready active", "pool ready active"},
		},
		"its document was deleted, and the newer version is not taken": {
			asked: func(l *library) { l.sim.Remove("documents", "d000001") },
			then: func(l *library) {
				l.sim.SetDocuments(simulator.Documents{MaxBytes: 20})
				l.put("hours.md", "From 8 to 22, and longer.\n")
			},
			want: []string{"pool ready active"},
		},
		"its document was put aside by hand": {
			asked: func(l *library) { l.sim.Edit("documents", "d000001", map[string]any{"active": false}) },
			then:  func(l *library) { l.put("hours.md", "From 8 to 22.\n") },
			want:  []string{"hours ready put aside", "hours ready active", "pool ready active"},
		},
		"held as the same as another, and edited": {
			asked: func(l *library) {
				l.leave("pool.md")
				l.put("it/pool.md", "Open in summer.\n")
			},
			then: func(l *library) { l.put("it/pool.md", "Open all year.\n") },
			want: []string{"hours ready active", "pool ready active", "pool ready active"},
		},
		"edited across, and removed": {
			asked: func(l *library) {
				l.sim.Edit("documents", "d000001", map[string]any{"title": "Times"})
				l.remove("hours.md")
			},
			then: func(l *library) { l.put("hours.md", "From 8 to 22.\n") },
			want: []string{"Times ready put aside", "hours ready active", "pool ready active"},
		},
		"renamed and removed": {
			asked: func(l *library) {
				l.move("hours.md", "opening.md", "From 7 to 23.\n")
				l.syncWith(engine.Options{Dry: true})
				l.remove("opening.md")
			},
			then: func(l *library) { l.put("opening.md", "From 8 to 22.\n") },
			want: []string{"hours ready put aside", "opening ready active", "pool ready active"},
		},
		"removed, and there again in another folder": {
			asked: func(l *library) {
				l.edit("house: { archive: { active: false } }", "house: hold")
				l.remove("hours.md")
			},
			then: func(l *library) { l.put("it/hours.md", "From 7 to 23.\n") },
			want: []string{"hours ready active", "pool ready active"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := hoursAndPool(t)
			l.sim.EndDocument("hours")
			tt.asked(l)
			l.tries(2)
			for _, c := range l.questions() {
				t.Logf("asked: %+v", c)
			}
			tt.then(l)
			l.tries(4)
			for _, c := range l.questions() {
				t.Errorf("still asked: %+v", c)
			}
			l.holds("in the end", tt.want...)
		})
	}
}
