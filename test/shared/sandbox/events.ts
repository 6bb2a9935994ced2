/** An event as a transformation gets it, of about 1 KiB. */
export const sandboxEvent = JSON.stringify({
  id: 'evt_1',
  type: 'order.completed',
  timestamp: '2026-01-01T10:00:00.000Z',
  tenantId: null,
  url: 'https://example.com/hook',
  data: {
    id: 1,
    items: Array.from({ length: 12 }, (_, index) => ({
      ...{ sku: `sku-${String(index)}`, name: `Item ${String(index)}`, price: index * 1.5, tags: ['a', 'b'] },
    })),
  },
});

/** Ordinary code: it adds a total and removes members. */
export const ordinaryCode = `export default (event) => {
  event.data.total = event.data.items.reduce((sum, { price }) => sum + price, 0);
  event.data.items = event.data.items.map(({ sku, price }) => ({ sku, price }));
  return event;
};`;

/** Hostile code, with the failure that its owner gets. */
export const hostileCode = {
  'an endless loop': { code: 'export default () => { for (;;) {} }', failure: 'steps' },
  'a huge text': {
    code: 'export default () => { const texts = []; for (;;) texts.push("x".repeat(1 << 20) + texts.length); }',
    failure: 'memory',
  },
  'a regular expression that backtracks': {
    code: 'export default () => ({ data: { matches: /^(a+)+$/.test("a".repeat(40) + "b") } })',
    failure: 'steps',
  },
  'a deep recursion': { code: 'export default () => { const f = () => f() + 1; f(); }', failure: 'threw' },
  'a deep text': { code: 'export default () => JSON.parse("[".repeat(1e6))', failure: 'threw' },
  'prototype tricks': {
    code: 'export default (event) => { Object.prototype.toJSON = () => "forged"; return event; }',
    failure: 'result',
  },
  'import()': { code: 'export default () => import("node:fs")', failure: 'result' },
  timers: { code: 'export default () => { setTimeout(() => {}, 1); }', failure: 'threw' },
  'a gigantic output': {
    code: 'export default () => ({ data: { text: "x".repeat(300_000) } })',
    failure: 'result',
  },
  'a native call that does not end': { code: 'export default () => new Array(1e9) + ""', failure: 'time' },
} as const;
