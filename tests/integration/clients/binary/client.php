<?php
// php-memcached in binary mode: one line for each operation at $argv[1], with what came of it.
[$host, $port] = explode(':', $argv[1]);
$client = new Memcached();
$client->setOptions([Memcached::OPT_BINARY_PROTOCOL => true, Memcached::OPT_COMPRESSION => false]);
$client->addServer($host, (int) $port);

function show(string $name, mixed $result): void
{
    global $client;
    $text = json_encode($result);
    $told = strlen($text) < 200 ? $text : md5($text);
    echo $name, ' ', $told, ' ', $client->getResultCode(), "\n";
}

$keys = array_map(fn ($n) => "key$n", range(0, 9));
$client->flush();
foreach ($keys as $number => $key) {
    show('get of nothing', $client->get($key));
    show('replace of nothing', $client->replace($key, 'x'));
    show('add', $client->add($key, "value $number"));
    show('add again', $client->add($key, 'x'));
    show('append', $client->append($key, ' end'));
    show('prepend', $client->prepend($key, 'start '));
    show('get', $client->get($key));
    $found = $client->get($key, null, Memcached::GET_EXTENDED);
    show('cas', $client->cas($found['cas'], $key, ['number' => $number]));
    show('cas again', $client->cas($found['cas'], $key, 'too late'));
    show('get', $client->get($key));
    show('touch', $client->touch($key, 100));
    show('delete', $client->delete($key));
    show('delete again', $client->delete($key));
    show('touch of nothing', $client->touch($key, 100));
    show('incr from a start', $client->increment($key, 1, 10));
    show('incr', $client->increment($key, 5));
    show('decr', $client->decrement($key, 100));
    show('incr of nothing', $client->increment("missing$number"));
}
show('setMulti', $client->setMulti(array_combine($keys, $keys)));
show('getMulti', $client->getMulti([...$keys, 'missing']));
show('set of much', $client->set('large', str_repeat('0123456789', 100000)));
show('get of much', $client->get('large'));
show('deleteMulti', $client->deleteMulti([...$keys, 'missing']));
show('getMulti', $client->getMulti($keys));
