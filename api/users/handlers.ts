import { identifierTime } from '../../shared/domain/identifiers.js';
import { signInUrl } from '../../shared/domain/signInLink.js';
import { normalEmail, type People } from '../../shared/domain/user.js';
import type { KeyUses } from '../../shared/mongo/keyUses.js';
import type { ReadModels } from '../../shared/mongo/readModels.js';
import { readAccount } from '../account/readAccount.js';
import { jsonAnswer, type Reply } from '../answer.js';
import { insufficientScope } from '../middleware/permission.js';
import { pageAmong, rangeOf, type Place } from '../paging.js';
import { isRefusal, type Refusal } from '../refusal.js';
import { createRemoval } from '../removal.js';
import type { KeyHandler, noBody, noQuery } from '../route.js';
import { userRepresentation } from './representation.js';
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
  readonly keyUses: Pick<KeyUses, 'find' | 'forget'>;
  readonly publicUrl: string;
}

export function createUserHandlers(dependencies: UserHandlerDependencies): UserHandlers {
  const { commands, accounts, keyUses, publicUrl } = dependencies;

  const shown = async (outcome: UserWithToken | Refusal): Promise<Reply> => {
    if (isRefusal(outcome)) {
      return outcome;
    }
    const { user, token } = outcome;
    const uses = await keyUses.find([user.id]);
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
      if (isRefusal(range)) {
        return range;
      }
      const { items, hasMore } = pageAmong(people.users, range);
      const uses = await keyUses.find(items.map(({ id }) => id));
      const data = items.map((user) => userRepresentation(user, uses.get(user.id) ?? null));
      return jsonAnswer({ data, hasMore });
    },

    invite: async ({ caller, body, identity }) => {
      const invitation = { ...body, email: normalEmail(body.email) };
      return shown(await commands.invite(caller, invitation, identity));
    },

    update: async ({ caller, id, body, identity }) =>
      shown(await commands.update(caller, id, body, identity)),

    remove: createRemoval(commands.remove, keyUses),
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
