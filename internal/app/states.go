package app

import (
	"fmt"
	"slices"
	"strings"

	"nightporter/internal/config"
	"nightporter/sync/merge"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// machine is the steps of a field and who may take them.
func machine(j *config.Job, field string) *merge.Machine {
	s, _ := j.StatesOf(field)
	say := record.Right
	switch {
	case s.Unsaid:
		say = authority(j)
	case s.OfLeft:
		say = record.Left
	}
	m := &merge.Machine{Authority: say, Absorbing: s.Ends}
	switch s.Usual {
	case config.UsualOrder:
		m = merge.Order(say)
	case config.UsualPayment:
		m = merge.Payment(say)
	case config.UsualStay:
		m = merge.Stay(say)
	case config.UsualNone:
		for _, e := range s.Steps {
			m.Edges = append(m.Edges, merge.Edge{From: e.From, To: e.To, OnlyAuthority: e.Back})
		}
	}
	if s.Left != nil { // else what the machine itself lets a side do
		m.MayLeft = s.Left
	}
	if s.Right != nil {
		m.MayRight = s.Right
	}
	return m
}

// orders is the rules of a job that are over several of its fields.
func orders(j *config.Job, r *plan.Rules) {
	for _, c := range j.Clashes {
		r.Clashes = append(r.Clashes, c.Words)
	}
	for _, f := range j.Fields {
		if s := f.AddsUp; s != nil {
			r.Sums = append(r.Sums, plan.Sum{
				Total: f.Name, Lines: s.Of, Times: s.Times, Plus: s.Plus, Minus: s.Minus, Hold: s.Else == config.SumHold,
			})
		}
	}
	if j.Kind != config.KindOrder {
		return
	}
	r.Status = "status" // cancels count by themselves
	if _, ok := j.StatesOf(r.Status); ok {
		r.Over = map[string][]string{r.Status: machine(j, r.Status).Absorbing}
	}
}

// checkWords says which of our words a system shows and does not take.
func (a *App) checkWords(j *config.Job) []Finding {
	var out []Finding
	for i, js := range [2]config.JobSide{j.Left, j.Right} {
		sys, ok := a.Config.System(js.System)
		if !ok || sys.REST == nil {
			continue
		}
		p, err := presetOf(sys.REST)
		if err != nil {
			continue
		}
		for _, f := range j.Fields {
			takes := p.Kinds[js.Kind].Words[fieldSide(f, record.Side(i)).Path]
			to := [2]bool{f.ToLeft, f.ToRight}[i]
			if never := untaken(j, f.Name, i, takes); to && len(takes) > 0 && len(never) > 0 {
				out = append(out, Finding{Where: "job " + j.Name, Text: fmt.Sprintf(
					"field %s: %s can't be told that it is %s, since it takes %s: what stands there stays, and is shown as drift",
					f.Name, js.System, strings.Join(never, ", "), strings.Join(takes, ", "))})
			}
		}
	}
	return out
}

// untaken is our words for a field of which a side takes none of its own.
func untaken(j *config.Job, field string, side int, takes []string) []string {
	t, _ := j.Table(field)
	var out []string
	for _, row := range t.Rows {
		native := [2][]string{row.Left, row.Right}[side]
		taken := slices.ContainsFunc(native, func(w string) bool {
			return slices.ContainsFunc(takes, func(may string) bool { return strings.EqualFold(may, w) })
		})
		if !taken {
			out = append(out, row.Word)
		}
	}
	return out
}
