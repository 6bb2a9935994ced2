import { z } from 'zod';

import { roles } from '../../../shared/domain/accounts/user.js';
import { listOf, pagingParameters } from '../../http/paging.js';
import { timeSchema } from '../../http/schemas.js';
import { emailSchema, personNameSchema } from '../sessions/schemas.js';
import { must } from '../../http/validation.js';

const roleSchema = z.enum(roles, must(`one of ${roles.join(', ')}`));

export const inviteUserBody = z.strictObject({
  email: emailSchema,
  role: roleSchema,
  name: personNameSchema.nullable().default(null),
});

export const updateUserBody = z.strictObject({
  role: roleSchema.optional(),
  name: personNameSchema.nullable().optional(),
  newLink: z.literal(true, must('true, or left out')).optional().meta({
    description:
      'Makes a new one-time link, in the place of any other, for one who has lost a link or a password.',
  }),
});

export const listUsersQuery = z.strictObject(pagingParameters());

const userFields = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string().nullable(),
  role: z.enum(roles),
  status: z.enum(['invited', 'active']),
  created: timeSchema,
  lastSignInAt: timeSchema.nullable(),
});

const userSchema = userFields.meta({ id: 'User' });

const signInUrlSchema = z
  .string()
  .meta({ description: 'A one-time link for the person, which is shown this once.' });

export const invitedUserSchema = userFields
  .extend({ signInUrl: signInUrlSchema })
  .meta({ id: 'InvitedUser', description: 'A person, and a one-time link to sign in with.' });

export const updatedUserSchema = userFields.extend({ signInUrl: signInUrlSchema.optional() }).meta({
  id: 'UpdatedUser',
  description: 'A person; where `newLink` was sent, with a one-time link to sign in with.',
});

export const userListSchema = listOf(userSchema).meta({ id: 'UserList' });

export const deletedUserSchema = z.object({ id: z.string(), deleted: z.literal(true) });
