package main

import (
	"fmt"
	"io"
	"sync"
)

// scorer compares the alerts of a key with what happened to it.
type scorer interface {
	judge(k *Key, set string, eps []Episode)
	print(w io.Writer, worst int)
}

// kindDefaults are the alerts that count, and the days of warm-up: an account has a rate of three days, an anomaly is
// compared with a week, and a budget with a whole window.
var kindDefaults = map[string]struct {
	warn   string
	warmup int
}{
	"keys":      {`(?i)exhaust|predicted|imminent|low`, 3},
	"accounts":  {"Account", 4},
	"anomalies": {"Anomaly", 9},
	"budgets":   {"BudgetForecast", 33},
}

// verdicts passes what fired to a scorer, and remembers it for the timeline of a single key.
type verdicts struct {
	scorer
	mu       sync.Mutex
	key      *Key
	episodes map[string][]Episode // by rule set
}

func (v *verdicts) judge(k *Key, set string, eps []Episode) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.scorer.judge(k, set, eps)
	v.key, v.episodes[set] = k, eps
}

// fleetKind is what a kind of fleet consists of, and how its alerts are scored.
type fleetKind struct {
	scorer     scorer
	build      func(seed uint64, id int, c *Clock) *Key
	classOf    func(id int) string
	label      string // of the alerts, that names the key
	bySeverity bool   // only critical alerts and warnings are scored
}

func fleetOf(kind string, c *Clock, sets []RuleSet, days float64) (fleetKind, error) {
	exhaustions := &Report{c: c, sets: sets, tallies: map[string]map[string]*tally{}, days: days}
	switch kind {
	case "keys":
		classOf := func(id int) string { return classes[id%len(classes)].name }
		exhaustions.order = firstClasses(classOf, len(classes))
		return fleetKind{exhaustions, buildKey, classOf, "key", true}, nil
	case "accounts":
		exhaustions.order = firstClasses(accountClass, len(accountKinds)*len(spendShapes))
		return fleetKind{exhaustions, buildAccount, accountClass, "gateway", true}, nil
	case "anomalies":
		anomalies := &AnomalyReport{c: c, sets: sets, tallies: map[string]map[string]*anomalyTally{}, days: days}
		return fleetKind{anomalies, buildAnomalyKey, func(id int) string { return anomalyKinds[id/len(spendShapes)%len(anomalyKinds)].name }, "key", false}, nil
	case "budgets":
		return fleetKind{&BudgetReport{c: c, sets: sets, tallies: map[string]map[string]*budgetTally{}}, buildBudget, budgetClass, "budget", false}, nil
	}
	return fleetKind{}, fmt.Errorf("-fleet %q: it must be keys, accounts, anomalies or budgets", kind)
}

// firstClasses returns the classes of the first n keys, in their order.
func firstClasses(classOf func(id int) string, n int) (names []string) {
	for id := range n {
		names = append(names, classOf(id))
	}
	return names
}
