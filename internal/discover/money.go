package discover

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/currency"

	"nightporter/sync/mapping"
	"nightporter/sync/record"
)

// usualCode is the currency in which amounts are compared where nobody says theirs: most have
// two digits behind the point, too.
const usualCode = "EUR"

// minorWords are parts of a name that say that an amount is in cents.
var minorWords = []string{"cents", "centesimi", "centimes", "centimos", "minor", "minorunits"}

// codeWords are parts of a name that say of which currency an amount is. Codes that are words
// as well, such as all and try, are not among them.
func codeWords() map[string]string {
	return map[string]string{
		"eur": "EUR", "euro": "EUR", "euros": "EUR", "usd": "USD", "gbp": "GBP", "chf": "CHF", "sek": "SEK", "nok": "NOK", "dkk": "DKK",
		"czk": "CZK", "huf": "HUF", "pln": "PLN", "jpy": "JPY",
	}
}

// currencyWords are what a field is called that holds a currency.
var currencyWords = []string{"currency", "currencies", "ccy", "valuta", "divisa", "wahrung", "waehrung", "devise", "moneda"}

// amount is what a name says of an amount of money: its unit and its currency, "" where it
// says nothing; rest is what else it says.
func amount(path string) (unit, code string, rest []string) {
	for _, t := range tokens(path) {
		switch {
		case slices.Contains(minorWords, t):
			unit = mapping.UnitMinor
		case codeWords()[t] != "" && code == "":
			code = codeWords()[t]
		default:
			rest = append(rest, t)
		}
	}
	return unit, code, rest
}

// priced is what the name of a field says of it as an amount.
func (c *column) priced(d *dictionary) {
	unit, code, rest := amount(c.Path)
	if unit == "" && code == "" {
		c.money = usual(c.concept) == mapping.Money
		return
	}
	if named := d.concept(strings.Join(rest, "_"), c.kind.Kind); c.concept == "" && usual(named) == mapping.Money {
		c.concept = named
	}
	c.money = unit != "" || usual(c.concept) == mapping.Money
	c.unit, c.code = unit, code
}

// amounts is the ways to read numbers as amounts of money: cents where the name says so.
func (c *column) amounts(rs *readers) []reading {
	if !c.numeric() {
		return nil
	}
	code := usualCode
	if c.code != "" {
		code = c.code
	} else if of := c.currency(); of != nil && of.various == 1 {
		code = of.codes()[0]
	}
	r := reading{as: mapping.Money, unit: c.unit, currency: code}
	if share(different(c.values), func(v record.Value) bool { _, ok := rs.read(r, v); return ok }) < 1 {
		return nil
	}
	return []reading{r}
}

// codes is the currencies that stand in a field, nil where it holds something else.
func (c *column) codes() []string {
	var out []string
	for _, v := range different(c.values) {
		code := strings.ToUpper(strings.TrimSpace(v.Text()))
		if _, err := currency.ParseISO(code); err != nil {
			return nil
		}
		if !slices.Contains(out, code) {
			out = append(out, code)
		}
	}
	return out
}

// currency is the field that holds the currency of an amount: the one that stands beside it,
// or is called after it, else the only one of the record. It stands wherever the amount does.
func (c *column) currency() *column {
	unknown := func(o *column) bool { return len(o.codes()) == 0 || !o.wherever(c) }
	beside, only := c.tenders()
	beside, only = slices.DeleteFunc(beside, unknown), slices.DeleteFunc(only, unknown)
	switch {
	case len(beside) == 1:
		return beside[0]
	case len(beside) == 0 && len(only) == 1:
		return only[0]
	}
	return nil
}

// tenders is the fields that are called as if they held the currency of an amount: those
// beside it or called after it, and those of the whole record.
func (c *column) tenders() (beside, only []*column) {
	_, _, name := amount(c.Path)
	for _, o := range c.kind.columns {
		of, said := o.currencyOf()
		switch {
		case !said || o == c || o.filled == 0:
		case slices.Equal(of, name), parent(o.Path) != "" && parent(o.Path) == parent(c.Path):
			beside = append(beside, o)
		case len(of) == 0:
			only = append(only, o)
		}
	}
	return beside, only
}

// against reports whether a field of the record may say another currency of an amount than
// this one.
func (c *column) against(code string) bool {
	beside, only := c.tenders()
	return slices.ContainsFunc(slices.Concat(beside, only), func(o *column) bool { return !slices.Equal(o.codes(), []string{code}) })
}

// currencyOf is of what a field holds the currency as its name has it, nothing where it is the
// record's; ok is false where it is not called a currency.
func (c *column) currencyOf() (of []string, ok bool) {
	for _, t := range tokens(c.Path) {
		switch {
		case t == "code" || t == "iso": // of a country, too
		case slices.Contains(currencyWords, t):
			ok = true
		case !slices.Contains(ofWhom, t):
			of = append(of, t)
		}
	}
	return of, ok
}

// wherever reports whether a field holds something in all records in which another does.
func (c *column) wherever(o *column) bool {
	for i, v := range o.values {
		if holds(v) && !holds(c.values[i]) {
			return false
		}
	}
	return true
}

func parent(path string) string {
	return path[:max(0, strings.LastIndexByte(path, '.'))]
}

// money proposes a field of amounts, with the currency that each side names, or that the
// other one does of the same amounts. Where nobody does it is left to the user.
func (p *proposer) money(j *Job, a agreement, sure Confidence, why string, used map[*column]bool) {
	sides, whose, unsaid := p.currencies(j, a)
	if unsaid != "" {
		j.Unknown = append(j.Unknown, fmt.Sprintf("%s of %s and %s, which go together (%s); as: money takes it", unsaid, p.spoken(0, a.l), p.spoken(1, a.r), why))
		return
	}
	f := p.field(j, "", a, sure, why+whose)
	for i, c := range []*column{a.l, a.r} {
		used[c] = true
		f.Sides[i].Unit, f.Sides[i].Currency, f.Sides[i].Format = c.unit, sides[i].text(), c.digits()
		if sides[i].from != nil {
			used[sides[i].from] = true
		}
	}
	j.Fields = append(j.Fields, f)
}

// hundredfold says where amounts are the same if one side's are in cents, which its name does
// not say.
func (p *proposer) hundredfold(links []link, a agreement) string {
	if !a.l.money && !a.r.money || a.l.unit != "" || a.r.unit != "" || !a.l.numeric() || !a.r.numeric() {
		return ""
	}
	plain, cents := reading{as: mapping.Money, currency: usualCode}, reading{as: mapping.Money, unit: mapping.UnitMinor, currency: usualCode}
	for i, ways := range [][2]reading{{cents, plain}, {plain, cents}} {
		m := measure(links, a.l.texts(p.rs, ways[0]), a.r.texts(p.rs, ways[1]))
		if m.tells() && m.beyond >= 0.7 {
			return fmt.Sprintf("; in %d of %d it is, if %s is in cents (unit: minor)", m.same, m.both, p.spoken(i, []*column{a.l, a.r}[i]))
		}
	}
	return ""
}

// spoken is a field as it is spoken of, with what its name says of its unit.
func (p *proposer) spoken(side int, c *column) string {
	if c.unit == mapping.UnitMinor {
		return fmt.Sprintf("%s of %s (unit: minor)", c.Path, p.sides[side].name)
	}
	return fmt.Sprintf("%s of %s", c.Path, p.sides[side].name)
}

// digits is the format in which amounts are written where it is not the usual one.
func (c *column) digits() string {
	switch {
	case c.unit == "" && c.written(record.Number):
		return mapping.FormatNumber
	case c.unit != "" && c.written(record.Text):
		return mapping.FormatText
	}
	return ""
}

// tender is what says the currency of a side's amounts: a field, or a code.
type tender struct {
	from *column
	code string
}

func (t tender) text() string {
	if t.from != nil {
		return t.from.Path
	}
	return t.code
}

func (t tender) said() bool { return t.from != nil || t.code != "" }

// at is the currency of one record.
func (t tender) at(row int) string {
	if t.from != nil {
		return strings.ToUpper(strings.TrimSpace(t.from.values[row].Text()))
	}
	return t.code
}

// one is the currency of all records, "" where there are several.
func (t tender) one() string {
	if t.from == nil {
		return t.code
	}
	if codes := t.from.codes(); len(codes) == 1 {
		return codes[0]
	}
	return ""
}

// currencies is what says the currencies of two fields of amounts, and of whom one is taken
// over; unsaid is what is not known instead.
func (p *proposer) currencies(j *Job, a agreement) (sides [2]tender, whose, unsaid string) {
	for i, c := range []*column{a.l, a.r} {
		if sides[i].code = c.code; c.code == "" {
			sides[i].from = c.currency()
		}
		if of := sides[i].from; of != nil && of.ReadOnly && !c.ReadOnly { // it is not written beside
			sides[i] = tender{code: sides[i].one()}
		}
	}
	l, r := sides[0], sides[1]
	for i, c := range []*column{a.l, a.r} {
		code := cmp.Or(sides[i].code, sides[1-i].one())
		if sides[i].from == nil && code != "" && c.against(code) {
			return sides, "", "the currency, for another field of " + p.sides[i].name + " may say another one,"
		}
	}
	switch {
	case !l.said() && !r.said():
		return sides, "", "the currency"
	case l.said() && r.said():
		if n, both := a.differ(j.links, l, r); n > 0 {
			return sides, "", fmt.Sprintf("why the currency is another one in %d of %d records that are the same", n, both)
		}
		return sides, "", ""
	}
	i := sign(l.said()) // the side that does not say it
	code := sides[1-i].one()
	if code == "" || !a.tells() {
		return sides, "", "on which side nobody says the currency, " + p.sides[i].name + ","
	}
	sides[i] = tender{code: code}
	return sides, fmt.Sprintf("; %s names no currency, and that of the same amounts across is always %s", p.sides[i].name, code), ""
}

// differ counts the linked records in which two amounts stand, and those of them in which
// they are of different currencies.
func (a agreement) differ(links []link, l, r tender) (n, both int) {
	for _, k := range links {
		if holds(a.l.values[k.l]) && holds(a.r.values[k.r]) {
			both++
			n += sign(l.at(k.l) != r.at(k.r))
		}
	}
	return n, both
}
