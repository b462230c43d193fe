package main

import (
	"fmt"
	"io"
)

// scorer compares the alerts of a key with what happened to it.
type scorer interface {
	judge(k *Key, set string, eps []Episode)
	print(w io.Writer, worst int)
}

// fleetKind is what a kind of fleet consists of, and how its alerts are scored.
type fleetKind struct {
	scorer  scorer
	build   func(seed uint64, n int, c *Clock, only int) []*Key
	classOf func(id int) string
}

func fleetOf(kind string, c *Clock, sets []RuleSet, days float64) (fleetKind, error) {
	exhaustions := &Report{c: c, sets: sets, tallies: map[string]map[string]*tally{}, days: days}
	switch kind {
	case "keys":
		classOf := func(id int) string { return classes[id%len(classes)].name }
		exhaustions.order = firstClasses(classOf, len(classes))
		return fleetKind{exhaustions, buildFleet, classOf}, nil
	case "accounts":
		exhaustions.order = firstClasses(accountClass, len(accountKinds)*len(spendShapes))
		return fleetKind{exhaustions, buildAccountFleet, accountClass}, nil
	case "anomalies":
		anomalies := &AnomalyReport{c: c, sets: sets, tallies: map[string]map[string]*anomalyTally{}, days: days}
		return fleetKind{anomalies, buildAnomalyFleet, func(id int) string { return anomalyKinds[id/len(spendShapes)%len(anomalyKinds)].name }}, nil
	case "budgets":
		return fleetKind{&BudgetReport{c: c, sets: sets, tallies: map[string]map[string]*budgetTally{}}, buildBudgetFleet, budgetClass}, nil
	}
	return fleetKind{}, fmt.Errorf("-fleet: %q is not one of keys, accounts, anomalies, budgets", kind)
}

// firstClasses returns the classes of the first n keys, in their order.
func firstClasses(classOf func(id int) string, n int) (names []string) {
	for id := range n {
		names = append(names, classOf(id))
	}
	return names
}
