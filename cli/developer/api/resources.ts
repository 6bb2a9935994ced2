import type { z } from 'zod';

import type { eventListSchema, eventSchema } from '../../../api/resources/events/routes.js';
import type { dryRunSchema, replaySchema } from '../../../api/resources/replays/routes.js';
import type { eventPreviewSchema } from '../../../api/resources/webhooks/previewSchemas.js';
import type {
  testDeliverySchema,
  webhookListSchema,
  webhookSchema,
  webhookWithSecretSchema,
} from '../../../api/resources/webhooks/schemas.js';

/** The answers of the API. Only their types are imported, so that a command loads nothing of the service. */
export type Event = z.output<typeof eventSchema>;
export type EventList = z.output<typeof eventListSchema>;
export type Webhook = z.output<typeof webhookSchema>;
export type WebhookList = z.output<typeof webhookListSchema>;
export type WebhookWithSecret = z.output<typeof webhookWithSecretSchema>;
export type EventPreview = z.output<typeof eventPreviewSchema>;
export type TestDelivery = z.output<typeof testDeliverySchema>;
export type Replay = z.output<typeof replaySchema>;
export type DryRun = z.output<typeof dryRunSchema>;
