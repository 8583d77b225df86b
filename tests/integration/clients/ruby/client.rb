# Uses dalli through the proxy at ARGV[0], and ends with 0 if all that ARGV[1..] name holds. Debian's
# dalli, 3.0, speaks binary only; newer ones speak the meta protocol here.
require 'dalli'

ADDRESS = ARGV.shift
KEYS = (0...100).map { |n| "key#{n}" }

def connect(**options)
  Dalli.logger.level = Logger::FATAL
  Dalli::Client.new(ADDRESS, protocol: :meta, socket_timeout: 5, **options)
end

def check(wanted, found)
  return if wanted == found

  warn "FAILED at #{caller(1..1).first}: #{found.inspect[0, 300]} instead of #{wanted.inspect[0, 300]}"
  exit 1
end

# Of what was not done dalli 3.0 returns the CAS 0 or nil, newer ones false.
def check_not_done(found)
  check true, [0, nil, false].include?(found)
end

SCENARIOS = {
  'values' => lambda { |client|
    every_byte = (0..255).to_a.pack('C*')
    ['', 'plain', "a\r\nEND\r\n\0b", 'äöü', 42, nil, { 'a' => [1, nil] }].each do |value|
      client.set('key', value)
      check value, client.get('key')
    end
    client.set('key', every_byte, 0, raw: true)
    check every_byte, client.get('key', raw: true).b
    check nil, client.get('missing')
  },
  'awkward_keys' => lambda { |client|
    # dalli sends these in base64.
    ['with blank', "line\r\nend", 'schlüssel'].each do |key|
      client.set(key, key)
      check key, client.get(key)
      check true, client.delete(key)
    end
  },
  'multi_get' => lambda { |client|
    KEYS.each { |key| client.set(key, key) }
    check KEYS.to_h { |key| [key, key] }, client.get_multi(KEYS + ['missing'])
  },
  'quiet' => lambda { |client|
    client.public_send(client.respond_to?(:quiet) ? :quiet : :multi) do
      KEYS.each { |key| client.set(key, key) }
      client.delete(KEYS.first)
      client.delete('missing')
      client.incr('missing')
    end
    check nil, client.get(KEYS.first)
    check 99, client.get_multi(KEYS).size
  },
  'cas' => lambda { |client|
    client.set('key', 1)
    value, cas = client.get_cas('key')
    check 1, value
    check true, client.set_cas('key', 2, cas).is_a?(Integer)
    check false, client.set_cas('key', 3, cas)
    check 2, client.get('key')
    check true, client.cas('key') { |now| now + 1 }.is_a?(Integer)
    check 3, client.get('key')
  },
  'arithmetic' => lambda { |client|
    client.set('key', '10', 0, raw: true)
    check 15, client.incr('key', 5)
    check 0, client.decr('key', 100)
    check nil, client.incr('missing', 1)
    check 7, client.incr('fresh', 1, 0, 7)
  },
  'add_replace' => lambda { |client|
    check_not_done client.replace('key', 1)
    check true, client.add('key', 2).is_a?(Integer)
    check_not_done client.add('key', 3)
    check true, client.replace('key', 4).is_a?(Integer)
    check 4, client.get('key')
  },
  'append_prepend' => lambda { |client|
    client.set('key', 'middle', 0, raw: true)
    check true, client.append('key', ' end')
    check true, client.prepend('key', 'start ')
    check 'start middle end', client.get('key', raw: true)
  },
  'delete_touch' => lambda { |client|
    client.set('key', 1)
    check true, client.touch('key', 100)
    check 1, client.gat('key', 100)
    check true, client.delete('key')
    check_not_done client.delete('key')
    check nil, client.touch('key', 100)
  },
  'expiry' => lambda { |client|
    client.set('short', 1, 1)
    client.set('touched', 1, 1)
    client.touch('touched', 100)
    deadline = Time.now + 5
    while client.get('short')
      check true, Time.now < deadline
      sleep 0.1
    end
    check 1, client.get('touched')
  },
  'megabyte' => lambda { |client|
    value = Random.new(1).bytes(1_000_000)
    client.set('key', value, 0, raw: true, compress: false)
    check value, client.get('key', raw: true).b
  },
  'version_and_stats' => lambda { |client|
    check true, client.version.values.first.start_with?('1.6.18-mcsteady-')
    check true, client.stats.values.first.key?('pid')
  },
  # Prints, for every call, how long it took and what came of it.
  'impatient' => lambda { |_client|
    client = connect(socket_timeout: 1, socket_max_failures: 0)
    calls = { set: ->(key) { client.set(key, key) }, get: ->(key) { client.get(key) },
              delete: ->(key) { client.delete(key) }, incr: ->(key) { client.incr(key) },
              get_multi: ->(_) { client.get_multi(KEYS) } }
    KEYS.first(20).each do |key|
      calls.each do |name, call|
        begun = Process.clock_gettime(Process::CLOCK_MONOTONIC)
        result = begin
          call.(key).class.name
        rescue Dalli::DalliError => e
          "#{e.class} #{e.message}"
        end
        puts "#{Process.clock_gettime(Process::CLOCK_MONOTONIC) - begun} #{name} #{result}"
      end
    end
  }
}.freeze

ARGV.each { |name| SCENARIOS.fetch(name).call(connect) }
