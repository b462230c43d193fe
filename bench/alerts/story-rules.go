package main

import (
	"context"
	"log/slog"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/rules"
	"github.com/prometheus/prometheus/storage"
)

// storyRule is a rule with the names of the metrics that it reads.
type storyRule struct {
	rulefmt.Rule
	expr  parser.Expr
	reads map[string]bool
}

func loadStoryRules(file string) ([]*storyRule, error) {
	groups, err := loadRules(file)
	if err != nil {
		return nil, err
	}
	var all []*storyRule
	for _, group := range groups.Groups {
		for _, rule := range group.Rules {
			r, err := newStoryRule(rule, rule.Expr)
			if err != nil {
				return nil, err
			}
			all = append(all, r)
		}
	}
	return all, nil
}

func newStoryRule(rule rulefmt.Rule, text string) (*storyRule, error) {
	expr, err := prom.ParseExpr(text)
	if err != nil {
		return nil, err
	}
	r := &storyRule{Rule: rule, expr: expr, reads: map[string]bool{}}
	for _, selector := range parser.ExtractSelectors(expr) {
		for _, m := range selector {
			if m.Name == labels.MetricName {
				r.reads[m.Value] = true
			}
		}
	}
	return r, nil
}

func (r *storyRule) name() string { return r.Alert + r.Record }

func (r *storyRule) build() rules.Rule {
	if r.Record != "" {
		return rules.NewRecordingRule(r.Record, r.expr, labels.FromMap(r.Labels))
	}
	return rules.NewAlertingRule(r.Alert, r.expr, time.Duration(r.For), time.Duration(r.KeepFiringFor),
		labels.FromMap(r.Labels), labels.EmptyLabels(), labels.EmptyLabels(), "", true, slog.New(slog.DiscardHandler))
}

// groups makes a group of each of some rules, in their order. Each writes into an output of its own.
func (w *world) groups(some []int, now *int64) ([]*rules.Group, error) {
	metrics := rules.NewGroupMetrics(nil)
	var groups []*rules.Group
	for _, i := range some {
		from := before{w, i, now}
		groups = append(groups, rules.NewGroup(rules.GroupOptions{
			Name: w.rules[i].name(), Interval: time.Duration(w.step) * time.Minute, Rules: []rules.Rule{w.rules[i].build()},
			Opts: &rules.ManagerOptions{QueryFunc: rules.EngineQueryFunc(w.engine, from), Queryable: from, Appendable: output{w, i}, Context: context.Background(),
				NotifyFunc: func(context.Context, string, ...*rules.Alert) {}, Logger: slog.New(slog.DiscardHandler), Metrics: metrics, Parser: prom},
		}))
	}
	return groups, nil
}

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

// dependents lists the rules whose results depend on those of a rule, and the rule itself, in their order.
func (w *world) dependents(index int) []int {
	found := map[int]bool{index: true}
	for known := 0; known < len(found); {
		known = len(found)
		for i, rule := range w.rules {
			for metric := range rule.reads {
				if slices.ContainsFunc(w.byMetric[metric], func(j int) bool { return found[j] }) {
					found[i] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// differences returns the keys whose results are not the same. No keys although there are differences: some are not of a key.
func differences(one, other *memStore) (map[string]bool, bool) {
	keys, differ, all := map[string]bool{}, false, false
	compare := func(from, to *memStore) {
		for _, found := range from.byName {
			for _, s := range found {
				if t := to.series(s.lset); slices.Equal(s.t, t.t) && slices.EqualFunc(s.v, t.v, sameBits) {
					continue
				}
				differ = true
				key := s.lset.Get("key")
				all = all || key == ""
				keys[key] = true
			}
		}
	}
	compare(one, other.filter(func(labels.Labels) bool { return true }))
	compare(other, one.filter(func(labels.Labels) bool { return true }))
	if all {
		return nil, true
	}
	return keys, differ
}

func sameBits(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

func (m *memStore) get(l labels.Labels) *memSeries {
	for _, s := range m.byHash[l.Hash()] {
		if labels.Equal(s.lset, l) {
			return s
		}
	}
	return nil
}

// filter returns a store with some of the series.
func (m *memStore) filter(wanted func(labels.Labels) bool) *memStore {
	some := newMemStore(m.keep)
	for name, found := range m.byName {
		for _, s := range found {
			if wanted(s.lset) {
				hash := s.lset.Hash()
				some.byHash[hash] = append(some.byHash[hash], s)
				some.byName[name] = append(some.byName[name], s)
			}
		}
	}
	return some
}

// evaluationError is an error of a rule, such as a join of many to many.
type evaluationError struct{ error }

// everything is what there is after an evaluation.
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
			if also := q.w.raw.get(s.lset); also != nil {
				given = slices.DeleteFunc(given, func(g *memSeries) bool { return g == also })
				s, to = merged(also, s, to), maxt
			}
			views = append(views, view{s, mint, to})
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

// byMetric returns the indexes of rules by the metrics that they write, and all of them for "".
func byMetric(all []*storyRule) map[string][]int {
	found := map[string][]int{}
	for i, rule := range all {
		metrics := []string{"", rule.Record}
		if rule.Alert != "" {
			metrics = []string{"", "ALERTS", "ALERTS_FOR_STATE"}
		}
		for _, metric := range metrics {
			found[metric] = append(found[metric], i)
		}
	}
	return found
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
