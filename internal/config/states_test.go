package config

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// orders is a job of orders without a mistake, at the end of the base.
const orders = `  sales:
    kind: order
    between: { platform: orders, pms: guests }
    match: [number]
    create: { platform: always, pms: never }
    fields:
      number: { platform: external_reference, pms: number, to: platform }
      lines:
        platform: items
        pms: lines
        to: platform
        as: list
        key: sku
        each:
          sku: { platform: sku, pms: sku }
          quantity: { platform: quantity, pms: qty }
          price: { platform: { path: price, currency: EUR }, pms: { path: price, currency: EUR } }
      total:
        platform: { path: total, currency: EUR }
        pms: { path: total, currency: EUR }
        to: platform
        adds_up: { else: hold }
      status: { platform: status, pms: status, conflict: rules }
      payment: { platform: payment_status, pms: payment, conflict: rules, to: pms }
    rules:
      status: { authority: pms }
    status:
      confirmed: { platform: confirmed, pms: confirmed }
      cancelled: { platform: cancelled, pms: cancelled }
    payment:
      unpaid: { platform: unpaid, pms: unpaid }
      paid: { platform: paid, pms: paid }
`

func parseOrders(text string) (*Config, error) {
	return Parse("config.yaml", []byte(strings.TrimRight(base, "\n")+"\n"+text), nil)
}

func TestOrders(t *testing.T) {
	cfg, err := parseOrders(orders)
	if err != nil {
		t.Fatal(err)
	}
	j, _ := cfg.Job("sales")
	status, _ := j.StatesOf("status")
	payment, _ := j.StatesOf("payment")
	if status.Usual != UsualOrder || status.OfLeft || status.Unsaid || payment.Usual != UsualPayment || !payment.OfLeft {
		t.Errorf("status %+v, payment %+v: want an order's steps with the PMS, and a payment's with the platform", status, payment)
	}
	want := []map[string][]string{{"status": {"cancelled"}, "payment": {"paid"}}}
	if got := []map[string][]string{j.Clashes[0].Words}; len(j.Clashes) != 1 || !cmp.Equal(got, want) {
		t.Errorf("clashes %v, want %v", j.Clashes, want)
	}
	total, _ := j.Field("total")
	if diff := cmp.Diff(Sum{Line: total.AddsUp.Line, Of: "lines", Times: []string{"quantity", "price"}, Else: SumHold}, *total.AddsUp); diff != "" {
		t.Error(diff)
	}
	lines, _ := j.Field("lines")
	if lines.Of != AsBlock || len(lines.Each) != 3 || lines.Each[1].As != AsNumber || lines.Each[2].As != AsMoney {
		t.Errorf("lines %+v, want three entries", lines)
	}
}

// An order of which some of the money went back is paid for still.
func TestUsualClash(t *testing.T) {
	cfg, err := parseOrders(strings.Replace(orders, "      paid: { platform: paid, pms: paid }\n", "      paid: { platform: paid, pms: paid }\n"+
		"      partially_refunded: { platform: partially_refunded, pms: partially_refunded }\n      refunded: { platform: refunded, pms: refunded }\n", 1))
	if err != nil {
		t.Fatal(err)
	}
	j, _ := cfg.Job("sales")
	want := []Clash{{Line: j.Line, Words: map[string][]string{"status": {"cancelled"}, "payment": {"paid", "partially_refunded"}}}}
	if diff := cmp.Diff(want, j.Clashes); diff != "" {
		t.Error(diff)
	}
}

// The old spelling is short for that of the status, and names the authority.
func TestMayIsShort(t *testing.T) {
	cfg, err := parseOrders(strings.Replace(orders, "    rules:\n      status: { authority: pms }\n", "    platform_may: [cancelled]\n", 1))
	if err != nil {
		t.Fatal(err)
	}
	j, _ := cfg.Job("sales")
	status, _ := j.StatesOf("status")
	payment, _ := j.StatesOf("payment")
	if status.OfLeft || !cmp.Equal(status.Left, []string{"cancelled"}) || status.Right != nil || payment.Left != nil {
		t.Errorf("status %+v, payment %+v: want the platform's status alone limited, and the PMS with the say", status, payment)
	}
	stays, _ := cfg.Job("stays")
	if s, ok := stays.StatesOf("status"); !ok || !s.Unsaid || s.Usual != UsualStay || s.Left == nil {
		t.Errorf("of a stay: %+v, want its own steps and what platform_may says", s)
	}
}

func TestRulesOfOnesOwn(t *testing.T) {
	cfg, err := parseOrders(strings.Replace(orders, "status: { authority: pms }", `status:
        authority: platform
        may: { pms: [] }
        steps: { confirmed: [cancelled] }
        back: { cancelled: confirmed }
        ends: [cancelled]`, 1) + "    clashes: []\n")
	if err != nil {
		t.Fatal(err)
	}
	j, _ := cfg.Job("sales")
	got, _ := j.StatesOf("status")
	want := States{
		Field: "status", Line: got.Line, OfLeft: true, Right: []string{}, Ends: []string{"cancelled"},
		Steps: []Step{{From: "confirmed", To: "cancelled"}, {From: "cancelled", To: "confirmed", Back: true}},
	}
	if diff := cmp.Diff(want, got); diff != "" || len(j.Clashes) > 0 {
		t.Errorf("clashes %v, rules\n%s", j.Clashes, diff)
	}
}

func TestBadOrders(t *testing.T) {
	for name, tt := range map[string]struct {
		old, now string
		want     []string // of each mistake its key and text
	}{
		"no authority":      {"    rules:\n      status: { authority: pms }\n", "", []string{"rules.status.authority: missing: which of the two has the say over status, platform or pms?"}},
		"authority unknown": {"authority: pms", "authority: pmz", []string{`rules.status.authority: "pmz" is neither of the two systems of this job, platform and pms; did you mean "pms"?`}},
		"authority of the receiver": {"authority: pms }", "authority: pms }\n      payment: { authority: pms }", []string{
			"rules.payment.authority: payment is written to pms alone, which can't have the say over it then",
		}},
		"a field without rules": {"authority: pms }", "authority: pms }\n      number: { authority: pms }", []string{"rules.number: means nothing without conflict: rules at the field number"}},
		"no field":              {"      status: { authority: pms }", "      status: { authority: pms }\n      statuss: { authority: pms }", []string{`rules.statuss: "statuss" is not under fields; did you mean "status"?`}},
		"key":                   {"authority: pms }", "authority: pms, ma: {} }", []string{`rules.status.ma: unknown key; did you mean "may"?`}},
		"may":                   {"authority: pms }", "authority: pms, may: { platform: [canceled] } }", []string{`rules.status.may.platform: "canceled" is not one of our words for status; did you mean "cancelled"?`}},
		"twice":                 {"    status:\n      conf", "    platform_may: [cancelled]\n    status:\n      conf", nil},
		"steps": {"authority: pms }", "authority: pms, steps: { confirmed: [cancelled], paid: [cancelled] }, ends: [refused] }", []string{
			`rules.status.ends: "refused" is not one of our words for status`,
			`rules.status.steps.paid: "paid" is not one of our words for status`,
		}},
		"a word without steps": {"cancelled: { platform: cancelled", "canceled: { platform: cancelled", []string{
			`status.canceled: the steps of an order know no "canceled"; did you mean "cancelled"? (or write the steps yourself, under rules.status.steps)`,
		}},
		"clash of one":      {"    status:\n      conf", "    clashes: [{ status: cancelled }]\n    status:\n      conf", []string{"clashes: one field clashes with nothing: name words of two fields or more, such as { status: cancelled, payment: paid }"}},
		"clash of no words": {"    status:\n      conf", "    clashes: [{ status: cancelled, number: [A1] }]\n    status:\n      conf", []string{"clashes: number has no table of words"}},
		"key of the lines":  {"key: sku", "key: skku", []string{`fields.lines.key: "skku" is not under each; did you mean "sku"?`}},
		"each of a text": {"as: list", "as: set", []string{
			"fields.lines.each: is for a list, and this field is a set; as: says what it is",
			"fields.total.adds_up.of: lines is no list with entries: say each at that field",
		}},
		"entry":           {"sku: { platform: sku, pms: sku }", "sku: { platform: sku, pms: sku, to: pms }", []string{"fields.lines.each.sku.to: is not for an entry of a list: it has its names in both systems, and as"}},
		"sum of nothing":  {"adds_up: { else: hold }", "adds_up: { of: number }", []string{"fields.total.adds_up.of: number is no list with entries: say each at that field"}},
		"sum of texts":    {"adds_up: { else: hold }", "adds_up: { times: [sku, price] }", []string{`fields.total.adds_up.times: "sku" is no number and no money of lines, which has quantity, price`}},
		"sum with a text": {"adds_up: { else: hold }", "adds_up: { plus: [number] }", []string{"fields.total.adds_up.plus: number is a text, and no money"}},
		"window": {"    fields:\n", "    window: { from: -90d, to: 0d }\n    fields:\n", []string{
			"window: of pms nobody knows the day of a record: say window: { from: …, to: … } with its table, the column of that day twice",
		}},
		"sum or what": {"adds_up: { else: hold }", "adds_up: { else: stop }", []string{`fields.total.adds_up.else: "stop" is not one of hold, warn`}},
	} {
		if !strings.Contains(orders, tt.old) {
			t.Fatalf("%s: there is no %q", name, tt.old)
		}
		_, err := parseOrders(strings.Replace(orders, tt.old, tt.now, 1))
		var got []string
		if errs, ok := errors.AsType[*Errors](err); ok {
			for _, m := range errs.List {
				got = append(got, strings.TrimPrefix(m.Key, "jobs.sales.")+": "+m.Text)
			}
		} else if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	both := strings.Replace(orders, "authority: pms }", "authority: pms, may: { platform: [cancelled] } }", 1)
	_, err := parseOrders(strings.Replace(both, "    rules:", "    platform_may: [cancelled]\n    rules:", 1))
	if err == nil || !strings.Contains(err.Error(), "platform_may: stands under rules.status.may too: delete one") {
		t.Errorf("said twice: %v", err)
	}
}

func TestUpdate(t *testing.T) {
	cfg, err := parseOrders(strings.Replace(orders, "    fields:\n", "    update: { platform: fill_empty }\n    fields:\n", 1))
	if err != nil {
		t.Fatal(err)
	}
	if j, _ := cfg.Job("sales"); j.Left.Update != UpdateFillEmpty || j.Right.Update != UpdateAlways {
		t.Errorf("got %s and %s", j.Left.Update, j.Right.Update)
	}
	for was, want := range map[string]string{
		"    update: { platform: sometimes }\n": `"sometimes" is not one of always, fill_empty, never`,
		"    update: { platfrm: never }\n":      `did you mean "platform"?`,
	} {
		if _, err := parseOrders(strings.Replace(orders, "    fields:\n", was+"    fields:\n", 1)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", was, err, want)
		}
	}
	_, err = Parse("config.yaml", []byte(strings.Replace(base, "  stays:\n", "  stays:\n    update: { platform: never }\n", 1)), nil)
	if err == nil || !strings.Contains(err.Error(), "is not for bookings") {
		t.Errorf("of a stay: %v", err)
	}
}
