package discover_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"nightporter/internal/config"
	"nightporter/internal/discover"
)

// attribute is something that is true of a guest or a stay, whatever a system calls it.
type attribute struct {
	name  string
	right []string // names that say what it is
	value func(int) any
}

func guestAttributes() []attribute {
	return []attribute{
		{"given", []string{"first_name", "nome", "Vorname", "prenom", "givenName"}, text(given)},
		{"family", []string{"last_name", "cognome", "Nachname", "apellido"}, func(i int) any { return family(i / 3) }},
		{"phone", []string{"phone_number", "telefono", "Telefonnummer", "tel"}, text(phone)},
		{"email", []string{"email", "mail", "E-Mail", "correo"}, text(mail)},
		{"agency", []string{"agency_phone", "agenzia_telefono"}, func(i int) any { return phone(9000 + i%4) }},
		{"city", []string{"city", "citta", "ort"}, func(i int) any { return []string{"Firenze", "Siena", "Pisa", "Lucca", "Bonn"}[i*7%5] }},
		{"language", []string{"language", "lingua", "Sprache"}, func(i int) any { return []string{"it", "de", "en"}[i%3] }},
		{"born", []string{"birth_date", "data_nascita", "Geburtsdatum"}, func(i int) any { return fmt.Sprintf("19%02d-0%d-%02d", 40+i, 1+i%9, 1+i%28) }},
		{"note", []string{"note", "remarks", "bemerkung"}, func(i int) any { return fmt.Sprint("cuscino ", i*31%17) }},
		{"vip", []string{"vip"}, func(i int) any { return i%5 == 0 }},
		{"tags", []string{"tags", "etichette", "wishes"}, func(i int) any { return []any{"dog", "crib", "vip", "vegan"}[i%3 : 2+i%2+i%3/2] }},
		{"nights", []string{"nights_total"}, func(i int) any { return i % 7 }},
	}
}

func stayAttributes() []attribute {
	return []attribute{
		{"arrival", []string{"arrival", "arrivo", "Anreise", "starting_date"}, text(day)},
		{"departure", []string{"departure", "partenza", "Abreise", "ending_date"}, func(i int) any { return day(i + 1 + i%5) }},
		{"booked", []string{"booked_on", "prenotato_il"}, func(i int) any { return day(i - 20 - i*3%11) }},
		{"guest", []string{"client_phone_number", "telefono_ospite"}, text(phone)},
		{"state", []string{"status", "stato"}, func(i int) any { return []string{"CONFIRMED", "CANCELLED", "PENDING"}[i%3] }},
		{"wish", []string{"details", "note"}, func(i int) any { return fmt.Sprint("late ", i*13%19) }},
		{"price", []string{"price", "importo"}, func(i int) any { return 80 + i*17%23 }},
		{"currency", []string{"currency", "valuta", "price_currency"}, func(i int) any { return []string{"EUR", "EUR", "CHF"}[i%7%3] }},
	}
}

// renamed draws names for attributes, each once: right ones, meaningless ones, and those of
// something else.
func renamed(t *rapid.T, all []attribute, label string) map[string]string {
	var wrong []string
	for _, a := range append(guestAttributes(), stayAttributes()...) {
		wrong = append(wrong, a.right...)
	}
	names, taken := map[string]string{}, map[string]bool{}
	for i, a := range all {
		var name string
		switch rapid.IntRange(0, 3).Draw(t, label+" how "+a.name) {
		case 0, 1:
			name = rapid.SampledFrom(a.right).Draw(t, label+" "+a.name)
		case 2:
			name = fmt.Sprint("x", i, label)
		default:
			name = rapid.SampledFrom(wrong).Draw(t, label+" wrong "+a.name)
		}
		for taken[strings.ToLower(name)] {
			name += "x"
		}
		taken[strings.ToLower(name)] = true
		names[a.name] = name
	}
	return names
}

// drawn is one side's kind: some of the attributes under drawn names, of records from to.
// Some values are missing, and some are others than across.
func drawn(t *rapid.T, kind string, all []attribute, label string, from, to int) (discover.Sample, map[string]string) {
	all = slices.DeleteFunc(slices.Clone(all), func(attribute) bool { return rapid.IntRange(0, 9).Draw(t, label+" left out") == 0 })
	names := renamed(t, all, label)
	holes, edits := rapid.IntRange(0, 4).Draw(t, label+" holes"), rapid.IntRange(0, 2).Draw(t, label+" edits")
	tb := &table{kind: kind}
	for i := from; i < to; i++ {
		m := map[string]any{}
		for k, a := range all {
			switch {
			case (i*7+k*3)%20 < holes:
				m[names[a.name]] = nil
			case (i*11+k*5+len(label))%20 < edits:
				m[names[a.name]] = a.value(i + 1000)
			default:
				m[names[a.name]] = a.value(i)
			}
		}
		tb.add(fmt.Sprint(label, i), m)
	}
	for _, i := range rapid.Permutation(names2(names)).Draw(t, label+" order") {
		tb.cols = append(tb.cols, discover.Column{Path: i})
	}
	back := map[string]string{}
	for attr, name := range names {
		back[name] = attr
	}
	return tb.sample(), back
}

func names2(names map[string]string) []string {
	var out []string
	for _, n := range names {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

// Whatever fields are called, and in whatever order they stand: what is proposed is right,
// or says that it rests on names. What is proposed is a configuration.
func TestLawNamesNeverMislead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 60).Draw(t, "guests")
		left := rapid.IntRange(0, n).Draw(t, "left to")
		right := rapid.IntRange(0, n).Draw(t, "right from")
		var is [2]map[string]map[string]string
		var sys [2]discover.System
		for i, label := range []string{"l", "r"} {
			from, to := 0, left
			if i == 1 {
				from, to = right, n
			}
			guests, g := drawn(t, []string{"contacts", "clienti"}[i], guestAttributes(), label, from, to)
			bookings, b := drawn(t, []string{"reservations", "prenotazioni"}[i], stayAttributes(), label+"s", from, to)
			sys[i] = discover.System{Name: []string{"platform", "pms"}[i], Kinds: []discover.Sample{guests, bookings}}
			is[i] = map[string]map[string]string{"contact": g, "stay": b}
		}
		p := discover.Propose(discover.Input{Systems: sys})
		runs := false
		for _, j := range p.Jobs {
			runs = runs || j.Runs()
			for _, f := range j.Fields {
				l, r := is[0][j.Kind][f.Sides[0].Path], is[1][j.Kind][f.Sides[1].Path]
				if l == "" || r == "" {
					t.Fatalf("%s: %s stands in no field that there is: %v", j.Kind, f.Name, f.Sides)
				}
				for n, s := range f.Sides {
					if at := is[n][j.Kind][s.Currency]; s.Currency != "" && len(s.Currency) != 3 && at != "currency" {
						t.Fatalf("%s: the currency of %s is %s, which holds %q\n%s", j.Kind, f.Name, s.Currency, at, p.YAML())
					}
				}
				byName := f.Confidence == discover.Likely && strings.HasPrefix(f.Evidence, "by its name")
				if l != r && !byName {
					t.Fatalf("%s: %s is %s on the left and %s on the right: %s, %s\n%s", j.Kind, f.Name, l, r, f.Confidence, f.Evidence, p.YAML())
				}
				linked := j.Runs() && !strings.Contains(j.MatchWhy, "by these, 0 records")
				if l != r && linked && overlap(left, right, n) >= 20 {
					t.Fatalf("%s: %s is %s on the left and %s on the right, though values tell: %s\n%s", j.Kind, f.Name, l, r, f.Evidence, p.YAML())
				}
			}
		}
		if runs {
			usable(t, p)
		}
		if both := overlap(left, right, n); both >= 20 && has(is[0]["contact"], "phone") && has(is[1]["contact"], "phone") && !pairsPhones(p, is) {
			t.Fatalf("%d guests have their phone on both sides, and it is no key\n%s", both, p.YAML())
		}
	})
}

func has(is map[string]string, attr string) bool {
	for _, a := range is {
		if a == attr {
			return true
		}
	}
	return false
}

// pairsPhones reports whether a match key of the contacts is the phone of both sides.
func pairsPhones(p discover.Proposal, is [2]map[string]map[string]string) bool {
	for _, j := range p.Jobs {
		for _, f := range j.Fields {
			if j.Kind == "contact" && is[0]["contact"][f.Sides[0].Path] == "phone" && is[1]["contact"][f.Sides[1].Path] == "phone" &&
				slices.ContainsFunc(j.Match, func(key []string) bool { return slices.Equal(key, []string{f.Name}) }) {
				return true
			}
		}
	}
	return false
}

// overlap is how many guests both sides have.
func overlap(left, right, n int) int { return max(0, min(left, n)-right) }

// usable checks that a proposal is a configuration.
func usable(t interface {
	Helper()
	Fatalf(format string, args ...any)
}, p discover.Proposal,
) {
	t.Helper()
	text := `time_zone: Europe/Rome
systems:
  platform: { preset: platform, base_url: "https://api.example.com" }
  pms:
    type: sqlite
    address: pms.db
    tables: { clienti: { table: clienti, key: id }, prenotazioni: { table: prenotazioni, key: id } }
` + p.YAML()
	if _, err := config.Parse("found.yaml", []byte(text), nil); err != nil {
		t.Fatalf("the proposal is no configuration: %v\n%s", err, text)
	}
}
