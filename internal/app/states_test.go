package app

import (
	"slices"
	"strings"
	"testing"

	"nightporter/internal/config"
	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// The words that the configuration takes are those that the steps know.
func TestUsualWordsAreTheMachines(t *testing.T) {
	for usual, m := range map[config.Usual]*merge.Machine{
		config.UsualOrder: merge.Order(record.Left), config.UsualPayment: merge.Payment(record.Left),
	} {
		var words []string
		for _, e := range m.Edges {
			words = append(words, e.From, e.To)
		}
		slices.Sort(words)
		want := slices.Sorted(slices.Values(usual.Words()))
		if words = slices.Compact(words); !slices.Equal(words, want) {
			t.Errorf("%s: the steps know %v, the configuration %v", usual, words, want)
		}
	}
}

// What a system can't be told is said before anything runs.
func TestCheckWords(t *testing.T) {
	const text = `
time_zone: Europe/Rome
systems:
  platform: { preset: yourang, base_url: "https://api.example.com", key: "env:KEY" }
  shop: { type: sqlite, address: shop.db, tables: { orders: { table: orders, key: id } } }
jobs:
  orders:
    kind: order
    between: { platform: orders, shop: orders }
    match: [number]
    create: { platform: always, shop: never }
    fields:
      number: { platform: external_reference, shop: number, to: platform }
      status: { platform: status, shop: status, conflict: rules }
    rules: { status: { authority: shop } }
    status:
      confirmed: { platform: [paid, Confirmed], shop: confirmed }
      ready: { platform: ready, shop: ready }
      cancelled: { platform: cancelled, shop: cancelled }
`
	cfg, err := config.Parse("config.yaml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range CheckFile(cfg) {
		if strings.Contains(f.Text, "status") && !f.Wrong {
			got = append(got, f.Text)
		}
	}
	want := "field status: platform can't be told that it is ready, cancelled, since it takes confirmed, completed, refused: what stands there stays, and is shown as drift"
	if len(got) != 1 || got[0] != want {
		t.Errorf("found %q, want %q", got, want)
	}
}
