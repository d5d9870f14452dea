// Package merge decides what becomes of one link: two records that stand for the
// same person or stay, each as it is seen now and as it was when it was last
// settled. From these values it computes one decision for each field. It is pure:
// it uses no clock, no disk and no network, and knows no system, only left, right
// and values.
//
// Each side has a base of its own, taken from what that side showed and never from
// what was sent to it. So a side that stores another spelling than it was given
// (lower case, cut short, a reformatted phone) does not look edited. After a write
// the two bases may differ for good.
//
// A settled field, one with a base on both sides, is decided by this table. "≈" is
// Rule.Same: one value could be what its side makes of the other value.
//
//	left \ right   not shown   unchanged     cleared       changed to w
//	not shown      keep        keep          pending       pending
//	unchanged      keep        keep          clear left    write w left
//	cleared        pending     clear right   adopt         write w left
//	changed to v   pending     write v right write v right v ≈ w: adopt, else policy
//
// If only one side was edited, the other side follows it. If both are unchanged,
// nothing is written, even if the two differ. A value that was set beats one that
// was cleared. If both sides moved and now hold the same, there is nothing to write.
// The policy is asked only in the last cell. Four policies say more than who wins, and
// count in other cells too: rules (which steps a status may take), fill_empty (never
// write over anything), consent (what an emptied field means) and union (what became
// of each element; if a side moved alone and still lacks its half of an earlier union,
// it gets that half).
//
// A field that lacks a base on at least one side is at its first contact:
//
//	left \ right   not shown   empty         w
//	not shown      keep        keep          keep
//	empty          keep        adopt         fill left
//	v              keep        fill right    v ≈ w: adopt, else initial policy
//
// This is the first table once more: a value counts as set, and an empty field as
// unchanged. The code reads it in that way, and nothing is cleared on first contact.
//
// A group of fields (arrival and departure, an amount and its currency, an address)
// is decided by the same tables as one value, so that half of one side's values never
// stands beside half of the other side's. In a group one field may have been settled
// and moved since, while another was never settled. If that other field is empty,
// nobody is known to have emptied it: a person decides before it empties the other
// side.
package merge
