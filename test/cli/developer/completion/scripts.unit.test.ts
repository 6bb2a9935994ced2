import { execFileSync } from 'node:child_process';

import { expect } from 'chai';

import { completionScript } from '../../../../cli/developer/completion/scripts.js';

const commands = [
  {
    path: [],
    commands: [
      { name: 'events', description: 'list events' },
      { name: 'listen', description: "forward to the receiver's URL" },
    ],
    options: [],
  },
  {
    path: ['events'],
    commands: [
      { name: 'list', description: 'list' },
      { name: 'show', description: 'show' },
    ],
    options: [],
  },
  { path: ['events', 'list'], commands: [], options: [{ flag: '--json', description: 'print JSON' }] },
  { path: ['listen'], commands: [], options: [{ flag: '--forward-to', description: 'the URL' }] },
];

/** The words that bash offers after a line. */
function offered(...words: readonly string[]): readonly string[] {
  const line = ['postrider', ...words].map((word) => `'${word}'`).join(' ');
  const call = `COMP_WORDS=(${line}); COMP_CWORD=${String(words.length)}; _postrider; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const script = `${completionScript('bash', commands)}\n${call}`;
  return execFileSync('bash', ['-c', script]).toString().trim().split('\n');
}

describe('the completion of bash', () => {
  it('offers the commands and options at their place', () => {
    expect(offered('')).to.deep.equal(['events', 'listen']);
    expect(offered('ev')).to.deep.equal(['events']);
    expect(offered('events', 's')).to.deep.equal(['show']);
    expect(offered('events', 'list', '--')).to.deep.equal(['--json']);
    expect(offered('listen', '--forward-to', 'x', '')).to.deep.equal(['--forward-to']);
  });
});
