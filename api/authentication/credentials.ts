import { normalizeEmail, type User } from '../../shared/domain/accounts/user.js';
import type { Passwords } from '../../shared/security/passwords.js';
import type { LiveAccountDocument } from '../../shared/store/models/documents.js';
import type { ReadModels } from '../../shared/store/models/readModels.js';
import { completeDocuments } from '../http/completeDocuments.js';

export interface Credentials {
  readonly email: string;
  readonly password: string;
  readonly accountId?: string | undefined;
}

/** A user of an account. */
export interface Member {
  readonly account: LiveAccountDocument;
  readonly user: User;
}

/** The members with an email address, oldest account first, and those members whose password matches. */
export interface CheckedCredentials {
  readonly members: readonly Member[];
  readonly matching: readonly Member[];
}

/**
 * Checks an email address and a password. The members with one email address share a salt (`createPasswords`), so the
 * duration of a check does not depend on their number.
 * @param network the client's network
 */
export type CheckCredentials = (credentials: Credentials, network: string) => Promise<CheckedCredentials>;

/** The number of accounts that one sign-in checks, oldest account first. */
const maximumTried = 10;

export function createCheckCredentials(
  accounts: Pick<ReadModels['accounts'], 'findAll'>,
  passwords: Pick<Passwords, 'matches'>,
): CheckCredentials {
  return async ({ email, password, accountId }, network) => {
    const members = (await membersWith(accounts, normalizeEmail(email)))
      .filter(({ account }) => accountId === undefined || account._id === accountId)
      .slice(0, maximumTried);
    const hashes = members.flatMap(({ user }) => (user.password === null ? [] : [user.password.hash]));
    const matches = await passwords.matches(password, hashes, network);
    return { members, matching: members.filter((_, index) => matches[index] === true) };
  };
}

/** The members with this email address and a password, oldest account first. */
export async function membersWith(
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
