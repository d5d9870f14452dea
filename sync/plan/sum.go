package plan

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// Sum says that an amount of money is the sum of the lines of a list. A line counts as the product of some of its
// entries. Amounts are decimals, so that 12.50 and 12.5 are one.
type Sum struct {
	Total, Lines string   // canonical fields
	Times        []string // entries of a line: a quantity and a price
	Plus, Minus  []string // canonical fields of the record that are added or taken off; a missing one is 0
	Hold         bool     // a write of a wrong sum waits for a person; otherwise it goes, with a warning
}

// fields is all the canonical fields that the sum is made of.
func (s Sum) fields() []string { return slices.Concat([]string{s.Total, s.Lines}, s.Plus, s.Minus) }

// Off reports whether a record shows a total and lines that don't add up. Where one of the
// two is missing there is nothing to compare.
func (s Sum) Off(f record.Fields) bool {
	total, ok := decimal(f[s.Total])
	if !ok || len(f[s.Lines].List()) == 0 {
		return false
	}
	cents := digitsOf(f[s.Total])
	sum, whole := new(big.Rat), new(big.Rat) // with each line rounded, as most systems do, and with only the sum rounded
	for _, line := range f[s.Lines].List() {
		product := big.NewRat(1, 1)
		for _, name := range s.Times {
			x, ok := decimal(line.Map()[name])
			if !ok {
				return false
			}
			product.Mul(product, x)
		}
		whole.Add(whole, product)
		sum.Add(sum, rounded(product, cents))
	}
	for _, extra := range []struct {
		names []string
		sign  int64
	}{{s.Plus, 1}, {s.Minus, -1}} {
		for _, name := range extra.names {
			if x, ok := decimal(f[name]); ok {
				x = new(big.Rat).Mul(x, big.NewRat(extra.sign, 1))
				sum.Add(sum, x)
				whole.Add(whole, x)
			}
		}
	}
	return sum.Cmp(total) != 0 && rounded(whole, cents).Cmp(total) != 0
}

// decimal returns an amount or a number exactly, false where there is none.
func decimal(v record.Value) (*big.Rat, bool) {
	if amount := v.Map()["amount"]; amount.Observed() {
		v = amount
	}
	if !v.Filled() {
		return nil, false
	}
	return new(big.Rat).SetString(v.Text())
}

// digitsOf is how many digits an amount has behind its point: those of its currency.
func digitsOf(v record.Value) int {
	_, frac, _ := strings.Cut(v.Map()["amount"].Text(), ".")
	return len(frac)
}

// rounded is a number with so many digits behind its point, half away from zero.
func rounded(x *big.Rat, digits int) *big.Rat {
	out, _ := new(big.Rat).SetString(x.FloatString(digits))
	return out
}

const sumIsOff = "its total is not the sum of its lines"

// sums holds writes after which side would have a total and lines that don't add up.
func (c *Case) sums(r Rules, ds []merge.Decision, side record.Side) {
	for _, s := range r.Sums {
		if !s.Hold || !s.Off(c.after(ds, side)) {
			continue
		}
		for i := range ds {
			if ds[i].Act.Writes(side) && slices.Contains(s.fields(), ds[i].Field) && !byPerson(ds[i]) {
				held(&ds[i], SumIsOff, fmt.Sprintf("%s of %s", s.Total, the(side.Other()))+" is not the sum of its "+s.Lines)
			}
		}
	}
}

// warning says that a change writes a part of a sum that is wrong, "" for any other change.
func warning(r Rules, now record.Fields, fields []record.FieldReason) string {
	is := maps.Clone(now)
	if is == nil {
		is = record.Fields{}
	}
	for _, f := range fields {
		is[f.Field] = f.After
	}
	for _, s := range r.Sums {
		writes := slices.ContainsFunc(fields, func(f record.FieldReason) bool { return slices.Contains(s.fields(), f.Field) })
		if writes && s.Off(is) {
			return sumIsOff
		}
	}
	return ""
}
