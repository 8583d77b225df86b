#include "placement/hasher.h"

#include <algorithm>

#include "placement/crc.h"
#include "placement/fnv.h"
#include "placement/hsieh.h"
#include "placement/java_hashes.h"
#include "placement/jenkins.h"
#include "placement/md5.h"
#include "placement/murmur.h"
#include "placement/one_at_a_time.h"
#include "placement/xxh3.h"

namespace mcsteady::placement {
namespace {

using Text = std::string_view;

/// Any hash of bytes alone, as one that is also handed a seed.
template <auto kHash>
std::uint64_t unseeded(Text bytes, std::uint64_t /*seed*/) {
  return kHash(bytes);
}

std::uint32_t md5_start(Text bytes) {
  return md5(bytes)[0];
}
std::uint32_t crc32_positive(Text bytes) {
  return crc32(bytes) & 0x7fffffff;
}
std::uint32_t crc32_upper_not_zero(Text bytes) {
  return std::max(crc32_upper(bytes), 1u);
}

}  // namespace

Hasher::Hasher(Hash hash, std::uint64_t seed) : function_(function_of(hash)), seed_(seed) {}

Hasher::Function Hasher::function_of(Hash hash) {
  switch (hash) {
    case Hash::OneAtATime:
      return unseeded<one_at_a_time>;
    case Hash::Md5:
      return unseeded<md5_start>;
    case Hash::Crc16:
      return unseeded<crc16>;
    case Hash::Crc32Upper:
      return unseeded<crc32_upper>;
    case Hash::Crc32:
      return unseeded<crc32>;
    case Hash::Fnv1_64:
      return unseeded<fnv1_64>;
    case Hash::Fnv1a_64:
      return unseeded<fnv1a_64>;
    case Hash::Fnv1_32:
      return unseeded<fnv1_32>;
    case Hash::Fnv1a_32:
      return unseeded<fnv1a_32>;
    case Hash::Hsieh:
      return unseeded<hsieh>;
    case Hash::Murmur2:
      return unseeded<murmur2>;
    case Hash::Murmur3:
      return unseeded<murmur3_of_libhashkit>;
    case Hash::Jenkins:
      return unseeded<jenkins>;
    case Hash::Xxh3:
      return xxh3;
    case Hash::JavaNative:
      return unseeded<java_native>;
    case Hash::JavaFnv1_64:
      return unseeded<java_fnv1<kFnv64Start, kFnv64Prime>>;
    case Hash::JavaFnv1a_64:
      return unseeded<java_fnv1a<kFnv64Start, kFnv64Prime>>;
    case Hash::JavaFnv1_32:
      return unseeded<java_fnv1<kFnv32Start, kFnv32Prime>>;
    case Hash::JavaFnv1a_32:
      return unseeded<java_fnv1a<kFnv32Start, kFnv32Prime>>;
    case Hash::JavaOneAtATime:
      return unseeded<java_one_at_a_time>;
    case Hash::Crc32Positive:
      return unseeded<crc32_positive>;
    case Hash::Crc32UpperNotZero:
      return unseeded<crc32_upper_not_zero>;
  }
  return unseeded<one_at_a_time>;
}

}  // namespace mcsteady::placement
