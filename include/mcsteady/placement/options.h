#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mcsteady::placement {

/// The hashes of the clients that we can stand in for. "Signed" ones take a byte from 0x80 on as C
/// does on x86-64; Java's take UTF-16 units of the text. Each says its source in src/placement/.
enum class Hash : std::uint8_t {
  OneAtATime,  // signed; libmemcached's default
  Md5,         // the first four bytes, little-endian: ketama's
  Crc16,       // twemproxy's
  Crc32Upper,  // 15 bits: libmemcached's crc, twemproxy's crc32, python-memcached
  Crc32,       // zlib's: Dalli, gomemcache, twemproxy's crc32a
  Fnv1_64,     // signed, as the next three; the low half
  Fnv1a_64,    // twemproxy's default
  Fnv1_32,
  Fnv1a_32,
  Hsieh,
  Murmur2,
  Murmur3,  // libmemcached's, seeded by the length
  Jenkins,
  Xxh3,  // 64 bits, with a seed: memcached's proxy
  JavaNative,
  JavaFnv1_64,
  JavaFnv1a_64,
  JavaFnv1_32,
  JavaFnv1a_32,
  JavaOneAtATime,
  Crc32Positive,     // 31 bits: mcrouter's Crc32
  Crc32UpperNotZero  // python-memcached: 1 in place of 0
};

/// What of a key is hashed. The steps are taken in the order given here.
struct KeyPart {
  std::string prefix_ignored = {};  // taken off where a key begins with it
  bool routing_prefix = false;      // mcrouter's "/region/cluster/" is taken off
  std::string tag = {};             // empty, or two characters: what lies between them counts
  bool empty_tag_counts = false;  // memcached's proxy hashes nothing then, twemproxy the whole key
  std::string stop = {};          // what comes before it counts
  std::string salt = {};          // put behind what is left
  friend bool operator==(const KeyPart&, const KeyPart&) = default;
};

/// How a server is called in a ring. "host" is as written in the list of servers.
enum class Names : std::uint8_t {
  Libmemcached,     // host, with :port unless that is 11211; "/path:0"
  Twemproxy,        // the server's own name, or the same; "/path:"
  Address,          // host:port; "/path": Dalli, pymemcache, mcrouter's tags (or the own name)
  Slash,            // "/host:port": libmemcached's consistent_ketama_spy
  Spymemcached,     // "host/ip:port", or "ip:port" for a host that is an address
  Xmemcached,       // "host/ip:port", or "/ip:port"
  XmemcachedNginx,  // ip, with :port unless that is 11211
  Evcache,          // "host/host:port": memcached's proxy
};

/// A recipe: what of a key is hashed, by what, and how the hash becomes a server. The default is
/// libmemcached's ketama. The configuration's `placement: { like: ... }` names the recipes of the
/// clients and proxies there are; nothing stops other mixtures.
struct PlacementOptions {
  enum class Kind : std::uint8_t {
    Ketama,              // a ring: the server of the first point that is not below the hash
    Modula,              // the hash modulo the number of slots
    Jump,                // Lamping and Veach's jump hash over the list
    Ch3,                 // mcrouter's furc hash over the list
    WeightedCh3,         // the same, with a chance in [0, 1] that a server refuses a key
    ConstShard,          // mcrouter: the number in "a:12:b", else Ch3
    Rendezvous,          // mcrouter's
    WeightedRendezvous,  // mcrouter's
    Pymemcache,          // its rendezvous hash
    Table,               // our own: Maglev's table of slots, by weight
  } kind = Kind::Ketama;

  enum class Ring : std::uint8_t {
    Libmemcached,  // Plain, or Weighted once a server's weight is above 1
    Plain,         // `points` a server: point_hash of "name-j"
    Weighted,      // 160 a server on the whole, by weight, counted in single precision; MD5
    Digests,       // `points` a server, or as many by weight; four from each MD5 of "name-j"
    Dalli,         // 160 a server on the whole, by weight; SHA-1; the last point not above the hash
  } ring = Ring::Libmemcached;
  std::uint32_t points = 100;
  Hash point_hash = Hash::OneAtATime;
  bool weighted_points = true;  // Digests: a server has `points` as many times as its weight says
  enum class Ties : std::uint8_t { First, Last, ByValue } ties = Ties::First;  // of equal points

  Hash hash = Hash::OneAtATime;
  std::uint64_t seed = 0;  // Xxh3
  Names names = Names::Libmemcached;
  enum class Order : std::uint8_t {
    Written,  // of the list
    ByName,   // twemproxy: the length of the ring name, then its bytes
    ByText,   // the bytes of the ring name
    ByHost,   // libmemcached's sort_hosts: host, then port
  } order = Order::Written;
  bool weighted_slots = false;         // Modula: a server has as many slots as its weight says
  std::vector<double> weights = {};    // mcrouter's, by position; else those of the servers
  bool python_bytes = false;           // Pymemcache: keys were given as bytes, not as str
  bool decodes_base64 = true;          // a meta key with the flag b is hashed as what it stands for
  bool ejecting_keeps_places = false;  // libmemcached's modula: a dead server keeps its keys
  enum class Rehash : std::uint8_t {
    Dalli,            // 20 looks, with "0", "1", ... before the key
    Spymemcached,     // 7 looks, each adding the hash of "0key", "1key", ...
    PythonMemcached,  // 10 tries, the hash of the last hash's digits and the number of the try
    NextInList,       // spymemcached's ArrayMod
  } rehash = Rehash::Dalli;

  KeyPart key = {};
  friend bool operator==(const PlacementOptions&, const PlacementOptions&) = default;
};

}  // namespace mcsteady::placement
