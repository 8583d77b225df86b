"""Certificates as a test wants them, made with OpenSSL's own command."""

import os
import ssl
import subprocess
import tempfile

CONFIG = """
[ca]
default_ca = tests
[tests]
database = {folder}/index
new_certs_dir = {folder}
certificate = {folder}/ca.pem
private_key = {folder}/ca.key
rand_serial = yes
unique_subject = no
default_md = sha256
default_days = 2
copy_extensions = copy
policy = any
[any]
commonName = supplied
"""
KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]


def openssl(*arguments):
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)


class Authority:
    """Issues certificates. `ca` is the file with its own; files are readable for all, as memcached
    reads them as another user."""

    def __init__(self, name="authority"):
        self._dir = tempfile.TemporaryDirectory(prefix="mcsteady-ca-")
        self.folder = self._dir.name
        os.chmod(self.folder, 0o755)
        self.ca = f"{self.folder}/ca.pem"
        open(f"{self.folder}/index", "w", encoding="ascii").close()
        with open(f"{self.folder}/config", "w", encoding="ascii") as config:
            config.write(CONFIG.format(folder=self.folder))
        openssl("req", "-x509", *KEY, "-days", "2", "-subj", f"/CN={name}",
                "-keyout", f"{self.folder}/ca.key", "-out", self.ca)

    def issue(self, name, san="IP:127.0.0.1", expired=False):
        """The files (certificate, key). The same name again: they are replaced."""
        certificate, key = f"{self.folder}/{name}.pem", f"{self.folder}/{name}.key"
        fresh = f"{self.folder}/{name}.new"
        openssl("req", "-new", *KEY, "-subj", f"/CN={name}", "-addext", f"subjectAltName={san}",
                "-keyout", f"{fresh}.key", "-out", f"{fresh}.csr")
        dates = ["-startdate", "20200101000000Z", "-enddate", "20200201000000Z"] if expired else []
        openssl("ca", "-batch", "-config", f"{self.folder}/config", *dates,
                "-in", f"{fresh}.csr", "-out", f"{fresh}.pem", "-notext")
        os.chmod(f"{fresh}.key", 0o644)
        os.replace(f"{fresh}.key", key)
        os.replace(f"{fresh}.pem", certificate)
        return certificate, key

    def server_context(self, name="server", clients=False, **options):
        """For a server of the test's own. `clients`: they need a certificate of this authority."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*self.issue(name, **options))
        if clients:
            context.load_verify_locations(self.ca)
            context.verify_mode = ssl.CERT_REQUIRED
        return context

    def client_context(self, certificate=None):
        context = ssl.create_default_context(cafile=self.ca)
        if certificate:
            context.load_cert_chain(*certificate)
        return context

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._dir.cleanup()
