package engine_test

import (
	"testing"
	"testing/synctest"

	"nightporter/connectors/memory"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// What one side holds and the other never showed is not the same: whether it arrived is not
// known, where no read by id can show it. What both hold nothing of, or only digests are kept of, is.
func TestOutside11VerifyKnowsWhatWasNeverShown(t *testing.T) {
	for _, tt := range []struct {
		mail   string
		differ int
	}{{"a mail", 1}, {"", 0}} {
		dir := t.TempDir()
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, setting{kinds: [2]memory.Kind{record.Right: {NoGet: true, ListHides: []string{"their_mail"}}}})
			defer w.close()
			w.put(record.Left, 0, map[string]string{"name": "Ada", "mail": tt.mail})
			w.put(record.Right, 0, map[string]string{"name": "Ada"})
			w.rest()
			v := w.verified(dir)
			if v.Links != 1 || v.Same != 1-tt.differ || v.Causes[plan.NotShown] != tt.differ || v.Hidden != 1 {
				t.Errorf("mail %q: got %+v", tt.mail, v)
			}
		})
	}
}
