#pragma once

#include <string>

namespace mcsteady::test {

/// Certificates made on the spot, in a folder that goes with this: nothing in the repository can
/// expire. Files are PEM. The keys are of a kind whose signatures are all of one size.
class TestCertificates {
 public:
  TestCertificates();
  ~TestCertificates();
  TestCertificates(const TestCertificates&) = delete;
  TestCertificates& operator=(const TestCertificates&) = delete;

  std::string ca() const { return folder_ + "/ca.pem"; }
  struct Pair {
    std::string certificate;
    std::string key;
  };
  /// Signed by ca(), for the DNS name; good from a day ago until `days` from now.
  Pair issue(const std::string& name, int days = 30);
  /// Signed by nobody but itself.
  Pair self_signed(const std::string& name);

 private:
  struct Authority;
  Pair make(const std::string& name, int days, const Authority* by, bool is_authority);

  std::string folder_;
  int count_ = 0;
  Authority* authority_ = nullptr;
};

}  // namespace mcsteady::test
