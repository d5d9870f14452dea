package card

// issuer is a range of first digits of payment cards, and how many digits these cards have.
type issuer struct {
	from, to    string // the first digits; both texts have the same length
	least, most int
}

// issuers are the ranges of ISO/IEC 7812 under which payment cards are issued, with the lengths of
// https://en.wikipedia.org/wiki/Payment_card_number (section "Issuer identification number").
// Numbers of any other range are not payment cards: times in milliseconds, order numbers, ids of calls.
// The range must be checked, because one in ten of such numbers passes the check digit. Cards that only
// airlines take begin with 1. They are not listed, because times in milliseconds begin with 1 too.
var issuers = []issuer{
	{"2200", "2205", 16, 19}, // Mir and Borica
	{"2221", "2720", 16, 16}, // Mastercard
	{"300", "305", 14, 19},   // Diners Club
	{"3095", "3095", 14, 19}, // Diners Club
	{"34", "34", 15, 15},     // American Express
	{"37", "37", 15, 15},     // American Express
	{"3528", "3589", 16, 19}, // JCB
	{"36", "36", 14, 19},     // Diners Club
	{"38", "39", 14, 19},     // Diners Club
	{"4", "4", 13, 13},       // Visa, of old
	{"4", "4", 16, 16},       // Visa
	{"4", "4", 19, 19},       // Visa
	{"50", "50", 13, 19},     // Maestro, RuPay, Verve
	{"51", "55", 16, 16},     // Mastercard
	{"56", "69", 13, 19},     // Maestro, Discover, UnionPay, RuPay
	{"81", "82", 16, 16},     // RuPay
	{"8600", "8600", 16, 16}, // UzCard
	{"9792", "9792", 16, 16}, // Troy
	{"9860", "9860", 16, 16}, // Humo
}

// issued reports whether an issuer's cards begin with these first digits and have this number of digits.
func issued(digits string) bool {
	for _, x := range issuers {
		begin := digits[:min(len(x.from), len(digits))]
		if begin >= x.from && begin <= x.to && len(digits) >= x.least && len(digits) <= x.most {
			return true
		}
	}
	return false
}
