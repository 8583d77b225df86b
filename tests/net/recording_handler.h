#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "mcsteady/net/stream.h"

namespace mcsteady::net {

/// Writes down what a stream tells it, and sends what it is given.
struct RecordingHandler : Stream::Handler {
  std::size_t room_size = 8192;
  std::string received;
  std::vector<std::size_t> receives;
  std::size_t progress = 0;    // bytes
  std::string output;          // what is still to be sent
  std::size_t piece_size = 0;  // 0: all in one piece
  std::vector<std::size_t> sent;
  std::vector<Breakage> broken;
  std::vector<std::string> calls;                       // names of callbacks, in order
  std::function<void(const std::string&)> in_callback;  // is told the name of the one that runs

  bool was_called(const std::string& name) const { return std::ranges::count(calls, name) != 0; }

  void on_connected() override { note("connected"); }
  std::span<char> room() override {
    room_.resize(room_size);
    note("room");
    return room_;
  }
  void on_received(std::size_t count) override {
    received.append(room_.data(), count);
    receives.push_back(count);
    note("received");
  }
  void on_progress(std::size_t count) override { progress += count; }
  void on_end_of_file() override { note("end of file"); }
  std::size_t pieces(std::span<iovec> out) override {
    const std::size_t size = piece_size == 0 ? std::max<std::size_t>(output.size(), 1) : piece_size;
    std::size_t count = 0;
    for (std::size_t at = 0; at < output.size() && count < out.size(); at += size) {
      out[count++] = {output.data() + at, std::min(size, output.size() - at)};
    }
    note("pieces");
    return count;
  }
  void on_sent(std::size_t count) override {
    output.erase(0, count);
    sent.push_back(count);
    note("sent");
  }
  void on_broken(Breakage breakage) override {
    broken.push_back(breakage);
    note("broken");
  }

 private:
  void note(const std::string& name) {
    calls.push_back(name);
    if (in_callback) in_callback(name);
  }
  std::vector<char> room_;
};

}  // namespace mcsteady::net
