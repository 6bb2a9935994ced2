import { createHook } from 'node:async_hooks';

import { expect } from 'chai';

import { connectMongo } from '../../../shared/mongo/client.js';
import { createOpened } from '../../support/opened.js';
import { eventually } from '../../support/eventually.js';
import { testStack } from '../../support/stack.js';

/** What Node keeps of a timer. */
interface Timer {
  /** After how many milliseconds it comes. */
  readonly _idleTimeout: number;
  readonly hasRef: () => boolean;
}

/** The timers that pools of connections have begun and have not ended. */
function watchPoolTimers() {
  const timers = new Map<number, Timer>();
  const hook = createHook({
    init: (id, type, _trigger, resource) => {
      if (type === 'Timeout' && /ensure(MinPoolSize|EachSecond)/.test(new Error().stack ?? '')) {
        timers.set(id, resource as Timer);
      }
    },
    destroy: (id) => timers.delete(id),
  }).enable();
  return { timers, end: () => void hook.disable() };
}

describe('shared/mongo/idleTimers', () => {
  const opened = createOpened();
  afterEach(opened.releaseAll);

  it('leaves a pool one timer, which comes once a second and holds up no process that ends', async () => {
    const { mongodb } = await testStack();
    const watch = watchPoolTimers();
    opened.add('watch', watch.end);
    const { database, close } = await connectMongo(mongodb.url, 'test');
    opened.add('mongodb', close);
    await database.command({ ping: 1 });

    const only = await eventually('the other timers are gone', () =>
      watch.timers.size === 1 ? [...watch.timers.values()][0] : null,
    );
    expect({ isSlow: (only?._idleTimeout ?? 0) >= 500, hasRef: only?.hasRef() }).to.deep.equal({
      isSlow: true,
      hasRef: false,
    });
  });
});
