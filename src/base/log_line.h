#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "mcsteady/base/log.h"

namespace mcsteady {

/// An event as one line, without its end. `time` is written as it is given.
///
/// `2026-01-31T12:00:00.000000Z info server is down server=cache-1 cause="no route"`: a value is
/// quoted, and escaped as in JSON, where a reader who splits at blanks and `=` would be misled.
std::string text_line(std::string_view time, LogLevel level, std::string_view event,
                      std::initializer_list<LogField> fields);

/// `{"time":"...","level":"info","event":"server is down","server":"cache-1"}`. Always valid JSON
/// (RFC 8259): bytes that are no UTF-8, as keys may hold, become U+FFFD.
std::string json_line(std::string_view time, LogLevel level, std::string_view event,
                      std::initializer_list<LogField> fields);

}  // namespace mcsteady
