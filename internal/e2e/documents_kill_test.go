package e2e

import (
	"fmt"
	"os"
	"testing"
	"time"

	"nightporter/simulator"
)

// Killed at whatever step, while a document is uploaded, waited for and put in the place
// of the one before, the knowledge base is never without a version, and never gets one
// twice.
func TestDocumentsKilledAnywhere(t *testing.T) {
	every := 4
	if os.Getenv("NIGHTPORTER_CRASH") == "all" {
		every = 1
	}
	for policy, left := range map[string]string{"{ archive: { active: false } }": "hours ready put aside", "delete": ""} {
		for stage := range 2 { // while it is uploaded, and when it is ready
			t.Run(fmt.Sprintf("%s, stage %d", policy, stage), func(t *testing.T) {
				t.Parallel()
				kills := 0
				for k, died := 1, true; died; k += every {
					l := newLibrary(t, simulator.UploadMultipart)
					l.edit("house: { archive: { active: false } }", "house: "+policy)
					l.dir = ramDir(t)
					l.put("hours.md", "From 7 to 23.\n")
					l.put("pool.md", "Open in summer.\n")
					l.sync()
					l.sim.SetDocuments(simulator.Documents{Processing: time.Hour})
					l.put("hours.md", "From 8 to 22.\n")
					if stage == 1 {
						l.sync()
						l.sim.SetDocuments(simulator.Documents{})
					}
					if died = l.die(k); died {
						kills++
					}
					l.sim.SetDocuments(simulator.Documents{})
					for range 3 {
						l.sync()
					}
					want := []string{"hours ready active", "pool ready active"}
					if left != "" {
						want = append(want, left)
					}
					l.holds(fmt.Sprintf("killed at step %d", k), want...)
					l.quiet()
					l.sound()
					if t.Failed() {
						return
					}
				}
				if kills < 5 {
					t.Errorf("%d kills: is the run doing anything?", kills)
				}
			})
		}
	}
}
