package histories

import (
	"context"

	"nightporter/connectors/memory"
	"nightporter/sync/record"
)

// right has the owner of a side say that its updates send records whole.
func (w *world) right(side record.Side) {
	w.righted[side] = true
	for kind := range w.kinds() {
		for _, sys := range []*memory.System{w.sys[side], w.alien[side]} {
			sys.Redescribe(kinds[kind][side], w.kindOf(side, kind))
		}
	}
	w.log("  the owner of the %s says how updates are sent", side)
	w.must("begin with another description", w.build())
}

// rightSome has owners hear of trials that were not passed, and say how updates are sent, in
// half of the histories that have any. The others do at rest. Where that was said before, a
// user had emptied the record meanwhile: the owner lets the updates go on.
func (w *world) rightSome(ctx context.Context, atRest bool) (heard bool) {
	all, err := w.store.Trials(ctx, "")
	w.must("read trials", err)
	for _, t := range all {
		side := t.Place.Side
		if !t.Stopped() || w.odds(side, oddReplaces)%2 == 0 && !atRest {
			continue
		}
		switch can := w.eng.Jobs[t.Place.Binding].Sides[side].Can; {
		case w.odds(side, oddReplaces) > 0 && !w.righted[side]:
			w.right(side)
		case t.Described == can.Written:
			_, err := w.store.AnswerHalts(ctx, t.Place.Binding, record.Accepted, "a person")
			w.must("let updates go on", err)
		default:
			continue
		}
		heard = true
	}
	return heard
}
