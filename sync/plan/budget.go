package plan

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"nightporter/sync/record"
)

// Amount is how much is let go without a person: a number of records, a part of the
// linked ones, or whichever of both is more. The zero one sets no limit.
type Amount struct {
	Count   int
	Percent float64
}

// few is what a part always amounts to at least, in a run and in a day: in a small house
// three edits are a third of everything. In a week it is that of three days.
const few = 10

// of is the number of records that are let go, false for any number. A part without a
// count is never less than few.
func (a Amount) of(links, few int) (int, bool) {
	switch {
	case a.Percent > 0 && a.Count == 0:
		return max(few, int(a.Percent*float64(links)/100)), true
	case a.Percent > 0:
		return max(a.Count, int(a.Percent*float64(links)/100)), true
	}
	return a.Count, a.Count > 0
}

// Limit is how much of one risk is let go to one side.
type Limit struct {
	Run  Amount // in a run
	Day  Amount // in any 24 hours
	Week Amount // in any seven days
}

// weekly is how many days' worth a week is: who loses a little less each day than a day
// allows is stopped in the week.
const weekly = 3

// Limited is the limit where only what a run may do is said: the same in 24 hours, and
// three times that in a week.
func Limited(run Amount) Limit {
	return Limit{Run: run, Day: run, Week: Amount{Count: weekly * run.Count, Percent: weekly * run.Percent}}
}

// AtMost is Limited to a number of records.
func AtMost(n int) Limit { return Limited(Amount{Count: n}) }

// Used is what was let go of one risk to one side, by the names of records: each counts
// once in its window, however often it was written.
type Used struct {
	Run  map[string]bool // in this run so far
	Day  map[string]bool // in the 24 hours before this run
	Week map[string]bool // in the seven days before it, those of Day among them

	MadeDay, MadeWeek int // creates in these windows, each of another record
}

// besides is how many of the records that were let go before are not among those of now.
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
type Spent [2]map[Risk]Used

// SpentOf is what was let go before now, by the records that were written in seven days.
func SpentOf(found []record.Spent, now time.Time) Spent {
	spent := Spent{{}, {}}
	for _, x := range found {
		u, known := spent[x.Side][Risk(x.Risk)]
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
		spent[x.Side][Risk(x.Risk)] = u
	}
	return spent
}

// Trip is a set of changes that a guard holds: all of one risk to one side.
type Trip struct {
	Guard   string // what tripped: "cancels", "cancels_day", "cancels_week", "deletes_all", "mapping", "redone", "unreadable"
	Side    record.Side
	Risk    Risk
	Text    string // what tripped it, and by how much
	Actions []Action
}

// limit is the guard of a risk and its name.
func (g *Guards) limit(r Risk) (Limit, string) {
	switch r {
	case RiskCreate:
		return g.Creates, "creates"
	case RiskFill:
		return g.Fills, "fills"
	case RiskUpdate:
		return g.Updates, "updates"
	case RiskClear:
		return g.Clears, "clears"
	case RiskCancel:
		return g.Cancels, "cancels"
	case RiskDelete:
		return g.Deletes, "deletes"
	case RiskMapping, RiskRedone, RiskUnreadable:
	}
	return Limit{}, ""
}

// Budget parts what may go from what a guard holds. What is over a limit is held whole:
// nobody could say which ten of fifty cancels are the right ones. Each risk and side is
// judged by itself, so that a mass cancel keeps no arrival from being written. What a
// person let go is not asked about.
func Budget(g Guards, f Facts, spent Spent, actions []Action) (free []Action, trips []Trip) {
	type class struct {
		side record.Side
		risk Risk
	}
	sets := map[class][]Action{}
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
		return cmp.Or(cmp.Compare(a.Side, b.Side), slices.Index(Risks, a.Risk)-slices.Index(Risks, b.Risk))
	})
	for _, a := range actions {
		if a.Let || !held[class{a.Side, a.Risk}] {
			free = append(free, a)
		}
	}
	return free, trips
}

// trip is what holds a set of one risk to one side, false if nothing does.
func trip(g Guards, f Facts, used Used, side record.Side, risk Risk, set []Action) (Trip, bool) {
	t := Trip{Side: side, Risk: risk, Actions: set}
	if risk == RiskMapping {
		t.Guard = "mapping"
		t.Text = fmt.Sprintf("the configuration of their fields has changed, and %s would be written to %s because of that",
			counted(len(set), "change", "changes"), f.Systems[side])
		return t, true
	}
	if risk == RiskRedone {
		t.Guard = "redone"
		t.Text = fmt.Sprintf("%s to %s: a person rejected the same before, it was put back, and was done again",
			counted(len(set), "change", "changes"), f.Systems[side])
		return t, true
	}
	if risk == RiskUnreadable {
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
	if n := len(now); risk == RiskDelete && limit != (Limit{}) && f.Links < manyLinks && n > 1 && n >= f.Links {
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

// doing says what a set would do, and how many that makes with those before.
func doing(risk Risk, system record.System, set, all int) string {
	what := map[Risk]string{
		RiskCreate: "would be created", RiskFill: "would have empty fields filled", RiskUpdate: "would be changed", RiskClear: "would have a value emptied",
		RiskCancel: "would be cancelled or rejected", RiskDelete: "would be deleted",
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

// Name is what a guard counts an action's record by: the one that is written, or for a
// create the one that it is made from.
func (a Action) Name() string {
	if a.Change.Op == record.Create {
		return a.Source.String()
	}
	return a.Change.Ref.String()
}

func names(set []Action) map[string]bool {
	out := make(map[string]bool, len(set))
	for _, a := range set {
		out[a.Name()] = true
	}
	return out
}
