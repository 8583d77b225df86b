#include <algorithm>
#include <cassert>
#include <charconv>
#include <limits>

#include "mcsteady/protocol/binary.h"
#include "protocol/binary/base64.h"
#include "protocol/words.h"

namespace mcsteady::protocol::binary {
namespace {

/// The words of one command, with a blank between them.
class Line {
 public:
  Line(std::string_view verb, char* out) : begin_(out), out_(out) { put(verb); }

  void key(std::string_view key) {
    *out_++ = ' ';
    if (needs_base64(key)) {
      out_ = put_base64(key, out_);
    } else {
      put(key);
    }
  }
  void word(std::string_view text) {
    *out_++ = ' ';
    put(text);
  }
  /// `flag` and its number; a blank for the flag: the number alone.
  void number(char flag, std::uint64_t number) {
    *out_++ = ' ';
    if (flag != ' ') *out_++ = flag;
    out_ = std::to_chars(out_, out_ + 20, number).ptr;
  }
  /// A server takes 31 bits. What does not fit is a date of more than them, which is as far off.
  void exptime(char flag, std::uint32_t exptime) {
    constexpr std::uint32_t kServerMax = std::numeric_limits<std::int32_t>::max();
    number(flag, std::min(exptime, kServerMax));
  }
  std::size_t end() {
    put("\r\n");
    const auto size = static_cast<std::size_t>(out_ - begin_);
    assert(size <= kCommandMax);
    return size;
  }

 private:
  void put(std::string_view text) { out_ = std::copy(text.begin(), text.end(), out_); }

  char* const begin_;
  char* out_;
};

void put_key(Line& line, const Request& request) {
  line.key(request.key);
}
void put_base64_flag(Line& line, const Request& request) {
  if (needs_base64(request.key)) line.word("b");
}

std::size_t compose_get(const Request& request, char* out) {
  Line line("mg", out);
  put_key(line, request);
  put_base64_flag(line, request);
  if (request.call.verb != Verb::Get) line.exptime('T', request.exptime);
  line.word("f");
  line.word("c");
  if (request.call.verb != Verb::Touch) line.word("v");
  return line.end();
}

/// memcached compares the CAS of a set, add or replace in one and the same way, where there is one.
void put_mode(Line& line, const Request& request) {
  const bool compares = request.cas != 0;
  switch (request.call.verb) {
    case Verb::Append:
      return line.word("MA");
    case Verb::Prepend:
      return line.word("MP");
    case Verb::Add:
      if (!compares) line.word("ME");
      return;
    case Verb::Replace:
      if (!compares) line.word("MR");
      return;
    default:
      return;
  }
}

std::size_t compose_set(const Request& request, char* out) {
  const bool extends = request.call.verb == Verb::Append || request.call.verb == Verb::Prepend;
  Line line("ms", out);
  put_key(line, request);
  line.number(' ', request.value_size);
  put_base64_flag(line, request);
  if (!extends) {
    line.exptime('T', request.exptime);
    line.number('F', request.flags);
  }
  put_mode(line, request);
  if (request.cas != 0) line.number('C', request.cas);
  line.word("c");
  return line.end();
}

std::size_t compose_delete(const Request& request, char* out) {
  Line line("md", out);
  put_key(line, request);
  put_base64_flag(line, request);
  if (request.cas != 0) line.number('C', request.cas);
  return line.end();
}

std::size_t compose_count(const Request& request, char* out) {
  Line line("ma", out);
  put_key(line, request);
  put_base64_flag(line, request);
  if (request.call.verb == Verb::Decr) line.word("MD");
  line.number('D', request.delta);
  if (request.exptime != kDoNotCreate) {
    line.exptime('N', request.exptime);
    line.number('J', request.initial);
  }
  if (request.cas != 0) line.number('C', request.cas);
  line.word("c");
  line.word("v");
  return line.end();
}

std::size_t compose_flush(const Request& request, char* out) {
  Line line("flush_all", out);
  if (request.exptime != 0) line.exptime(' ', request.exptime);
  return line.end();
}

}  // namespace

bool needs_base64(std::string_view key) {
  Words words(key);
  return words.next() != key || words.saw_control();
}

std::size_t compose_command(const Request& request, char* out) {
  switch (command_verb(request.call.verb)) {
    case Verb::MetaGet:
      return compose_get(request, out);
    case Verb::MetaSet:
      return compose_set(request, out);
    case Verb::MetaDelete:
      return compose_delete(request, out);
    case Verb::MetaArithmetic:
      return compose_count(request, out);
    default:
      return compose_flush(request, out);
  }
}

Verb command_verb(Verb verb) {
  switch (verb) {
    case Verb::Set:
    case Verb::Add:
    case Verb::Replace:
    case Verb::Append:
    case Verb::Prepend:
      return Verb::MetaSet;
    case Verb::Delete:
      return Verb::MetaDelete;
    case Verb::Incr:
    case Verb::Decr:
      return Verb::MetaArithmetic;
    case Verb::Get:
    case Verb::Gat:
    case Verb::Touch:
      return Verb::MetaGet;
    default:
      assert(verb == Verb::FlushAll);
      return Verb::FlushAll;
  }
}

bool is_idempotent(const Request& request) {
  switch (request.call.verb) {
    case Verb::Get:
    case Verb::Gat:
    case Verb::Touch:
      return true;
    case Verb::Set:
    case Verb::Delete:
      return request.cas == 0;
    default:
      return false;
  }
}

}  // namespace mcsteady::protocol::binary
