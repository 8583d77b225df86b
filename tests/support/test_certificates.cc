#include "support/test_certificates.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace mcsteady::test {
namespace {

constexpr long kDay = 24L * 60 * 60;

void add_extension(X509* certificate, int nid, const std::string& value) {
  X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, nullptr, nid, value.c_str());
  assert(extension != nullptr);
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

}  // namespace

struct TestCertificates::Authority {
  X509* certificate;
  EVP_PKEY* key;
};

TestCertificates::TestCertificates() {
  folder_ = (std::filesystem::temp_directory_path() / "mcsteady-tls-XXXXXX").string();
  const char* const made = mkdtemp(folder_.data());
  assert(made != nullptr);
  static_cast<void>(made);
  make("ca", 30, nullptr, true);
}

TestCertificates::~TestCertificates() {
  X509_free(authority_->certificate);
  EVP_PKEY_free(authority_->key);
  delete authority_;
  std::filesystem::remove_all(folder_);
}

TestCertificates::Pair TestCertificates::issue(const std::string& name, int days) {
  return make(name, days, authority_, false);
}

TestCertificates::Pair TestCertificates::self_signed(const std::string& name) {
  return make(name, 30, nullptr, false);
}

TestCertificates::Pair TestCertificates::make(const std::string& name, int days,
                                              const Authority* by, bool is_authority) {
  EVP_PKEY* const key = EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519");
  X509* const made = X509_new();
  X509_set_version(made, X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(made), ++count_);
  X509_gmtime_adj(X509_getm_notBefore(made), -2 * kDay);
  X509_gmtime_adj(X509_getm_notAfter(made), days * kDay);
  X509_set_pubkey(made, key);
  X509_NAME* const subject = X509_get_subject_name(made);
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  X509_set_issuer_name(made, by != nullptr ? X509_get_subject_name(by->certificate) : subject);
  if (is_authority) add_extension(made, NID_basic_constraints, "critical,CA:TRUE");
  add_extension(made, NID_subject_alt_name, "DNS:" + name);
  X509_sign(made, by != nullptr ? by->key : key, nullptr);

  const std::string base = folder_ + "/" + (is_authority ? "ca" : std::to_string(count_));
  Pair files{base + ".pem", base + ".key"};
  std::FILE* file = std::fopen(files.certificate.c_str(), "we");
  PEM_write_X509(file, made);
  (void)std::fclose(file);
  file = std::fopen(files.key.c_str(), "we");
  PEM_write_PrivateKey(file, key, nullptr, nullptr, 0, nullptr, nullptr);
  (void)std::fclose(file);
  if (is_authority) {
    authority_ = new Authority{made, key};
  } else {
    X509_free(made);
    EVP_PKEY_free(key);
  }
  return files;
}

}  // namespace mcsteady::test
