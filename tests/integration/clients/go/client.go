// Uses gomemcache through the proxy at os.Args[1], and ends with 0 if all that os.Args[2:] name holds.
package main

import (
	"bytes"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/bradfitz/gomemcache/memcache"
)

func check(holds bool, format string, args ...interface{}) {
	if !holds {
		fmt.Fprintf(os.Stderr, "FAILED: "+format+"\n", args...)
		os.Exit(1)
	}
}

func must(err error) {
	check(err == nil, "%v", err)
}

func get(client *memcache.Client, key string) *memcache.Item {
	item, err := client.Get(key)
	must(err)
	return item
}

func set(client *memcache.Client, key, value string) {
	must(client.Set(&memcache.Item{Key: key, Value: []byte(value)}))
}

func value(client *memcache.Client, key string) string {
	return string(get(client, key).Value)
}

func everyByte() []byte {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	return all
}

var scenarios = map[string]func(*memcache.Client){
	"values": func(client *memcache.Client) {
		for _, want := range [][]byte{{}, []byte("plain"), []byte("a\r\nEND\r\n\x00b"), everyByte()} {
			must(client.Set(&memcache.Item{Key: "key", Value: want, Flags: 12345}))
			item := get(client, "key")
			check(bytes.Equal(item.Value, want), "%q instead of %q", item.Value, want)
			check(item.Flags == 12345, "flags %d", item.Flags)
		}
		_, err := client.Get("missing")
		check(err == memcache.ErrCacheMiss, "a missing key: %v", err)
	},
	"multi_get": func(client *memcache.Client) {
		keys := []string{"missing"}
		for i := 0; i < 100; i++ {
			key := fmt.Sprintf("key%d", i)
			set(client, key, key)
			keys = append(keys, key)
		}
		found, err := client.GetMulti(keys)
		must(err)
		check(len(found) == 100, "%d found", len(found))
		for key, item := range found {
			check(string(item.Value) == key, "%q has %q", key, item.Value)
		}
	},
	"cas": func(client *memcache.Client) {
		set(client, "key", "1")
		mine, others := get(client, "key"), get(client, "key")
		others.Value = []byte("2")
		must(client.CompareAndSwap(others))
		mine.Value = []byte("3")
		err := client.CompareAndSwap(mine)
		check(err == memcache.ErrCASConflict, "a stale cas: %v", err)
		check(value(client, "key") == "2", "the stale cas has stored")
	},
	"arithmetic": func(client *memcache.Client) {
		set(client, "key", "10")
		up, err := client.Increment("key", 5)
		must(err)
		down, err := client.Decrement("key", 100)
		must(err)
		check(up == 15 && down == 0, "%d, %d", up, down)
		_, err = client.Increment("missing", 1)
		check(err == memcache.ErrCacheMiss, "a missing key: %v", err)
	},
	"add_replace": func(client *memcache.Client) {
		item := &memcache.Item{Key: "key", Value: []byte("1")}
		check(client.Replace(item) == memcache.ErrNotStored, "replaced nothing")
		must(client.Add(item))
		check(client.Add(item) == memcache.ErrNotStored, "added twice")
		must(client.Replace(item))
	},
	"delete_touch": func(client *memcache.Client) {
		set(client, "key", "1")
		must(client.Touch("key", 100))
		must(client.Delete("key"))
		check(client.Delete("key") == memcache.ErrCacheMiss, "deleted twice")
		check(client.Touch("key", 100) == memcache.ErrCacheMiss, "touched nothing")
	},
	"expiry": func(client *memcache.Client) {
		must(client.Set(&memcache.Item{Key: "short", Value: []byte("1"), Expiration: 1}))
		must(client.Set(&memcache.Item{Key: "touched", Value: []byte("1"), Expiration: 1}))
		must(client.Touch("touched", 100))
		end := time.Now().Add(5 * time.Second)
		for {
			if _, err := client.Get("short"); err == memcache.ErrCacheMiss {
				break
			}
			check(time.Now().Before(end), "it never expires")
			time.Sleep(100 * time.Millisecond)
		}
		check(value(client, "touched") == "1", "the touched item has gone")
	},
	"megabyte": func(client *memcache.Client) {
		want := bytes.Repeat(everyByte(), 3906)
		must(client.Set(&memcache.Item{Key: "key", Value: want}))
		check(bytes.Equal(get(client, "key").Value, want), "other bytes came back")
	},
	"concurrent": func(client *memcache.Client) {
		var all sync.WaitGroup
		for worker := 0; worker < 16; worker++ {
			all.Add(1)
			go func(worker int) {
				defer all.Done()
				for i := 0; i < 200; i++ {
					key := fmt.Sprintf("key%d.%d", worker, i%20)
					want := fmt.Sprintf("%s=%d", key, i)
					set(client, key, want)
					got := value(client, key)
					check(got == want, "%q instead of %q", got, want)
				}
			}(worker)
		}
		all.Wait()
	},
}

func main() {
	client := memcache.New(os.Args[1])
	client.Timeout = 5 * time.Second
	for _, name := range os.Args[2:] {
		scenario, known := scenarios[name]
		check(known, "no such scenario: %s", name)
		scenario(client)
	}
}
