package simulator_test

import (
	"io"
	"slices"
	"strings"
	"testing"

	"nightporter/internal/webhook"
	"nightporter/simulator"
)

func order(number string) object {
	return object{
		"external_reference": number, "currency": "EUR", "total": "12.50", "status": "confirmed",
		"items": []any{object{"sku": "A", "quantity": "1", "unit_price": "12.50"}},
	}
}

func TestOrders(t *testing.T) {
	s := simulator.New(simulator.Options{IDs: simulator.Sequential})
	c := call(t, s)
	made := c.want(201, "POST", "/orders", order("A1")).data()
	same(t, "its id", made["id"], any("o000001"))
	same(t, "its payment", made["payment_status"], any("unpaid"))
	c.want(201, "POST", "/orders", order("A1"))
	if got := s.Doubled("orders", "external_reference"); !slices.Equal(got, []string{"A1"}) {
		t.Errorf("made twice: %v, want A1", got)
	}
	same(t, "found by its number", len(c.want(200, "GET", "/orders?external_reference=A1", nil).items()), 2)

	if made["created_at"] == nil {
		t.Errorf("%v shows no time of creation", made)
	}
	same(t, "made since", len(c.want(200, "GET", "/orders?created_after=2020-01-01", nil).items()), 2)
	same(t, "made in the future", len(c.want(200, "GET", "/orders?created_after=2100-01-01T00:00:00Z", nil).items()), 0)
	c.want(400, "GET", "/orders?created_after=lately", nil)
	for text, body := range map[string]object{
		"status_reason is required":  {"status": "refused"},
		"status must be one of":      {"status": "lost"},
		"payment_status must be one": {"payment_status": "perhaps"},
		"decimal in a string":        {"items": []any{object{"sku": "A", "unit_price": 12.5}}},
		"total must be":              {"total": "12,50"},
		"must be an object":          {"items": []any{"A"}},
	} {
		if r := c.want(400, "PATCH", "/orders/o000001", body); !strings.Contains(r.body["error"].(string), text) {
			t.Errorf("%v: %v, want %q", body, r.body["error"], text)
		}
	}
	c.want(200, "PATCH", "/orders/o000001", object{"status": "refused", "status_reason": "sold out"})
	c.want(400, "PATCH", "/orders/o000001", object{"status": "confirmed"})
	c.want(200, "PATCH", "/orders/o000001", object{"notes": "called"})
	c.want(405, "DELETE", "/orders/o000001", nil)
}

func TestOrdersOfYourang(t *testing.T) {
	s := simulator.New(simulator.Options{IDs: simulator.Sequential, Dialect: simulator.DialectYourang})
	c := call(t, s)
	c.want(201, "POST", "/orders", order("A1"))
	for _, body := range []object{{"status": "ready"}, {"total": "13.00"}, {"payment_status": "paid"}, {"status": "refused"}} {
		c.want(400, "PATCH", "/orders/o000001", body)
	}
	same(t, "its status", c.want(200, "PATCH", "/orders/o000001", object{"status": "completed"}).data()["status"], any("completed"))
}

func TestOrderNumbersAreUnique(t *testing.T) {
	s := simulator.New(simulator.Options{Traits: &simulator.Traits{Orders: "orders", OrderNumbers: true}})
	c := call(t, s)
	c.want(201, "POST", "/orders", order("A1"))
	c.want(400, "POST", "/orders", order("A1"))
	c.want(201, "POST", "/orders", order("A2"))
	if got := s.Doubled("orders", "external_reference"); len(got) > 0 {
		t.Errorf("made twice: %v", got)
	}
}

// Webhooks name what happened to an order; the record is read anew all the same.
func TestOrderHooks(t *testing.T) {
	for _, sign := range []simulator.SignForm{simulator.SignTimed, simulator.SignBody} {
		s := simulator.New(simulator.Options{IDs: simulator.Sequential})
		s.SetHook(&simulator.Hook{URL: "http://receiver.test/hook", Secret: "hunter2", Sign: sign})
		call(t, s).want(201, "POST", "/orders", order("A1"))
		s.Edit("orders", "o000001", object{"status": "ready"})
		s.Edit("orders", "o000001", object{"payment_status": "paid"})
		s.Edit("orders", "o000001", object{"notes": "x"})
		sent, err := s.Deliveries(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range sent {
			body, _ := io.ReadAll(r.Body)
			events, err := webhook.AnyShape.Events(r.Header, body)
			if err != nil || len(events) != 1 {
				t.Fatalf("%s: %v", body, err)
			}
			got = append(got, events[0].Name+" "+events[0].ID)
		}
		want := []string{"order.created o000001", "order.status_changed o000001", "order.paid o000001", "order.updated o000001"}
		if !slices.Equal(got, want) {
			t.Errorf("sign %q: told %v, want %v", sign, got, want)
		}
	}
}
