package mapping

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"nightporter/sync/record"
)

func TestSpecErrors(t *testing.T) {
	v := "v"
	plain := both("x")
	for name, tt := range map[string]struct {
		spec Spec
		want []string // substrings, one a mistake
	}{
		"type":     {Spec{Fields: []FieldSpec{{Name: "x", As: "phoen", Sides: plain}}}, []string{`unknown type "phoen"; did you mean "phone"?`}},
		"name":     {Spec{Fields: []FieldSpec{{Sides: plain}}}, []string{"needs a name"}},
		"twice":    {Spec{Fields: []FieldSpec{{Name: "x", Sides: plain}, {Name: "x", Sides: both("y")}}}, []string{"mapped twice; keep one"}},
		"path":     {Spec{Fields: []FieldSpec{{Name: "x", Sides: plain}, {Name: "y", Sides: plain}}}, []string{"field x, platform: x is mapped twice, as y too", "field x, pms: x is mapped twice"}},
		"no path":  {Spec{Fields: []FieldSpec{{Name: "x", Sides: sides(SideSpec{Path: "x"}, SideSpec{})}}}, []string{"field x, pms: no path"}},
		"two ways": {Spec{Fields: []FieldSpec{{Name: "x", Sides: sides(SideSpec{Path: "x", Const: &v}, SideSpec{Path: "x"})}}}, []string{"in several ways"}},
		"no side":  {Spec{Fields: []FieldSpec{{Name: "x", Sides: sides(SideSpec{None: true}, SideSpec{Const: &v})}}}, []string{"neither side keeps it"}},
		"systems":  {Spec{Systems: [2]string{"a", "a"}}, []string{"not the same"}},

		"enum without table": {Spec{Fields: []FieldSpec{{Name: "x", As: Enum, Sides: plain}}}, []string{"needs a table"}},
		"table of a text":    {Spec{Fields: []FieldSpec{{Name: "x", Table: []EnumRow{{Word: "a"}}, Sides: plain}}}, []string{"not for a text"}},
		"words": {Spec{Fields: []FieldSpec{{Name: "x", As: Enum, Sides: plain, Table: []EnumRow{
			{Word: "a", Sides: [2][]string{{"A"}, {" "}}}, {Word: "A", Sides: [2][]string{{"B"}, nil}}, {Word: "c"},
		}}}}, []string{"an empty word", "in another row", "no word on either side"}},
		"word of a bool": {Spec{Fields: []FieldSpec{{Name: "x", As: Bool, Sides: plain, Table: []EnumRow{{Word: "yes", Sides: [2][]string{{"y"}, {"y"}}}}}}}, []string{"write true or false"}},

		"format":         {Spec{Fields: []FieldSpec{{Name: "x", As: Phone, Sides: sides(SideSpec{Path: "x", Format: "nationl"}, SideSpec{Path: "x"})}}}, []string{`did you mean "national"?`}},
		"format of text": {Spec{Fields: []FieldSpec{{Name: "x", Sides: sides(SideSpec{Path: "x", Format: "upper"}, SideSpec{Path: "x"})}}}, []string{"a text has no formats"}},
		"date format":    {Spec{Fields: []FieldSpec{{Name: "x", As: Date, Sides: sides(SideSpec{Path: "x", Format: "dd/mm"}, SideSpec{Path: "x", Format: "YYYY-MM-DD HH:mm"})}}}, []string{"patterns such as", "a date has no hour"}},
		"zone":           {Spec{Fields: []FieldSpec{{Name: "x", As: Instant, Sides: sides(SideSpec{Path: "x", Format: FormatLocal}, SideSpec{Path: "x"})}}}, []string{"needs a time zone"}},

		"region":        {Spec{Fields: []FieldSpec{{Name: "x", As: Phone, Region: []string{"it", "psm.country", "pms."}, Sides: plain}}}, []string{`unknown region "it"`, `unknown system "psm"; did you mean "pms"?`, "no field after"}},
		"region, none":  {Spec{Fields: []FieldSpec{{Name: "x", As: Phone, Region: []string{"it"}, Sides: sides(SideSpec{None: true}, SideSpec{Path: "x"})}}}, []string{`unknown region "it"`}},
		"region, text":  {Spec{Fields: []FieldSpec{{Name: "x", Region: []string{"IT"}, Sides: plain}}}, []string{"only a phone"}},
		"money":         {Spec{Fields: []FieldSpec{{Name: "x", As: Money, Sides: sides(SideSpec{Path: "x"}, SideSpec{Path: "x", Currency: "EUR", Unit: "cents"})}}}, []string{"needs a currency", `unknown unit "cents"`}},
		"list":          {Spec{Fields: []FieldSpec{{Name: "x", As: List, Of: Money, Sides: plain}, {Name: "y", Of: Text, Sides: both("y")}}}, []string{"can't be of type", "only a list"}},
		"reference":     {Spec{Fields: []FieldSpec{{Name: "x", As: Reference, Sides: plain}}}, []string{"names the job", "platform: a reference names its parts", "pms: a reference names its parts"}},
		"lonely piece":  {Spec{Fields: []FieldSpec{{Name: "x", Sides: sides(SideSpec{Path: "x", Split: " "}, SideSpec{Path: "x"})}}}, []string{"split without another field"}},
		"paths of date": {Spec{Fields: []FieldSpec{{Name: "x", As: Date, Sides: sides(SideSpec{Paths: []string{"a", "b"}}, SideSpec{Path: "x"})}}}, []string{"several paths make a text"}},
		"default":       {Spec{Fields: []FieldSpec{{Name: "x", As: Date, Sides: sides(SideSpec{Path: "x", Default: &v}, SideSpec{Path: "x"})}}}, []string{`"v" can't be a constant or default of a date`}},
		"empty":         {Spec{Fields: []FieldSpec{{Name: "x", Sides: sides(SideSpec{Path: "x", Empty: "nil"}, SideSpec{Path: "x"})}}}, []string{"unknown way"}},

		"not a value": {Spec{NotAValue: map[string][]string{"fone": {"1"}, "x": {"*"}, "p": {"hello"}}, Fields: []FieldSpec{{Name: "x", Sides: plain}, {Name: "p", As: Phone, Sides: both("p")}}}, []string{`"fone" is neither`, "not a phone number", "fits everything"}},
		"match":       {Spec{Match: [][]string{{"y"}, {}, {"z"}}, Fields: []FieldSpec{{Name: "x", Sides: plain}, {Name: "z", Sides: sides(SideSpec{None: true}, SideSpec{Path: "z"})}}}, []string{`unknown field "y"; did you mean "x"?`, "has no field", "match, platform: z has no such field there"}},

		"expression": {Spec{Fields: []FieldSpec{{Name: "x", Sides: sides(SideSpec{Path: "x", Read: "lower(", Write: "valeu"}, SideSpec{Path: "x", Read: "now()"})}}}, []string{"read: it can't be read", "write: it can't be read: unknown name valeu", "read: it can't be read: unknown name now"}},
		"record":     {Spec{Fields: []FieldSpec{{Name: "x", Sides: sides(SideSpec{Path: "x", Read: "record[value]", Write: "len(record)"}, SideSpec{Path: "x", Read: `$env["record"]`})}}}, []string{"only read by name", "only read by name", "$env is not available"}},
		"no target":  {Spec{Fields: []FieldSpec{{Name: "x", Sides: sides(SideSpec{Read: `record["a"]`, Write: "value"}, SideSpec{Read: "1"})}}}, []string{"write needs the path", "read needs a path"}},
	} {
		if tt.spec.Systems == [2]string{} {
			tt.spec.Systems = [2]string{"platform", "pms"}
		}
		_, err := Compile(tt.spec)
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		lines := strings.Split(err.Error(), "\n")
		for _, want := range tt.want {
			if !slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, want) }) {
				t.Errorf("%s: no %q in\n%v", name, want, err)
			}
		}
		if len(lines) != len(tt.want) {
			t.Errorf("%s: %d mistakes named, want %d:\n%v", name, len(lines), len(tt.want), err)
		}
		if _, ok := errors.AsType[*SpecError](err); !ok {
			t.Errorf("%s: not a SpecError: %v", name, err)
		}
	}
}

// The fingerprint names the versions of the libraries that decide what a value is
// read as. They must be the ones that are linked.
func TestLibraryVersions(t *testing.T) {
	b, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []string{phoneVersion, textVersion, exprVersion} {
		if !strings.Contains(string(b), "\t"+v+"\n") {
			t.Errorf("go.mod does not require %s: update the constant in fingerprint.go", v)
		}
	}
}

func TestEnumRowOrder(t *testing.T) {
	m := compile(t, Spec{Fields: []FieldSpec{{Name: "x", As: Enum, Sides: both("x"), Table: []EnumRow{
		{Word: "b", Sides: [2][]string{{"one", "two"}, {"B"}}},
		{Word: "a", Sides: [2][]string{{"TWO", "three"}, {"A"}}},
	}}}})
	for in, want := range map[string]string{"One": "b", "two": "b", "Three": "a"} {
		if got, _ := m.Read(left, record.Fields{"x": text(in)}); got["x"].Text() != want {
			t.Errorf("%s: got %v, want %s", in, got["x"], want)
		}
	}
	if w, _ := m.Write(left, record.Fields{"x": text("a")}, nil); w["x"].Text() != "TWO" {
		t.Errorf("the first word is written: %v", w)
	}
}
