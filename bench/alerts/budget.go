package main

import (
	"fmt"
	"io"
	"math"
	"sort"
)

// The fleet of budgets has one budget for each window and each shape of spend. Nothing stops the spend of a budget.
var budgetWindows = []Reset{Daily, Weekly, Monthly}

func (k *Key) label() string {
	switch {
	case k.Budget > 0:
		return "budget"
	case k.Account:
		return "gateway"
	}
	return "key"
}

func (k *Key) window() string {
	return map[Reset]string{Daily: "day", Weekly: "week", Monthly: "month"}[k.Reset]
}

func budgetFamilies(k *Key) map[string]func(*scrapeView) (float64, bool) {
	// Values of a window that has ended are withdrawn until a newer poll succeeds.
	current := func(f func(s *snapshot) float64) func(*scrapeView) (float64, bool) {
		return func(v *scrapeView) (float64, bool) { return f(&v.l.data), v.live && v.l.data.nextReset > v.now }
	}
	return map[string]func(*scrapeView) (float64, bool){
		"aigateway_budget_limit_credits": func(*scrapeView) (float64, bool) { return k.Budget, true },
		"aigateway_budget_spent_credits": current(func(s *snapshot) float64 {
			return map[Reset]float64{Daily: s.day, Weekly: s.week, Monthly: s.month}[k.Reset]
		}),
		"aigateway_budget_complete":                       current(func(*snapshot) float64 { return 1 }),
		"aigateway_budget_window_start_timestamp_seconds": current(func(s *snapshot) float64 { return float64(s.winStart) }),
		"aigateway_budget_window_end_timestamp_seconds":   current(func(s *snapshot) float64 { return float64(s.nextReset) }),
	}
}

func budgetClass(id int) string {
	return budgetWindows[id%len(budgetWindows)].String() + "-" + spendShapes[id/len(budgetWindows)%len(spendShapes)].name
}

// A budget spends 50 to 120 % of its amount in a typical window; windows differ by 15 % (one standard deviation).
func buildBudget(seed uint64, id int, c *Clock) *Key {
	shape := spendShapes[id/len(budgetWindows)%len(spendShapes)]
	r := newRand(seed, uint64(id))
	k := &Key{ID: id, Class: budgetClass(id), Reset: budgetWindows[id%len(budgetWindows)], Unlimited: true}
	k.Name = fmt.Sprintf("%s-%d", k.Class, id)
	k.Env.Lag, k.Env.TTL = r.IntN(20), 3600
	k.Env.Lives = oneLife(id, c, r)
	mean := r.U(0.5, 1.2)
	k.demand(c, r, shape.build(c, r), func() float64 { return mean * math.Exp(0.15*r.NormFloat64()) })
	k.Budget = k.limit0
	k.simulate(c, r)
	return k
}

type budgetTally struct {
	windows, over, announced, falses int
	leads                            []float64 // share of the window between the alert and the minute in which the budget was used up
}

// BudgetReport compares the alerts that a budget will be exceeded with the end of its window.
type BudgetReport struct {
	c       *Clock
	sets    []RuleSet
	tallies map[string]map[string]*budgetTally // by set and class
}

func (rp *BudgetReport) judge(k *Key, set string, eps []Episode) {
	t := tallyOf(rp.tallies, set, k.Class)
	minute := func(unix int64) int { return int((unix - rp.c.T0) / 60) }
	for from := rp.c.ScoreFrom; from < rp.c.RunTo; {
		to := minute(windowEnd(k.Reset, rp.c.unix(from)))
		begin := minute(windowStart(k.Reset, rp.c.unix(from)))
		if to > rp.c.RunTo {
			return
		}
		if begin == from {
			t.add(k, eps, rp.c, begin, to)
		}
		from = to
	}
}

func (t *budgetTally) add(k *Key, eps []Episode, c *Clock, begin, end int) {
	t.windows++
	used := -1
	for m := begin; m < end && used < 0; m++ {
		if k.total[m]-k.total[begin] > k.Budget {
			used = m
		}
	}
	first := -1
	for _, e := range eps {
		m := int((e.Start - c.T0) / 60)
		if !e.Matches || m < begin || m >= end {
			continue
		}
		if used < 0 {
			t.falses++
		} else if m < used && (first < 0 || m < first) {
			first = m
		}
	}
	if used >= 0 {
		t.over++
		if first >= 0 {
			t.announced++
			t.leads = append(t.leads, float64(used-first)/float64(end-begin))
		}
	}
}

func (rp *BudgetReport) print(w io.Writer, _ int) {
	head := []string{"budgets", "windows", "exceeded"}
	for _, col := range []string{"announced %", "lead", "false"} {
		for _, s := range rp.sets {
			head = append(head, col+" "+s.Name)
		}
	}
	var rows [][]string
	for id := range len(budgetWindows) * len(spendShapes) {
		class := budgetClass(id%len(spendShapes)*len(budgetWindows) + id/len(spendShapes))
		first := rp.tallies[rp.sets[0].Name][class]
		if first == nil {
			continue
		}
		cells := []string{class, fmt.Sprint(first.windows), fmt.Sprint(first.over)}
		for _, cell := range []func(*budgetTally) string{
			func(t *budgetTally) string { return pct(t.announced, t.over) },
			func(t *budgetTally) string { return fmt.Sprintf("%.2f", median(t.leads)) },
			func(t *budgetTally) string { return fmt.Sprint(t.falses) },
		} {
			for _, s := range rp.sets {
				cells = append(cells, cell(rp.tallies[s.Name][class]))
			}
		}
		rows = append(rows, cells)
	}
	fmt.Fprint(w, "\nBudgets. announced = an alert before the budget was used up, in % of the exceeded windows; lead = median share of the window between them; false = alerts in windows that ended within the budget.\n\n")
	printTable(w, head, rows)
}

func median(xs []float64) float64 {
	if len(xs) == 0 {
		return math.NaN()
	}
	sort.Float64s(xs)
	return xs[len(xs)/2]
}
