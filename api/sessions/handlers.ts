import type { Clock } from '../../shared/clock.js';
import { hashOfSecret } from '../../shared/domain/apiKey.js';
import type { Identifiers } from '../../shared/domain/identifiers.js';
import { freshIdentity } from '../../shared/domain/identity.js';
import { normalEmail } from '../../shared/domain/user.js';
import type { KeyUses } from '../../shared/mongo/keyUses.js';
import type { Passwords } from '../../shared/passwords.js';
import type { Sessions } from '../../shared/redis/sessions.js';
import type { SignInAttempt, SignInThrottle } from '../../shared/redis/signInThrottle.js';
import { jsonAnswer, type Reply } from '../answer.js';
import { suspended } from '../middleware/permission.js';
import { refusal, unauthenticated, type Refusal } from '../refusal.js';
import type { KeyHandler, noBody, noQuery, OpenHandler, RequestClient } from '../route.js';
import type { CheckCredentials, Member } from './credentials.js';
import { networkOf } from './network.js';
import type { signInBody, useLinkBody } from './schemas.js';
import { csrfTokenOf, sessionValueBytes, type SessionCookie } from './sessionCookie.js';
import type { LinkUses } from './useLink.js';

export interface SessionHandlers {
  readonly signIn: OpenHandler<typeof signInBody>;
  readonly signInByLink: OpenHandler<typeof useLinkBody>;
  readonly signOut: KeyHandler<typeof noBody, typeof noQuery>;
}

export interface SessionHandlerDependencies {
  readonly sessions: Sessions;
  readonly cookie: SessionCookie;
  readonly throttle: SignInThrottle;
  readonly passwords: Pick<Passwords, 'hash'>;
  readonly checkCredentials: CheckCredentials;
  readonly linkUses: LinkUses;
  readonly keyUses: Pick<KeyUses, 'note'>;
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  readonly randomBytes: (count: number) => Buffer;
}

export function createSessionHandlers(dependencies: SessionHandlerDependencies): SessionHandlers {
  const { sessions, cookie, throttle, passwords, checkCredentials, linkUses, clock } = dependencies;

  /** The session that the browser had ends: a value that somebody else has put there is worth nothing from now on. */
  const begin = async ({ account, user }: Member, { sessionValue }: RequestClient): Promise<Reply> => {
    const value = dependencies.randomBytes(sessionValueBytes).toString('base64url');
    if (sessionValue !== null) {
      await sessions.end(hashOfSecret(sessionValue));
    }
    await sessions.begin(hashOfSecret(value), {
      accountId: account._id,
      userId: user.id,
      passwordId: user.password?.id ?? '',
      suspensions: account.suspensions,
      created: clock(),
    });
    dependencies.keyUses.note(user.id);
    return jsonAnswer(sessionRepresentation({ account, user }, value), { 'Set-Cookie': cookie.give(value) });
  };

  /** Runs what fails for one who guesses, no more often than the throttle allows. */
  const throttled = async (attempt: SignInAttempt, run: () => Promise<Reply | null>, failure: Refusal) => {
    await sessions.checkReachable();
    const waitSeconds = await throttle.attempt(attempt);
    if (waitSeconds !== null) {
      return tooManyFailures(waitSeconds);
    }
    const reply = await run();
    if (reply === null) {
      return failure;
    }
    await throttle.forgive(attempt);
    return reply;
  };

  return {
    signIn: ({ body, client }) => {
      const attempt = { email: normalEmail(body.email), address: networkOf(client.address) };
      const run = async () => {
        const member = await checkCredentials(body);
        return member === null ? null : (refusedMember(member) ?? (await begin(member, client)));
      };
      return throttled(attempt, run, wrongCredentials);
    },

    signInByLink: ({ body, client }) => {
      const attempt = { email: body.token, address: networkOf(client.address) };
      const run = async () => {
        const found = await linkUses.find(body.token, clock());
        if (found === null) {
          return null;
        }
        const refused = refusedMember(found);
        if (refused !== null) {
          return refused;
        }
        const passwordHash = await passwords.hash(body.password);
        const identity = freshIdentity(clock(), dependencies.identifiers, dependencies.randomBytes);
        const member = await linkUses.use(found.account._id, { ...body, passwordHash }, identity);
        return member === null ? null : begin(member, client);
      };
      return throttled(attempt, run, wrongLink);
    },

    signOut: async ({ caller }) => {
      await sessions.end(caller.session?.id ?? '');
      return jsonAnswer({ deleted: true }, { 'Set-Cookie': cookie.take() });
    },
  };
}

function refusedMember({ account }: Member): Refusal | null {
  return account.isSuspended ? suspended : null;
}

function sessionRepresentation({ account, user }: Member, value: string) {
  const { id, name, email, role } = user;
  return {
    user: { id, name, email, role },
    account: { id: account._id, name: account.name, plan: account.plan },
    csrfToken: csrfTokenOf(value),
  };
}

function tooManyFailures(waitSeconds: number): Refusal {
  return refusal(
    'rate_limit_exceeded',
    'Signing in has failed too often here. Try again after the time in Retry-After.',
    { headers: { 'Retry-After': String(waitSeconds) } },
  );
}

const wrongCredentials = unauthenticated(
  'credentials_invalid',
  'There is nobody with this e-mail address and this password.',
);
const wrongLink = unauthenticated(
  'link_invalid',
  'This link is not known, was used, or is too old. Ask for a new one.',
);
