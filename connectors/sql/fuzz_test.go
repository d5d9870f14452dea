package sql

import (
	"fmt"
	"slices"
	"testing"

	"nightporter/connectors"
	"nightporter/connectors/internal/dbkit"
	"nightporter/sync/record"
)

// A cursor is text that was kept for long and may be anybody's: whatever it is, the
// list is refused, or it is read to its end, in no more pages than the table has rows,
// and no row that has a key comes twice.
func FuzzCursor(f *testing.F) {
	const rows = 12
	h := newHouse(f, "sqlite", `create table guests (house text, nr integer, name text, updated_at {ts}, primary key (house, nr));
		create table notes (id {id}, text text)`)
	for i := range rows - 2 {
		h.exec("insert into guests values (?, ?, ?, ?)", string(rune('a'+i%3)), i, "n", fmt.Sprintf("2026-11-%02d 12:00:00", i+1))
		h.exec("insert into notes (text) values ('x')")
	}
	h.exec("insert into guests values (null, null, 'keyless', null), ('z', 99, 'timeless', null)")
	h.cfg.PageSize = 3
	c := h.open(map[record.Kind]Table{
		"guests": {Table: "guests", Key: []string{"house", "nr"}, Changed: "updated_at"}, "notes": {Table: "notes", Key: []string{"id"}},
	})
	for _, s := range []string{
		"", "{}", `{"phase":2,"key":["ta","i3"],"clock":"2026-11-21 12:00:00"}`, `{"since":true,"phase":2,"key":["ta","i3"],"last":"t2026-11-04 12:00:00","clock":"x"}`,
		`{"since":true,"mark":"t2026-11-04 12:00:00"}`, `{"since":true,"mark":"i999999999999"}`, `{"phase":3}`, `{"phase":-1}`, `{"key":["ta"]}`, `{"key":["n","n"],"phase":2}`,
		`{"key":["Tff","b\u0000"],"phase":2,"clock":"c"}`, `{"key":["i'; drop table guests; --","i1"],"phase":2,"clock":"c"}`, `{"key":["","i1"]}`, `{"since":true,"from":"q"}`,
		`{"phase":1,"since":true,"clock":"c"}`, `null`, `[]`, "\xff", `{"phase":2,"key":["i5"],"clock":"c"}`,
	} {
		f.Add(s, false, true)
		f.Add(s, true, true)
		f.Add(s, false, false)
	}
	f.Fuzz(func(t *testing.T, text string, since, guests bool) {
		q := connectors.Query{Kind: "notes", Fields: []string{"text"}}
		if guests {
			q = connectors.Query{Kind: "guests", Fields: []string{"name"}}
		}
		if since {
			q.Mode = connectors.Since
		}
		var ids []string
		after := record.Cursor(text)
		for page := 0; ; page++ {
			p, err := c.Fetch(t.Context(), q, after)
			if err != nil {
				if page > 0 || !slices.Contains([]connectors.ErrorClass{connectors.Malformed, connectors.Unsupported}, connectors.ClassOf(err)) {
					t.Fatalf("page %d: %v", page, err)
				}
				break
			}
			for _, item := range p.Items {
				if _, err := p.Read(item); err != nil {
					t.Fatalf("%s can't be read: %v", item.ID, err)
				}
				if item.ID != "" {
					ids = append(ids, item.ID)
				}
			}
			if p.End {
				break
			}
			if page > rows || p.Next == after || p.Next == "" {
				t.Fatalf("page %d goes on at %q", page, p.Next)
			}
			after = p.Next
		}
		slices.Sort(ids)
		if n := len(slices.Compact(slices.Clone(ids))); n != len(ids) {
			t.Fatalf("%d of %d rows came twice: %q", len(ids)-n, len(ids), ids)
		}
		desk := house{t: t, desk: h.desk}
		if got := desk.one("select count(*) from guests"); got != fmt.Sprint(rows) {
			t.Fatalf("%s guests are left of %d", got, rows)
		}
	})
}

// The cells of a row and of a cursor come back as they were, and ids are those of
// their keys alone.
func FuzzCells(f *testing.F) {
	f.Add("a,b%", "\xff", byte(0), byte(1))
	f.Add("", "", byte(2), byte(3))
	f.Add("%2C", "x'00'", byte(4), byte(1))
	f.Fuzz(func(t *testing.T, a, b string, tagA, tagB byte) {
		tags := []byte{dbkit.Null, dbkit.Text, dbkit.Int, dbkit.Real, dbkit.Blob}
		cells := []dbkit.Cell{{Tag: tags[int(tagA)%len(tags)], Text: a}, {Tag: tags[int(tagB)%len(tags)], Text: b}}
		for i := range cells {
			if cells[i].Tag == dbkit.Null {
				cells[i].Text = ""
			}
		}
		raw := cells[1].Append(cells[0].Append(nil))
		if got, err := dbkit.Cells(raw, 2); err != nil || !slices.Equal(got, cells) {
			t.Fatalf("%q is read back as %q (%v)", cells, got, err)
		}
		for cut := range raw {
			if got, err := dbkit.Cells(raw[:cut], 2); err == nil {
				t.Fatalf("%d of %d bytes are read as %q", cut, len(raw), got)
			}
		}
		c := cursor{Phase: sorted, Key: cells}
		text, err := c.encode()
		if err != nil {
			t.Fatal(err)
		}
		back, err := readCursor("fetch", &table{Table: Table{Key: []string{"a", "b"}}}, connectors.Query{}, text)
		if err != nil || !slices.Equal(back.Key, cells) {
			t.Fatalf("%q is kept as %s and read back as %q (%v)", cells, text, back.Key, err)
		}
		id := dbkit.JoinKey(cells)
		if id == "" {
			return
		}
		values, ok := dbkit.SplitKey(id, 2)
		if !ok || dbkit.JoinKey([]dbkit.Cell{{Tag: dbkit.Text, Text: values[0]}, {Tag: dbkit.Text, Text: values[1]}}) != id {
			t.Fatalf("the key %q is the id %q and that the key %q", cells, id, values)
		}
		if cells[0].Tag != dbkit.Blob && cells[1].Tag != dbkit.Blob && (values[0] != a || values[1] != b) {
			t.Fatalf("the key %q is the id %q and that the key %q", cells, id, values)
		}
	})
}
