import { setTimeout as pause } from 'node:timers/promises';

import type { WebhookDocument } from '../../shared/mongo/documents.js';
import { webhookIndexes } from '../../shared/mongo/indexes.js';
import type { ReadModel } from '../../shared/mongo/readModels.js';
import { webhookNotice } from '../../shared/webhookAge.js';
import { jsonAnswer } from '../answer.js';
import { rangeOf, readPage } from '../paging.js';
import { isRefusal, missingResource } from '../refusal.js';
import type { KeyHandler, noBody, noQuery } from '../route.js';
import { webhookRepresentation } from './representation.js';
import type {
  createWebhookBody,
  listWebhooksQuery,
  rotateSecretBody,
  testWebhookBody,
  updateWebhookBody,
} from './schemas.js';
import type { SendTest } from './sendTest.js';
import { storedWebhook } from './storedWebhook.js';
import type { WebhookCommands, WebhookWithSecret } from './webhookCommands.js';
import type { WebhookLookup } from './webhookLookup.js';
import { refusedWebhookUrl, type WebhookUrlRules } from './webhookUrl.js';

export interface WebhookHandlers {
  readonly create: KeyHandler<typeof createWebhookBody, typeof noQuery>;
  readonly list: KeyHandler<typeof noBody, typeof listWebhooksQuery>;
  readonly retrieve: KeyHandler<typeof noBody, typeof noQuery>;
  readonly update: KeyHandler<typeof updateWebhookBody, typeof noQuery>;
  readonly rotateSecret: KeyHandler<typeof rotateSecretBody, typeof noQuery>;
  readonly remove: KeyHandler<typeof noBody, typeof noQuery>;
  readonly test: KeyHandler<typeof testWebhookBody, typeof noQuery>;
}

export interface WebhookHandlerDependencies {
  readonly commands: WebhookCommands;
  readonly webhooks: ReadModel<WebhookDocument>;
  readonly lookup: WebhookLookup;
  readonly sendTest: SendTest;
  readonly urlRules: WebhookUrlRules;
}

/**
 * Changes are answered once deliveries go by them: every event that is posted after the answer goes to the webhooks as they are then,
 * none to one that is deleted or disabled, and none lacks the signature of a secret that was answered.
 */
export function createWebhookHandlers(dependencies: WebhookHandlerDependencies): WebhookHandlers {
  const { commands, webhooks, lookup, sendTest, urlRules } = dependencies;
  return {
    create: async ({ caller, body, identity }) => {
      const created =
        refusedWebhookUrl(body.url, urlRules) ?? (await commands.create(caller, body, identity));
      if (isRefusal(created)) {
        return created;
      }
      await pause(webhookNotice.matching);
      return jsonAnswer(withSecret(created), { Location: `/v1/webhooks/${created.webhook.id}` });
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

    update: async ({ caller, id, body, identity }) => {
      const refused = body.url === undefined ? null : refusedWebhookUrl(body.url, urlRules);
      const updated = refused ?? (await commands.update(caller, id, body, identity));
      if (isRefusal(updated)) {
        return updated;
      }
      await pause(updated.isDisabledNow ? webhookNotice.attempting : webhookNotice.matching);
      return jsonAnswer(webhookRepresentation(updated.webhook));
    },

    rotateSecret: async ({ caller, id, body, identity }) => {
      const rotated = await commands.rotateSecret(caller, id, body.expiresIn, identity);
      if (isRefusal(rotated)) {
        return rotated;
      }
      await pause(webhookNotice.attempting);
      return jsonAnswer(withSecret(rotated));
    },

    remove: async ({ caller, id, identity }) => {
      const removed = await commands.remove(caller, id, identity);
      if (isRefusal(removed)) {
        return removed;
      }
      await pause(webhookNotice.attempting);
      return jsonAnswer({ id, deleted: true });
    },

    test: async ({ caller, id, body, identity }) => {
      const eventId = await sendTest({ caller, id, type: body.type, identity });
      return typeof eventId === 'string' ? jsonAnswer({ eventId }) : eventId;
    },
  };
}

function withSecret({ webhook, secret }: WebhookWithSecret) {
  return { ...webhookRepresentation(webhook), secret };
}
