package mapping_test

import (
	"slices"
	"testing"
	"time"

	"nightporter/sync/mapping"
	"nightporter/sync/record"
)

// What two records show at one place, and at no other, is alike where their values are.
func TestAlike(t *testing.T) {
	house := "house"
	side := func(s mapping.SideSpec) [2]mapping.SideSpec { return [2]mapping.SideSpec{s, {Path: "there"}} }
	ref := func(parts map[string]string) [2]mapping.SideSpec {
		return [2]mapping.SideSpec{{Parts: parts}, {Parts: map[string]string{mapping.PartID: "there"}}}
	}
	for name, tt := range map[string]struct {
		field mapping.FieldSpec
		want  []string
		ok    bool
	}{
		"one place":              {mapping.FieldSpec{As: mapping.Email, Sides: side(mapping.SideSpec{Path: "mail"})}, []string{"mail"}, true},
		"a phone with a country": {mapping.FieldSpec{As: mapping.Phone, Region: []string{"platform.country"}, Sides: side(mapping.SideSpec{Path: "tel"})}, []string{"tel"}, true},
		"the same for all":       {mapping.FieldSpec{As: mapping.Text, Sides: side(mapping.SideSpec{Const: &house})}, nil, true},
		"joined of two":          {mapping.FieldSpec{As: mapping.Name, Sides: side(mapping.SideSpec{Paths: []string{"first", "last"}})}, nil, false},
		"one of two":             {mapping.FieldSpec{As: mapping.Phone, Sides: side(mapping.SideSpec{Path: "tel", Read: "value ?? record.mobile"})}, nil, false},
		"rewritten":              {mapping.FieldSpec{As: mapping.Text, Sides: side(mapping.SideSpec{Path: "code", Read: "upper(value)", Write: "lower(value)"})}, []string{"code"}, true},
		"a list":                 {mapping.FieldSpec{As: mapping.List, Of: mapping.Email, Sides: side(mapping.SideSpec{Path: "mails"})}, nil, false},
		"named by its id":        {mapping.FieldSpec{As: mapping.Reference, Refer: "guests", Sides: ref(map[string]string{mapping.PartID: "id", mapping.PartName: "name"})}, []string{"id"}, true},
		"named by its phone":     {mapping.FieldSpec{As: mapping.Reference, Refer: "guests", Sides: ref(map[string]string{mapping.PartPhone: "tel", mapping.PartName: "name"})}, []string{"tel"}, true},
		"named by either":        {mapping.FieldSpec{As: mapping.Reference, Refer: "guests", Sides: ref(map[string]string{mapping.PartID: "id", mapping.PartPhone: "tel"})}, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			tt.field.Name = "field"
			m, err := mapping.Compile(mapping.Spec{Systems: [2]string{"platform", "pms"}, Zone: time.UTC, Fields: []mapping.FieldSpec{tt.field}})
			if err != nil {
				t.Fatal(err)
			}
			got, ok := m.Alike(record.Left, "field")
			if !slices.Equal(got, tt.want) || ok != tt.ok {
				t.Errorf("got %v, %v, want %v, %v", got, ok, tt.want, tt.ok)
			}
		})
	}
	if _, ok := (&mapping.Mapping{}).Alike(record.Left, "nothing"); ok {
		t.Error("a field that there is not")
	}
}
