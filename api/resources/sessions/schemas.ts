import { z } from 'zod';

import { emailForm, roles } from '../../../shared/domain/accounts/user.js';
import { textSchema } from '../../http/schemas.js';
import { must } from '../../http/validation.js';

const shortestPassword = 12;
const longestPassword = 200;
const longestEmail = 254;
const longestName = 100;
/** Base64url of 32 bytes. */
const tokenLength = 43;

export const emailSchema = z
  .string()
  .max(longestEmail, must(`at most ${String(longestEmail)} characters long`))
  .regex(emailForm, must('an e-mail address'));

export const personNameSchema = textSchema(longestName).regex(/\S/, must('a name'));

/** What is no password of anyone is not looked for. */
const givenPassword = z
  .string()
  .min(1, must('a password'))
  .max(longestPassword, must(`at most ${String(longestPassword)} characters long`));

const newPassword = z
  .string()
  .min(shortestPassword, must(`at least ${String(shortestPassword)} characters long`))
  .max(longestPassword, must(`at most ${String(longestPassword)} characters long`));

export const signInBody = z.strictObject({
  email: emailSchema,
  password: givenPassword,
  accountId: z.string().optional().meta({
    description:
      'For a person with the same password in several accounts: the oldest one, where it is left out.',
  }),
});

export const useLinkBody = z.strictObject({
  token: z
    .string()
    .max(tokenLength, must('a token'))
    .meta({ description: 'What stands behind `#token=` in the address of the link.' }),
  password: newPassword,
  name: personNameSchema.optional(),
});

export const sessionUserSchema = z
  .object({ id: z.string(), name: z.string().nullable(), email: z.string(), role: z.enum(roles) })
  .meta({ id: 'SessionUser' });

export const sessionSchema = z
  .object({
    user: sessionUserSchema,
    account: z.object({
      id: z.string(),
      name: z.string(),
      plan: z.enum(['free', 'pro', 'enterprise']),
    }),
    csrfToken: z.string().meta({ description: 'For the header `Postrider-CSRF` of each change.' }),
  })
  .meta({ id: 'Session' });

export const signedOutSchema = z.object({ deleted: z.literal(true) });
