import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import type { Config } from '../../../../shared/settings/config.js';
import type { GroupConsumerSettings } from '../../../../shared/log/group/kafkajsConsumer.js';

/** The settings of the consumer program. */
export interface ConsumerOrder {
  readonly config: Pick<Config, 'kafka' | 'topics'>;
  readonly journal: string;
  readonly seed: number;
  readonly group: Partial<GroupConsumerSettings>;
}

/** A process with a consumer, loaded and ready to start. It ends with this process. */
export interface ConsumerProcess {
  readonly start: (order: ConsumerOrder) => void;
  /** Kills the process with `kill -9`. Resolves with the signal that has ended it. */
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
