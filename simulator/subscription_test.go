package simulator_test

import (
	"testing"

	"nightporter/simulator"
)

// The API for webhooks: a secret is shown once, and changes are told to those that are
// active and want to know of them.
func TestSubscriptions(t *testing.T) {
	s, c := spoken(t, simulator.Traits{Stays: "events", Sign: simulator.SignTimed})
	made := c.want(201, "POST", "/webhooks", object{"webhook_url": "http://one.test/h", "events": []any{"contact.created"}, "description": "first"}).data()
	if made["secret"] == "" || made["secret"] == nil || made["active"] != true {
		t.Errorf("created: %v, want it active, with a secret", made)
	}
	shown := c.want(200, "GET", "/webhooks/wh_1", nil).data()
	same(t, "shown", shown, object{"id": "wh_1", "webhook_url": "http://one.test/h", "events": []any{"contact.created"}, "description": "first", "active": true})
	same(t, "patched", c.want(200, "PATCH", "/webhooks/wh_1", object{"active": false}).data()["active"], false)
	c.want(400, "POST", "/webhooks", object{"webhook_url": "nowhere", "events": []any{"x"}})
	c.want(400, "POST", "/webhooks", object{"webhook_url": "http://one.test/h"})
	c.want(404, "PATCH", "/webhooks/wh_9", object{"active": true})
	for range 12 {
		s.Subscribe(simulator.Subscription{URL: "http://two.test/h", Events: []string{"appointment.booked"}, Active: true})
	}
	page := c.want(200, "GET", "/webhooks?limit=10&offset=10", nil).body
	same(t, "second page", []any{len(page["data"].([]any)), page["meta"].(object)["total"], page["meta"].(object)["has_next"]}, []any{3, 13.0, false})
	s.Put("contacts", object{"first_name": "Ada"})
	s.Put("reservations", object{"client_full_name": "Ada"})
	sent, err := s.Deliveries(t.Context())
	if err != nil || len(sent) != 12 || sent[0].URL.String() != "http://two.test/h" {
		t.Errorf("%d deliveries (%v), want the booking to each of the twelve that are active", len(sent), err)
	}
	c.want(204, "DELETE", "/webhooks/wh_1", nil)
	c.want(404, "GET", "/webhooks/wh_1", nil)
	if !s.EditSubscription("wh_2", func(sub *simulator.Subscription) { sub.ID = "" }) || len(s.Subscriptions()) != 11 {
		t.Errorf("%d are left, want 11", len(s.Subscriptions()))
	}
}
