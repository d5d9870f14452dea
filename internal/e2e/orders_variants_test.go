package e2e

import (
	"strings"
	"testing"
	"time"

	"nightporter/simulator"
)

// As public documentation has it: one status tells of the payment too, three words of it
// may be written, and what an order is made of stays as it was made.
func TestOrdersOfYourang(t *testing.T) {
	t.Parallel()
	h := newOrdersHouse(t, simulator.Options{Dialect: simulator.DialectYourang})
	h.edit("      payment:  { platform: payment_status, shop: payment, conflict: rules, to: shop }\n", paidByStatus(t))
	for _, n := range []string{"A1", "A2", "A3"} {
		h.enter(n)
	}
	h.sync()
	h.do(`UPDATE shop.orders SET status = 'refused', reason = 'sold out' WHERE number = 'A3'`)
	h.do(`UPDATE shop.orders SET status = 'in_preparation', total = 30, lines = '[{"sku": "A", "qty": 2, "price": "15.00"}]' WHERE number = 'A2'`)
	h.tell("A1", map[string]any{"status": "paid"})
	h.sync()
	h.hold("under way",
		"A1: confirmed paid | paid unpaid", "A2: in_preparation unpaid | confirmed unpaid", "A3: refused sold out unpaid | refused sold out unpaid")
	if total := h.sim.All("orders")[1]["total"]; total != "25.50" {
		t.Errorf("the total is %v there, want it as it was made", total)
	}
	h.quiet()
	h.do(`UPDATE shop.orders SET status = 'fulfilled' WHERE number IN ('A1', 'A2')`)
	h.sync()
	h.hold("through",
		"A1: fulfilled paid | completed unpaid", "A2: fulfilled unpaid | completed unpaid", "A3: refused sold out unpaid | refused sold out unpaid")
	h.quiet() // A2 is completed by our own word, which says nothing of its payment
	h.tell("A2", map[string]any{"status": "fulfilled"})
	h.sync()
	h.hold("and paid",
		"A1: fulfilled paid | completed unpaid", "A2: fulfilled paid | fulfilled unpaid", "A3: refused sold out unpaid | refused sold out unpaid")
	h.quiet()
}

// paidByStatus is the field that docs/orders.md has for such a platform.
func paidByStatus(t testing.TB) string {
	t.Helper()
	for _, block := range fenced(t, "orders.md", "yaml") {
		if strings.Contains(block, "record[\"status\"]") {
			return block
		}
	}
	t.Fatal("docs/orders.md has no such block")
	return ""
}

// A shop in SQLite keeps its lines in a text; a total that is off is held, or written with
// a warning, as the job says.
func TestTotalsAndLines(t *testing.T) {
	for _, hold := range []bool{true, false} {
		t.Run(map[bool]string{true: "held", false: "warned"}[hold], func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, simulator.Options{IDs: simulator.Sequential})
			h.exec(`CREATE TABLE orders (id INTEGER PRIMARY KEY, number TEXT UNIQUE, customer TEXT, phone TEXT, lines TEXT, total TEXT,
				currency TEXT DEFAULT 'EUR', status TEXT DEFAULT 'confirmed', reason TEXT, payment TEXT DEFAULT 'unpaid', paid_at TEXT, payment_reference TEXT)`)
			job := strings.ReplaceAll(fenced(t, "orders.md", "yaml")[1], "shop", "pms")
			job = strings.Replace(job, "pms: lines\n", "pms: { path: lines, format: json }\n", 1)
			job = strings.Replace(job, "price:    { platform: { path: unit_price, currency: currency }, pms: { path: price,", "price:    { platform: { path: unit_price, currency: currency }, pms: { path: price, format: text,", 1)
			if !hold {
				job = strings.Replace(job, "else: hold", "else: warn", 1)
			}
			tables, _, _ := strings.Cut(h.config, "jobs:")
			h.config = tables + "      orders: { table: orders, key: id }\njobs:\n" + job
			h.exec(`INSERT INTO orders (number, lines, total) VALUES ('A1', '[{"sku":"A","qty":1,"price":"12.5"}]', '12.50'),
				('A2', '[{"sku":"A","qty":3,"price":0.1}]', '0.31')`)
			reports := h.sync()
			notes := ""
			for _, n := range reports[0].Notes {
				notes += string(n.State) + ": " + n.Why + "\n"
			}
			const off = "its total is not the sum of its lines\n"
			if want := map[bool]string{true: "left_out: " + off, false: "warning: " + off}[hold]; strings.ReplaceAll(notes, " out:", "_out:") != want {
				t.Errorf("notes %q, want %q", notes, want)
			}
			if got, want := h.sim.Len("orders"), map[bool]int{true: 1, false: 2}[hold]; got != want {
				t.Errorf("the platform has %d orders, want %d", got, want)
			}
			h.quiet()
			h.exec(`UPDATE orders SET total = '0.3' WHERE number = 'A2'`)
			h.sync()
			if got := h.sim.All("orders")[1]["total"]; got != "0.30" {
				t.Errorf("mended, the total is %v, want 0.30", got)
			}
			h.exec(`UPDATE orders SET total = '13' WHERE number = 'A1'`)
			h.sync()
			if got, want := h.sim.All("orders")[0]["total"], map[bool]string{true: "12.50", false: "13.00"}[hold]; got != want {
				t.Errorf("off again, the total there is %v, want %s", got, want)
			}
			h.quiet()
			if !hold {
				return
			}
			a := h.open()
			defer a.Close()
			open, err := a.Store.Questions(t.Context(), "orders", true)
			if err != nil || len(open) != 1 || open[0].Why != "total of pms is not the sum of its lines" {
				t.Errorf("asked %v, %v, want of the total", open, err)
			}
		})
	}
}

// Lines that stand in a table of their own come by a query, in whatever order.
func TestLinesByAQuery(t *testing.T) {
	t.Parallel()
	h := newOrdersHouse(t, simulator.Options{})
	h.do(`CREATE TABLE shop.order_lines (order_id bigint, sku text, name text, quantity numeric, price numeric(12,2))`)
	_, porter, _ := strings.Cut(h.config, "user: ")
	porter, _, _ = strings.Cut(porter, "\n")
	h.do(`GRANT SELECT ON shop.order_lines TO ` + porter + `; ALTER TABLE shop.orders DROP COLUMN lines`)
	blocks := fenced(t, "orders.md", "yaml")
	h.edit(blocks[0], blocks[2])
	h.do(`INSERT INTO shop.orders (number, total) VALUES ('A1', 25.5)`)
	h.do(`INSERT INTO shop.order_lines SELECT id, 'A', 'Wine', 2, 12.5 FROM shop.orders UNION ALL SELECT id, 'B', NULL, 1, 0.5 FROM shop.orders`)
	h.sync()
	if items := h.sim.All("orders")[0]["items"].([]any); len(items) != 2 {
		t.Errorf("the platform has %v, want two lines", items)
	}
	h.quiet()
	h.do(`DELETE FROM shop.order_lines WHERE sku = 'B'; UPDATE shop.orders SET total = 25`)
	h.sync()
	if o := h.sim.All("orders")[0]; len(o["items"].([]any)) != 1 || o["total"] != "25.00" {
		t.Errorf("the platform has %v, want one line", o)
	}
	h.do(`UPDATE shop.orders SET status = 'refused', reason = 'sold out'`)
	h.sync()
	h.hold("refused", "A1: refused sold out unpaid | refused sold out unpaid")
}

// With a window both sides look at the latest orders alone: what leaves it stays as it is,
// and is not made anew.
func TestOrdersInAWindow(t *testing.T) {
	t.Parallel()
	h := newOrdersHouse(t, simulator.Options{})
	blocks := fenced(t, "orders.md", "yaml")
	var table, override string
	for _, b := range blocks {
		if strings.Contains(b, "entered_on") {
			table = b
		}
		if strings.Contains(b, "created_after") {
			override = b
		}
	}
	h.edit(blocks[0], table)
	h.edit("  shop:\n    type", strings.TrimPrefix(override, "  platform:\n")+"  shop:\n    type")
	h.edit("    match: [number]\n", "    match: [number]\n    window: { from: -90d, to: 0d }\n")
	old := time.Now().AddDate(0, 0, -100)
	h.sim.SetNow(func() time.Time { return old })
	h.enter("A1")
	h.do(`UPDATE shop.orders SET entered_on = current_date - 10`)
	h.sync()
	h.sim.SetNow(time.Now)
	h.enter("A2")
	h.do(`UPDATE shop.orders SET entered_on = current_date - 100 WHERE number = 'A1'`)
	for range 3 {
		h.sync()
	}
	h.do(`UPDATE shop.orders SET status = 'ready'`)
	h.sync()
	h.hold("in the window", "A1: ready unpaid | confirmed unpaid", "A2: ready unpaid | ready unpaid")
	if got := h.asked(); got != "" {
		t.Errorf("asked about what left the window: %s", got)
	}
	h.quiet()
}
