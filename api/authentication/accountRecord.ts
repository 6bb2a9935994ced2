import type { RecordContext } from '../../shared/domain/core/fact.js';
import type { Identity } from '../../shared/domain/core/identity.js';

/** What a record carries that a request makes of its account, beside its type and value. It has no mode, whatever it is about. */
export function accountRecordContext(accountId: string, identity: Identity): RecordContext {
  return { id: identity.recordId(), key: accountId, accountId, mode: null, at: identity.created };
}
