import { z } from 'zod';

import { listSchema, pagingParameters } from '../../http/paging.js';
import {
  authenticatedRoute,
  noBody,
  noQuery,
  type AuthenticatedHandler,
  type Route,
} from '../../http/route.js';
import { timeSchema } from '../../http/schemas.js';
import { mustBe } from '../../http/validation.js';
import { emailSchema, personNameSchema, roleSchema, sessionUserExample } from '../sessions/routes.js';

export interface UserHandlers {
  readonly list: AuthenticatedHandler<typeof noBody, typeof listUsersQuery>;
  readonly invite: AuthenticatedHandler<typeof inviteUserBody, typeof noQuery>;
  readonly update: AuthenticatedHandler<typeof updateUserBody, typeof noQuery>;
  readonly remove: AuthenticatedHandler<typeof noBody, typeof noQuery>;
}

const tag = 'Account';
const ofOwners = { scope: null, audience: 'sessions of owners', tenants: 'forbidden' } as const;

export function userRoutes(users: UserHandlers): readonly Route[] {
  return [inviteUser(users), listUsers(users), updateUser(users), deleteUser(users)];
}

function inviteUser(users: UserHandlers): Route {
  return authenticatedRoute({
    ...ofOwners,
    names: null,
    method: 'POST',
    path: '/v1/users',
    operationId: 'inviteUser',
    tag,
    summary: 'Invite a user',
    description:
      'Invites a user. A viewer can read data, a developer can also post events and manage ' +
      'webhooks, and an owner has all permissions. `signInUrl` is a ' +
      'one-time link with which the user sets a password. Only the response of this operation ' +
      'contains the link. The link is valid for 7 days. An ' +
      'account has at most 100 users.',
    body: inviteUserBody,
    query: noQuery,
    successStatus: 201,
    response: invitedUserSchema,
    errors: ['user_exists'],
    examples: { body: inviteExample, response: invitedUserExample },
    handle: users.invite,
  });
}

function listUsers(users: UserHandlers): Route {
  return authenticatedRoute({
    method: 'GET',
    path: '/v1/users',
    operationId: 'listUsers',
    tag,
    summary: 'List users',
    description: 'Returns the users of the account, newest first. `lastSignInAt` is at most a minute behind.',
    scope: null,
    tenants: 'forbidden',
    names: null,
    body: noBody,
    query: listUsersQuery,
    response: userListSchema,
    errors: ['cursor_invalid'],
    examples: { response: { data: [userExample], hasMore: false } },
    handle: users.list,
  });
}

function updateUser(users: UserHandlers): Route {
  return authenticatedRoute({
    ...ofOwners,
    names: 'user',
    method: 'PATCH',
    path: '/v1/users/:id',
    operationId: 'updateUser',
    tag,
    summary: 'Change a user',
    description:
      'Changes the role or the name of a user within a second on every process, or creates a ' +
      'new one-time sign-in link. The link is valid for 24 hours and replaces any other link ' +
      'of the user. The last owner who can sign in must remain an owner.',
    body: updateUserBody,
    query: noQuery,
    response: updatedUserSchema,
    errors: ['resource_missing', 'last_owner'],
    examples: { body: { role: 'owner' }, response: userExample },
    handle: users.update,
  });
}

function deleteUser(users: UserHandlers): Route {
  return authenticatedRoute({
    ...ofOwners,
    names: 'user',
    method: 'DELETE',
    path: '/v1/users/:id',
    operationId: 'deleteUser',
    tag,
    summary: 'Delete a user',
    description:
      'Deletes a user and ends all sessions of the user within a second. The last owner who ' +
      'can sign in cannot be deleted.',
    body: noBody,
    query: noQuery,
    response: deletedUserSchema,
    errors: ['resource_missing', 'last_owner'],
    examples: { response: { id: userExample.id, deleted: true } },
    handle: users.remove,
  });
}

/** The examples in the OpenAPI document. A test checks each example against its schema. */

const userExample = {
  ...sessionUserExample,
  status: 'active',
  created: '2026-11-21T06:46:40.628Z',
  lastSignInAt: '2026-11-21T09:12:31.007Z',
};

const inviteExample = { email: 'grace@example.com', role: 'developer', name: 'Grace' };

const invitedUserExample = {
  id: 'usr_01M7YDPVFCXGPKVZ39MTD48GR5',
  ...inviteExample,
  status: 'invited',
  created: '2026-11-21T10:02:11.940Z',
  lastSignInAt: null,
  signInUrl: 'https://postrider.example.com/dashboard/link#token=gIcb-9k2wT15t4UL4KpIHOOeqs6ta56AvpMBJ0nnobw',
};

export const inviteUserBody = z
  .strictObject({
    email: emailSchema,
    role: roleSchema,
    name: personNameSchema.nullable().default(null),
  })
  .meta({ id: 'InviteUserRequest' });

export const updateUserBody = z
  .strictObject({
    role: roleSchema.optional(),
    name: personNameSchema.nullable().optional(),
    newLink: z
      .literal(true, mustBe('true, or absent'))
      .optional()
      .meta({
        description:
          'Creates a new one-time sign-in link, for a user who has lost a link or a password. The ' +
          'new link replaces any other link of the user.',
      }),
  })
  .meta({ id: 'UpdateUserRequest' });

export const listUsersQuery = z.strictObject(pagingParameters());

const userFields = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string().nullable(),
  role: roleSchema,
  status: z.enum(['invited', 'active']).meta({ id: 'UserStatus' }),
  created: timeSchema,
  lastSignInAt: timeSchema.nullable(),
});

const userSchema = userFields.meta({ id: 'User' });

const signInUrlSchema = z
  .string()
  .meta({ description: 'The one-time sign-in link of the user. No other response contains the link.' });

export const invitedUserSchema = userFields
  .extend({ signInUrl: signInUrlSchema })
  .meta({ id: 'InvitedUser', description: 'A user, and a one-time sign-in link.' });

export const updatedUserSchema = userFields.extend({ signInUrl: signInUrlSchema.optional() }).meta({
  id: 'UpdatedUser',
  description: 'A user, with a one-time sign-in link if the request contains `newLink`.',
});

const userListSchema = listSchema(userSchema).meta({ id: 'UserList' });

export const deletedUserSchema = z
  .object({ id: z.string(), deleted: z.literal(true) })
  .meta({ id: 'DeletedUser' });
