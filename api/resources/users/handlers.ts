import { signInUrl } from '../../../shared/domain/accounts/signInLink.js';
import {
  normalizeEmail,
  statusOf,
  type AccountUsers,
  type User,
} from '../../../shared/domain/accounts/user.js';
import { identifierTime } from '../../../shared/domain/core/identifiers.js';
import type { LastUsed } from '../../../shared/store/coordination/lastUsed.js';
import type { ReadModels } from '../../../shared/store/models/readModels.js';
import { readAccount } from '../../authentication/callerAccount.js';
import { isApiError, type ApiError } from '../../http/apiError.js';
import { paginate, rangeOf, type ListPosition } from '../../http/paging.js';
import { jsonResponse, type HandlerResult } from '../../http/response.js';
import { insufficientScope } from '../../middleware/authorization.js';
import type { UserHandlers } from './routes.js';
import type { UserCommands, UserWithToken } from './userCommands.js';

export interface UserHandlerDependencies {
  readonly commands: UserCommands;
  readonly accounts: Pick<ReadModels['accounts'], 'findByIds'>;
  /** The store of the last sign-ins of users and of the last uses of keys. */
  readonly lastUsed: Pick<LastUsed, 'find' | 'forget'>;
  readonly publicUrl: string;
}

export function createUserHandlers(dependencies: UserHandlerDependencies): UserHandlers {
  const { commands, accounts, lastUsed, publicUrl } = dependencies;

  const toResult = async (outcome: UserWithToken | ApiError): Promise<HandlerResult> => {
    if (isApiError(outcome)) {
      return outcome;
    }
    const { user, token } = outcome;
    const uses = await lastUsed.find([user.id]);
    const answer = userRepresentation(user, uses.get(user.id) ?? null);
    return jsonResponse(token === null ? answer : { ...answer, signInUrl: signInUrl(publicUrl, token) });
  };

  return {
    list: async ({ caller, query }) => {
      if (caller.mode === 'test' && caller.session === null) {
        return liveKeyRequired;
      }
      const account = await readAccount(accounts, caller.accountId);
      const range = await rangeOf(query, (id) => Promise.resolve(positionOf(account, id)));
      if (isApiError(range)) {
        return range;
      }
      const { items, hasMore } = paginate(account.users, range);
      const uses = await lastUsed.find(items.map(({ id }) => id));
      const data = items.map((user) => userRepresentation(user, uses.get(user.id) ?? null));
      return jsonResponse({ data, hasMore });
    },

    invite: async ({ caller, body, identity }) => {
      const invitation = { ...body, email: normalizeEmail(body.email) };
      return toResult(await commands.invite(caller, invitation, identity));
    },

    update: async ({ caller, id, body, identity }) =>
      toResult(await commands.update(caller, id, body, identity)),

    remove: async ({ caller, id, identity }) => {
      const removed = await commands.remove(caller, id, identity);
      if (isApiError(removed)) {
        return removed;
      }
      await lastUsed.forget(id);
      return jsonResponse({ id, deleted: true });
    },
  };
}

/** The position of a user in the list of users. A deleted user also has a position. */
function positionOf({ users, deletedUsers }: AccountUsers, id: string): ListPosition | null {
  return (
    users.find((user) => user.id === id) ??
    (deletedUsers.includes(id) ? { id, created: identifierTime(id) } : null)
  );
}

const liveKeyRequired = insufficientScope(
  'Users belong to both modes, and a test key can access only test data. Use a full live key.',
);

/** The representation of a user in responses, without password and link. */
function userRepresentation(user: User, lastSignInAt: Date | null) {
  const { id, email, name, role, created } = user;
  return {
    id,
    email,
    name,
    role,
    status: statusOf(user),
    created: created.toISOString(),
    lastSignInAt: lastSignInAt?.toISOString() ?? null,
  };
}
