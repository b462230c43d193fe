package main

import (
	"fmt"
	"io"
	"sort"
)

// anomalyTally counts what one rule set found of one kind of key.
type anomalyTally struct {
	keys, anomalies, found, soon, falses int
	delays                               []float64 // seconds, of the anomalies that were found
}

func (t *anomalyTally) add(o *anomalyTally) {
	t.keys, t.anomalies, t.found, t.soon, t.falses = t.keys+o.keys, t.anomalies+o.anomalies, t.found+o.found, t.soon+o.soon, t.falses+o.falses
	t.delays = append(t.delays, o.delays...)
}

// AnomalyReport scores alerts on spend anomalies: which anomalies were announced, how soon, and how many alerts there
// were without one.
type AnomalyReport struct {
	c       *Clock
	sets    []RuleSet
	days    float64
	tallies map[string]map[string]*anomalyTally // by set and kind
}

// An alert that begins up to an hour after an anomaly still belongs to it: rates look back.
const afterAnomaly = 60

func (rp *AnomalyReport) judge(k *Key, set string, eps []Episode) {
	t := tallyOf(rp.tallies, set, k.Class)
	t.keys++
	var starts []int
	for _, e := range eps {
		if m := int((e.Start - rp.c.T0) / 60); e.Matches && m >= rp.c.ScoreFrom {
			starts = append(starts, m)
		}
	}
	sort.Ints(starts)
	for _, a := range k.anomalies {
		t.anomalies++
		for _, m := range starts {
			if !a.has(m) {
				continue
			}
			t.found++
			t.delays = append(t.delays, float64(m-a.from)*60)
			if m < a.from+60 {
				t.soon++
			}
			break
		}
	}
	for _, m := range starts {
		right := false
		for _, a := range k.anomalies {
			right = right || m >= a.from && m < a.to+afterAnomaly
		}
		if !right {
			t.falses++
		}
	}
}

func (rp *AnomalyReport) print(w io.Writer, _ int) {
	head := []string{"rules"}
	for _, kind := range anomalyKinds {
		head = append(head, kind.name)
	}
	head = append(head, "found %", "in 1 h %", "false")
	var found, delay, falses [][]string
	for _, s := range rp.sets {
		total := &anomalyTally{}
		f, d, n := []string{s.Name}, []string{s.Name}, []string{s.Name}
		for _, kind := range anomalyKinds {
			t := rp.tallies[s.Name][kind.name]
			if t == nil {
				t = &anomalyTally{}
			}
			total.add(t)
			f, d, n = append(f, pct(t.found, t.anomalies)), append(d, quant(t.delays, 0.5)), append(n, rp.rate(t))
		}
		found = append(found, append(f, pct(total.found, total.anomalies), pct(total.soon, total.anomalies), rp.rate(total)))
		delay, falses = append(delay, d), append(falses, n)
	}
	fmt.Fprint(w, "\nAnomalies of spend that an alert announced while they lasted, in %, by kind and in all; false = alerts without an anomaly per 100 key-months.\n\n")
	printTable(w, head, found)
	fmt.Fprint(w, "\nMedian delay of these alerts in hours.\n\n")
	printTable(w, head[:len(anomalyKinds)+1], delay)
	fmt.Fprint(w, "\nAlerts without an anomaly per 100 key-months.\n\n")
	printTable(w, head[:len(anomalyKinds)+1], falses)
}

func (rp *AnomalyReport) rate(t *anomalyTally) string {
	if t.keys == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", float64(t.falses)/float64(t.keys)/rp.days*30*100)
}
