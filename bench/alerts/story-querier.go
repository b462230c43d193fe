package main

import (
	"context"
	"math"
	"slices"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/storage"
)

// everything reads all given series and all results.
type everything struct{ w *world }

func (e everything) Querier(mint, maxt int64) (storage.Querier, error) {
	return &storyQuerier{w: e.w, mint: mint, maxt: maxt, rule: len(e.w.rules), now: math.MaxInt64}, nil
}

// before is what a rule can read during an evaluation: of itself and the rules after it, only earlier results.
type before struct {
	w    *world
	rule int
	now  *int64
}

func (b before) Querier(mint, maxt int64) (storage.Querier, error) {
	return &storyQuerier{w: b.w, mint: mint, maxt: maxt, rule: b.rule, now: *b.now}, nil
}

type storyQuerier struct {
	querier
	w          *world
	mint, maxt int64
	rule       int
	now        int64
}

func (q *storyQuerier) Select(_ context.Context, sorted bool, h *storage.SelectHints, ms ...*labels.Matcher) storage.SeriesSet {
	mint, maxt := q.mint, q.maxt
	if h != nil {
		mint, maxt = h.Start, h.End
	}
	given := q.w.raw.find(ms, nil)
	var views []view
	for _, i := range q.w.writers(ms) {
		to := maxt
		if i >= q.rule {
			to = min(maxt, q.now-1)
		}
		for _, s := range q.w.outputs[i].find(ms, nil) {
			until := to
			if also := q.w.raw.get(s.lset); also != nil {
				given = slices.DeleteFunc(given, func(g *memSeries) bool { return g == also })
				s, until = merged(also, s, to), maxt
			}
			views = append(views, view{s, mint, until})
		}
	}
	for _, s := range given {
		views = append(views, view{s, mint, maxt})
	}
	views = slices.DeleteFunc(views, view.empty)
	if sorted {
		slices.SortFunc(views, func(a, b view) int { return labels.Compare(a.s.lset, b.s.lset) })
	}
	return &viewSet{views: views, i: -1}
}

// writers lists the rules that write the metric of a selector.
func (w *world) writers(ms []*labels.Matcher) []int {
	for _, m := range ms {
		if m.Name == labels.MetricName && m.Type == labels.MatchEqual {
			return w.byMetric[m.Value]
		}
	}
	return w.byMetric[""]
}

func (v view) empty() bool {
	n := len(v.s.t)
	return n == 0 || v.s.t[n-1] < v.mint || v.s.t[0] > v.maxt
}

// merged returns a given series with the results of a rule until a time.
func merged(given, results *memSeries, to int64) *memSeries {
	m := &memSeries{lset: given.lset}
	i := 0
	take := func(s *memSeries, i int) { m.t, m.v = append(m.t, s.t[i]), append(m.v, s.v[i]) }
	for j := 0; j < len(results.t) && results.t[j] <= to; j++ {
		for ; i < len(given.t) && given.t[i] < results.t[j]; i++ {
			take(given, i)
		}
		take(results, j)
	}
	for ; i < len(given.t); i++ {
		take(given, i)
	}
	return m
}

type viewSet struct {
	seriesSet
	views []view
	i     int
}

func (s *viewSet) Next() bool         { s.i++; return s.i < len(s.views) }
func (s *viewSet) At() storage.Series { return s.views[s.i] }

// output takes the results of a rule. A story may give such a series itself, for a time; a result at the same time as one of its samples is dropped.
type output struct {
	w    *world
	rule int
}

func (o output) Appender(context.Context) storage.Appender {
	return &outputAppender{appender{m: o.w.outputs[o.rule]}, o.w.raw}
}

type outputAppender struct {
	appender
	given *memStore
}

func (a *outputAppender) Append(ref storage.SeriesRef, l labels.Labels, t int64, v float64) (storage.SeriesRef, error) {
	if s := a.given.get(l); s != nil {
		if _, given := slices.BinarySearch(s.t, t); given {
			return 0, nil
		}
	}
	return a.appender.Append(ref, l, t, v)
}
