package e2e

import (
	"database/sql"
	"fmt"
	"maps"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nightporter/internal/pgtest"
	"nightporter/simulator"
	"nightporter/sync/record"
)

// ordersHouse is a platform with orders and a shop in PostgreSQL, with the table, the
// rights and the job that docs/orders.md has.
type ordersHouse struct {
	*house
	pg *sql.DB
}

const ordersSystems = `
time_zone: Europe/Rome
settle: 1ms
systems:
  platform:
    preset: %s
    base_url: %s
    key: file:%s
  shop:
    type: postgres
    address: %s
    user: %s
    password: file:%s
    tables:
%sjobs:
%s`

func newOrdersHouse(t *testing.T, o simulator.Options) *ordersHouse {
	t.Helper()
	blocks, table := fenced(t, "orders.md", "yaml"), example(t, "shop/table.sql")
	sqls := fenced(t, "orders.md", "sql")
	if sqls[0] != table {
		t.Fatalf("docs/orders.md shows another table than examples/shop/table.sql:\n%s", sqls[0])
	}
	u, err := url.Parse(pgtest.Start(t).NewDB(t))
	if err != nil {
		t.Fatal(err)
	}
	o.IDs = simulator.Sequential
	h := &ordersHouse{house: &house{t: t, dir: t.TempDir(), sim: simulator.New(o)}}
	srv := httptest.NewServer(h.sim)
	t.Cleanup(srv.Close)
	if h.pg, err = sql.Open("pgx", u.String()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.pg.Close() })
	h.do(table)
	porter := "porter_" + strings.TrimPrefix(u.Path, "/") // roles are the whole server's
	h.do(`CREATE ROLE ` + porter + ` LOGIN PASSWORD 'porter'`)
	h.do(strings.ReplaceAll(sqls[1], "TO nightporter", "TO "+porter))
	key, word := filepath.Join(h.dir, "platform.key"), filepath.Join(h.dir, "shop.password")
	h.write(key, simulator.DefaultKey)
	h.write(word, "porter")
	preset := "platform"
	if o.Dialect == simulator.DialectYourang {
		preset = "yourang"
	}
	h.config = fmt.Sprintf(ordersSystems, preset, srv.URL, key, u.Host+u.Path, porter, word, blocks[0], blocks[1])
	return h
}

func (h *ordersHouse) do(query string, args ...any) {
	h.t.Helper()
	if _, err := h.pg.Exec(query, args...); err != nil {
		h.t.Fatalf("%s: %v", query, err)
	}
}

const aLine = `[{"sku": "A", "name": "Wine", "qty": 2, "price": 12.50}, {"sku": "B", "qty": 1, "price": "0.5"}]`

// enter is a new order in the shop.
func (h *ordersHouse) enter(number string) {
	h.t.Helper()
	h.do(`INSERT INTO shop.orders (number, customer, phone, lines, total) VALUES ($1, 'Anna Rossi', '333 1234567', $2, 25.5)`, number, aLine)
}

// tell is something that happens to an order of the platform.
func (h *ordersHouse) tell(number string, fields map[string]any) {
	h.t.Helper()
	for _, o := range h.sim.All("orders") {
		if o["external_reference"] == number {
			h.sim.Edit("orders", o["id"].(string), fields)
			return
		}
	}
	h.t.Fatalf("the platform has no order %s", number)
}

// orders is what both sides hold of each order, a line an order.
func (h *ordersHouse) orders() string {
	h.t.Helper()
	there := map[string]string{}
	for _, o := range h.sim.All("orders") {
		words := []string{}
		for _, f := range []string{"status", "status_reason", "payment_status"} {
			if s, _ := o[f].(string); s != "" {
				words = append(words, s)
			}
		}
		there[o["external_reference"].(string)] = strings.Join(words, " ")
	}
	rows, err := h.pg.Query(`SELECT number, concat_ws(' ', status, reason, payment, payment_reference) FROM shop.orders ORDER BY number`)
	if err != nil {
		h.t.Fatal(err)
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var number, here string
		if err := rows.Scan(&number, &here); err != nil {
			h.t.Fatal(err)
		}
		out = append(out, fmt.Sprintf("%s: %s | %s", number, here, there[number]))
	}
	if err := rows.Err(); err != nil {
		h.t.Fatal(err)
	}
	return strings.Join(out, "\n")
}

func (h *ordersHouse) hold(what string, want ...string) {
	h.t.Helper()
	if got := h.orders(); got != strings.Join(want, "\n") {
		h.t.Errorf("%s: shop | platform hold\n%s\nwant\n%s", what, got, strings.Join(want, "\n"))
	}
	if twice := h.sim.Doubled("orders", "external_reference"); len(twice) > 0 {
		h.t.Errorf("%s: the platform has %v twice", what, twice)
	}
}

// asked is what persons are asked about, a line each.
func (h *ordersHouse) asked() string {
	h.t.Helper()
	a := h.open()
	defer a.Close()
	var out []string
	open, err := a.Store.Questions(h.t.Context(), "orders", true)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, c := range open {
		out = append(out, c.Field+": "+c.Why)
	}
	return strings.Join(out, "\n")
}

// Three orders go through to payment, and one is refused with its reason.
func TestOrdersThroughToPayment(t *testing.T) {
	t.Parallel()
	h := newOrdersHouse(t, simulator.Options{})
	for _, n := range []string{"A1", "A2", "A3", "A4"} {
		h.enter(n)
	}
	h.sync()
	h.hold("entered",
		"A1: confirmed unpaid | confirmed unpaid", "A2: confirmed unpaid | confirmed unpaid",
		"A3: confirmed unpaid | confirmed unpaid", "A4: confirmed unpaid | confirmed unpaid")
	first := h.sim.All("orders")[0]
	lines := first["items"].([]any)
	one := lines[0].(map[string]any)
	want := map[string]any{"sku": "A", "name": "Wine", "quantity": "2", "unit_price": "12.50"}
	if !maps.Equal(one, want) || len(lines) != 2 || first["total"] != "25.50" || first["contact_phone"] != "+393331234567" {
		t.Errorf("the platform has %v, of which the first line is to be %v", first, want)
	}
	h.quiet()

	h.tell("A1", map[string]any{"payment_status": "pending"})
	h.tell("A2", map[string]any{"payment_status": "paid", "paid_at": "2026-11-02T09:00:00Z", "payment_reference": "pi_2"})
	h.do(`UPDATE shop.orders SET status = 'refused', reason = 'sold out' WHERE number = 'A4'`)
	h.do(`UPDATE shop.orders SET status = 'in_preparation' WHERE number = 'A3'`)
	h.sync()
	h.hold("under way",
		"A1: confirmed pending | confirmed pending", "A2: confirmed paid pi_2 | confirmed paid",
		"A3: in_preparation unpaid | in_preparation unpaid", "A4: refused sold out unpaid | refused sold out unpaid")

	h.tell("A1", map[string]any{"payment_status": "paid"})
	h.tell("A3", map[string]any{"payment_status": "paid"})
	h.do(`UPDATE shop.orders SET status = 'fulfilled' WHERE number IN ('A1', 'A2', 'A3')`)
	h.sync()
	h.hold("through",
		"A1: fulfilled paid | completed paid", "A2: fulfilled paid pi_2 | completed paid",
		"A3: fulfilled paid | completed paid", "A4: refused sold out unpaid | refused sold out unpaid")
	h.quiet()
}

// A refusal without a reason is held, with a sentence, and sent when there is one.
func TestRefusedWithoutAReason(t *testing.T) {
	t.Parallel()
	h := newOrdersHouse(t, simulator.Options{})
	h.enter("A1")
	h.sync()
	h.do(`UPDATE shop.orders SET status = 'refused' WHERE number = 'A1'`)
	before := h.sim.Counts().Mutating
	h.sync()
	h.hold("held", "A1: refused unpaid | confirmed unpaid")
	const why = "status: platform takes refused only with its reason, and nobody has given one: it is sent as soon as it stands on shop"
	if got := h.asked(); got != why {
		t.Errorf("asked %q, want %q", got, why)
	}
	if n := h.sim.Counts().Mutating - before; n != 0 {
		t.Errorf("%d writes to the platform, want none", n)
	}
	h.do(`UPDATE shop.orders SET reason = 'sold out' WHERE number = 'A1'`)
	h.sync()
	h.hold("with a reason", "A1: refused sold out unpaid | refused sold out unpaid")
	if got := h.asked(); got != "" {
		t.Errorf("still asked: %s", got)
	}
	h.quiet()
}

// The other reading: the shop takes the money and tells the platform.
func TestPaymentsArePushed(t *testing.T) {
	for name, trait := range map[string]string{
		"a field": "", "a request of its own": "    override:\n      kinds: { orders: { status: { field: payment_status, requests: { paid: " +
			"{ method: PATCH, path: \"/orders/{id}\", body: { payment_status: paid } } } } } }\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newOrdersHouse(t, simulator.Options{})
			h.edit("  shop:\n    type", trait+"  shop:\n    type")
			h.edit("conflict: rules, to: shop }", "conflict: rules, to: platform }")
			h.edit("as: instant,     to: shop }", "as: instant,     to: platform }")
			h.edit("shop: payment_reference, to: shop }", "shop: payment_reference, to: platform }")
			h.enter("A1")
			h.sync()
			h.do(`UPDATE shop.orders SET payment = 'paid', paid_at = now(), payment_reference = 'till 7'`)
			h.sync()
			h.hold("told", "A1: confirmed paid till 7 | confirmed paid")
			if got := h.sim.All("orders")[0]; got["payment_reference"] != "till 7" || got["paid_at"] == nil {
				t.Errorf("the platform has %v, want the reference and the time", got)
			}
			h.tell("A1", map[string]any{"payment_status": "refunded"})
			h.sync()
			h.hold("the platform has no say", "A1: confirmed paid till 7 | confirmed refunded")
		})
	}
}

// Cancelled on one side and paid on the other is a person's to decide, in either order, and
// also where the payment comes in while the cancel is on its way.
func TestCancelledAndPaid(t *testing.T) {
	t.Parallel()
	const why = "status: platform says paid of its payment, and shop says cancelled of its status: a person decides which stands\n" +
		"payment: platform says paid of its payment, and shop says cancelled of its status: a person decides which stands"
	for name, during := range map[string]bool{"before": false, "meanwhile": true} {
		for _, take := range []string{"left", "right"} {
			t.Run(name+" "+take, func(t *testing.T) {
				t.Parallel()
				h := newOrdersHouse(t, simulator.Options{})
				h.enter("A1")
				h.sync()
				h.do(`UPDATE shop.orders SET status = 'cancelled'`)
				paid := func() { h.tell("A1", map[string]any{"payment_status": "paid"}) }
				if during {
					h.step = func(step string) {
						if step == "before get" {
							paid()
						}
					}
				} else {
					paid()
				}
				h.sync()
				h.step = nil
				h.sync()
				h.hold("held", "A1: cancelled unpaid | confirmed paid")
				if got := h.asked(); got != why {
					t.Errorf("asked\n%s\nwant\n%s", got, why)
				}
				h.quiet()
				h.decide("status", take)
				for range 2 {
					h.sync()
				}
				if take == "left" {
					h.hold("it stands", "A1: confirmed paid | confirmed paid")
				} else {
					h.hold("it is cancelled", "A1: cancelled paid | cancelled paid")
				}
				if got := h.asked(); got != "" {
					t.Errorf("still asked: %s", got)
				}
				h.quiet()
			})
		}
	}
}

// Whoever says that the payment stands has said nothing of the cancel: it waits for its
// own answer, whichever side takes the money, and whatever part of it goes back meanwhile.
func TestPaidIsNoWordOfTheCancel(t *testing.T) {
	for takes, answers := range map[string][]string{"platform": {"left", "right"}, "shop": {"left"}} { // the platform takes no cancel back
		for _, take := range answers {
			t.Run("the "+takes+" takes the money, "+take, func(t *testing.T) {
				t.Parallel()
				h := newOrdersHouse(t, simulator.Options{})
				h.enter("A1")
				paid, which := func(word string) { h.tell("A1", map[string]any{"payment_status": word}) }, "left"
				cancel := func() { h.do(`UPDATE shop.orders SET status = 'cancelled'`) }
				if takes == "shop" {
					h.edit("conflict: rules, to: shop }", "conflict: rules, to: platform }")
					paid, which = func(word string) { h.do(`UPDATE shop.orders SET payment = $1`, word) }, "right"
					cancel = func() { h.tell("A1", map[string]any{"status": "cancelled"}) }
				}
				both := func(left, right, payment string) string {
					return fmt.Sprintf("A1: %s %s | %s %s", right, payment, left, payment)
				}
				there, here := "confirmed", "cancelled"
				if takes == "shop" {
					there, here = here, there
				}
				h.sync()
				cancel()
				paid("paid")
				h.sync()
				why := h.asked()
				h.decide("payment", which)
				for range 3 {
					h.sync()
				}
				h.hold("paid it is", both(there, here, "paid"))
				why, _, _ = strings.Cut(why, "\n")
				if got := h.asked(); got != why || !strings.HasPrefix(got, "status: ") {
					t.Errorf("asked\n%s\nwant\n%s", got, why)
				}
				h.quiet()
				paid("partially_refunded")
				for range 2 {
					h.sync()
				}
				h.hold("some of it went back", both(there, here, "partially_refunded"))
				if got := h.asked(); got != why {
					t.Errorf("with some of it back, asked\n%s\nwant\n%s", got, why)
				}
				h.quiet()
				h.decide("status", take)
				for range 2 {
					h.sync()
				}
				stands := map[string]string{"left": there, "right": here}[take]
				h.hold("decided", both(stands, stands, "partially_refunded"))
				if got := h.asked(); got != "" {
					t.Errorf("still asked: %s", got)
				}
				h.quiet()
			})
		}
	}
}

// Of an order that is cancelled here some of the money goes back there: it is still paid
// for, and the cancel still waits.
func TestCancelledAndPartlyPaidBack(t *testing.T) {
	t.Parallel()
	h := newOrdersHouse(t, simulator.Options{})
	h.enter("A1")
	h.sync()
	h.do(`UPDATE shop.orders SET status = 'cancelled'`)
	h.tell("A1", map[string]any{"payment_status": "paid"})
	h.sync()
	h.tell("A1", map[string]any{"payment_status": "partially_refunded"})
	for range 2 {
		h.sync()
	}
	h.hold("held", "A1: cancelled unpaid | confirmed partially_refunded")
	if got := h.asked(); strings.Count(got, "\n") != 1 {
		t.Errorf("asked\n%s\nwant two questions", got)
	}
	h.tell("A1", map[string]any{"payment_status": "refunded"})
	h.sync()
	h.hold("all of it went back", "A1: cancelled refunded | cancelled refunded")
	if got := h.asked(); got != "" {
		t.Errorf("still asked: %s", got)
	}
	h.quiet()
}

// decide answers the question about a field.
func (h *ordersHouse) decide(field, take string) {
	h.t.Helper()
	a := h.open()
	defer a.Close()
	open, err := a.Store.Questions(h.t.Context(), "orders", true)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, c := range open {
		if c.Field == field {
			if err := a.Store.Choose(h.t.Context(), c.ID, record.Choice(take), record.Value{}, time.Now()); err != nil {
				h.t.Fatal(err)
			}
			return
		}
	}
	h.t.Fatalf("nobody is asked about %s", field)
}
