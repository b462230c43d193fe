// Exposes the series of a file with client_golang, used as in its documentation: a GaugeVec for each family.
package main

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

func main() {
	registry := prometheus.NewRegistry()
	if err := load(os.Args[1], registry); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	http.Handle("/metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	_ = http.Serve(listener, nil)
}

// load reads lines `family NAME LABEL…` and `row FAMILY VALUE LABELVALUE…`, with tabs between the parts.
func load(path string, registry *prometheus.Registry) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	var families []*prometheus.GaugeVec
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		parts := strings.Split(lines.Text(), "\t")
		if parts[0] == "family" {
			family := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: parts[1], Help: "Help."}, parts[2:])
			registry.MustRegister(family)
			families = append(families, family)
			continue
		}
		index, err := strconv.Atoi(parts[1])
		if err != nil {
			return err
		}
		value, err := strconv.ParseFloat(parts[2], 64)
		if err != nil {
			return err
		}
		families[index].WithLabelValues(parts[3:]...).Set(value)
	}
	return lines.Err()
}
