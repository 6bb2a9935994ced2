import { z } from 'zod';

import { deliveryErrorCodes, type DeliveryErrorCode } from '../../shared/domain/deliveries/deliveryFacts.js';
import { mustBe } from './validation.js';

/**
 * The meaning of each error of an attempt or a delivery. `docs/errors.md`, the page `/docs/errors` and the OpenAPI
 * document contain it.
 */
export const deliveryErrors: Readonly<Record<DeliveryErrorCode, string>> = {
  timeout:
    'The webhook sent no complete head of a response within the time limit. It may have processed the event.',
  connection_refused: 'No server accepts connections at the address and port of the webhook.',
  connection_failed:
    'No connection could be made for another reason: the host cannot be reached, or the egress proxy of the service could not connect.',
  connection_reset:
    'The connection ended before the head of a response was complete. The webhook may have processed the event.',
  response_invalid:
    'The response is not valid HTTP, or a 101 that switches protocols. The webhook may have processed the event.',
  response_too_large:
    'The headers of the response have more than 16 KiB, or the informational responses before it more than 256 KiB. The webhook may have processed the event.',
  dns_error: 'The host name of the webhook could not be resolved.',
  tls_error: 'No TLS connection could be made, for example because the certificate is not trusted.',
  address_not_allowed: 'The service may not call the URL or the address of the webhook.',
  redirect_not_followed:
    'The webhook responded with a redirect (301, 302, 303, 307 or 308), which the service does not follow.',
  http_status: 'The webhook responded with another status than 2xx. `statusCode` contains the status.',
  auth_failed:
    'The token server of the webhook (`auth.tokenUrl`) issued no token, so no request was sent to the webhook.',
  webhook_deleted: 'The webhook was deleted before the event could be delivered.',
  webhook_disabled: 'The webhook was disabled before the event could be delivered.',
  tenant_deleted: 'The tenant of the event was deleted before the event could be delivered.',
  event_expired: 'The event was removed before it could be delivered.',
  replay_canceled: 'The replay that requested the delivery was canceled.',
};

/** What a client should know about these errors, in Markdown. */
export const aboutDeliveryErrors =
  'The `error` of an attempt or a delivery is `{"code", "message"}` or null. It is no error of a request to the API. A response whose head is complete is judged by its status alone: a 2xx is a success, however its body ends (`responseTruncated`).';

export const deliveryErrorCodeSchema = z
  .enum(deliveryErrorCodes, mustBe(`one of ${deliveryErrorCodes.join(', ')}`))
  .meta({
    id: 'DeliveryErrorCode',
    description: deliveryErrorCodes.map((code) => `- \`${code}\`: ${deliveryErrors[code]}`).join('\n'),
  });

/**
 * The error of an attempt or a delivery in a response. Its code is a string, because clients must accept codes that are
 * added later.
 */
export const deliveryErrorSchema = z.object({
  code: z.string().meta({ description: 'One of the values of `DeliveryErrorCode`. Values may be added.' }),
  message: z.string(),
});
