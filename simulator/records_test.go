package simulator_test

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"nightporter/simulator"
)

func TestRecords(t *testing.T) {
	s := simulator.New(simulator.Options{IDs: simulator.Sequential})
	own := object{"id": "c000002", "first_name": "", "phone_number": "not a phone", "extra": 7, "custom_fields": map[string]string{"a": "b"}}
	same(t, "own id", s.Put("contacts", own), "c000002")
	same(t, "new ids", []string{s.Put("contacts", guest(1)), s.Put("contacts", guest(1))}, []string{"c000003", "c000004"})
	got, ok := s.Get("contacts", "c000002")
	want := object{"id": "c000002", "first_name": "", "phone_number": "not a phone", "extra": json.Number("7"), "custom_fields": object{"a": "b"}}
	same(t, "as it was put", []any{got, ok}, []any{want, true})
	got["custom_fields"].(object)["a"] = "mine"
	again, _ := s.Get("contacts", "c000002")
	same(t, "not shared with the caller", again, want)
	same(t, "unknown field shown", call(t, s).want(200, "GET", "/contacts/c000002", nil).data()["extra"], any(7.0))

	same(t, "edited", s.Edit("contacts", "c000002", object{"first_name": "Ada", "extra": nil}), true)
	same(t, "order of creation", []any{s.All("contacts")[0]["first_name"], s.Len("contacts")}, []any{"Ada", 3})
	s.Put("contacts", object{"id": "c000002", "first_name": "Replaced"})
	same(t, "replaced in its place", s.All("contacts")[0], object{"id": "c000002", "first_name": "Replaced"})
	same(t, "removed", []bool{s.Remove("contacts", "c000002"), s.Remove("contacts", "c000002")}, []bool{true, false})
	same(t, "edit of none", s.Edit("contacts", "c000002", object{"notes": "x"}), false)

	_, ok = s.Get("people", "c000003")
	same(t, "unknown resource", []any{ok, s.Put("people", guest(1)), s.Edit("people", "x", nil), s.Remove("people", "x"), s.All("people") == nil, s.Len("people")},
		[]any{false, "", false, false, true, 0})
	same(t, "no JSON form", s.Put("contacts", object{"first_name": make(chan int)}), "")
}

func TestSeededIDs(t *testing.T) {
	_, one := seeded(simulator.Options{Seed: 1}, 5)
	_, again := seeded(simulator.Options{Seed: 1}, 5)
	_, two := seeded(simulator.Options{Seed: 2}, 5)
	same(t, "the same seed", again, one)
	if one[0] == two[0] || one[0] == one[1] {
		t.Errorf("got ids %v and %v, want all different", one, two)
	}
}

func TestSnapshotAndRestore(t *testing.T) {
	s, ids := seeded(simulator.Options{IDs: simulator.Sequential}, 3)
	c := call(t, s)
	same(t, "restore without a backup", s.Restore(), false)
	before := s.Export()
	s.Snapshot()
	for range 2 {
		c.want(200, "PATCH", "/contacts/"+ids[0], object{"phone_number": "+999555"})
		s.Remove("contacts", ids[1])
		same(t, "new id", c.want(201, "POST", "/contacts", guest(9)).data()["id"], any("c000004"))
		same(t, "restored", s.Restore(), true)
		same(t, "records", s.Export(), before)
		same(t, "listed", c.want(200, "GET", "/contacts", nil).column("id"), ids)
		same(t, "found by the old number", len(c.want(200, "GET", "/contacts?phone_number=%2B99910000001", nil).items()), 1)
		same(t, "found by the new one", len(c.want(200, "GET", "/contacts?phone_number=%2B999555", nil).items()), 0)
	}
}

func TestSwapAccount(t *testing.T) {
	s, ids := seeded(simulator.Options{}, 3)
	c := call(t, s)
	s.SwapAccount("other")
	c.want(404, "GET", "/contacts/"+ids[0], nil)
	c.want(201, "POST", "/contacts", guest(1))
	same(t, "records of the other", []int{s.Len("contacts"), len(c.want(200, "GET", "/contacts", nil).items())}, []int{1, 1})
	s.SwapAccount("")
	same(t, "records of the first", c.want(200, "GET", "/contacts", nil).column("id"), ids)
	same(t, "export", []int{len(s.Export()["main"]["contacts"]), len(s.Export()["other"]["contacts"])}, []int{3, 1})
}

func TestExportAndImport(t *testing.T) {
	s, _ := seeded(simulator.Options{}, 3)
	s.Put("reservations", stay(1, "2030-01-01", "2030-01-02"))
	s.SwapAccount("other")
	s.Put("contacts", guest(7))
	state := s.Export()
	copied := simulator.New(simulator.Options{})
	copied.Put("contacts", guest(8))
	if err := copied.Import(state); err != nil {
		t.Fatal(err)
	}
	same(t, "state", copied.Export(), state)
	if err := copied.Import(simulator.State{"main": {"people": {}}}); err == nil {
		t.Error("got no error for an unknown resource")
	}
	if err := copied.Import(simulator.State{"main": {"contacts": {{"first_name": make(chan int)}}}}); err == nil {
		t.Error("got no error for a record without a JSON form")
	}
	same(t, "state after errors", copied.Export(), state)
}

// All methods and requests side by side: nothing for the race detector, and no id twice.
func TestConcurrentUse(t *testing.T) {
	s := simulator.New(simulator.Options{IDs: simulator.Sequential})
	s.SetWriter(&simulator.Writer{Resource: "contacts", Rate: 0.2, MoveNames: true})
	s.OnList(func(int) { s.Len("contacts") })
	var wg sync.WaitGroup
	for worker := range 4 {
		c := call(t, s)
		wg.Go(func() {
			for n := range 40 {
				id := c.do("POST", "/contacts", guest(worker*1000+n)).data()["id"]
				c.do("GET", "/contacts?limit=20", nil)
				c.do("PATCH", fmt.Sprint("/contacts/", id), object{"notes": "x"})
				s.Edit("contacts", fmt.Sprint(id), object{"notes": "y"})
				f := s.AddFault(simulator.Fault{Kind: simulator.FaultListLag, Times: 2})
				s.Snapshot()
				s.Counts()
				s.Requests()
				s.RemoveFault(f)
			}
		})
	}
	wg.Wait()
	same(t, "requests", s.Counts().Total, 4*40*3)
	seen := map[any]bool{}
	for _, r := range s.All("contacts") {
		if seen[r["id"]] {
			t.Errorf("id %v was given twice", r["id"])
		}
		seen[r["id"]] = true
	}
}
