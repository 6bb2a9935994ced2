/** Jars of a Maven repository. */
export interface Jars {
  /** The address of the repository. */
  readonly repository: string;
  /** The folders of the jars in the repository, which end with the name and the version of the jar. */
  readonly folders: readonly string[];
  /** The SHA-256 of all jars, one after the other, in hexadecimal. */
  readonly sha256: string;
}

export const kafkaVersion = '4.3.0';

/**
 * The jars of a broker: the runtime dependencies of `org.apache.kafka:kafka_2.13` and of log4j-core and log4j-slf4j-impl
 * 2.25.3, as `mvn dependency:list` prints them. A broker logs through slf4j 1, and the artifact of Kafka contains no
 * backend for it. If the list changes, the error of the next download contains the new SHA-256.
 */
export const kafkaJars: Jars = {
  repository: 'https://repo.maven.apache.org/maven2',
  folders: [
    'at/yawk/lz4/lz4-java/1.10.2',
    'com/dynatrace/hash4j/hash4j/0.22.0',
    'com/fasterxml/jackson/core/jackson-annotations/2.21',
    'com/fasterxml/jackson/core/jackson-core/2.21.2',
    'com/fasterxml/jackson/core/jackson-databind/2.21.2',
    'com/fasterxml/jackson/dataformat/jackson-dataformat-csv/2.21.2',
    'com/fasterxml/jackson/dataformat/jackson-dataformat-yaml/2.21.2',
    'com/fasterxml/jackson/datatype/jackson-datatype-jdk8/2.21.2',
    'com/github/ben-manes/caffeine/caffeine/3.2.0',
    'com/github/luben/zstd-jni/1.5.6-10',
    'com/google/re2j/re2j/1.8',
    'com/typesafe/scala-logging/scala-logging_2.13/3.9.6',
    'com/yammer/metrics/metrics-core/2.2.0',
    'commons-beanutils/commons-beanutils/1.11.0',
    'commons-collections/commons-collections/3.2.2',
    'commons-digester/commons-digester/2.1',
    'commons-logging/commons-logging/1.3.5',
    'commons-validator/commons-validator/1.10.1',
    'net/sf/jopt-simple/jopt-simple/5.0.4',
    'net/sourceforge/argparse4j/argparse4j/0.7.0',
    'org/apache/kafka/kafka-clients/4.3.0',
    'org/apache/kafka/kafka-coordinator-common/4.3.0',
    'org/apache/kafka/kafka-group-coordinator-api/4.3.0',
    'org/apache/kafka/kafka-group-coordinator/4.3.0',
    'org/apache/kafka/kafka-metadata/4.3.0',
    'org/apache/kafka/kafka-raft/4.3.0',
    'org/apache/kafka/kafka-server-common/4.3.0',
    'org/apache/kafka/kafka-server/4.3.0',
    'org/apache/kafka/kafka-share-coordinator/4.3.0',
    'org/apache/kafka/kafka-storage-api/4.3.0',
    'org/apache/kafka/kafka-storage/4.3.0',
    'org/apache/kafka/kafka-tools-api/4.3.0',
    'org/apache/kafka/kafka-transaction-coordinator/4.3.0',
    'org/apache/kafka/kafka_2.13/4.3.0',
    'org/apache/logging/log4j/log4j-api/2.25.3',
    'org/apache/logging/log4j/log4j-core/2.25.3',
    'org/apache/logging/log4j/log4j-slf4j-impl/2.25.3',
    'org/bitbucket/b_c/jose4j/0.9.6',
    'org/hdrhistogram/HdrHistogram/2.2.2',
    'org/jspecify/jspecify/1.0.0',
    'org/pcollections/pcollections/4.0.2',
    'org/scala-lang/scala-library/2.13.18',
    'org/scala-lang/scala-reflect/2.13.18',
    'org/slf4j/slf4j-api/1.7.36',
    'org/xerial/snappy/snappy-java/1.1.10.7',
    'org/yaml/snakeyaml/2.5',
  ],
  sha256: '22dacb1af568bd1d7877b160f7f0c0e5f559502105c2a57223f9d9506e952d5d',
};
