package discover_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"nightporter/internal/discover"
)

func number(text string) any { return json.Number(text) }

// worth is the amount of a record in cents.
func worth(i int) int { return 8050 + i*1733%9000*10 }

func decimal(i int) string { return fmt.Sprintf("%d.%02d", worth(i)/100, worth(i)%100) }

func plain(i int) any { return number(strings.TrimSuffix(strings.TrimRight(decimal(i), "0"), ".")) }

func beside(v, more values) values {
	out := maps.Clone(v)
	maps.Copy(out, more)
	return out
}

// lines is the fields of the job as they are written down.
func lines(p discover.Proposal) []string {
	var out []string
	for l := range strings.Lines(p.YAML()) {
		out = append(out, strings.TrimSpace(l))
	}
	return out
}

// Amounts are money where a name says so: whatever spells them, in the currency that a field,
// a name or the other side's same amounts say. Where nobody says it they are left to the user.
func TestWeakDiscoverMoney(t *testing.T) {
	cents := func(i int) any { return worth(i) }
	eur := values{"currency": always("EUR")}
	for _, tt := range []struct {
		name        string
		left, right values
		want        string   // how the line of the field begins, "" for none
		open        []string // words of what is not known
	}{
		{
			"a text and a number, each with its currency",
			values{"price": text(decimal), "currency": always("EUR")},
			values{"importo": plain, "valuta": always("EUR")},
			"price: { crm: { path: price, currency: currency }, pms: { path: importo, currency: valuta, format: number }, as: money,", nil,
		},
		{
			"cents that their name says",
			values{"price": text(decimal), "currency": always("EUR")},
			values{"amount_cents": cents, "divisa": always("EUR")},
			"price: { crm: { path: price, currency: currency }, pms: { path: amount_cents, unit: minor, currency: divisa }, as: money,", nil,
		},
		{
			"cents of which the other side alone says the currency",
			values{"total": plain, "currency": always("EUR")},
			values{"totalCents": func(i int) any { return fmt.Sprint(worth(i)) }},
			"price: { crm: { path: total, currency: currency, format: number }, pms: { path: totalCents, unit: minor, currency: EUR, format: text }, as: money,", nil,
		},
		{
			"the currency in the name",
			values{"total_eur": plain},
			values{"prezzo": text(decimal)},
			"price: { crm: { path: total_eur, currency: EUR, format: number }, pms: { path: prezzo, currency: EUR }, as: money,", nil,
		},
		{
			"a block of both, and a name that tells nothing across",
			values{"price.amount": text(decimal), "price.currency": always("CHF")},
			values{"x1": plain},
			"price: { crm: { path: price.amount, currency: price.currency }, pms: { path: x1, currency: CHF, format: number }, as: money,", nil,
		},
		{
			"yen, which have no cents",
			values{"price": text(func(i int) string { return fmt.Sprint(worth(i)) }), "currency": always("JPY")},
			values{"prezzo": cents, "valuta": always("JPY")},
			"price: { crm: { path: price, currency: currency }, pms: { path: prezzo, currency: valuta, format: number }, as: money,", nil,
		},
		{
			"several currencies on both sides",
			values{"price": plain, "currency": func(i int) any { return []string{"EUR", "CHF"}[i%2] }},
			values{"prezzo": plain, "valuta": func(i int) any { return []string{"EUR", "CHF"}[i%2] }},
			"price: { crm: { path: price, currency: currency, format: number }, pms: { path: prezzo, currency: valuta, format: number }, as: money,", nil,
		},
		{
			"several currencies on one side alone",
			values{"price": plain, "currency": func(i int) any { return []string{"EUR", "CHF"}[i%2] }},
			values{"prezzo": plain},
			"",
			[]string{"nobody says the currency, pms", "price of crm and prezzo of pms", "as: money"},
		},
		{"no currency at all", values{"price": plain}, values{"prezzo": text(decimal)}, "", []string{"the currency of price of crm and prezzo of pms", "as: money"}},
		{"no currency, and cents", values{"price": plain}, values{"prezzo_cents": cents}, "", []string{"the currency of", "prezzo_cents of pms (unit: minor)"}},
		{"other currencies", beside(eur, values{"price": plain}), values{"prezzo": plain, "valuta": always("USD")}, "", []string{"why the currency is another one in 30 of 30"}},
		{"a currency that is missing here and there", values{"price": plain, "currency": func(i int) any { return some(i%4 > 0, "EUR") }}, values{"prezzo": plain}, "", []string{"the currency of"}},
		{
			"two currencies that may be it",
			values{"price": plain, "currency": always("EUR"), "valuta": always("EUR")},
			values{"prezzo": plain},
			"",
			[]string{"the currency of"},
		},
		{
			"a currency of something else",
			values{"price": plain, "deposit_currency": always("EUR")},
			values{"prezzo": plain},
			"",
			[]string{"the currency of"},
		},
		{
			"a currency that is missing here and there, and one across",
			values{"price": plain, "currency": func(i int) any { return some(i%4 > 0, "CHF") }},
			values{"prezzo": plain, "valuta": always("EUR")},
			"",
			[]string{"the currency, for another field of crm may say another one"},
		},
		{
			"a name that says another currency than a field",
			values{"total_eur": plain, "currency": always("CHF")},
			values{"prezzo": plain},
			"",
			[]string{"the currency, for another field of crm may say another one"},
		},
		{"cents that no name says", beside(eur, values{"price": plain}), values{"prezzo": cents}, "", []string{"price and prezzo are called the same", "in 30 of 30", "prezzo of pms is in cents"}},
		{"amounts with a comma", beside(eur, values{"price": plain}), values{"prezzo": func(i int) any { return strings.Replace(decimal(i), ".", ",", 1) }}, "", []string{"what prezzo of pms"}},
		{"what no name calls an amount", beside(eur, values{"x1": plain}), values{"x2": plain}, "x2: { crm: x1, pms: x2, as: number,", nil},
		{"a code that is no currency", values{"price": plain, "currency": always("EURO")}, values{"prezzo": plain}, "", []string{"the currency of"}},
		{"other amounts", beside(eur, values{"price": plain}), values{"prezzo": func(i int) any { return plain(i*7 + 3) }}, "", []string{"price and prezzo"}},
	} {
		for _, turned := range []bool{false, true} {
			if turned && tt.want != "" {
				continue // the name of a field is the right side's
			}
			t.Run(fmt.Sprint(tt.name, " ", turned), func(t *testing.T) {
				left, right := people("contacts", 30, beside(tt.left, values{"phone": text(phone)})), people("clienti", 30, beside(tt.right, values{"telefono": text(phone)}))
				l, r := alone("crm", left), alone("pms", right)
				if turned {
					l, r = r, l
				}
				p := propose(t, l, r)
				got := lines(p)
				if tt.want != "" && !slices.ContainsFunc(got, func(l string) bool { return strings.HasPrefix(l, tt.want) && strings.Contains(l, "# known") }) {
					t.Errorf("not proposed: %s\n%s", tt.want, p.YAML())
				}
				if tt.want == "" && slices.ContainsFunc(got, func(l string) bool {
					return strings.Contains(l, "as: money, conflict") || strings.Contains(l, "as: number, conflict")
				}) {
					t.Errorf("proposed what nobody says:\n%s", p.YAML())
				}
				if !turned && tt.open != nil && !unsaid(p, tt.open...) {
					t.Errorf("nothing says that it is not known: %q\n%s", tt.open, p.YAML())
				}
				if !turned {
					usableAs(t, p)
				}
			})
		}
	}
}

// A field that is the currency of an amount is none of its own; one of no amount is.
func TestWeakDiscoverTheCurrencyGoesWithItsAmounts(t *testing.T) {
	code := func(i int) any { return []string{"EUR", "CHF", "USD"}[i*7%3] }
	both := func(more values) values { return beside(values{"phone": text(phone), "currency": code}, more) }
	p := propose(t, alone("crm", people("contacts", 30, both(values{"price": plain, "deposit": func(i int) any { return plain(i + 50) }}))),
		alone("pms", people("clienti", 30, both(values{"prezzo": plain, "caparra": func(i int) any { return plain(i + 50) }}))))
	for _, want := range []string{"price: {", "deposit: {"} {
		if !slices.ContainsFunc(lines(p), func(l string) bool { return strings.HasPrefix(l, want) && strings.Contains(l, "as: money") }) {
			t.Errorf("no %q:\n%s", want, p.YAML())
		}
	}
	if slices.ContainsFunc(lines(p), func(l string) bool { return strings.HasPrefix(l, "currency:") }) || unsaid(p, "what currency of") {
		t.Errorf("the currency stands alone:\n%s", p.YAML())
	}
	usableAs(t, p)
	p = propose(t, alone("crm", people("contacts", 30, both(nil))), alone("pms", people("clienti", 30, both(nil))))
	if !slices.ContainsFunc(lines(p), func(l string) bool { return strings.HasPrefix(l, "currency:") }) {
		t.Errorf("a currency of no amount is not proposed:\n%s", p.YAML())
	}
}

// Lists of texts are sets where their order is of no account, else lists; on one side they may
// stand in one text.
func TestWeakDiscoverLists(t *testing.T) {
	all := []string{"vip", "dog", "crib", "quiet", "vegan"}
	pick := func(i int) []any {
		var out []any
		for n, tag := range all {
			if (i*5+n*3+i/7)%4 < 2 {
				out = append(out, tag)
			}
		}
		return out
	}
	list := func(i int) any { return pick(i) }
	back := func(i int) any { out := pick(i); slices.Reverse(out); return out }
	joined := func(by string) func(int) any {
		return func(i int) any {
			var out []string
			for _, e := range pick(i) {
				out = append(out, e.(string))
			}
			return strings.Join(out, by)
		}
	}
	twice := func(i int) any { return append(pick(i), "dog") }
	for _, tt := range []struct {
		name        string
		left, right values
		want        string
		open        []string
	}{
		{"in another order", values{"tags": list}, values{"x": back}, "tags: { crm: tags, pms: x, as: set,", nil},
		{"in the same order", values{"wishes": list}, values{"wuensche": list}, "wuensche: { crm: wishes, pms: wuensche, as: list,", nil},
		{"a text with commas", values{"tags": list}, values{"etichette": joined(",")}, `tags: { crm: tags, pms: { path: etichette, split: "," }, as: set,`, nil},
		{"a text with commas and blanks", values{"tags": back}, values{"merkmale": joined(", ")}, `tags: { crm: tags, pms: { path: merkmale, split: ", " }, as: set,`, nil},
		{"a text with semicolons", values{"tags": back}, values{"x": joined(";")}, `tags: { crm: tags, pms: { path: x, split: ; }, as: set,`, nil},
		{"some stand twice, in another order", values{"tags": twice}, values{"x": func(i int) any { return append([]any{"dog"}, pick(i)...) }}, "", []string{"whether the order of tags and x counts", "twice"}},
		{"one element each", values{"wishes": func(i int) any { return []any{all[i*3%5]} }}, values{"x": func(i int) any { return []any{all[i*3%5]} }}, "", []string{"whether the order of wishes and x counts"}},
		{"one tag each", values{"tags": func(i int) any { return []any{all[i*3%5]} }}, values{"x": func(i int) any { return []any{all[i*3%5]} }}, "tags: { crm: tags, pms: x, as: set,", nil},
		{"other tags", values{"tags": list}, values{"tags": func(i int) any { return pick(i*3 + 1) }}, "", []string{"tags"}},
		{"always the same", values{"tags": always([]any{"a", "b"})}, values{"x": always([]any{"a", "b"})}, "", []string{"what x of pms is on the other side (lists of texts"}},
		{"blocks", values{"tags": func(i int) any { return []any{map[string]any{"name": all[i%5]}} }}, values{"tags": list}, "", []string{"what tags of pms"}},
		{"a text alone, and lists, called alike", values{"address": list}, values{"indirizzo": text(given)}, "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := propose(t, alone("crm", people("contacts", 30, beside(tt.left, values{"phone": text(phone)}))),
				alone("pms", people("clienti", 30, beside(tt.right, values{"telefono": text(phone)}))))
			got := lines(p)
			if tt.want != "" && !slices.ContainsFunc(got, func(l string) bool { return strings.HasPrefix(l, tt.want) }) {
				t.Errorf("not proposed: %s\n%s", tt.want, p.YAML())
			}
			if tt.want == "" && len(told(p, "contact")) != 1 {
				t.Errorf("proposed what can't be told: %q\n%s", told(p, "contact"), p.YAML())
			}
			if tt.open != nil && !unsaid(p, tt.open...) {
				t.Errorf("nothing says that it is not known: %q\n%s", tt.open, p.YAML())
			}
			usableAs(t, p)
		})
	}
}

// usableAs checks that the contacts of a crm and a PMS are a configuration.
func usableAs(t *testing.T, p discover.Proposal) {
	t.Helper()
	p.Systems[0] = "platform"
	usable(t, p)
}
