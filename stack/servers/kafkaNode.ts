import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { StackError } from '../system/errors.js';
import { runCommand } from '../system/command.js';
import type { StackEnvironment } from '../system/machine.js';
import { type ServerHandle, type ServerHost, startServerProcess } from '../processes/serverProcess.js';
import { until } from '../system/polling.js';
import type { ProcessHandle } from '../system/processHandle.js';

/** The runtime of a broker: a `java` program and the folder of Kafka's jars. */
export interface KafkaRuntime {
  readonly java: string;
  readonly libs: string;
}

/** One process of Kafka in KRaft mode: a broker, a controller or both. */
export interface KafkaNode {
  readonly name: string;
  /** The directory of the node's settings, log4j file and data (`data/`). */
  readonly directory: string;
  readonly logFile: string;
  readonly clusterId: string;
  readonly heapMebibytes: number;
  /**
   * Whether the node compiles less, for tests but not for measurements. A node that compiles less starts in half of the
   * CPU time.
   */
  readonly shortLived: boolean;
  /** The content of server.properties, without `log.dirs`. */
  readonly properties: KafkaProperties;
  /**
   * Users of SCRAM-SHA-256 and SCRAM-SHA-512 that the cluster has from its first start. Their names and passwords
   * consist of letters and digits.
   */
  readonly scramUsers?: readonly { readonly name: string; readonly password: string }[];
}

export type KafkaProperties = Readonly<Record<string, string | number | boolean>>;

/**
 * Starts one Kafka node. If the node has no storage, its storage is formatted first.
 * @param running the process of the node, if it runs already
 */
export async function startKafkaNode(
  node: KafkaNode,
  runtime: KafkaRuntime,
  host: ServerHost,
  running: ProcessHandle | null = null,
): Promise<ServerHandle> {
  await mkdir(node.directory, { recursive: true });
  const settings = join(node.directory, 'server.properties');
  const data = join(node.directory, 'data');
  await writeFile(join(node.directory, 'log4j2.properties'), log4jProperties);
  await writeFile(settings, render({ ...node.properties, 'log.dirs': data }));
  await formatStorage(node, { runtime, data, environment: host.environment });
  return startServerProcess(
    {
      name: node.name,
      program: runtime.java,
      args: [
        ...[`-Xmx${String(node.heapMebibytes)}m`, '-XX:+ExitOnOutOfMemoryError'],
        ...(node.shortLived ? quickStart : [...longRun(node), ...(await sharedClasses(node, runtime))]),
        ...javaArgs(node, runtime),
        ...['kafka.Kafka', settings],
      ],
      logFile: node.logFile,
      whenReady: async (_pid, signal) => {
        await until(() => hasStarted(node.logFile), { timeoutMs: Infinity, signal });
      },
    },
    host,
    running,
  );
}

/**
 * An id for a new cluster in Kafka's form: 16 bytes in base64url. The id never begins with a dash, like an id of
 * Kafka's `Uuid.randomUuid`, because the storage tool would read a dash as an option.
 */
export function newClusterId(): string {
  const id = randomBytes(16).toString('base64url');
  return id.startsWith('-') ? newClusterId() : id;
}

/**
 * The JVM options for a long run. The heap has its full size from the start, as in Kafka's own start script. A heap
 * that grows on demand stays small. At a hundred events a second a small heap has up to 19 collections a minute instead
 * of 4. A garbage collection stops all threads of the broker for 10 ms.
 */
function longRun({ heapMebibytes }: KafkaNode): readonly string[] {
  return [`-Xms${String(heapMebibytes)}m`, '-XX:+UseG1GC', '-XX:MaxGCPauseMillis=20'];
}

/**
 * The JVM options for class data sharing. When the first run of a broker ends, Java writes the loaded classes into a
 * file. Later starts map the file of loaded classes, which halves their CPU time. Java ignores an incomplete file, and
 * a file of another version of Java or of the jars.
 */
async function sharedClasses({ directory }: KafkaNode, runtime: KafkaRuntime): Promise<readonly string[]> {
  const version = createHash('sha256').update(`${runtime.java}\n${runtime.libs}`).digest('hex').slice(0, 16);
  const file = join(directory, `classes-${version}.jsa`);
  // Java would read a path with a colon as a list of files.
  if (file.includes(':')) {
    return [];
  }
  const isWritten = (await stat(file).catch(() => undefined)) !== undefined;
  return [isWritten ? `-XX:SharedArchiveFile=${file}` : `-XX:ArchiveClassesAtExit=${file}`];
}

/**
 * The JVM options for a short run. The optimizing compiler and a garbage collector with its own threads save time only
 * in longer runs.
 */
const quickStart = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'] as const;

const formatLimitMs = 60_000;

/**
 * Formats the storage in a temporary folder and renames the folder. Half-formatted storage could neither be used nor
 * formatted again.
 */
async function formatStorage(
  node: KafkaNode,
  { runtime, data, environment }: { runtime: KafkaRuntime; data: string; environment: StackEnvironment },
): Promise<void> {
  if (await stat(join(data, 'meta.properties')).catch(() => undefined)) {
    return;
  }
  const aside = join(node.directory, 'data.formatting');
  const settings = join(node.directory, 'format.properties');
  await rm(aside, { recursive: true, force: true });
  await writeFile(settings, render({ ...node.properties, 'log.dirs': aside }));
  const formatted = await runCommand(
    runtime.java,
    [
      ...quickStart,
      ...javaArgs(node, runtime),
      ...['kafka.tools.StorageTool', 'format', '--cluster-id', node.clusterId, '--config', settings],
      ...scramArgs(node),
    ],
    { environment, timeoutMs: formatLimitMs },
  );
  if (!formatted.ok) {
    throw new StackError(`${node.name}: its storage could not be formatted: ${formatted.reason}`);
  }
  await rm(data, { recursive: true, force: true });
  await rename(aside, data);
}

function scramArgs({ scramUsers = [] }: KafkaNode): readonly string[] {
  return scramUsers.flatMap(({ name, password }) =>
    ['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap((mechanism) => [
      '--add-scram',
      `${mechanism}=[name=${name},password=${password}]`,
    ]),
  );
}

function javaArgs(node: KafkaNode, runtime: KafkaRuntime): readonly string[] {
  return [
    '-Djava.awt.headless=true',
    `-Dlog4j2.configurationFile=${pathToFileURL(join(node.directory, 'log4j2.properties')).href}`,
    ...['-cp', join(runtime.libs, '*')],
  ];
}

/** Whether Kafka has logged that it has started. Kafka listens on its port before it is ready. */
async function hasStarted(logFile: string): Promise<boolean> {
  return (await readFile(logFile, 'utf8')).includes('Kafka Server started');
}

/**
 * Writes the format of java.util.Properties, which is Latin-1. All characters outside ASCII are escaped, because a path
 * may contain them.
 */
function render(properties: KafkaProperties): string {
  const escape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const lines = Object.entries(properties).map(
    ([name, value]) => `${name}=${String(value).replace(/[^ -~]|\\/g, escape)}\n`,
  );
  return lines.join('');
}

/**
 * The log4j settings of a node: warnings, and messages about the start and about rebalances. The log file grows for
 * months, so other messages are omitted.
 */
const log4jProperties = `status = error
appender.console.type = Console
appender.console.name = console
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %d{ISO8601} %p %m (%c)%n
rootLogger.level = warn
rootLogger.appenderRef.console.ref = console
logger.server.name = kafka.server.KafkaRaftServer
logger.server.level = info
logger.groups.name = org.apache.kafka.coordinator.group
logger.groups.level = info
`;
