import { setTimeout as pause } from 'node:timers/promises';

import { acknowledgementDelay } from '../../../shared/commands/maximumStaleness.js';
import type { Clock } from '../../../shared/core/clock.js';
import type { Update } from '../../../shared/domain/core/changes.js';
import { setOptions, type WebhookOptions } from '../../../shared/domain/webhooks/options.js';
import {
  maximumMutedDays,
  type Webhook,
  type WebhookSettings,
} from '../../../shared/domain/webhooks/webhook.js';
import type { SecretBox } from '../../../shared/security/secretBox.js';
import type { WebhookDocument } from '../../../shared/store/models/documents.js';
import { existing, webhookIndexes } from '../../../shared/store/models/indexes.js';
import type { ReadModel } from '../../../shared/store/models/readModels.js';
import { apiError, isApiError, missingResource, type ApiError } from '../../http/apiError.js';
import { ownedFilter, requestedTenant } from '../../http/ownership.js';
import { rangeOf, readPage } from '../../http/paging.js';
import { jsonResponse, type HttpResponse } from '../../http/response.js';
import { requestedSettings, textWithOptions } from './options/requestedOptions.js';
import { shownAuth } from './options/shownAuth.js';
import { withRequestedAuth } from './requestedAuth.js';
import type { WebhookHandlers } from './routes.js';
import { secretInfoOf } from './secretText.js';
import type { SendTest } from './sendTest.js';
import type { NewWebhook, WebhookCommands, WebhookWithSecret } from './webhookCommands.js';
import type { WebhookHealthReads } from './webhookHealth.js';
import { storedWebhook, type WebhookLookup } from './webhookLookup.js';
import { requestedUrl, webhookUrlError, type WebhookUrlRules } from './webhookUrl.js';

export interface WebhookHandlerDependencies {
  readonly commands: WebhookCommands;
  readonly webhooks: ReadModel<WebhookDocument>;
  readonly lookup: WebhookLookup;
  readonly health: WebhookHealthReads;
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
  const { commands, webhooks, lookup, health, sendTest, urlRules, secretBox, clock } = dependencies;
  const representation = (webhook: Webhook) => ({
    ...webhookRepresentation(webhook),
    secretInfo: secretInfoOf(webhook, secretBox, clock()),
    auth: shownAuth(webhook, secretBox),
  });
  const textOf = (webhook: Webhook, more: object = {}) =>
    textWithOptions({ ...representation(webhook), ...more }, webhook);
  /** All webhooks of a page are read at once. */
  const withHealth = async (accountId: string, shown: readonly Webhook[]) => {
    const { byWebhook } = await health.read(accountId, shown);
    return shown.map((webhook) => textOf(webhook, { health: byWebhook.get(webhook.id) }));
  };
  const response = (webhook: Webhook, more: object = {}): HttpResponse => ({
    content: textOf(webhook, more),
  });
  const withSecret = ({ webhook, secret }: WebhookWithSecret) => response(webhook, { secret });

  return {
    create: async ({ caller, body, identity, bytesOf }) => {
      const checked =
        webhookUrlError(body.url, urlRules) ?? withRequestedAuth(body, urlRules, identity.created);
      const given = isApiError(checked) ? checked : requestedSettings({ body: checked, bytesOf });
      const created = isApiError(given) ? given : await commands.create(caller, newWebhook(given), identity);
      if (isApiError(created)) {
        return created;
      }
      await pause(acknowledgementDelay.matching);
      return { ...withSecret(created), headers: { Location: `/v1/webhooks/${created.webhook.id}` } };
    },

    list: async ({ caller, query }) => {
      const requested = requestedTenant(caller, query.tenantId);
      if (isApiError(requested)) {
        return requested;
      }
      const { tenantId } = requested;
      const range = await rangeOf(query, (id) => lookup.positionOf(caller, id));
      const filter = {
        ...ownedFilter(caller, 'webhook'),
        status: query.status ?? { $in: ['active', 'disabled'] },
        ...(tenantId === undefined ? existing : { tenantId }),
      };
      const index = tenantId === undefined ? webhookIndexes.list.key : webhookIndexes.byTenant.key;
      const page = await readPage(webhooks, { filter, index }, range);
      if (isApiError(page)) {
        return page;
      }
      const shown = page.items.map(storedWebhook).filter((webhook) => webhook !== null);
      const data =
        query.include === 'health'
          ? await withHealth(caller.accountId, shown)
          : shown.map((webhook) => textOf(webhook));
      return { content: `{"data":[${data.join(',')}],"hasMore":${String(page.hasMore)}}` };
    },

    retrieve: async ({ caller, id }) => {
      const webhook = await lookup.find(caller, id);
      return webhook === null ? missingResource('webhook', id) : response(webhook);
    },

    update: async ({ caller, id, body, identity, bytesOf }) => {
      const checked =
        (body.url === undefined ? null : webhookUrlError(body.url, urlRules)) ??
        mutedUntilError(body.mutedUntil ?? null, identity.created) ??
        withRequestedAuth(body, urlRules, identity.created);
      const given = isApiError(checked) ? checked : requestedSettings({ body: checked, bytesOf });
      const updated = isApiError(given)
        ? given
        : await commands.update(caller, id, withRequestedUrl(given), identity);
      if (isApiError(updated)) {
        return updated;
      }
      await pause(updated.isDisabledNow ? acknowledgementDelay.attempting : acknowledgementDelay.matching);
      return response(updated.webhook);
    },

    rotateSecret: async ({ caller, id, body, identity }) => {
      const rotated = await commands.rotateSecret(
        caller,
        id,
        { ...body, secret: body.secret ?? null },
        identity,
      );
      if (isApiError(rotated)) {
        return rotated;
      }
      await pause(acknowledgementDelay.attempting);
      return withSecret(rotated);
    },

    remove: async ({ caller, id, identity }) => {
      const removed = await commands.remove(caller, id, identity);
      if (isApiError(removed)) {
        return removed;
      }
      await pause(acknowledgementDelay.attempting);
      return jsonResponse({ id, deleted: true });
    },

    test: async ({ caller, id, body: { type, data }, identity, receivedAt, bytesOf }) => {
      const given = data === undefined ? null : bytesOf('data');
      const eventId = await sendTest({ caller, id, type, data: given, identity, receivedAt });
      return typeof eventId === 'string' ? jsonResponse({ eventId }) : eventId;
    },
  };
}

type NewSettings = WebhookSettings &
  Pick<NewWebhook, 'tenantId' | 'credentials'> &
  Update<WebhookOptions> & { readonly secret?: Buffer | null | undefined };

function newWebhook(given: NewSettings): NewWebhook {
  const { url, events, description, name, tenantId, credentials, secret = null } = given;
  const settings = { url: requestedUrl(url), events, description, name, ...setOptions(given) };
  return { ...settings, tenantId, credentials, secret };
}

function withRequestedUrl<Body extends { readonly url?: string | undefined }>(body: Body): Body {
  return body.url === undefined ? body : { ...body, url: requestedUrl(body.url) };
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
    tenantId: webhook.tenantId,
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
