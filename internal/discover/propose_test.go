package discover_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nightporter/internal/discover"
)

func propose(t testing.TB, left, right discover.System) discover.Proposal {
	t.Helper()
	return discover.Propose(discover.Input{Systems: [2]discover.System{left, right}, Zone: rome(t)})
}

// told is the fields of a job, a line each: how sure it is, and what stands where.
func told(p discover.Proposal, kind string) []string {
	var out []string
	for _, j := range p.Jobs {
		for _, f := range j.Fields {
			if j.Kind == kind {
				out = append(out, fmt.Sprintf("%s %s = %s / %s", f.Confidence, f.Name, place(f.Sides[0]), place(f.Sides[1])))
			}
		}
	}
	slices.Sort(out)
	return out
}

func place(s discover.Side) string {
	var out []string
	if s.Path != "" {
		out = append(out, s.Path)
	}
	out = append(out, s.Paths...)
	for _, part := range slices.Sorted(maps.Keys(s.Parts)) {
		out = append(out, part+" "+s.Parts[part])
	}
	text := strings.Join(out, "+")
	if s.Format != "" {
		text += " as " + s.Format
	}
	return text
}

func keys(p discover.Proposal, kind string) string {
	for _, j := range p.Jobs {
		if j.Kind == kind {
			return fmt.Sprint(j.Match)
		}
	}
	return "no job"
}

// unsaid reports whether something is said not to be known with all of these words.
func unsaid(p discover.Proposal, words ...string) bool {
	all := slices.Clone(p.Unknown)
	for _, j := range p.Jobs {
		all = append(append(all, j.Unknown...), j.MatchWhy)
	}
	return slices.ContainsFunc(all, func(u string) bool {
		return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(u, w) })
	})
}

// A platform and a PMS with Italian names: everything that both have is found.
func TestHouse(t *testing.T) {
	p := propose(t, first(house(40)), second(house(40)))
	want := []string{
		"known email = email / email", "known family_name = last_name / cognome", "known given_name = first_name / nome",
		"known language = language / lingua", "known phone = phone_number / telefono as national",
	}
	if diff := cmp.Diff(want, told(p, "contact")); diff != "" {
		t.Errorf("contacts (-want +got):\n%s", diff)
	}
	want = []string{
		"known arrival = starting_date / arrivo", "known departure = ending_date / partenza",
		"known guest = email client_email+name client_full_name+phone client_phone_number / cliente_id",
		"known notes = details / note", "known status = status / stato",
	}
	if diff := cmp.Diff(want, told(p, "stay")); diff != "" {
		t.Errorf("stays (-want +got):\n%s", diff)
	}
	if got := keys(p, "contact") + keys(p, "stay"); got != "[[phone] [email]][[guest arrival departure]]" {
		t.Errorf("match keys: got %s", got)
	}
	var words []string
	for _, w := range p.Jobs[1].Words {
		words = append(words, fmt.Sprint(w.Word, w.Sides))
	}
	if diff := cmp.Diff([]string{
		"pending[[PENDING] [opzione]]", "confirmed[[CONFIRMED] [confermata]]", "cancelled[[CANCELLED] [annullata]]", "completed[[COMPLETED] [partito]]",
	}, words); diff != "" {
		t.Errorf("words (-want +got):\n%s", diff)
	}
	for _, f := range p.Jobs[0].Fields {
		if f.Name == "phone" && !slices.Equal(f.Region, []string{"IT"}) {
			t.Errorf("the phones' region is %v", f.Region)
		}
		if f.Conflict != "hold" {
			t.Errorf("%s: conflict %s, and nobody said who is right", f.Name, f.Conflict)
		}
	}
}

func first(a, _ discover.System) discover.System  { return a }
func second(_, b discover.System) discover.System { return b }

// No value of a record is shown.
func TestNothingOfAGuestIsShown(t *testing.T) {
	p := propose(t, first(house(40)), second(house(40)))
	text := p.YAML() + fmt.Sprint(p)
	for n := range 40 {
		for _, secret := range []string{given(n), family(n), phone(n), phone(n)[3:], mail(n), "late ", "quiet room", day(n)} {
			if len(secret) > 4 && strings.Contains(strings.ToLower(text), strings.ToLower(secret)) {
				t.Errorf("the proposal shows %q", secret)
			}
		}
	}
}

// people is a kind with these fields in n records; a value is made of the record's number.
func people(kind string, n int, fields map[string]func(int) any) discover.Sample {
	tb := &table{kind: kind}
	for i := range n {
		m := map[string]any{}
		for name, value := range fields {
			m[name] = value(i)
		}
		tb.add(fmt.Sprint(kind, i), m)
	}
	return tb.sample()
}

type values = map[string]func(int) any

func text(f func(int) string) func(int) any { return func(i int) any { return f(i) } }

func always(v any) func(int) any { return func(int) any { return v } }

func alone(name string, s discover.Sample) discover.System {
	return discover.System{Name: name, Kinds: []discover.Sample{s}}
}

// What looks like something and is something else, and what tells nothing.
func TestMisleading(t *testing.T) {
	town := func(i int) any { return []string{"Firenze", "Siena", "Pisa", "Lucca"}[i*7%4] }
	platform := alone("platform", people("contacts", 30, values{
		"first_name": text(given), "last_name": text(family), "phone_number": text(phone), "email": text(mail),
		"city": town, "newsletter": func(i int) any { return i%10 == 0 },
	}))
	usual := func() values {
		return values{"nome": text(given), "cognome": text(family), "telefono": text(phone), "email": text(mail)}
	}
	with := func(v values, change values) values {
		maps.Copy(v, change)
		for k, f := range change {
			if f == nil {
				delete(v, k)
			}
		}
		return v
	}
	for _, tt := range []struct {
		name  string
		right discover.Sample
		want  []string // of the fields of the contacts
		keys  string
		open  []string // words of what is not known
	}{
		{
			"an agency's phone beside the guest's", people("clienti", 30, with(usual(), values{"telefono": nil, "tel1": text(phone), "telefono_agenzia": func(i int) any { return phone(9000 + i%3) }})),
			[]string{"known phone = phone_number / tel1"},
			"[[phone] [email]]",
			[]string{"telefono_agenzia"},
		},
		{
			"an agency's phone called as the guest's would be", people("clienti", 30, with(usual(), values{"telefono": func(i int) any { return phone(9000 + i%3) }, "rec2": text(phone)})),
			[]string{"known phone = phone_number / rec2"},
			"[[phone] [email]]",
			[]string{"telefono of pms"},
		},
		{
			"a field called phone that holds addresses", people("clienti", 30, with(usual(), values{"telefono": text(mail), "email": text(phone)})),
			[]string{"known email = email / telefono", "known phone = phone_number / email"},
			"[[phone] [email]]", nil,
		},
		{
			"the same number in two fields", people("clienti", 30, with(usual(), values{"telefono": nil, "a1": text(phone), "b1": text(phone)})),
			[]string{"known email = email / email"},
			"[[email]]",
			[]string{"whether phone_number and", "are the same"},
		},
		{
			"an empty table", people("clienti", 0, nil), nil, "[]", nil,
		},
		{
			"one record", people("clienti", 1, usual()),
			[]string{"likely phone = phone_number / telefono", "likely email = email / email"},
			"[[phone] [email]]", nil,
		},
		{
			"all values equal", people("clienti", 30, values{"nome": always("Ospite"), "telefono": always(phone(1)), "email": always(mail(1))}),
			nil, "[]",
			[]string{"whether phone tells people apart"},
		},
		{
			"nobody in common", people("clienti", 30, values{
				"nome": text(given), "telefono": func(i int) any { return phone(500 + i) }, "email": func(i int) any { return mail(500 + i) },
			}),
			[]string{"likely phone = phone_number / telefono", "likely email = email / email"},
			"[[phone] [email]]", nil,
		},
		{
			"small numbers on both sides are no key", people("clienti", 30, with(usual(), values{"telefono": nil, "email": nil, "nummer": func(i int) any { return i }})),
			nil, "[]", nil,
		},
		{
			"nobody in common, and the house's own number with everybody", people("clienti", 30, values{
				"nome": text(given), "telefono": always(phone(777)), "email": func(i int) any { return mail(500 + i) },
			}),
			[]string{"likely phone = phone_number / telefono", "likely email = email / email"},
			"[[email]]",
			[]string{"whether phone tells people apart"},
		},
		{
			"two flags that are mostly no", people("clienti", 30, with(usual(), values{"vip": func(i int) any { return i%11 == 0 }})),
			[]string{"known phone = phone_number / telefono"},
			"[[phone] [email]]",
			[]string{"vip"},
		},
		{
			"the same town in two fields", people("clienti", 30, with(usual(), values{"a": town, "b": town})),
			[]string{"known phone = phone_number / telefono"},
			"[[phone] [email]]",
			[]string{"whether city and", "as often"},
		},
		{
			"another town in the only two records", people("clienti", 2, with(usual(), values{"citta": func(i int) any { return town(i + 1) }})),
			[]string{"likely phone = phone_number / telefono"},
			"[[phone] [email]]",
			[]string{"city", "called so"},
		},
		{
			"an agency's phone alone, with people told by their addresses", people("clienti", 30, with(usual(), values{"telefono": func(i int) any { return phone(9000 + i%3) }})),
			[]string{"known email = email / email"},
			"[[email]]",
			[]string{"phone_number and telefono", "in 0 of 30 records"},
		},
		{
			"a field called phone that holds days", people("clienti", 30, with(usual(), values{"telefono": func(i int) any { return day(i) }})),
			[]string{"known email = email / email"},
			"[[email]]",
			[]string{"telefono", "against its name"},
		},
		{
			"names in the wrong columns", people("clienti", 30, with(usual(), values{"nome": text(family), "cognome": text(given)})),
			[]string{"known family_name = last_name / nome", "known given_name = first_name / cognome"},
			"[[phone] [email]]", nil,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := propose(t, platform, alone("pms", tt.right))
			got := told(p, "contact")
			for _, w := range tt.want {
				if !slices.Contains(got, w) {
					t.Errorf("not proposed: %s; got %q", w, got)
				}
			}
			if tt.want == nil && len(got) > 0 && slices.ContainsFunc(got, func(l string) bool { return strings.HasPrefix(l, "known") }) && tt.keys == "[]" {
				t.Errorf("known where nothing tells: %q", got)
			}
			if k := keys(p, "contact"); k != tt.keys {
				t.Errorf("match keys: got %s, want %s\n%s", k, tt.keys, p.YAML())
			}
			for _, l := range got {
				if strings.Contains(l, "newsletter") || strings.Contains(l, "city") {
					t.Errorf("proposed what is not the same, or can't be told: %s", l)
				}
			}
			if len(tt.open) > 0 && !unsaid(p, tt.open...) {
				t.Errorf("nothing says that it is not known: %q\n%s", tt.open, p.YAML())
			}
		})
	}
}

// A small number is the id of somebody, always: only a name or the database says that it is
// meant as one.
func TestSmallNumbersAreNoGuests(t *testing.T) {
	number := func(i int) any { return (i*7 + 3) % 30 }
	tables := func(kind, who, tab, from, to string) discover.Sample {
		return people(kind, 30, values{
			who: text(phone), tab: number, from: text(day), to: func(i int) any { return day(i + 2) },
		})
	}
	clients := &table{kind: "clienti"}
	for i := range 30 {
		clients.add(fmt.Sprint(i), map[string]any{"telefono": phone(i)})
	}
	p := propose(t,
		discover.System{Name: "platform", Kinds: []discover.Sample{people("contacts", 30, values{"phone_number": text(phone)}), tables("reservations", "client_phone", "table_no", "start_date", "end_date")}},
		discover.System{Name: "pms", Kinds: []discover.Sample{clients.sample(), tables("prenotazioni", "telefono", "tavolo", "arrivo", "partenza")}})
	got := told(p, "stay")
	for _, want := range []string{"known guest_phone = client_phone / telefono", "known tavolo = table_no / tavolo"} {
		if !slices.Contains(got, want) {
			t.Errorf("not proposed: %s; got %q\n%s", want, got, p.YAML())
		}
	}
}
