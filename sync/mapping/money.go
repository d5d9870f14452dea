package mapping

import (
	"slices"
	"strings"

	"golang.org/x/text/currency"

	"nightporter/sync/record"
)

// The entries of a canonical amount of money.
const (
	amountKey   = "amount"
	currencyKey = "currency"
)

// minorDigits returns how many decimal digits the amounts of a currency have by ISO 4217; ok is false
// for an unknown currency. The tables of package currency follow customary usage instead, which drops
// cents that invoices have.
func minorDigits(code string) (digits int, ok bool) {
	lists := []struct {
		digits int
		codes  string
	}{
		{0, "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"},
		{3, "BHD IQD JOD KWD LYD OMR TND"},
		{4, "CLF UYW"},
		{2, "SLE VED XCG ZWG"}, // newer than the tables
	}
	for _, l := range lists {
		if slices.Contains(strings.Fields(l.codes), code) {
			return l.digits, true
		}
	}
	if len(code) != 3 || strings.ToUpper(code) != code {
		return 0, false
	}
	_, err := currency.ParseISO(code)
	return 2, err == nil
}

// readMoney reads an amount and its currency. An amount without a known currency can't be read.
func readMoney(at spot) (record.Value, note) {
	raw := at.native[at.s.Path]
	if !raw.Observed() {
		return record.Value{}, note{}
	}
	if blank(raw) {
		return record.Nothing(), note{}
	}
	code := at.s.currency
	if code == "" {
		v := at.native[at.s.Currency]
		if !v.Observed() {
			return record.Value{}, note{}
		}
		code = strings.ToUpper(strings.TrimSpace(v.Text()))
	}
	digits, ok := minorDigits(code)
	if !ok {
		return record.Value{}, note{code: BadMoney, text: "an amount without a known currency"}
	}
	s, n := scalar(raw)
	if n.bad() {
		return record.Value{}, n
	}
	v, err := record.OfNumber(strings.TrimSpace(s))
	if err != nil || raw.Type() == record.Bool {
		return record.Value{}, note{code: BadMoney, text: "not an amount as a decimal number"}
	}
	amount, ok := canonicalAmount(v.Text(), digits, at.s.Unit == UnitMinor)
	if !ok {
		return record.Value{}, note{code: BadMoney, text: "an amount with more digits than its currency has"}
	}
	return moneyOf(amount, code), note{}
}

func moneyOf(amount, code string) record.Value {
	return record.OfMap(map[string]record.Value{
		amountKey: record.OfText(amount), currencyKey: record.OfText(code),
	})
}

// canonicalAmount returns a plain decimal number with exactly as many decimal digits as its currency has.
// If minor is true, s counts cents. ok is false if s has more decimal digits than that.
func canonicalAmount(s string, digits int, minor bool) (string, bool) {
	sign := ""
	if t, cut := strings.CutPrefix(s, "-"); cut {
		sign, s = "-", t
	}
	whole, frac, _ := strings.Cut(s, ".")
	if minor {
		if frac != "" {
			return "", false
		}
		whole = strings.Repeat("0", max(0, digits+1-len(whole))) + whole
		whole, frac = whole[:len(whole)-digits], whole[len(whole)-digits:]
	}
	if len(frac) > digits {
		return "", false
	}
	frac += strings.Repeat("0", digits-len(frac))
	if frac != "" {
		frac = "." + frac
	}
	return sign + whole + frac, true
}

// writeMoney writes an amount, and its currency if the side has a path for it.
func writeMoney(at spot, v record.Value) (record.Fields, note) {
	amount, code := v.Map()[amountKey].Text(), v.Map()[currencyKey].Text()
	digits, ok := minorDigits(code)
	n, err := record.OfNumber(amount)
	if !ok || err != nil {
		return nil, note{code: BadMoney, text: "not an amount with a currency"}
	}
	if amount, ok = canonicalAmount(n.Text(), digits, false); !ok {
		return nil, note{code: BadMoney, text: "an amount with more digits than its currency has"}
	}
	if at.s.currency != "" && at.s.currency != code {
		return nil, note{code: BadMoney, text: "another currency than this side's"}
	}
	usual := record.Text
	if at.s.Unit == UnitMinor {
		usual = record.Number
		minor, _ := record.OfNumber(strings.Replace(amount, ".", "", 1))
		amount = minor.Text()
	}
	out := record.Fields{at.s.Path: spell(at, amount, usual)}
	if at.s.currency == "" {
		out[at.s.Currency] = record.OfText(code)
	}
	return out, note{}
}
