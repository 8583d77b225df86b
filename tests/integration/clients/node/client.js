// Uses npm's memcached through the proxy at argv[2], and ends with 0 if all that argv[3..] name holds.
'use strict';

const assert = require('assert');
const util = require('util');
const Memcached = require('memcached');

const address = process.argv[2];
const memcached = new Memcached(address, { timeout: 5000, retries: 0, poolSize: 100 });
const client = {};
for (const name of ['set', 'get', 'gets', 'getMulti', 'cas', 'incr', 'decr', 'add', 'replace',
  'append', 'prepend', 'del', 'touch', 'version', 'stats']) {
  client[name] = util.promisify(memcached[name]).bind(memcached);
}

const everyByte = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
const keys = Array.from({ length: 100 }, (_, i) => `key${i}`);

const scenarios = {
  async values() {
    // The library's own flags tell strings, buffers, numbers and JSON apart.
    for (const value of ['', 'plain', 'a\r\nEND\r\n\0b', 'äöü', everyByte, 42, { a: [1, null] }]) {
      await client.set('key', value, 0);
      assert.deepStrictEqual(await client.get('key'), value);
    }
    assert.strictEqual(await client.get('missing'), undefined);
  },

  async multi_get() {
    await Promise.all(keys.map((key) => client.set(key, key, 0)));
    const found = await client.getMulti(keys.concat('missing'));
    assert.deepStrictEqual(Object.keys(found).sort(), keys.slice().sort());
    for (const key of keys) assert.strictEqual(found[key], key);
  },

  async cas() {
    await client.set('key', '1', 0);
    const { cas } = await client.gets('key');
    assert.strictEqual(await client.cas('key', '2', cas, 0), true);
    assert.strictEqual(await client.cas('key', '3', cas, 0), false);
    assert.strictEqual(await client.get('key'), '2');
  },

  async arithmetic() {
    await client.set('key', 10, 0);
    assert.strictEqual(await client.incr('key', 5), 15);
    assert.strictEqual(await client.decr('key', 100), 0);
    assert.strictEqual(await client.incr('missing', 1), false);
  },

  async add_replace() {
    await assert.rejects(client.replace('key', '1', 0), /not stored/);
    assert.strictEqual(await client.add('key', '2', 0), true);
    await assert.rejects(client.add('key', '3', 0), /not stored/);
    assert.strictEqual(await client.replace('key', '4', 0), true);
    assert.strictEqual(await client.get('key'), '4');
  },

  async append_prepend() {
    await client.set('key', 'middle', 0);
    assert.strictEqual(await client.append('key', ' end'), true);
    assert.strictEqual(await client.prepend('key', 'start '), true);
    assert.strictEqual(await client.get('key'), 'start middle end');
  },

  async delete_touch() {
    await client.set('key', '1', 0);
    assert.strictEqual(await client.touch('key', 100), true);
    assert.strictEqual(await client.del('key'), true);
    assert.strictEqual(await client.del('key'), false);
    assert.strictEqual(await client.touch('key', 100), false);
  },

  async expiry() {
    await client.set('short', '1', 1);
    await client.set('touched', '1', 1);
    await client.touch('touched', 100);
    const end = Date.now() + 5000;
    while (await client.get('short') !== undefined) {
      assert(Date.now() < end, 'it never expires');
      await util.promisify(setTimeout)(100);
    }
    assert.strictEqual(await client.get('touched'), '1');
  },

  async megabyte() {
    const value = 'x'.repeat(1000000);
    await client.set('key', value, 0);
    assert.strictEqual(await client.get('key'), value);
  },

  async concurrent() {
    await Promise.all(keys.map(async (key) => {
      for (let i = 0; i < 20; i += 1) {
        await client.set(key, `${key}=${i}`, 0);
        assert.strictEqual(await client.get(key), `${key}=${i}`);
      }
    }));
  },

  async version_and_stats() {
    const [stats] = await client.stats();
    assert.strictEqual(stats.version.slice(0, 16), '1.6.18-mcsteady-');
    const [version] = await client.version();
    assert(version.version);
  },
};

async function main() {
  for (const name of process.argv.slice(3)) await scenarios[name]();
}

main().then(() => process.exit(0), (error) => {
  console.error('FAILED:', error);
  process.exit(1);
});
