package rest

import (
	"fmt"
	"testing"

	"nightporter/sync/record"
)

// A time is sent only in a form that is read as that time. Rome's clock shows 02:00 to 03:00 twice on 2027-10-31, and
// skips it on 2027-03-28. A text of the hour that comes twice is read as the later time.
func TestATimeIsNotSentAsAnother(t *testing.T) {
	for _, tt := range []struct{ kind, format, in, want string }{
		{"instant", "DD/MM/YYYY hh:mm", "2027-10-31T00:30:00Z", ""},
		{"instant", "DD/MM/YYYY hh:mm", "2027-10-31T01:30:00Z", "31/10/2027 02:30"},
		{"instant", "DD/MM/YYYY hh:mm", "2027-10-31T02:30:15Z", "31/10/2027 03:30"},
		{"instant", "DD/MM/YYYY", "2027-10-31T15:00:00Z", "31/10/2027"},
		{"instant", "rfc3339", "2027-10-31T01:30:00Z", "2027-10-31T02:30:00+01:00"},
		{"instant", "epoch_s", "2027-10-31T01:30:00Z", "1824946200"},
		{"local", "rfc3339", "2027-03-28T02:30:00", ""},
		{"local", "epoch_s", "2027-03-28T03:30:00", "1806197400"},
		{"local", "rfc3339", "2027-01-10T02:30:00.5", "2027-01-10T02:30:00.5+01:00"},
		{"date", "DD/MM/YYYY", "2027-10-31", "31/10/2027"},
	} {
		c, err := newClock(tt.format, "Europe/Rome")
		if err != nil {
			t.Fatal(err)
		}
		f := field{clock: c}
		f.Type = tt.kind
		got, err := f.write(record.OfText(tt.in))
		if (err != nil) != (tt.want == "") || err == nil && fmt.Sprint(got) != tt.want {
			t.Errorf("%s %s as %s: got %v, %v, want %q", tt.kind, tt.in, tt.format, got, err, tt.want)
		}
	}
}
