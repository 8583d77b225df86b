// memjs, which speaks binary only: one line for each operation at argv[2], with what came of it.
'use strict';

const memjs = require('memjs');

const client = memjs.Client.create(process.argv[2], { timeout: 5, retries: 0, logger: { log() {} } });

async function show(name, operation) {
  let result;
  try {
    result = await operation();
    if (result && result.value) result = [String(result.value), result.flags && [...result.flags]];
  } catch (error) {
    result = error.message;
  }
  const text = JSON.stringify(result);
  const sum = [...text].reduce((total, letter) => (total * 31 + letter.charCodeAt(0)) % 1e9, 0);
  console.log(name, text.length < 200 ? text : sum);
}

async function main() {
  await client.flush();
  for (let number = 0; number < 10; ++number) {
    const key = number % 2 ? `key${number}` : `key with blank ${number}`;
    await show('get of nothing', () => client.get(key));
    await show('replace of nothing', () => client.replace(key, 'x', {}));
    await show('add', () => client.add(key, 'value', { expires: 100 }));
    await show('add again', () => client.add(key, 'x', {}));
    await show('append', () => client.append(key, ' end'));
    await show('prepend', () => client.prepend(key, 'start '));
    await show('get', () => client.get(key));
    await show('touch', () => client.touch(key, 100));
    await show('delete', () => client.delete(key));
    await show('delete again', () => client.delete(key));
    await show('touch of nothing', () => client.touch(key, 100));
    await show('incr from a start', () => client.increment(key, 1, { initial: 10 }));
    await show('incr', () => client.increment(key, 5, {}));
    await show('decr', () => client.decrement(key, 100, {}));
    await show('set', () => client.set(key, 'text', {}));
    await show('incr of a text', () => client.increment(key, 5, {}));
    await show('get', () => client.get(key));
  }
  await show('set of much', () => client.set('large', 'x'.repeat(1000000), {}));
  await show('get of much', () => client.get('large'));
  client.quit();
}

main();
