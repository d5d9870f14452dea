package discover_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"testing"
	"time"

	"nightporter/internal/discover"
	"nightporter/sync/record"
)

// rows makes records of texts: "id=1 phone=+39…"; a name without a value holds nothing.
type table struct {
	kind string
	cols []discover.Column
	rows []map[string]any
}

func (t *table) add(id string, fields map[string]any) {
	m := map[string]any{"": id}
	maps.Copy(m, fields)
	t.rows = append(t.rows, m)
}

func (t *table) sample() discover.Sample {
	s := discover.Sample{Kind: t.kind, Columns: t.cols, Whole: true}
	for _, m := range t.rows {
		f := record.Fields{}
		for k, v := range m {
			if k == "" {
				continue
			}
			if n, ok := v.(int); ok {
				v = json.Number(strconv.Itoa(n))
			}
			value, err := record.FromJSON(v)
			if err != nil {
				panic(err)
			}
			f[k] = value
		}
		s.Rows = append(s.Rows, discover.Row{ID: fmt.Sprint(m[""]), Fields: f})
	}
	return s
}

// names of guests that no dictionary has.
var givenNames = []string{"Anna", "Bea", "Carla", "Dora", "Elsa", "Franco", "Gino", "Hugo", "Ivo", "Lino", "Mara", "Nino", "Olga", "Pia", "Rita", "Sara", "Tino", "Ugo", "Vera", "Zita"}

var familyNames = []string{"Rossi", "Bianchi", "Verdi", "Neri", "Gallo", "Conti", "Costa", "Fontana", "Greco", "Lombardi", "Moretti", "Barbieri", "Mariani"}

func given(n int) string  { return givenNames[n%len(givenNames)] }
func family(n int) string { return familyNames[n%len(familyNames)] }
func phone(n int) string  { return fmt.Sprintf("+3905512%05d", 34007*(n+3)%100000) }
func mail(n int) string {
	return fmt.Sprintf("%s.%s%d@example.com", strings.ToLower(given(n)), strings.ToLower(family(n)), n)
}

func day(n int) string {
	return time.Date(2026, 5, 1+n, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
}

// house is a platform and a PMS with so many guests of whom both know most: of n guests
// the platform has the first nine tenths and the PMS the last.
func house(n int) (platform, pms discover.System) {
	contacts := &table{kind: "contacts"}
	reservations := &table{kind: "reservations"}
	clienti := &table{kind: "clienti", cols: cols("id", "cognome", "nome", "telefono", "email", "lingua", "agenzia_tel", "note")}
	prenotazioni := &table{kind: "prenotazioni", cols: append(cols("id", "arrivo", "partenza", "stato", "note", "camera"), discover.Column{Path: "cliente_id", Refers: "clienti"})}
	for i := range n {
		lang := []string{"it", "de", "en"}[i%3]
		status := []string{"CONFIRMED", "CANCELLED", "CONFIRMED", "PENDING", "COMPLETED"}[i%5]
		if i*10 < n*9 {
			contacts.add(fmt.Sprint("c", i), map[string]any{"first_name": given(i), "last_name": family(i), "phone_number": phone(i), "email": mail(i), "language": lang, "notes": fmt.Sprint("quiet room ", i)})
			reservations.add(fmt.Sprint("r", i), map[string]any{
				"client_full_name": given(i) + " " + family(i), "client_phone_number": phone(i), "client_email": mail(i),
				"starting_date": day(i), "ending_date": day(i + 2 + i%4), "status": status, "details": fmt.Sprint("late ", i),
			})
		}
		if i*10 >= n {
			clienti.add(fmt.Sprint(i), map[string]any{
				"id": i, "nome": given(i), "cognome": family(i), "telefono": strings.TrimPrefix(phone(i), "+39"), "email": mail(i), "lingua": lang,
				"agenzia_tel": phone(90000 + i%3), "note": "",
			})
			prenotazioni.add(fmt.Sprint(1000+i), map[string]any{
				"id": 1000 + i, "cliente_id": i, "arrivo": day(i), "partenza": day(i + 2 + i%4),
				"stato": map[string]string{"CONFIRMED": "confermata", "CANCELLED": "annullata", "PENDING": "opzione", "COMPLETED": "partito"}[status], "note": fmt.Sprint("late ", i), "camera": 100 + i%7,
			})
		}
	}
	return discover.System{Name: "platform", Kinds: []discover.Sample{contacts.sample(), reservations.sample()}},
		discover.System{Name: "pms", Kinds: []discover.Sample{clienti.sample(), prenotazioni.sample()}}
}

func cols(names ...string) []discover.Column {
	var out []discover.Column
	for _, n := range names {
		out = append(out, discover.Column{Path: n})
	}
	return out
}

func rome(t testing.TB) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation("Europe/Rome")
	if err != nil {
		t.Fatal(err)
	}
	return loc
}
