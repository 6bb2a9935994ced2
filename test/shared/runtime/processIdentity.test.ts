import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';

import { expect } from 'chai';

import {
  hasEnded,
  ownIdentity,
  parseIdentity,
  type ProcessIdentity,
} from '../../../shared/runtime/processIdentity.js';
import { eventually } from '../../support/eventually.js';

/** The stat line of a zombie: the name in brackets, the state, 18 fields, and the start. */
const zombie = /\) Z (?:\S+ ){18}(?<startedAt>\S+)/u;

function own(): ProcessIdentity {
  const identity = ownIdentity();
  if (identity === null) {
    throw new Error('these tests are for Linux');
  }
  return identity;
}

async function startOfZombie(pid: number): Promise<string | null> {
  return zombie.exec(await readFile(`/proc/${pid}/stat`, 'utf8'))?.groups?.['startedAt'] ?? null;
}

function pidOf({ pid }: ChildProcess): number {
  if (pid === undefined) {
    throw new Error('the process was not started');
  }
  return pid;
}

describe('the identity of a process', () => {
  it('shows that this process has not ended', () => {
    expect(hasEnded(own(), own())).to.equal(false);
  });

  it('shows that an earlier process with the same pid has ended', () => {
    expect(hasEnded({ ...own(), startedAt: '1' }, own())).to.equal(true);
  });

  it('does not show that a process on another machine has ended, whatever its pid', () => {
    expect(hasEnded({ ...own(), place: 'another machine', startedAt: '1' }, own())).to.equal(false);
  });

  it('shows that a killed process has ended', async () => {
    const child = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)']);
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
    expect(hasEnded({ ...own(), pid: pidOf(child) }, own())).to.equal(true);
  });

  it('shows that a killed process has ended even if its parent does not reap it', async () => {
    // The shell starts a child and then becomes a program that never reaps it. The child must end after that, because the
    // shell would reap it.
    const parent = spawn(
      'sh',
      ['-c', ['exec 3<&0', 'cat <&3 >/dev/null & echo $!', 'exec sleep 60'].join('\n')],
      {
        stdio: ['pipe', 'pipe', 'ignore'],
      },
    );
    try {
      const [line] = (await once(parent.stdout, 'data')) as [Buffer];
      const pid = Number(line.toString());
      await eventually('another program instead of the shell', async () =>
        (await readFile(`/proc/${pidOf(parent)}/comm`, 'utf8')) === 'sleep\n' ? true : null,
      );
      parent.stdin.end();
      const startedAt = await eventually('a process that was not reaped', () => startOfZombie(pid));
      expect(hasEnded({ ...own(), pid, startedAt }, own())).to.equal(true);
    } finally {
      parent.kill('SIGKILL');
    }
  });

  it('is parsed from its JSON', () => {
    expect(parseIdentity(JSON.stringify(own()))).to.deep.equal(own());
  });

  for (const text of ['', '{}', 'null', '{"place":"here","pid":-1,"startedAt":"1"}']) {
    it(`is not parsed from "${text}"`, () => {
      expect(parseIdentity(text)).to.equal(null);
    });
  }
});
