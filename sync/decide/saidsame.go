package decide

import (
	"context"
	"fmt"

	"nightporter/sync/match"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// A person says that two records are the same, and before the next run one of them is moved, cancelled or
// corrected. Then no rule pairs the two any more, and each would be made once more across. What the person said
// stands in the way of that: they are asked again.

// saidID returns the id of the record across that a person said a record is, "" if they said nothing like that.
// It is in their answer, or in the question if they are asked once more. stands is false if they have said
// something else since.
func saidID(c record.Question) (id string, stands bool) {
	if said := c.Value.Text(); c.Choice == "value" && !isWord(said) {
		return said, true
	}
	if said := c.Rests.Said; !isWord(said) {
		return said, c.Choice == ""
	}
	return "", false
}

// saidWord returns the word that a person said of a record, "" if they said none. It is in their answer, or in the
// question if they are asked once more.
func saidWord(c record.Question) string {
	said := c.Value.Text()
	if c.Choice == "" {
		said = c.Rests.Said
	}
	if !isWord(said) {
		return ""
	}
	return said
}

// isWord reports whether an answer is a word, and names no record.
func isWord(said string) bool { return said == "create" || said == "leave" }

// loadSaidSame loads what persons said of records without a link and what was not done yet: which record
// across it is, or a word.
func (r *Room) loadSaidSame(ctx context.Context) error {
	r.saidSame, r.saidBy = [2]map[record.Ref]record.Ref{{}, {}}, [2]map[record.Ref]record.Ref{{}, {}}
	r.saidWord = [2]map[record.Ref]string{{}, {}}
	cs, err := r.store.Questions(ctx, r.Job.Binding, true)
	if err != nil {
		return fmt.Errorf("look what a person said: %w", err)
	}
	said, stand, words := map[int64]string{}, map[int64]bool{}, map[int64]string{}
	var nums []int64
	for _, c := range cs {
		if c.Link != 0 || c.Entry == 0 {
			continue
		}
		id, stands := saidID(c)
		if id != "" {
			said[c.Entry], stand[c.Entry] = id, stands
		}
		words[c.Entry] = saidWord(c)
		if id != "" || words[c.Entry] != "" {
			nums = append(nums, c.Entry)
		}
	}
	es, err := r.store.Entries(ctx, nums)
	if err != nil {
		return fmt.Errorf("look of whom a person said something: %w", err)
	}
	for num, e := range es {
		if e.Link != 0 || e.State == record.Gone {
			continue
		}
		side := e.Place.Side
		if word := words[num]; word != "" {
			r.saidWord[side][e.Ref] = word
		}
		if said[num] == "" {
			continue
		}
		with := record.Ref{Kind: r.Side(side.Other()).Kind, ID: said[num]}
		if r.saidSame[side][e.Ref] = with; stand[num] {
			r.saidBy[side.Other()][with] = e.Ref
		}
	}
	return nil
}

// saidOf returns what a person said of a record and what was not done yet: a word, or the id of a record across. It
// is not forgotten when they are asked once more, or about something else.
func (r *Room) saidOf(side record.Side, ref record.Ref) string {
	if word := r.saidWord[side][ref]; word != "" {
		return word
	}
	return r.saidSame[side][ref].ID
}

// heedSaid holds two records that a rule would join, if a person said something else of one of them. What they said
// may not hold any more, because a record was edited since. Even then no rule decides in their place. Example: Anna
// and Marco have the same phone, and a person says that the contact with it is Anna. Anna gets a phone of her own
// before the next run, and now only Marco has the phone of the contact.
func (r *Room) heedSaid(strangers [2][]run.Candidate, fates *[2][]match.Fate) {
	for i := range fates[record.Left] {
		with := fates[record.Left][i].With
		if with < 0 {
			continue
		}
		at := [2]int{i, with}
		pair := [2]record.Ref{strangers[record.Left][i].Ref, strangers[record.Right][with].Ref}
		but := r.saidElse(record.Left, pair)
		if but == "" {
			but = r.saidElse(record.Right, pair)
		}
		if but == "" {
			continue
		}
		for _, side := range record.Sides {
			other := pair[side.Other()]
			fates[side][at[side]] = match.Fate{With: -1, Aside: &match.Aside{Held: fmt.Sprintf("it may be %s of %s, but %s", other, r.Side(side.Other()).System, but), About: []record.Ref{other}}}
		}
	}
}

// saidElse returns what a person said of the record of a side, if that speaks against the pair, "" if nothing does.
func (r *Room) saidElse(side record.Side, pair [2]record.Ref) string {
	it, other := pair[side], pair[side.Other()]
	here, there := r.Side(side).System, r.Side(side.Other()).System
	if with, is := r.saidSame[side][it]; is && with != other {
		return fmt.Sprintf("a person said that %s of %s is the same as %s of %s", it, here, with, there)
	}
	if from, is := r.saidBy[side][it]; is && from != other {
		return fmt.Sprintf("a person said that %s of %s is the same as %s of %s", from, there, it, here)
	}
	switch r.saidWord[side][it] {
	case "create":
		return fmt.Sprintf("a person said that %s of %s is none of those of %s", it, here, there)
	case "leave":
		return fmt.Sprintf("a person said to leave %s of %s out", it, here)
	}
	return ""
}

// objectSaid keeps a record from being made across, if a person said which record across it is, or said of a record
// across that it is this one.
func (r *Room) objectSaid(ctx context.Context, n *arrival) (outcome, error) {
	side, s := n.side, n.s
	with, is := r.saidSame[side][s.Ref]
	if from, chosen := r.saidBy[side][s.Ref]; chosen && !is { // a person is asked about one of the two only
		return n.waitsBecause(fmt.Sprintf("a person said that %s of %s is the same as this one, and is asked about that one", from, r.Side(side.Other()).System)), nil
	}
	if !is {
		return outcome{}, nil
	}
	e, ok, err := r.store.Entry(ctx, r.Place(side.Other()), with)
	if err != nil || !ok {
		return outcome{}, err
	}
	keys, err := r.match.KeysNow(ctx, side.Other(), e)
	if err != nil {
		return outcome{}, err
	}
	p, alone, err := r.goesAlone(ctx, e)
	if err != nil {
		return outcome{}, err
	}
	if alone { // they were asked just that, if the two still have a key in common
		q, err := r.mayBeAlone(ctx, side, s, p, question{cause: run.InPlace, links: []record.LinkID{p.Link}})
		if err != nil || q.why != "" {
			return asksAbout(q), err
		}
	}
	changed := "one of the two is no longer as it was then"
	switch {
	case e.Link != 0 && !alone:
		changed = "that one is linked with another by now"
	case e.State == record.Gone:
		changed = "that one is gone"
	}
	return asksAbout(question{
		cause: run.SaidBefore,
		why:   fmt.Sprintf("a person said that it is %s of %s, and %s", with, r.Side(side.Other()).System, changed),
		about: []string{"it " + r.whoIs(side, s.Since, s.Keys), across(side, with) + " " + r.whoIs(side.Other(), e, keys), changed},
	}), nil
}

// contradicted says that two answers can't both be carried out: what a person said of this record, and of one
// across. It is "" if they can.
func (r *Room) contradicted(ctx context.Context, side record.Side, s run.Stranger, said string) (string, error) {
	if from, is := r.saidBy[side][s.Ref]; is && isWord(said) {
		return fmt.Sprintf("; a person said that %s of %s is the same, and of this one that it is not: answer one of the two anew", from, r.Side(side.Other()).System), nil
	}
	if isWord(said) {
		return "", nil
	}
	with := record.Ref{Kind: r.Side(side.Other()).Kind, ID: said}
	e, ok, err := r.store.Entry(ctx, r.Place(side.Other()), with)
	if err != nil || !ok || e.Link != 0 {
		return "", err
	}
	c, ok, err := r.store.EntryChoice(ctx, e.Num)
	if err != nil || !ok || c.Value.Text() == s.Ref.ID {
		return "", err
	}
	return fmt.Sprintf("; a person said something else of %s of %s: answer one of the two anew", with, r.Side(side.Other()).System), nil
}
