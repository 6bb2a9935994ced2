import type { RecordContext } from '../../shared/domain/fact.js';
import type { Identity } from '../../shared/domain/identity.js';

/** What a record carries that a request makes of its account, beside its type and value. It has no mode, whatever it is about. */
export function accountContext(accountId: string, identity: Identity): RecordContext {
  return { id: identity.recordId(), key: accountId, accountId, mode: null, at: identity.created };
}
