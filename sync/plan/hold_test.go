package plan

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nightporter/sync/mapping"
	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// orderRules is a job of orders: the platform, left, tells what was paid; the shop, right,
// what becomes of the goods.
func orderRules(t testing.TB) Rules {
	t.Helper()
	both := func(l, r string) [2]mapping.SideSpec { return [2]mapping.SideSpec{{Path: l}, {Path: r}} }
	money := func(l, r string) [2]mapping.SideSpec {
		return [2]mapping.SideSpec{{Path: l, Currency: "EUR"}, {Path: r, Currency: "EUR"}}
	}
	words := func(of ...string) []mapping.EnumRow {
		var rows []mapping.EnumRow
		for _, w := range of {
			rows = append(rows, mapping.EnumRow{Word: w, Sides: [2][]string{{strings.ToUpper(w)}, {w}}})
		}
		return rows
	}
	status := both("status", "status")
	status[record.Left].Words = []string{"CONFIRMED", "FULFILLED", "REFUSED", "CANCELLED"}
	m, err := mapping.Compile(mapping.Spec{Systems: [2]string{"platform", "shop"}, Fields: []mapping.FieldSpec{
		{Name: "number", Sides: both("reference", "number")},
		{Name: "status", As: mapping.Enum, Sides: status, Table: words("draft", "confirmed", "in_preparation", "fulfilled", "cancelled", "refused")},
		{Name: "reason", Sides: both("status_reason", "reason")},
		{Name: "payment", As: mapping.Enum, Sides: both("payment_status", "payment"), Table: words("unpaid", "paid", "refunded")},
		{Name: "total", As: mapping.Money, Sides: money("total", "total")},
		{Name: "shipping", As: mapping.Money, Sides: money("shipping", "shipping")},
		{Name: "lines", As: mapping.List, Key: []string{"sku"}, Sides: both("items", "lines"), Each: []mapping.FieldSpec{
			{Name: "sku", Sides: both("sku", "sku")},
			{Name: "quantity", As: mapping.Number, Sides: both("quantity", "qty")},
			{Name: "price", As: mapping.Money, Sides: money("price", "price")},
		}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return Rules{
		Mapping: m, Skew: -1,
		Merge: []merge.Rule{
			{Field: "number", Policy: merge.RightWins},
			{Field: "status", Policy: merge.Rules, Machine: merge.Order(record.Right)},
			{Field: "reason", Policy: merge.RightWins},
			{Field: "payment", Policy: merge.Rules, Machine: merge.Payment(record.Left), To: merge.ToRight},
			{Field: "total", Policy: merge.Person},
			{Field: "shipping", Policy: merge.RightWins},
			{Field: "lines", Policy: merge.RightWins},
		},
		Kinds: [2]Kind{
			{System: "platform", Kind: "orders", Needs: []Need{{Path: "status", Values: []string{"refused"}, With: []string{"status_reason"}}}},
			{System: "shop", Kind: "orders"},
		},
		Status:  "status",
		Over:    map[string][]string{"status": {"fulfilled", "cancelled", "refused"}},
		Clashes: []Clash{{"status": {"cancelled", "refused"}, "payment": {"paid"}}},
		Sums:    []Sum{{Total: "total", Lines: "lines", Times: []string{"quantity", "price"}, Plus: []string{"shipping"}, Hold: true}},
	}
}

func orderLines(t testing.TB, text string) record.Value {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var a any
	if err := dec.Decode(&a); err != nil {
		t.Fatal(err)
	}
	v, err := record.FromJSON(a)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// settledOrder is a confirmed order that nobody has paid yet.
func settledOrder(t testing.TB, r Rules) Case {
	t.Helper()
	left := texts("reference", "A1", "status", "CONFIRMED", "status_reason", "", "payment_status", "UNPAID", "total", "25.00", "shipping", "5")
	left["items"] = orderLines(t, `[{"sku":"A","quantity":"2","price":"10.00"}]`)
	right := texts("number", "A1", "status", "confirmed", "reason", "", "payment", "unpaid", "total", "25", "shipping", "5")
	right["lines"] = orderLines(t, `[{"sku":"A","qty":2,"price":"10"}]`)
	c := Case{Link: 7, Entity: "E7"}
	c.Sides[record.Left] = Side{Ref: record.Ref{Kind: "orders", ID: "o1"}, Entry: 1, Native: left, Base: left}
	c.Sides[record.Right] = Side{Ref: record.Ref{Kind: "orders", ID: "1"}, Entry: 2, Native: right, Base: right}
	for s := range c.Sides {
		readInto(r, &c, record.Side(s))
	}
	return c
}

func TestWhatMustNotBeCarriedOut(t *testing.T) {
	type edits = map[record.Side]record.Fields
	base := func(c *Case, r Rules, side record.Side, f record.Fields) { // both as settled
		c.Sides[side].Native, c.Sides[side].Base = c.Sides[side].Native.With(f), c.Sides[side].Base.With(f)
		readInto(r, c, side)
	}
	for _, tt := range []struct {
		name      string
		was       edits
		now       edits
		only      []string
		choices   map[string]merge.Choice
		asked     []string // of which a person is asked already, because of a clash
		actions   []string
		conflicts []string // field and why
		drifts    []string
	}{
		{
			name: "paid there, cancelled here",
			now:  edits{record.Left: texts("payment_status", "PAID"), record.Right: texts("status", "cancelled")},
			conflicts: []string{
				"payment: platform says paid of its payment, and shop says cancelled of its status: a person decides which stands",
				"status: platform says paid of its payment, and shop says cancelled of its status: a person decides which stands",
			},
		},
		{
			name: "a person lets the cancel stand",
			now:  edits{record.Left: texts("payment_status", "PAID"), record.Right: texts("status", "cancelled")},
			choices: map[string]merge.Choice{
				"status": {Take: "right", Left: record.OfText("confirmed"), Right: record.OfText("cancelled"), Force: true},
			},
			actions:   []string{`left update o1 {"status":"CANCELLED"}`},
			conflicts: []string{"payment: platform says paid of its payment, and shop says cancelled of its status: a person decides which stands"},
		},
		{
			name: "a person lets the order stand",
			now:  edits{record.Left: texts("payment_status", "PAID"), record.Right: texts("status", "cancelled")},
			choices: map[string]merge.Choice{
				"status": {Take: "left", Left: record.OfText("confirmed"), Right: record.OfText("cancelled"), Force: true},
			},
			actions: []string{`right update 1 {"payment":"paid","status":"confirmed"}`},
		},
		{
			name:    "paid long ago, cancelled by who knew that",
			was:     edits{record.Left: texts("payment_status", "PAID"), record.Right: texts("payment", "paid")},
			now:     edits{record.Right: texts("status", "cancelled")},
			actions: []string{`left update o1 {"status":"CANCELLED"}`},
		},
		{
			name:      "a person was told of the payment alone",
			was:       edits{record.Left: texts("payment_status", "PAID"), record.Right: texts("payment", "paid")},
			now:       edits{record.Right: texts("status", "cancelled")},
			asked:     []string{"status"},
			conflicts: []string{"status: platform says paid of its payment, and shop says cancelled of its status: a person decides which stands"},
		},
		{
			name:  "a person chose, and the status went on meanwhile",
			was:   edits{record.Left: texts("payment_status", "PAID"), record.Right: texts("payment", "paid")},
			now:   edits{record.Right: texts("status", "refused", "reason", "sold out")},
			asked: []string{"status"},
			choices: map[string]merge.Choice{
				"status": {Take: "right", Left: record.OfText("confirmed"), Right: record.OfText("cancelled"), Force: true},
			},
			actions:   []string{`left update o1 {"status_reason":"sold out"}`},
			conflicts: []string{"status: platform says paid of its payment, and shop says refused of its status: a person decides which stands"},
		},
		{
			name:    "a person let the cancel stand, and was asked of the payment too",
			was:     edits{record.Left: texts("status", "CANCELLED"), record.Right: texts("status", "cancelled")},
			now:     edits{record.Left: texts("payment_status", "PAID")},
			asked:   []string{"payment"},
			actions: []string{`right update 1 {"payment":"paid"}`},
		},
		{
			name:    "the money went back before a person answered",
			was:     edits{record.Left: texts("payment_status", "PAID"), record.Right: texts("payment", "paid")},
			now:     edits{record.Left: texts("payment_status", "REFUNDED"), record.Right: texts("status", "cancelled")},
			asked:   []string{"status"},
			actions: []string{`left update o1 {"status":"CANCELLED"}`, `right update 1 {"payment":"refunded"}`},
		},
		{
			name:    "paid there though it knows the cancel",
			was:     edits{record.Left: texts("status", "CANCELLED"), record.Right: texts("status", "cancelled")},
			now:     edits{record.Left: texts("payment_status", "PAID")},
			actions: []string{`right update 1 {"payment":"paid"}`},
		},
		{
			name:    "they stand there together already",
			was:     edits{record.Left: texts("status", "CANCELLED", "payment_status", "PAID"), record.Right: texts("status", "cancelled")},
			now:     edits{record.Right: texts("status", "refused", "reason", "sold out")},
			actions: []string{`left update o1 {"status":"REFUSED","status_reason":"sold out"}`},
		},
		{
			name:      "refused without a reason",
			now:       edits{record.Right: texts("status", "refused", "number", "A1b")},
			actions:   []string{`left update o1 {"reference":"A1b"}`},
			conflicts: []string{"status: platform takes refused only with its reason, and nobody has given one: it is sent as soon as it stands on shop"},
		},
		{
			name:    "refused with one",
			now:     edits{record.Right: texts("status", "refused", "reason", "sold out")},
			actions: []string{`left update o1 {"status":"REFUSED","status_reason":"sold out"}`},
		},
		{
			name:    "refused with one that stands there already",
			was:     edits{record.Left: texts("status_reason", "sold out"), record.Right: texts("reason", "sold out")},
			now:     edits{record.Right: texts("status", "refused")},
			actions: []string{`left update o1 {"status":"REFUSED","status_reason":"sold out"}`},
		},
		{
			name:    "what the platform can't be told",
			now:     edits{record.Right: texts("status", "in_preparation", "number", "A1b")},
			actions: []string{`left update o1 {"reference":"A1b"}`},
			drifts:  []string{"status"},
		},
		{
			name:    "what the platform takes when it is made",
			only:    []string{"status", "status_reason"},
			now:     edits{record.Right: texts("status", "fulfilled", "number", "A1b")},
			actions: []string{`left update o1 {"status":"FULFILLED"}`},
			drifts:  []string{"number"},
		},
		{
			name:    "and what comes after it",
			now:     edits{record.Right: texts("status", "fulfilled")},
			actions: []string{`left update o1 {"status":"FULFILLED"}`},
		},
		{
			name:      "a total that is not the sum of its lines",
			now:       edits{record.Right: texts("total", "26", "number", "A1b")},
			actions:   []string{`left update o1 {"reference":"A1b"}`},
			conflicts: []string{"total: total of shop is not the sum of its lines"},
		},
		{
			name:    "a total with its lines",
			now:     edits{record.Right: {"total": record.OfText("35.0"), "lines": orderLines(t, `[{"sku":"A","qty":3,"price":"10.0"}]`)}},
			actions: []string{`left update o1 {"items":[{"price":"10.00","quantity":"3","sku":"A"}],"total":"35.00"}`},
		},
	} {
		r := orderRules(t)
		r.Kinds[record.Left].Updates = tt.only
		c := settledOrder(t, r)
		for side, f := range tt.was {
			base(&c, r, side, f)
		}
		for side, f := range tt.now {
			edit(r, &c, side, f)
		}
		c.Choices, c.Asked = tt.choices, map[string]record.Question{}
		for _, f := range tt.asked {
			c.Asked[f] = record.Question{Cause: Clashes}
		}
		v := Pair(r, c)
		var conflicts, drifts []string
		for _, x := range v.Conflicts {
			conflicts = append(conflicts, x.Field+": "+x.Why)
		}
		slices.Sort(conflicts)
		for _, d := range v.Drifts {
			drifts = append(drifts, d.Field)
		}
		if diff := cmp.Diff([][]string{tt.actions, tt.conflicts, tt.drifts}, [][]string{told(v.Actions), conflicts, drifts}); diff != "" || v.Problem != "" {
			t.Errorf("%s: problem %q\n%s", tt.name, v.Problem, diff)
		}
	}
}

// Where the shop takes the money, it is the platform's cancel that waits. A clash without
// the status has no question that answers the others.
func TestAnAnswerIsOfItsFieldAlone(t *testing.T) {
	for _, tt := range []struct {
		name     string
		status   string // the field that stands for the whole record
		asked    string
		actions  []string
		question string
	}{
		{"of the status", "status", "status", nil, "status"},
		{"of the payment", "status", "payment", []string{`right update 1 {"status":"cancelled"}`}, ""},
		{"of a field of many", "", "status", nil, "status"},
		{"of another of them", "", "payment", []string{`right update 1 {"status":"cancelled"}`}, ""},
	} {
		r := orderRules(t)
		r.Status = tt.status
		r.Merge[3].Machine, r.Merge[3].To = merge.Payment(record.Right), merge.ToLeft
		c := settledOrder(t, r)
		for side, f := range map[record.Side]record.Fields{record.Left: texts("payment_status", "PAID"), record.Right: texts("payment", "paid")} {
			c.Sides[side].Base = c.Sides[side].Base.With(f)
			edit(r, &c, side, f)
		}
		edit(r, &c, record.Left, texts("status", "CANCELLED"))
		c.Asked = askedBy(map[string]record.Cause{tt.asked: Clashes})
		v := Pair(r, c)
		question := ""
		for _, x := range v.Conflicts {
			question += x.Field
		}
		if got := told(v.Actions); !slices.Equal(got, tt.actions) || question != tt.question {
			t.Errorf("%s: %v, asked %q, want %v and %q", tt.name, got, question, tt.actions, tt.question)
		}
	}
	r := orderRules(t)
	r.Status = ""
	c := settledOrder(t, r)
	for side, f := range map[record.Side]record.Fields{record.Left: texts("status", "CANCELLED"), record.Right: texts("status", "cancelled")} {
		c.Sides[side].Base = c.Sides[side].Base.With(f)
		edit(r, &c, side, f)
	}
	edit(r, &c, record.Left, texts("payment_status", "PAID"))
	c.Asked = askedBy(map[string]record.Cause{"payment": Clashes})
	if v := Pair(r, c); len(v.Actions) > 0 || len(v.Conflicts) != 1 {
		t.Errorf("of a field of many, the last one: %v, asked %v, want it asked", told(v.Actions), v.Conflicts)
	}
}

// What a cancel was decided upon is looked at again before it is sent: not paid.
func TestAClashIsGuarded(t *testing.T) {
	r := orderRules(t)
	c := settledOrder(t, r)
	edit(r, &c, record.Right, texts("status", "cancelled", "number", "A1b"))
	a := Pair(r, c).Actions[0]
	if got := a.Change.Before["payment_status"].Text(); got != "UNPAID" {
		t.Errorf("the change stands on a payment that was %q, want UNPAID", got)
	}
	if got := Only(r, a, []string{"status"}).Change.Before["payment_status"].Text(); got != "UNPAID" {
		t.Errorf("a part of it stands on a payment that was %q, want UNPAID", got)
	}
	if _, has := Only(r, a, []string{"number"}).Change.Before["payment_status"]; has {
		t.Error("another part of it stands on the payment too")
	}
}

// A refusal and its reason are one.
func TestNeedsAreNotTakenApart(t *testing.T) {
	r := orderRules(t)
	c := settledOrder(t, r)
	edit(r, &c, record.Right, texts("status", "refused", "reason", "sold out", "number", "A1b"))
	parts := Parts(r, Pair(r, c).Actions[0])
	if want := [][]string{{"number"}, {"status", "reason"}}; !cmp.Equal(parts, want) {
		t.Errorf("parts %v, want %v", parts, want)
	}
}

func TestNewOrder(t *testing.T) {
	r := orderRules(t)
	for name, tt := range map[string]struct {
		shop record.Fields
		want string // what is sent, or why nothing is
		warn string
	}{
		"confirmed": {texts("number", "A1", "status", "confirmed", "payment", "unpaid"), `{"reference":"A1","status":"CONFIRMED"}`, ""},
		"over":      {texts("number", "A1", "status", "fulfilled"), "it was fulfilled before the other side had it", ""},
		"a word that is only read": {
			texts("number", "A1", "status", "in_preparation"), `{"reference":"A1"}`, "",
		},
		"off": {
			record.Fields{"number": record.OfText("A1"), "total": record.OfText("20"), "shipping": record.Nothing(), "lines": orderLines(t, `[{"sku":"A","qty":2,"price":"10.01"}]`)},
			sumIsOff, "",
		},
	} {
		c := Case{}
		c.Sides[record.Right] = Side{Entry: 4, Ref: record.Ref{Kind: "orders", ID: "1"}, Native: tt.shop}
		c.Sides[record.Right].Now, _ = r.Mapping.Read(record.Right, tt.shop)
		a, why := New(r, c, record.Right)
		got := why.Text
		if got == "" {
			b, err := a.Change.Fields.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			got = string(b)
		}
		if got != tt.want || a.Warning != tt.warn {
			t.Errorf("%s: %s, warning %q, want %s", name, got, a.Warning, tt.want)
		}
		if _, takes := a.Bases[record.Right]["status"]; takes && name == "a word that is only read" {
			t.Errorf("%s: what was not sent counts as settled", name)
		}
	}
	r.Sums[0].Hold = false
	c := Case{}
	shop := texts("number", "A1", "total", "20")
	shop["lines"] = orderLines(t, `[{"sku":"A","qty":2,"price":"10.01"}]`)
	c.Sides[record.Right] = Side{Native: shop}
	c.Sides[record.Right].Now, _ = r.Mapping.Read(record.Right, shop)
	if a, why := New(r, c, record.Right); why.Text != "" || a.Warning != sumIsOff {
		t.Errorf("left out because %q, warning %q, want it made with a warning", why.Text, a.Warning)
	}
}

func TestSums(t *testing.T) {
	amount := func(s string) record.Value {
		return record.OfMap(map[string]record.Value{"amount": record.OfText(s), "currency": record.OfText("EUR")})
	}
	line := func(n, price string) record.Value {
		q, err := record.OfNumber(n)
		if err != nil {
			t.Fatal(err)
		}
		return record.OfMap(map[string]record.Value{"quantity": q, "price": amount(price)})
	}
	s := Sum{Total: "total", Lines: "lines", Times: []string{"quantity", "price"}, Plus: []string{"shipping"}, Minus: []string{"discount"}}
	for name, tt := range map[string]struct {
		f    record.Fields
		want bool
	}{
		"right":               {record.Fields{"total": amount("12.50"), "lines": record.OfList(line("1", "12.50"))}, false},
		"binary floats lie":   {record.Fields{"total": amount("0.30"), "lines": record.OfList(line("3", "0.10"))}, false},
		"a cent":              {record.Fields{"total": amount("12.51"), "lines": record.OfList(line("1", "12.50"))}, true},
		"with more":           {record.Fields{"total": amount("14.00"), "shipping": amount("5.00"), "discount": amount("3.50"), "lines": record.OfList(line("5", "2.50"))}, false},
		"each line rounded":   {record.Fields{"total": amount("0.68"), "lines": record.OfList(line("0.335", "1.00"), line("0.335", "1.00"))}, false},
		"rounded at the end":  {record.Fields{"total": amount("0.67"), "lines": record.OfList(line("0.335", "1.00"), line("0.335", "1.00"))}, false},
		"no total":            {record.Fields{"lines": record.OfList(line("1", "12.50"))}, false},
		"no lines":            {record.Fields{"total": amount("12.50")}, false},
		"a line has no price": {record.Fields{"total": amount("12.50"), "lines": record.OfList(record.OfMap(nil))}, false},
	} {
		if got := s.Off(tt.f); got != tt.want {
			t.Errorf("%s: off is %t, want %t", name, got, tt.want)
		}
	}
}

// What of a side's records is changed once they are there is the house's rule.
func TestRecordsThatAreNotChanged(t *testing.T) {
	for _, tt := range []struct {
		name          string
		change        Change
		left, right   record.Fields // edits
		actions       []string
		adopt, drifts bool
	}{
		{"all", ChangeAll, nil, texts("remark", "late"), []string{`left update b1 {"details":"late"}`}, false, false},
		{"none", ChangeNone, nil, texts("remark", "late"), nil, true, false},
		{"none, and they edit", ChangeNone, texts("details", "early"), nil, nil, true, false},
		{"all, and they edit", ChangeAll, texts("details", "early"), nil, nil, false, true},
		{"empty ones, where a value stands", ChangeEmpty, nil, texts("remark", "late"), nil, true, false},
		{"empty ones, where none stands", ChangeEmpty, texts("details", ""), texts("remark", "late"), []string{`left update b1 {"details":"late"}`}, false, false},
		{"a group of which half stands", ChangeEmpty, nil, texts("arr", "2026-06-02", "dep", "2026-06-05"), nil, true, false},
	} {
		r := rulesForTests(t)
		for i := range r.Merge {
			r.Merge[i].To = merge.ToLeft
		}
		r.Kinds[record.Left].Change = tt.change
		c := settledCase(r)
		for side, f := range []record.Fields{tt.left, tt.right} {
			if f != nil {
				edit(r, &c, record.Side(side), f)
			}
		}
		v := Pair(r, c)
		adopts := len(v.Adopt[record.Left])+len(v.Adopt[record.Right]) > 0
		if got := told(v.Actions); !slices.Equal(got, tt.actions) || adopts != tt.adopt || (len(v.Drifts) > 0) != tt.drifts {
			t.Errorf("%s: %v, adopted %v, drifts %v", tt.name, got, v.Adopt, v.Drifts)
		}
	}
}

// An answer that was given before records were said not to be changed is not written to them:
// since then nobody could have been asked. Where the other side is changed too the question
// was asked under that rule, and its answer counts.
func TestAnswersOfBeforeWriteToNoRecordThatIsNotChanged(t *testing.T) {
	for name, tt := range map[string]struct {
		change  Change
		to      merge.Direction
		always  bool
		actions []string
	}{
		"all":                    {ChangeAll, merge.ToLeft, false, []string{`left update b1 {"details":"late"}`}},
		"none":                   {ChangeNone, merge.ToLeft, false, nil},
		"none, once and for all": {ChangeNone, merge.ToLeft, true, nil},
		"empty ones, a value is": {ChangeEmpty, merge.ToLeft, true, nil},
		"none, and the other is": {ChangeNone, merge.Both, false, []string{`left update b1 {"details":"late"}`}},
	} {
		r := rulesForTests(t)
		for i := range r.Merge {
			r.Merge[i].To, r.Merge[i].Policy, r.Merge[i].Initial = tt.to, merge.Person, ""
		}
		r.Kinds[record.Left].Change = tt.change
		c := settledCase(r)
		s := &c.Sides[record.Right]
		s.Native, s.Base = s.Native.With(texts("remark", "late")), nil
		c.Sides[record.Left].Base = nil
		readInto(r, &c, record.Left)
		readInto(r, &c, record.Right)
		c.Choices = map[string]merge.Choice{"note": {
			Take: "right", Always: tt.always, Left: c.Sides[record.Left].Now["note"], Right: c.Sides[record.Right].Now["note"],
		}}
		if got := told(Pair(r, c).Actions); !slices.Equal(got, tt.actions) {
			t.Errorf("%s: got %v, want %v", name, got, tt.actions)
		}
	}
}

// A question whose answer could only write over what is not to be changed is not asked,
// not even one that was asked before; what both hold is settled, and a later edit is one.
func TestRecordsThatAreNotChangedAreNotAskedAbout(t *testing.T) {
	open := func(left record.Value) map[string]merge.Choice {
		return map[string]merge.Choice{"note": {Left: left, Right: record.OfText("late")}}
	}
	for _, tt := range []struct {
		name        string
		change      Change
		to          merge.Direction
		left, right record.Fields // edits
		settled     bool
		choices     map[string]merge.Choice
		asked       []string
	}{
		{"all", ChangeAll, merge.ToLeft, nil, texts("remark", "late"), false, nil, []string{"note"}},
		{"none", ChangeNone, merge.ToLeft, nil, texts("remark", "late"), false, nil, nil},
		{"none, and it was asked about", ChangeNone, merge.ToLeft, nil, texts("remark", "late"), false, open(record.OfText("quiet room")), nil},
		{"none, settled since it was asked about", ChangeNone, merge.ToLeft, nil, texts("remark", "late"), true, open(record.OfText("quiet room")), nil},
		{"none, of a group", ChangeNone, merge.ToLeft, nil, texts("arr", "2026-06-02"), false, nil, nil},
		{"none, and the other side is changed too", ChangeNone, merge.Both, nil, texts("remark", "late"), false, nil, []string{"note"}},
		{"none, and it goes to the other side", ChangeNone, merge.ToRight, nil, texts("remark", "late"), false, nil, []string{"note"}},
		{"empty ones, where a value stands", ChangeEmpty, merge.ToLeft, nil, texts("remark", "late"), false, nil, nil},
		{"empty ones, of a group of which half stands", ChangeEmpty, merge.ToLeft, texts("to", ""), texts("arr", "2026-06-02"), false, nil, nil},
		{"empty ones, where none stands", ChangeEmpty, merge.ToLeft, texts("details", ""), texts("remark", "late"), true, open(record.Nothing()), []string{"note"}},
	} {
		r := rulesForTests(t)
		for i := range r.Merge {
			r.Merge[i].To, r.Merge[i].Policy, r.Merge[i].Initial = tt.to, merge.Person, ""
		}
		r.Kinds[record.Left].Change = tt.change
		c := settledCase(r)
		for side, f := range []record.Fields{tt.left, tt.right} {
			s := &c.Sides[side]
			s.Native = s.Native.With(f)
			if s.Base = nil; tt.settled {
				s.Base = s.Native
			}
			readInto(r, &c, record.Side(side))
		}
		c.Choices = tt.choices
		v := Pair(r, c)
		var asked []string
		for _, x := range v.Conflicts {
			asked = append(asked, x.Field)
		}
		if !slices.Equal(asked, tt.asked) || len(v.Actions)+len(v.Drifts) > 0 {
			t.Errorf("%s: asked %v, want %v; %v, drifts %v", tt.name, asked, tt.asked, told(v.Actions), v.Drifts)
		}
		if took := v.Adopt[record.Left]["details"].Observed(); took != (len(asked) == 0 && !tt.settled) {
			t.Errorf("%s: the base of the side that is not changed took %v", tt.name, v.Adopt[record.Left])
		}
	}
}
