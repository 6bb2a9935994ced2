import type { Metadata } from '../../../../shared/domain/tenants/tenant.js';
import { metadataOf, noOptions, setOptions } from '../../../../shared/domain/webhooks/options.js';
import type { Webhook } from '../../../../shared/domain/webhooks/webhook.js';
import { compactFilter, compileFilter } from '../../../../shared/filters/compileFilter.js';
import { apiError, isApiError, type ApiError } from '../../../http/apiError.js';

interface SettingsRequest<Body> {
  readonly body: Body;
  readonly bytesOf: (member: string) => Buffer;
}

interface GivenTexts {
  readonly filter?: unknown;
  readonly metadata?: Metadata | null | undefined;
}

/** The fields of a valid body, with filter and metadata as JSON texts. A field that the body leaves out is undefined. */
export function requestedSettings<Body extends GivenTexts>(request: SettingsRequest<Body>) {
  const { filter: _filter, metadata, ...settings } = request.body;
  const filter = requestedFilter(request);
  return isApiError(filter)
    ? filter
    : { ...settings, filter: filter.text, metadata: metadata && JSON.stringify(metadata) };
}

interface RequestedFilter {
  readonly text: string | null | undefined;
}

/** Reads the filter of a request from the text of the body, so that each number keeps its digits. */
export function requestedFilter({
  body: { filter },
  bytesOf,
}: SettingsRequest<Pick<GivenTexts, 'filter'>>): RequestedFilter | ApiError {
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
  // Without options of a later version, which a newer process may have stored.
  const { filter, ...options } = { ...noOptions, ...setOptions(webhook.options ?? {}) };
  const text = JSON.stringify({ ...shown, ...options, metadata: metadataOf(options) });
  return `${text.slice(0, -1)},"filter":${filter ?? 'null'}}`;
}
