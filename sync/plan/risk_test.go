package plan

import (
	"testing"

	"nightporter/sync/record"
)

// TestRiskOf names the risk of each sort of change; where it is several, the gravest.
func TestRiskOf(t *testing.T) {
	status := func(before, after string) []record.FieldReason {
		return []record.FieldReason{{Field: "status", Before: record.OfText(before), After: record.OfText(after)}}
	}
	emptied := []record.FieldReason{{Field: "note", Before: record.OfText("quiet"), After: record.Nothing()}}
	for name, tt := range map[string]struct {
		change record.Change
		fields []record.FieldReason
		want   Risk
	}{
		"a new record":              {record.Change{Op: record.Create}, nil, RiskCreate},
		"a new record that is dead": {record.Change{Op: record.Create}, status("", "cancelled"), RiskCreate},
		"a deleted record":          {record.Change{Op: record.Delete}, nil, RiskDelete},
		"another value":             {record.Change{Op: record.Update}, status("pending", "confirmed"), RiskUpdate},
		"a cancel":                  {record.Change{Op: record.Action}, status("confirmed", "cancelled"), RiskCancel},
		"a no-show":                 {record.Change{Op: record.Update}, status("confirmed", "no_show"), RiskCancel},
		"a rejection":               {record.Change{Op: record.Action}, status("pending", "rejected"), RiskCancel},
		"a cancel taken back":       {record.Change{Op: record.Action}, status("cancelled", "confirmed"), RiskUpdate},
		"an empty field filled": {record.Change{
			Op: record.Update, Fields: texts("last", "Rossi"), Before: texts("last", ""),
		}, nil, RiskFill},
		"one filled, one replaced": {record.Change{
			Op: record.Update, Fields: texts("last", "Rossi", "first", "Ugo"), Before: texts("last", "", "first", "Aldo"),
		}, nil, RiskUpdate},
		"filled, and nobody saw what was there": {record.Change{
			Op: record.Update, Fields: texts("last", "Rossi"), Before: record.Fields{},
		}, nil, RiskUpdate},
		"a step from no word": {record.Change{
			Op: record.Action, Fields: texts("state", "paid"), Before: texts("state", ""),
		}, nil, RiskUpdate},
		"a cancel of what had no word": {record.Change{
			Op: record.Update, Fields: texts("state", "off"), Before: texts("state", ""),
		}, status("", "cancelled"), RiskCancel},
		"a value emptied":               {record.Change{Op: record.Update}, emptied, RiskClear},
		"an empty value filled":         {record.Change{Op: record.Update}, []record.FieldReason{{Field: "note", Before: record.Nothing(), After: record.OfText("x")}}, RiskUpdate},
		"an empty value emptied":        {record.Change{Op: record.Update}, []record.FieldReason{{Field: "note", Before: record.OfText(""), After: record.Nothing()}}, RiskUpdate},
		"emptied and cancelled at once": {record.Change{Op: record.Update}, append(emptied, status("confirmed", "cancelled")...), RiskCancel},
		"a native part emptied": {record.Change{
			Op: record.Update, Fields: texts("last", ""), Before: texts("last", "Rossi"),
		}, nil, RiskClear},
		"a list emptied": {record.Change{
			Op:     record.Update,
			Fields: record.Fields{"tags": record.OfList()}, Before: record.Fields{"tags": record.OfList(record.OfText("vip"))},
		}, nil, RiskClear},
	} {
		if got := RiskOf("status", tt.change, tt.fields); got != tt.want {
			t.Errorf("%s: got %s, want %s", name, got, tt.want)
		}
	}
	if got := RiskOf("", record.Change{Op: record.Update}, status("confirmed", "cancelled")); got != RiskUpdate {
		t.Errorf("a word of a job without a status: got %s, want %s", got, RiskUpdate)
	}
}

// TestPlannedRisk says that whatever plans an action says its risk.
func TestPlannedRisk(t *testing.T) {
	r := rulesForTests(t)
	r.Status = "status"
	c := settledCase(r)
	c.Sides[record.Right].Native = c.Sides[record.Right].Native.With(texts("state", "off"))
	c.Sides[record.Left].Native = c.Sides[record.Left].Native.With(record.Fields{"details": record.Nothing()})
	for s := range c.Sides {
		readInto(r, &c, record.Side(s))
	}
	got := map[record.Side]Risk{}
	for _, a := range Pair(r, c).Actions {
		got[a.Side] = a.Risk
	}
	if got[record.Left] != RiskCancel || got[record.Right] != RiskClear {
		t.Errorf("got %v, want a cancel to the left and a clear to the right", got)
	}
	lone := settledCase(r)
	lone.Sides[record.Right] = Side{Native: record.Fields{}, Now: record.Fields{}}
	if a, why := New(r, lone, record.Left); a.Risk != RiskCreate || why.Text != "" {
		t.Errorf("new record: risk %q (%s), want %s", a.Risk, why.Text, RiskCreate)
	}
}
