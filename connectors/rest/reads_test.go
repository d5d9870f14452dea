package rest

import (
	"testing"
	"time"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// Fields of which the same is said read every value as the same. Another zone is said only where it reads at
// least one value as another.
func TestReadingSaysHowValuesAreMade(t *testing.T) {
	samples := []record.Value{record.Nothing(), record.OfBool(true), record.OfInt(1), record.OfInt(1_803_950_000_000)}
	for _, text := range []string{
		"1", "true", "5", "x", "2027-03-04", "03/04/2027", "03/04/2027 22:30:00", "03/04/2027 22:30:00Z", "03/04/2027 22:30:00+05:00",
		"2027-03-04T22:30:00", "2027-03-04T22:30:00+05:00", "1803950000", "1803950000.5",
	} {
		samples = append(samples, record.OfText(text))
	}
	for hour := range 24 { // in some of them it is another day elsewhere
		at := time.Date(2027, 3, 4, hour, 0, 0, 0, time.UTC)
		samples = append(samples, record.OfInt(at.Unix()), record.OfInt(at.UnixMilli()),
			record.OfText(at.Format(time.RFC3339)), record.OfText(at.Format("02/01/2006 15:04:05Z07:00")))
	}
	type variant struct{ spelt, says, reads string } // spelt: without the zone
	var all []variant
	for _, typ := range []string{"", "text", "number", "bool", "date", "local", "instant"} {
		for _, format := range []string{"", rfc3339, epochS, epochMS, dateYMD, "DD/MM/YYYY", "MM/DD/YYYY", "DD/MM/YYYY hh:mm:ss", "DD/MM/YYYY hh:mm:ssZZ"} {
			for _, zone := range []string{"", "UTC", "Europe/Rome", "America/New_York"} {
				c := &checker{}
				k := &kind{Kind: Kind{Fields: map[string]Field{"at": {Type: typ, Format: format, Zone: zone, Max: len(all), ReadOnly: zone == ""}}}}
				c.values(k)
				v := variant{spelt: typ + " as " + format, says: k.fields["at"].reading()}
				for _, s := range samples {
					v.reads += k.fields["at"].read(s).Encode() + "\n"
				}
				all = append(all, v)
			}
		}
	}
	for _, a := range all {
		for _, b := range all {
			if a.says == b.says && a.reads != b.reads || a.spelt == b.spelt && a.says != b.says && a.reads == b.reads {
				t.Fatalf("%s says %q, %s says %q, and they read\n%s\n%s", a.spelt, a.says, b.spelt, b.says, a.reads, b.reads)
			}
		}
	}
}

// Whether what is omitted is empty is said of every path but those that are read on their own, which say from
// where they are read.
func TestReadingOfWhatIsOmitted(t *testing.T) {
	of := func(omits bool, item string) connectors.Kind {
		kinds, err := Kinds(Preset{Auth: Auth{Type: "bearer"}, Kinds: map[string]Kind{"calls": {
			Path: "/calls", List: List{Items: "data", Paging: byNone}, OmitsEmpty: omits,
			Fields:   map[string]Field{"note": {}, "day": {Type: "date"}, "text": {}},
			SubReads: map[string]SubRead{"text": {Path: "/calls/{id}/text", Item: item}},
		}}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return kinds["calls"]
	}
	was := of(false, "text")
	for path, want := range map[string][2]bool{"note": {true, false}, "day": {true, false}, "other": {true, false}, "text": {false, true}} {
		if got := of(true, "text").Reading(path) != was.Reading(path); got != want[0] {
			t.Errorf("%s, what is omitted is empty: another reading: %t", path, got)
		}
		if got := of(false, "words").Reading(path) != was.Reading(path); got != want[1] {
			t.Errorf("%s, another item: another reading: %t", path, got)
		}
	}
}
