package main

import (
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
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

// loadRules reads a rule file. Its error names the file once.
func loadRules(file string) (*rulefmt.RuleGroups, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	gs, errs := rulefmt.Parse(text, false, model.UTF8Validation, prom, slog.New(slog.DiscardHandler))
	if errs != nil {
		return nil, fmt.Errorf("%s: %w", file, errs[0])
	}
	return gs, nil
}
