package discover_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nightporter/internal/discover"
)

// Each side spells what it holds in its own way: the format is told by what the other
// side has.
func TestSpellings(t *testing.T) {
	born := func(i int) time.Time {
		return time.Date(1950+i, time.Month(1+i%12), 1+(i*5+3)%12, 0, 0, 0, 0, time.UTC)
	}
	seen := func(i int) time.Time { return time.Date(2026, 3, 1+i%28, 8+i%12, i, 0, 0, time.UTC) }
	digits := func(i int) string { return strings.TrimPrefix(phone(i), "+39") }
	left := values{
		"id": func(i int) any { return fmt.Sprint("c_", i) }, "phone": text(phone), "name": func(i int) any { return given(i) + " " + family(i) },
		"geboren": func(i int) any { return born(i).Format(time.DateOnly) }, "same": func(i int) any { return fmt.Sprintf("%d-%02[2]d-%02[2]d", 1950+i, 1+i%12) }, "seen": func(i int) any { return seen(i).Format(time.RFC3339) },
	}
	usual := values{"telefono": text(phone)}
	for _, tt := range []struct {
		name  string
		right values
		want  string
	}{
		{"a number without its country", values{"telefono": text(digits)}, "known phone = phone / telefono as national"},
		{"a number without its +", values{"telefono": func(i int) any { return phone(i)[1:] }}, "known phone = phone / telefono as digits"},
		{"a number with 00", values{"telefono": func(i int) any { return "00" + phone(i)[1:] }}, "known phone = phone / telefono as 00"},
		{"a number with blanks", values{"telefono": func(i int) any { return "+39 055 " + phone(i)[6:] }}, "known phone = phone / telefono as international"},
		{"day before month, no day above 12", values{"telefono": usual["telefono"], "nato": func(i int) any { return born(i).Format("02/01/2006") }}, "known nato = geboren / nato as DD/MM/YYYY"},
		{"month before day, no day above 12", values{"telefono": usual["telefono"], "nato": func(i int) any { return born(i).Format("01/02/2006") }}, "known nato = geboren / nato as MM/DD/YYYY"},
		{"dots", values{"telefono": usual["telefono"], "nato": func(i int) any { return born(i).Format("02.01.2006") }}, "known nato = geboren / nato as DD.MM.YYYY"},
		{"seconds since 1970", values{"telefono": usual["telefono"], "visto": func(i int) any { return int(seen(i).Unix()) }}, "known visto = seen / visto as epoch"},
		{"milliseconds since 1970", values{"telefono": usual["telefono"], "visto": func(i int) any { return int(seen(i).UnixMilli()) }}, "known visto = seen / visto as epoch_ms"},
		{"the house's clock", values{"telefono": usual["telefono"], "visto": func(i int) any { return seen(i).In(rome(t)).Format(time.DateTime) }}, "known visto = seen / visto as local"},
		{"UTC without saying so", values{"telefono": usual["telefono"], "visto": func(i int) any { return seen(i).Format(time.DateTime) }}, "known visto = seen / visto as utc"},
		{"day and month that are always the same number", values{"telefono": usual["telefono"], "nato": func(i int) any {
			return fmt.Sprintf("%02[1]d/%02[1]d/%d", 1+i%12, 1950+i)
		}}, ""},
		{"a name in two", values{"telefono": usual["telefono"], "n1": text(given), "n2": text(family)}, "likely full_name = name / n1+n2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := propose(t, alone("crm", people("contacts", 30, left)), alone("pms", people("clienti", 30, tt.right)))
			got := told(p, "contact")
			if tt.want == "" {
				if len(got) != 1 {
					t.Errorf("proposed what can't be told: %q", got)
				}
				return
			}
			if !slices.Contains(got, tt.want) {
				t.Errorf("not proposed: %s; got %q\n%s", tt.want, got, p.YAML())
			}
		})
	}
}

// A day that may be read in two ways, and that nothing across tells, is left out.
func TestAmbiguousDaysAreLeftOut(t *testing.T) {
	days := func(i int) any { return fmt.Sprintf("%02d/%02d/1980", 1+i%12, 1+(i*5+3)%12) }
	p := propose(t, alone("crm", people("contacts", 9, values{"phone": text(phone), "birth_date": days})), alone("pms", discover.Sample{
		Kind: "clienti", Whole: true, Columns: cols("telefono", "data_nascita"),
	}))
	for _, l := range told(p, "contact") {
		if strings.Contains(l, "birth") {
			t.Errorf("proposed %s, though nothing tells the month from the day", l)
		}
	}
	if !unsaid(p, "birth_date", "day", "month") {
		t.Errorf("nothing says that month and day can't be told apart:\n%s", p.YAML())
	}
}

// Numbers without a country on both sides say of no country that they are its own.
func TestNoCountryIsGuessed(t *testing.T) {
	digits := func(i int) any { return strings.TrimPrefix(phone(i), "+39") }
	p := propose(t, alone("crm", people("contacts", 30, values{"phone": digits})), alone("pms", people("clienti", 30, values{"telefono": digits})))
	for _, j := range p.Jobs {
		if j.Confidence == discover.Known || len(j.Fields) > 0 && (j.Fields[0].Confidence == discover.Known || len(j.Fields[0].Region) > 0) {
			t.Errorf("a country was guessed:\n%s", p.YAML())
		}
	}
}

// Bookings by the hour, whose guests are ids on both sides.
func TestAppointmentsOfNumberedGuests(t *testing.T) {
	at := func(i int) time.Time { return time.Date(2026, 6, 1+i%27, 9+i%8, 30, 0, 0, rome(t)) }
	left := discover.System{Name: "crm", Kinds: []discover.Sample{
		people("contacts", 25, values{"phone": text(phone)}),
		people("appointments", 25, values{
			"customer_id": func(i int) any { return fmt.Sprint("contacts", i) }, "begin": func(i int) any { return at(i).Format(time.RFC3339) },
			"finish": func(i int) any { return at(i).Add(time.Hour).Format(time.RFC3339) },
		}),
	}}
	right := discover.System{Name: "pms", Kinds: []discover.Sample{
		people("clienti", 25, values{"telefono": text(phone)}),
		people("buchungen", 25, values{
			"kunde": func(i int) any { return fmt.Sprint("clienti", i) }, "von": func(i int) any { return at(i).Format(time.DateTime) },
			"bis": func(i int) any { return at(i).Add(time.Hour).Format(time.DateTime) },
		}),
	}}
	p := propose(t, left, right)
	want := []string{"known end = finish / bis as local", "known guest = customer_id / kunde", "known start = begin / von as local"}
	if diff := cmp.Diff(want, told(p, "appointment")); diff != "" {
		t.Errorf("appointments (-want +got):\n%s\n%s", diff, p.YAML())
	}
	if got := keys(p, "appointment"); got != "[[guest start end]]" {
		t.Errorf("match keys: got %s", got)
	}
}

// A number without its country is read by the country of its record, where there is one.
func TestRegionOfTheRecord(t *testing.T) {
	p := propose(t, alone("platform", people("contacts", 30, values{"phone": text(phone)})), alone("pms", people("clienti", 30, values{
		"telefono": func(i int) any { return strings.TrimPrefix(phone(i), "+39") }, "paese": always("IT"),
	})))
	if got := p.Jobs[0].Fields[0].Region; !slices.Equal(got, []string{"pms.paese", "IT"}) {
		t.Errorf("region: got %v\n%s", got, p.YAML())
	}
	usable(t, p)
}
