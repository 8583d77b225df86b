#include <algorithm>
#include <cassert>

#include "mcsteady/protocol/request.h"
#include "protocol/meta/flags.h"
#include "protocol/verb.h"

namespace mcsteady::protocol {
namespace {

char* put(std::string_view text, char* out) {
  return std::copy(text.begin(), text.end(), out);
}

std::string_view without_trailing_blanks(std::string_view text) {
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

char* put_without_noreply(std::string_view line, char* out) {
  line = without_trailing_blanks(line);
  assert(line.ends_with("noreply"));
  line.remove_suffix(std::string_view("noreply").size());
  return put(without_trailing_blanks(line), out);
}

char* put_without_quiet_flag(const Request& request, char* out) {
  const std::string_view line = request.line;
  Words flags = meta::flag_words(line, request.verb == Verb::MetaSet);
  const char* kept = line.data();
  for (std::string_view flag = flags.next(); !flag.empty(); flag = flags.next()) {
    if (flag.front() == 'q') {
      const char* word_before = flag.data();
      while (word_before[-1] == ' ') --word_before;
      out = std::copy(kept, word_before, out);
      kept = flag.data() + flag.size();
    }
  }
  return std::copy(kept, line.data() + line.size(), out);
}

}  // namespace

std::size_t compose_command(const Request& request, char* out) {
  char* end = out;
  if (!request.quiet) {
    end = put(request.line, end);
  } else if (takes_quiet_flag(request.verb)) {
    end = put_without_quiet_flag(request, end);
  } else {
    end = put_without_noreply(request.line, end);
  }
  end = put("\r\n", end);
  return static_cast<std::size_t>(end - out);
}

Request deletion_of(const Request& storage, std::span<char, kDeletionMax> room) {
  const bool is_meta_set = storage.verb == Verb::MetaSet;
  const bool in_base64 = is_meta_set && meta::has_base64_key(storage.line, true);
  assert(storage.keys.size() <= 250);
  char* const key = put(is_meta_set ? "md " : "delete ", room.data());
  char* const key_end = put(storage.keys, key);
  const char* const end = put(!is_meta_set ? " 0" : in_base64 ? " b" : "", key_end);
  return {.verb = is_meta_set ? Verb::MetaDelete : Verb::Delete,
          .line = {room.data(), end},
          .keys = {key, key_end},
          .exptime = {},
          .body_size = {}};
}

}  // namespace mcsteady::protocol
