import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import type { Config } from '../../../../shared/settings/config.js';
import type { GroupConsumerSettings } from '../../../../shared/log/group/kafkajsConsumer.js';

/** What the consumer program is told. */
export interface ConsumerOrder {
  readonly config: Pick<Config, 'kafka' | 'topics'>;
  readonly journal: string;
  readonly seed: number;
  readonly group: Partial<GroupConsumerSettings>;
}

/** A process with a consumer, loaded and waiting for its order. It ends with this process. */
export interface ConsumerProcess {
  readonly start: (order: ConsumerOrder) => void;
  /** kill -9; resolves with the signal that has ended it, once it has. */
  readonly kill: () => Promise<NodeJS.Signals | null>;
}

const program = fileURLToPath(new URL('consumerProgram.ts', import.meta.url));

export async function forkConsumer(): Promise<ConsumerProcess> {
  const child = fork(program, { execArgv: ['--import', 'tsx'] });
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  await once(child, 'message');
  return {
    start: (order) => {
      child.send(order);
    },
    kill: async () => {
      child.kill('SIGKILL');
      const [, signal] = await exited;
      return signal;
    },
  };
}
