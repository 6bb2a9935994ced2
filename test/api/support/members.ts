import type { LiveAccountDocument } from '../../../shared/store/models/documents.js';

export const memberEmail = 'ada@example.com';

/** An account with one user. Their ids and the hash of the password contain the number. */
export function accountOf(number: number): LiveAccountDocument {
  const created = new Date(number);
  const user = {
    id: `usr_${number}`,
    email: memberEmail,
    name: null,
    role: 'owner',
    created,
    password: { hash: `hash ${number}`, id: '' },
    link: null,
  } as const;
  return {
    _id: `acct_${number}`,
    positions: {},
    recordIds: [],
    name: 'Shop',
    email: memberEmail,
    plan: 'pro',
    requestsPerSecond: 100,
    created,
    isSuspended: false,
    suspensions: 0,
    apiKeys: [],
    deletedApiKeys: [],
    users: [user],
    deletedUsers: [],
  };
}
