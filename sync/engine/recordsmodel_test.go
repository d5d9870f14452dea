package engine_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// recordsModel is one record, entered on the left, and a right side whose list is
// some cycles late. It shows what acting on an absence costs: the designs there
// delete what they do not see.
type recordsModel struct {
	lag                     int
	tombstone, young, askBy bool // remembers what died; leaves young links alone; asks by id first

	t, made, lastWrite int
	left, right        string // ids, "" for none
	truth              []seenAt
	linked             bool
	lid, rid           string
	deadL, deadR       string
	deadAt             int
	events             int
}

type seenAt struct {
	t  int
	id string
}

func (m *recordsModel) setRight(id string) {
	m.right = id
	m.truth = append(m.truth, seenAt{m.t, id})
}

func (m *recordsModel) listed() string {
	id := ""
	for _, s := range m.truth {
		if s.t <= m.t-m.lag {
			id = s.id
		}
	}
	return id
}

const recordsSettle = 6

func (m *recordsModel) run() {
	m.t++
	listed := m.listed()
	if !m.linked {
		m.pair(listed)
		return
	}
	there := listed == m.rid
	if !there {
		switch {
		case m.young && m.t-m.lastWrite < recordsSettle:
			there = true // too young to judge
		case m.askBy:
			there = m.right == m.rid
		}
	}
	switch {
	case m.left != "" && there:
		return
	case m.left != "":
		m.left = ""
		m.events++
	case there:
		m.setRight("")
		m.lastWrite = m.t
		m.events++
	}
	m.deadL, m.deadR, m.deadAt, m.linked = m.lid, m.rid, m.t, false
}

func (m *recordsModel) pair(listed string) {
	switch {
	case m.left != "" && listed == "":
		if m.tombstone && m.deadL == m.left && m.t-m.deadAt < recordsSettle {
			return
		}
		m.made++
		m.setRight(fmt.Sprint("r", m.made))
		m.lid, m.rid, m.linked, m.lastWrite = m.left, m.right, true, m.t
		m.events++
	case listed != "" && m.left == "":
		if m.tombstone && m.deadR == listed {
			return // the list still shows what we saw die
		}
		m.left = "l" + listed
		m.lid, m.rid, m.linked, m.lastWrite = m.left, listed, true, m.t
		m.events++
	case listed != "":
		m.lid, m.rid, m.linked = m.left, listed, true
	}
}

// play gives what a history came to.
func (m recordsModel) play(history []string) (destroyed, resurrected, storm bool) {
	m.lastWrite, m.truth = -99, []seenAt{{0, ""}}
	adds, kills, users := 0, 0, 0
	for _, e := range history {
		switch e {
		case "run":
			m.run()
		case "+L":
			adds++
			if m.left == "" {
				users++
				m.left = fmt.Sprint("u", users)
			}
		case "-L":
			kills++
			m.left = ""
		case "-R":
			kills++
			if m.right != "" {
				m.setRight("")
			}
		}
	}
	for range 16 {
		m.run()
	}
	destroyed = adds > 0 && kills == 0 && (m.left == "" || m.right == "")
	resurrected = adds > 0 && history[len(history)-1] == "-L" && (m.left != "" || m.right != "")
	return destroyed, resurrected, m.events > 6
}

func TestRecordsModel(t *testing.T) {
	for _, tt := range []struct {
		recordsModel
		destroyed, resurrected, storms int
	}{
		{recordsModel{}, 0, 0, 0},
		{recordsModel{lag: 1}, 0, 0, 0},
		{recordsModel{lag: 3}, 0, 53, 10},
		{recordsModel{lag: 3, tombstone: true}, 50, 53, 10},
		{recordsModel{lag: 3, tombstone: true, young: true}, 0, 0, 0},
		{recordsModel{lag: 3, tombstone: true, askBy: true}, 0, 0, 0},
		{recordsModel{lag: 3, tombstone: true, young: true, askBy: true}, 0, 0, 0},
	} {
		n, destroyed, resurrected, storms := 0, 0, 0, 0
		histories([]string{"+L", "-L", "-R", "run"}, 5, func(h []string) {
			n++
			d, r, s := tt.play(h)
			for count, yes := range map[*int]bool{&destroyed: d, &resurrected: r, &storms: s} {
				if yes {
					*count++
				}
			}
		})
		if n != 1364 || destroyed != tt.destroyed || resurrected != tt.resurrected || storms != tt.storms {
			t.Errorf("%+v: got %d destroyed, %d resurrected, %d storms of %d, want %d, %d, %d of 1364",
				tt.recordsModel, destroyed, resurrected, storms, n, tt.destroyed, tt.resurrected, tt.storms)
		}
	}
}

// Our engine, which records an absence and never acts on one: nothing that a user
// left is destroyed, nothing comes back that a user deleted, and what we made and
// don't see yet is not made again.
func TestRecordsModelOurs(t *testing.T) {
	for _, lag := range []time.Duration{0, 6 * time.Second} {
		t.Run(lag.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				histories([]string{"+L", "-L", "-R", "run"}, 4, func(h []string) {
					if h[0] != "+L" || h[len(h)-1] == "+L" && len(h) > 1 { // others say no more
						return
					}
					w := newWorld(t, setting{settle: 8 * time.Second, kinds: [2]memory.Kind{{}, {ListLag: lag}}})
					defer w.close()
					users, removed := 0, map[int]bool{}
					alive := -1
					for _, e := range h {
						switch e {
						case "run":
							w.run(engine.Options{Yes: true})
						case "+L":
							if alive < 0 {
								alive = users
								users++
								w.put(record.Left, alive, map[string]string{"name": "x"})
							}
						case "-L":
							if alive >= 0 {
								w.remove(record.Left, alive)
								alive = -1
							}
						case "-R":
							for n := range users {
								if _, ok := w.find(record.Right, n); ok {
									w.remove(record.Right, n)
									removed[n] = true
								}
							}
						}
					}
					w.rest()
					w.rest()
					for n := range users {
						_, l := w.find(record.Left, n)
						_, r := w.find(record.Right, n)
						if l != (n == alive) {
							t.Errorf("%v: on the left %s is there: %v, want %v", h, phoneOf(n), l, n == alive)
						}
						if r && removed[n] {
							t.Errorf("%v: %s came back on the right", h, phoneOf(n))
						}
						if !r && l && !removed[n] {
							t.Errorf("%v: %s was never made on the right", h, phoneOf(n))
						}
					}
					if made := w.sys[record.Right].Counts().Applied; made > users {
						t.Errorf("%v: %d records were made for %d", h, made, users)
					}
					if n := w.sys[record.Left].Counts().Applied; n > 0 {
						t.Errorf("%v: %d changes on the left, where the users were", h, n)
					}
				})
			})
		})
	}
}
