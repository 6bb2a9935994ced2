import process from 'node:process';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';

import type { Command } from 'commander';

import { isLoopback } from '../../shared/settings/fieldSchemas.js';
import { createApiClient } from '../developer/api/apiClient.js';
import { RejectedError } from '../developer/api/failures.js';
import {
  addConnectionOptions,
  newConnection,
  storeLogin,
  type Connection,
  type ConnectionOptions,
  type Setting,
} from '../developer/settings/connection.js';
import { userFolder } from '../developer/settings/userFolder.js';
import { CommandFailure, print, printStatus } from '../terminal/output.js';

const help = `
Asks for the key on a terminal, and otherwise reads it from standard input. The key is stored for this user alone, and
is only sent to the address that was stored with it.`;

export function addLoginCommand(program: Command): void {
  const login = program.command('login');
  addConnectionOptions(login)
    .addHelpText('after', help)
    .action(async (options: ConnectionOptions) => {
      const folder = userFolder(process.env);
      const connection = await newConnection(options, process.env, readKey);
      warnOfPlainText(connection);
      await checkKey(connection);
      storeLogin(folder, { url: connection.url.value, apiKey: connection.apiKey.value });
      print(`The key for ${connection.url.value} works, and is stored in ${folder.path}.`);
    });
}

function warnOfPlainText({ url }: Connection): void {
  const { protocol, hostname } = new URL(url.value);
  if (protocol === 'http:' && !isLoopback(hostname)) {
    printStatus(`Warning: the key goes to ${url.value} without encryption. Use https if the service has it.`);
  }
}

/** @throws CommandFailure if the service cannot be reached, or does not know the key */
async function checkKey(connection: Connection): Promise<void> {
  try {
    await createApiClient(connection).send({ path: '/v1/account' });
  } catch (error) {
    // A key with few scopes, or that of a tenant, is a good key too.
    if (!(error instanceof RejectedError) || error.code !== 'insufficient_scope') {
      throw error;
    }
  }
}

async function readKey(): Promise<Setting> {
  const { isTTY } = process.stdin;
  const value = (isTTY ? await keyFromTerminal() : await text(process.stdin)).trim();
  if (value === '') {
    throw new CommandFailure('No key was entered.');
  }
  return { value, origin: isTTY ? 'this terminal' : 'standard input' };
}

async function keyFromTerminal(): Promise<string> {
  const { stdin, stderr } = process;
  stderr.write('API key (it is not shown): ');
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: stdin, output: silent, terminal: true });
  terminal.on('SIGINT', () => process.exit(130));
  try {
    return await terminal.question('');
  } finally {
    terminal.close();
    stderr.write('\n');
  }
}
