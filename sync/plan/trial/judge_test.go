package trial_test

import (
	"slices"
	"testing"

	"nightporter/sync/plan/trial"
	"nightporter/sync/record"
)

// What becomes of a trial, by what its record shows.
func TestJudge(t *testing.T) {
	shown := trial.Effects{Shown: []string{""}, Kept: []string{""}}
	emptied := trial.Effects{Shown: []string{""}, Emptied: []string{"phone"}}
	beside := trial.Effects{Shown: []string{""}, Kept: []string{""}, Emptied: []string{"phone"}}
	answered := record.Trial{Op: record.Update, State: record.TrialAnswered, Sent: []string{"name"}}
	with := func(change func(*record.Trial)) record.Trial { x := answered; change(&x); return x }
	harmed := with(func(x *record.Trial) { x.State = record.TrialHarmed })
	for name, c := range map[string]struct {
		f            trial.Facts
		say          trial.Say
		ours, others []string
	}{
		"it kept all":                            {f: trial.Facts{Trial: answered, Effects: shown, Done: true, Written: true, Taken: true, Settled: true}, say: trial.Pass},
		"it kept all, and may not be done":       {f: trial.Facts{Trial: answered, Effects: shown, Done: true, Written: true, Taken: true}, say: trial.AwaitSettled},
		"nothing stood beside what was sent":     {f: trial.Facts{Trial: answered, Done: true, Written: true, Taken: true, Settled: true}, say: trial.Next},
		"it emptied a field":                     {f: trial.Facts{Trial: answered, Effects: emptied, Done: true, Written: true, Taken: true}, say: trial.Harmed, ours: []string{"phone"}},
		"a field is empty later, nothing stands": {f: trial.Facts{Trial: answered, Effects: emptied, Written: true, Taken: true}, say: trial.Harmed, ours: []string{"phone"}},
		"a field is empty later, others stand":   {f: trial.Facts{Trial: answered, Effects: beside, Written: true, Taken: true, Settled: true}, say: trial.Next, others: []string{"phone"}},
		"a read hides some of it": {
			f:   trial.Facts{Trial: with(func(x *record.Trial) { x.Listed = []string{"phone"} }), Effects: shown, Done: true, Written: true, Taken: true, Settled: true},
			say: trial.AwaitList,
		},
		"a list shows what a read hides": {
			f:   trial.Facts{Trial: with(func(x *record.Trial) { x.Listed = []string{"phone"} }), Effects: beside, Written: true, Taken: true, Listed: true},
			say: trial.Harmed, ours: []string{"phone"},
		},
		"nobody knows whether it was done": {f: trial.Facts{Trial: with(func(x *record.Trial) { x.State = record.TrialOpen }), Effects: shown, Written: true, Taken: true, Settled: true}, say: trial.Next},
		"it does not show what was sent":   {f: trial.Facts{Trial: answered, Effects: shown, Written: true, Settled: true}, say: trial.Next},
		"it was put back, unanswered":      {f: trial.Facts{Trial: harmed, Effects: shown, Written: true, Taken: true}, say: trial.Stop},
		"it is still to be put back":       {f: trial.Facts{Trial: harmed, Effects: emptied, Written: true}, say: trial.Harmed, ours: []string{"phone"}},
		"an action is only looked at":      {f: trial.Facts{Trial: with(func(x *record.Trial) { x.Op = record.Action }), Effects: emptied, Done: true, Written: true, Taken: true, Settled: true}, say: trial.Pass, others: []string{"phone"}},
	} {
		got := trial.Judge(c.f)
		if got.Say != c.say || !slices.Equal(got.Ours, c.ours) || !slices.Equal(got.Others, c.others) {
			t.Errorf("%s: got %+v, want %d, %v, %v", name, got, c.say, c.ours, c.others)
		}
	}
}
