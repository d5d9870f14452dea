package guard

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// Amount is how many records may be written without a person: a number, a share of the linked records, or
// whichever of the two is more. The zero Amount sets no limit.
type Amount struct {
	Count   int
	Percent float64
}

// few is the least that a share allows in a run and in a day: in a small house three edits are
// a third of everything. A week allows three times as much.
const few = 10

// of returns how many records may be written, false where there is no limit. A share without a number is never
// less than few.
func (a Amount) of(links, few int) (int, bool) {
	switch {
	case a.Percent > 0 && a.Count == 0:
		return max(few, int(a.Percent*float64(links)/100)), true
	case a.Percent > 0:
		return max(a.Count, int(a.Percent*float64(links)/100)), true
	}
	return a.Count, a.Count > 0
}

// Limit is how many records may be written to one side with one risk.
type Limit struct {
	Run  Amount // in a run
	Day  Amount // in any 24 hours
	Week Amount // in any seven days
}

// weekly is how many times the limit of a day a week allows: a side that loses a little less each day than a day
// allows is stopped within the week.
const weekly = 3

// Limited is the limit where only the amount for a run is given: the same holds for 24 hours, and three times
// that for a week.
func Limited(run Amount) Limit {
	return Limit{Run: run, Day: run, Week: Amount{Count: weekly * run.Count, Percent: weekly * run.Percent}}
}

// AtMost is Limited to a number of records.
func AtMost(n int) Limit { return Limited(Amount{Count: n}) }

// Used is what was let go already to one side with one risk, by the names of records. A record counts once in its
// window, however often it was written.
type Used struct {
	Run  map[string]bool // in this run so far
	Day  map[string]bool // in the 24 hours before this run
	Week map[string]bool // in the seven days before this run, those of Day among them

	MadeDay, MadeWeek int // creates in these windows, each of another record
}

// besides counts the records that were let go before and are not written now.
func besides(before, now map[string]bool) int {
	n := 0
	for name := range before {
		if !now[name] {
			n++
		}
	}
	return n
}

// Spent is what was let go before, of each risk and to each side.
type Spent [2]map[plan.Risk]Used

// SpentOf returns what was let go before now. found has the records that were written in the last seven days.
func SpentOf(found []record.Spent, now time.Time) Spent {
	spent := Spent{{}, {}}
	for _, x := range found {
		u, known := spent[x.Side][plan.Risk(x.Risk)]
		if !known {
			u = Used{Day: map[string]bool{}, Week: map[string]bool{}}
		}
		lately := x.Last.After(now.Add(-24 * time.Hour))
		if x.Name == "" {
			u.MadeWeek += x.Count
			if lately {
				u.MadeDay += x.Count
			}
		} else {
			u.Week[x.Name] = true
			if lately {
				u.Day[x.Name] = true
			}
		}
		spent[x.Side][plan.Risk(x.Risk)] = u
	}
	return spent
}

// Trip is a set of changes that a guard holds: all of one risk to one side.
type Trip struct {
	Guard   string // what tripped: "cancels", "cancels_day", "cancels_week", "deletes_all", "mapping", "redone", "unreadable"
	Side    record.Side
	Risk    plan.Risk
	Text    string // what tripped it, and by how much
	Actions []plan.Action
}

// limit returns the limit for a risk and the name of its guard. A risk that is always held has neither.
func (g *Guards) limit(r plan.Risk) (Limit, string) {
	switch r {
	case plan.RiskCreate:
		return g.Creates, "creates"
	case plan.RiskFill:
		return g.Fills, "fills"
	case plan.RiskUpdate:
		return g.Updates, "updates"
	case plan.RiskClear:
		return g.Clears, "clears"
	case plan.RiskCancel:
		return g.Cancels, "cancels"
	case plan.RiskDelete:
		return g.Deletes, "deletes"
	case plan.RiskMapping, plan.RiskRedone, plan.RiskUnreadable:
	}
	return Limit{}, ""
}

// Budget splits a plan into the changes that may go and the sets that a guard holds. A set over
// its limit is held whole: nobody could say which ten of fifty cancels are the right ones. Each
// risk and side is judged by itself: a mass cancel does not stop an arrival. What a person let
// go always goes.
func Budget(g Guards, f Facts, spent Spent, actions []plan.Action) (free []plan.Action, trips []Trip) {
	type class struct {
		side record.Side
		risk plan.Risk
	}
	sets := map[class][]plan.Action{}
	for _, a := range actions {
		if !a.Let {
			sets[class{a.Side, a.Risk}] = append(sets[class{a.Side, a.Risk}], a)
		}
	}
	held := map[class]bool{}
	for c, set := range sets {
		if t, ok := trip(g, f, spent[c.side][c.risk], c.side, c.risk, set); ok {
			held[c] = true
			trips = append(trips, t)
		}
	}
	slices.SortFunc(trips, func(a, b Trip) int {
		return cmp.Or(cmp.Compare(a.Side, b.Side), slices.Index(plan.Risks, a.Risk)-slices.Index(plan.Risks, b.Risk))
	})
	for _, a := range actions {
		if a.Let || !held[class{a.Side, a.Risk}] {
			free = append(free, a)
		}
	}
	return free, trips
}

// trip returns what holds a set of one risk to one side, false if nothing does.
func trip(g Guards, f Facts, used Used, side record.Side, risk plan.Risk, set []plan.Action) (Trip, bool) {
	t := Trip{Side: side, Risk: risk, Actions: set}
	if risk == plan.RiskMapping {
		t.Guard = "mapping"
		t.Text = fmt.Sprintf("the configuration of their fields has changed, and %s would be written to %s because of that",
			counted(len(set), "change", "changes"), f.Systems[side])
		return t, true
	}
	if risk == plan.RiskRedone {
		t.Guard = "redone"
		t.Text = fmt.Sprintf("%s to %s: a person rejected the same before, it was put back, and was done again",
			counted(len(set), "change", "changes"), f.Systems[side])
		return t, true
	}
	if risk == plan.RiskUnreadable {
		t.Guard = "unreadable"
		t.Text = fmt.Sprintf("%s would be created in %s, where %s can't be read and may be the same (nightporter quarantine names them)",
			counted(len(set), "record", "records"), f.Systems[side], counted(f.Illegible[side], "record", "records"))
		return t, true
	}
	limit, name := g.limit(risk)
	now := names(set)
	for n := range used.Run {
		now[n] = true
	}
	if n := len(now); risk == plan.RiskDelete && limit != (Limit{}) && f.Links < manyLinks && n > 1 && n >= f.Links {
		t.Guard, t.Text = name+"_all", fmt.Sprintf("all %d linked records of %s would be deleted", n, f.Systems[side])
		return t, true
	}
	for _, w := range []struct {
		suffix, in string
		most       Amount
		before     map[string]bool
		made       int
		few        int
	}{
		{"", "in a run", limit.Run, nil, 0, few},
		{"_day", "in 24 hours", limit.Day, used.Day, used.MadeDay, few},
		{"_week", "in seven days", limit.Week, used.Week, used.MadeWeek, weekly * few},
	} {
		most, some := w.most.of(f.Links, w.few)
		if n := len(now) + w.made + besides(w.before, now); some && n > most {
			t.Guard = name + w.suffix
			t.Text = fmt.Sprintf("%s: guards.%s lets %d go %s", doing(risk, f.Systems[side], len(set), n), name, most, w.in)
			return t, true
		}
	}
	return t, false
}

// doing says what a set would do to how many records, and how many these are with those before.
func doing(risk plan.Risk, system record.System, set, all int) string {
	what := map[plan.Risk]string{
		plan.RiskCreate: "would be created", plan.RiskFill: "would have empty fields filled", plan.RiskUpdate: "would be changed", plan.RiskClear: "would have a value emptied",
		plan.RiskCancel: "would be cancelled or rejected", plan.RiskDelete: "would be deleted",
	}[risk]
	text := fmt.Sprintf("%s %s in %s", counted(set, "record", "records"), what, system)
	if all > set {
		text += fmt.Sprintf(", which makes %d", all)
	}
	return text
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func names(set []plan.Action) map[string]bool {
	out := make(map[string]bool, len(set))
	for _, a := range set {
		out[a.Name()] = true
	}
	return out
}
