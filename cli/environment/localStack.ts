import { serverNames, type ServerName, type StackState } from '../../stack/stack.js';

const labels: Readonly<Record<ServerName, string>> = { kafka: 'Kafka', mongodb: 'MongoDB', redis: 'Redis' };

/** The names of local servers for the user, such as `Kafka and Redis`. */
export function labelOf(names: readonly ServerName[]): string {
  return names.map((name) => labels[name]).join(' and ');
}

/** The local servers that have ended while others run. */
export function endedServers({ running }: Pick<StackState, 'running'>): readonly ServerName[] {
  return serverNames.filter((name) => !running[name]);
}
