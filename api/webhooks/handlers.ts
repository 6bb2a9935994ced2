import { setTimeout as pause } from 'node:timers/promises';

import type { WebhookDocument } from '../../shared/mongo/documents.js';
import { webhookIndexes } from '../../shared/mongo/indexes.js';
import type { ReadModel } from '../../shared/mongo/readModels.js';
import { jsonAnswer } from '../answer.js';
import { rangeOf, readPage } from '../paging.js';
import { isRefusal, missingResource } from '../refusal.js';
import type { KeyHandler, noBody, noQuery } from '../route.js';
import { webhookRepresentation } from './representation.js';
import type { createWebhookBody, listWebhooksQuery } from './schemas.js';
import { storedWebhook } from './storedWebhook.js';
import type { WebhookCommands } from './webhookCommands.js';
import type { WebhookLookup } from './webhookLookup.js';
import { refusedWebhookUrl, type WebhookUrlRules } from './webhookUrl.js';

export interface WebhookHandlers {
  readonly create: KeyHandler<typeof createWebhookBody, typeof noQuery>;
  readonly list: KeyHandler<typeof noBody, typeof listWebhooksQuery>;
  readonly retrieve: KeyHandler<typeof noBody, typeof noQuery>;
  readonly remove: KeyHandler<typeof noBody, typeof noQuery>;
}

export interface WebhookHandlerDependencies {
  readonly commands: WebhookCommands;
  readonly webhooks: ReadModel<WebhookDocument>;
  readonly lookup: WebhookLookup;
  readonly urlRules: WebhookUrlRules;
}

/** Deliveries begin on a state of their webhook that is at most 250 ms old: after this none begins on the one before. */
const deliveriesNoticeMs = 300;

export function createWebhookHandlers(dependencies: WebhookHandlerDependencies): WebhookHandlers {
  const { commands, webhooks, lookup, urlRules } = dependencies;
  return {
    create: async ({ caller, body }) => {
      const created = refusedWebhookUrl(body.url, urlRules) ?? (await commands.create(caller, body));
      return isRefusal(created)
        ? created
        : jsonAnswer(
            { ...webhookRepresentation(created.webhook), secret: created.secret },
            { Location: `/v1/webhooks/${created.webhook.id}` },
          );
    },

    list: async ({ caller, query }) => {
      const { accountId, mode } = caller;
      const range = await rangeOf(query, (id) => lookup.placeOf(caller, id));
      const status = query.status ?? { $in: ['active', 'disabled'] };
      const selection = { filter: { accountId, mode, status }, index: webhookIndexes.list.key };
      const page = await readPage(webhooks, selection, range);
      if (isRefusal(page)) {
        return page;
      }
      const shown = page.items.map(storedWebhook).filter((webhook) => webhook !== null);
      return jsonAnswer({ data: shown.map(webhookRepresentation), hasMore: page.hasMore });
    },

    retrieve: async ({ caller, id }) => {
      const webhook = await lookup.find(caller, id);
      return webhook === null ? missingResource('webhook', id) : jsonAnswer(webhookRepresentation(webhook));
    },

    remove: async ({ caller, id }) => {
      const removed = await commands.remove(caller, id);
      if (isRefusal(removed)) {
        return removed;
      }
      await pause(deliveriesNoticeMs);
      return jsonAnswer({ id, deleted: true });
    },
  };
}
