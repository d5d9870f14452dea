package engine_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// A person says that the id of a link names another record now. One run does all that follows: the other record is made
// across, whether all is read or, as a service does it, only the record that the answer is about.
func TestOutsideAnAnswerIsDoneInOneRun(t *testing.T) {
	for _, hinted := range []bool{false, true} {
		t.Run(fmt.Sprintf("a hint %t", hinted), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{kinds: [2]memory.Kind{{Times: true, Delete: true}, {Delete: true, FindBy: [][]string{{"their_phone"}}}}, gone: both(away.GoneHold)})
				defer w.close()
				for n := range 4 {
					w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n)})
				}
				w.rest()
				was, _ := w.find(record.Left, 0)
				w.remove(record.Left, 0)
				w.tick(time.Hour)
				w.sys[record.Left].PutAs(kinds[record.Left], was.Ref.ID, record.Fields{"phone": record.OfText(phoneOf(7)), "name": record.OfText("somebody else")})
				w.wholeRuns()
				w.answer(away.AskForeign, away.ChooseAnew)
				o := engine.Options{Yes: true}
				if hinted {
					o.Only, o.OnlySide = []record.Ref{was.Ref}, record.Left
				}
				w.run(o)
				if got := w.value(record.Right, 7, "name"); got != "somebody else" {
					t.Errorf("the other record is not across after one run:\n%s", w.both())
				}
				wantCount(t, "on the right", len(w.picture(record.Right)), 5)
			})
		})
	}
}
