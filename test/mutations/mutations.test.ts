import { existsSync } from 'node:fs';

import { expect } from 'chai';
import ts from 'typescript';

import { mutate, type Mutation } from './mutation.js';
import { mutations } from './mutations.js';

describe('the mutations for tests with real servers', () => {
  it('each change one place of a declaration, and leave code that can be parsed', async () => {
    const problems = await Promise.all(mutations.map(problemsOf));
    expect(problems.flat()).to.deep.equal([]);
  });

  it('each name a test file that exists', () => {
    const missing = mutations.map(({ test }) => test).filter((test) => !existsSync(test));
    expect(missing).to.deep.equal([]);
  });
});

async function problemsOf(mutation: Mutation): Promise<readonly string[]> {
  const name = `${mutation.file} ${mutation.function}`;
  try {
    const { text, mutated } = await mutate(mutation);
    return text !== mutated && isParsed(mutation.file, mutated) ? [] : [name];
  } catch (error) {
    return [`${name}: ${String(error)}`];
  }
}

function isParsed(fileName: string, text: string): boolean {
  const compilerOptions = { target: ts.ScriptTarget.ESNext, jsx: ts.JsxEmit.Preserve };
  const { diagnostics = [] } = ts.transpileModule(text, {
    fileName,
    compilerOptions,
    reportDiagnostics: true,
  });
  return diagnostics.length === 0;
}
