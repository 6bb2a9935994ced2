import { randomInt } from 'node:crypto';

import { z } from 'zod';

import { sessionSchema } from '../../../api/resources/sessions/routes.js';
import { invitedUserSchema } from '../../../api/resources/users/routes.js';
import type { Role } from '../../../shared/domain/accounts/user.js';
import type { TestAccount } from './accounts.js';
import { eventually } from '../../support/eventually.js';
import { call, read, refusalOf, type Call, type Response } from './client.js';

export const password = 'correct horse battery staple';

/** A user who is signed in. */
export interface SignedInUser {
  readonly id: string;
  readonly email: string;
  /** `name=value` */
  readonly cookie: string;
  readonly csrfToken: string;
  /** Sends a request with the session, and with its CSRF token if the request is a change. */
  readonly send: (method: string, path: string, given?: UserRequest) => Promise<Response>;
}

export interface UserRequest {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const json = { 'content-type': 'application/json' };

/** The headers of a client with its own address. The limits of sign-in failures count by address. */
export function fromNewAddress(): Readonly<Record<string, string>> {
  const part = () => String(randomInt(256));
  return { 'x-forwarded-for': `10.${part()}.${part()}.${part()}` };
}

export function postOpen(
  address: string,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = fromNewAddress(),
): Promise<Response> {
  return call(address, path, {
    method: 'POST',
    headers: { ...json, ...headers },
    body: JSON.stringify(body),
  });
}

/** Uses a link, which sets the password and signs in. */
export async function useLink(address: string, token: string, name?: string): Promise<SignedInUser> {
  return signedInUserOf(
    address,
    await postOpen(address, '/v1/session/link', { token, password, ...(name === undefined ? {} : { name }) }),
  );
}

/** Signs in with the password of these tests. */
export async function signIn(address: string, email: string, accountId: string): Promise<SignedInUser> {
  return signedInUserOf(address, await postOpen(address, '/v1/session', { email, password, accountId }));
}

/** The first owner of an account, signed in with the link from its creation. */
export function openOwner({ service, signInToken }: TestAccount): Promise<SignedInUser> {
  return useLink(service.address, signInToken);
}

export async function invite(owner: SignedInUser, role: Role, email: string) {
  const response = await owner.send('POST', '/v1/users', { body: { email, role } });
  const user = read(response, invitedUserSchema);
  return { ...user, token: tokenIn(user.signInUrl) };
}

/** Another user with a role, signed in. */
export async function openUser(
  { service }: TestAccount,
  owner: SignedInUser,
  role: Role,
  email = `${role}@example.com`,
): Promise<SignedInUser> {
  return useLink(service.address, (await invite(owner, role, email)).token);
}

export function tokenIn(signInUrl: string): string {
  return signInUrl.split('#token=')[1] ?? '';
}

/** The session cookie in a response: `name=value`. */
export function cookieOf({ headers }: Response): string {
  return headers['set-cookie']?.[0]?.split(';')[0] ?? '';
}

function signedInUserOf(address: string, response: Response): SignedInUser {
  const { user, csrfToken } = read(response, sessionSchema);
  const cookie = cookieOf(response);
  return {
    id: user.id,
    email: user.email,
    cookie,
    csrfToken,
    send: (method, path, { body, headers = {} } = {}) => {
      const isChange = method !== 'GET' && method !== 'HEAD';
      const sent: Call = {
        method,
        headers: {
          cookie,
          ...(isChange ? { 'postrider-csrf': csrfToken } : {}),
          ...(body === undefined ? {} : json),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      };
      return call(address, path, sent);
    },
  };
}

const userIdsSchema = z.object({ data: z.array(z.object({ id: z.string() })) });

export async function userIdsOf(owner: SignedInUser, query = ''): Promise<readonly string[]> {
  const { text } = await owner.send('GET', `/v1/users${query}`);
  return userIdsSchema.parse(JSON.parse(text)).data.map(({ id }) => id);
}

/** Waits for the error of a request. A change takes effect on all processes within a second. */
export function eventuallyRefused(send: () => Promise<Response>): Promise<string> {
  return eventually('a refusal', async () => {
    const response = await send();
    return response.status >= 400 ? refusalOf(response) : null;
  });
}
