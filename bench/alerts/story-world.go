package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
)

// world is a suite and the results of the rules for it.
type world struct {
	name    string
	step    int
	expect  []expectation
	engine  *promql.Engine
	raw     *memStore
	rules   []*storyRule
	outputs []*memStore // by rule

	byMetric map[string][]int // the rules that write it
}

func newWorld(s suite, rules []*storyRule) (*world, error) {
	if s.Step < 1 || len(s.Expect) == 0 {
		return nil, errors.New("it needs a step of at least a minute, and an expectation")
	}
	step := int64(s.Step) * 60_000
	w := &world{name: s.Name, step: s.Step, expect: slices.Clone(s.Expect), rules: rules, raw: newMemStore(math.MaxInt64 / 2), byMetric: byMetric(rules)}
	w.engine = promql.NewEngine(promql.EngineOpts{MaxSamples: 1e9, Timeout: time.Hour, LookbackDelta: 5 * time.Minute,
		EnableAtModifier: true, EnableNegativeOffset: true, Parser: prom, NoStepSubqueryIntervalFn: func(int64) int64 { return step }})
	slices.SortStableFunc(w.expect, func(a, b expectation) int { return a.At - b.At })
	for _, series := range s.Series {
		if err := w.write(series); err != nil {
			return nil, err
		}
	}
	every := make([]int, len(rules))
	for i := range rules {
		w.outputs = append(w.outputs, newMemStore(math.MaxInt64/2))
		every[i] = i
	}
	return w, w.play(every, w.expect)
}

func (w *world) write(s writtenSeries) error {
	l, values, err := prom.ParseSeriesDesc(s.Series + " " + s.Values)
	if err != nil {
		return err
	}
	series := w.raw.series(l)
	for minute, value := range values {
		if !value.Omitted {
			err = errors.Join(err, series.append(int64(minute)*60_000, value.Value, w.raw.keep))
		}
	}
	return err
}

// play evaluates some rules over the whole time; the outputs of the others must be there. It returns errUnmet at the first unmet expectation.
func (w *world) play(some []int, expect []expectation) error {
	var now int64
	groups := w.groups(some, &now)
	for minute := 0; len(expect) > 0; minute += w.step {
		now = int64(minute) * 60_000
		for _, group := range groups {
			group.Eval(context.Background(), time.UnixMilli(now).UTC())
			if err := group.Rules()[0].LastError(); err != nil {
				return evaluationError{fmt.Errorf("%s at minute %d: %w", group.Rules()[0].Name(), minute, err)}
			}
		}
		for len(expect) > 0 && expect[0].At < minute+w.step {
			if err := w.check(expect[0]); err != nil {
				return err
			}
			expect = expect[1:]
		}
	}
	return nil
}

// check runs the query of an expectation and compares the result.
func (w *world) check(e expectation) error {
	at := time.Unix(int64(e.At)*60, 0).UTC()
	query, err := w.engine.NewInstantQuery(context.Background(), everything{w}, nil, e.Expr, at)
	if err != nil {
		return err
	}
	defer query.Close()
	vector, err := query.Exec(context.Background()).Vector()
	if err != nil {
		return err
	}
	var got, want []string
	for _, s := range vector {
		got = append(got, fmt.Sprint(s.Metric, s.F))
	}
	for _, s := range e.Samples {
		l, err := prom.ParseMetric(s.Labels)
		if err != nil {
			return err
		}
		value, err := strconv.ParseFloat(s.Value, 64)
		if err != nil {
			return err
		}
		want = append(want, fmt.Sprint(l, value))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		return fmt.Errorf("%w: %s at minute %d is [%s], want [%s]", errUnmet, e.Expr, e.At, strings.Join(got, " "), strings.Join(want, " "))
	}
	return nil
}

// notices reports whether some story of the suite is not met if a rule is changed.
func (w *world) notices(m mutant) (bool, error) {
	index, changed, err := w.changed(m)
	if err != nil {
		return false, err
	}
	// First only the rule itself: if its results are the same, so are those of all other rules.
	if err := changed.play([]int{index}, w.expect[len(w.expect)-1:]); err != nil && !errors.Is(err, errUnmet) {
		return false, err
	}
	keys, differs := differences(w.outputs[index], changed.outputs[index])
	if !differs {
		return false, nil
	}
	affected := changed.only(keys)
	some := affected.dependents(index)
	for _, i := range some {
		affected.outputs[i] = newMemStore(math.MaxInt64 / 2)
	}
	err = affected.play(some, affected.expect)
	if errors.Is(err, errUnmet) {
		return true, nil
	}
	return false, err
}

// changed returns the suite with a changed rule, whose output is empty.
func (w *world) changed(m mutant) (int, *world, error) {
	index := slices.IndexFunc(w.rules, func(r *storyRule) bool { return r.name() == m.Rule })
	if index < 0 {
		return 0, nil, fmt.Errorf("no rule is named %q", m.Rule)
	}
	rule, err := newStoryRule(w.rules[index].Rule, m.Expr)
	if err != nil {
		return 0, nil, err
	}
	changed := *w
	changed.rules, changed.outputs = slices.Clone(w.rules), slices.Clone(w.outputs)
	changed.rules[index], changed.outputs[index] = rule, newMemStore(math.MaxInt64/2)
	return index, &changed, nil
}

// only returns the suite with the series and expectations of some keys; of all if there are none. A rule on keys computes each key alone.
func (w *world) only(keys map[string]bool) *world {
	if len(keys) == 0 {
		return w
	}
	some := *w
	wanted := func(l labels.Labels) bool { key := l.Get("key"); return key == "" || keys[key] }
	some.raw = w.raw.filter(wanted)
	some.outputs = make([]*memStore, len(w.outputs))
	for i, output := range w.outputs {
		some.outputs[i] = output.filter(wanted)
	}
	some.expect = slices.DeleteFunc(slices.Clone(w.expect), func(e expectation) bool {
		_, rest, named := strings.Cut(e.Expr, `key="`)
		name, _, _ := strings.Cut(rest, `"`)
		return named && !keys[name]
	})
	return &some
}

// differences returns the keys whose results differ, and whether any result differs. It returns no keys if a result without a key differs.
func differences(one, other *memStore) (map[string]bool, bool) {
	keys, differ, all := map[string]bool{}, false, false
	compare := func(from, to *memStore) {
		for _, found := range from.byName {
			for _, s := range found {
				if t := to.get(s.lset); t != nil && slices.Equal(s.t, t.t) && slices.EqualFunc(s.v, t.v, sameBits) {
					continue
				}
				differ = true
				key := s.lset.Get("key")
				all = all || key == ""
				keys[key] = true
			}
		}
	}
	compare(one, other)
	compare(other, one)
	if all {
		return nil, true
	}
	return keys, differ
}

func sameBits(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

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
