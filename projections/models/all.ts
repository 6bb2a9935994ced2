import type { ModelName } from '../../shared/store/models/modelDefinitions.js';
import { accountKeysProjection } from './accountKeys.js';
import { accountsProjection } from './accounts.js';
import { attemptsProjection } from './attempts.js';
import { auditProjection } from './audit.js';
import { eventsProjection } from './events.js';
import { eventTypesProjection } from './eventTypes.js';
import { replaysProjection } from './replays.js';
import { statsProjection } from './stats.js';
import { tenantsProjection } from './tenants.js';
import { webhooksProjection } from './webhooks.js';

/** The projections of all read models. */
export const projections = {
  events: eventsProjection,
  webhooks: webhooksProjection,
  accounts: accountsProjection,
  accountKeys: accountKeysProjection,
  attempts: attemptsProjection,
  audit: auditProjection,
  stats: statsProjection,
  replays: replaysProjection,
  eventTypes: eventTypesProjection,
  tenants: tenantsProjection,
} satisfies Readonly<Record<ModelName, unknown>>;
