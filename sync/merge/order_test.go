package merge

import (
	"testing"

	"nightporter/sync/record"
)

// An order whose goods are the shop's, on the right, and whose payment is the platform's.
func TestOrder(t *testing.T) {
	for _, tt := range []struct {
		name              string
		machine           *Machine
		from, left, right string
		want              string
	}{
		{"the platform confirms", Order(record.Right), "draft", "confirmed", "draft", ">"},
		{"the platform refuses", Order(record.Right), "draft", "refused", "draft", ">"},
		{"the platform cancels what is ready", Order(record.Right), "ready", "cancelled", "ready", ">"},
		{"the platform hands out goods", Order(record.Right), "ready", "fulfilled", "ready", "~"},
		{"the platform revives", Order(record.Right), "cancelled", "confirmed", "cancelled", "~"},
		{"the platform refuses what is being made", Order(record.Right), "in_preparation", "refused", "in_preparation", "~"},
		{"the shop went two steps", Order(record.Right), "confirmed", "confirmed", "ready", "<"},
		{"the shop takes a cancel back", Order(record.Right), "cancelled", "cancelled", "confirmed", "<"},
		{"cancelled there, ready here", Order(record.Right), "confirmed", "cancelled", "ready", ">"},
		{"cancelled there, handed out here", Order(record.Right), "confirmed", "cancelled", "fulfilled", "<"},
		{"refused there, being made here", Order(record.Right), "confirmed", "refused", "in_preparation", "!"},

		{"paid", Payment(record.Left), "unpaid", "paid", "unpaid", ">"},
		{"paid at the second try", Payment(record.Left), "pending", "paid", "pending", ">"},
		{"money goes back", Payment(record.Left), "paid", "refunded", "paid", ">"},
		{"nobody is unpaid again", Payment(record.Left), "paid", "unpaid", "paid", "~"},
		{"a refund is the end", Payment(record.Left), "refunded", "paid", "refunded", "~"},
		{"the shop says that it was paid", Payment(record.Left), "unpaid", "unpaid", "paid", "~"},
		{"the shop says so meanwhile", Payment(record.Left), "unpaid", "pending", "paid", ">"},
		{"the shop says so of what failed", Payment(record.Left), "pending", "failed", "paid", ">"},
	} {
		l := Seen{Now: text(tt.left), Base: record.Keep(text(tt.from))}
		r := Seen{Now: text(tt.right), Base: record.Keep(text(tt.from))}
		if d := Cell(Rule{Policy: Rules, Machine: tt.machine}, l, r, 0); glyphs[d.Act] != tt.want {
			t.Errorf("%s: %s (%s), want %s", tt.name, glyphs[d.Act], d.Reason.Text, tt.want)
		}
	}
}
