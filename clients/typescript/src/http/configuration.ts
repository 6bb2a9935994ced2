/** The `fetch` of the platform, or a function that does the same, such as one with a proxy. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Options of the client. */
export interface PostriderOptions {
  /** The address of the service. By default `POSTRIDER_URL`, and otherwise `http://127.0.0.1:3000`. */
  readonly baseUrl?: string | undefined;
  /** The time limit of each attempt in milliseconds, the body of the response included. By default 30,000. */
  readonly timeout?: number | undefined;
  /** How often a request is repeated after a temporary failure. By default 2. */
  readonly maxRetries?: number | undefined;
  /** Sends the requests, for a proxy, for tracing or for tests. By default the `fetch` of the platform. */
  readonly fetch?: Fetch | undefined;
}

/** The checked options of a client. */
export interface Configuration {
  readonly apiKey: string;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly timeout: number;
  readonly maxRetries: number;
  readonly fetch: Fetch;
}

const defaults = { baseUrl: 'http://127.0.0.1:3000', timeout: 30_000, maxRetries: 2 };

/** The longest delay of a timer; a longer one would end at once. */
const longestTimeout = 2 ** 31 - 1;

/** @throws TypeError if an option has the wrong form. Its message never contains the key. */
export function configurationOf(apiKey: string | undefined, options: PostriderOptions): Configuration {
  return {
    apiKey: checkedKey(apiKey ?? environment('POSTRIDER_API_KEY')),
    baseUrl: checkedUrl(options.baseUrl ?? environment('POSTRIDER_URL') ?? defaults.baseUrl),
    timeout: checkedTimeout(options.timeout ?? defaults.timeout),
    maxRetries: checkedRetries(options.maxRetries ?? defaults.maxRetries),
    // The platform's function must not be called as a method of another object.
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
  };
}

/** @throws TypeError if the timeout is no number of milliseconds that a timer can have */
export function checkedTimeout(timeout: number): number {
  if (!(timeout > 0 && timeout <= longestTimeout)) {
    throw new TypeError(`timeout is ${timeout}. Pass milliseconds, from 1 to ${longestTimeout}.`);
  }
  return timeout;
}

/** @throws TypeError if the number of retries is not 0 or more */
export function checkedRetries(maxRetries: number): number {
  if (!(Number.isInteger(maxRetries) && maxRetries >= 0)) {
    throw new TypeError(`maxRetries is ${maxRetries}. Pass a whole number, 0 for no retries.`);
  }
  return maxRetries;
}

function checkedKey(apiKey: unknown): string {
  if (apiKey === undefined || apiKey === '') {
    throw new TypeError('There is no API key. Pass one to new Postrider(apiKey), or set POSTRIDER_API_KEY.');
  }
  if (typeof apiKey !== 'string') {
    throw new TypeError(
      'The API key is no text. Pass new Postrider(apiKey, options), with undefined for POSTRIDER_API_KEY.',
    );
  }
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new TypeError(
      'The API key contains a space, a line break or a character that is not ASCII. Copy the key again, from sk_ to its end.',
    );
  }
  return apiKey;
}

function checkedUrl(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new TypeError(
      `baseUrl is "${baseUrl}". Pass the address of the service with its scheme, such as https://postrider.example.com, or set POSTRIDER_URL.`,
    );
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new TypeError(
      'baseUrl has a user, a password, a query or a fragment. Pass the scheme, the host and perhaps a path.',
    );
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** A variable of the environment, on platforms that have one. An empty one counts as absent. */
function environment(name: string): string | undefined {
  const { process: platform } = globalThis as { readonly process?: Platform };
  const value = platform?.env?.[name];
  return value === '' ? undefined : value;
}

interface Platform {
  readonly env?: Readonly<Record<string, string | undefined>>;
}
