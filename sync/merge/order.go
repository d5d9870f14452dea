package merge

import "nightporter/sync/record"

// Order is the machine of an order's status. The side that is not the authority may take an order
// in, confirm, refuse and cancel it. Only the authority says what becomes of the goods.
func Order(authority record.Side) *Machine {
	m := &Machine{
		Edges: []Edge{
			{From: "draft", To: "confirmed"},
			{From: "draft", To: "refused"},
			{From: "draft", To: "cancelled"},
			{From: "confirmed", To: "in_preparation"},
			{From: "confirmed", To: "refused"},
			{From: "confirmed", To: "cancelled"},
			{From: "in_preparation", To: "ready"},
			{From: "in_preparation", To: "fulfilled"},
			{From: "in_preparation", To: "cancelled"},
			{From: "ready", To: "fulfilled"},
			{From: "ready", To: "cancelled"},
			{From: "confirmed", To: "draft", OnlyAuthority: true},
			{From: "in_preparation", To: "confirmed", OnlyAuthority: true},
			{From: "ready", To: "in_preparation", OnlyAuthority: true},
			{From: "fulfilled", To: "ready", OnlyAuthority: true},
			{From: "cancelled", To: "confirmed", OnlyAuthority: true},
			{From: "refused", To: "confirmed", OnlyAuthority: true},
		},
		Absorbing: []string{"fulfilled", "cancelled", "refused"},
		Authority: authority,
	}
	m.Allow(authority.Other(), []string{"draft", "confirmed", "refused", "cancelled"})
	return m
}

// Payment returns the machine of how far an order is paid. A payment that was not made may be tried again; one that was
// made only goes back as a refund. Nobody but the authority says that an order was paid.
func Payment(authority record.Side) *Machine {
	m := &Machine{
		Edges: []Edge{
			{From: "unpaid", To: "pending"},
			{From: "unpaid", To: "paid"},
			{From: "unpaid", To: "failed"},
			{From: "pending", To: "paid"},
			{From: "pending", To: "failed"},
			{From: "pending", To: "unpaid"},
			{From: "failed", To: "pending"},
			{From: "failed", To: "unpaid"},
			{From: "failed", To: "paid"},
			{From: "paid", To: "partially_refunded"},
			{From: "paid", To: "refunded"},
			{From: "partially_refunded", To: "refunded"},
		},
		Absorbing: []string{"refunded"},
		Authority: authority,
	}
	m.Allow(authority.Other(), []string{})
	return m
}

// Allow says which words a side may propose; nil is all.
func (m *Machine) Allow(s record.Side, words []string) {
	if s == record.Left {
		m.MayLeft = words
		return
	}
	m.MayRight = words
}
