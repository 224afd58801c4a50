package service

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strings"
)

var hostName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$`)

// Names refuses what cannot be a name of a host, among those that Server is to answer to.
func Names(hosts []string) error {
	for _, host := range hosts {
		if !hostName.MatchString(host) {
			return fmt.Errorf("--host: want the name of a host alone, such as log.example, without a port")
		}
	}
	return nil
}

// meant says whether a request names a host that this service is meant by. A page of the web whose own name was made to
// point at this machine ("DNS rebinding") is, for a browser, of one origin with the service, but cannot change the name that
// the browser asks for. At a Unix socket there are no browsers, and any name will do.
func meant(r *http.Request, hosts []string) bool {
	if at, known := r.Context().Value(http.LocalAddrContextKey).(net.Addr); known && at.Network() == "unix" {
		return true
	}
	name := r.Host
	if r.URL.Host != "" || r.URL.Scheme != "" {
		return false // words for a proxy, in which the name that was asked for is lost
	}
	if host, _, err := net.SplitHostPort(name); err == nil {
		name = host
	} else if inner, ok := strings.CutPrefix(name, "["); ok && strings.HasSuffix(inner, "]") {
		name = strings.TrimSuffix(inner, "]")
	}
	if address, err := netip.ParseAddr(name); err == nil {
		return address.IsLoopback() && address.Zone() == ""
	}
	return strings.EqualFold(name, "localhost") ||
		slices.ContainsFunc(hosts, func(host string) bool { return strings.EqualFold(name, host) })
}
