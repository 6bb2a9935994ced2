import { statusOf, type User } from '../../shared/domain/user.js';

/** A person as an answer shows it: nothing of a password or a link. */
export function userRepresentation(user: User, lastSignInAt: Date | null) {
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
