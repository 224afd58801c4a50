package service

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"syscall"
	"time"

	"equiproof/verify/tables"
)

// Listen listens at an address of this machine alone, such as 127.0.0.1:8080.
func Listen(address string) (net.Listener, error) {
	parsed, err := netip.ParseAddrPort(address)
	if err != nil || !parsed.Addr().IsLoopback() {
		return nil, errors.New(tables.Say("option.listen_without_address", address))
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("--listen %s: %w", address, reason(err))
	}
	return listener, nil
}

// ListenAt listens at a Unix socket, which only this user opens. A socket that nobody answers at is replaced.
func ListenAt(path string) (net.Listener, error) {
	info, err := os.Lstat(path)
	switch {
	case err == nil && info.Mode().Type() != fs.ModeSocket:
		return nil, fmt.Errorf("--socket %s: already there, and no socket", path)
	case err == nil:
		if other, err := net.DialTimeout("unix", path, time.Second); err == nil {
			return nil, errors.Join(fmt.Errorf("--socket %s: another program answers there", path), other.Close())
		}
		if err := os.Remove(path); err != nil {
			return nil, fmt.Errorf("--socket %s: %w", path, reason(err))
		}
	}
	// The socket is made with these permissions: there is no moment at which others could open it.
	before := syscall.Umask(0o177)
	listener, err := net.Listen("unix", path)
	syscall.Umask(before)
	if err != nil {
		return nil, fmt.Errorf("--socket %s: %w", path, reason(err))
	}
	return listener, nil
}

// reason is what the system said.
func reason(err error) error {
	var number syscall.Errno
	if errors.As(err, &number) {
		return number
	}
	return err
}
