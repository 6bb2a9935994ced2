import { identifierTime } from '../../../shared/domain/core/identifiers.js';
import { signInUrl } from '../../../shared/domain/accounts/signInLink.js';
import { normalEmail, type People, statusOf, type User } from '../../../shared/domain/accounts/user.js';
import type { LastUsed } from '../../../shared/store/coordination/lastUsed.js';
import type { ReadModels } from '../../../shared/store/models/readModels.js';
import { readAccount } from '../../authentication/readAccount.js';
import { jsonAnswer, type Reply } from '../../http/answer.js';
import { insufficientScope } from '../../middleware/permission.js';
import { pageAmong, rangeOf, type Place } from '../../http/paging.js';
import { isApiError, type ApiError } from '../../http/apiError.js';
import { createDeletion } from './deletion.js';
import type { KeyHandler, noBody, noQuery } from '../../http/route.js';
import type { inviteUserBody, listUsersQuery, updateUserBody } from './schemas.js';
import type { UserCommands, UserWithToken } from './userCommands.js';

export interface UserHandlers {
  readonly list: KeyHandler<typeof noBody, typeof listUsersQuery>;
  readonly invite: KeyHandler<typeof inviteUserBody, typeof noQuery>;
  readonly update: KeyHandler<typeof updateUserBody, typeof noQuery>;
  readonly remove: KeyHandler<typeof noBody, typeof noQuery>;
}

export interface UserHandlerDependencies {
  readonly commands: UserCommands;
  readonly accounts: Pick<ReadModels['accounts'], 'findByIds'>;
  /** Where a person's last sign-in is noted, as a key's last use is. */
  readonly lastUsed: Pick<LastUsed, 'find' | 'forget'>;
  readonly publicUrl: string;
}

export function createUserHandlers(dependencies: UserHandlerDependencies): UserHandlers {
  const { commands, accounts, lastUsed, publicUrl } = dependencies;

  const shown = async (outcome: UserWithToken | ApiError): Promise<Reply> => {
    if (isApiError(outcome)) {
      return outcome;
    }
    const { user, token } = outcome;
    const uses = await lastUsed.find([user.id]);
    const answer = userRepresentation(user, uses.get(user.id) ?? null);
    return jsonAnswer(token === null ? answer : { ...answer, signInUrl: signInUrl(publicUrl, token) });
  };

  return {
    list: async ({ caller, query }) => {
      if (caller.mode === 'test' && caller.session === null) {
        return liveKeyRequired;
      }
      const people = await readAccount(accounts, caller.accountId);
      const range = await rangeOf(query, (id) => Promise.resolve(placeOf(people, id)));
      if (isApiError(range)) {
        return range;
      }
      const { items, hasMore } = pageAmong(people.users, range);
      const uses = await lastUsed.find(items.map(({ id }) => id));
      const data = items.map((user) => userRepresentation(user, uses.get(user.id) ?? null));
      return jsonAnswer({ data, hasMore });
    },

    invite: async ({ caller, body, identity }) => {
      const invitation = { ...body, email: normalEmail(body.email) };
      return shown(await commands.invite(caller, invitation, identity));
    },

    update: async ({ caller, id, body, identity }) =>
      shown(await commands.update(caller, id, body, identity)),

    remove: createDeletion(commands.remove, lastUsed),
  };
}

/** Where a person stands in the list, or stood before being deleted. */
function placeOf({ users, deletedUsers }: People, id: string): Place | null {
  return (
    users.find((user) => user.id === id) ??
    (deletedUsers.includes(id) ? { id, created: identifierTime(id) } : null)
  );
}

const liveKeyRequired = insufficientScope(
  'People belong to the account as a whole, and a test key sees test data only: use a full live key for this.',
);

/** A person as an answer shows it: nothing of a password or a link. */
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
