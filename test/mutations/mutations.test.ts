import { existsSync } from 'node:fs';

import { expect } from 'chai';
import ts from 'typescript';

import { mutate, type Mutation } from './mutation.js';
import { mutations } from './mutations.js';

describe('the mutations for tests with real servers', () => {
  it('each change one place of a declaration, and leave code that can be parsed', async () => {
    const mutated = new Map<string, string>();
    const problems = await Promise.all(
      mutations.map(async (mutation, index) => {
        // Its own directory, because several mutations change the same file.
        const problem = await mutate(mutation).then(
          ({ text, mutated: changed }) => {
            mutated.set(`${index}/${mutation.file}`, changed);
            return text === changed ? 'nothing is changed' : null;
          },
          (error: unknown) => String(error),
        );
        return problem === null ? [] : [`${nameOf(mutation)}: ${problem}`];
      }),
    );
    expect([...problems.flat(), ...unparsed(mutated)]).to.deep.equal([]);
  });

  it('each name a test file that exists', () => {
    const missing = mutations.filter(({ test }) => !existsSync(test)).map(nameOf);
    expect(missing).to.deep.equal([]);
  });
});

function nameOf({ file, function: path, test }: Mutation): string {
  return `${file} ${path} (${test})`;
}

/** The files of these texts, by their names, that have a syntax error. */
function unparsed(texts: ReadonlyMap<string, string>): readonly string[] {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ESNext,
    jsx: ts.JsxEmit.Preserve,
    noLib: true,
    noResolve: true,
  };
  const read = (name: string) => texts.get(name);
  const host: ts.CompilerHost = {
    ...ts.createCompilerHost(options),
    fileExists: (name) => texts.has(name),
    readFile: read,
    getSourceFile: (name) => ts.createSourceFile(name, read(name) ?? '', ts.ScriptTarget.ESNext),
  };
  const program = ts.createProgram([...texts.keys()], options, host);
  return program
    .getSyntacticDiagnostics()
    .map(({ file, messageText }) => `${file.fileName}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`);
}
