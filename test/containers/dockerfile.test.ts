import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';

import { expect } from 'chai';
import { z } from 'zod';

import { roleMemory } from '../../cli/start/roleMemory.js';

const root = new URL('../../', import.meta.url);

async function readLines(name: string): Promise<string[]> {
  return (await readFile(new URL(name, root), 'utf8')).split('\n');
}

/** The paths that the Dockerfile copies from this checkout, and not from another stage. */
async function copiedPaths(): Promise<string[]> {
  const copies = (await readLines('Dockerfile')).filter((line) => /^COPY (?!--from)/.test(line));
  return copies.flatMap((line) => line.split(/\s+/).slice(1, -1));
}

async function exists(path: string): Promise<boolean> {
  return access(new URL(path, root)).then(
    () => true,
    () => false,
  );
}

/** The first process of a container. It reaps processes and forwards signals. */
const init = ['/usr/bin/tini', '--'];

/** The words of an instruction in its JSON form. */
async function instructionOf(name: string): Promise<readonly string[]> {
  const line = (await readLines('Dockerfile')).find((text) => text.startsWith(`${name} `)) ?? '';
  return z.array(z.string()).parse(JSON.parse(line.slice(line.indexOf('['))));
}

/** Runs the check of the image's health against a role that answers with this status. @returns its exit code */
async function healthWith(status: number): Promise<number | null> {
  const role = createServer((request, response) => {
    response.writeHead(request.url === '/healthz' ? status : 404).end();
  }).listen(0, '127.0.0.1');
  await once(role, 'listening');
  const { port } = role.address() as AddressInfo;
  const [command = '', ...words] = await instructionOf('HEALTHCHECK');
  const check = spawn(command === 'node' ? process.execPath : command, words, {
    env: { ...process.env, PORT: String(port) },
  });
  const [code] = (await once(check, 'exit')) as [number | null];
  role.close();
  return code;
}

describe('Dockerfile', () => {
  it('starts from the reference version of Node, pinned by digest', async () => {
    const [version] = await readLines('.node-version');
    const images = (await readLines('Dockerfile')).filter((line) => /^FROM (?!base\b)/.test(line));
    expect(images).to.have.lengthOf(1);
    expect(images[0]).to.match(
      new RegExp(`^FROM node:${String(version)}-bookworm-slim@sha256:[0-9a-f]{64} AS base$`),
    );
  });

  it('installs the init process of its entry point', async () => {
    const installs = (await readLines('Dockerfile')).filter((line) => line.includes('apt-get install'));
    expect(installs.join()).to.match(/\btini\b/);
    expect((await instructionOf('ENTRYPOINT')).slice(0, init.length)).to.deep.equal(init);
  });

  it('runs as a user without privileges, identified by number', async () => {
    const users = (await readLines('Dockerfile')).filter((line) => line.startsWith('USER '));
    expect(users).to.deep.equal(['USER 1000:1000']);
  });

  it('reports a role as healthy if it answers with 200, and otherwise as unhealthy', async () => {
    expect(await Promise.all([200, 503].map(healthWith))).to.deep.equal([0, 1]);
  });

  it('copies existing paths only', async () => {
    const paths = await copiedPaths();
    const found = await Promise.all(paths.map(exists));
    expect(paths.filter((_path, index) => found[index] === false)).to.deep.equal([]);
  });

  it('sets the memory variables of `postrider start`', async () => {
    const set = Object.entries(roleMemory).map(([name, value]) => `${name}=${value}`);
    expect(await readLines('Dockerfile')).to.include(`ENV ${set.join(' ')}`);
  });

  it('starts the command line, whose roles set their other memory options themselves', async () => {
    expect(await instructionOf('ENTRYPOINT')).to.deep.equal([...init, 'node', '/app/dist/cli/main.js']);
  });

  it('copies no path that .dockerignore excludes', async () => {
    const letIn = await readLines('.dockerignore');
    expect(letIn).to.include.members((await copiedPaths()).map((path) => `!${path}`));
  });

  it('copies every folder that the build compiles, except the benchmarks', async () => {
    const { include } = z
      .object({ include: z.array(z.string()) })
      .parse(JSON.parse((await readLines('tsconfig.build.json')).join('\n')));
    expect(await copiedPaths()).to.include.members(include.filter((folder) => folder !== 'bench'));
  });
});
