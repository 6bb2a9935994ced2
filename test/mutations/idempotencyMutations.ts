import type { Mutation } from './mutation.js';

/** Ways to break what an idempotency key promises. */
export const idempotencyMutations: readonly Mutation[] = [
  {
    name: 'a takeover makes something new',
    file: 'shared/mongo/reservations.ts',
    find: 'isRepeat ? openFor(document.seed, name) : seed',
    replace: 'seed',
    test: 'test/api/idempotency/takeover.test.ts',
    grep: 'are taken over: the same event, id and time',
  },
  {
    name: 'a takeover dates what it makes anew',
    file: 'shared/mongo/reservations.ts',
    find: "created: whereNew(fresh.created, '$created')",
    replace: 'created: fresh.created',
    test: 'test/shared/mongo/reservations.test.ts',
    grep: 'gives what the first one was given to the next',
  },
  {
    name: 'a takeover appends what is there already',
    file: 'api/webhooks/webhookCommands.ts',
    find: 'identity.isRepeat && (await lookup.placeOf(caller, id)) !== null',
    replace: 'identity.isRepeat && id === "" && (await lookup.placeOf(caller, id)) !== null',
    test: 'test/api/idempotency/takeover.test.ts',
    grep: 'it is not created again, and its secret is shown',
  },
  {
    name: 'a secret is rotated again by a takeover',
    file: 'api/webhooks/webhookCommands.ts',
    find: 'identity.isRepeat && (await lookup.knowsRecord(',
    replace: 'id === "" && (await lookup.knowsRecord(',
    test: 'test/api/idempotency/takeover.test.ts',
    grep: 'it is not rotated again, and shown',
  },
  {
    name: 'what a takeover is refused is stored',
    file: 'api/idempotency/once.ts',
    find: '(!isRepeat && storedRefusals',
    replace: '(storedRefusals',
    test: 'test/api/idempotency/takeover.test.ts',
    grep: 'leave no refusal behind them',
  },
];
