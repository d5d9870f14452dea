package config

import (
	"errors"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Guards are the limits above which a person is asked. Each holds only what it counts,
// on one side: everything else goes on.
type Guards struct {
	Creates, Fills, Updates, Clears, Cancels, Deletes Limit

	// Changed is the part of all links, 0 to 1, of which one side may differ at once;
	// 0.5 if not given.
	Changed float64
	// Shrink is the part of all links, 0 to 1, that a list may lack at once; 0.1 if not
	// given.
	Shrink float64
	// Unshown is the part of a list's rows, 0 to 1, that may lose a mapped field at once;
	// 0.2 if not given.
	Unshown float64
}

// Limit is how much is let go without a person, in a run, in any 24 hours and in any
// seven days.
type Limit struct{ Run, Day, Week Amount }

// Amount is a number of records, a part of the linked ones (0 to 1), or whichever of
// both is more.
type Amount struct {
	Count int
	Share float64
}

// weekly is how many days' worth a week is where the file does not say.
const weekly = 3

// limited is the limit of which only what a run may do is said.
func limited(run Amount) Limit {
	return Limit{Run: run, Day: run, Week: Amount{Count: weekly * run.Count, Share: weekly * run.Share}}
}

func defaultGuards() Guards {
	return Guards{
		Creates: limited(Amount{Count: 300}), Fills: limited(Amount{Count: 300}), Updates: limited(Amount{Share: 0.3}), Clears: limited(Amount{Count: 20}),
		Cancels: limited(Amount{Count: 10}), Deletes: limited(Amount{Count: 5}), Changed: 0.5, Shrink: 0.1, Unshown: 0.2,
	}
}

// rawAmount is a number or a percentage.
type rawAmount struct {
	Count int
	Share float64
}

// rawLimit is a number, a percentage, or a block that says both, and the windows.
type rawLimit struct {
	Count *int       `koanf:"count"`
	Share *percent   `koanf:"share"`
	Day   *rawAmount `koanf:"day"`
	Week  *rawAmount `koanf:"week"`
}

var (
	typeAmount = reflect.TypeFor[rawAmount]()
	typeLimit  = reflect.TypeFor[rawLimit]()
)

var errAmount = errors.New("must be a number of records, such as 20, or a part of the linked ones, such as 30%")

var wholeNumber = regexp.MustCompile(`^[0-9]{1,9}$`)

// amountOf reads a number or a percentage.
func amountOf(text string) (rawAmount, error) {
	if strings.HasSuffix(text, "%") {
		var p percent
		err := p.UnmarshalText([]byte(text))
		return rawAmount{Share: float64(p)}, err
	}
	if !wholeNumber.MatchString(text) {
		return rawAmount{}, errAmount
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return rawAmount{}, errAmount
	}
	if n < 1 {
		return rawAmount{}, errors.New("must be 1 or more")
	}
	return rawAmount{Count: n}, nil
}

// amount checks a number or a percentage.
func (w *walker) amount(n *yaml.Node, tag string, path []string) bool {
	_, err := amountOf(n.Value)
	if tag != "!!str" && tag != "!!int" {
		err = errAmount
	}
	if err != nil {
		w.report(path, n.Line, "%s", err)
	}
	return err == nil
}

// amountFrom lets a number or a percentage stand for a limit that says no more.
func amountFrom(to reflect.Type, data any) (any, bool, error) {
	if to != typeAmount && to != typeLimit {
		return data, false, nil
	}
	text, ok := data.(string)
	if n, is := data.(int); is {
		text, ok = strconv.Itoa(n), true
	}
	if !ok {
		return data, false, nil
	}
	a, err := amountOf(text)
	if err != nil || to == typeAmount {
		return a, true, err
	}
	l := rawLimit{}
	if a.Count > 0 {
		l.Count = &a.Count
	} else {
		p := percent(a.Share)
		l.Share = &p
	}
	return l, true, nil
}

// guards lays what the file says over the defaults.
func (b *builder) guards(raw rawGuards) Guards {
	g := defaultGuards()
	for name, one := range map[string]struct {
		raw *rawLimit
		to  *Limit
	}{
		"creates": {raw.Creates, &g.Creates}, "fills": {raw.Fills, &g.Fills}, "updates": {raw.Updates, &g.Updates}, "clears": {raw.Clears, &g.Clears},
		"cancels": {raw.Cancels, &g.Cancels}, "deletes": {raw.Deletes, &g.Deletes},
	} {
		if one.raw != nil {
			*one.to = b.limit(*one.raw, *one.to, []string{"guards", name})
		}
	}
	if raw.Changed != nil {
		g.Changed = float64(*raw.Changed)
	}
	if raw.Shrink != nil {
		g.Shrink = float64(*raw.Shrink)
	}
	if raw.Unshown != nil {
		g.Unshown = float64(*raw.Unshown)
	}
	return g
}

// limit is what a block says of a limit. What a day may do is what a run may do, and a
// week three times that, unless it says so itself.
func (b *builder) limit(raw rawLimit, was Limit, path []string) Limit {
	run := was.Run
	if raw.Count != nil || raw.Share != nil {
		run = Amount{}
	}
	if raw.Count != nil {
		b.positive(*raw.Count, under(path, "count"))
		run.Count = *raw.Count
	}
	if raw.Share != nil {
		run.Share = float64(*raw.Share)
	}
	l := limited(run)
	if raw.Day != nil {
		l.Day = Amount(*raw.Day)
		l.Week = Amount{Count: weekly * l.Day.Count, Share: weekly * l.Day.Share}
	}
	if raw.Week != nil {
		l.Week = Amount(*raw.Week)
	}
	return l
}
