import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.Future;
import net.spy.memcached.BinaryConnectionFactory;
import net.spy.memcached.CASValue;
import net.spy.memcached.MemcachedClient;

/** spymemcached in binary mode: one line for each operation at args[0], with what came of it. */
class Client {
    interface Operation {
        Object run() throws Exception;
    }

    static void show(String name, Operation operation) {
        Object result;
        try {
            result = operation.run();
            if (result instanceof Future<?> future) result = future.get();
        } catch (Exception raised) {
            result = raised.getClass().getSimpleName();
        }
        String text = String.valueOf(result);
        System.out.println(name + " " + (text.length() < 200 ? text : text.hashCode()));
    }

    static Object cas(MemcachedClient client, String key, Object value) {
        CASValue<Object> seen = client.gets(key);
        return client.cas(key, seen.getCas(), value) + " " + client.cas(key, seen.getCas(), "too late");
    }

    public static void main(String[] args) throws Exception {
        System.setProperty("net.spy.log.LoggerImpl", "net.spy.memcached.compat.log.SunLogger");
        java.util.logging.Logger.getLogger("net.spy").setLevel(java.util.logging.Level.OFF);
        String[] address = args[0].split(":");
        MemcachedClient client = new MemcachedClient(new BinaryConnectionFactory(),
            List.of(new InetSocketAddress(address[0], Integer.parseInt(address[1]))));
        client.flush().get();
        List<String> keys = new ArrayList<>();
        for (int number = 0; number < 10; ++number) {
            String key = "key" + number;
            int value = number;
            keys.add(key);
            show("get of nothing", () -> client.get(key));
            show("replace of nothing", () -> client.replace(key, 0, "x"));
            show("add", () -> client.add(key, 0, "value"));
            show("add again", () -> client.add(key, 0, "x"));
            show("append", () -> client.append(key, " end"));
            show("prepend", () -> client.prepend(key, "start "));
            show("get", () -> client.get(key));
            show("cas", () -> cas(client, key, value));
            show("get and touch", () -> client.getAndTouch(key, 100).getValue());
            show("touch", () -> client.touch(key, 100));
            show("delete", () -> client.delete(key));
            show("delete again", () -> client.delete(key));
            show("touch of nothing", () -> client.touch(key, 100));
            show("get and touch of nothing", () -> client.getAndTouch(key, 100));
            show("incr from a start", () -> client.incr(key, 1, 10L));
            show("incr", () -> client.incr(key, 5));
            show("decr", () -> client.decr(key, 100));
            show("incr of nothing", () -> client.incr(key + "x", 1));
            show("set", () -> client.set(key, 0, key));
        }
        keys.add("missing");
        show("getBulk", () -> new TreeMap<>(client.getBulk(keys)));
        byte[] much = new byte[1000000];
        show("set of much", () -> client.set("large", 0, much));
        show("get of much", () -> Arrays.hashCode((byte[]) client.get("large")));
        client.shutdown();
        System.exit(0);
    }
}
