package postrider;

import io.cloudevents.CloudEvent;
import io.cloudevents.jackson.JsonFormat;
import io.cloudevents.kafka.KafkaMessageFactory;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Appends every event to a file, once, as JSON lines, however often it is killed and started again:
 *
 * <pre>
 * mvn compile
 * KAFKA_BROKERS=127.0.0.1:9092 java -cp 'target/classes:target/libraries/*' postrider.Subscriber events.jsonl
 * </pre>
 */
public final class Subscriber {
  /** The number of remembered ids. A duplicate follows soon after the first record. */
  private static final int REMEMBERED = 100_000;

  private final JsonFormat json = new JsonFormat();
  private final Set<String> seen;
  private final OutputStream output;

  private Subscriber(Path file) throws IOException {
    seen = readSeen(file);
    output = new FileOutputStream(file.toFile(), true);
  }

  public static void main(String[] arguments) throws IOException {
    Path file = Path.of(arguments.length > 0 ? arguments[0] : "events.jsonl");
    KafkaConsumer<String, byte[]> consumer = new KafkaConsumer<>(settings());
    Thread main = Thread.currentThread();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(consumer, main)));
    try (consumer) {
      new Subscriber(file).run(consumer);
    } catch (WakeupException stopped) {
      // The program was asked to stop. When the consumer is closed, the group assigns its partitions to others.
    }
  }

  private void run(KafkaConsumer<String, byte[]> consumer) throws IOException {
    consumer.subscribe(List.of(setting("TOPIC", "postrider.events")));
    while (true) {
      ConsumerRecords<String, byte[]> records = consumer.poll(Duration.ofMillis(500));
      for (ConsumerRecord<String, byte[]> record : records) {
        toCloudEvent(record).ifPresent(this::keep);
      }
      // Offsets are committed last: a crash would lose an event whose offset is committed before its line is written.
      consumer.commitSync();
    }
  }

  /** Writes the line of an event, with its id. Both are in one write, so that a crash leaves both or neither. */
  private void keep(CloudEvent event) {
    if (seen.add(event.getId())) {
      String line = new String(json.serialize(event), StandardCharsets.UTF_8) + "\n";
      try {
        output.write(line.getBytes(StandardCharsets.UTF_8));
      } catch (IOException failure) {
        throw new UncheckedIOException(failure);
      }
    }
  }

  /** Empty if the record is not an event: any producer may append to the topic, and records that the service rejects stay there. */
  private static Optional<CloudEvent> toCloudEvent(ConsumerRecord<String, byte[]> record) {
    try {
      return Optional.of(KafkaMessageFactory.createReader(record).toEvent());
    } catch (RuntimeException rejected) {
      System.err.printf("partition %d, offset %d: no event%n", record.partition(), record.offset());
      return Optional.empty();
    }
  }

  /** The ids that an earlier run has written. An incomplete line is removed, and its event is read again. */
  private Set<String> readSeen(Path file) throws IOException {
    Set<String> ids = Collections.newSetFromMap(new OldestForgotten());
    if (Files.exists(file)) {
      byte[] content = Files.readAllBytes(file);
      String whole = new String(content, 0, endOfLines(content), StandardCharsets.UTF_8);
      try (RandomAccessFile kept = new RandomAccessFile(file.toFile(), "rw")) {
        kept.setLength(endOfLines(content));
      }
      whole.lines().forEach(line -> ids.add(json.deserialize(line.getBytes(StandardCharsets.UTF_8)).getId()));
    }
    return ids;
  }

  private static int endOfLines(byte[] content) {
    int end = content.length;
    while (end > 0 && content[end - 1] != '\n') {
      end -= 1;
    }
    return end;
  }

  private static Properties settings() {
    Properties settings = new Properties();
    settings.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, setting("KAFKA_BROKERS", "127.0.0.1:9092"));
    settings.put(ConsumerConfig.GROUP_ID_CONFIG, setting("GROUP_ID", "subscriber"));
    settings.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, StringDeserializer.class);
    settings.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    // A group without committed offsets begins with the first event.
    settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    settings.put(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, 6_000);
    if (System.getenv("KAFKA_USERNAME") != null) {
      settings.put("security.protocol", "SASL_PLAINTEXT");
      settings.put("sasl.mechanism", "PLAIN");
      settings.put(
          "sasl.jaas.config",
          "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"%s\" password=\"%s\";"
              .formatted(System.getenv("KAFKA_USERNAME"), setting("KAFKA_PASSWORD", "")));
    }
    return settings;
  }

  private static String setting(String name, String otherwise) {
    return System.getenv().getOrDefault(name, otherwise);
  }

  private static void stop(KafkaConsumer<String, byte[]> consumer, Thread main) {
    consumer.wakeup();
    try {
      main.join();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static final class OldestForgotten extends LinkedHashMap<String, Boolean> {
    @Override
    protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
      return size() > REMEMBERED;
    }
  }
}
