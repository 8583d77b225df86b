#include <algorithm>
#include <optional>

#include "mcsteady/protocol/binary.h"
#include "protocol/binary/base64.h"
#include "protocol/binary/bytes.h"
#include "protocol/binary/header.h"

namespace mcsteady::protocol::binary {
namespace {

// What a body may be at most, as newer memcacheds say (ITEM_SIZE_MAX_UPPER_LIMIT).
constexpr std::size_t kBodyMax = std::size_t{1} << 30;

/// What stands in the body of a command: extras, key, value.
enum class Form : std::uint8_t {
  Bare,      // nothing
  Flush,     // an exptime or nothing
  Stat,      // a key or nothing
  Keyed,     // a key
  Touching,  // an exptime and a key
  Counting,  // delta, initial value, exptime and a key
  Storing,   // flags, exptime, a key and a value
  Extending  // a key and a value
};

struct Command {
  Verb verb;
  Form form;
  bool quiet = false;
  bool returns_key = false;
};

std::optional<Command> command_of(Opcode opcode) {
  constexpr bool kQuiet = true, kKey = true;
  switch (opcode) {
    case Opcode::Get:
      return Command{Verb::Get, Form::Keyed};
    case Opcode::GetQ:
      return Command{Verb::Get, Form::Keyed, kQuiet};
    case Opcode::GetK:
      return Command{Verb::Get, Form::Keyed, !kQuiet, kKey};
    case Opcode::GetKQ:
      return Command{Verb::Get, Form::Keyed, kQuiet, kKey};
    case Opcode::Gat:
      return Command{Verb::Gat, Form::Touching};
    case Opcode::GatQ:
      return Command{Verb::Gat, Form::Touching, kQuiet};
    case Opcode::GatK:
      return Command{Verb::Gat, Form::Touching, !kQuiet, kKey};
    case Opcode::GatKQ:
      return Command{Verb::Gat, Form::Touching, kQuiet, kKey};
    case Opcode::Touch:
      return Command{Verb::Touch, Form::Touching};
    case Opcode::Set:
    case Opcode::SetQ:
      return Command{Verb::Set, Form::Storing, opcode == Opcode::SetQ};
    case Opcode::Add:
    case Opcode::AddQ:
      return Command{Verb::Add, Form::Storing, opcode == Opcode::AddQ};
    case Opcode::Replace:
    case Opcode::ReplaceQ:
      return Command{Verb::Replace, Form::Storing, opcode == Opcode::ReplaceQ};
    case Opcode::Append:
    case Opcode::AppendQ:
      return Command{Verb::Append, Form::Extending, opcode == Opcode::AppendQ};
    case Opcode::Prepend:
    case Opcode::PrependQ:
      return Command{Verb::Prepend, Form::Extending, opcode == Opcode::PrependQ};
    case Opcode::Delete:
    case Opcode::DeleteQ:
      return Command{Verb::Delete, Form::Keyed, opcode == Opcode::DeleteQ};
    case Opcode::Increment:
    case Opcode::IncrementQ:
      return Command{Verb::Incr, Form::Counting, opcode == Opcode::IncrementQ};
    case Opcode::Decrement:
    case Opcode::DecrementQ:
      return Command{Verb::Decr, Form::Counting, opcode == Opcode::DecrementQ};
    case Opcode::Flush:
    case Opcode::FlushQ:
      return Command{Verb::FlushAll, Form::Flush, opcode == Opcode::FlushQ};
    case Opcode::Quit:
    case Opcode::QuitQ:
      return Command{Verb::Quit, Form::Bare, opcode == Opcode::QuitQ};
    case Opcode::Noop:
      return Command{Verb::MetaNoop, Form::Bare};
    case Opcode::Version:
      return Command{Verb::Version, Form::Bare};
    case Opcode::Stat:
      return Command{Verb::Stats, Form::Stat};
    case Opcode::SaslList:
    case Opcode::SaslAuth:
    case Opcode::SaslStep:
      break;
  }
  return std::nullopt;
}

/// The form of the commands of SASL, which are unknown here, but not without a look at their form.
std::optional<Form> sasl_form(Opcode opcode) {
  if (opcode == Opcode::SaslList) return Form::Bare;
  if (opcode == Opcode::SaslAuth || opcode == Opcode::SaslStep) return Form::Extending;
  return std::nullopt;
}

bool has_form(const Header& header, Form form) {
  const bool key = header.key_size > 0;
  const bool value = header.value_size() > 0;
  const std::size_t extras = header.extras_size;
  switch (form) {
    case Form::Bare:
      return extras == 0 && !key && !value;
    case Form::Flush:
      return (extras == 0 || extras == 4) && !key && !value;
    case Form::Stat:
      return extras == 0 && !value;
    case Form::Keyed:
      return extras == 0 && key && !value;
    case Form::Touching:
      return extras == 4 && key && !value;
    case Form::Counting:
      return extras == 20 && key && !value;
    case Form::Storing:
      return extras == 8 && key;
    case Form::Extending:
      return extras == 0 && key;
  }
  return false;
}

void read_extras(Request& request, std::string_view extras, Form form) {
  switch (form) {
    case Form::Touching:
    case Form::Flush:
      if (!extras.empty()) request.exptime = load<std::uint32_t>(extras, 0);
      break;
    case Form::Counting:
      request.delta = load<std::uint64_t>(extras, 0);
      request.initial = load<std::uint64_t>(extras, 8);
      request.exptime = load<std::uint32_t>(extras, 16);
      break;
    case Form::Storing:
      request.flags = load<std::uint32_t>(extras, 0);
      request.exptime = load<std::uint32_t>(extras, 4);
      break;
    default:
      break;
  }
}

/// What is wrong with the header before its command is looked at.
std::optional<Refusal> fault_of(const Header& header, const Limits& limits) {
  if (!header.is_sound()) return Refusal{.status = Status::UnknownCommand, .close = true};
  if (header.body_size > kBodyMax || header.key_size > limits.key_max.value) {
    return Refusal{.status = Status::InvalidArguments, .close = true};
  }
  return std::nullopt;
}

/// What is wrong with a request that is sound in itself.
std::optional<Refusal> fault_of(const Request& request, const Limits& limits) {
  if (needs_base64(request.key) && base64_size(request.key.size()) > kServerKeyMax) {
    return Refusal{.status = Status::InvalidArguments, .swallow = request.value_size};
  }
  if (request.value_size > limits.value_max.value) {
    // Stale data must not outlive a set that failed (proto_bin.c, process_bin_update).
    return Refusal{.status = Status::TooLarge,
                   .swallow = request.value_size,
                   .forgets = request.call.verb == Verb::Set};
  }
  return std::nullopt;
}

Parsed refuse(Parsed parsed, const Refusal& refusal) {
  parsed.kind = Parsed::Kind::Refusal;
  parsed.refusal = refusal;
  return parsed;
}

}  // namespace

std::size_t key_size_of(std::string_view input) {
  return read_header(input).key_size;
}

Parsed parse_request(std::string_view input, const Limits& limits) {
  if (input.empty()) return {};
  Parsed parsed;
  if (input.front() != kRequestMagic) {
    parsed.consumed = input.size();
    return refuse(parsed, {.close = true});
  }
  if (input.size() < kHeaderSize) return {};
  const Header header = read_header(input);
  if (input.size() < header.head_size()) return {};

  parsed.consumed = header.head_size();
  Request& request = parsed.request;
  request.call.opcode = header.opcode;
  request.call.opaque = header.opaque;
  if (const auto fault = fault_of(header, limits)) return refuse(parsed, *fault);
  const auto opcode = static_cast<Opcode>(header.opcode);
  const std::optional<Command> command = command_of(opcode);
  const std::optional<Form> form = command ? command->form : sasl_form(opcode);
  if (form && !has_form(header, *form)) {
    return refuse(parsed, {.status = Status::InvalidArguments, .close = true});
  }
  if (!command) {
    return refuse(parsed, {.status = Status::UnknownCommand, .swallow = header.value_size()});
  }

  request.call.verb = command->verb;
  request.call.quiet = command->quiet;
  request.call.returns_key = command->returns_key;
  request.key = input.substr(kHeaderSize + header.extras_size, header.key_size);
  request.cas = header.cas;
  request.value_size = header.value_size();
  request.has_value = is_classic_storage(command->verb);
  read_extras(request, input.substr(kHeaderSize, header.extras_size), command->form);
  if (const auto fault = fault_of(request, limits)) return refuse(parsed, *fault);
  parsed.kind = Parsed::Kind::Request;
  return parsed;
}

}  // namespace mcsteady::protocol::binary
