import type { KafkaRuntime } from '../../stack/servers/kafkaNode.js';
import { javaPart } from '../../stack/parts/java.js';
import { kafkaPart } from '../../stack/parts/kafka.js';
import { describeMachine } from '../../stack/system/machine.js';
import { obtainParts } from '../../stack/parts/programs.js';

/** The Java and the Kafka of the brokers in tests, found or fetched. */
export function obtainKafkaRuntime(): Promise<KafkaRuntime> {
  const machine = describeMachine(process.env);
  const options = { cacheDirectory: machine.cacheDirectory, onProgress: () => undefined };
  return obtainParts({ java: javaPart(machine), libs: kafkaPart(machine) }, options);
}
