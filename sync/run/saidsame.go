package run

import (
	"encoding/base64"
)

// A person says that two records are the same, and before the next run one of them is moved, cancelled or
// corrected. Then no rule asks about the two any more, and each would be made once more across. What they
// said stands in the way of that: they are asked once more.

// saidMark begins, among what a question rests on, what a person said before to the question about that record.
const SaidMark = "said:"

func SaidFact(said string) string {
	return SaidMark + base64.RawURLEncoding.EncodeToString([]byte(said))
}
