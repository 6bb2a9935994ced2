import {
  headerLimitFault,
  headerOwner,
  mergedHeaders,
  type CustomHeader,
  type HeaderUpdate,
  type OpenHeader,
} from '../../../../shared/domain/webhooks/customHeaders.js';
import type { SecretBox } from '../../../../shared/security/secretBox.js';
import { apiError, type ApiError } from '../../../http/apiError.js';

/** A change of the configured headers of a webhook. */
export interface HeaderChange {
  /** The names before and after the change. */
  readonly from: readonly string[];
  readonly to: readonly string[];
  /** The new and changed values, sealed. */
  readonly values: readonly CustomHeader[];
}

/**
 * The change that an update makes to the headers of a webhook, or null if the headers already have these values. The
 * present values are opened, because a merge must respect the limits and equal values must not be sealed again.
 * @throws Error if none of the encryption keys opens a present value
 */
export function headerChangeOf(
  webhookId: string,
  present: readonly CustomHeader[],
  update: HeaderUpdate,
  secretBox: SecretBox,
): HeaderChange | ApiError | null {
  const before = present.map((header) => opened(webhookId, header, secretBox));
  const after = mergedHeaders(before, update);
  const fault = headerLimitFault(after);
  if (fault !== null) {
    return apiError('parameter_invalid', `headers ${fault.rule}.`, { param: 'headers' });
  }
  const valuesBefore = new Map(before.map(({ name, value }) => [name, value]));
  const changed = after.filter(({ name, value }) => valuesBefore.get(name) !== value);
  return changed.length === 0 && after.length === before.length
    ? null
    : {
        from: before.map(({ name }) => name),
        to: after.map(({ name }) => name),
        values: changed.map(({ name, value }) => ({
          name,
          value: secretBox.seal(Buffer.from(value), headerOwner(webhookId, name)),
        })),
      };
}

function opened(webhookId: string, { name, value }: CustomHeader, secretBox: SecretBox): OpenHeader {
  const bytes = secretBox.open(value, headerOwner(webhookId, name));
  if (bytes === null) {
    throw new Error(`none of the encryption keys opens the header ${name} of the webhook ${webhookId}`);
  }
  return { name, value: bytes.toString() };
}
