package engine_test

import (
	"fmt"
	"testing"
	"testing/synctest"

	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// A create is answered with the id alone, and a user changes the new record before a list shows
// it: that is an edit, and not what the system made of the record.
func TestAnEditSoonAfterACreateAnsweredByAnID(t *testing.T) {
	for name, kind := range map[string]memory.Kind{"times": {Times: true}, "no times": {}, "versions": {Versions: true}} {
		for _, p := range []string{"name", "mail"} {
			t.Run(fmt.Sprintf("%s/%s", name, p), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					kind.Silent = true
					w := newWorld(t, setting{kinds: [2]memory.Kind{record.Right: kind}})
					defer w.close()
					w.put(record.Left, 1, map[string]string{"name": "Anna", "mail": "anna@example.org"})
					w.run(engine.Options{Yes: true})
					w.edit(record.Right, 1, p, "edited")
					w.rest()
					if got := w.value(record.Left, 1, p); got != "edited" {
						t.Errorf("the right holds %s, and the left %s", w.value(record.Right, 1, p), got)
					}
				})
			})
		}
	}
}
