package guard

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// changes is n changes of one risk to one side, each of another record.
func changes(side record.Side, risk plan.Risk, n int) []plan.Action {
	op := record.Update
	switch risk {
	case plan.RiskCreate:
		op = record.Create
	case plan.RiskDelete:
		op = record.Delete
	case plan.RiskFill, plan.RiskUpdate, plan.RiskClear, plan.RiskCancel, plan.RiskMapping, plan.RiskRedone, plan.RiskUnreadable:
	}
	out := make([]plan.Action, n)
	for i := range out {
		ref := record.Ref{Kind: "stays", ID: fmt.Sprint(side, risk, i)}
		out[i] = plan.Action{Side: side, Risk: risk, Source: ref, Change: record.Change{Op: op, Ref: ref}}
	}
	return out
}

// guardsOf is one guard alone.
func guardsOf(risk plan.Risk, l Limit) Guards {
	var g Guards
	switch risk {
	case plan.RiskCreate:
		g.Creates = l
	case plan.RiskFill:
		g.Fills = l
	case plan.RiskUpdate:
		g.Updates = l
	case plan.RiskClear:
		g.Clears = l
	case plan.RiskCancel:
		g.Cancels = l
	case plan.RiskDelete:
		g.Deletes = l
	case plan.RiskMapping, plan.RiskRedone, plan.RiskUnreadable:
	}
	return g
}

// spentOf is what went before, of one risk to one side.
func spentOf(side record.Side, risk plan.Risk, u Used) (s Spent) {
	s[side] = map[plan.Risk]Used{risk: u}
	return s
}

func inRun(n int) map[string]bool { return called("before", n) }

// called is so many names of records.
func called(name string, n int) map[string]bool {
	m := map[string]bool{}
	for i := range n {
		m[fmt.Sprint(name, i)] = true
	}
	return m
}

// lately is how many records were written in a day, and in a week.
func lately(day, week int) Used {
	return Used{Day: called("lately", day), Week: called("lately", week)}
}

// boundary tries one guard on both sides and in each window at n-1, n and n+1.
func boundary(t *testing.T, risk plan.Risk, name string) {
	t.Helper()
	const links = 1000
	facts := Facts{Links: links, Systems: [2]record.System{"platform", "pms"}}
	for _, side := range record.Sides {
		for _, tt := range []struct {
			guard string
			limit Limit
			used  Used
			most  int // that may still go
		}{
			{name, Limit{Run: Amount{Count: 20}}, lately(500, 900), 20},
			{name, Limit{Run: Amount{Count: 20}}, Used{Run: inRun(5)}, 15},
			{name, Limit{Run: Amount{Percent: 3}}, Used{}, 30},
			{name, Limit{Run: Amount{Count: 50, Percent: 3}}, Used{}, 50},
			{name, Limit{Run: Amount{Count: 5, Percent: 3}}, Used{}, 30},
			{name + "_day", Limit{Run: Amount{Count: 99}, Day: Amount{Count: 30}}, lately(10, 10), 20},
			{name + "_day", Limit{Day: Amount{Count: 30}}, Used{Run: inRun(4), Day: called("lately", 10)}, 16},
			{name + "_day", Limit{Day: Amount{Percent: 5}}, lately(10, 10), 40},
			{name + "_week", Limit{Run: Amount{Count: 99}, Day: Amount{Count: 99}, Week: Amount{Count: 60}}, lately(3, 40), 20},
			{name + "_week", Limit{Week: Amount{Percent: 10}}, lately(0, 90), 10},
		} {
			for _, n := range []int{tt.most - 1, tt.most, tt.most + 1} {
				free, trips := Budget(guardsOf(risk, tt.limit), facts, spentOf(side, risk, tt.used), changes(side, risk, n))
				if n <= tt.most && (len(trips) != 0 || len(free) != n) {
					t.Errorf("%s of %v to the %s: %d were held: %+v", risk, tt.limit, side, n, trips)
				}
				if n > tt.most && (len(trips) != 1 || len(free) != 0 || trips[0].Guard != tt.guard || len(trips[0].Actions) != n) {
					t.Errorf("%s of %v to the %s: %d of %d: %d went, held by %+v", risk, tt.limit, side, n, tt.most, len(free), trips)
				}
			}
		}
	}
}

func TestF41_CreatesStopAtTheirGuard(t *testing.T) { boundary(t, plan.RiskCreate, "creates") }
func TestF41_UpdatesStopAtTheirGuard(t *testing.T) { boundary(t, plan.RiskUpdate, "updates") }
func TestF41_CancelsStopAtTheirGuard(t *testing.T) { boundary(t, plan.RiskCancel, "cancels") }
func TestF41_DeletesStopAtTheirGuard(t *testing.T) { boundary(t, plan.RiskDelete, "deletes") }

// A list that lost a column empties it everywhere: clears have a guard of their own.
func TestFillsStopAtTheirGuard(t *testing.T) { boundary(t, plan.RiskFill, "fills") }

func TestF19_ClearsStopAtTheirGuard(t *testing.T) { boundary(t, plan.RiskClear, "clears") }

// A little less than a day allows, day by day, is stopped by the week.
func TestF42_ASlowDripIsStopped(t *testing.T) {
	g := guardsOf(plan.RiskCancel, AtMost(10))
	facts := Facts{Links: 1000, Systems: [2]record.System{"platform", "pms"}}
	var gone []int // a day
	for day := range 60 {
		week := 0
		for _, n := range gone[max(0, day-6):] {
			week += n
		}
		free, _ := Budget(g, facts, spentOf(record.Left, plan.RiskCancel, lately(0, week)), changes(record.Left, plan.RiskCancel, 10))
		gone = append(gone, len(free))
	}
	total := 0
	for _, n := range gone[:7] {
		total += n
	}
	if total != 30 {
		t.Errorf("ten cancels a day: %d went in the first week, want three days' worth", total)
	}
}

// Deleting all there is trips the guard also where the number would not.
func TestDeletingAllOfFewIsHeld(t *testing.T) {
	g := guardsOf(plan.RiskDelete, AtMost(5))
	for _, tt := range []struct{ links, n, free int }{
		{3, 2, 2}, {3, 3, 0}, {1, 1, 1}, {19, 5, 5}, {30, 5, 5},
	} {
		free, trips := Budget(g, Facts{Links: tt.links}, Spent{}, changes(record.Left, plan.RiskDelete, tt.n))
		if len(free) != tt.free {
			t.Errorf("%d of %d links deleted: %d went, want %d: %+v", tt.n, tt.links, len(free), tt.free, trips)
		}
	}
}

// What only a changed configuration asks for waits for a person, be it one change.
func TestF21_ChangedMappingIsHeld(t *testing.T) {
	actions := append(changes(record.Left, plan.RiskMapping, 1), changes(record.Left, plan.RiskUpdate, 3)...)
	free, trips := Budget(Guards{}, Facts{}, Spent{}, actions)
	if len(free) != 3 || len(trips) != 1 || trips[0].Guard != "mapping" || len(trips[0].Actions) != 1 {
		t.Errorf("got %d free and %+v", len(free), trips)
	}
}

// In a small house a part is never less than ten records.
func TestShareOfFewLinks(t *testing.T) {
	g := guardsOf(plan.RiskUpdate, Limited(Amount{Percent: 30}))
	for _, tt := range []struct{ links, n, free int }{{3, 10, 10}, {3, 11, 0}, {40, 12, 12}, {40, 13, 0}, {0, 10, 10}} {
		free, _ := Budget(g, Facts{Links: tt.links}, Spent{}, changes(record.Right, plan.RiskUpdate, tt.n))
		if len(free) != tt.free {
			t.Errorf("%d of %d links changed: %d went, want %d", tt.n, tt.links, len(free), tt.free)
		}
	}
}

// And in a week never less than those of three days: a table that fills up, each row of
// which is written once more, is no reason to ask anybody.
func TestShareOfFewLinksInAWeek(t *testing.T) {
	g := guardsOf(plan.RiskUpdate, Limited(Amount{Percent: 30}))
	for _, tt := range []struct{ links, before, n, free int }{{14, 20, 10, 10}, {14, 21, 10, 0}, {100, 80, 10, 10}, {100, 81, 10, 0}} {
		free, _ := Budget(g, Facts{Links: tt.links}, spentOf(record.Right, plan.RiskUpdate, lately(0, tt.before)), changes(record.Right, plan.RiskUpdate, tt.n))
		if len(free) != tt.free {
			t.Errorf("%d of %d links changed after %d in the week: %d went, want %d", tt.n, tt.links, tt.before, len(free), tt.free)
		}
	}
}

// A record counts once in its window, however often it was written.
func TestOutsideARecordCountsOnceInItsWindow(t *testing.T) {
	for _, risk := range []plan.Risk{plan.RiskUpdate, plan.RiskClear, plan.RiskCancel} {
		again := changes(record.Left, risk, 4)
		used := Used{Day: names(again[:3]), Week: names(again)}
		used.Day["stays:another"], used.Week["stays:another"] = true, true
		for most, want := range map[int]int{4: 0, 5: 4} {
			free, _ := Budget(guardsOf(risk, Limit{Day: Amount{Count: most}}), Facts{Links: 1000}, spentOf(record.Left, risk, used), again)
			if len(free) != want {
				t.Errorf("%s: four records, three of them written in the day and one more: %d went of %d, want %d", risk, len(free), most, want)
			}
		}
	}
}

// What was written is of the day by the last time, and of the week by any.
func TestOutsideSpentByItsLastTime(t *testing.T) {
	now := time.Date(2027, 4, 1, 12, 0, 0, 0, time.UTC)
	got := SpentOf([]record.Spent{
		{Side: record.Right, Risk: "update", Name: "a:1", Last: now.Add(-24 * time.Hour)},
		{Side: record.Right, Risk: "update", Name: "a:2", Last: now.Add(-24*time.Hour + time.Second)},
		{Side: record.Left, Risk: "cancel", Name: "a:3", Last: now},
		{Side: record.Left, Risk: "create", Count: 5, Last: now.Add(-25 * time.Hour)},
		{Side: record.Left, Risk: "create", Count: 2, Last: now},
	}, now)
	if u := got[record.Right][plan.RiskUpdate]; len(u.Day) != 1 || !u.Day["a:2"] || len(u.Week) != 2 {
		t.Errorf("updates of the right: %+v", u)
	}
	if u := got[record.Left][plan.RiskCancel]; len(u.Day) != 1 || len(u.Week) != 1 {
		t.Errorf("cancels of the left: %+v", u)
	}
	if u := got[record.Left][plan.RiskCreate]; u.MadeDay != 2 || u.MadeWeek != 7 {
		t.Errorf("creates of the left: %+v", u)
	}
}

// Each create of before is another record.
func TestCreatesOfBeforeCount(t *testing.T) {
	more := changes(record.Left, plan.RiskCreate, 4)
	for name, tt := range map[string]struct {
		limit Limit
		want  int
	}{
		"in the day": {Limit{Day: Amount{Count: 6}}, 4}, "over the day": {Limit{Day: Amount{Count: 5}}, 0},
		"in the week": {Limit{Week: Amount{Count: 11}}, 4}, "over the week": {Limit{Week: Amount{Count: 10}}, 0},
		"in the run": {Limit{Run: Amount{Count: 4}}, 4},
	} {
		free, _ := Budget(guardsOf(plan.RiskCreate, tt.limit), Facts{Links: 1000}, spentOf(record.Left, plan.RiskCreate, Used{MadeDay: 2, MadeWeek: 7}), more)
		if len(free) != tt.want {
			t.Errorf("%s: %d went, want %d", name, len(free), tt.want)
		}
	}
}

// A trip says what, where, how many, and what the limit is.
func TestTripText(t *testing.T) {
	_, trips := Budget(guardsOf(plan.RiskCancel, AtMost(10)), Facts{Systems: [2]record.System{"platform", "pms"}},
		spentOf(record.Left, plan.RiskCancel, lately(8, 8)), changes(record.Left, plan.RiskCancel, 4))
	want := "4 records would be cancelled or rejected in platform, which makes 12: guards.cancels lets 10 go in 24 hours"
	if len(trips) != 1 || trips[0].Text != want {
		t.Errorf("got %+v, want %q", trips, want)
	}
}

// No set of changes that is let go is beyond what a guard allows, in whatever window,
// unless a person let them go; what is held is held whole, and nothing is lost or made.
func TestBudgetLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var g Guards
		limits := map[plan.Risk]Limit{}
		amount := func(label string) Amount {
			return Amount{Count: rapid.IntRange(0, 6).Draw(t, label), Percent: float64(rapid.SampledFrom([]int{0, 0, 10, 50}).Draw(t, label+" percent"))}
		}
		risks := []plan.Risk{plan.RiskCreate, plan.RiskFill, plan.RiskUpdate, plan.RiskClear, plan.RiskCancel, plan.RiskDelete}
		var spent Spent
		var actions []plan.Action
		for _, risk := range risks {
			l := Limit{amount("run"), amount("day"), amount("week")}
			limits[risk] = l
			one := guardsOf(risk, l)
			g.Creates, g.Fills, g.Updates, g.Clears = join(g.Creates, one.Creates), join(g.Fills, one.Fills), join(g.Updates, one.Updates), join(g.Clears, one.Clears)
			g.Cancels, g.Deletes = join(g.Cancels, one.Cancels), join(g.Deletes, one.Deletes)
			for _, side := range record.Sides {
				if spent[side] == nil {
					spent[side] = map[plan.Risk]Used{}
				}
				day := rapid.IntRange(0, 4).Draw(t, "day before")
				u := lately(day, day+rapid.IntRange(0, 4).Draw(t, "week before"))
				u.Run = inRun(rapid.IntRange(0, 2).Draw(t, "run before"))
				if risk == plan.RiskCreate {
					u = Used{Run: u.Run, MadeDay: len(u.Day), MadeWeek: len(u.Week)}
				}
				spent[side][risk] = u
				set := changes(side, risk, rapid.IntRange(0, 14).Draw(t, "n"))
				for i := range set {
					set[i].Let = rapid.IntRange(0, 9).Draw(t, "let") == 0
				}
				actions = append(actions, set...)
			}
		}
		facts := Facts{Links: rapid.IntRange(0, 40).Draw(t, "links")}
		free, trips := Budget(g, facts, spent, actions)
		total := len(free)
		for _, trip := range trips {
			total += len(trip.Actions)
			for _, a := range trip.Actions {
				if a.Let || a.Side != trip.Side || a.Risk != trip.Risk {
					t.Errorf("%s of the %s holds %+v", trip.Guard, trip.Side, a)
				}
			}
		}
		if total != len(actions) {
			t.Errorf("%d actions became %d", len(actions), total)
		}
		for _, side := range record.Sides {
			for _, risk := range risks {
				n := 0
				for _, a := range free {
					if a.Side == side && a.Risk == risk && !a.Let {
						n++
					}
				}
				if n == 0 {
					continue
				}
				u := spent[side][risk]
				n += len(u.Run)
				for i, within := range []struct {
					most Amount
					all  int
					few  int
				}{{limits[risk].Run, n, 10}, {limits[risk].Day, n + u.MadeDay + len(u.Day), 10}, {limits[risk].Week, n + u.MadeWeek + len(u.Week), 30}} {
					if most, some := within.most.of(facts.Links, within.few); some && within.all > most {
						t.Errorf("%s to the %s, window %d: %d went of %d", risk, side, i, within.all, most)
					}
				}
			}
		}
	})
}

func join(a, b Limit) Limit {
	if b != (Limit{}) {
		return b
	}
	return a
}

// Every guard names itself in its trip, so that a person finds it in the configuration.
func TestTripNamesItsGuard(t *testing.T) {
	for _, risk := range plan.Risks {
		if risk == plan.RiskMapping || risk == plan.RiskRedone || risk == plan.RiskUnreadable { // no limit holds them
			continue
		}
		_, trips := Budget(guardsOf(risk, AtMost(1)), Facts{Links: 100}, Spent{}, changes(record.Left, risk, 2))
		if len(trips) != 1 || !strings.Contains(trips[0].Text, "guards."+trips[0].Guard) {
			t.Errorf("%s: got %+v", risk, trips)
		}
	}
}

// What was done again after a person's no waits without any guard, and however little it
// is; what they let go is written.
func TestF41_WhatIsDoneAgainAlwaysWaits(t *testing.T) {
	one := changes(record.Right, plan.RiskRedone, 1)
	free, trips := Budget(Guards{}, Facts{Links: 100}, Spent{}, one)
	if len(free) != 0 || len(trips) != 1 || trips[0].Guard != "redone" || len(trips[0].Actions) != 1 {
		t.Errorf("free %+v, held %+v", free, trips)
	}
	one[0].Let = true
	if free, trips = Budget(Guards{}, Facts{Links: 100}, Spent{}, one); len(free) != 1 || len(trips) != 0 {
		t.Errorf("approved: free %+v, held %+v", free, trips)
	}
}
