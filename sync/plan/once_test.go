package plan_test

import (
	"testing"

	"pgregory.net/rapid"

	"nightporter/sync/plan"
)

func TestOnce(t *testing.T) {
	settled := plan.Once{Listed: true, Later: true}
	with := func(change func(*plan.Once)) plan.Once {
		o := settled
		change(&o)
		return o
	}
	for name, c := range map[string]struct {
		facts plan.Once
		want  plan.OnceVerdict
	}{
		"nothing is there, and what came later is":   {settled, plan.OnceNever},
		"nothing is there, and nothing later either": {with(func(o *plan.Once) { o.Later = false }), plan.OnceWait},
		"no list was whole":                          {with(func(o *plan.Once) { o.Listed = false }), plan.OnceWait},
		"it may be on its way":                       {with(func(o *plan.Once) { o.Young = true }), plan.OnceWait},
		"it bears our mark":                          {plan.Once{Marked: 1, Young: true}, plan.OnceAdopt},
		"two bear it":                                {with(func(o *plan.Once) { o.Marked = 2 }), plan.OnceAsk},
		"one without a mark, of that time":           {with(func(o *plan.Once) { o.Unmarked, o.Near = 1, true }), plan.OnceAdopt},
		"the same, and another may yet come":         {with(func(o *plan.Once) { o.Unmarked, o.Near, o.Young = 1, true, true }), plan.OnceWait},
		"of another time":                            {with(func(o *plan.Once) { o.Unmarked = 1 }), plan.OnceAsk},
		"of that time, where ours would bear a mark": {with(func(o *plan.Once) { o.Unmarked, o.Near, o.Echoes = 1, true, true }), plan.OnceAsk},
		"of that time, and of another request":       {with(func(o *plan.Once) { o.Unmarked, o.Near, o.Rivals = 1, true, 1 }), plan.OnceAsk},
		"two without a mark":                         {with(func(o *plan.Once) { o.Unmarked, o.Near = 2, true }), plan.OnceAsk},
		"marked, beside one that is not":             {with(func(o *plan.Once) { o.Marked, o.Unmarked = 1, 1 }), plan.OnceAdopt},
	} {
		if got, why := c.facts.Decide(); got != c.want || (why == "") != (got == plan.OnceAdopt || got == plan.OnceNever) {
			t.Errorf("%s: got %d (%s), want %d", name, got, why, c.want)
		}
	}
}

// Whatever is known, it is sent again only on a whole proof, and what is there is never
// passed over.
func TestOnceLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		flag := func(name string) bool { return rapid.Bool().Draw(t, name) }
		few := rapid.IntRange(0, 3)
		o := plan.Once{
			Young: flag("young"), Marked: few.Draw(t, "marked"), Unmarked: few.Draw(t, "unmarked"), Echoes: flag("echoes"),
			Near: flag("near"), Rivals: few.Draw(t, "rivals"), Listed: flag("listed"), Later: flag("later"),
		}
		verdict, _ := o.Decide()
		if verdict == plan.OnceNever && (o.Young || o.Marked+o.Unmarked > 0 || !o.Listed || !o.Later) {
			t.Fatalf("%+v is sent again", o)
		}
		if verdict == plan.OnceAdopt && o.Marked != 1 && (o.Unmarked != 1 || o.Echoes || !o.Near || o.Rivals > 0 || o.Young) {
			t.Fatalf("%+v is taken for it", o)
		}
	})
}
