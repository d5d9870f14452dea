package config

import (
	"strings"
	"testing"
)

// base is a small configuration without a mistake. The tests of bad input change
// a line or two of it; the numbers in what they want are its lines.
const base = `time_zone: Europe/Rome
systems:
  platform: { preset: platform, base_url: "https://api.example.com", key: "env:KEY" }
  pms:
    type: postgres
    address: localhost:5432/pms
    user: np
    password: file:pms.password
    tables:
      guests: { table: guests, key: id, changed: updated_at, private: [notes], our_mark: ref }
      stays: { table: stays, key: id }
jobs:
  guests:
    kind: contact
    between: { platform: contacts, pms: guests }
    match: [phone]
    create: { platform: always, pms: when_booked }
    fields:
      given_name: { platform: first_name, pms: first_name, conflict: pms }
      phone: { platform: phone_number, pms: phone, region: [pms.country, IT] }
  stays:
    kind: stay
    between: { platform: reservations, pms: stays }
    window: { from: -1d, to: +400d }
    match: [[guest, arrival]]
    create: { platform: always, pms: always }
    fields:
      guest: { job: guests, pms: guest_id, platform: { phone: client_phone } }
      arrival: { platform: starting_date, pms: arrival, together: days }
      departure: { platform: ending_date, pms: departure, together: days }
      status: { platform: status, pms: status, conflict: rules }
    status:
      confirmed: { platform: [CONFIRMED, APPROVED], pms: confirmed }
      cancelled: { platform: CANCELLED, pms: cancelled }
    platform_may: [confirmed, cancelled]
    accept_if: select 1
`

// changed is base with each old text, which must be in it, replaced by the new.
func changed(t *testing.T, oldnew ...string) string {
	t.Helper()
	text := base
	for i := 0; i+1 < len(oldnew); i += 2 {
		if !strings.Contains(text, oldnew[i]) {
			t.Fatalf("the base has no %q", oldnew[i])
		}
		text = strings.Replace(text, oldnew[i], oldnew[i+1], 1)
	}
	return text
}
