import { setTimeout as pause } from 'node:timers/promises';

import { acknowledgementDelay } from '../../../shared/commands/maximumStaleness.js';
import type { Clock } from '../../../shared/core/clock.js';
import { maximumMutedDays, type Webhook } from '../../../shared/domain/webhooks/webhook.js';
import type { SecretBox } from '../../../shared/security/secretBox.js';
import type { WebhookDocument } from '../../../shared/store/models/documents.js';
import { webhookIndexes } from '../../../shared/store/models/indexes.js';
import type { ReadModel } from '../../../shared/store/models/readModels.js';
import { apiError, isApiError, missingResource, type ApiError } from '../../http/apiError.js';
import { rangeOf, readPage } from '../../http/paging.js';
import { jsonResponse } from '../../http/response.js';
import type { WebhookHandlers } from './routes.js';
import { secretInfoOf } from './secretText.js';
import type { SendTest } from './sendTest.js';
import type { WebhookCommands, WebhookWithSecret } from './webhookCommands.js';
import { storedWebhook, type WebhookLookup } from './webhookLookup.js';
import { webhookUrlError, type WebhookUrlRules } from './webhookUrl.js';

export interface WebhookHandlerDependencies {
  readonly commands: WebhookCommands;
  readonly webhooks: ReadModel<WebhookDocument>;
  readonly lookup: WebhookLookup;
  readonly sendTest: SendTest;
  readonly urlRules: WebhookUrlRules;
  readonly secretBox: Pick<SecretBox, 'open'>;
  readonly clock: Clock;
}

/**
 * The response to a change of a webhook waits until the delivery role uses the change. An event that is posted after
 * the response is delivered to the changed webhook, with a signature of the new secret. A deleted or disabled webhook
 * does not receive the event.
 */
export function createWebhookHandlers(dependencies: WebhookHandlerDependencies): WebhookHandlers {
  const { commands, webhooks, lookup, sendTest, urlRules, secretBox, clock } = dependencies;
  const representation = (webhook: Webhook) => ({
    ...webhookRepresentation(webhook),
    secretInfo: secretInfoOf(webhook, secretBox, clock()),
  });
  const withSecret = ({ webhook, secret }: WebhookWithSecret) => ({ ...representation(webhook), secret });

  return {
    create: async ({ caller, body, identity }) => {
      const created = webhookUrlError(body.url, urlRules) ?? (await commands.create(caller, body, identity));
      if (isApiError(created)) {
        return created;
      }
      await pause(acknowledgementDelay.matching);
      return jsonResponse(withSecret(created), { Location: `/v1/webhooks/${created.webhook.id}` });
    },

    list: async ({ caller, query }) => {
      const { accountId, mode } = caller;
      const range = await rangeOf(query, (id) => lookup.positionOf(caller, id));
      const status = query.status ?? { $in: ['active', 'disabled'] };
      const selection = { filter: { accountId, mode, status }, index: webhookIndexes.list.key };
      const page = await readPage(webhooks, selection, range);
      if (isApiError(page)) {
        return page;
      }
      const shown = page.items.map(storedWebhook).filter((webhook) => webhook !== null);
      return jsonResponse({ data: shown.map(representation), hasMore: page.hasMore });
    },

    retrieve: async ({ caller, id }) => {
      const webhook = await lookup.find(caller, id);
      return webhook === null ? missingResource('webhook', id) : jsonResponse(representation(webhook));
    },

    update: async ({ caller, id, body, identity }) => {
      const error =
        (body.url === undefined ? null : webhookUrlError(body.url, urlRules)) ??
        mutedUntilError(body.mutedUntil ?? null, identity.created);
      const updated = error ?? (await commands.update(caller, id, body, identity));
      if (isApiError(updated)) {
        return updated;
      }
      await pause(updated.isDisabledNow ? acknowledgementDelay.attempting : acknowledgementDelay.matching);
      return jsonResponse(representation(updated.webhook));
    },

    rotateSecret: async ({ caller, id, body, identity }) => {
      const rotated = await commands.rotateSecret(caller, id, body.expiresIn, identity);
      if (isApiError(rotated)) {
        return rotated;
      }
      await pause(acknowledgementDelay.attempting);
      return jsonResponse(withSecret(rotated));
    },

    remove: async ({ caller, id, identity }) => {
      const removed = await commands.remove(caller, id, identity);
      if (isApiError(removed)) {
        return removed;
      }
      await pause(acknowledgementDelay.attempting);
      return jsonResponse({ id, deleted: true });
    },

    test: async ({ caller, id, body, identity }) => {
      const eventId = await sendTest({ caller, id, type: body.type, identity });
      return typeof eventId === 'string' ? jsonResponse({ eventId }) : eventId;
    },
  };
}

function mutedUntilError(mutedUntil: Date | null, now: Date): ApiError | null {
  const latest = now.getTime() + maximumMutedDays * 24 * 60 * 60 * 1000;
  return mutedUntil !== null && mutedUntil.getTime() > latest
    ? apiError('parameter_invalid', `mutedUntil must be at most ${String(maximumMutedDays)} days ahead.`, {
        param: 'mutedUntil',
      })
    : null;
}

/** The representation of a webhook in responses, without anything about its secrets. */
function webhookRepresentation(webhook: Webhook) {
  return {
    id: webhook.id,
    url: webhook.url,
    events: webhook.events,
    status: webhook.status,
    created: webhook.created.toISOString(),
    description: webhook.description,
    name: webhook.name,
    mutedUntil: webhook.mutedUntil?.toISOString() ?? null,
    disabledReason: webhook.disabledReason,
    mode: webhook.mode,
  };
}
