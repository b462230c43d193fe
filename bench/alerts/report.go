package main

import (
	"fmt"
	"io"
	"sort"
	"strings"
)

func (rp *Report) print(w io.Writer) {
	total := map[string]*tally{}
	for _, s := range rp.sets {
		total[s.Name] = &tally{}
		for _, t := range rp.tallies[s.Name] {
			total[s.Name].add(t)
		}
	}
	get := func(set, class string) *tally {
		if class == "TOTAL" {
			return total[set]
		}
		return rp.tallies[set][class]
	}
	var names []string
	for _, s := range rp.sets {
		names = append(names, s.Name)
	}
	table := func(title string, fixed []string, fix func(*tally) []string, cols []string, cell func(*tally) []string) {
		head := append([]string{"class"}, fixed...)
		for _, col := range cols {
			for _, n := range names {
				head = append(head, col+" "+n)
			}
		}
		var rows [][]string
		for _, cl := range append(append([]string{}, rp.order...), "TOTAL") {
			if get(names[0], cl) == nil {
				continue
			}
			row := append([]string{cl}, fix(get(names[0], cl))...)
			for i := range cols {
				for _, n := range names {
					row = append(row, cell(get(n, cl))[i])
				}
			}
			rows = append(rows, row)
		}
		fmt.Fprintf(w, "\n%s\n\n", title)
		printTable(w, head, rows)
	}
	table("Detection. exh = exhaustions (F foreseeable, S sudden, B blind: data frozen). >=1h = % of F warned an hour ahead (warning or critical); crit15 = % of F with a critical alert >= 15 min ahead; med, p10 = lead in hours over F (missed = 0); miss = F never announced.",
		[]string{"keys", "F", "S", "B"},
		func(t *tally) []string {
			return []string{fmt.Sprint(t.keys), fmt.Sprint(t.fore), fmt.Sprint(t.sudden), fmt.Sprint(t.blind)}
		},
		[]string{">=1h", "med", "p10", "miss", "crit15"},
		func(t *tally) []string {
			return []string{pct(t.fore1h, t.fore), quant(t.leads, 0.5), quant(t.leads, 0.1), fmt.Sprint(t.foreMissed), pct(t.crit15, t.fore)}
		})
	table("Noise. fc, fw = false critical and warning episodes per 100 key-months; epi = episodes per exhaustion, of alerts of every severity; flap = of these, repeats of the same alert.",
		[]string{"keys"}, func(t *tally) []string { return []string{fmt.Sprint(t.keys)} },
		[]string{"fc", "fw", "epi", "flap"},
		func(t *tally) []string {
			e := max(1, t.exh)
			return []string{rp.rate(t.falseCrit, t), rp.rate(t.falseWarn, t), fmt.Sprintf("%.1f", float64(t.episodes)/float64(e)), fmt.Sprintf("%.1f", float64(t.flaps)/float64(e))}
		})
	rp.printTotals(w, names, total)
}

func (rp *Report) printTotals(w io.Writer, names []string, total map[string]*tally) {
	fmt.Fprintf(w, "\nTotals per rule set\n\n")
	var rows [][]string
	line := func(name string, f func(*tally) string) {
		row := []string{name}
		for _, n := range names {
			row = append(row, f(total[n]))
		}
		rows = append(rows, row)
	}
	i := func(f func(*tally) int) func(*tally) string { return func(t *tally) string { return fmt.Sprint(f(t)) } }
	line("foreseeable exhaustions", i(func(t *tally) int { return t.fore }))
	line("warned >= 1 h ahead, %", func(t *tally) string { return share(t.fore1h, t.fore, 2) })
	line("critical >= 15 min ahead, %", func(t *tally) string { return share(t.crit15, t.fore, 2) })
	line("lead median / p10, h", func(t *tally) string { return quant(t.leads, 0.5) + " / " + quant(t.leads, 0.1) })
	line("foreseeable, never announced", i(func(t *tally) int { return t.foreMissed }))
	line("sudden + blind exhaustions", i(func(t *tally) int { return t.sudden + t.blind }))
	line("  announced before", i(func(t *tally) int { return t.sudden + t.blind - t.otherMissed }))
	line("critical episodes (false)", func(t *tally) string { return fmt.Sprintf("%d (%d)", t.crit, t.falseCrit) })
	line("false critical / 100 key-months", func(t *tally) string { return rp.rate(t.falseCrit, t) })
	line("warning episodes (false)", func(t *tally) string { return fmt.Sprintf("%d (%d)", t.warn, t.falseWarn) })
	line("false warning / 100 key-months", func(t *tally) string { return rp.rate(t.falseWarn, t) })
	line("episodes per exhaustion (flaps)", func(t *tally) string {
		e := float64(max(1, t.exh))
		return fmt.Sprintf("%.2f (%.2f)", float64(t.episodes)/e, float64(t.flaps)/e)
	})
	printTable(w, append([]string{""}, names...), rows)
}

// rate is a number for 100 keys in 30 days.
func (rp *Report) rate(n int, t *tally) string {
	return fmt.Sprintf("%.1f", 100*float64(n)/(float64(t.keys)*rp.days/30))
}

func pct(a, b int) string { return share(a, b, 1) }

// share is a percentage. One that a bar judges has two digits, or 98.95 would meet 99.
func share(a, b, digits int) string {
	if b == 0 {
		return "-"
	}
	return fmt.Sprintf("%.*f", digits, 100*float64(a)/float64(b))
}

func quant(xs []float64, q float64) string {
	if len(xs) == 0 {
		return "-"
	}
	s := append([]float64{}, xs...)
	sort.Float64s(s)
	return fmt.Sprintf("%.1f", s[int(q*float64(len(s)-1))]/3600)
}

func printTable(w io.Writer, head []string, rows [][]string) {
	width := make([]int, len(head))
	for _, r := range append([][]string{head}, rows...) {
		for i, x := range r {
			width[i] = max(width[i], len(x))
		}
	}
	line := func(r []string) {
		for i, x := range r {
			if i == 0 {
				fmt.Fprintf(w, "| %-*s ", width[i], x)
			} else {
				fmt.Fprintf(w, "| %*s ", width[i], x)
			}
		}
		fmt.Fprintln(w, "|")
	}
	line(head)
	for i, n := range width {
		if i == 0 {
			fmt.Fprintf(w, "|%s", strings.Repeat("-", n+2))
		} else {
			fmt.Fprintf(w, "|%s:", strings.Repeat("-", n+1))
		}
	}
	fmt.Fprintln(w, "|")
	for _, r := range rows {
		line(r)
	}
}

// tallyOf returns the tally of one class under one rule set, and creates it if there is none.
func tallyOf(tallies map[string]map[string]*tally, set, class string) *tally {
	if tallies[set] == nil {
		tallies[set] = map[string]*tally{}
	}
	if tallies[set][class] == nil {
		tallies[set][class] = new(tally)
	}
	return tallies[set][class]
}
