package plan

import (
	"reflect"
	"testing"
)

func TestByEveryRule(t *testing.T) {
	phone, mail := Rule{Name: "phone", Alike: []string{"tel"}}, Rule{Name: "mail", Alike: []string{"mail"}}
	stay := Rule{Name: "guest+arrival", Alike: []string{"tel", "from"}}
	for _, tt := range []struct {
		name  string
		rules []Rule
		sets  [][]string
		want  []Asking
	}{
		{"no rule knows it", nil, [][]string{{"tel"}}, nil},
		{"one rule", []Rule{phone}, [][]string{{"tel"}}, []Asking{{"phone", [][]string{{"tel"}}}}},
		{"one of two", []Rule{phone, mail}, [][]string{{"tel"}}, []Asking{{"phone", [][]string{{"tel"}}}, {"mail", nil}}},
		{"each of two", []Rule{phone, mail}, [][]string{{"mail"}, {"tel"}}, []Asking{{"phone", [][]string{{"tel"}}}, {"mail", [][]string{{"mail"}}}}},
		{"both at once find fewer", []Rule{phone, mail}, [][]string{{"mail", "tel"}}, []Asking{{"phone", nil}, {"mail", nil}}},
		{"by a part of a rule more are found", []Rule{stay}, [][]string{{"tel"}, {"from", "tel"}, {"from", "to"}}, []Asking{{"guest+arrival", [][]string{{"tel"}, {"from", "tel"}}}}},
		{"by something else", []Rule{phone}, [][]string{{"name"}, {}}, []Asking{{"phone", nil}}},
		{"nothing is alike for sure", []Rule{{Name: "name"}}, [][]string{{"name"}}, []Asking{{"name", nil}}},
		{"the side refuses it", []Rule{{Name: "phone", Tells: true}, mail}, [][]string{{"mail"}}, []Asking{{"mail", [][]string{{"mail"}}}}},
	} {
		if got := ByEveryRule(tt.rules, tt.sets); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}
