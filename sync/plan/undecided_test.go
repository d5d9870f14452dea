package plan_test

import (
	"slices"
	"testing"

	"nightporter/sync/mapping"
	"nightporter/sync/merge"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// Which of the fields of a new record that can't be read hold its create.
func TestUndecided(t *testing.T) {
	side := func(path string) [2]mapping.SideSpec { return [2]mapping.SideSpec{{Path: path}, {Path: path}} }
	m, err := mapping.Compile(mapping.Spec{
		Systems: [2]string{"house", "platform"}, Match: [][]string{{"mail"}, {"name"}}, BlankCards: true,
		Fields: []mapping.FieldSpec{
			{Name: "mail", As: mapping.Email, Sides: side("mail")},
			{Name: "name", Sides: side("name")},
			{Name: "status", As: mapping.Enum, Sides: side("status"), Table: []mapping.EnumRow{{Word: "open", Sides: [2][]string{{"open"}, {"open"}}}}},
			{Name: "arrival", As: mapping.Date, Sides: side("arrival")},
			{Name: "departure", As: mapping.Date, Sides: side("departure")},
			{Name: "birthday", As: mapping.Date, Sides: side("birthday")},
			{Name: "issued", As: mapping.Date, Sides: side("issued")},
			{Name: "phone", As: mapping.Phone, Region: []string{"IT"}, Sides: side("phone")},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	rules := plan.Rules{Mapping: m, Kinds: [2]plan.Kind{{System: "house"}, {System: "platform", Required: []string{"issued"}}}}
	stays := rules
	stays.Status, stays.Day, stays.Span = "status", "arrival", plan.Span{"arrival", "departure"}
	orders := rules
	orders.Over = map[string][]string{"status": {"open"}}
	required := stays
	required.Merge = []merge.Rule{{Field: "birthday", Required: true}}
	elsewhere := stays
	elsewhere.Merge = []merge.Rule{{Field: "birthday", Required: true, To: merge.ToLeft}}
	bad := func(field string) record.Fields { return record.Fields{field: record.OfText("no idea")} }
	for name, tt := range map[string]struct {
		rules  plan.Rules
		native record.Fields
		keyed  bool
		want   []string
	}{
		"the status":                       {stays, bad("status"), true, []string{"status"}},
		"the status of what may be over":   {orders, bad("status"), true, []string{"status"}},
		"a word that means nothing there":  {rules, bad("status"), true, nil},
		"the first day":                    {stays, bad("arrival"), true, []string{"arrival"}},
		"the last day":                     {stays, bad("departure"), true, []string{"departure"}},
		"both days":                        {stays, record.Fields{"arrival": record.OfText("x"), "departure": record.OfText("y")}, true, []string{"arrival", "departure"}},
		"no day at all":                    {stays, record.Fields{"arrival": record.Nothing()}, true, nil},
		"what decides nothing":             {stays, bad("birthday"), true, nil},
		"what the other side needs":        {stays, bad("issued"), true, []string{"issued"}},
		"what is never empty":              {required, bad("birthday"), true, []string{"birthday"}},
		"what is never empty over here":    {elsewhere, bad("birthday"), true, nil},
		"a key, and there is another one":  {stays, bad("mail"), true, nil},
		"a key, and it is the only one":    {stays, bad("mail"), false, []string{"mail"}},
		"no key, and no key at all":        {stays, bad("phone"), false, nil},
		"a card in the place of a key":     {stays, record.Fields{"name": record.OfText("****")}, false, nil},
		"what a contact needs":             {rules, bad("issued"), true, nil},
		"the only key of a contact":        {rules, bad("mail"), false, nil},
		"a status that can be read":        {stays, record.Fields{"status": record.OfText("open")}, true, nil},
		"all that can't be read is listed": {stays, record.Fields{"status": record.OfText("x"), "mail": record.OfText("y"), "birthday": record.OfText("z")}, false, []string{"mail", "status"}},
	} {
		now, _ := m.Read(record.Left, tt.native)
		var got []string
		for _, p := range plan.Undecided(tt.rules, plan.Side{Now: now, Native: tt.native}, record.Left, tt.keyed) {
			got = append(got, p.Field)
		}
		slices.Sort(got)
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}
