import type { Clock } from '../shared/clock.js';
import type { CommandRunner } from '../shared/commandRunner.js';
import type { Identifiers } from '../shared/domain/identifiers.js';
import type { KeyUses } from '../shared/mongo/keyUses.js';
import type { ReadModels } from '../shared/mongo/readModels.js';
import type { Passwords } from '../shared/passwords.js';
import type { Sessions } from '../shared/redis/sessions.js';
import type { SignInThrottle } from '../shared/redis/signInThrottle.js';
import type { EncryptionKey } from '../shared/secretBox.js';
import { createApiKeys } from './apiKeys.js';
import { createApiKeyCommands } from './apiKeys/apiKeyCommands.js';
import { createApiKeyHandlers, type ApiKeyHandlers } from './apiKeys/handlers.js';
import { createFailedKeys } from './failedKeys.js';
import { createAuthenticate, type Authenticate } from './middleware/authentication.js';
import { createCheckCredentials } from './sessions/credentials.js';
import { createDeviceCookie } from './sessions/deviceCookie.js';
import { createSessionHandlers, type SessionHandlers } from './sessions/handlers.js';
import { createSessionCallers } from './sessions/sessionCallers.js';
import { createSessionCookie, type SessionCookie } from './sessions/sessionCookie.js';
import { createSignIn } from './sessions/signIn.js';
import { createLinkUses } from './sessions/useLink.js';
import type { AuditTrail } from './trail/auditTrail.js';
import { createUserHandlers, type UserHandlers } from './users/handlers.js';
import { createUserCommands } from './users/userCommands.js';

export interface PeopleDependencies {
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  readonly randomBytes: (count: number) => Buffer;
  readonly models: Pick<ReadModels, 'accounts'>;
  readonly commandRunner: CommandRunner;
  readonly keyUses: KeyUses;
  readonly sessions: Sessions;
  readonly signInThrottle: SignInThrottle;
  readonly passwords: Passwords;
  readonly auditTrail: AuditTrail;
  /** Device cookies are signed with keys that are derived from them. */
  readonly encryptionKeys: readonly EncryptionKey[];
  /** Where people find the service. */
  readonly publicUrl: string;
}

/** Who uses the service, by keys and by sessions, and how people sign in and keys are made. */
export interface People {
  readonly authenticate: Authenticate;
  readonly cookie: SessionCookie;
  readonly handlers: {
    readonly apiKeys: ApiKeyHandlers;
    readonly sessions: SessionHandlers;
    readonly users: UserHandlers;
  };
}

export function createPeople(dependencies: PeopleDependencies): People {
  const { models, commandRunner: runner, passwords, signInThrottle: throttle, publicUrl } = dependencies;
  const { accounts } = models;
  const elapsedMs = () => performance.now();
  const isSecure = publicUrl.startsWith('https:');
  const cookie = createSessionCookie(isSecure);
  const deviceCookie = createDeviceCookie({ ...dependencies, isSecure });
  return {
    cookie,
    authenticate: createAuthenticate({
      ...dependencies,
      cookie,
      apiKeys: createApiKeys({ accounts, failedKeys: createFailedKeys(elapsedMs), elapsedMs }),
      sessions: createSessionCallers({ ...dependencies, accounts, elapsedMs }),
    }),
    handlers: {
      apiKeys: createApiKeyHandlers({
        ...dependencies,
        accounts,
        commands: createApiKeyCommands({ runner, accounts }),
      }),
      sessions: createSessionHandlers({
        ...dependencies,
        cookie,
        deviceCookie,
        throttle,
        signIn: createSignIn({
          throttle,
          deviceCookie,
          checkCredentials: createCheckCredentials(accounts, passwords),
        }),
        linkUses: createLinkUses({ runner, accounts }),
      }),
      users: createUserHandlers({
        ...dependencies,
        accounts,
        commands: createUserCommands({ runner, accounts }),
      }),
    },
  };
}
