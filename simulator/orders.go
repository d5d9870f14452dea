package simulator

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
)

// The words of an order: what its status and its payment can be.
func orderStatuses() []string {
	return []string{"draft", "confirmed", "paid", "in_preparation", "ready", "fulfilled", "completed", "cancelled", "refused"}
}

func paymentStatuses() []string {
	return []string{"unpaid", "pending", "paid", "failed", "partially_refunded", "refunded"}
}

// orderOver are the statuses that an order is not brought back from by the API.
func orderOver() []string { return []string{"fulfilled", "completed", "cancelled", "refused"} }

// orderResource is the orders of the shop. Made from outside, an order begins as a draft
// that nobody has paid, unless it says otherwise.
func orderResource(t Traits) *resource {
	r := &resource{
		name: "orders", segment: t.Orders, one: "order", letter: "o",
		fields: []field{
			{name: "external_reference", kind: referenceField, required: true, filter: true},
			{name: "contact_name"},
			{name: "contact_phone", kind: phoneField, filter: true},
			{name: "items", kind: linesField},
			{name: "total", kind: amountField},
			{name: "currency"},
			{name: "status", kind: wordField, filter: true, words: orderStatuses()},
			{name: "status_reason"},
			{name: "notes"},
			{name: "payment_status", kind: wordField, filter: true, words: paymentStatuses(), readOnly: t.OrderFixed},
			{name: "paid_at", readOnly: t.OrderFixed},
			{name: "payment_reference", readOnly: t.OrderFixed},
		},
		dated:  true,
		after:  "created_after",
		first:  map[string]any{"status": "draft", "payment_status": "unpaid"},
		sortBy: func(f map[string]any) string { return textOf(f, "external_reference") },
		step:   func(old, body map[string]any) string { return t.orderStep(old, body) },
		told:   orderTold,
	}
	if t.OrderNumbers {
		r.unique = "external_reference"
	}
	return r
}

// orderStep says why an order may not be changed so, "" if it may.
func (t Traits) orderStep(old, body map[string]any) string {
	if t.OrderFixed && old != nil {
		for _, name := range slices.Sorted(maps.Keys(body)) {
			if !slices.Contains([]string{"status", "status_reason", "notes"}, name) {
				return name + " can't be changed"
			}
		}
	}
	to, sent := body["status"].(string)
	if !sent {
		return ""
	}
	from := textOf(old, "status")
	switch {
	case len(t.OrderWords) > 0 && !slices.Contains(t.OrderWords, to):
		return "status must be one of " + strings.Join(t.OrderWords, ", ")
	case to == "refused" && textOf(body, "status_reason") == "":
		return "status_reason is required to refuse an order"
	case slices.Contains(orderOver(), from) && from != to:
		return fmt.Sprintf("an order that is %s can't become %s", from, to)
	}
	return ""
}

// orderTold is what a webhook calls a change of an order.
func orderTold(before, after map[string]any) string {
	switch {
	case textOf(before, "payment_status") != "paid" && textOf(after, "payment_status") == "paid":
		return "paid"
	case textOf(before, "status") != textOf(after, "status"):
		return "status_changed"
	}
	return "updated"
}

// lines checks the lines of an order: their amounts are decimals in strings.
func lines(f field, sent any) (any, error) {
	list, ok := sent.([]any)
	if !ok {
		return nil, fmt.Errorf("%s must be a list", f.name)
	}
	for i, e := range list {
		line, ok := e.(map[string]any)
		if !ok || textOf(line, "sku") == "" && textOf(line, "name") == "" {
			return nil, fmt.Errorf("%s[%d] must be an object with a sku or a name", f.name, i)
		}
		for _, name := range []string{"quantity", "unit_price"} {
			if v, there := line[name]; there && !isAmount(v) {
				return nil, fmt.Errorf("%s[%d].%s must be a decimal in a string", f.name, i, name)
			}
		}
	}
	return list, nil
}

func isAmount(v any) bool {
	text, ok := v.(string)
	if !ok || strings.ContainsAny(text, "eE/_") {
		return false
	}
	_, ok = new(big.Rat).SetString(text)
	return ok
}

// Doubled is the values of a field that several records of a resource have: the orders of
// one number that were made twice.
func (s *Sim) Doubled(resource, field string) []string {
	seen := map[string]int{}
	for _, r := range s.All(resource) {
		if v := textOf(r, field); v != "" {
			seen[v]++
		}
	}
	maps.DeleteFunc(seen, func(_ string, n int) bool { return n < 2 })
	return slices.Sorted(maps.Keys(seen))
}

// overrideOrders is what a client has to be told of orders; nil where there are none.
func (t Traits) overrideOrders() any {
	if t.Orders == "" {
		return nil
	}
	var find any
	if t.Find == FindFilter {
		find = []any{map[string]any{"by": []string{"external_reference"}, "params": map[string]string{"external_reference": "external_reference"}}}
	}
	o := t.overrideKind("order", "/"+t.Orders, t.Orders, t.Body, find)
	if t.OrderNumbers {
		o["unique"] = [][]string{{"external_reference"}}
	}
	if len(t.OrderWords) > 0 {
		o["words"] = map[string][]string{"status": t.OrderWords}
	}
	if t.OrderFixed {
		if update, ok := o["update"].(map[string]any); ok {
			update["only"] = []string{"status", "status_reason", "notes"}
		}
	}
	return o
}
