package simulator_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"nightporter/simulator"
)

func TestPages(t *testing.T) {
	s, ids := seeded(simulator.Options{}, 120)
	c := call(t, s)
	tests := []struct {
		query         string
		from, until   int
		limit, offset float64
		more          bool
	}{
		{"", 0, 10, 10, 0, true},
		{"?limit=50", 0, 50, 50, 0, true},
		{"?limit=50&offset=100", 100, 120, 50, 100, false},
		{"?limit=20&offset=100", 100, 120, 20, 100, false},
		{"?limit=20&offset=99", 99, 119, 20, 99, true},
		{"?limit=5000", 0, 100, 100, 0, true},
		{"?limit=10&offset=120", 120, 120, 10, 120, false},
		{"?limit=10&offset=9999", 120, 120, 10, 9999, false},
		{"?limit=10&made_up=1", 0, 10, 10, 0, true},
	}
	for _, tt := range tests {
		r := c.want(200, "GET", "/contacts"+tt.query, nil)
		same(t, "ids of "+tt.query, r.column("id"), append([]string{}, ids[tt.from:tt.until]...))
		same(t, "meta of "+tt.query, r.meta(), object{"total": 120.0, "limit": tt.limit, "offset": tt.offset, "has_next": tt.more})
	}
	for _, query := range []string{"?limit=0", "?limit=-1", "?limit=ten", "?offset=-1", "?offset=x"} {
		c.want(400, "GET", "/contacts"+query, nil)
	}
}

func TestFilters(t *testing.T) {
	s := simulator.New(simulator.Options{IDs: simulator.Sequential})
	for n := 1; n <= 30; n++ {
		g := guest(n)
		g["last_name"] = fmt.Sprintf("Family%d", n%3)
		s.Put("contacts", g)
		r := stay(n, fmt.Sprintf("2030-01-%02d", n), fmt.Sprintf("2030-01-%02d", n+1))
		if n%2 == 0 {
			r["status"] = "CANCELLED"
		}
		s.Put("reservations", r)
	}
	s.Put("contacts", object{"first_name": "Bare"})
	c := call(t, s)
	tests := []struct {
		path  string
		ids   []string
		total float64
	}{
		{"/contacts?phone_number=%2B99910000007", []string{"c000007"}, 1},
		{"/contacts?phone_number=%2B999-10000007&last_name=Family2", []string{}, 0},
		{"/contacts?email=GUEST8%40example.com", []string{"c000008"}, 1},
		{"/contacts?email=nobody%40example.com", []string{}, 0},
		{"/contacts?email=", []string{"c000031"}, 1},
		{"/contacts?first_name=Guest9", []string{"c000009"}, 1},
		{"/contacts?last_name=Family1&limit=2&offset=8", []string{"c000025", "c000028"}, 10},
		{"/contacts?language=en&limit=1", []string{"c000001"}, 31},
		{"/reservations?status=CANCELLED&limit=2&offset=13", []string{"r000028", "r000030"}, 15},
		{"/reservations?starting_date=2030-01-05", []string{"r000005"}, 1},
		{"/reservations?ending_date=2030-01-05", []string{"r000004"}, 1},
		{"/reservations?client_phone_number=%2B99910000003", []string{"r000003"}, 1},
		{"/reservations?start_date=2030-01-10&end_date=2030-01-11", []string{"r000009", "r000010", "r000011"}, 3},
		{"/reservations?start_date=2030-01-30", []string{"r000029", "r000030"}, 2},
		{"/reservations?end_date=2030-01-01", []string{"r000001"}, 1},
		{"/reservations?start_date=2030-01-10&end_date=2030-01-11&status=CONFIRMED", []string{"r000009", "r000011"}, 2},
	}
	for _, tt := range tests {
		r := c.want(200, "GET", tt.path, nil)
		same(t, tt.path, r.column("id"), tt.ids)
		same(t, tt.path+" total", r.meta()["total"], any(tt.total))
	}
	c.want(400, "GET", "/reservations?start_date=soon", nil)
	s.Edit("contacts", "c000007", object{"phone_number": "+999200"})
	same(t, "found by the old number", len(c.want(200, "GET", "/contacts?phone_number=%2B99910000007", nil).items()), 0)
	same(t, "found by the new one", c.want(200, "GET", "/contacts?phone_number=%2B999200", nil).column("id"), []string{"c000007"})
}

func TestShowTimes(t *testing.T) {
	s := simulator.New(simulator.Options{ShowTimes: true})
	now := time.Date(2030, 1, 2, 3, 4, 5, 678_900_000, time.UTC)
	s.SetNow(func() time.Time { return now })
	c := call(t, s)
	id := c.want(201, "POST", "/contacts", guest(1)).data()["id"].(string)
	now = now.Add(time.Hour)
	got := c.want(200, "PATCH", "/contacts/"+id, object{"notes": "x"}).data()
	same(t, "times", []any{got["created_at"], got["updated_at"]}, []any{"2030-01-02T03:04:05.678Z", "2030-01-02T04:04:05.678Z"})
}

// model is one record as the test follows it.
type model struct {
	id            string
	made, touched int
	name          string
}

var orders = map[simulator.Order]func(a, b model) int{
	simulator.IDAsc:       func(a, b model) int { return cmp.Compare(a.made, b.made) },
	simulator.IDDesc:      func(a, b model) int { return cmp.Compare(b.made, a.made) },
	simulator.CreatedDesc: func(a, b model) int { return cmp.Compare(b.made, a.made) },
	simulator.UpdatedAsc:  func(a, b model) int { return cmp.Compare(a.touched, b.touched) },
	simulator.UpdatedDesc: func(a, b model) int { return cmp.Compare(b.touched, a.touched) },
	simulator.ByName: func(a, b model) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.made, b.made))
	},
}

// Whatever was inserted, edited and removed between two reads, few or many, a list
// is in its order and holds exactly the records.
func TestOrderLaw(t *testing.T) {
	for order, compare := range orders {
		t.Run(string(order), func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				s := simulator.New(simulator.Options{Order: order})
				c := call(t, s)
				var live []model
				step := 0
				for range rapid.IntRange(1, 6).Draw(rt, "reads") {
					for range rapid.SampledFrom([]int{0, 1, 5, 90}).Draw(rt, "changes") {
						step++
						name := fmt.Sprintf("N%d", rapid.IntRange(0, 9).Draw(rt, "name"))
						op := rapid.IntRange(0, 3).Draw(rt, "op")
						if op < 2 || len(live) == 0 {
							id := s.Put("contacts", object{"last_name": name})
							live = append(live, model{id, step, step, name})
							continue
						}
						at := rapid.IntRange(0, len(live)-1).Draw(rt, "at")
						if op == 2 {
							s.Edit("contacts", live[at].id, object{"last_name": name})
							live[at].touched, live[at].name = step, name
							continue
						}
						s.Remove("contacts", live[at].id)
						live = slices.Delete(live, at, at+1)
					}
					want := []string{}
					for _, m := range slices.SortedFunc(slices.Values(live), compare) {
						want = append(want, m.id)
					}
					got := []string{}
					for offset := 0; offset < len(live); offset += 100 {
						got = append(got, c.want(200, "GET", fmt.Sprintf("/contacts?limit=100&offset=%d", offset), nil).column("id")...)
					}
					if !slices.Equal(got, want) {
						rt.Fatalf("got %v, want %v", got, want)
					}
				}
			})
		})
	}
}

func BenchmarkPages(b *testing.B) {
	s, _ := seeded(simulator.Options{}, 100_000)
	c := call(b, s)
	for n := 0; b.Loop(); n++ {
		c.want(200, "GET", fmt.Sprintf("/contacts?limit=100&offset=%d", n*100%100_000), nil)
	}
}
