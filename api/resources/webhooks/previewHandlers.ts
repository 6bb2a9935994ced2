import type { Clock } from '../../../shared/core/clock.js';
import { authTypeOf, setsAuthorization } from '../../../shared/domain/webhooks/authentication.js';
import { credentialMask } from '../../../shared/domain/webhooks/credentials.js';
import { headerNameOf } from '../../../shared/domain/webhooks/customHeaders.js';
import { previewMismatch } from '../../../shared/domain/webhooks/matching.js';
import {
  contentTypeOf,
  requestBody,
  type DeliveredEvent,
} from '../../../shared/domain/webhooks/requestBody.js';
import {
  recordedHeaders,
  requestHeaders,
  userAgent,
} from '../../../shared/domain/webhooks/requestHeaders.js';
import { filterTextOf } from '../../../shared/domain/webhooks/options.js';
import { validSecrets } from '../../../shared/domain/webhooks/signingSecrets.js';
import type { Webhook } from '../../../shared/domain/webhooks/webhook.js';
import type { Filters } from '../../../shared/filters/filters.js';
import { isApiError, missingResource, type ApiError } from '../../http/apiError.js';
import type { HandlerRequest } from '../../http/route.js';
import { requestedTenant, type Owner } from '../../http/ownership.js';
import { jsonResponse } from '../../http/response.js';
import { requestedFilter } from './options/requestedOptions.js';
import type { PreviewHistory } from './previewHistory.js';
import type { PreviewHandlers } from './previewRoutes.js';
import type { PreviewBody } from './previewSchemas.js';
import type { WebhookLookup } from './webhookLookup.js';

/** An event that a preview shows. */
interface PreviewedEvent extends DeliveredEvent {
  readonly onlyWebhookId: string | null;
}

export interface PreviewHandlerDependencies {
  readonly lookup: Pick<WebhookLookup, 'find'>;
  readonly events: { readonly find: (owner: Owner, id: string) => Promise<PreviewedEvent | null> };
  readonly filters: Pick<Filters, 'failedCondition'>;
  readonly history: PreviewHistory;
  readonly clock: Clock;
}

type PreviewRequest = HandlerRequest<PreviewBody, unknown>;

/** The preview of what a webhook receives. It sends nothing, opens no secret and requests no token. */
export function createPreviewHandlers(dependencies: PreviewHandlerDependencies): PreviewHandlers {
  const { lookup, events, filters, history, clock } = dependencies;

  const eventOf = async (request: PreviewRequest): Promise<PreviewedEvent | ApiError> => {
    const { caller, body, identity, bytesOf } = request;
    if (body.eventId !== undefined) {
      return (await events.find(caller, body.eventId)) ?? missingResource('event', body.eventId);
    }
    const requested = requestedTenant(caller, body.tenantId);
    return isApiError(requested)
      ? requested
      : {
          id: identity.id('evt'),
          type: body.type ?? '',
          created: identity.created,
          data: bytesOf('data'),
          tenantId: requested.tenantId ?? null,
          onlyWebhookId: null,
        };
  };

  const ofEvent = async (webhook: Webhook, event: PreviewedEvent) => {
    const mismatch = previewMismatch(webhook, event);
    const filter = event.onlyWebhookId === null ? filterTextOf(webhook) : null;
    const condition =
      mismatch === 'tenant' || mismatch === 'type' || filter === null
        ? null
        : await filters.failedCondition(filter, event);
    const reason = condition === null ? mismatch : 'filter';
    return { matches: reason === null, reason, condition, request: requestOf(webhook, event, clock()) };
  };

  const ofHistory = async (webhook: Webhook, since: Date, { caller, ...request }: PreviewRequest) => {
    const given = requestedFilter(request);
    return isApiError(given)
      ? given
      : history({
          caller,
          webhook,
          since,
          filter: given.text === undefined ? filterTextOf(webhook) : given.text,
        });
  };

  return {
    preview: async (request) => {
      const { caller, id, body } = request;
      const webhook = await lookup.find(caller, id);
      if (webhook === null) {
        return missingResource('webhook', id);
      }
      if (body.since !== undefined) {
        const counted = await ofHistory(webhook, body.since, request);
        return isApiError(counted) ? counted : jsonResponse(counted);
      }
      const event = await eventOf(request);
      return isApiError(event) ? event : jsonResponse(await ofEvent(webhook, event));
    },
  };
}

/** The request that an attempt would send now, as attempts are recorded: with masked signatures and credentials. */
function requestOf(webhook: Webhook, event: PreviewedEvent, at: Date) {
  const { url, secrets, options } = webhook;
  const body = requestBody(event, webhook);
  const request = {
    eventId: event.id,
    body,
    contentType: contentTypeOf(options?.format),
    // The signatures are masked, so no secret is opened.
    secrets: validSecrets(secrets, at).map(() => Buffer.alloc(0)),
    signatureHeaderPrefix: options?.signatureHeaderPrefix ?? undefined,
  };
  const masked = maskedCredentials(webhook);
  const headers = requestHeaders(request, masked, { userAgent, at });
  const shown = recordedHeaders(headers, new URL(url).host, request, masked);
  return { method: 'POST', url, headers: shown, body: body.toString() };
}

/** The headers with the credentials of a webhook. The preview shows only their names, so it opens none. */
function maskedCredentials({ credentials = [] }: Pick<Webhook, 'credentials'>) {
  const names = credentials.flatMap((credential) => {
    const type = authTypeOf(credential);
    const name = type === null || !setsAuthorization(type) ? headerNameOf(credential) : 'authorization';
    return name === null ? [] : [name];
  });
  return { headers: Object.fromEntries(names.map((name) => [name, credentialMask])) };
}
