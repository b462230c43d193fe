package main

import (
	"encoding/json"
	"io"

	"github.com/prometheus/prometheus/promql/parser"
)

// mutant is a rule without one of its clauses.
type mutant struct {
	Rule    string `json:"rule"`
	Without string `json:"without"`
	Expr    string `json:"expr"`
}

// printMutants writes, as JSON, each rule of a file without each of its clauses in turn.
func printMutants(w io.Writer, file string) error {
	groups, err := loadRules(file)
	if err != nil {
		return err
	}
	mutants := []mutant{}
	for _, group := range groups.Groups {
		for _, rule := range group.Rules {
			expr, err := prom.ParseExpr(rule.Expr)
			if err != nil {
				return err
			}
			eachClause(expr, func(changed parser.Expr, without string) {
				mutants = append(mutants, mutant{rule.Alert + rule.Record, without, changed.String()})
			})
		}
	}
	return json.NewEncoder(w).Encode(mutants)
}

// eachClause calls found with the expression without each of its clauses: a comparison, the right operand of `and`, `or` and `unless`, the left one of `or`, and that of `and` if it is a condition, not only a value.
func eachClause(e parser.Expr, found func(changed parser.Expr, without string)) {
	inside := func(part parser.Expr, put func(parser.Expr) parser.Expr) {
		eachClause(part, func(changed parser.Expr, without string) { found(put(changed), without) })
	}
	switch e := e.(type) {
	case *parser.BinaryExpr:
		inside(e.LHS, func(x parser.Expr) parser.Expr { c := *e; c.LHS = x; return &c })
		inside(e.RHS, func(x parser.Expr) parser.Expr { c := *e; c.RHS = x; return &c })
		if removable(e) {
			found(e.LHS, e.Op.String()+" "+e.RHS.String())
		}
		if e.Op == parser.LOR || e.Op == parser.LAND && compares(e.LHS) {
			found(e.RHS, e.LHS.String()+" "+e.Op.String())
		}
	case *parser.ParenExpr:
		inside(e.Expr, func(x parser.Expr) parser.Expr { c := *e; c.Expr = x; return &c })
	case *parser.UnaryExpr:
		inside(e.Expr, func(x parser.Expr) parser.Expr { c := *e; c.Expr = x; return &c })
	case *parser.AggregateExpr:
		inside(e.Expr, func(x parser.Expr) parser.Expr { c := *e; c.Expr = x; return &c })
	case *parser.SubqueryExpr:
		inside(e.Expr, func(x parser.Expr) parser.Expr { c := *e; c.Expr = x; return &c })
	case *parser.Call:
		for i, argument := range e.Args {
			inside(argument, func(x parser.Expr) parser.Expr {
				c := *e
				c.Args = append(parser.Expressions{}, e.Args...)
				c.Args[i] = x
				return &c
			})
		}
	}
}

// removable reports whether the expression has a value without its right operand.
func removable(e *parser.BinaryExpr) bool {
	return e.Op.IsSetOperator() || e.Op.IsComparisonOperator() && !e.ReturnBool && e.LHS.Type() == parser.ValueTypeVector
}

// compares reports whether an expression contains a comparison.
func compares(e parser.Expr) bool {
	found := false
	parser.Inspect(e, func(node parser.Node, _ []parser.Node) error {
		if b, ok := node.(*parser.BinaryExpr); ok && b.Op.IsComparisonOperator() {
			found = true
		}
		return nil
	})
	return found
}
