// Package merge decides what becomes of one link: two records that stand for the
// same person or stay, each as it is seen now and as it was when it was last
// settled. It is a pure function from there to one decision a field. It reaches no
// clock, no disk and no network, and knows no system: only left, right and values.
//
// Each side has a base of its own, taken from what that side showed and never from
// what was sent to it. A side that stores another spelling than it was given (lower
// case, cut short, a reformatted phone) is therefore not taken for one that was
// edited, and after a write the two bases may well differ for good.
//
// A settled field, one with a base on both sides, is decided by this table. "≈" is
// Rule.Same: each could be what the other side makes of it.
//
//	left \ right   not shown   unchanged     cleared       changed to w
//	not shown      keep        keep          pending       pending
//	unchanged      keep        keep          clear left    write w left
//	cleared        pending     clear right   adopt         write w left
//	changed to v   pending     write v right write v right v ≈ w: adopt, else policy
//
// Whoever was edited alone is followed. Unchanged on both sides never writes, not
// even where the two differ. A value that was set beats one that was cleared. Where
// both moved and came to hold the same there is nothing to write. The policy is
// asked in the last cell alone, but for those that say more than who wins: rules
// (which steps a status may take), fill_empty (never write over anything), consent
// (what an emptied field means) and union (what became of each element; a side that is
// still to get its half of one gets it when it moved alone).
//
// A field without a base on either of the sides is at its first contact:
//
//	left \ right   not shown   empty         w
//	not shown      keep        keep          keep
//	empty          keep        adopt         fill left
//	v              keep        fill right    v ≈ w: adopt, else initial policy
//
// It is the first table once more: what is there counts as set, what is empty as
// unchanged. So that is how the code reads it, and nothing is cleared on first
// contact.
//
// A group of fields (arrival and departure, an amount and its currency, an address)
// is decided by the same tables as one value: a half of one side is never put beside
// a half of the other. Where one of its fields was settled and moved, and another never
// was, what is empty there is nobody's edit: a person decides before it empties the
// other side.
package merge
