package main

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/rules"
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
			if m.Name == labels.MetricName && m.Type == labels.MatchEqual {
				r.reads[m.Value] = true
			} else if m.Name == labels.MetricName {
				r.reads[""] = true // A pattern: any metric may match.
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
func (w *world) groups(some []int, now *int64) []*rules.Group {
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
	return groups
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

// evaluationError is an error of a rule, such as a join of many to many.
type evaluationError struct{ error }

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
