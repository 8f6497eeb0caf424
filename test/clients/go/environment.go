package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"time"

	"k8s.io/client-go/rest"
)

// environment is a control plane as Go test suites start it: etcd, then the API server, each polled until it is healthy.
type environment struct {
	assets, certs, data string
	etcdURL             string
	port                int
	etcd, apiserver     *exec.Cmd
	authority           *x509.Certificate
	authorityKey        *ecdsa.PrivateKey
}

func newEnvironment(assets string) (*environment, error) {
	env := &environment{assets: assets}
	var err error
	if env.certs, err = os.MkdirTemp("", "certs-"); err != nil {
		return nil, err
	}
	if env.data, err = os.MkdirTemp("", "etcd-"); err != nil {
		return nil, err
	}
	if err = env.makeCertificates(); err != nil {
		return nil, err
	}
	if env.port, err = freePort(); err != nil {
		return nil, err
	}
	return env, nil
}

func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}

// knows says whether the help of a program has a flag.
func (env *environment) knows(program, flag string) bool {
	help, err := exec.Command(filepath.Join(env.assets, program), "--help").CombinedOutput()
	return err == nil && regexp.MustCompile(`(?m)^\s*--`+flag+`\b`).Match(help)
}

func (env *environment) startEtcd() (time.Duration, error) {
	client, err := freePort()
	if err != nil {
		return 0, err
	}
	peer, err := freePort()
	if err != nil {
		return 0, err
	}
	env.etcdURL = fmt.Sprintf("http://127.0.0.1:%d", client)
	args := []string{
		fmt.Sprintf("--listen-peer-urls=http://127.0.0.1:%d", peer),
		"--listen-client-urls=" + env.etcdURL,
		"--advertise-client-urls=" + env.etcdURL,
		"--data-dir=" + env.data,
	}
	if env.knows("etcd", "unsafe-no-fsync") {
		args = append(args, "--unsafe-no-fsync=true")
	}
	env.etcd, err = env.run("etcd", args)
	if err != nil {
		return 0, err
	}
	return waitFor(env.etcdURL + "/health")
}

func (env *environment) startAPIServer() (time.Duration, error) {
	in := func(name string) string { return filepath.Join(env.certs, name) }
	args := []string{
		fmt.Sprintf("--secure-port=%d", env.port),
		"--bind-address=127.0.0.1",
		"--cert-dir=" + env.certs,
		"--etcd-servers=" + env.etcdURL,
		"--service-cluster-ip-range=10.0.0.0/24",
		"--allow-privileged=true",
		"--disable-admission-plugins=ServiceAccount",
		"--authorization-mode=RBAC",
		fmt.Sprintf("--service-account-issuer=https://127.0.0.1:%d/", env.port),
		"--service-account-key-file=" + in("sa-signer.crt"),
		"--service-account-signing-key-file=" + in("sa-signer.key"),
		"--client-ca-file=" + in("client-cert-auth-ca.crt"),
	}
	if env.knows("kube-apiserver", "insecure-port") {
		return 0, fmt.Errorf("the API server has a port without TLS")
	}
	var err error
	env.apiserver, err = env.run("kube-apiserver", args)
	if err != nil {
		return 0, err
	}
	return waitFor(fmt.Sprintf("https://127.0.0.1:%d/readyz", env.port))
}

func (env *environment) run(program string, args []string) (*exec.Cmd, error) {
	command := exec.Command(filepath.Join(env.assets, program), args...)
	command.Stderr = os.Stderr
	return command, command.Start()
}

// waitFor polls without credentials and without verifying, as test environments do.
func waitFor(url string) (time.Duration, error) {
	started := time.Now()
	client := http.Client{
		Timeout:   time.Second,
		Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true},
	}
	for time.Since(started) < 20*time.Second {
		response, err := client.Get(url)
		if err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return time.Since(started), nil
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
	return 0, fmt.Errorf("%s is not healthy after 20 s", url)
}

// stop sends SIGTERM and waits for the end of the process.
func stop(command *exec.Cmd) (time.Duration, error) {
	if command == nil || command.Process == nil {
		return 0, nil
	}
	started := time.Now()
	if err := command.Process.Signal(syscall.SIGTERM); err != nil {
		return 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	select {
	case err := <-ended:
		return time.Since(started), err
	case <-time.After(20 * time.Second):
		command.Process.Kill()
		return 0, fmt.Errorf("%s does not end", command.Path)
	}
}

func (env *environment) close() {
	stop(env.apiserver)
	stop(env.etcd)
	os.RemoveAll(env.certs)
	os.RemoveAll(env.data)
}

// config is that of a user of the environment's own authority.
func (env *environment) config(user string, groups ...string) (*rest.Config, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()),
		Subject:      pkix.Name{CommonName: user, Organization: groups},
		NotBefore:    time.Now().Add(-time.Minute),
		NotAfter:     time.Now().Add(time.Hour),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, env.authority, key.Public(), env.authorityKey)
	if err != nil {
		return nil, err
	}
	keyDER, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	serverCA, err := os.ReadFile(filepath.Join(env.certs, "apiserver.crt"))
	if err != nil {
		return nil, err
	}
	return &rest.Config{
		Host: fmt.Sprintf("https://127.0.0.1:%d", env.port),
		TLSClientConfig: rest.TLSClientConfig{
			CAData:   serverCA,
			CertData: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
			KeyData:  pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: keyDER}),
		},
		QPS:   1000,
		Burst: 2000,
	}, nil
}

func (env *environment) makeCertificates() error {
	template := func(name string) *x509.Certificate {
		return &x509.Certificate{
			SerialNumber:          big.NewInt(time.Now().UnixNano()),
			Subject:               pkix.Name{CommonName: name},
			NotBefore:             time.Now().Add(-time.Minute),
			NotAfter:              time.Now().Add(time.Hour),
			KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign | x509.KeyUsageKeyEncipherment,
			BasicConstraintsValid: true,
			IsCA:                  true,
		}
	}
	var err error
	if env.authorityKey, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		return err
	}
	authority := template("authority of clients")
	der, err := x509.CreateCertificate(rand.Reader, authority, authority, env.authorityKey.Public(), env.authorityKey)
	if err != nil {
		return err
	}
	if env.authority, err = x509.ParseCertificate(der); err != nil {
		return err
	}
	if err = env.write("client-cert-auth-ca.crt", "CERTIFICATE", der); err != nil {
		return err
	}
	for _, name := range []string{"apiserver", "sa-signer"} {
		key, err := rsa.GenerateKey(rand.Reader, 2048)
		if err != nil {
			return err
		}
		certificate := template(name)
		certificate.IPAddresses = []net.IP{net.ParseIP("127.0.0.1")}
		certificate.DNSNames = []string{"localhost"}
		certificate.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
		der, err := x509.CreateCertificate(rand.Reader, certificate, certificate, key.Public(), key)
		if err != nil {
			return err
		}
		if err = env.write(name+".crt", "CERTIFICATE", der); err != nil {
			return err
		}
		if err = env.write(name+".key", "RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(key)); err != nil {
			return err
		}
	}
	return nil
}

func (env *environment) write(name, kind string, der []byte) error {
	return os.WriteFile(filepath.Join(env.certs, name), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
}
