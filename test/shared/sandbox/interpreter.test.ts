import { expect } from 'chai';

import type { CallResult } from '../../../shared/sandbox/calls.js';
import { createInstance } from '../../../shared/sandbox/instance.js';
import { createInterpreter, type Interpreter } from '../../../shared/sandbox/interpreter.js';
import { hostileCode, ordinaryCode, sandboxEvent } from './events.js';

let interpreter: Interpreter;

function eventWith(data: string): string {
  return `{"id":"evt_1","timestamp":"2026-01-01T10:00:00.000Z","url":"https://example.com/hook","data":${data}}`;
}

/** Runs the body of a transformation. */
function run(body: string, event = sandboxEvent): Promise<CallResult> {
  return interpreter.run({ code: `export default (event) => { ${body} }`, event });
}

async function dataOf(body: string, event = sandboxEvent): Promise<unknown> {
  const result = await run(body, event);
  return result.outcome === 'returned' && result.data !== null ? JSON.parse(result.data) : result;
}

function failure(name: string, message: string) {
  return { outcome: 'failed', failure: name, message };
}

const url = 'https://example.com/hook';

describe('the interpreter of transformations', () => {
  before(async () => {
    interpreter = await createInterpreter();
  });

  it('returns the changed data as JSON text', async () => {
    expect(await dataOf('return { data: { total: event.data.items.length } };')).to.deep.equal({ total: 12 });
    const result = await interpreter.run({ code: ordinaryCode, event: sandboxEvent });
    expect(result).to.have.property('data').that.includes('"total":99');
  });

  it('reports unchanged data without a text, so that numbers of any size are sent as posted', async () => {
    const event = eventWith('{"big":1152921504606846977,"small":1.10}');
    expect(await run('return event;', event)).to.deep.equal({ outcome: 'returned', url, data: null });
    expect(await run('return { ...event, data: { ...event.data } };', event)).to.deep.include({ data: null });
    expect(await dataOf('event.data.more = 1; return event;', event)).to.deep.include({ more: 1 });
  });

  it('returns a changed URL', async () => {
    expect(await run('event.url += "?a=1"; return event;')).to.deep.equal({
      ...{ outcome: 'returned', url: `${url}?a=1`, data: null },
    });
    expect(await run('return { data: event.data };')).to.deep.include({ url });
    expect(await run('event.url = "x".repeat(3000); return event;')).to.deep.equal(
      failure('result', 'The code returned a `url` of more than 2048 characters.'),
    );
  });

  it('skips an event if the code returns null', async () => {
    expect(await run('return null;')).to.deep.equal({ outcome: 'skipped' });
  });

  it('rejects results that are no event', async () => {
    const noEvent = failure('result', 'The code returned no event. Return an event or null.');
    expect(await run('')).to.deep.equal(noEvent);
    expect(await run('return 5;')).to.deep.equal(noEvent);
    expect(await run('return [event];')).to.deep.equal(noEvent);
    for (const data of ['undefined', 'null', '[]', '"text"']) {
      expect(await run(`return { data: ${data} };`)).to.deep.equal(
        failure('result', 'The code returned no object as `data`.'),
      );
    }
    expect(await run('return { data: {}, url: 1 };')).to.have.property('failure', 'result');
    expect(
      await run('let a = []; for (let i = 0; i < 1100; i++) a = [a]; return { data: { a } };'),
    ).to.deep.equal(
      failure('result', 'The code returned invalid `data`: it is nested deeper than 1000 levels.'),
    );
  });

  it('checks a module without an event', async () => {
    const check = (code: string) => interpreter.run({ code, event: null });
    expect(await check(ordinaryCode)).to.deep.equal({ outcome: 'accepted' });
    const noFunction = failure('invalid', 'The code has no function as its default export.');
    expect(await check('export const one = 1;')).to.deep.equal(noFunction);
    expect(await check('export default 5;')).to.deep.equal(noFunction);
    const asynchronous = 'The default export is asynchronous or a generator. Export a synchronous function.';
    for (const kind of ['async (event) => event', 'function* () {}', 'async function* () {}']) {
      expect(await check(`export default ${kind};`)).to.deep.equal(failure('invalid', asynchronous));
    }
    expect(await check('await 1; export default (event) => event;')).to.deep.equal(
      failure('invalid', 'The code has a top-level `await`.'),
    );
    expect(await check('import "node:fs"; export default (event) => event;')).to.deep.equal(
      failure('invalid', 'The code imports a module. A transformation has no imports.'),
    );
    expect(await check('export default (event) => {\n  event..data;\n}')).to.deep.equal(
      failure('invalid', 'SyntaxError: expecting field name (line 2)'),
    );
    expect(await check('\nthrow new Error("stop");')).to.deep.equal(
      failure('invalid', 'Error: stop (line 2)'),
    );
    expect(await check('for (;;) {}')).to.have.property('failure', 'steps');
  });

  it('reports what the code has thrown, with the line', async () => {
    expect(await run('\nthrow new RangeError("too large");')).to.deep.equal(
      failure('threw', 'RangeError: too large (line 2)'),
    );
    expect(await run('throw 5;')).to.deep.equal(failure('threw', '5'));
    expect(await run('throw { get message() { throw 1; } };')).to.deep.equal(
      failure('threw', 'The code has thrown a value that cannot be shown.'),
    );
    expect(await run('throw { get message() { for (;;) {} } };')).to.have.property('failure', 'steps');
    expect(await run('throw new Error("x".repeat(10_000));'))
      .to.have.property('message')
      .with.lengthOf(300);
  });

  it('has no clock, no time zone and no randomness', async () => {
    const noClock = /a transformation has no clock/;
    for (const body of [
      'Date.now();',
      'new Date();',
      'Date();',
      'new event.constructor.constructor("Date.now()")();',
    ]) {
      expect(await run(body))
        .to.have.property('message')
        .that.matches(noClock);
    }
    expect(await run('new (Object.getPrototypeOf(new Date(1)).constructor)();')).to.have.property(
      'failure',
      'threw',
    );
    const names = [
      'SharedArrayBuffer',
      'Atomics',
      'WeakRef',
      'FinalizationRegistry',
      'performance',
      'fetch',
      'process',
    ];
    expect(
      await dataOf(
        `return { data: { found: ${JSON.stringify(names)}.filter((name) => name in globalThis) } };`,
      ),
    ).to.deep.equal({ found: [] });
    expect(await run('Math.random();')).to.have.property('failure', 'threw');
    const dates = [
      'new Date(event.timestamp).toISOString()',
      'new Date(2020, 0, 1).getTime()',
      'new Date("2020-01-01T10:00").getHours()',
      'new Date("2020-01-01T10:00+02:00").getHours()',
      'new Date("Thu, 01 Jan 1970 00:00:01 GMT").getTime()',
      'Number.isNaN(new Date("01/02/2020 10:00").getTime())',
      'String(new Date(0))',
      'new Date(new Date(7)).getTimezoneOffset()',
    ];
    expect(await dataOf(`return { data: { dates: [${dates.join()}] } };`)).to.deep.equal({
      dates: [
        '2026-01-01T10:00:00.000Z',
        1577836800000,
        10,
        8,
        1000,
        true,
        'Thu, 01 Jan 1970 00:00:00 GMT',
        0,
      ],
    });
  });

  it('uses its own memory of 8 MiB, which code can neither exceed nor fill for a later call', async () => {
    const fill = `const texts = [];
      try { for (;;) texts.push("x".repeat(1 << 20) + texts.length); } catch {
        const n = texts.length; texts.length = 0; return { data: { n } }; }`;
    for (let call = 0; call < 3; call += 1) {
      expect(await dataOf(fill)).to.deep.equal({ n: 7 });
    }
    expect(await run('return { data: { text: "x".repeat(5_000_000) } };')).to.have.property(
      'failure',
      'memory',
    );
    expect(await interpreter.run({ code: `/*${'x'.repeat(9_000_000)}*/`, event: null })).to.have.property(
      'failure',
      'memory',
    );
  });

  it('passes no state from one call to the next', async () => {
    const leaks = [
      'globalThis.leak = 1;',
      'var leak = 1; (0, eval)("var leak = 1; let other = 2;");',
      'Object.prototype.leak = 1; Array.prototype[0] = 1;',
      'Object.getPrototypeOf(() => {}).leak = 1;',
      'Symbol.for("leak").description; globalThis[Symbol.for("leak")] = 1;',
      'JSON.parse = JSON.stringify = () => "{}"; RegExp.prototype.exec = null;',
      'Date.leak = 1; Date.prototype.toISOString = null; delete globalThis.Date;',
      '/(a)(b)?/.exec("ab"); RegExp.leak = RegExp.$1;',
      'import.meta.leak = 1;',
      'Promise.resolve().then(() => { globalThis.leak = 1; });',
      'Object.freeze(Object.prototype); Object.freeze(globalThis);',
    ];
    const look = `const names = [globalThis, {}, [], () => {}, Date, RegExp, import.meta].map((value) => value.leak);
      globalThis.own = 1; const own = {}; own.added = 1;
      return { data: { names, symbol: globalThis[Symbol.for("leak")] ?? null, first: [,][0] ?? null, own: own.added,
        date: new Date(0).toISOString(), global: globalThis.own, exec: /a/.test("a") } };`;
    const clean = await dataOf(look);
    expect(clean).to.deep.include({ symbol: null, first: null, own: 1, global: 1, exec: true });
    for (const leak of leaks) {
      await run(`${leak} return event;`);
      expect(await dataOf(look), leak).to.deep.equal(clean);
    }
  });

  it('restores every bit of its memory after each call', async () => {
    const instance = await createInstance();
    const before = instance.memory.slice();
    for (const code of [ordinaryCode, 'for (;;) {}', 'throw 1;', `export default ${'['.repeat(200)}`]) {
      const source = instance.write(code);
      instance.ffi.QTS_Eval(instance.context, source.pointer, source.bytes, 'code.js', 0, 1);
      const large = instance.module._malloc(3_000_000);
      instance.memory.fill(1, large, large + 3_000_000);
      expect(Buffer.compare(before, instance.memory) === 0).to.equal(false);
      instance.reset();
      expect(Buffer.compare(before, instance.memory) === 0).to.equal(true);
    }
  });

  it('ends 1,000 equal calls in the same way, whatever runs between them', async () => {
    const { 'a native call that does not end': _native, ...others } = hostileCode;
    const between = Object.values(others).map(({ code }) => code);
    const expected = new Map<string, string>();
    const check = async (code: string) => {
      const result = JSON.stringify(await interpreter.run({ code, event: sandboxEvent }));
      expect(result).to.equal(expected.get(code) ?? result);
      expected.set(code, result);
    };
    for (let call = 0; call < 1000; call += 1) {
      await check(ordinaryCode);
      if (call % 20 === 0) {
        await check(between[(call / 20) % between.length] ?? '');
      }
    }
    expect(expected.size).to.equal(between.length + 1);
  }).timeout(180_000);

  it('counts the same number of steps for the same code', async () => {
    const spend = (turns: number) =>
      run(`let n = 0; while (n < ${String(turns)}) n++; return { data: { n } };`);
    let [low, high] = [0, 1_000_000];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      [low, high] = (await spend(middle)).outcome === 'returned' ? [middle, high] : [low, middle];
    }
    for (let round = 0; round < 100; round += 1) {
      await interpreter.run({ code: ordinaryCode, event: sandboxEvent });
      expect((await spend(low)).outcome).to.equal('returned');
      expect((await spend(low + 1)).outcome).to.equal('failed');
    }
  }).timeout(180_000);
});
