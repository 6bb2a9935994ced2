import { z } from 'zod';

import { scopes, type AccountFact } from '../../domain/accounts/account.js';
import { colorSchemes } from '../../domain/accounts/portalSettings.js';
import { auditResourceTypes } from '../../domain/core/recordedAction.js';
import { roles, type UserSettings, type UserStatus } from '../../domain/accounts/user.js';
import { createFactCodec, type ValueSchemas } from '../encoding/factCodec.js';
import {
  actorSchema,
  auditChangesSchema,
  changeSchema,
  changesSchema,
  clientTraceSchema,
  modeSchema,
  timeSchema,
} from '../encoding/schemas.js';

const planSchema = z.enum(['free', 'pro', 'enterprise']);
const scopeSchema = z.enum(scopes);
const requestsPerSecondSchema = z.number().positive();

const roleSchema = z.enum(roles);
const nameSchema = z.string().nullable();
const linkSchema = z.object({ hash: z.string(), expiresAt: timeSchema });
const statusSchema = z.enum(['invited', 'active']);

const portalSchema = z.object({
  name: nameSchema,
  logoUrl: z.string().nullable(),
  accentColor: z.string().nullable(),
  colorScheme: z.enum(colorSchemes),
  origins: z.array(z.string()),
});

const schemas: ValueSchemas<AccountFact> = {
  'postrider.account.created': z.object({
    name: z.string(),
    email: z.string(),
    plan: planSchema,
    requestsPerSecond: requestsPerSecondSchema,
    actor: actorSchema,
  }),
  'postrider.account.plan-changed': z.object({
    changes: z.object({
      plan: changeSchema(planSchema),
      requestsPerSecond: changeSchema(requestsPerSecondSchema),
    }),
    actor: actorSchema,
  }),
  'postrider.account.settings-changed': z.object({
    changes: z.object({ portal: changeSchema(portalSchema).optional() }),
    actor: actorSchema,
  }),
  'postrider.account.suspended': z.object({ actor: actorSchema }),
  'postrider.account.resumed': z.object({ actor: actorSchema }),
  'postrider.account.deleted': z.object({ actor: actorSchema }),
  'postrider.api-key.created': z.object({
    keyId: z.string(),
    name: z.string(),
    mode: modeSchema,
    scopes: z.array(scopeSchema).nullable(),
    expiresAt: timeSchema.nullable(),
    hash: z.string(),
    prefix: z.string(),
    last4: z.string(),
    actor: actorSchema,
  }),
  'postrider.api-key.deleted': z.object({
    keyId: z.string(),
    name: z.string(),
    mode: modeSchema,
    actor: actorSchema,
  }),
  'postrider.api-key.first-used': z.object({
    keyId: z.string(),
    mode: modeSchema,
    client: clientTraceSchema,
    actor: actorSchema,
  }),
  'postrider.action.recorded': z.object({
    action: z.string(),
    mode: modeSchema.nullable(),
    resource: z.object({ type: z.enum(auditResourceTypes), id: z.string() }),
    changes: auditChangesSchema,
    client: clientTraceSchema.nullable(),
    actor: actorSchema,
  }),
  'postrider.user.invited': z.object({
    userId: z.string(),
    email: z.string(),
    name: nameSchema,
    role: roleSchema,
    link: linkSchema,
    actor: actorSchema,
  }),
  'postrider.user.joined': z.object({
    userId: z.string(),
    linkHash: z.string(),
    passwordHash: z.string(),
    changes: changesSchema<{ status: UserStatus; name: string | null }>({
      status: statusSchema,
      name: nameSchema,
    }),
    actor: actorSchema,
  }),
  'postrider.user.changed': z.object({
    userId: z.string(),
    changes: changesSchema<UserSettings>({ role: roleSchema, name: nameSchema }),
    link: linkSchema.nullable(),
    actor: actorSchema,
  }),
  'postrider.user.deleted': z.object({ userId: z.string(), email: z.string(), actor: actorSchema }),
};

/** The records of the topic `accounts`. The record key is the account's id. */
export const accountRecords = createFactCodec<AccountFact>('accounts', schemas, { isSealed: true });
