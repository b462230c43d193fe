package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

// selectorsOf finds the metric names that the rules of some files read ("": any), and the longest look back.
func selectorsOf(files []RuleSet) (names map[string]bool, back time.Duration, err error) {
	names = map[string]bool{}
	for _, set := range files {
		groups, err := loadRules(set.File)
		if err != nil {
			return nil, 0, err
		}
		for _, group := range groups.Groups {
			for _, rule := range group.Rules {
				expr, err := prom.ParseExpr(rule.Expr)
				if err != nil {
					return nil, 0, fmt.Errorf("%s: %w", set.File, err)
				}
				back = max(back, readNames(expr, names))
			}
		}
	}
	return names, back, nil
}

// withoutSamples returns the names that some files read and that neither they record nor a fleet like the key's has: misspelled ones, for instance.
func withoutSamples(files []RuleSet, names map[string]bool, k *Key) (missing []string, err error) {
	known := map[string]bool{"": true, "ALERTS": true, "ALERTS_FOR_STATE": true}
	(&life{}).slots(k, func(name string) bool { known[name] = true; return false })
	for _, set := range files {
		groups, err := loadRules(set.File)
		if err != nil {
			return nil, err
		}
		for _, group := range groups.Groups {
			for _, rule := range group.Rules {
				known[rule.Record] = true
			}
		}
	}
	for name := range names {
		if !known[name] {
			missing = append(missing, name)
		}
	}
	slices.Sort(missing)
	return missing, nil
}

// readNames adds the names that an expression reads, and returns how far it looks back.
func readNames(expr parser.Expr, names map[string]bool) (back time.Duration) {
	parser.Inspect(expr, func(n parser.Node, path []parser.Node) error {
		vs, ok := n.(*parser.VectorSelector)
		if !ok {
			return nil
		}
		name := vs.Name
		for _, x := range vs.LabelMatchers {
			if x.Name == labels.MetricName && x.Type == labels.MatchEqual {
				name = x.Value
			}
		}
		names[name] = true
		d := vs.OriginalOffset
		for _, p := range path {
			switch p := p.(type) {
			case *parser.MatrixSelector:
				d += p.Range
			case *parser.SubqueryExpr:
				d += p.Range + p.OriginalOffset
			}
		}
		back = max(back, d)
		return nil
	})
	return back
}
