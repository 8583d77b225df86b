# Writes or reads (ARGV[0]) the keys that begin with ARGV[1], on the servers ARGV[2..] that dalli
# divides them among itself. Prints how many were written, or found with their value.
require 'dalli'

task, start, *servers = ARGV
keys = (0...10_000).map { |n| "#{start}#{n}" }
Dalli.logger.level = Logger::FATAL
client = Dalli::Client.new(servers, socket_timeout: 10)

if task == 'write'
  client.multi { keys.each { |key| client.set(key, key, nil, raw: true) } }
  puts keys.size
else
  found = keys.each_slice(500).sum { |some| client.get_multi(*some).count { |key, value| key == value } }
  puts found
end
