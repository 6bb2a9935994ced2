import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

import { expect } from 'chai';

import { checkProse } from './check.js';

describe('the prose check', function () {
  this.timeout(600_000);

  let vale: string;

  before(async () => {
    const { stdout } = await promisify(execFile)(resolve(import.meta.dirname, 'vale'));
    vale = stdout.trim();
  });

  /** The rules that a source breaks, each with its line. */
  const brokenIn = async (path: string, lines: readonly string[]): Promise<readonly string[]> => {
    const findings = await checkProse([{ path, text: lines.join('\n') }], vale);
    return findings.map(({ line, rule }) => `${line} ${rule}`);
  };

  for (const [place, path, lines] of [
    ['a document', 'docs/page.md', ['# Page', '', 'All is well. The record', 'is in hand.']],
    ['a comment', 'api/a.ts', ['/**', ' * All is well.', ' *', ' * The record is in hand.', ' */']],
    [
      'a message',
      'api/a.ts',
      ['', 'throw new Error(', '  `the record of ${name} ` +', "    'is in hand',", ');'],
    ],
    [
      'the text of an element',
      'dashboard/a.tsx',
      ['const page = (', '  <p>', '    The record', '    is in hand.', '  </p>', ');'],
    ],
    [
      'the title of a test',
      'test/a.test.ts',
      ["describe('a record', () => {", '', '', "  it('is in hand', () => {});", '});'],
    ],
  ] as const) {
    it(`finds a sentence in ${place}, with its line`, async () => {
      expect(await brokenIn(path, lines)).to.deep.equal(['4 Wording']);
    });
  }

  it('finds each of several sentences that are alike', async () => {
    const lines = [
      '// The record is in hand: nobody waits.',
      'f();',
      '// The record is in hand: nobody waits.',
    ];
    expect(await brokenIn('api/a.ts', lines)).to.deep.equal([
      '1 Wording',
      '1 Wording',
      '3 Wording',
      '3 Wording',
    ]);
  });

  it('skips code', async () => {
    expect(
      await brokenIn('docs/page.md', ['The status `in hand` is shown.', '', '```', 'It is in hand.', '```']),
    ).to.deep.equal([]);
    expect(
      await brokenIn('api/a.ts', ['const nobody = anew.whoever;', '// The function `anew()` runs.']),
    ).to.deep.equal([]);
  });

  it('allows 25 words in a sentence', async () => {
    const sentence = (words: number): string => `${Array.from({ length: words }, () => 'word').join(' ')}.`;
    expect(await brokenIn('docs/page.md', [`${sentence(25)} ${sentence(25)}`])).to.deep.equal([]);
    expect(await brokenIn('docs/page.md', ['A first sentence.', sentence(26)])).to.deep.equal([
      '2 SentenceLength',
    ]);
  });

  it('ends a sentence with its string, item or cell', async () => {
    const words = Array.from({ length: 20 }, () => 'word').join(' ');
    expect(await brokenIn('api/a.ts', [`log('${words}');`, `log('${words}');`])).to.deep.equal([]);
    expect(await brokenIn('docs/page.md', [`- ${words}`, `- ${words}`])).to.deep.equal([]);
  });

  it('finds chains of colons and of semicolons', async () => {
    expect(await brokenIn('docs/page.md', ['One: two: three.'])).to.deep.equal(['1 ColonChain']);
    expect(await brokenIn('docs/page.md', ['One; two; three.'])).to.deep.equal(['1 SemicolonChain']);
    expect(await brokenIn('docs/page.md', ['One: two; three. Four: five.'])).to.deep.equal([]);
  });

  it('allows the name of the program and a cause in a message', async () => {
    const message = 'postrider: cannot reach the server: connection refused';
    expect(await brokenIn('api/a.ts', [`log('${message}');`])).to.deep.equal([]);
  });

  for (const sentence of [
    'Where the key was deleted, create a new one.',
    'The name, where it has one.',
    'Null where the record has no value.',
    'It fails where there is no topic.',
    'It stops where the group has no member.',
    'The default, also where it was changed.',
  ]) {
    it(`finds "where" for a condition in "${sentence}"`, async () => {
      expect(await brokenIn('docs/page.md', [sentence])).to.deep.equal(['1 Where']);
    });
  }

  for (const sentence of [
    'The folder where the files are stored.',
    'Where do I begin?',
    'The offset where the batch begins.',
    'It shows where the group is.',
  ]) {
    it(`allows "where" for a place in "${sentence}"`, async () => {
      expect(await brokenIn('docs/page.md', [sentence])).to.deep.equal([]);
    });
  }

  it('allows a connection that is refused', async () => {
    expect(
      await brokenIn('docs/page.md', ['The socket refuses connections. The connection was refused.']),
    ).to.deep.equal([]);
    expect(await brokenIn('docs/page.md', ['The request was refused.'])).to.deep.equal(['1 Wording']);
  });

  it('allows the level of a line of a log before a message with a colon', async () => {
    const line = 'Redis is unavailable: the connection is retried';
    expect(await brokenIn('api/a.ts', [`expect(lines).to.include('warn: ${line}');`])).to.deep.equal([]);
    expect(await brokenIn('api/a.ts', [`expect(lines).to.include('cause: ${line}');`])).to.deep.equal([
      '1 ColonChain',
    ]);
  });

  it('finds British spelling', async () => {
    expect(await brokenIn('docs/page.md', ['Its neighbour was cancelled and normalised.'])).to.deep.equal([
      '1 Spelling',
      '1 Spelling',
      '1 Spelling',
    ]);
  });
});
