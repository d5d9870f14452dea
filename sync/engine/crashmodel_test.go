package engine_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// The model of a create: every schedule of up to three of these fates of an attempt,
// after which all attempts go well.
//
//	c0 killed before the intent    c1 killed with the intent, nothing sent
//	c2 sent and lost               c3 applied, and the answer lost
//	c4 applied late, and the answer lost
var fates = []string{"c0", "c1", "c2", "c3", "c4", "ok"}

// schedules calls f with every schedule of at most that many fates.
func schedules(most int, f func([]string)) {
	var grow func([]string)
	grow = func(s []string) {
		f(s)
		if len(s) < most {
			for _, x := range fates {
				grow(append(slices.Clip(s), x))
			}
		}
	}
	grow(nil)
}

// remote is a system of the model, and who writes to it.
type remote struct {
	design            string // "naive", "nowait", "settle", "at most once", "intent"
	idem, uniq, ref   bool
	lag, late, settle int

	t       int
	rows    []int // when each was applied
	pending []int
}

func (r *remote) apply() {
	if (r.idem || r.uniq) && len(r.rows) > 0 {
		return
	}
	r.rows = append(r.rows, r.t)
}

func (r *remote) tick(n int) {
	for range n {
		r.t++
		var later []int
		for _, at := range r.pending {
			if at <= r.t {
				r.apply()
			} else {
				later = append(later, at)
			}
		}
		r.pending = later
	}
}

// found looks the record up by our reference.
func (r *remote) found() bool {
	for _, at := range r.rows {
		if (r.ref || r.uniq) && at+r.lag <= r.t {
			return true
		}
	}
	return false
}

// recovered reports whether an attempt ends before it sends anything, because the
// record is known or nobody may send again.
func (r *remote) recovered(intent int) (linked, held bool) {
	switch {
	case r.found():
		return true, false
	case r.idem || r.uniq:
	case r.design == "settle":
		r.tick(max(0, intent+r.settle-r.t))
		return r.found(), false
	case r.design == "at most once":
		return false, true
	}
	return false, false
}

// play runs one schedule and gives the number of rows, and whether it was held.
func (r *remote) play(schedule []string) (rows int, held bool) {
	r.t, r.rows, r.pending = 0, nil, nil
	intent, linked := -1, false
	for _, fate := range append(slices.Clip(schedule), "ok", "ok", "ok", "ok", "ok", "ok") {
		r.tick(1)
		if intent >= 0 {
			if linked, held = r.recovered(intent); linked || held {
				break
			}
		}
		if fate != "c0" && r.design != "naive" {
			intent = r.t
		}
		switch fate {
		case "c0", "c1", "c2":
			continue
		case "c4":
			r.pending = append(r.pending, r.t+max(r.late, 1))
			continue
		}
		r.apply()
		if fate == "ok" {
			break
		}
	}
	r.tick(50)
	return len(r.rows), held
}

func TestCrashModel(t *testing.T) {
	tests := []struct {
		remote
		doubles, held int
	}{
		{remote{design: "naive"}, 146, 0},
		{remote{design: "naive", ref: true, lag: 3, late: 4, settle: 8}, 146, 0},
		{remote{design: "at most once", lag: 3, late: 20, settle: 8}, 0, 204},
		{remote{design: "nowait", ref: true}, 0, 0},
		{remote{design: "nowait", ref: true, lag: 3, settle: 8}, 137, 0},
		{remote{design: "settle", ref: true, lag: 3, settle: 1}, 137, 0},
		{remote{design: "settle", ref: true, lag: 3, settle: 8}, 0, 0},
		{remote{design: "settle", ref: true, lag: 3, late: 4, settle: 8}, 0, 0},
		{remote{design: "settle", ref: true, lag: 3, late: 20, settle: 8}, 69, 0},
		{remote{design: "intent", idem: true, lag: 3, late: 20, settle: 8}, 0, 0},
		{remote{design: "intent", uniq: true, lag: 3, late: 20, settle: 8}, 0, 0},
	}
	for _, tt := range tests {
		n, doubles, held := 0, 0, 0
		schedules(3, func(s []string) {
			rows, h := tt.play(s)
			n++
			if rows > 1 {
				doubles++
			}
			if h {
				held++
			}
			if rows == 0 && !h {
				t.Errorf("%+v: %v lost the record", tt.remote, s)
			}
		})
		if n != 259 || doubles != tt.doubles || held != tt.held {
			t.Errorf("%+v: got %d doubles and %d held of %d, want %d and %d of 259", tt.remote, doubles, held, n, tt.doubles, tt.held)
		}
	}
}

// suffers makes the next run meet a fate.
func (w *world) suffers(fate string, late time.Duration) {
	type death struct{}
	die := func(at string) {
		w.eng.Step = func(name string) {
			if name == at {
				panic(death{})
			}
		}
	}
	right := w.sys[record.Right]
	switch fate {
	case "c0":
		right.Hook(memory.Hooks{Step: func(name string) {
			if strings.HasPrefix(name, "after fetch") {
				panic(death{})
			}
		}})
	case "c1":
		die("before send")
	case "c2":
		right.Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous})
	case "c3":
		right.Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous, Applied: true})
	case "c4":
		right.Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous, Applied: true, Late: late})
	}
	defer func() {
		right.Hook(memory.Hooks{})
		right.Heal()
		w.restart()
		if p := recover(); p != nil {
			if _, ok := p.(death); !ok {
				panic(p)
			}
		}
	}()
	w.run(engine.Options{Yes: true})
}

// Our engine under the same schedules: never a second record while the system
// applies no later than the settle time, and never a lost one.
func TestCrashModelOurs(t *testing.T) {
	most := 2
	if os.Getenv("NIGHTPORTER_MODELS") != "" {
		most = 3
	}
	sec := func(n int) time.Duration { return time.Duration(n) * time.Second }
	phone := [][]string{{spell(record.Right, "phone")}}
	idem := memory.Kind{Idempotent: true}
	unique := memory.Kind{Unique: phone, FindBy: phone}
	ref := memory.Kind{Stamp: connectors.Stamp{Path: "ours", Find: true}}
	tests := []struct {
		name              string
		kind              memory.Kind
		lag, late, settle int
		doubles           bool // the promise ends here: that shows that a double would be seen
	}{
		{"A idempotency key", idem, 3, 20, 8, false},
		{"B unique key", unique, 3, 20, 8, false},
		{"C reference", ref, 3, 4, 8, false},
		{"C reference, applied later than it settles", ref, 3, 20, 8, true},
		{"D the record's own values", memory.Kind{}, 3, 4, 8, false},
		{"D no lag", memory.Kind{}, 0, 1, 8, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			doubles := 0
			synctest.Test(t, func(t *testing.T) {
				schedules(most, func(s []string) {
					k := tt.kind
					k.ListLag, k.GetLag, k.FindLag = sec(tt.lag), sec(tt.lag), sec(tt.lag)
					w := newWorld(t, setting{kinds: [2]memory.Kind{{}, k}, settle: sec(tt.settle)})
					defer w.close()
					// A pair that both know shows that looking up works.
					w.put(record.Left, 1, map[string]string{"name": "known"})
					w.rest()
					w.put(record.Left, 0, map[string]string{"name": "new", "note": "n", "mail": "m"})
					for _, fate := range s {
						w.suffers(fate, sec(max(tt.late, 1)))
					}
					for range 3 { // as soon as we think that all has settled
						w.tick(sec(tt.settle))
						w.run(engine.Options{Yes: true})
					}
					w.rest()
					switch rows := len(w.picture(record.Right)) - 1; {
					case rows == 0:
						t.Errorf("%v: the record was lost", s)
					case rows > 1 && !tt.doubles:
						t.Errorf("%v: %d records:\n%s", s, rows, w.both())
					case rows > 1:
						doubles++
					}
				})
			})
			if tt.doubles && doubles == 0 {
				t.Error("no double was seen where one must be: the schedules do nothing")
			}
		})
	}
}
