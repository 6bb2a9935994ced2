import { expect } from 'chai';

import { passagesIn } from './sources.js';

interface Placed {
  readonly kind: string;
  readonly line: number;
  readonly text: string;
}

/** The passages of a source, each with the line of its first character. */
function placedIn(path: string, source: string): readonly Placed[] {
  return passagesIn(path, source).map(({ kind, text, offsets }) => ({
    kind,
    line: source.slice(0, offsets[0]).split('\n').length,
    text,
  }));
}

function textsIn(path: string, source: string): readonly string[] {
  return passagesIn(path, source).map(({ text }) => text);
}

describe('the prose of a document', () => {
  it('is a passage for each heading, paragraph, item and cell, with its line', () => {
    const source = [
      '# A heading',
      '',
      'A paragraph that goes',
      'over two lines.',
      '',
      '- first item',
      '  and its end',
      '- second item',
      '',
      '| left cell | right cell |',
      '| --- | --- |',
      '| lower cell | `code` |',
    ].join('\n');
    expect(placedIn('docs/page.md', source)).to.deep.equal([
      { kind: 'document', line: 1, text: 'A heading' },
      { kind: 'document', line: 3, text: 'A paragraph that goes over two lines.' },
      { kind: 'document', line: 6, text: 'first item and its end' },
      { kind: 'document', line: 8, text: 'second item' },
      { kind: 'document', line: 10, text: 'left cell' },
      { kind: 'document', line: 10, text: 'right cell' },
      { kind: 'document', line: 12, text: 'lower cell' },
    ]);
  });

  it('has no code, no addresses and no markup', () => {
    const source = [
      'The setting `A_B` is **not** in [the _list_ of `C`](list.md#a), but in <kbd>snake_case</kbd>.',
      '',
      '```sh',
      'npm run something that is shown',
      '```',
      '',
      '<!-- a remark for tools -->',
    ].join('\n');
    expect(textsIn('README.md', source)).to.deep.equal([
      'The setting CODE is not in the list of CODE, but in snake_case.',
    ]);
  });
});

describe('the prose of a program', () => {
  it('has the comments, with their lines', () => {
    const source = [
      "const address = 'https://example.com'; // after a statement",
      '/**',
      ' * A comment of',
      ' * two lines.',
      ' * @throws TypeError if it fails',
      ' */',
      'function first(): void {',
      '  // one text',
      '  // in two comments',
      '}',
      'const slashes = /a\\/\\/ no comment/;',
    ].join('\n');
    expect(placedIn('api/a.ts', source)).to.deep.equal([
      { kind: 'comment', line: 1, text: 'after a statement' },
      { kind: 'comment', line: 3, text: 'A comment of two lines.' },
      { kind: 'comment', line: 5, text: '@throws TypeError if it fails' },
      { kind: 'comment', line: 8, text: 'one text in two comments' },
    ]);
  });

  it('has no comments that tools read, and no diagrams', () => {
    const source = ['// @ts-expect-error it is wrong', '// a ──► b', '/// <reference types="node" />', ''];
    expect(textsIn('api/a.ts', source.join('\n'))).to.deep.equal([]);
  });

  it('has messages, joined from their pieces', () => {
    const source = [
      'throw new Error(',
      '  `the topic ${name} is missing; ` +',
      "    'create it first',",
      ');',
      "log('it\\'s a line');",
    ].join('\n');
    expect(placedIn('api/a.ts', source)).to.deep.equal([
      { kind: 'message', line: 2, text: 'the topic CODE is missing; create it first' },
      { kind: 'message', line: 5, text: "it's a line" },
    ]);
  });

  it('has each row of a help text', () => {
    const source = [
      'const help = `',
      'A paragraph in',
      'two lines.',
      '',
      '  one    the first term',
      '  other  the second term,',
      '         over two lines`;',
    ].join('\n');
    expect(placedIn('cli/a.ts', source)).to.deep.equal([
      { kind: 'message', line: 2, text: 'A paragraph in two lines.' },
      { kind: 'message', line: 5, text: 'the first term' },
      { kind: 'message', line: 6, text: 'the second term, over two lines' },
    ]);
  });

  it('has no strings that are code', () => {
    const source = [
      "import { a } from './a.js';",
      "const kinds: 'one kind' | 'other kind' = run('single');",
      "const query = 'db.find({ name: 1 })';",
      "const program = 'first(); second();';",
      "const options = '--flag value';",
      "const header = 'text/plain; charset=utf-8; format=flowed';",
      'const cookie = `name=${value}; Max-Age=0; Path=/`;',
      "const policy = \"default-src 'none'; style-src 'self'; base-uri 'none'\";",
    ];
    expect(textsIn('api/a.ts', source.join('\n'))).to.deep.equal([]);
  });

  it('has no server-sent events', () => {
    const source = [
      "send('retry: 2000\\n: the events of this account\\n\\n');",
      'send(`id: ${id}\\nevent: event\\ndata: ${data}\\n\\n`);',
    ];
    expect(textsIn('api/a.ts', source.join('\n'))).to.deep.equal([]);
  });

  it('has the titles of tests', () => {
    const source = ["describe('a part', () => {", '  it(`answers ${code} at once`, () => {});', '});'].join(
      '\n',
    );
    expect(placedIn('test/a.test.ts', source)).to.deep.equal([
      { kind: 'title', line: 1, text: 'a part' },
      { kind: 'title', line: 2, text: 'answers CODE at once' },
    ]);
  });
});

describe('the prose of the dashboard', () => {
  it('has the texts of elements, each with the elements within its sentences', () => {
    const source = [
      'const page = (',
      '  <section class="two classes">',
      '    <p>',
      '      Add <code>a.b</code> to <strong>each</strong> of {count} webhooks,{" "}',
      '      <a href="/list">in the list</a>.',
      '    </p>',
      '    <Field label="Name" hint={`Shown to ${who}.`} />',
      '  </section>',
      ');',
    ].join('\n');
    expect(placedIn('dashboard/a.tsx', source)).to.deep.equal([
      { kind: 'ui', line: 4, text: 'Add CODE to each of CODE webhooks, in the list.' },
      { kind: 'ui', line: 7, text: 'Name' },
      { kind: 'ui', line: 7, text: 'Shown to CODE.' },
    ]);
  });

  it('has the comments of style sheets', () => {
    const source = ['/* The ground', '   of a page. */', "body { background: url('//x/y'); }"].join('\n');
    expect(placedIn('dashboard/styles/a.css', source)).to.deep.equal([
      { kind: 'comment', line: 1, text: 'The ground of a page.' },
    ]);
  });
});
