import type { Clock } from '../shared/core/clock.js';
import type { CommandRunner } from '../shared/commands/commandRunner.js';
import type { Identifiers } from '../shared/domain/core/identifiers.js';
import type { LastUsed } from '../shared/store/coordination/lastUsed.js';
import type { ReadModels } from '../shared/store/models/readModels.js';
import type { Passwords } from '../shared/security/passwords.js';
import type { Sessions } from '../shared/store/redis/sessions.js';
import type { SignInThrottle } from '../shared/store/redis/signInThrottle.js';
import type { EncryptionKey } from '../shared/security/secretBox.js';
import { createApiKeyLookup } from './authentication/apiKeyLookup.js';
import { createApiKeyCommands } from './resources/apiKeys/apiKeyCommands.js';
import { createApiKeyHandlers, type ApiKeyHandlers } from './resources/apiKeys/handlers.js';
import { createFailedKeyLimit } from './authentication/failedKeyLimit.js';
import { createAuthenticate, type Authenticate } from './middleware/authentication.js';
import { createCheckCredentials } from './authentication/credentials.js';
import { createDeviceCookie } from './authentication/deviceCookie.js';
import { createSessionHandlers, type SessionHandlers } from './resources/sessions/handlers.js';
import { createSessionLookup } from './authentication/sessionLookup.js';
import { createSessionCookie, type SessionCookie } from './authentication/sessionCookie.js';
import { createSignIn } from './resources/sessions/signIn.js';
import { createLinkRedemptions } from './resources/sessions/redeemLink.js';
import type { AuditTrail } from './auditTrail/auditTrail.js';
import { createUserHandlers, type UserHandlers } from './resources/users/handlers.js';
import { createUserCommands } from './resources/users/userCommands.js';

export interface IdentityDependencies {
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  readonly randomBytes: (count: number) => Buffer;
  readonly models: Pick<ReadModels, 'accounts'>;
  readonly commandRunner: CommandRunner;
  readonly lastUsed: LastUsed;
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
export interface IdentityParts {
  readonly authenticate: Authenticate;
  readonly cookie: SessionCookie;
  readonly handlers: {
    readonly apiKeys: ApiKeyHandlers;
    readonly sessions: SessionHandlers;
    readonly users: UserHandlers;
  };
}

export function createIdentityParts(dependencies: IdentityDependencies): IdentityParts {
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
      apiKeys: createApiKeyLookup({ accounts, failedKeyLimit: createFailedKeyLimit(elapsedMs), elapsedMs }),
      sessions: createSessionLookup({ ...dependencies, accounts, elapsedMs }),
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
        linkUses: createLinkRedemptions({ runner, accounts }),
      }),
      users: createUserHandlers({
        ...dependencies,
        accounts,
        commands: createUserCommands({ runner, accounts }),
      }),
    },
  };
}
