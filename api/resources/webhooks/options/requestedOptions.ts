import type { Metadata } from '../../../../shared/domain/tenants/tenant.js';
import {
  metadataOf,
  optionsOf,
  type OptionUpdate,
  type WebhookOptions,
} from '../../../../shared/domain/webhooks/options.js';
import type { Webhook } from '../../../../shared/domain/webhooks/webhook.js';
import { compactFilter, compileFilter } from '../../../../shared/filters/compileFilter.js';
import { apiError, isApiError, type ApiError } from '../../../http/apiError.js';

interface OptionsRequest {
  readonly body: {
    readonly filter?: unknown;
    readonly metadata?: Metadata | null | undefined;
  } & Partial<Pick<OptionUpdate, 'signatureHeaderPrefix' | 'timeoutSeconds'>>;
  readonly bytesOf: (member: string) => Buffer;
}

/** The options in a request. Null removes an option. An option that the request leaves out is undefined. */
type RequestedOptions = {
  readonly [Option in keyof WebhookOptions]: WebhookOptions[Option] | undefined;
};

/** Reads the options in a valid body. */
export function requestedOptions(request: OptionsRequest): RequestedOptions | ApiError {
  const { signatureHeaderPrefix, timeoutSeconds, metadata } = request.body;
  const filter = requestedFilter(request);
  return isApiError(filter)
    ? filter
    : {
        filter: filter.text,
        signatureHeaderPrefix,
        timeoutSeconds,
        metadata: metadata && JSON.stringify(metadata),
      };
}

interface RequestedFilter {
  readonly text: string | null | undefined;
}

/** Reads the filter of a request from the text of the body, so that each number keeps its digits. */
function requestedFilter({ body: { filter }, bytesOf }: OptionsRequest): RequestedFilter | ApiError {
  if (filter === undefined || filter === null) {
    return { text: filter };
  }
  const text = compactFilter(bytesOf('filter').toString('utf8'));
  const compilation = compileFilter(text);
  if (compilation.valid) {
    return { text };
  }
  const { param, rule } = compilation.fault;
  return apiError('filter_invalid', `${param} ${rule}.`, { param });
}

/** The JSON text of a representation, with the options of the webhook as its last members. */
export function textWithOptions(shown: object, webhook: Webhook): string {
  const options = optionsOf(webhook);
  const text = JSON.stringify({ ...shown, ...shownOptionsOf(options) });
  return `${text.slice(0, -1)},"filter":${options.filter ?? 'null'}}`;
}

function shownOptionsOf(options: WebhookOptions) {
  const { signatureHeaderPrefix, timeoutSeconds } = options;
  return { signatureHeaderPrefix, timeoutSeconds, metadata: metadataOf(options) };
}
