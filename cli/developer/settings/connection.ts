import type { Command } from 'commander';

import { CommandFailure } from '../../terminal/output.js';
import type { Environment, UserFolder } from './userFolder.js';

export interface ConnectionOptions {
  readonly apiKey?: string;
  readonly url?: string;
}

/** A setting with the place where the user has set it, for error messages. */
export interface Setting {
  readonly value: string;
  readonly origin: string;
}

/** The service that a command calls, and its API key. */
export interface Connection {
  /** The address of the API, without a slash at the end. */
  readonly url: Setting;
  readonly apiKey: Setting;
}

/** The address on which `postrider start` listens by default. */
const defaultUrl: Setting = { value: 'http://127.0.0.1:3000', origin: 'the default' };

const loginFile = 'login.json';

/** Adds the options that every command with a connection has. */
export function addConnectionOptions(command: Command): Command {
  return command
    .option('--api-key <key>', 'the API key (default: POSTRIDER_API_KEY, or the key of `postrider login`)')
    .option('--url <url>', `the address of the service (default: POSTRIDER_URL, or ${defaultUrl.value})`);
}

/**
 * The connection of a command: options come before environment variables, and those before what `login` has stored.
 * @throws CommandFailure if there is no API key, or a setting has the wrong form
 */
export function connectionOf(
  options: ConnectionOptions,
  environment: Environment,
  folder: Pick<UserFolder, 'read'>,
): Connection {
  const login = readLogin(folder);
  const url = urlOf(options, environment, login);
  // A stored key is sent only to the service that it belongs to.
  const stored = login?.url === url.value ? login.apiKey : undefined;
  const apiKey = givenKey(options, environment) ?? firstGiven([[stored, '`postrider login`']]);
  if (apiKey === null) {
    const other = login === null ? '' : ` The stored key belongs to ${login.url}.`;
    throw new CommandFailure(
      `There is no API key for ${url.value}.${other} Pass --api-key, set POSTRIDER_API_KEY, or run \`postrider login\`.`,
    );
  }
  return { url, apiKey: checkedKey(apiKey) };
}

/**
 * The connection that `login` checks and stores. What an earlier login has stored does not count.
 * @param readKey asks for the key if neither the option nor the variable has one
 * @throws CommandFailure if a setting has the wrong form
 */
export async function newConnection(
  options: ConnectionOptions,
  environment: Environment,
  readKey: () => Promise<Setting>,
): Promise<Connection> {
  const url = urlOf(options, environment, null);
  const apiKey = givenKey(options, environment) ?? (await readKey());
  return { url, apiKey: checkedKey(apiKey) };
}

function urlOf(
  { url }: ConnectionOptions,
  { POSTRIDER_URL: variable }: Environment,
  login: Login | null,
): Setting {
  const given = firstGiven([
    [url, '--url'],
    [variable, 'POSTRIDER_URL'],
    [login?.url, '`postrider login`'],
  ]);
  return given === null ? defaultUrl : { ...given, value: addressIn(given) };
}

function givenKey(
  { apiKey }: ConnectionOptions,
  { POSTRIDER_API_KEY: variable }: Environment,
): Setting | null {
  return firstGiven([
    [apiKey, '--api-key'],
    [variable, 'POSTRIDER_API_KEY'],
  ]);
}

function firstGiven(settings: readonly (readonly [string | undefined, string])[]): Setting | null {
  const [value, origin] = settings.find(([text = '']) => text.trim() !== '') ?? [];
  return value === undefined || origin === undefined ? null : { value: value.trim(), origin };
}

/**
 * The address of a service, without a slash at the end.
 * @throws CommandFailure if the address has the wrong form
 */
function addressIn({ value, origin }: Setting): string {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || `${url.username}${url.search}${url.hash}` !== '') {
    throw new CommandFailure(`The address of ${origin} must be a URL such as ${defaultUrl.value}.`);
  }
  return url.href.replace(/\/+$/, '');
}

/** @throws CommandFailure, whose message does not contain the key */
function checkedKey({ value, origin }: Setting): Setting {
  if (!/^[\x21-\x7e]+$/.test(value)) {
    throw new CommandFailure(`The API key of ${origin} contains characters that no key has. Copy it again.`);
  }
  return { value, origin };
}

export interface Login {
  readonly url: string;
  readonly apiKey: string;
}

/** @throws CommandFailure if the file is damaged */
function readLogin(folder: Pick<UserFolder, 'read'>): Login | null {
  const text = folder.read(loginFile);
  if (text === null) {
    return null;
  }
  try {
    const { url, apiKey } = JSON.parse(text) as Partial<Record<keyof Login, unknown>>;
    if (typeof url === 'string' && typeof apiKey === 'string') {
      return { url, apiKey };
    }
  } catch {
    // Whatever is wrong with the file, another login replaces it.
  }
  throw new CommandFailure('The stored login is damaged. Run `postrider login` again.');
}

export function storeLogin(folder: Pick<UserFolder, 'write'>, { url, apiKey }: Login): void {
  folder.write(loginFile, `${JSON.stringify({ url, apiKey }, null, 2)}\n`);
}
