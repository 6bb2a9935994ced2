import { expect } from 'chai';

import {
  drop,
  invertCondition,
  removeAwait,
  removeCall,
  replaceArgument,
  replaceCall,
  replaceCondition,
  replaceName,
  replaceOperator,
  replaceReturn,
  replaceValue,
  type Change,
} from './changes.js';
import { declarationOf, parse } from './syntax.js';

const cases: readonly [title: string, change: Change, before: string, after: string][] = [
  ['removes a call', removeCall('log.append'), 'await log.append(x);', 'undefined;'],
  ['removes the second call', removeCall('go', 2), 'go(1); go(2);', 'go(1); undefined;'],
  [
    'replaces a call and its await',
    replaceCall('find', 'null'),
    'return await store.find(x);',
    'return null;',
  ],
  ['removes an await', removeAwait('append'), 'await append(x);', 'void append(x);'],
  ['replaces an argument', replaceArgument('pause', 1, '0'), 'pause(a, b, c);', 'pause(a, 0, c);'],
  [
    'replaces a condition',
    replaceCondition('full', 'false'),
    'if (full()) { go(); }',
    'if (false) { go(); }',
  ],
  ['inverts an operand', invertCondition('b'), 'return a && b > 1;', 'return a && !(b > 1);'],
  ['removes an operand', drop('b'), 'return a && b > 1;', 'return a;'],
  ['removes an element', drop('b'), 'return [a, b, c];', 'return [a,  c];'],
  ['removes a property', drop('b'), 'return { a, b: 1, c };', 'return { a,  c };'],
  ['replaces an operator', replaceOperator('<', '<='), 'return a < b;', 'return a <= b;'],
  ['replaces a name', replaceName('$max', '$set'), 'return { $max: a };', 'return { $set: a };'],
];

describe('a change of a mutation', () => {
  for (const [title, change, before, after] of cases) {
    it(title, () => {
      expect(applied(`function f() { ${before} }`, 'f', change)).to.equal(`function f() { ${after} }`);
    });
  }

  it('replaces the body of a function', () => {
    expect(applied('function f() { g(); }', 'f', replaceReturn('1'))).to.equal('function f() { return 1; }');
    expect(applied('const f = () => g();', 'f', replaceReturn('1'))).to.equal('const f = () => 1;');
  });

  it('replaces the value of a property in a declaration', () => {
    const changed = applied('const f = () => ({ a: { b: 1 } });', 'f.a.b', replaceValue('2'));
    expect(changed).to.equal('const f = () => ({ a: { b: 2 } });');
  });

  it('fails if the declaration has no place for it, or several', () => {
    expect(() => applied('function f() { g(); }', 'f', removeCall('h'))).to.throw('found 0');
    expect(() => applied('function f() { g(); g(); }', 'f', removeCall('g'))).to.throw('found 2');
    expect(() => applied('function f() {}', 'g', removeCall('h'))).to.throw('declaration of g');
  });
});

function applied(text: string, path: string, change: Change): string {
  const { start, end, text: replacement } = change(declarationOf(parse('file.ts', text), path));
  return text.slice(0, start) + replacement + text.slice(end);
}
