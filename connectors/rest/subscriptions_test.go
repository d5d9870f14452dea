package rest_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nightporter/connectors"
	"nightporter/connectors/rest"
	"nightporter/simulator"
)

// The list of subscriptions through both presets, each in its dialect: made, found on
// any page, changed, removed.
func TestSubscriptions(t *testing.T) {
	for preset, o := range map[string]simulator.Options{"platform": {}, "yourang": {Dialect: simulator.DialectYourang}} {
		t.Run(preset, func(t *testing.T) {
			sim, c := simulated(t, o, preset)
			for range 205 {
				sim.Subscribe(simulator.Subscription{URL: "https://other.example.com", Events: []string{"x"}, Active: true})
			}
			subs, ctx := c.Subscriptions(), t.Context()
			want := connectors.Subscription{URL: "https://h.example.com/hooks", Events: []string{"contact.created"}, Note: "ours"}
			made, err := subs.Create(ctx, want)
			if err != nil || made.ID == "" || made.Secret == "" || made.Secret != sim.Subscriptions()[205].Secret {
				t.Fatalf("create: got %+v, %v", made, err)
			}
			sim.EditSubscription(made.ID, func(s *simulator.Subscription) { s.Active = false })
			all, err := subs.List(ctx)
			if err != nil || len(all) != 206 {
				t.Fatalf("list: got %d, %v", len(all), err)
			}
			want.ID, want.Off = made.ID, true
			if diff := cmp.Diff(want, all[205]); diff != "" {
				t.Errorf("listed: %s", diff)
			}
			if subs.Means().Change {
				want.URL, want.Events, want.Off = "https://h.example.com/other", []string{"event.created", "contact.created"}, false
				if err := subs.Change(ctx, want); err != nil {
					t.Error(err)
				}
				got := sim.Subscriptions()[205]
				if got.URL != want.URL || !got.Active || fmt.Sprint(got.Events) != fmt.Sprint(want.Events) || got.Description != "ours" {
					t.Errorf("changed: got %+v", got)
				}
			}
			for range 2 {
				if err := subs.Remove(ctx, made.ID); err != nil {
					t.Errorf("remove: %v", err)
				}
			}
			if n := len(sim.Subscriptions()); n != 205 {
				t.Errorf("%d are left, want those of others", n)
			}
		})
	}
}

// What a system can't do is known by its answer, and a create is never sent twice.
func TestSubscriptionsThatAreNotOffered(t *testing.T) {
	for _, status := range []int{403, 404, 405, 410, 501} {
		sim, c := simulated(t, simulator.Options{}, "platform")
		sim.AddFault(simulator.Fault{Kind: simulator.FaultStatus, Path: "/webhooks", Status: status})
		_, listed := c.Subscriptions().List(t.Context())
		_, made := c.Subscriptions().Create(t.Context(), connectors.Subscription{URL: "https://h.example.com", Events: []string{"x"}})
		if !connectors.NotOffered(listed) || !connectors.NotOffered(made) {
			t.Errorf("%d: got %v and %v, want it to be known as not offered", status, listed, made)
		}
	}
	for _, kind := range []simulator.FaultKind{simulator.FaultDropAfter, simulator.FaultLate504, simulator.FaultTruncated, simulator.FaultHTML} {
		sim, c := simulated(t, simulator.Options{}, "platform")
		id := sim.AddFault(simulator.Fault{Kind: kind, Method: "POST", Path: "/webhooks"})
		_, err := c.Subscriptions().Create(t.Context(), connectors.Subscription{URL: "https://h.example.com", Events: []string{"x"}})
		if connectors.ClassOf(err) != connectors.Ambiguous || connectors.NotOffered(err) || sim.FaultHits(id) != 1 {
			t.Errorf("%s: got %v after %d requests, want ambiguous after one", kind, err, sim.FaultHits(id))
		}
	}
}

// A list that isn't whole is none: one of ours might be on what it does not show.
func TestSubscriptionsThatAreCutShort(t *testing.T) {
	sim, c := simulated(t, simulator.Options{}, "platform")
	for range 150 {
		sim.Subscribe(simulator.Subscription{URL: "https://other.example.com", Events: []string{"x"}})
	}
	sim.AddFault(simulator.Fault{Kind: simulator.FaultStatus, Method: "GET", Path: "/webhooks", Skip: 1, Status: 403})
	if all, err := c.Subscriptions().List(t.Context()); err == nil {
		t.Errorf("got %d of 150 and no error", len(all))
	}
}

// Systems differ: a word for what is on, no place for a note, a secret of our making;
// and what an error shows holds neither the address nor the secret.
func TestSubscriptionsOfAnotherSystem(t *testing.T) {
	var bodies []string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b := make([]byte, 1000)
		n, _ := r.Body.Read(b)
		if r.Method != http.MethodGet {
			bodies = append(bodies, r.Method+" "+r.URL.Path+" "+string(b[:n]))
		}
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.Method == http.MethodGet:
			fmt.Fprint(w, `[{"uid":7,"target":{"url":"https://h.example.com"},"state":"paused"},{"uid":8,"target":{"url":"u"},"state":"live","topics":[]}]`)
		case len(bodies) == 1:
			fmt.Fprint(w, `{"uid":9}`)
		default:
			w.WriteHeader(http.StatusUnprocessableEntity)
			fmt.Fprintf(w, `{"message":"no: %s"}`, strings.ReplaceAll(string(b[:n]), `"`, `'`))
		}
	}))
	t.Cleanup(srv.Close)
	c := overlaid(t, srv.URL, "platform", map[string]any{"webhooks": map[string]any{"subscriptions": map[string]any{
		"api": map[string]any{
			"path": "/hooks", "id": "uid", "list": map[string]any{"items": ".", "paging": "none", "total": nil, "has_more": nil},
			"create": map[string]any{"item": "."}, "update": map[string]any{"path": "/hooks/{id}", "item": "."}, "delete": map[string]any{"path": "/hooks/{id}"},
		},
		"url": "target.url", "events": "topics", "note": nil, "enabled": "state", "on": "live", "secret": nil, "send_secret": "signing.secret",
	}}})
	subs := c.Subscriptions()
	if got := subs.Means(); got.Note || got.Shows || !got.Takes || !got.Change {
		t.Errorf("means: %+v", got)
	}
	all, err := subs.List(t.Context())
	want := []connectors.Subscription{{ID: "7", URL: "https://h.example.com", Off: true}, {ID: "8", URL: "u", Events: []string{}}}
	if diff := cmp.Diff(want, all); diff != "" || err != nil {
		t.Errorf("%v: %s", err, diff)
	}
	const secret = "0123456789abcdef-a-secret"
	ours := connectors.Subscription{URL: "https://h.example.com/hook", Events: []string{"a"}, Secret: secret}
	made, err := subs.Create(t.Context(), ours)
	if err != nil || made.ID != "9" || made.Secret != secret {
		t.Errorf("create: got %v, %v", made.ID, err)
	}
	for _, err := range []error{subs.Change(t.Context(), connectors.Subscription{ID: "7", URL: "https://h.example.com/hook", Events: []string{"a"}}), again(subs, ours, t)} {
		if err == nil || strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), "h.example.com/hook") {
			t.Errorf("got %v, want an error without the secret and the address", err)
		}
	}
	wantBodies := []string{
		`POST /external/v1/hooks {"signing":{"secret":"` + secret + `"},"target":{"url":"https://h.example.com/hook"},"topics":["a"]}`,
		`PATCH /external/v1/hooks/7 {"state":"live","target":{"url":"https://h.example.com/hook"},"topics":["a"]}`,
	}
	if diff := cmp.Diff(wantBodies, bodies[:2]); diff != "" {
		t.Errorf("sent: %s", diff)
	}
}

func again(subs connectors.Subscriptions, s connectors.Subscription, t *testing.T) error {
	t.Helper()
	_, err := subs.Create(t.Context(), s)
	return err
}

func TestSubscriptionsInAPreset(t *testing.T) {
	good := map[string]any{"path": "/h", "list": map[string]any{"items": ".", "paging": "none"}, "create": map[string]any{}, "delete": map[string]any{"path": "/h/{id}"}}
	for name, c := range map[string]struct {
		keys map[string]any
		want string
	}{
		"no address":       {map[string]any{"url": nil}, "webhooks.subscriptions.url is missing"},
		"two secrets":      {map[string]any{"send_secret": "s"}, "exclude each other"},
		"no delete":        {map[string]any{"api": map[string]any{"delete": nil}}, "webhooks.subscriptions.api.delete is missing"},
		"no create":        {map[string]any{"api": map[string]any{"create": nil}}, "webhooks.subscriptions.api.create is missing"},
		"no way to page":   {map[string]any{"api": map[string]any{"list": map[string]any{"paging": "pages"}}}, "webhooks.subscriptions.api.list.paging"},
		"a key misspelt":   {map[string]any{"sekret": "s"}, `unknown key "webhooks.subscriptions.sekret"; did you mean "secret"?`},
		"nothing is wrong": {map[string]any{"api": good}, ""},
	} {
		_, err := rest.Load("platform", nil, map[string]any{"webhooks": map[string]any{"subscriptions": c.keys}})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
	p, err := rest.Load("platform", nil, map[string]any{"webhooks": map[string]any{"subscriptions": nil}})
	if err != nil {
		t.Fatal(err)
	}
	c, err := rest.Open(rest.Config{System: "platform", Preset: p, BaseURL: "https://api.example.com"})
	if err != nil || c.Subscriptions() != nil {
		t.Errorf("got %v, %v, want no list", c.Subscriptions(), err)
	}
}
