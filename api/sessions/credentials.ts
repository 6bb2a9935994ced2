import type { User } from '../../shared/domain/user.js';
import { normalEmail } from '../../shared/domain/user.js';
import type { LiveAccountDocument } from '../../shared/mongo/documents.js';
import type { ReadModels } from '../../shared/mongo/readModels.js';
import type { Passwords } from '../../shared/passwords.js';
import { completeDocuments } from '../completeAnswer.js';

export interface Credentials {
  readonly email: string;
  readonly password: string;
  readonly accountId?: string | undefined;
}

/** A person of an account. */
export interface Member {
  readonly account: LiveAccountDocument;
  readonly user: User;
}

/** Whose credentials these are; null where they are nobody's. That takes as long for an address that nobody has. */
export type CheckCredentials = (credentials: Credentials) => Promise<Member | null>;

/** One address may belong to a person in several accounts: so many are tried, the oldest accounts first. */
const maximumTried = 10;

export function createCheckCredentials(
  accounts: Pick<ReadModels['accounts'], 'findAll'>,
  passwords: Pick<Passwords, 'matches'>,
): CheckCredentials {
  return async ({ email, password, accountId }) => {
    const members = await membersWith(accounts, normalEmail(email));
    const tried = members
      .filter(({ account }) => accountId === undefined || account._id === accountId)
      .slice(0, maximumTried);
    for (const member of tried) {
      if (await passwords.matches(password, member.user.password?.hash ?? null)) {
        return member;
      }
    }
    if (tried.length === 0) {
      await passwords.matches(password, null);
    }
    return null;
  };
}

/** Those with a password, of the oldest account first. */
async function membersWith(
  accounts: Pick<ReadModels['accounts'], 'findAll'>,
  email: string,
): Promise<readonly Member[]> {
  const filter = { users: { $elemMatch: { email, 'password.hash': { $type: 'string' } } } };
  return completeDocuments(await accounts.findAll(filter))
    .filter((account) => account.isDeleted !== true)
    .toSorted((one, other) => one.created.getTime() - other.created.getTime())
    .flatMap((account) =>
      account.users
        .filter((user) => user.email === email && user.password !== null)
        .map((user) => ({ account, user })),
    );
}
